// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/derive/closed_form.h"
#include "dalembert/report/common_terms.h"
#include "dalembert/report/equation_sheet.h"
#include "dalembert/report/multipliers.h"

namespace dalembert {
namespace {

// Closed forms that nobody asked for: tried where N + m is at most this, shown where they cost at most that.
constexpr int kSmallSystem = 8, kShortCost = 70;

std::string no_closed_form(NoClosedForm why) { return fmt::format("(no closed form: {})", to_text(why)); }

constexpr const char* kLongClosedForm =
    "(closed form left out: it would be long, or there is none; `derive --only lambda` tells)";

// Prose as both notations write it.
struct Title {
  const char *text, *latex;
};

class Listing {
 public:
  Listing(const Equations& eq, const EquationsFormat& format)
      : eq_(on_overlay(eq)),
        format_(format),
        shared_(*eq_.graph, format.notation),
        printer_(*eq_.graph, format.form, format.notation, &shared_) {}

  std::string print() {
    sheet_.notation = format_.notation;
    if (format_.only.empty() || !latex()) heading();
    if (format_.only.empty()) energies();
    if (wanted("M")) matrix("M", "Mass matrix", eq_.M, true);
    if (wanted("B")) vector("B", "Velocity-dependent terms", eq_.B);
    if (wanted("G")) vector("G", "Potential forces", eq_.G);
    if (wanted("F")) vector("F", "Other forces", eq_.F);
    if (eq_.m() > 0) {
      if (wanted("W")) matrix("W", "Constraint matrix", eq_.W, false);
      if (asked("Wdot")) matrix("Wdot", "Rate of the constraint matrix", eq_.Wdot, false);
      if (wanted("a")) rows("a", "Constraints at velocity level, $W \\dot{q} + a = 0$", eq_.a, !asked("a"));
      if (wanted("gamma"))
        rows("gamma", "Constraints at acceleration level, $W \\ddot{q} + \\gamma = 0$", eq_.gamma, false);
    }
    if (wanted("eom")) equations_of_motion();
    if (wanted("eom") && eq_.m() > 0) constraints();
    if (wanted("lambda") && eq_.m() > 0) multipliers();
    if (asked("qdd")) accelerations();
    if (format_.only.empty()) conserved();
    // A single part that was asked for is pasted somewhere: no heading.
    if (latex() && format_.only.size() == 1 && !format_.layout.standalone)
      for (EquationSheet::Block& block : sheet_.blocks) block.title.clear();
    sheet_.definitions = shared_.definitions();
    const Graph& graph = *eq_.graph;
    return latex() ? lay_out_latex(sheet_, graph, format_.layout) : lay_out_text(sheet_, graph);
  }

 private:
  bool latex() const { return format_.notation == Notation::kLatex; }
  bool asked(std::string_view part) const { return std::ranges::find(format_.only, part) != format_.only.end(); }
  bool wanted(std::string_view part) const { return format_.only.empty() || asked(part); }
  Formula write(const Expr& e) { return printer_.entry(e); }
  // A name or a name with indices.
  Formula label(const std::string& name) const {
    return latex() ? spell_latex(name) : FormulaWriter().add(name).take();
  }

  // Names as indices of an entry: B[theta] or B_{\theta}.
  std::string coordinate(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return latex() ? printer_.symbol(eq_.q[at]) : eq_.model->coordinates[at].name;
  }
  std::string row(std::size_t j) const {
    if (!latex()) return eq_.rows[j];
    const std::string lambda = printer_.symbol(eq_.lambda[j]);  // \lambda_{\mathrm{pin,1}}
    return lambda.substr(lambda.find('{') + 1, lambda.size() - lambda.find('{') - 2);
  }
  std::string indexed(const std::string& name, const std::string& index) const {
    return latex() ? fmt::format("{}_{{{}}}", name, index) : fmt::format("{}[{}]", name, index);
  }

  void heading() {
    const Model& model = *eq_.model;
    sheet_.name = model.name;
    sheet_.description = model.description;
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      const Coordinate& c = model.coordinates[i];
      const std::string unit = c.dimension ? unit_name(*c.dimension, Measure::kAngle) : "";
      sheet_.coordinates.push_back({coordinate(static_cast<int>(i)), unit});
    }
  }

  EquationSheet::Block& begin(const Title& title) {
    sheet_.blocks.emplace_back();
    sheet_.blocks.back().title = latex() ? title.latex : title.text;
    return sheet_.blocks.back();
  }
  void line(Formula left, Formula right) { sheet_.blocks.back().lines.push_back({std::move(left), std::move(right)}); }
  void line(const std::string& left, Formula right) { line(label(left), std::move(right)); }

  void energies() {
    begin({"energies", "Energies"});
    line("T", write(eq_.T));
    line("V", write(eq_.V));
  }

  // `Wdot` and `gamma` as formulas.
  std::string shown_name(const std::string& name) const {
    if (!latex()) return name;
    return name == "Wdot" ? "\\dot{W}" : name == "gamma" ? "\\gamma" : name;
  }

  void matrix(const std::string& name, const char* title, const SparseMatrix& m, bool symmetric) {
    const std::string shown = shown_name(name);
    const std::string size = fmt::format("{} ({}x{}{})", name, m.rows, m.cols, symmetric ? ", symmetric" : "");
    EquationSheet::Block& block = begin({size.c_str(), title});
    block.name = label(shown);
    if (latex())
      block.grid.assign(static_cast<std::size_t>(m.rows),
                        std::vector<Formula>(static_cast<std::size_t>(m.cols), number_formula(0, Notation::kLatex)));
    for (std::size_t k = 0; k < m.value.size(); ++k) {
      Formula value = write(m.value[k]);
      if (latex()) block.grid[static_cast<std::size_t>(m.row[k])][static_cast<std::size_t>(m.col[k])] = value;
      if (symmetric && m.col[k] < m.row[k]) continue;
      if (latex() && is_zero(value)) continue;
      const std::string left = symmetric ? coordinate(m.row[k]) : row(static_cast<std::size_t>(m.row[k]));
      line(indexed(shown, left + "," + coordinate(m.col[k])), std::move(value));
    }
  }

  void vector(const std::string& name, const char* title, const std::vector<Expr>& values) {
    EquationSheet::Block& block = begin({name.c_str(), title});
    block.name = label(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Formula value = write(values[i]);
      if (latex()) block.grid.push_back({value});
      if (!is_zero(value)) line(indexed(name, coordinate(static_cast<int>(i))), std::move(value));
    }
  }

  void rows(const std::string& name, const char* title, const std::vector<Expr>& values, bool skip_zero) {
    if (skip_zero && std::ranges::all_of(values, [&](const Expr& e) { return is_zero(write(e)); })) return;
    EquationSheet::Block& block = begin({name.c_str(), title});
    block.name = label(shown_name(name));
    for (std::size_t j = 0; j < values.size(); ++j) {
      Formula value = write(values[j]);
      if (latex()) block.grid.push_back({value});
      if (!latex() || !is_zero(value)) line(indexed(shown_name(name), row(j)), std::move(value));
    }
  }

  void equations_of_motion() {
    begin({"equations of motion, M q'' + B + G = F + W^T lambda",
           "Equations of motion, $M \\ddot{q} + B + G = F + W^T \\lambda$"});
    for (int i = 0; i < eq_.n(); ++i) {
      auto [left, right] = printer_.equation_of_motion(eq_, i);
      line(std::move(left), std::move(right));
    }
  }

  void constraints() {
    begin({"constraints", "Constraints"});
    for (std::size_t j = 0; j < eq_.h.size(); ++j)
      line(latex() ? "\\text{" + latex_prose(eq_.rows[j]) + ":}\\quad 0" : eq_.rows[j] + ":  0", write(eq_.h[j]));
  }

  // What the multipliers are; their formulas where they are short, or asked for.
  void multipliers() {
    EquationSheet::Block& block = begin(
        {"multipliers: lambda > 0 pushes towards larger h", "Multipliers, $\\lambda > 0$ pushes towards larger $h$"});
    const std::vector<MultiplierMeaning> meanings = explain_multipliers(eq_);
    for (std::size_t j = 0; j < meanings.size(); ++j)
      block.notes.push_back({printer_.symbol(eq_.lambda[j]), meanings[j].unit,
                             latex() ? latex_prose(meanings[j].words) : meanings[j].words});
    NoClosedForm why = NoClosedForm::kTooLarge;
    std::optional<ClosedForm> form;
    if (asked("lambda") || eq_.n() + eq_.m() <= kSmallSystem)
      form = solve_closed_form(eq_, asked("lambda") ? kAskedCost : kShortCost, &why);
    if (!form) {
      // Unasked, only what is short is tried.
      block.remark = asked("lambda") || why != NoClosedForm::kTooLarge ? no_closed_form(why) : kLongClosedForm;
      return;
    }
    begin({"multipliers in closed form, at any state", "Multipliers in closed form, at any state"});
    for (std::size_t j = 0; j < form->lambda.size(); ++j) line(printer_.symbol(eq_.lambda[j]), write(form->lambda[j]));
  }

  void accelerations() {
    EquationSheet::Block& block = begin({"accelerations in closed form", "Accelerations in closed form"});
    NoClosedForm why{};
    const std::optional<ClosedForm> form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) {
      block.remark = no_closed_form(why);
      return;
    }
    for (std::size_t i = 0; i < form->qdd.size(); ++i) line(printer_.symbol(eq_.qdd[i]), write(form->qdd[i]));
  }

  void conserved() {
    const std::vector<ConservedQuantity> quantities = conserved_quantities(eq_);
    if (quantities.empty()) return;
    begin({"conserved along every motion", "Conserved along every motion"});
    for (const ConservedQuantity& c : quantities) line(latex() ? conserved_name(c.name) : c.name, write(c.expression));
  }

  // "energy" and "p[theta]"
  std::string conserved_name(const std::string& name) const {
    for (std::size_t i = 0; i < eq_.q.size(); ++i)
      if (name == "p[" + eq_.model->coordinates[i].name + "]") return indexed("p", coordinate(static_cast<int>(i)));
    return name == "energy" ? "E" : "\\text{" + latex_prose(name) + "}";
  }

  const Equations eq_;
  const EquationsFormat& format_;
  SharedNodes shared_;
  EquationPrinter printer_;
  EquationSheet sheet_;
};

}  // namespace

std::vector<std::string> equation_parts() {
  return {"M", "B", "G", "F", "W", "Wdot", "a", "gamma", "eom", "lambda", "qdd"};
}

std::string print_equations(const Equations& equations, const EquationsFormat& format) {
  return Listing(equations, format).print();
}

}  // namespace dalembert
