// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/formula_unit.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Whether a node is an angle, and whether it is a factor that leaves an angle one: it contains no coordinates.
struct AngleUse {
  bool angle = false, factor = false;
};

class AngleFinder {
 public:
  AngleFinder(const Model& model, std::span<const SymbolId> angles) : model_(model), angles_(angles) {}

  bool is_angle(const Expr& formula) {
    const Graph& of = formula.graph();
    for (const NodeId id : reachable(std::array{formula}))
      uses_[id] = of.op(id) == Op::kSymbol ? symbol(of, of.symbol_of(id)) : node(of, id);
    return uses_[formula.id()].angle;
  }

 private:
  AngleUse symbol(const Graph& of, SymbolId id) const {
    const Symbol& info = of.symbol_info(id);
    const auto place = static_cast<std::size_t>(info.index);
    if (std::ranges::find(angles_, id) != angles_.end()) return {true, false};
    switch (info.kind) {
      case SymbolKind::kParameter:
        return parameter(place, id);
      case SymbolKind::kCoordinate:
      case SymbolKind::kVelocity:
      case SymbolKind::kAcceleration:
        return {is_angle_coordinate(place, id), false};
      case SymbolKind::kMultiplier:
        return {is_over_angle([&](const Integral& one) { return one.symbol && one.symbol.symbol() == id; }), false};
      default:
        return {false, info.kind == SymbolKind::kTime};
    }
  }

  AngleUse parameter(std::size_t place, SymbolId id) const {
    if (place >= model_.parameters.size() || model_.parameters[place].symbol.symbol() != id) return {false, true};
    // A compiled model has a parameter for the value of each integral.
    if (std::ranges::any_of(model_.integrals,
                            [&](const Integral& one) { return one.parameter == static_cast<int>(place); }))
      return {is_over_angle([&](const Integral& one) { return one.parameter == static_cast<int>(place); }), false};
    const Parameter& parameter = model_.parameters[place];
    return {parameter.dimension && parameter.dimension->dimensionless() && !parameter.plain, true};
  }
  template <class Is>
  bool is_over_angle(const Is& is) const {
    const auto integral = std::ranges::find_if(model_.integrals, is);
    return integral != model_.integrals.end() && AngleFinder(model_, angles_).is_angle(integral->integrand);
  }

  // Whether a symbol is a coordinate that is an angle, or a rate of it. The four numbers of an attitude are none.
  bool is_angle_coordinate(std::size_t place, SymbolId id) const {
    if (place >= model_.coordinates.size()) return false;
    const Coordinate& coordinate = model_.coordinates[place];
    if (!coordinate.dimension || !coordinate.dimension->dimensionless()) return false;
    const bool mine = std::ranges::any_of(std::array{coordinate.q, coordinate.qd, coordinate.qdd},
                                          [&](const Expr& one) { return one.symbol() == id; });
    return mine && std::ranges::none_of(model_.quaternions, [&](const FrameQuaternion& one) {
             const auto first = static_cast<std::size_t>(one.first);
             return place >= first && place < first + 4;
           });
  }

  AngleUse node(const Graph& of, NodeId id) {
    const auto items = of.items(id);
    const auto angle = [&](const auto& item) { return uses_[item.node].angle; };
    const bool factor = std::ranges::all_of(items, [&](const auto& item) { return uses_[item.node].factor; });
    switch (of.op(id)) {
      case Op::kSum:
        return {std::ranges::any_of(items, angle), factor};
      case Op::kProduct: {
        // One angle, and nothing else that is one or depends on coordinates: neither theta^2 nor sin(theta)*theta'.
        const auto first = std::ranges::find_if(items, angle);
        const bool one = first != items.end() && of.number(*first) == Rational(1) &&
                         std::ranges::all_of(items, [&](const auto& item) {
                           return item.node == first->node || (uses_[item.node].factor && !angle(item));
                         });
        return {one, factor};
      }
      case Op::kSelect:
        return {angle(items[1]) || angle(items[2]), factor};
      case Op::kAsin:
      case Op::kAcos:
      case Op::kAtan:
      case Op::kAtan2:
        return {true, factor};
      case Op::kConstant:
      case Op::kPi:
      case Op::kPower:
        return {false, factor};
      default:
        return {function_info(of.op(id)).rule == FunctionRule::kSame && std::ranges::any_of(items, angle), factor};
    }
  }

  const Model& model_;
  std::span<const SymbolId> angles_;
  std::unordered_map<NodeId, AngleUse> uses_;
};

bool is_force(const Model& model, const Expr& formula);

// A multiplier or an input, and an integral over one; an energy, which is a symbol of the same kind, is none.
bool is_force_symbol(const Model& model, const Symbol& symbol, SymbolId id) {
  if (symbol.kind == SymbolKind::kInput) return true;
  if (symbol.kind != SymbolKind::kMultiplier || symbol.name.starts_with("energy(")) return false;
  const auto integral = std::ranges::find_if(
      model.integrals, [&](const Integral& one) { return one.symbol && one.symbol.symbol() == id; });
  return integral == model.integrals.end() || is_force(model, integral->integrand);
}

bool is_force(const Model& model, const Expr& formula) {
  const Graph& graph = formula.graph();
  const bool work = std::ranges::any_of(graph.items(formula.id()), [&](const auto& item) {
    if (graph.op(item.node) != Op::kSymbol) return false;
    const SymbolKind kind = graph.symbol_info(graph.symbol_of(item.node)).kind;
    return kind == SymbolKind::kCoordinate || kind == SymbolKind::kVelocity || kind == SymbolKind::kAcceleration;
  });
  return !work && std::ranges::any_of(symbols_in(std::array{formula}),
                                      [&](SymbolId id) { return is_force_symbol(model, graph.symbol_info(id), id); });
}

}  // namespace

Measure measure_of(const Model& model, const Expr& formula, const std::optional<Dimension>& dimension,
                   std::span<const SymbolId> angles) {
  // A stiffness times an angle is a torque.
  const bool may_be = dimension && std::ranges::any_of(std::array{1, 0, -1, -2}, [&](int power) {
                        return *dimension == Dimension::time().power(power);
                      });
  if (may_be && AngleFinder(model, angles).is_angle(formula)) return Measure::kAngle;
  return is_force(model, formula) ? Measure::kForce : Measure::kAny;
}

std::string unit_of(const std::optional<Dimension>& dimension, Measure measure) {
  if (!dimension) return "";
  return measure == Measure::kAngle && *dimension == Dimension::time() ? "rad*s" : unit_name(*dimension, measure);
}

}  // namespace dalembert
