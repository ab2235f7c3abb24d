// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/json_documents.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dalembert/derive/equations.h"
#include "dalembert/derive/multiplier_system.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/kinematic_json.h"

namespace dalembert {
namespace {

class EquationsJson {
 public:
  EquationsJson(const Equations& equations, Form form, std::vector<std::string> only)
      : eq_(on_overlay(equations)),
        printer_(*eq_.graph, form, Notation::kText, nullptr, state_relations(eq_)),
        only_(std::move(only)) {}

  Json document() {
    document_ = {{"model", eq_.model->name}, {"coordinates", Json::array()}, {"constraints", eq_.rows}};
    for (const Coordinate& coordinate : eq_.model->coordinates) document_["coordinates"].push_back(coordinate.name);
    if (!eq_.v_is_qdot()) {
      document_["velocities"] = eq_velocities();
      add("N", eq_.N);
      add("n0", eq_.n0);
    }
    add("M", eq_.M);
    add("B", eq_.B);
    add("G", eq_.G);
    add("F", eq_.F);
    if (eq_.load_dependent()) add_friction();
    add("W", eq_.W);
    add("Wdot", eq_.Wdot);
    add("a", eq_.a);
    add("gamma", eq_.gamma);
    if (wanted("eom")) document_["eom"] = equations_of_motion();
    if (asked("lambda") || asked("qdd") || asked("actuation")) add_closed_form(asked("lambda"), asked("qdd"));
    if (asked("D")) add_multiplier_system();
    if (!eq_.model->prescribed.empty()) add_prescribed();
    if (asks_for_reduced(eq_, only_)) add_reduced();
    if (only_.empty()) add_multipliers();
    if (only_.empty()) add_energies();
    document_["operations"] = operations_;
    if (only_.empty()) add_conserved();
    return std::move(document_);
  }

 private:
  // With friction the forces are F + F_lambda·λ and −f ∂velocity/∂q̇ for each friction.
  void add_friction() {
    if (!eq_.Phi.value.empty()) add("F_lambda", eq_.Phi);
    if (!wanted("F")) return;
    Json& list = document_["friction"] = Json::array();
    for (const FrictionLaw& law : eq_.frictions) {
      Json one = {{"name", law.name},
                  {"normal", text(law.normal)},
                  {"velocity", text(law.velocity)},
                  {"coefficient", text(law.mu)},
                  {"static", text(law.mu_s)},
                  {"viscous", text(law.viscous)}};
      if (law.second) one["second_of"] = (&law - 1)->name;
      list.push_back(std::move(one));
    }
  }

  bool wanted(const std::string& part) const { return only_.empty() || asked(part); }
  bool asked(const std::string& part) const { return std::ranges::find(only_, part) != only_.end(); }
  std::string text(const Expr& e) { return text_of(printer_.entry(e)); }

  Json eq_velocities() {
    Json names = Json::array();
    for (const Expr& v : eq_.v) names.push_back(eq_.graph->symbol_info(v.symbol()).name);
    return names;
  }

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
    document_[part] = rows_json(matrix);
  }

  Json rows_json(const SparseMatrix& matrix) {
    std::vector<std::vector<std::string>> texts(static_cast<std::size_t>(matrix.rows));
    for (std::vector<std::string>& row : texts) row.assign(static_cast<std::size_t>(matrix.cols), "0");
    for (std::size_t k = 0; k < matrix.value.size(); ++k)
      texts[static_cast<std::size_t>(matrix.row[k])][static_cast<std::size_t>(matrix.col[k])] = text(matrix.value[k]);
    Json rows = Json::array();
    for (const std::vector<std::string>& row : texts) rows.push_back(row);
    return rows;
  }

  Json equations_of_motion() {
    Json lines = Json::array();
    for (int i = 0; i < eq_.nv(); ++i) {
      const auto [left, right] = printer_.equation_of_motion(eq_, i);
      lines.push_back(text_of(left) + " = " + text_of(right));
    }
    return lines;
  }

  void add_prescribed() {
    const Partition parts = partition(eq_, actuated_velocities(eq_));
    const std::vector<std::string> velocities = motion_names(eq_);
    const auto names = [&](const std::vector<int>& list) {
      Json json = Json::array();
      for (const int i : list) json.push_back(velocities[static_cast<std::size_t>(i)]);
      return json;
    };
    document_["passive"] = names(parts.passive);
    document_["actuated"] = names(parts.actuated);
    Json functions = Json::object();
    for (const Prescribed& one : eq_.model->prescribed)
      functions.append(eq_.model->coordinates[static_cast<std::size_t>(one.coordinate)].name,
                       text(eq_.graph->adopt(one.value)));
    document_["prescribed"] = std::move(functions);
    if (!wanted("kinematic") || !eq_.v_is_qdot()) return;
    document_["kinematic"] = kinematic_json(eq_, printer_);
    const auto local = build_local_connection(eq_, eq_.model->actuated(), kAskedCost);
    document_["body_axes"] = body_axes_json(eq_, local ? &*local : nullptr, printer_);
  }

  void add_multipliers() {
    Json list = Json::array();
    const std::vector<std::string> names = motion_names(eq_);
    for (const MultiplierMeaning& meaning : explain_multipliers(eq_)) {
      Json force = Json::object();
      for (const auto& [coordinate, coefficient] : meaning.force)
        force[names[static_cast<std::size_t>(coordinate)]] = text(coefficient);
      list.push_back(
          {{"name", meaning.row}, {"unit", meaning.unit}, {"meaning", meaning.words}, {"force", std::move(force)}});
    }
    document_["multipliers"] = std::move(list);
  }

  // Formulas of λ and q̈; null if the closed form is too long or does not exist.
  void add_closed_form(bool lambda, bool qdd) {
    NoClosedForm why{};
    const auto form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) document_["no_closed_form"] = std::string(to_text(why));
    if (lambda) document_["lambda"] = form ? entries(form->lambda) : Json(nullptr);
    if (qdd) document_["qdd"] = form ? entries(form->qdd) : Json(nullptr);
    if (asked("actuation")) document_["actuation"] = form ? entries(form->actuation) : Json(nullptr);
  }

  // D and d of D λ + d = 0; null if they are too long or do not exist.
  void add_multiplier_system() {
    NoClosedForm why{};
    const auto system = build_multiplier_system(eq_, kAskedCost, &why);
    document_["D"] = system ? rows_json(system->D) : Json(nullptr);
    document_["d"] = system ? entries(system->d) : Json(nullptr);
    if (system && !system->names.empty()) {
      Json& names = document_["names"] = Json::object();
      for (const auto& [name, value] : system->names) names[text(name)] = text(value);
    }
    if (!system) document_["no_multiplier_system"] = no_multiplier_system(eq_, why);
  }

  // Equations without multipliers (theory §4); null where the formulas would be too large.
  void add_reduced() {
    // The velocities q̇ = S v + s₀ can be short even if the equations are not.
    const auto found =
        build_reduced(eq_, {.equations = wanted("reduced"), .or_velocities = wanted("S") || asked("hamel")});
    if (!found || found->no_equations) {
      document_["no_reduced"] = found ? found->no_equations->message : found.diagnostics().front().message;
      if (wanted("reduced")) document_["reduced"] = nullptr;
    }
    if (!found) {
      document_["quasi_velocities"] = nullptr;
      if (wanted("S")) document_["S"] = nullptr;
      return;
    }
    const Reduced& r = *found;
    Json names = Json::array(), definitions = Json::object();
    for (const ReducedVelocity& v : r.velocities) {
      names.push_back(v.name);
      definitions.append(v.name, text(v.definition));
    }
    document_["quasi_velocities"] = std::move(names);
    document_["definitions"] = std::move(definitions);
    if (wanted("S")) {
      document_["S"] = rows_json(r.S);
      document_["Sdot"] = rows_json(r.Sdot);
      document_["s0"] = entries(r.s0);
    }
    if (wanted("reduced") && !r.no_equations) document_["reduced"] = reduced_json(r);
    if (asked("hamel")) document_["hamel"] = hamel_json(r);
  }

  Json reduced_json(const Reduced& r) {
    Json equations = Json::array(), rates = Json::array();
    for (int k = 0; k < r.nv(); ++k) {
      const auto [left, right] = printer_.reduced_equation(r, k);
      equations.push_back(text_of(left) + " = " + text_of(right));
      rates.push_back(r.vdot.empty() ? Json(nullptr) : Json(text(r.vdot[static_cast<std::size_t>(k)])));
    }
    Json actuations = Json::object();
    for (std::size_t k = 0; k < r.actuation.size(); ++k)
      actuations.append(eq_.model->coordinates[static_cast<std::size_t>(eq_.model->prescribed[k].coordinate)].name,
                        text(r.actuation[k]));
    return {{"T", text(in_quasi_velocities(eq_, r, eq_.T))},
            {"M", rows_json(r.M)},
            {"b", entries(r.b)},
            {"equations", std::move(equations)},
            {"vdot", std::move(rates)},
            {"actuation", r.actuation.empty() ? Json(nullptr) : std::move(actuations)},
            {"closed", r.closed},
            {"lambda", eq_.m() > 0 && r.lambda.empty() ? Json(nullptr) : entries(r.lambda)}};
  }

  Json hamel_json(const Reduced& r) {
    Json list = Json::array();
    const auto name = [&](int k) {
      const auto at = static_cast<std::size_t>(k), nv = r.velocities.size();
      return at < nv ? r.velocities[at].name : eq_.rows[static_cast<std::size_t>(r.rows[at - nv])];
    };
    for (const HamelCoefficient& c : hamel_coefficients(eq_, r))
      list.push_back(
          {{"along", name(c.s)}, {"of", std::vector<std::string>{name(c.k), name(c.l)}}, {"value", text(c.value)}});
    return list;
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
      quantities.push_back({{"name", quantity.name}, {"expression", text_of(printer_.conserved(eq_, quantity))}});
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
