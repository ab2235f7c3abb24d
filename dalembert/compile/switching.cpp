// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/switching.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/held_domains.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/sizes_of_terms.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_bounds.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

constexpr KindMasks::Mask bit(SymbolKind kind) { return KindMasks::bit(kind); }

// Whether an operation chooses a branch; and whether it does so by the difference of its two arguments (as min and max
// do) rather than by its own argument.
bool chooses(Op op) { return function_info(op).guard != Guard::kNone; }
bool compares(Op op) { return function_info(op).guard == Guard::kDifference; }

// The text of a guard or drive in messages, cut to its operations if it is long: the last comparison in a max of many
// terms contains all others.
std::string name_of(const Expr& e) {
  constexpr double kLongest = 300;
  return print_within(e, kLongest, Notation::kText);
}

// A tape without loops, as find_bounds() needs it.
Tape straight_tape(std::span<const Expr> outputs) {
  Tape tape = flatten(outputs);
  reuse_registers(tape);
  return tape;
}

// In the symbols of the kernel, as outputs are.
std::vector<Expr> functions_of_events(const Equations& equations) {
  std::vector<Expr> functions;
  for (const Event& event : equations.model->events) functions.push_back(equations.graph->adopt(event.when));
  return in_kernel_symbols(equations, std::move(functions));
}

class TapeSwitching final : public Switching {
 public:
  struct Function {
    Tape value, rate;
  };
  std::vector<Function> tapes;  // tapes of the entries of `functions`
  Tape watched;                 // computes all guards, then their rates
  Tape sizes;                   // of the terms of all guards

  void watch(const KernelArguments& in, double* guard, double* rate) const override {
    const std::size_t count = guards.size();
    double* out = in.work + watched.registers;
    run(watched, in, out);
    std::copy_n(out, count, guard);
    std::copy_n(out + count, count, rate);
  }
  void measure(const KernelArguments& in, double* size) const override { run(sizes, in, size); }
  double value(std::size_t i, double t, const double* p, const double* u, double* work) const override {
    double out = 0;
    run(tapes[i].value, {.t = t, .u = u, .p = p, .work = work}, &out);
    return out;
  }
  Bounds bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const override {
    return find(tapes[i].value, t, p, u);
  }
  Bounds rate_bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const override {
    return find(tapes[i].rate, t, p, u);
  }
  std::size_t work_size() const override { return most_work; }

  std::size_t most_work = 0;

 private:
  static Bounds find(const Tape& tape, Bounds t, const Bounds* p, const Bounds* u) {
    std::vector<Bounds> registers(tape.registers);
    const Bounds* arguments[kTapeArrays] = {&t, p, u};
    Bounds out;
    find_bounds(tape, arguments, registers.data(), &out);
    return out;
  }
};

class Search {
 public:
  Search(const Equations& equations, bool machine_code)
      : equations_(equations), machine_code_(machine_code), graph_(equations.t.graph()) {}

  std::shared_ptr<const Switching> run() {
    auto result = std::make_shared<TapeSwitching>();
    hold_branches();
    collect_guards(*result);
    name_readers(*result);
    result->drives_from = result->functions.size();
    collect_drives(*result);
    if (result->guards.empty() && result->functions.empty()) return nullptr;
    if (!result->guards.empty()) {
      auto tapes = std::make_shared<const TapeKernel>(held_);
      held_model_.reset();
      result->held = tapes;
      if (machine_code_) result->held = std::make_shared<const MachineKernel>(std::move(tapes));
      measure_guards(*result);
    }
    return result;
  }

 private:
  // The expression `free` chooses a branch by its level: its sign, or if `floor` the integer below it. `held` is the
  // same expression with the branches inside it held; `level` is the parameter that holds the level.
  struct Guard {
    Expr free, held, level;
    bool floor, acts;
  };

  // What an expression is for. In the equations of motion every change of branches ends a step. In outputs, integrands and functions of events those do whose instants a
  // step would miss: that follow from time, or at which the value jumps. Otherwise, branches are chosen at every point, unless the motion has the same guard.
  enum class Held { kMotion, kFollowed, kConserved };

  // Whether the value can change while time passes.
  bool moves(const Expr& e) { return (kinds_.of(e) & ~bit(SymbolKind::kParameter)) != 0; }
  bool timed(const Expr& e) {
    constexpr KindMasks::Mask known = bit(SymbolKind::kTime) | bit(SymbolKind::kParameter) | bit(SymbolKind::kInput);
    return moves(e) && (kinds_.of(e) & ~known) == 0;
  }
  bool of_state(const Expr& e) {
    constexpr KindMasks::Mask known = bit(SymbolKind::kTime) | bit(SymbolKind::kParameter) | bit(SymbolKind::kInput) |
                                      bit(SymbolKind::kCoordinate) | bit(SymbolKind::kVelocity) |
                                      bit(SymbolKind::kQuasiVelocity);
    return (kinds_.of(e) & ~known) == 0;
  }
  // Whether it reads the value of an integral or of an impulse: parameters that compile() has made, and that change along a run.
  bool reads_made(const Expr& e) {
    return std::ranges::any_of(symbols_in(std::array{e}), [&](SymbolId id) {
      const Symbol& symbol = graph_.symbol_info(id);
      return symbol.kind == SymbolKind::kParameter && !is_identifier(symbol.name);
    });
  }
  bool reads_tables(const Expr& e) { return kinds_.contains(e, SymbolKind::kInput); }

  // The held sign of `free` (if `floor`, the held integer below it) as an expression of the parameter `level` of its
  // guard. Where neither `free` nor `negative` has one, adds a guard if `may_add`, and else returns nothing.
  Expr level_of(const Expr& free, const Expr& negative, const Expr& held, bool floor, bool may_add) {
    std::unordered_map<NodeId, std::size_t>& places = floor ? floors_ : signs_;
    if (const auto found = places.find(free.id()); found != places.end()) return guards_[found->second].level;
    if (!floor)
      if (const auto found = places.find(negative.id()); found != places.end()) return -guards_[found->second].level;
    if (!may_add) return {};
    const std::size_t k = guards_.size();
    const auto index = static_cast<int>(equations_.model->parameters.size() + k);
    const Expr level = graph_.add_symbol({fmt::format("side{}", k + 1), SymbolKind::kParameter, index, {}});
    guards_.push_back({free, held, level, floor, held_now_ == Held::kMotion});
    places.emplace(free.id(), k);
    return level;
  }

  // Whether steps end where an operation with this guard takes another branch.
  bool ends_steps(Op op, const Expr& free) {
    switch (held_now_) {
      case Held::kMotion:
        return true;
      case Held::kFollowed:
        return (timed(free) || (function_info(op).jumps && of_state(free))) && !reads_made(free);
      case Held::kConserved:
        break;
    }
    return false;
  }

  // The node `id` (if, abs, sign, …) with its branch held: a parameter chooses the branch, not the arguments, so the
  // result is smooth. Empty where the node has no branch to hold.
  Expr hold(NodeId id, std::span<const Expr> x) {
    const Op op = graph_.op(id);
    if (!chooses(op)) return {};
    const auto items = graph_.items(id);
    const Expr a(&graph_, items[0].node);
    const bool two = compares(op);
    const Expr b = two ? Expr(&graph_, items[1].node) : Expr();
    const Expr free = two ? a - b : a, held = two ? x[0] - x[1] : x[0];
    if (!moves(free)) return {};
    const Expr sign = level_of(free, two ? b - a : -a, held, op == Op::kFloor, ends_steps(op, free));
    if (!sign) return {};
    const Expr zero = graph_.constant(0);
    switch (op) {
      case Op::kAbs:
        return sign * x[0];
      case Op::kSign:
      case Op::kFloor:
        return sign;
      case Op::kMin:
        return graph_.function(Op::kSelect, std::array{graph_.function(Op::kLess, std::array{sign, zero}), x[0], x[1]});
      case Op::kMax:
        return graph_.function(Op::kSelect, std::array{graph_.function(Op::kLess, std::array{sign, zero}), x[1], x[0]});
      default:
        return graph_.function(op, std::array{sign, zero});
    }
  }

  void hold_all(const std::vector<std::vector<Expr>*>& lists, std::vector<Expr*> places) {
    for (std::vector<Expr>* list : lists)
      for (Expr& e : *list) places.push_back(&e);
    std::vector<Expr> all;
    for (const Expr* e : places) all.push_back(*e);
    const std::vector<Expr> held = rebuild(all, [&](NodeId id, std::span<const Expr> x) { return hold(id, x); });
    for (std::size_t i = 0; i < places.size(); ++i) *places[i] = held[i];
    held_places_.insert(held_places_.end(), places.begin(), places.end());
  }

  void look_beyond_guards() {
    std::vector<HeldGuard> guards;
    for (Guard& guard : guards_) {
      guards.push_back({guard.held, guard.level, guard.floor});
      held_places_.push_back(&guard.held);
    }
    std::vector<Expr> held;
    for (const Expr* e : held_places_) held.push_back(*e);
    held = continue_domains(held, guards);
    for (std::size_t i = 0; i < held.size(); ++i) *held_places_[i] = held[i];
    held_places_.clear();
  }

  void hold_branches() {
    held_ = equations_;
    held_model_ = std::make_shared<Model>(*equations_.model);
    std::vector<Expr*> inputs, followed, conserved;
    for (Input& input : held_model_->inputs) {
      if (!input.value) continue;
      input.value = graph_.adopt(input.value);
      inputs.push_back(&input.value);
    }
    for (Expr* e : {&held_.T, &held_.V, &held_.E, &held_.dLdt, &held_.power}) inputs.push_back(e);
    for (FrictionLaw& law : held_.frictions)
      for (Expr* e : {&law.c0, &law.gamma, &law.N0, &law.mu, &law.mu_s, &law.viscous}) inputs.push_back(e);
    hold_all({&held_.M.value, &held_.B, &held_.G, &held_.F, &held_.W.value, &held_.a, &held_.gamma, &held_.h,
              &held_.Phi.value, &held_.C.value, &held_.load.value},
             inputs);
    // Outputs, integrands and functions of events do not act on the motion, but are followed along it.
    held_now_ = Held::kFollowed;
    std::vector<Expr> watched = functions_of_events(equations_);
    for (Expr& e : watched) followed.push_back(&e);
    for (Output& output : held_model_->outputs) {
      output.expression = graph_.adopt(output.expression);
      followed.push_back(&output.expression);
    }
    for (Integral& integral : held_model_->integrals) {
      integral.integrand = graph_.adopt(integral.integrand);
      followed.push_back(&integral.integrand);
    }
    hold_all({}, followed);
    held_now_ = Held::kConserved;
    for (ConservedQuantity& quantity : held_.momenta) conserved.push_back(&quantity.expression);
    hold_all({}, conserved);
    look_beyond_guards();
    for (const Guard& guard : guards_) {
      Parameter side;
      side.name = graph_.symbol_info(guard.level.symbol()).name;
      side.symbol = guard.level;
      held_model_->parameters.push_back(std::move(side));
    }
    held_.model = held_model_;
    for (Input& input : held_model_->inputs)
      if (input.value) held_inputs_.emplace(input.symbol.symbol(), input.value);
    for (const Input& input : equations_.model->inputs)
      if (input.value) free_inputs_.emplace(input.symbol.symbol(), graph_.adopt(input.value));
  }

  void collect_guards(TapeSwitching& result) {
    const std::unordered_map<SymbolId, Expr> along = rates_along(equations_, held_inputs_);
    std::vector<Expr> watched;
    for (const Guard& guard : guards_) {
      Switching::Guard entry{name_of(guard.free), -1, guard.floor, true, guard.acts};
      if (timed(guard.free)) {
        entry.timed = static_cast<int>(result.functions.size());
        add_function(result, guard.free, entry.text);
        watched.push_back(result.functions.back().has_rate ? graph_.constant(0) : guard.held);
      } else {
        entry.has_rate = !reads_tables(substitute(guard.held, held_inputs_));
        watched.push_back(guard.held);
      }
      result.guards.push_back(std::move(entry));
    }
    const std::vector<Expr> rates = directional_derivative(watched, along);
    watched.insert(watched.end(), rates.begin(), rates.end());
    result.watched = make_tape(watched);
    result.most_work = std::max(result.most_work, result.watched.registers + watched.size());
  }

  // The guard of an operation that chooses a branch.
  std::optional<std::size_t> guard_of(NodeId id) {
    const auto items = graph_.items(id);
    const Op op = graph_.op(id);
    const Expr a(&graph_, items[0].node), b = compares(op) ? Expr(&graph_, items[1].node) : Expr();
    const std::unordered_map<NodeId, std::size_t>& places = op == Op::kFloor ? floors_ : signs_;
    auto found = places.find(compares(op) ? (a - b).id() : a.id());
    if (found == places.end() && op != Op::kFloor) found = places.find(compares(op) ? (b - a).id() : (-a).id());
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }

  // Notes in which outputs, integrals and events the conditions stand that are followed for their sake, the first of each.
  void name_readers(TapeSwitching& result) {
    if (std::ranges::all_of(guards_, &Guard::acts)) return;
    const auto read = [&](const Expr& e, const std::string& reader) {
      const Expr expression = graph_.adopt(e);
      for (const NodeId id : reachable(std::array{expression})) {
        const auto k = chooses(graph_.op(id)) ? guard_of(id) : std::nullopt;
        if (!k || guards_[*k].acts || !result.guards[*k].reader.empty()) continue;
        result.guards[*k].reader = reader;
        result.guards[*k].written = name_of(Expr(&graph_, id));
      }
    };
    const Model& model = *equations_.model;
    for (const Output& output : model.outputs) read(output.expression, fmt::format("the output `{}`", output.name));
    for (const Integral& integral : model.integrals)
      read(integral.integrand, fmt::format("`{}`", graph_.symbol_info(integral.symbol.symbol()).name));
    const std::vector<Expr> functions = functions_of_events(equations_);
    for (std::size_t i = 0; i < functions.size(); ++i)
      read(functions[i], fmt::format("the event `{}`", model.events[i].name));
  }

  void measure_guards(TapeSwitching& result) {
    std::vector<Expr> held;
    for (const Guard& guard : guards_) held.push_back(guard.held);
    result.sizes = straight_tape(sizes_of_terms(graph_, held));
    result.most_work = std::max(result.most_work, result.sizes.registers);
  }

  void add_function(TapeSwitching& result, const Expr& expression, std::string text) {
    const Expr value = substitute(expression, free_inputs_);
    const auto nodes = reachable(std::array{value});
    const bool jumps = std::ranges::any_of(nodes, [&](NodeId id) { return function_info(graph_.op(id)).jumps; });
    const bool tables = reads_tables(value);
    const Expr rate = directional_derivative(std::array{value}, {{equations_.t.symbol(), graph_.constant(1)}}).front();
    result.functions.push_back({.text = std::move(text), .has_rate = !jumps && !tables, .reads_inputs = tables});
    result.tapes.push_back({straight_tape(std::array{value}), straight_tape(std::array{rate})});
    result.most_work = std::max(result.most_work, result.tapes.back().value.registers);
  }

  // Collects the parts that depend on time alone and may have narrow peaks: of the motion; of events and integrands, which every run
  // follows; and of outputs, whose extremes a run may be asked for.
  void collect_drives(TapeSwitching& result) {
    const Equations& e = equations_;
    std::vector<Expr> motion, followed = functions_of_events(e);
    for (const std::vector<Expr>* list :
         {&e.M.value, &e.B, &e.G, &e.F, &e.W.value, &e.a, &e.gamma, &e.h, &e.Phi.value, &e.C.value, &e.load.value})
      motion.insert(motion.end(), list->begin(), list->end());
    for (const FrictionLaw& law : e.frictions)
      motion.insert(motion.end(), {law.c0, law.gamma, law.N0, law.mu, law.mu_s, law.viscous});
    for (const Input& input : e.model->inputs)
      if (input.value) motion.push_back(graph_.adopt(input.value));
    for (const Integral& integral : e.model->integrals) followed.push_back(graph_.adopt(integral.integrand));
    std::unordered_set<NodeId> seen;
    for (const Expr& drive : drives_in(std::move(motion), seen)) add_function(result, drive, name_of(drive));
    const auto add_followed = [&](const Expr& drive) {
      add_function(result, drive, name_of(drive));
      result.functions.back().acts = false;
    };
    for (const Expr& drive : drives_in(std::move(followed), seen)) add_followed(drive);
    std::unordered_map<NodeId, std::size_t> places;  // of drives of outputs alone
    for (std::size_t i = 0; i < e.model->outputs.size(); ++i) {
      std::unordered_set<NodeId> seen_here = seen;
      for (const Expr& drive : drives_in({graph_.adopt(e.model->outputs[i].expression)}, seen_here)) {
        const auto [at, is_new] = places.try_emplace(drive.id(), result.functions.size());
        if (is_new) add_followed(drive);
        result.functions[at->second].outputs.push_back(static_cast<int>(i));
      }
    }
  }

  // The drives in expressions, without those that have been seen. The terms of a sum, the factors of a product that depends on more
  // than time, and the branches of a choice are examined one by one; the instants at which a choice switches are known from its guard.
  std::vector<Expr> drives_in(std::vector<Expr> open, std::unordered_set<NodeId>& seen) {
    std::vector<Expr> drives;
    if (open.empty()) return drives;
    open = substitute(open, free_inputs_);
    while (!open.empty()) {
      const Expr node = open.back();
      open.pop_back();
      if (!moves(node) || !seen.insert(node.id()).second) continue;
      const Op op = node.op();
      if (timed(node) && op != Op::kSum && !contains_choice(node.id())) {
        if (!is_broad(node)) drives.push_back(node);
        continue;
      }
      // A factor is examined with its exponent: 1/(1 + t²) has a peak where 1 + t² has none.
      const std::vector<Graph::Item> items(graph_.items(node.id()).begin(), graph_.items(node.id()).end());
      for (const Graph::Item& item : items) {
        const Expr base(&graph_, item.node);
        const Expr factor = op == Op::kProduct && timed(base) ? pow(base, Rational(graph_.number(item))) : base;
        open.push_back(factor.id() == node.id() ? base : factor);
      }
    }
    return drives;
  }

  bool contains_choice(NodeId id) {
    if (const auto found = choice_.find(id); found != choice_.end()) return found->second;
    const Op op = graph_.op(id);
    bool result = chooses(op) || op == Op::kEqual || op == Op::kSelect;
    for (const Graph::Item& item : graph_.items(id)) result = result || contains_choice(item.node);
    choice_.emplace(id, result);
    return result;
  }

  // Whether an expression is a polynomial in t, in table inputs and in sines and cosines of c0 + c1·t. Such a drive is
  // no narrower than its shortest period, which every step resolves; steps end at the corners of tables anyway.
  bool is_broad(const Expr& e) {
    if (const auto found = broad_.find(e.id()); found != broad_.end()) return found->second;
    const bool result = find_broad(e);
    broad_.emplace(e.id(), result);
    return result;
  }
  bool find_broad(const Expr& e) {
    constexpr std::int64_t kHighestPower = 4;
    if (!moves(e)) return true;
    switch (e.op()) {
      case Op::kSymbol:
        return true;
      case Op::kSum:
        return std::ranges::all_of(graph_.items(e.id()), [&](const Graph::Item& item) {
          return is_broad({&graph_, item.node});
        });
      case Op::kProduct: {
        const std::vector<Graph::Item> items(graph_.items(e.id()).begin(), graph_.items(e.id()).end());
        return std::ranges::all_of(items, [&](const Graph::Item& item) {
          const Expr base(&graph_, item.node);
          const auto exponent = graph_.number(item).as_int();
          return !moves(base) || (exponent && *exponent > 0 && *exponent <= kHighestPower && is_broad(base));
        });
      }
      case Op::kSin:
      case Op::kCos: {
        const Expr argument(&graph_, graph_.items(e.id())[0].node);
        if (reads_tables(argument)) return false;
        return !moves(
            directional_derivative(std::array{argument}, {{equations_.t.symbol(), graph_.constant(1)}}).front());
      }
      default:
        return false;
    }
  }

  const Equations& equations_;
  bool machine_code_;
  Graph& graph_;
  KindMasks kinds_;
  Equations held_;
  std::shared_ptr<Model> held_model_;
  std::vector<Guard> guards_;
  std::vector<Expr*> held_places_;                          // where the held expressions stand
  std::unordered_map<NodeId, std::size_t> signs_, floors_;  // by node of Guard::free: number of the guard
  std::unordered_map<NodeId, bool> choice_, broad_;
  std::unordered_map<SymbolId, Expr> held_inputs_, free_inputs_;
  Held held_now_ = Held::kMotion;
};

// Whether there is anything to look for: most systems have no conditions and no functions of t.
bool may_switch(const Equations& e) {
  std::vector<Expr> all{e.T, e.V, e.E, e.dLdt, e.power};
  for (const std::vector<Expr>* list :
       {&e.M.value, &e.B, &e.G, &e.F, &e.W.value, &e.a, &e.gamma, &e.h, &e.Phi.value, &e.C.value, &e.load.value})
    all.insert(all.end(), list->begin(), list->end());
  for (const FrictionLaw& law : e.frictions)
    all.insert(all.end(), {law.c0, law.gamma, law.N0, law.mu, law.mu_s, law.viscous});
  for (const Input& input : e.model->inputs)
    if (input.value) all.push_back(e.graph->adopt(input.value));
  std::vector<Expr> followed = functions_of_events(e);
  for (const Output& output : e.model->outputs) followed.push_back(e.graph->adopt(output.expression));
  for (const Integral& integral : e.model->integrals) followed.push_back(e.graph->adopt(integral.integrand));
  const Graph& graph = *e.graph;
  all.insert(all.end(), followed.begin(), followed.end());
  return std::ranges::any_of(reachable(all), [&](NodeId id) { return chooses(graph.op(id)) || id == e.t.id(); });
}

}  // namespace

std::shared_ptr<const Switching> find_switching(const Equations& equations, bool machine_code) {
  const Equations own = on_overlay(equations);
  return may_switch(own) ? Search(own, machine_code).run() : nullptr;
}

}  // namespace dalembert
