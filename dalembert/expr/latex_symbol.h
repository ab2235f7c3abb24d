// SPDX-License-Identifier: Apache-2.0
// What a model may give as the LaTeX of a name: a symbol. It cannot read files, define commands or end its formula.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dalembert {

/// What is wrong with `latex` as the LaTeX of a name, such as "the command `\input` is not one of a symbol's"; nothing if it is accepted.
/// Accepted are the letters, accents, fonts, signs and fractions that LaTeX with amsmath and amssymb, MathJax and KaTeX all support.
std::optional<std::string> fault_of_latex_symbol(std::string_view latex);

}  // namespace dalembert
