// SPDX-License-Identifier: Apache-2.0
// The LaTeX that a model may give for a name: it must be a symbol, and cannot read files, define commands or end its formula.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dalembert {

/// What is wrong with `latex` as the LaTeX of a name, such as "the command `\input` is not one of a symbol's"; nothing if it is accepted.
/// Accepted are letters, accents, fonts, signs and fractions that LaTeX with amsmath and amssymb, MathJax and KaTeX all support.
std::optional<std::string> fault_of_latex_symbol(std::string_view latex);

}  // namespace dalembert
