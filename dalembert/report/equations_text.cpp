// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxOperationsAsDerived = 20000;

std::string entry(Canonicalizer& canonicalizer, const Expr& expression, Form form, Notation notation) {
  if (form != Form::kAsDerived) {
    if (const auto polynomial = canonicalizer.canonical(expression)) {
      if (form == Form::kExpanded) return print(canonicalizer, *polynomial, Gathering::kNone, notation);
      return print(canonicalizer, shortest(canonicalizer, *polynomial), notation);
    }
  }
  const std::size_t operations = count_operations(std::array{expression});
  if (operations > kMaxOperationsAsDerived) {
    const std::string note = fmt::format("too large to print: {} operations", operations);
    return notation == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">";
  }
  return print(expression, notation);
}

class Listing {
 public:
  Listing(const Equations& eq, const EquationsFormat& format) : eq_(eq), format_(format), canonicalizer_(*eq.model->graph) {}

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
    if (format_.only.empty()) conserved();
    return out_;
  }

 private:
  bool latex() const { return format_.notation == Notation::kLatex; }
  bool asked(std::string_view part) const { return std::ranges::find(format_.only, part) != format_.only.end(); }
  bool wanted(std::string_view part) const { return format_.only.empty() || asked(part); }
  std::string write(const Expr& e) { return entry(canonicalizer_, e, format_.form, format_.notation); }
  const std::string& coordinate(int i) const { return eq_.model->coordinates[static_cast<std::size_t>(i)].name; }
  std::string symbol(const Expr& e) const { return dalembert::print(e, format_.notation); }

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

  // Row i of M q̈ + B + G = F + Wᵀλ: one term for each acceleration and each multiplier, its coefficient in shortest form.
  void equations_of_motion() {
    begin("equations of motion, M q'' + B + G = F + W^T lambda");
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      std::vector<std::pair<Expr, Expr>> left, right;
      for (std::size_t k = 0; k < eq_.M.value.size(); ++k)
        if (eq_.M.row[k] == static_cast<int>(i)) left.emplace_back(eq_.M.value[k], eq_.qdd[static_cast<std::size_t>(eq_.M.col[k])]);
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.col[k] == static_cast<int>(i)) right.emplace_back(eq_.W.value[k], eq_.lambda[static_cast<std::size_t>(eq_.W.row[k])]);
      line(side(left, {eq_.B[i], eq_.G[i]}), side(right, {eq_.F[i]}));
    }
    end();
  }

  // Σ coefficient · symbol + Σ rest
  std::string side(const std::vector<std::pair<Expr, Expr>>& linear, const std::vector<Expr>& rest) {
    Graph& graph = *eq_.model->graph;
    std::vector<FormTerm> terms;
    bool canonical = format_.form == Form::kCanonical;
    for (const auto& [coefficient, symbol] : linear) {
      const auto form = canonical ? canonicalizer_.canonical(coefficient) : std::nullopt;
      const auto factor = canonicalizer_.canonical(symbol);
      canonical = form.has_value();
      if (!canonical) break;
      if (form->empty()) continue;
      const GeneratorPower power = canonicalizer_.monomial(factor->front().key.monomial).front();
      terms.push_back(times(canonicalizer_, shortest(canonicalizer_, *form), {power.generator, Trig::kOne, power.twelfths}));
    }
    for (const Expr& e : rest) {
      const auto form = canonical ? canonicalizer_.canonical(e) : std::nullopt;
      canonical = form.has_value();
      if (!canonical) break;
      for (FormTerm& term : shortest(canonicalizer_, *form)) terms.push_back(std::move(term));
    }
    if (canonical) return dalembert::print(canonicalizer_, terms, format_.notation);
    std::vector<Graph::Term> sum;
    for (const auto& [coefficient, symbol] : linear) sum.push_back({coefficient * symbol, 1});
    for (const Expr& e : rest) sum.push_back({e, 1});
    return write(graph.sum(sum));
  }

  void constraints() {
    begin("constraints");
    for (std::size_t j = 0; j < eq_.h.size(); ++j)
      if (latex()) line("0", write(eq_.h[j]));
      else line(eq_.rows[j] + ":  0", write(eq_.h[j]));
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
  Canonicalizer canonicalizer_;
  std::string out_;
};

}  // namespace

std::vector<std::string> equation_parts() { return {"M", "B", "G", "F", "W", "Wdot", "a", "gamma", "eom"}; }

std::string print_entry(const Expr& expression, Form form, Notation notation) {
  Canonicalizer canonicalizer(expression.graph());
  return entry(canonicalizer, expression, form, notation);
}

std::string print_equations(const Equations& equations, const EquationsFormat& format) { return Listing(equations, format).print(); }

}  // namespace dalembert
