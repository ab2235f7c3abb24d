// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/contacts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dalembert/compile/tape_arguments.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

class TapeContacts final : public Contacts {
 public:
  Tape coefficients;  // the coefficient of restitution of each contact

  void restitution(const double* p, double* work, double* e) const override {
    run(coefficients, {.p = p, .work = work}, e);
  }
  std::size_t work_size() const override { return coefficients.registers; }
};

}  // namespace

Equations with_contact_switches(Equations eq) {
  if (eq.unilateral.empty()) return eq;
  Graph& graph = *eq.graph;
  const auto add = [&graph](Model& model, const std::string& name) {
    Parameter made;
    made.name = name;
    made.symbol = graph.add_symbol({name, SymbolKind::kParameter, static_cast<int>(model.parameters.size()), {}});
    model.parameters.push_back(made);
    return made.symbol;
  };
  // The impulses that outputs and events read are parameters too, before those of the contacts' states.
  auto model = std::make_shared<Model>(*eq.model);
  std::unordered_map<SymbolId, Expr> impulses;
  for (const ContactResult& result : contact_results(*model))
    if (result.impulse) impulses.emplace(result.symbol, add(*model, "impulse(" + result.row + ")"));
  substitute_results(*model, graph, impulses);
  eq.model = std::move(model);
  return with_switched_rows(std::move(eq), add);
}

std::shared_ptr<const Contacts> compile_contacts(const Equations& equations) {
  if (equations.unilateral.empty()) return nullptr;
  auto contacts = std::make_shared<TapeContacts>();
  contacts->of_row.assign(static_cast<std::size_t>(equations.m()), -1);
  std::vector<Expr> coefficients;
  for (const UnilateralRow& one : equations.unilateral) {
    const auto level = std::ranges::lower_bound(equations.holonomic, one.row) - equations.holonomic.begin();
    contacts->of_row[static_cast<std::size_t>(one.row)] = static_cast<int>(contacts->count());
    contacts->contacts.push_back({one.row, static_cast<std::size_t>(level)});
    coefficients.push_back(one.restitution ? equations.graph->adopt(one.restitution) : equations.graph->constant(0));
  }
  const std::vector<Parameter>& parameters = equations.model->parameters;
  contacts->first_parameter = parameters.size() - contacts->count();
  for (std::size_t k = 0; k < contacts->count(); ++k) {
    const std::string name = "impulse(" + equations.rows[static_cast<std::size_t>(contacts->contacts[k].row)] + ")";
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    contacts->contacts[k].impulse_parameter =
        found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
  }
  contacts->coefficients = make_tape(coefficients);
  return contacts;
}

}  // namespace dalembert
