// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_json.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dalembert/derive/closed_form.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/multipliers.h"

namespace dalembert {
namespace {

class EquationsJson {
 public:
  EquationsJson(const Equations& equations, Form form, std::vector<std::string> only)
      : eq_(on_overlay(equations)), printer_(*eq_.graph, form, Notation::kText), only_(std::move(only)) {}

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
    if (matrix.cols > kMostJsonColumns) {
      document_[part] = nullptr;
      Json& entries = document_["entries"][part] = Json::array();
      for (std::size_t k = 0; k < matrix.value.size(); ++k)
        entries.push_back({matrix.row[k], matrix.col[k], text(matrix.value[k])});
      return;
    }
    std::vector<std::vector<std::string>> texts(static_cast<std::size_t>(matrix.rows));
    for (std::vector<std::string>& row : texts) row.assign(static_cast<std::size_t>(matrix.cols), "0");
    for (std::size_t k = 0; k < matrix.value.size(); ++k)
      texts[static_cast<std::size_t>(matrix.row[k])][static_cast<std::size_t>(matrix.col[k])] = text(matrix.value[k]);
    Json rows = Json::array();
    for (const std::vector<std::string>& row : texts) rows.push_back(row);
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

  const Equations eq_;
  EquationPrinter printer_;
  std::vector<std::string> only_;
  Json document_, operations_ = Json::object();
};

}  // namespace

Json equations_json(const Equations& equations, Form form, const std::vector<std::string>& only) {
  return EquationsJson(equations, form, only).document();
}

}  // namespace dalembert
