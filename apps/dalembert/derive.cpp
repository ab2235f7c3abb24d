// SPDX-License-Identifier: Apache-2.0
// dalembert derive: the equations of motion as text, LaTeX or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/closed_form.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/derivation_steps.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/multipliers.h"
#include "dalembert/store/file.h"

namespace dalembert::app {
namespace {

// Parts that the command will have and does not have yet.
const std::vector<std::string> kLaterParts{"S", "reduced"};

Form form_of(const Arguments& arguments) {
  const std::string form = arguments.value("--form").value_or("canonical");
  return form == "expanded" ? Form::kExpanded : form == "as-derived" ? Form::kAsDerived : Form::kCanonical;
}

// "text", "latex" or "json": what --format or --json says, else what the suffix of --output stands for.
std::string format_of(const Arguments& arguments) {
  const std::optional<std::string> asked = arguments.value("--format"), path = arguments.value("--output");
  if (arguments.json() && asked && *asked != "json")
    fail(kExitUsage, "E0403", fmt::format("`--json` and `--format {}` contradict each other", *asked));
  const std::string suffix = path ? std::filesystem::path(*path).extension().string() : "";
  if (suffix == ".pdf" || suffix == ".html" || suffix == ".htm")
    fail(kExitUsage, "E0407", fmt::format("`{}`: {} is not written yet", *path, suffix == ".pdf" ? "PDF" : "HTML"),
         {suffix == ".pdf" ? "write LaTeX, `--standalone -o equations.tex`, then run `pdflatex equations.tex`"
                           : "the suffixes .tex, .json, .txt and .md are"});
  const std::string meant = suffix == ".tex" ? "latex" : suffix == ".json" ? "json" : "";
  const std::string format = arguments.json() ? "json" : asked.value_or(meant.empty() ? "text" : meant);
  if (!meant.empty() && meant != format)
    fail(kExitUsage, "E0403", fmt::format("`{}` would hold {}, which its suffix does not say", *path, format),
         {fmt::format("write it to a file with another suffix, or ask for `--format {}`", meant)});
  return format;
}

// --steps prints the whole derivation, as it is.
void refuse_what_steps_ignore(const Arguments& arguments) {
  if (!arguments.has("--steps")) return;
  for (const char* option : {"--only", "--width"})
    if (arguments.has(option))
      fail(kExitUsage, "E0403",
           fmt::format("`{}` does not go with `--steps`, which prints the whole derivation", option));
}

LatexLayout layout_of(const Arguments& arguments, bool latex) {
  LatexLayout layout;
  for (const char* option : {"--standalone", "--width"})
    if (arguments.has(option) && !latex) fail(kExitUsage, "E0403", fmt::format("`{}` needs `--format latex`", option));
  layout.standalone = arguments.has("--standalone");
  layout.width = arguments.quantity("--width", Dimension::none(), 0).value_or(layout.width);
  return layout;
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

// Matrices of more coordinates are given by their entries, [row, column, text] from 0 on.
constexpr int kMostColumns = 1000;

class EquationsJson {
 public:
  EquationsJson(const Equations& equations, Form form, std::vector<std::string> only)
      : eq_(equations), printer_(*equations.model->graph, form, Notation::kText), only_(std::move(only)) {}

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
    if (asked("lambda") || asked("qdd")) add_closed_form(asked("lambda"), asked("qdd"));
    if (only_.empty()) add_multipliers();
    if (only_.empty()) add_energies();
    document_["operations"] = operations_;
    if (only_.empty()) add_conserved();
    return document_;
  }

 private:
  bool wanted(const std::string& part) const { return only_.empty() || asked(part); }
  bool asked(const std::string& part) const { return std::ranges::find(only_, part) != only_.end(); }
  std::string text(const Expr& e) { return text_of(printer_.entry(e)); }

  void add(const std::string& part, const std::vector<Expr>& values) {
    if (!wanted(part)) return;
    document_[part] = entries(values);
    operations_[part] = count_operations(values);
  }

  void add(const std::string& part, const SparseMatrix& matrix) {
    if (!wanted(part)) return;
    operations_[part] = count_operations(matrix.value);
    if (matrix.cols > kMostColumns) {
      document_[part] = nullptr;
      Json& entries = document_["entries"][part] = Json::array();
      for (std::size_t k = 0; k < matrix.value.size(); ++k)
        entries.push_back({matrix.row[k], matrix.col[k], text(matrix.value[k])});
      return;
    }
    Json rows = Json::array();
    for (int r = 0; r < matrix.rows; ++r) rows.push_back(Json(static_cast<std::size_t>(matrix.cols), "0"));
    for (std::size_t k = 0; k < matrix.value.size(); ++k)
      rows[static_cast<std::size_t>(matrix.row[k])][static_cast<std::size_t>(matrix.col[k])] = text(matrix.value[k]);
    document_[part] = std::move(rows);
  }

  Json equations_of_motion() {
    Json lines = Json::array();
    for (int i = 0; i < eq_.n(); ++i) {
      const auto [left, right] = printer_.equation_of_motion(eq_, i);
      lines.push_back(text_of(left) + " = " + text_of(right));
    }
    return lines;
  }

  void add_multipliers() {
    Json list = Json::array();
    for (const MultiplierMeaning& meaning : explain_multipliers(eq_)) {
      Json force = Json::object();
      for (const auto& [coordinate, coefficient] : meaning.force)
        force[eq_.model->coordinates[static_cast<std::size_t>(coordinate)].name] = text(coefficient);
      list.push_back(
          {{"name", meaning.row}, {"unit", meaning.unit}, {"meaning", meaning.words}, {"force", std::move(force)}});
    }
    document_["multipliers"] = std::move(list);
  }

  // Formulas of λ and q̈, null where the system has none worth reading.
  void add_closed_form(bool lambda, bool qdd) {
    NoClosedForm why{};
    const auto form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) document_["no_closed_form"] = std::string(to_text(why));
    if (lambda) document_["lambda"] = form ? entries(form->lambda) : Json(nullptr);
    if (qdd) document_["qdd"] = form ? entries(form->qdd) : Json(nullptr);
  }

  Json entries(const std::vector<Expr>& values) {
    Json list = Json::array();
    for (const Expr& value : values) list.push_back(text(value));
    return list;
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
  EquationPrinter printer_;
  std::vector<std::string> only_;
  Json document_, operations_ = Json::object();
};

}  // namespace

int run_derive(const Arguments& arguments, Terminal& terminal) {
  const std::string format = format_of(arguments);
  refuse_what_steps_ignore(arguments);
  if (format == "json" && arguments.has("--steps"))
    fail(kExitUsage, "E0407", "`derive --steps` as JSON is not supported yet", {"--format text and latex are"});
  const std::vector<std::string> only = parts_of(arguments);
  const Form form = form_of(arguments);
  const LatexLayout layout = layout_of(arguments, format == "latex");

  LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments));
  const Result<Equations> equations = derive(loaded.model);
  if (!equations) fail(kExitModel, equations.diagnostics());
  terminal.report(loaded.warnings);

  const std::string text =
      format == "json" ? document_text(EquationsJson(*equations, form, only).document())
      : arguments.has("--steps")
          ? print_derivation(*equations, form, format == "latex" ? Notation::kLatex : Notation::kText,
                             layout.standalone)
          : print_equations(*equations, {form, format == "latex" ? Notation::kLatex : Notation::kText, only, layout});
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
