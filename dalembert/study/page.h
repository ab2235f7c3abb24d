// SPDX-License-Identifier: Apache-2.0
// The page that shows a report document: a template, made from web/ and part of the library, filled in.
#pragma once

#include <string>

#include "dalembert/store/json_value.h"

namespace dalembert {

/// One HTML file that needs nothing else. `still`: an SVG that is shown without scripts and before they run; may be
/// empty. No text of the document can become markup.
std::string page_html(const std::string& title, const std::string& still, const Json& document);

}  // namespace dalembert
