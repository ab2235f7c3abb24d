// SPDX-License-Identifier: Apache-2.0
// The HTML page that shows a report document. Its template is built from web/ and embedded in the library.
#pragma once

#include <string>

#include "dalembert/store/json_value.h"

namespace dalembert {

/// One self-contained HTML file. `still`: an SVG shown before scripts run or if they are disabled; may be empty. No
/// text of the document can become markup.
std::string page_html(const std::string& title, const std::string& still, const Json& document);

}  // namespace dalembert
