// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/contacts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dalembert/compile/tape_arguments.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/expr/symbol_name.h"
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
  eq = with_impulses(std::move(eq), add);
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
  const auto stated = [](const Parameter& parameter) { return row_of_contact(parameter.name).empty(); };
  contacts->stated_parameters = static_cast<std::size_t>(std::ranges::count_if(parameters, stated));
  contacts->first_parameter = parameters.size() - contacts->count();
  contacts->coefficients = make_tape(coefficients);
  return contacts;
}

}  // namespace dalembert
