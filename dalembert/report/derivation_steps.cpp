// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/derivation_steps.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/derive/closed_form.h"
#include "dalembert/report/equation_layout.h"

namespace dalembert {
namespace {

class Trail {
 public:
  Trail(const Equations& equations, Form form, Notation notation)
      : eq_(on_overlay(equations)),
        graph_(*eq_.graph),
        latex_(notation == Notation::kLatex),
        printer_(graph_, form, notation) {
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      total_.emplace(eq_.q[i].symbol(), eq_.qd[i]);
      total_.emplace(eq_.qd[i].symbol(), eq_.qdd[i]);
    }
    for (const auto& [symbol, rate] : eq_.model->time_rates()) total_.emplace(symbol, graph_.adopt(rate));
  }

  std::string print(bool standalone) {
    energies();
    momenta();
    lagrange();
    if (eq_.m() > 0) constraints();
    if (eq_.m() > 0) elimination();
    if (!standalone) return out_;
    // A character of LaTeX takes less than half an em; pages wider than TeX's largest length do not exist.
    constexpr double kWidest = 1200;
    const double width = std::clamp(0.5 * static_cast<double>(longest_), LatexLayout{}.width, kWidest);
    return latex_preamble(width) + "\\section*{" + latex_prose(eq_.model->name) + "}\n" + out_ + "\\end{document}\n";
  }

 private:
  std::string name(std::size_t i) const { return printer_.symbol(eq_.q[i]); }
  std::string rate_name(std::size_t i) const { return printer_.symbol(eq_.qd[i]); }
  std::string partial(const std::string& of, const std::string& by) const {
    return latex_ ? fmt::format("\\frac{{\\partial {}}}{{\\partial {}}}", of, by) : fmt::format("d{}/d({})", of, by);
  }
  std::string in_time(const std::string& of) const {
    return latex_ ? fmt::format("\\frac{{d}}{{dt}} {}", of) : fmt::format("d/dt {}", of);
  }
  Expr rate(const Expr& e) const { return directional_derivative(std::array{e}, total_).front(); }

  void begin(const std::string& title) {
    ++step_;
    first_line_ = true;
    out_ += latex_ ? fmt::format("\\paragraph{{{}. {}}}\n\\begin{{align*}}\n", step_, title)
                   : fmt::format("{}{}. {}\n", step_ > 1 ? "\n" : "", step_, title);
  }
  void line(const std::string& left, const Formula& right) { line(left, text_of(right)); }
  void line(const std::string& left, const std::string& right) {
    if (latex_) {
      out_ += fmt::format("{}{} &= {}", first_line_ ? "" : " \\\\\n", left, right);
      longest_ = std::max(longest_, left.size() + right.size());
    } else {
      out_ += fmt::format("  {} = {}\n", left, right);
    }
    first_line_ = false;
  }
  void end() { out_ += latex_ ? "\n\\end{align*}\n\n" : ""; }

  void energies() {
    begin("Energies and the Lagrangian L = T - V");
    line("T", printer_.entry(eq_.T));
    line("V", printer_.entry(eq_.V));
    line("L", printer_.entry(eq_.L));
    end();
  }

  void momenta() {
    begin("Momenta, their rates, and the partial derivatives of L");
    const std::vector<Expr> slopes = gradient(eq_.L, eq_.q);
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      line(partial("L", rate_name(i)), printer_.entry(eq_.p[i]));
      line(in_time(partial("L", rate_name(i))), printer_.entry(rate(eq_.p[i])));
      line(partial("L", name(i)), printer_.entry(slopes[i]));
    }
    end();
  }

  void lagrange() {
    begin(latex_ ? "Lagrange's equations with generalized forces $F$ and constraint forces $W^T\\lambda$"
                 : "Lagrange's equations d/dt dL/d(q') - dL/dq = F + W^T lambda");
    for (int i = 0; i < eq_.n(); ++i) {
      const auto [left, right] = printer_.equation_of_motion(eq_, i);
      line(text_of(left), right);
    }
    end();
  }

  // 0 = h, 0 = dh/dt = W q̇ + a, 0 = d²h/dt² = W q̈ + γ; a Pfaffian row starts at the second.
  void constraints() {
    begin("Constraints, differentiated until the accelerations appear");
    for (std::size_t j = 0; j < eq_.rows.size(); ++j) {
      const bool holonomic = std::ranges::find(eq_.holonomic, static_cast<int>(j)) != eq_.holonomic.end();
      const std::string row = latex_ ? "0" : eq_.rows[j] + ":  0";
      if (holonomic) line(row, printer_.entry(eq_.h[j]));
      line(row, printer_.entry(holonomic ? rate(eq_.h[j]) : eq_.h[j]));
      std::vector<std::pair<Expr, Expr>> accelerations;
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.row[k] == static_cast<int>(j))
          accelerations.emplace_back(eq_.W.value[k], eq_.qdd[static_cast<std::size_t>(eq_.W.col[k])]);
      line(row, printer_.linear(accelerations, {eq_.gamma[j]}));
    }
    end();
  }

  void elimination() {
    begin(latex_ ? "Elimination of the accelerations: $W M^{-1} W^T \\lambda = W M^{-1} (B + G - F) - \\gamma$"
                 : "Elimination of the accelerations: W M^-1 W^T lambda = W M^-1 (B + G - F) - gamma");
    NoClosedForm why{};
    const auto form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) {
      const std::string text = fmt::format("solved numerically: {}", to_text(why));
      line(latex_ ? "\\lambda" : "lambda", latex_ ? "\\text{" + text + "}" : "(" + text + ")");
    } else {
      for (std::size_t j = 0; j < form->lambda.size(); ++j)
        line(printer_.symbol(eq_.lambda[j]), printer_.entry(form->lambda[j]));
      for (std::size_t i = 0; i < form->qdd.size(); ++i)
        line(printer_.symbol(eq_.qdd[i]), printer_.entry(form->qdd[i]));
    }
    end();
  }

  const Equations eq_;
  Graph& graph_;
  bool latex_;
  EquationPrinter printer_;
  std::unordered_map<SymbolId, Expr> total_;
  std::string out_;
  int step_ = 0;
  bool first_line_ = true;
  std::size_t longest_ = 0;  // line of LaTeX, in characters
};

}  // namespace

std::string print_derivation(const Equations& equations, Form form, Notation notation, bool standalone) {
  return Trail(equations, form, notation).print(standalone && notation == Notation::kLatex);
}

}  // namespace dalembert
