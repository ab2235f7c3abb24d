// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/contact_friction_code.h"

#include "dalembert/codegen/texts.h"

namespace dalembert {

std::string friction_text(std::string_view text, bool acting) {
  const std::string_view rows = acting ? kActingRows : kAllRows;
  return filled_where(text, {{"MODES", acting ? "2*nf + nr" : "2*nf"},
                             {"call ROWS_AT_WORK()", filled(rows, {{"RATE", "gamma[r]"}})},
                             {"call ROWS_AT_REST()", filled(rows, {{"RATE", "0.0"}})},
                             {"call SIZES_OF_FORCES()", acting ? kSizesOfActing : kSizesOfAll},
                             {"call TRY_ROWS()", acting ? kTryRows : ""},
                             {"call CONTRADICTED()", acting ? kContradicted : ""},
                             {"call OF_IDLE()", acting ? kOfIdle : ""}});
}

}  // namespace dalembert
