// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/events.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/print_form.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/sizes_of_terms.h"
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
  Tape sizes;                    // of the terms of each g
  std::vector<Tape> conditions;  // of each event; empty where it has none
  std::vector<Tape> settings;

  void watch(const KernelArguments& in, double* g, double* rate) const override {
    double* out = in.work + watched.registers;
    run(watched, in, out);
    std::copy_n(out, events.size(), g);
    std::copy_n(out + events.size(), events.size(), rate);
  }
  void measure(const KernelArguments& in, double* size) const override { run(sizes, in, size); }
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

// Whether the expression contains the symbol that has the value of the integral.
bool reads(const Expr& expression, const Integral& integral) {
  if (!expression) return false;
  const std::vector<SymbolId> symbols = symbols_in(std::array{expression});
  return std::ranges::find(symbols, integral.symbol.symbol()) != symbols.end();
}

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
  // The integrand is the rate of an integral, so the integral counts as what its rate reads.
  std::vector<Expr> read{g};
  for (const Integral& integral : equations.model->integrals)
    if (reads(stated.when, integral)) read.push_back(integral.integrand);
  event.reads_integrals = read.size() > 1 || std::ranges::any_of(equations.model->integrals, [&](const Integral& one) {
                            return reads(stated.where, one) || std::ranges::any_of(stated.set, [&](const auto& set) {
                                     return reads(set.value, one);
                                   });
                          });
  for (const SymbolId s : symbols_in(read)) {
    const Symbol& symbol = graph.symbol_info(s);
    event.reads_forces = event.reads_forces || is_result(symbol.kind);
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

// Adds the rates of the integrals, which are symbols of the kernel.
std::unordered_map<SymbolId, Expr> with_integrands(const Equations& equations,
                                                   std::unordered_map<SymbolId, Expr> rates) {
  const std::vector<Expr> integrands = kernel_expressions(equations, KernelFunction::kIntegrands);
  const std::vector<Integral>& integrals = equations.model->integrals;
  for (std::size_t i = 0; i < integrands.size(); ++i) rates.emplace(integrals[i].symbol.symbol(), integrands[i]);
  return rates;
}

}  // namespace

EventExpressions event_expressions(const Equations& equations) {
  const std::vector<Event>& stated = equations.model->events;
  Graph& graph = *equations.graph;
  EventExpressions result;
  std::vector<Expr> watched;
  for (const Event& event : stated) watched.push_back(graph.adopt(event.when));
  result.functions = in_kernel_symbols(equations, std::move(watched));
  std::unordered_map<SymbolId, Expr> inputs;
  for (const Input& input : equations.model->inputs)
    if (input.value) inputs.emplace(input.symbol.symbol(), graph.adopt(input.value));
  if (!stated.empty())
    result.rates = directional_derivative(result.functions, with_integrands(equations, rates_along(equations, inputs)));
  for (std::size_t k = 0; k < stated.size(); ++k) {
    const Event& event = stated[k];
    result.events.push_back(describe(event, result.functions[k], equations));
    if (!result.events.back().has_rate) result.rates[k] = graph.constant(0);
    result.conditions.push_back(event.where ? in_kernel_symbols(equations, {graph.adopt(event.where)}).front()
                                            : Expr());
    std::vector<Expr> values;
    for (const bool velocity : {false, true})
      for (const Event::Setting& setting : event.set) {
        if (setting.velocity != velocity) continue;
        values.push_back(graph.adopt(setting.value));
        (velocity ? result.events.back().velocities : result.events.back().coordinates).push_back(setting.place);
      }
    result.settings.push_back(in_kernel_symbols(equations, std::move(values)));
  }
  return result;
}

std::shared_ptr<const Events> compile_events(const Equations& equations) {
  if (equations.model->events.empty()) return nullptr;
  EventExpressions stated = event_expressions(equations);
  auto result = std::make_shared<TapeEvents>();
  const auto made = [&](const std::vector<Expr>& expressions) {
    Tape tape = make_tape(expressions);
    result->most_work = std::max(result->most_work, tape.registers + tape.outputs);
    return tape;
  };
  result->events = std::move(stated.events);
  for (const Expr& condition : stated.conditions) result->conditions.push_back(condition ? made({condition}) : Tape());
  for (const std::vector<Expr>& values : stated.settings) result->settings.push_back(made(values));
  std::vector<Expr> watched = std::move(stated.functions);
  const std::vector<Expr> functions = watched;
  watched.insert(watched.end(), stated.rates.begin(), stated.rates.end());
  result->watched = made(watched);
  result->sizes = made(sizes_of_terms(*equations.graph, functions));
  return result;
}

}  // namespace dalembert
