// SPDX-License-Identifier: Apache-2.0
// The names in one expression, by its tokens: also where it cannot be parsed.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/source.h"
#include "dalembert/editor/name_table.h"

namespace dalembert::editor {

/// Appends the uses of names in an expression. `values`: what a name means that stands for itself. `local`: names of indices, which
/// mean nothing else there.
void find_names(const MappedText& text, NameKinds values, std::vector<std::string> local, std::vector<UsedName>& used);

/// What the argument of a function that takes a name may be: of `lambda` a constraint. 0: it takes an expression.
NameKinds takes_name(std::string_view function);

}  // namespace dalembert::editor
