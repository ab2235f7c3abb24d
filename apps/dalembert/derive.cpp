// SPDX-License-Identifier: Apache-2.0
// dalembert derive: the equations of motion as text, LaTeX or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/file.h"

namespace dalembert::app {
namespace {

// Parts that cli.md promises and that are not there yet.
const std::vector<std::string> kLaterParts{"lambda", "S", "reduced"};

Form form_of(const Arguments& arguments) {
  const std::string form = arguments.value("--form").value_or("canonical");
  return form == "expanded" ? Form::kExpanded : form == "as-derived" ? Form::kAsDerived : Form::kCanonical;
}

void check_part(const std::string& part) {
  const std::vector<std::string> parts = equation_parts();
  if (std::ranges::find(parts, part) != parts.end()) return;
  if (std::ranges::find(kLaterParts, part) != kLaterParts.end())
    fail(kExitUsage, "E0407", fmt::format("`derive --only {}` is not supported yet", part));
  std::vector<std::string> help;
  if (const auto near = nearest(part, parts)) help.push_back(fmt::format("did you mean `{}`?", *near));
  help.push_back(fmt::format("the parts are {}", join_words(parts)));
  fail(kExitUsage, "E0403", fmt::format("`--only` does not know `{}`", part), help);
}

// The parts of every --only, which may be repeated or hold several with commas between.
std::vector<std::string> parts_of(const Arguments& arguments) {
  std::vector<std::string> parts;
  for (const std::string& value : arguments.values("--only")) {
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      std::string part = value.substr(begin, end - begin);
      std::erase(part, ' ');
      check_part(part);
      parts.push_back(std::move(part));
      begin = end + 1;
    }
  }
  return parts;
}

// --------------------------------------------------------------------------------------------------------- JSON

class EquationsJson {
 public:
  EquationsJson(const Equations& equations, Form form, std::vector<std::string> only)
      : eq_(equations), form_(form), only_(std::move(only)) {}

  Json document() {
    document_ = {{"model", eq_.model->name}, {"coordinates", Json::array()}, {"constraints", eq_.rows}};
    for (const Coordinate& coordinate : eq_.model->coordinates) document_["coordinates"].push_back(coordinate.name);
    add("M", eq_.M);
    add("B", eq_.B);
    add("G", eq_.G);
    add("F", eq_.F);
    add("W", eq_.W);
    add("Wdot", eq_.Wdot);
    add("a", eq_.a);
    add("gamma", eq_.gamma);
    if (wanted("eom")) document_["eom"] = equations_of_motion();
    if (only_.empty()) add_energies();
    document_["operations"] = operations_;
    if (only_.empty()) add_conserved();
    return document_;
  }

 private:
  bool wanted(const std::string& part) const { return only_.empty() || std::ranges::find(only_, part) != only_.end(); }
  std::string text(const Expr& e) const { return print_entry(e, form_, Notation::kText); }

  void add(const std::string& part, const std::vector<Expr>& values) {
    if (!wanted(part)) return;
    Json entries = Json::array();
    for (const Expr& value : values) entries.push_back(text(value));
    document_[part] = std::move(entries);
    operations_[part] = count_operations(values);
  }

  void add(const std::string& part, const SparseMatrix& matrix) {
    if (!wanted(part)) return;
    Json rows = Json::array();
    for (int r = 0; r < matrix.rows; ++r) rows.push_back(Json(static_cast<std::size_t>(matrix.cols), "0"));
    for (std::size_t k = 0; k < matrix.value.size(); ++k)
      rows[static_cast<std::size_t>(matrix.row[k])][static_cast<std::size_t>(matrix.col[k])] = text(matrix.value[k]);
    document_[part] = std::move(rows);
    operations_[part] = count_operations(matrix.value);
  }

  // Row i of M q̈ + B + G = F + Wᵀλ, both sides in the wanted form.
  Json equations_of_motion() const {
    Json lines = Json::array();
    Graph& graph = *eq_.model->graph;
    for (int i = 0; i < eq_.n(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::vector<Expr> left{eq_.B[at], eq_.G[at]}, right{eq_.F[at]};
      for (std::size_t k = 0; k < eq_.M.value.size(); ++k)
        if (eq_.M.row[k] == i) left.push_back(eq_.M.value[k] * eq_.qdd[static_cast<std::size_t>(eq_.M.col[k])]);
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.col[k] == i) right.push_back(eq_.W.value[k] * eq_.lambda[static_cast<std::size_t>(eq_.W.row[k])]);
      lines.push_back(text(graph.sum(left)) + " = " + text(graph.sum(right)));
    }
    return lines;
  }

  void add_energies() {
    document_["T"] = text(eq_.T);
    document_["V"] = text(eq_.V);
    document_["L"] = text(eq_.L);
  }

  void add_conserved() {
    Json quantities = Json::array();
    for (const ConservedQuantity& quantity : conserved_quantities(eq_))
      quantities.push_back({{"name", quantity.name}, {"expression", text(quantity.expression)}});
    document_["conserved"] = std::move(quantities);
  }

  const Equations& eq_;
  Form form_;
  std::vector<std::string> only_;
  Json document_, operations_ = Json::object();
};

}  // namespace

int run_derive(const Arguments& arguments, Terminal& terminal) {
  const std::string format = arguments.json() ? "json" : arguments.value("--format").value_or("text");
  if (format == "html")
    fail(kExitUsage, "E0407", "`derive --format html` is not supported yet", {"--format text, latex and json are"});
  const std::vector<std::string> only = parts_of(arguments);
  const Form form = form_of(arguments);

  LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments));
  const Result<Equations> equations = derive(loaded.model);
  if (!equations) fail(kExitModel, equations.diagnostics());
  terminal.report(loaded.warnings);

  const std::string text =
      format == "json"
          ? document_text(EquationsJson(*equations, form, only).document())
          : print_equations(*equations, {form, format == "latex" ? Notation::kLatex : Notation::kText, only});
  const std::string path = arguments.value("--output").value_or("-");
  if (path == "-") {
    terminal.out(text);
    return kExitOk;
  }
  const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << text; });
  if (!problems.empty()) fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {}\n", path));
  return kExitOk;
}

}  // namespace dalembert::app
