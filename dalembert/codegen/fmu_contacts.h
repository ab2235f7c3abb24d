// SPDX-License-Identifier: Apache-2.0
// The C of FMUs of models with contacts: that of all FMUs (fmu_*.c), changed where contacts need it.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// The text of the interface, with `$` for the model's identifier, for a model with contacts. Error E0902 where a line that is to be
/// changed is not in the text.
Result<std::string> fmu_text_with_contacts(std::string text);

}  // namespace dalembert
