// SPDX-License-Identifier: Apache-2.0
// The LaTeX of names: symbols pass, what reads files, defines commands or leaves the formula does not.
#include "dalembert/expr/latex_symbol.h"

#include <gtest/gtest.h>

namespace dalembert {
namespace {

TEST(LatexSymbol, SymbolsPass) {
  for (const char* latex :
       {"", "x", "\\theta", "\\theta_{i}", "m_\\mathrm{b}", "\\dot{\\varphi}^{\\star}_{1,2}", "\\frac{1}{2}L'",
        "\\mathbb{R}\\,\\ell", "\\lVert r\\rVert", "50\\%", "\\text{top left}", "\xCE\xB8_1"})
    EXPECT_EQ(fault_of_latex_symbol(latex), std::nullopt) << latex;
}

// TeX's own ways to leave a formula, to read and write files, and to say a character by its number.
TEST(LatexSymbol, NothingElseDoes) {
  for (const char* latex : {"\\input{/etc/passwd}",
                            "\\include{x}",
                            "\\openin5",
                            "\\read5 to x",
                            "\\write18{ls}",
                            "\\immediate",
                            "\\def\\a{b}",
                            "\\let",
                            "\\csname input\\endcsname",
                            "\\catcode`\\%=0",
                            "\\newcommand",
                            "\\usepackage{x}",
                            "\\special{x}",
                            "\\href{x}{y}",
                            "\\htmlClass{x}{y}",
                            "\\alphabet",
                            "\\end{document}",
                            "$",
                            "a$b",
                            "%",
                            "#1",
                            "a&b",
                            "~",
                            "^^5cinput",
                            "{",
                            "}{",
                            "\\",
                            "\\@x",
                            "\\[",
                            "\\)",
                            "\\\\",
                            "a\nb",
                            "a\x1b",
                            "\xE2\x80\xA8",
                            "\\\xCE\xB8",
                            "\xFF"})
    EXPECT_NE(fault_of_latex_symbol(latex), std::nullopt) << latex;
}

}  // namespace
}  // namespace dalembert
