// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/events.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/print_form.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

class TapeEvents final : public Events {
 public:
  Tape watched;                  // the watched expression g of each event, then their rates
  std::vector<Tape> conditions;  // of each event; empty where it has none
  std::vector<Tape> settings;

  void watch(const KernelArguments& in, double* g, double* rate) const override {
    double* out = in.work + watched.registers;
    run(watched, in, out);
    std::copy_n(out, events.size(), g);
    std::copy_n(out + events.size(), events.size(), rate);
  }
  bool holds(std::size_t k, const KernelArguments& in) const override {
    if (!events[k].conditional) return true;
    double truth = 0;
    run(conditions[k], in, &truth);
    return truth != 0;
  }
  void set(std::size_t k, const KernelArguments& in, double* values) const override { run(settings[k], in, values); }
  std::size_t work_size() const override { return most_work; }

  std::size_t most_work = 0;
};

Events::Event describe(const Event& stated, const Expr& g, const Equations& equations) {
  constexpr double kLongest = 300;
  Events::Event event;
  event.name = stated.name;
  event.text = print_within(g, kLongest, Notation::kText);
  event.direction = stated.direction == Event::Direction::kUp     ? 1
                    : stated.direction == Event::Direction::kDown ? -1
                                                                  : 0;
  event.conditional = static_cast<bool>(stated.where);
  event.stops = stated.stop;
  const Graph& graph = *equations.graph;
  for (const SymbolId s : symbols_in(std::array{g})) {
    const Symbol& symbol = graph.symbol_info(s);
    const bool force = symbol.kind == SymbolKind::kAcceleration || symbol.kind == SymbolKind::kQuasiAcceleration ||
                       symbol.kind == SymbolKind::kMultiplier;
    event.reads_forces = event.reads_forces || force;
    if (symbol.kind != SymbolKind::kInput) continue;
    const Input& input = equations.model->inputs[static_cast<std::size_t>(symbol.index)];
    event.has_rate = event.has_rate && (input.value || input.rate);
  }
  event.has_rate = event.has_rate && !event.reads_forces;
  event.is_smooth = std::ranges::none_of(reachable(std::array{g}), [&](NodeId id) {
    return function_info(graph.op(id)).jumps || graph.op(id) == Op::kSelect;
  });
  return event;
}

}  // namespace

std::shared_ptr<const Events> compile_events(const Equations& equations) {
  const std::vector<Event>& stated = equations.model->events;
  if (stated.empty()) return nullptr;
  Graph& graph = *equations.graph;
  const auto tape_of = [&](std::vector<Expr> expressions) {
    for (Expr& e : expressions) e = graph.adopt(e);
    return make_tape(in_kernel_symbols(equations, std::move(expressions)));
  };
  auto result = std::make_shared<TapeEvents>();
  const auto need = [&](const Tape& tape) {
    result->most_work = std::max(result->most_work, tape.registers + tape.outputs);
  };
  std::vector<Expr> watched;
  for (const Event& event : stated) watched.push_back(graph.adopt(event.when));
  watched = in_kernel_symbols(equations, std::move(watched));
  std::unordered_map<SymbolId, Expr> inputs;
  for (const Input& input : equations.model->inputs)
    if (input.value) inputs.emplace(input.symbol.symbol(), graph.adopt(input.value));
  const std::vector<Expr> rates = directional_derivative(watched, rates_along(equations, inputs));
  for (std::size_t k = 0; k < stated.size(); ++k) {
    const Event& event = stated[k];
    result->events.push_back(describe(event, watched[k], equations));
    result->conditions.push_back(event.where ? tape_of({event.where}) : Tape());
    std::vector<Expr> values;
    for (const bool velocity : {false, true})
      for (const Event::Setting& setting : event.set) {
        if (setting.velocity != velocity) continue;
        values.push_back(setting.value);
        (velocity ? result->events.back().velocities : result->events.back().coordinates).push_back(setting.place);
      }
    result->settings.push_back(tape_of(std::move(values)));
    need(result->conditions.back());
    need(result->settings.back());
  }
  for (std::size_t k = 0; k < stated.size(); ++k)
    watched.push_back(result->events[k].has_rate ? rates[k] : graph.constant(0));
  result->watched = make_tape(watched);
  need(result->watched);
  return result;
}

}  // namespace dalembert
