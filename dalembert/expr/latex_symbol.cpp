// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/latex_symbol.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

// The commands that may occur in a symbol. Each has a space on both sides, so that a search for " name " finds whole names only.
constexpr std::string_view kCommands =
    // letters
    " alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi pi varpi "
    "rho varrho"
    " sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "digamma aleph"
    " beth ell hbar hslash imath jmath wp Re Im partial nabla eth mho"
    // accents, fonts
    " hat widehat check breve bar overline underline tilde widetilde vec overrightarrow overleftarrow dot ddot dddot "
    "ddddot acute grave"
    " mathring underbar mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathnormal boldsymbol pmb "
    "operatorname"
    " text textrm textbf textit textsf texttt rm bf it sf tt displaystyle textstyle scriptstyle scriptscriptstyle"
    // signs
    " prime backprime circ bullet star ast dagger ddagger cdot cdots ldots dots times div pm mp oplus ominus otimes "
    "oslash odot wedge"
    " vee cap cup setminus parallel perp angle measuredangle sphericalangle triangle bigtriangleup square blacksquare "
    "diamond lozenge"
    " infty propto sim simeq approx cong equiv neq ne leq le geq ge ll gg in ni subset supset to mapsto gets "
    "rightarrow leftarrow"
    " leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow longleftarrow uparrow downarrow updownarrow "
    "nearrow searrow"
    " swarrow nwarrow rightharpoonup leftharpoonup circlearrowleft circlearrowright curvearrowleft curvearrowright "
    "flat natural sharp"
    " clubsuit diamondsuit heartsuit spadesuit top bot vdash dashv mid emptyset varnothing exists forall neg lnot "
    "ddots vdots backslash"
    " langle rangle lvert rvert lVert rVert lfloor rfloor lceil rceil vert Vert lbrace rbrace"
    // functions besides those of expressions, and compound constructs
    " cot sec csc coth log sup inf lim det dim ker arg deg gcd sum prod"
    " int frac tfrac dfrac sqrt overset underset stackrel overbrace underbrace binom smash phantom"
    // spaces
    " quad qquad thinspace enspace ";
constexpr std::string_view kSigns = ",;:!> _{}|%&#$";

bool is_command(std::string_view word) {
  return kCommands.find(fmt::format(" {} ", word)) != std::string_view::npos ||
         std::ranges::any_of(functions(), [&](const FunctionInfo& function) {
           return !function.latex.empty() && function.latex.substr(1) == word;
         });
}

bool is_latin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::optional<std::string> fault_of_latex_symbol(std::string_view latex) {
  int open = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const char c = latex[i];
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < latex.size() && is_latin(latex[end])) ++end;
      const std::string_view word = latex.substr(i + 1, end - i - 1);
      if (!word.empty()) {
        if (!is_command(word)) return fmt::format("the command `\\{}` is not allowed in a symbol", word);
        i = end - 1;
      } else if (end == latex.size()) {
        return "it ends with a backslash";
      } else if (kSigns.find(latex[end]) == std::string_view::npos) {
        return fmt::format("`\\{}` is not allowed in a symbol", shown(latex.substr(end, 1)));
      } else {
        i = end;
      }
      continue;
    }
    if (c == '{') ++open;
    if (c == '}' && --open < 0) return "a `}` closes nothing";
    if (std::string_view("%$#&~").find(c) != std::string_view::npos) return fmt::format("`{0}` is written `\\{0}`", c);
    if (latex.substr(i).starts_with("^^")) return "`^^`, which writes characters by their numbers, is not allowed";
  }
  if (open > 0) return "a `{` is not closed";
  if (shown(latex) != latex) return "it has a control character";
  return std::nullopt;
}

}  // namespace dalembert
