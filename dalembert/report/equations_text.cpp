// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/derive/closed_form.h"
#include "dalembert/report/multipliers.h"

namespace dalembert {
namespace {

// Closed forms that nobody asked for: tried where N + m is at most this, shown where they cost at most that.
constexpr int kSmallSystem = 8, kShortCost = 70;

class Listing {
 public:
  Listing(const Equations& eq, const EquationsFormat& format) : eq_(eq), format_(format), printer_(*eq.model->graph, format.form, format.notation) {}

  std::string print() {
    if (format_.notation == Notation::kText) heading();
    if (format_.only.empty()) energies();
    if (wanted("M")) matrix("M", eq_.M, true);
    if (wanted("B")) vector("B", eq_.B);
    if (wanted("G")) vector("G", eq_.G);
    if (wanted("F")) vector("F", eq_.F);
    if (eq_.m() > 0) {
      if (wanted("W")) matrix("W", eq_.W, false);
      if (asked("Wdot")) matrix("Wdot", eq_.Wdot, false);
      if (wanted("a")) rows("a", eq_.a, !asked("a"));
      if (wanted("gamma")) rows("gamma", eq_.gamma, false);
    }
    if (wanted("eom")) equations_of_motion();
    if (wanted("eom") && eq_.m() > 0) constraints();
    if (wanted("lambda") && eq_.m() > 0) multipliers();
    if (asked("qdd")) accelerations();
    if (format_.only.empty()) conserved();
    return out_;
  }

 private:
  bool latex() const { return format_.notation == Notation::kLatex; }
  bool asked(std::string_view part) const { return std::ranges::find(format_.only, part) != format_.only.end(); }
  bool wanted(std::string_view part) const { return format_.only.empty() || asked(part); }
  std::string write(const Expr& e) { return printer_.entry(e); }
  const std::string& coordinate(int i) const { return eq_.model->coordinates[static_cast<std::size_t>(i)].name; }

  void heading() {
    const Model& model = *eq_.model;
    out_ += model.name.empty() ? "" : model.name + "\n";
    if (!model.description.empty()) out_ += model.description + "\n";
    std::string names;
    for (const Coordinate& c : model.coordinates) names += (names.empty() ? "" : ", ") + c.name + (c.dimension ? fmt::format(" [{}]", unit_name(*c.dimension) == "1" ? "rad" : unit_name(*c.dimension)) : "");
    out_ += fmt::format("\ncoordinates q = ({})\n", names);
  }

  void line(const std::string& left, const std::string& right) {
    out_ += latex() ? fmt::format("{} &= {} \\\\\n", left, right) : fmt::format("  {} = {}\n", left, right);
  }
  void begin(const std::string& title) { out_ += latex() ? "\\begin{aligned}\n" : "\n" + title + "\n"; }
  void end() { out_ += latex() ? "\\end{aligned}\n\n" : ""; }

  void energies() {
    begin("energies");
    line("T", write(eq_.T));
    line("V", write(eq_.V));
    end();
  }

  void matrix(const std::string& name, const SparseMatrix& m, bool symmetric) {
    if (latex()) {
      const std::string shown = name == "Wdot" ? "\\dot{W}" : name;
      std::string body;
      for (int r = 0; r < m.rows; ++r) {
        for (int c = 0; c < m.cols; ++c) {
          const Expr e = m.find(r, c);
          body += (c ? " & " : "") + (e ? write(e) : std::string("0"));
        }
        body += r + 1 < m.rows ? " \\\\\n" : "\n";
      }
      out_ += fmt::format("{} = \\begin{{bmatrix}}\n{}\\end{{bmatrix}}\n\n", shown, body);
      return;
    }
    const bool of_coordinates = symmetric;
    begin(fmt::format("{} ({}x{}{})", name, m.rows, m.cols, symmetric ? ", symmetric" : ""));
    for (std::size_t k = 0; k < m.value.size(); ++k) {
      if (symmetric && m.col[k] < m.row[k]) continue;
      const std::string row = of_coordinates ? coordinate(m.row[k]) : eq_.rows[static_cast<std::size_t>(m.row[k])];
      line(fmt::format("{}[{},{}]", name, row, coordinate(m.col[k])), write(m.value[k]));
    }
    if (m.value.empty()) out_ += "  0\n";
    end();
  }

  void vector(const std::string& name, const std::vector<Expr>& values) {
    if (latex()) return column(name, values);
    begin(name);
    bool any = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string text = write(values[i]);
      any = any || text != "0";
      if (text != "0") line(fmt::format("{}[{}]", name, coordinate(static_cast<int>(i))), text);
    }
    if (!any) out_ += "  0\n";
  }

  void rows(const std::string& name, const std::vector<Expr>& values, bool skip_zero) {
    if (skip_zero && std::ranges::all_of(values, [&](const Expr& e) { return write(e) == "0"; })) return;
    if (latex()) return column(name == "gamma" ? "\\gamma" : name, values);
    begin(name);
    for (std::size_t j = 0; j < values.size(); ++j) line(fmt::format("{}[{}]", name, eq_.rows[j]), write(values[j]));
  }

  void column(const std::string& name, const std::vector<Expr>& values) {
    std::string body;
    for (const Expr& e : values) body += write(e) + " \\\\\n";
    out_ += fmt::format("{} = \\begin{{bmatrix}}\n{}\\end{{bmatrix}}\n\n", name, body);
  }

  void equations_of_motion() {
    begin("equations of motion, M q'' + B + G = F + W^T lambda");
    for (int i = 0; i < eq_.n(); ++i) {
      const auto [left, right] = printer_.equation_of_motion(eq_, i);
      line(left, right);
    }
    end();
  }

  void constraints() {
    begin("constraints");
    for (std::size_t j = 0; j < eq_.h.size(); ++j)
      if (latex()) line("0", write(eq_.h[j]));
      else line(eq_.rows[j] + ":  0", write(eq_.h[j]));
    end();
  }

  // What the multipliers are; their formulas where they are short, or asked for.
  void multipliers() {
    if (!latex()) {
      out_ += "\nmultipliers: lambda > 0 pushes towards larger h\n";
      for (const MultiplierMeaning& m : explain_multipliers(eq_))
        out_ += fmt::format("  lambda({}){}: {}\n", m.row, m.unit.empty() ? "" : " [" + m.unit + "]", m.words);
    }
    if (!asked("lambda") && eq_.n() + eq_.m() > kSmallSystem) return;
    const std::optional<ClosedForm> form = solve_closed_form(eq_, asked("lambda") ? kAskedCost : kShortCost);
    if (!form) {
      if (asked("lambda")) out_ += latex() ? "" : "  (no closed form: the system is singular as formulas, or the formulas are too large to be read)\n";
      return;
    }
    begin("multipliers in closed form, at any state");
    for (std::size_t j = 0; j < form->lambda.size(); ++j) line(printer_.symbol(eq_.lambda[j]), write(form->lambda[j]));
    end();
  }

  void accelerations() {
    const std::optional<ClosedForm> form = solve_closed_form(eq_, kAskedCost);
    if (!form) {
      out_ += latex() ? "" : "\nq'': no closed form: the system is singular as formulas, or the formulas are too large to be read\n";
      return;
    }
    begin("accelerations in closed form");
    for (std::size_t i = 0; i < form->qdd.size(); ++i) line(printer_.symbol(eq_.qdd[i]), write(form->qdd[i]));
    end();
  }

  void conserved() {
    const std::vector<ConservedQuantity> quantities = conserved_quantities(eq_);
    if (quantities.empty()) return;
    begin("conserved along every motion");
    for (const ConservedQuantity& c : quantities)
      line(latex() ? "\\mathrm{" + c.name + "}" : c.name, write(c.expression));
    end();
  }

  const Equations& eq_;
  const EquationsFormat& format_;
  EquationPrinter printer_;
  std::string out_;
};

}  // namespace

std::vector<std::string> equation_parts() { return {"M", "B", "G", "F", "W", "Wdot", "a", "gamma", "eom", "lambda", "qdd"}; }

std::string print_equations(const Equations& equations, const EquationsFormat& format) { return Listing(equations, format).print(); }

}  // namespace dalembert
