// SPDX-License-Identifier: Apache-2.0
// Values of the library as the Language Server Protocol writes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/editor/facts.h"
#include "dalembert/editor/fixes.h"
#include "dalembert/editor/positions.h"

namespace dalembert::app {

using LspJson = nlohmann::json;

/// The document on one line; what is not UTF-8 in a text is replaced.
std::string text_of(const LspJson& json);

/// The path that a URI with the scheme file names; empty for any other.
std::string path_of(const std::string& uri);
/// The URI of a file.
std::string uri_of(const std::string& path);

/// A document that an editor has open, as far as places in it are concerned.
struct LspDocument {
  std::string uri;
  SourcePtr source;
  editor::Encoding encoding = editor::Encoding::kUtf16;
  mutable editor::PositionCounter counter = {};  ///< of `source`
};

LspJson range_json(const LspDocument& document, const editor::Range& range);
/// Throws nlohmann::json::exception if it is no position.
editor::Position position_of(const LspJson& json);

/// A diagnostic with its notes and help in its message, its related places, and in `data` the fixes, as [{"title", "range", "newText"}].
LspJson diagnostic_json(const LspDocument& document, const Diagnostic& diagnostic,
                        const std::vector<editor::Fix>& fixes);
/// A remark at the first line, of what was not decided.
LspJson remark_json(const std::string& text);

LspJson facts_json(const editor::Facts& facts);
editor::Facts facts_of(const LspJson& json);

}  // namespace dalembert::app
