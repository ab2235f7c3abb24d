// SPDX-License-Identifier: Apache-2.0
// Translates the syntax tree into the graph. The expression and its dimension are built together, bottom-up.
//
// In a term without a parameter or input, a number takes the unit that makes the term fit: `0.1*sin(2*t)` may be a torque, and in `x - 0.5`
// the number is a length. Such a term is called `loose`. In a term with a parameter, numbers are dimensionless: in `2*L1` the 2 has no unit.
// A function of t counts as a number: `sin(2*t)` may be a torque as well.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/constant_range.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/integers.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/unknown_name.h"
#include "dalembert/expr/unknown_row.h"

namespace dalembert {
namespace {

constexpr std::int64_t kMaxRepeated = 3'000'000;  // nodes visited inside one sum(); limits the time

struct Value {
  Expr expr;  // null if an error was found; no further error is reported then
  DimensionTerm dimension;
  bool literal = false;   // contains a number as a factor
  bool anchored = false;  // contains a parameter or input
  bool condition = false;
  bool loose() const { return literal && !anchored; }
};

class AstLowering {
 public:
  AstLowering(const Ast& ast, Scope& scope, const Indices& indices, Diagnostics& diagnostics)
      : ast_(ast),
        scope_(scope),
        graph_(scope.graph()),
        solver_(scope.dimensions()),
        indices_(indices),
        diagnostics_(diagnostics) {}

  Lowered run(bool wants_condition) {
    Value value = wants_condition ? condition(ast_.root) : number(ast_.root);
    if (value.expr && (value.loose() || of_time_alone(value))) value.dimension = solver_.fresh();
    return {value.expr, value.dimension, value.anchored, shadowed_};
  }

 private:
  // --- problems

  void report(const AstNode& node, Diagnostic problem) {
    // When a sum is repeated, the same place fails many times for the same reason: report it once.
    if (!reported_.insert({node.begin, node.end}).second) return;
    if (reported_.size() > 20) return;
    for (const auto& [index, value] : indices_) {
      if (ast_.written(node).find('{') != std::string_view::npos || ast_.written(node) == index)
        problem.notes.push_back(fmt::format("with {} = {}", index, value));
    }
    diagnostics_.push_back(std::move(problem));
  }
  Value poison() const { return {}; }
  Expr partial(const Expr& part) {
    if (choosing_ == 0) scope_.partial(part);
    return part;
  }

  void too_much(const AstNode& node, std::string message, std::int64_t limit) {
    Diagnostic problem = error("E0109", std::move(message), ast_.span(node), "reading stopped here");
    problem.notes.push_back(
        fmt::format("with the repetitions by `for` and `sum`, numbers, names and operations are more than {}", limit));
    problem.help.push_back("ranges multiply: a sum over 1..N in each of N entries has N^2 terms");
    report(node, std::move(problem));
  }

  void mismatch(const AstNode& node, std::string message, std::string label, const AstNode* other = nullptr,
                std::string other_label = {}) {
    Diagnostic problem = error("E0203", std::move(message), ast_.span(node), std::move(label));
    if (other) problem.secondary.push_back({ast_.span(*other), std::move(other_label)});
    if (!shadowed_.empty()) problem.help.push_back(shadowed_);
    report(node, std::move(problem));
  }

  // --- dispatch

  Value number(std::uint32_t id) {
    Value value = visit(id);
    if (!value.expr || !value.condition) return value;
    Diagnostic problem = error("E0101", "a condition where a number is expected", ast_.span(ast_[id]));
    problem.help.push_back(
        fmt::format("write `if({}, 1, 0)`", ast_[id].end - ast_[id].begin < 60 ? ast_.written(ast_[id]) : "…"));
    report(ast_[id], std::move(problem));
    return poison();
  }

  Value condition(std::uint32_t id) {
    Value value = visit(id);
    if (!value.expr || value.condition) return value;
    Diagnostic problem = error("E0101", "a number where a condition is expected", ast_.span(ast_[id]));
    problem.help.push_back("compare it: `< <= > >= ==`");
    report(ast_[id], std::move(problem));
    return poison();
  }

  Value visit(std::uint32_t id) {
    const AstNode& node = ast_[id];
    if (repeating_ > 0 && ++visited_ > kMaxRepeated) {
      if (visited_ == kMaxRepeated + 1) too_much(node, "this sum has too many terms", kMaxRepeated);
      return poison();
    }
    if (!scope_.work().spend()) {
      if (scope_.work().exhausted_first()) too_much(node, "the model is too large", scope_.work().limit());
      return poison();
    }
    switch (node.kind) {
      case AstKind::kError:
        return poison();
      case AstKind::kNumber:
        return {graph_.decimal(ast_.numbers[node.data]), {}, true, false, false};
      case AstKind::kQuantity:
        return quantity(node);
      case AstKind::kInteger:
        return integer(node);
      case AstKind::kName:
        return name(node);
      case AstKind::kComponent:
        return component(node);
      case AstKind::kFrameEntry:
        return frame_entry(node);
      case AstKind::kLambda:
      case AstKind::kOfRow:
        return multiplier(node);
      case AstKind::kOfRun:
        return of_run(node);
      case AstKind::kSum:
        return sum(node);
      case AstKind::kProduct:
        return product(node);
      case AstKind::kPower:
        return power(node);
      case AstKind::kNegate: {
        Value value = number(ast_.child(node, 0).node);
        if (value.expr) value.expr = -value.expr;
        return value;
      }
      case AstKind::kCall:
        return call(node);
      case AstKind::kDot:
        return dot(node);
      case AstKind::kIf:
        return select(node);
      case AstKind::kSumOver:
        return repeated_sum(node);
      case AstKind::kCompare:
        return compare(node);
      case AstKind::kAnd:
      case AstKind::kOr:
      case AstKind::kNot:
        return logical(node);
    }
    return poison();
  }

  // --- leaves

  Value integer(const AstNode& node) {
    const auto value = evaluate_integer(ast_, ast_.child(node, 0).node, scope_, indices_, diagnostics_);
    return value ? Value{graph_.constant(*value), {}, true, false, false} : poison();
  }

  // Whether the name of a unit, the first behind a number, cannot be taken for that of the model: another unit is known of what the model
  // declares, so the comparison of dimensions finds a product whose sign was forgotten. Nothing where the name's meaning is not known yet.
  std::optional<bool> differs_from(const Unit& unit, const std::string& name) {
    if (!solver_.on() || find_index(name, indices_)) return false;
    const Meaning meaning = scope_.name(name);
    if (meaning.state == Meaning::State::kSilent) return std::nullopt;
    const auto dimension = meaning.state == Meaning::State::kKnown ? solver_.value(meaning.dimension) : std::nullopt;
    return dimension && !(*dimension == unit.dimension);
  }

  // A number and a unit are a quantity also where the model declares the name of the unit as something else, if nothing else is in the text
  // or the parentheses, or if the two cannot be mistaken for each other. Units are compared then, so a wrong meaning is found.
  Value quantity(const AstNode& node) {
    const WrittenUnit& unit = ast_.units[node.data_count];
    for (std::size_t i = 0; i < unit.names.size(); ++i) {
      const auto [begin, end] = unit.names[i];
      const std::string name = ast_.text.text.substr(begin, end - begin);
      if (!scope_.declares(name) && !find_index(name, indices_)) continue;
      if (shadowed_.empty() && i == 0 && !unit.whole) shadowed_ = advice_for_quantity(ast_.text, node.begin, unit);
      if (unit.whole && solver_.on()) continue;
      const std::optional<bool> certain = i == 0 ? differs_from(*find_unit(name), name) : false;
      if (certain.value_or(false)) continue;
      if (certain) report(node, unit_with_two_meanings(ast_.text, node.begin, unit, i, solver_.on()));
      return poison();
    }
    const Expr value = quantity_value(graph_, ast_.numbers[node.data], unit.unit.factor);
    if (value.is_constant() && !in_range(value.constant(), node)) return poison();
    return {value, unit.unit.dimension, false, true, false};
  }

  Value known(const AstNode& node, const Meaning& meaning, std::string_view name) {
    if (meaning.value.op() == Op::kSymbol) {
      if (auto refusal = scope_.refuse(graph_.symbol_info(meaning.value.symbol()).kind, name, ast_.span(node))) {
        report(node, std::move(*refusal));
        return poison();
      }
    }
    return {meaning.value, meaning.dimension, false, meaning.anchored, false};
  }

  Value name(const AstNode& node) {
    const auto name = spell_name(ast_, node, scope_, indices_, diagnostics_);
    if (!name) return poison();
    if (*name == "pi" && node.detail == 0) return {graph_.pi(), {}, true, false, false};
    if (node.detail == 0)
      if (const auto index = find_index(*name, indices_)) return {graph_.constant(*index), {}, true, false, false};
    Meaning meaning = scope_.name(*name);
    if (meaning.state == Meaning::State::kSilent) return poison();
    if (meaning.state == Meaning::State::kUnknown) {
      const auto integer = scope_.integer(*name);
      if (integer && node.detail == 0) return {graph_.constant(*integer), {}, true, false, false};
      if (!integer) return unknown_name(node, *name);
      meaning = Meaning::known(graph_.constant(*integer));
    }
    if (node.detail == 0) return known(node, meaning, *name);
    const Expr& rate = node.detail == 1 ? meaning.velocity : meaning.acceleration;
    if (!rate) {
      Diagnostic problem = error("E0102", fmt::format("`{}` is not a coordinate", *name), ast_.span(node),
                                 "`'` may follow only a coordinate");
      problem.help.push_back(fmt::format("write `dot({})` for the time derivative of an expression", *name));
      report(node, std::move(problem));
      return poison();
    }
    Meaning rated =
        Meaning::known(rate, meaning.dimension / DimensionTerm(Dimension::time()).power(node.detail), meaning.anchored);
    return known(node, rated, std::string(*name) + (node.detail == 1 ? "'" : "''"));
  }

  Value unknown_name(const AstNode& node, const std::string& name) {
    report(node, dalembert::unknown_name(name, ast_.span(node), scope_));
    return poison();
  }

  // P.x of a point, or top.omega.x of a frame that a quaternion turns
  Value component(const AstNode& node) {
    const auto name = spell_name(ast_, node, scope_, indices_, diagnostics_);
    if (!name) return poison();
    const bool turning = node.detail >= kAngularVelocity;
    const int axis = turning ? node.detail - kAngularVelocity : node.detail;
    const std::string whole = fmt::format("{}{}.{}", *name, turning ? ".omega" : "", "xyz"[axis]);
    const Meaning meaning = turning ? scope_.angular_velocity(*name, axis) : scope_.component(*name, axis);
    if (meaning.state == Meaning::State::kSilent) return poison();
    const bool known = meaning.state == Meaning::State::kKnown;
    auto refusal = known && turning ? scope_.refuse(SymbolKind::kVelocity, whole, ast_.span(node)) : std::nullopt;
    if (refusal) report(node, std::move(*refusal));
    if (refusal) return poison();
    if (known) return {meaning.value, meaning.dimension, false, meaning.anchored, false};
    report(node, turning ? unknown_angular_velocity(*name, whole, ast_.span(node), scope_)
                         : unknown_component(*name, axis, ast_.span(node), scope_));
    return poison();
  }

  Value frame_entry(const AstNode& node) {
    const auto name = spell_name(ast_, node, scope_, indices_, diagnostics_);
    const auto i = evaluate_integer(ast_, ast_.child(node, 0).node, scope_, indices_, diagnostics_);
    const auto j = evaluate_integer(ast_, ast_.child(node, 1).node, scope_, indices_, diagnostics_);
    if (!name || !i || !j) return poison();
    const Meaning meaning = scope_.frame_entry(*name, *i, *j);
    if (meaning.state == Meaning::State::kKnown)
      return {meaning.value, meaning.dimension, false, meaning.anchored, false};
    if (meaning.state == Meaning::State::kSilent) return poison();
    report(node, unknown_frame_entry(*name, *i, *j, ast_.span(node), scope_));
    return poison();
  }

  // The row of a kLambda: pin, pin[1], pin.x, actuation(alpha), energy(total); of a kOfRow: gap(pin), time(pin).
  std::optional<std::string> row_of(const AstNode& node) {
    if (node.kind == AstKind::kOfRow) {
      const AstNode& of = ast_[ast_.child(node, 0).node];
      const auto row = of.kind == AstKind::kLambda ? row_of(of) : std::nullopt;
      return row ? std::optional(fmt::format("{}({})", kRowWords[node.data].word, *row)) : std::nullopt;
    }
    auto name = spell_name(ast_, node, scope_, indices_, diagnostics_);
    if (name && node.detail == '[') {
      const auto index = evaluate_integer(ast_, ast_.child(node, 0).node, scope_, indices_, diagnostics_);
      return index ? std::optional(*name + fmt::format("[{}]", *index)) : std::nullopt;
    }
    if (!name || node.detail == 0) return name;
    for (const std::string_view word : {"actuation", "energy"})
      if (node.detail == word.front()) return fmt::format("{}({})", word, *name);
    return *name + fmt::format(".{}", node.detail);
  }

  Value multiplier(const AstNode& node) {
    const std::optional<std::string> name = row_of(node);
    if (!name) return poison();
    if (auto refusal = scope_.refuse(SymbolKind::kMultiplier, *name, ast_.span(node))) {
      report(node, std::move(*refusal));
      return poison();
    }
    const Meaning meaning = scope_.multiplier(*name);
    if (meaning.state == Meaning::State::kKnown)
      return {meaning.value, meaning.dimension, false, meaning.anchored, false};
    if (meaning.state == Meaning::State::kSilent) return poison();
    report(node, unknown_row(*name, ast_.span(node), scope_));
    return poison();
  }

  Value of_run(const AstNode& node) {
    const FunctionOfRun& function =
        *std::ranges::find(kFunctionsOfRun, static_cast<OfRun>(node.data), &FunctionOfRun::function);
    const Value value = number(ast_.child(node, 0).node);
    const Value time = node.count > 1 ? number(ast_.child(node, 1).node) : Value{graph_.constant(0), {}};
    if (!value.expr || !time.expr) return poison();
    if (node.count > 1 && !time.loose() && !solver_.equate(time.dimension, Dimension::time())) {
      const std::string mine = describe(solver_.resolve(time.dimension));
      mismatch(ast_[ast_.child(node, 1).node], fmt::format("the time must be in `s`, not in {}", mine),
               fmt::format("this is {}", mine));
      return poison();
    }
    if (function.function == OfRun::kIntegral)
      if (auto refusal = scope_.refuse(SymbolKind::kMultiplier, "integral(…)", ast_.span(node))) {
        report(node, std::move(*refusal));
        return poison();
      }
    const Meaning meaning = scope_.of_run(
        function.function, Meaning::known(value.expr, value.loose() ? solver_.fresh() : value.dimension), time.expr);
    if (meaning.state == Meaning::State::kKnown) return {meaning.value, meaning.dimension, false, true, false};
    if (meaning.state == Meaning::State::kUnknown) report(node, unknown_of_run(function, ast_.span(node)));
    return poison();
  }

  // --- dimensions

  bool only_of(const Expr& expr, KindMasks::Mask kinds) {
    const KindMasks::Mask found = scope_.kinds().of(expr);
    return (found & KindMasks::bit(SymbolKind::kTime)) != 0 && (found & ~kinds) == 0;
  }
  // Whether `value` depends on t only: t, t^2, sqrt(t). Such a value counts as a dimensionless number where that fits better than a time.
  bool of_time_alone(const Value& value) {
    return !value.anchored && only_of(value.expr, KindMasks::bit(SymbolKind::kTime));
  }

  // Reports the values whose dimension is not that of most. `first` and `reference` disagree; `first` is blamed where numbers do not decide.
  void report_disagreement(const std::vector<Value>& values, const std::vector<std::uint32_t>& ids,
                           std::string_view verb, std::string_view preposition, std::size_t first,
                           std::size_t reference) {
    std::vector<std::string> dimensions(values.size());
    std::map<std::string_view, int> counts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].loose() || (of_time_alone(values[i]) && i != first && i != reference)) continue;
      dimensions[i] = describe(solver_.resolve(values[i].dimension));
      ++counts[dimensions[i]];
    }
    if (dimensions[first] == dimensions[reference]) counts[dimensions[first]] = -1;  // not told apart by words
    std::size_t usual = reference;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!dimensions[i].empty() && counts[dimensions[i]] > counts[dimensions[usual]]) usual = i;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool wrong = !dimensions[i].empty() && dimensions[i] != dimensions[usual];
      if (!wrong && !(i == first && dimensions[first] == dimensions[reference])) continue;
      mismatch(ast_[ids[i]], fmt::format("cannot {} {} {} {}", verb, dimensions[i], preposition, dimensions[usual]),
               fmt::format("this is {}", dimensions[i]), &ast_[ids[usual]],
               fmt::format("this is {}", dimensions[usual]));
    }
  }

  // Requires one dimension for all `values`. Returns false if it reported a contradiction; `verb` and `preposition` make "cannot add `m` to `kg`".
  bool agree(const std::vector<Value>& values, const std::vector<std::uint32_t>& ids, std::string_view verb,
             std::string_view preposition, Value& result) {
    // The reference value gives the dimension. A value that depends on t only is the reference only if there is no other.
    std::size_t reference = values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.anchored |= values[i].anchored;
      if (values[i].loose()) continue;
      if (reference == values.size() || (of_time_alone(values[reference]) && !of_time_alone(values[i]))) reference = i;
    }
    bool good = true;
    for (std::size_t i = 0; i < values.size() && good; ++i) {
      if (i == reference || values[i].loose()) continue;
      if (of_time_alone(values[i]) && !values[reference].anchored && !scope_.time_has_its_unit()) continue;
      good = solver_.equate(values[i].dimension, values[reference].dimension);
      if (!good) report_disagreement(values, ids, verb, preposition, i, reference);
    }
    // If all values are loose, the result is loose. Otherwise values without a unit take the dimension of the reference.
    result.literal = reference == values.size();
    if (reference < values.size()) result.dimension = values[reference].dimension;
    return good;
  }

  bool pure(const Value& value, std::uint32_t id, std::string_view what) {
    if (value.loose() || of_time_alone(value) || solver_.equate(value.dimension, {})) return true;
    const std::string mine = describe(solver_.resolve(value.dimension));
    mismatch(ast_[id], fmt::format("{} must be a pure number, not {}", what, mine), fmt::format("this is {}", mine));
    return false;
  }

  // --- operators

  bool in_range(const Rational& value, const AstNode& node) { return is_in_range(value) || out_of_range(node); }
  bool out_of_range(const AstNode& node) {
    report(node, error("E0108", "the value of this constant is out of range", ast_.span(node)));
    return false;
  }

  Value sum(const AstNode& node) {
    std::vector<Value> values;
    std::vector<std::uint32_t> ids;
    values.reserve(node.count);
    ids.reserve(node.count);
    std::vector<Graph::Term> terms;
    Rational constant = 0;
    bool good = true;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Ast::Link& link = ast_.child(node, i);
      const Value value = number(link.node);
      if (!value.expr) {
        good = false;
        continue;
      }
      values.push_back(value);
      ids.push_back(link.node);
      const bool minus = link.detail == '-';
      if (value.expr.is_constant()) {
        constant = minus ? constant - value.expr.constant() : constant + value.expr.constant();
        if (!in_range(constant, node)) return poison();
      } else {
        terms.push_back({value.expr, minus ? -1 : 1});
      }
    }
    Value result;
    if (!agree(values, ids, "add", "to", result) || !good) return poison();
    if (!constant.is_zero()) terms.push_back({graph_.constant(constant), 1});
    result.expr = graph_.sum(terms);
    return result;
  }

  Value product(const AstNode& node) {
    Value result;
    std::vector<Expr> factors;
    Rational constant = 1, coefficients = 1;
    bool good = true;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Ast::Link& link = ast_.child(node, i);
      const Value value = number(link.node);
      if (!value.expr) {
        good = false;
        continue;
      }
      const bool below = link.detail == '/';
      if (below && value.expr.is_zero()) {
        report(ast_[link.node], error("E0107", "division by zero", ast_.span(ast_[link.node]), "this is 0"));
        good = false;
        continue;
      }
      result.literal |= value.literal;
      result.anchored |= value.anchored;
      result.dimension = below ? result.dimension / value.dimension : result.dimension * value.dimension;
      // The coefficient of a factor is multiplied into the result's coefficient, so it counts for the limit on constants.
      if (value.expr.op() == Op::kProduct && !graph_.number(value.expr.id()).is_one()) {
        coefficients = coefficients * graph_.number(value.expr.id());
        if (!in_range(coefficients, node)) return poison();
      }
      if (value.expr.is_constant()) {
        constant = below ? constant / value.expr.constant() : constant * value.expr.constant();
        if (!in_range(constant, node)) return poison();
      } else {
        factors.push_back(below ? partial(graph_.power(value.expr, Rational(-1))) : value.expr);
      }
    }
    if (!good) return poison();
    if (constant.is_zero()) factors.clear();
    if (factors.empty() || !constant.is_one()) factors.push_back(graph_.constant(constant));
    result.expr = graph_.product(factors);
    return result;
  }

  Value power(const AstNode& node) {
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < node.count; ++i) values.push_back(number(ast_.child(node, i).node));
    if (std::ranges::any_of(values, [](const Value& v) { return !v.expr; })) return poison();
    // Evaluated from the right: a ^ -b ^ c is a^(-(b^c)).
    Value result = values.back();
    for (std::size_t i = values.size() - 1; i-- > 0;) {
      if (ast_.child(node, static_cast<std::uint32_t>(i + 1)).detail == '-') result.expr = -result.expr;
      const std::uint32_t exponent_id = ast_.child(node, static_cast<std::uint32_t>(i + 1)).node;
      result = raise(node, values[i], result, ast_.child(node, static_cast<std::uint32_t>(i)).node, exponent_id);
      if (!result.expr) return poison();
    }
    return result;
  }

  Value raise(const AstNode& node, const Value& base, const Value& exponent, std::uint32_t base_id,
              std::uint32_t exponent_id) {
    if (!pure(exponent, exponent_id, "an exponent")) return poison();
    if (!exponent.expr.is_constant()) {
      // The unit of x^n is unknown until n is a number.
      Value result{
          partial(graph_.power(base.expr, exponent.expr)), {}, base.literal, base.anchored || exponent.anchored, false};
      const auto dimension = solver_.value(base.dimension);
      if (solver_.on() && !base.loose() && !(dimension && dimension->dimensionless()))
        result.dimension = solver_.fresh();
      return result;
    }
    const Rational& e = exponent.expr.constant();
    if (base.expr.is_zero() && e.sign() <= 0) {
      report(node, error("E0107", e.is_zero() ? "0^0 has no value" : "division by zero", ast_.span(ast_[base_id]),
                         "this is 0"));
      return poison();
    }
    Value result{graph_.power(base.expr, e), base.dimension.power(e.to_double()), base.literal, base.anchored, false};
    if (e.sign() <= 0 || !e.is_integer()) partial(e.is_integer() ? graph_.power(base.expr, Rational(-1)) : result.expr);
    if (result.expr.is_constant() && !in_range(result.expr.constant(), node)) return poison();
    // A power with too many bits is not evaluated and stays a power. If no finite, nonzero double is near its value, it is still an error.
    if (base.expr.is_constant() && !result.expr.is_constant()) {
      const double size = std::pow(std::abs(base.expr.constant().to_double()), e.to_double());
      if (!std::isfinite(size) || size == 0) {
        report(node, error("E0108", "the value of this constant is out of range", ast_.span(node)));
        return poison();
      }
    }
    return result;
  }

  Value call(const AstNode& node) {
    const FunctionInfo& function = functions()[node.data];
    std::vector<Value> values;
    std::vector<std::uint32_t> ids;
    std::vector<Expr> arguments;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      ids.push_back(ast_.child(node, i).node);
      values.push_back(number(ids.back()));
      arguments.push_back(values.back().expr);
    }
    if (std::ranges::any_of(arguments, std::logical_not())) return poison();
    const auto divisor = static_cast<std::size_t>(function.divides_by);
    if (function.divides_by >= 0 && values[divisor].expr.is_zero()) {
      report(node, error("E0107", "division by zero", ast_.span(ast_[ids[divisor]]), "this is 0"));
      return poison();
    }
    Value result;
    switch (function.rule) {
      case FunctionRule::kPure:
        if (!pure(values[0], ids[0], fmt::format("the argument of `{}`", function.name))) return poison();
        break;
      case FunctionRule::kRoot:
        result = values[0];
        result.dimension = result.dimension.power(0.5);
        break;
      case FunctionRule::kSame:
        if (!agree(values, ids, fmt::format("use `{}` on", function.name), "and", result)) return poison();
        break;
      case FunctionRule::kRatio:
        if (Value alike; !agree(values, ids, fmt::format("use `{}` on", function.name), "and", alike)) return poison();
    }
    result.expr = dalembert::call(function, arguments);
    partial(function.divides_by >= 0 ? graph_.power(arguments[divisor], Rational(-1)) : result.expr);
    // sin(omega*t) takes the unit that fits, like the number in 2*sin(omega*t).
    const bool plain = function.rule == FunctionRule::kPure || function.rule == FunctionRule::kRatio;
    if (plain && only_of(result.expr, KindMasks::bit(SymbolKind::kTime) | KindMasks::bit(SymbolKind::kParameter)))
      result.literal = true;
    return result;
  }

  Value dot(const AstNode& node) {
    const std::uint32_t inner_id = ast_.child(node, 0).node;
    const AstNode& inner_node = ast_[inner_id];
    // dot(theta) means exactly the same as theta'.
    if (inner_node.kind == AstKind::kName && inner_node.detail == 0) {
      const auto name = spell_name(ast_, inner_node, scope_, indices_, diagnostics_);
      if (!name) return poison();
      const Meaning meaning = find_index(*name, indices_) ? Meaning{} : scope_.name(*name);
      if (meaning.state == Meaning::State::kKnown && meaning.velocity)
        return known(node, Meaning::known(meaning.velocity, meaning.dimension / Dimension::time(), meaning.anchored),
                     *name + "'");
    }
    Value value = number(inner_id);
    if (!value.expr) return poison();
    const Expr rate = scope_.dot(value.expr);
    if (!rate) {
      Diagnostic problem = error("E0110", "this has no time derivative here", ast_.span(inner_node));
      problem.notes.push_back("dot() takes expressions of coordinates, velocities, parameters and t");
      report(node, std::move(problem));
      return poison();
    }
    for (const SymbolKind kind : {SymbolKind::kVelocity, SymbolKind::kAcceleration}) {
      auto refusal = scope_.refuse(kind, ast_.written(node), ast_.span(node));
      if (!refusal || !scope_.kinds().contains(rate, kind)) continue;
      report(node, std::move(*refusal));
      return poison();
    }
    return {rate, value.dimension / Dimension::time(), value.literal, value.anchored, false};
  }

  Value select(const AstNode& node) {
    const Value test = condition(ast_.child(node, 0).node);
    const std::vector<std::uint32_t> ids{ast_.child(node, 1).node, ast_.child(node, 2).node};
    ++choosing_;  // a branch that is not chosen need not have a value
    const std::vector<Value> values{number(ids[0]), number(ids[1])};
    --choosing_;
    if (!test.expr || !values[0].expr || !values[1].expr) return poison();
    Value result;
    if (!agree(values, ids, "choose between", "and", result)) return poison();
    result.expr = graph_.function(Op::kSelect, std::array{test.expr, values[0].expr, values[1].expr});
    return result;
  }

  Value compare(const AstNode& node) {
    const std::vector<std::uint32_t> ids{ast_.child(node, 0).node, ast_.child(node, 1).node};
    const std::vector<Value> values{number(ids[0]), number(ids[1])};
    if (!values[0].expr || !values[1].expr) return poison();
    Value result;
    if (!agree(values, ids, "compare", "with", result)) return poison();
    const bool swapped = node.detail == '>' || node.detail == 'g';
    const Op op = node.detail == '='                         ? Op::kEqual
                  : node.detail == '<' || node.detail == '>' ? Op::kLess
                                                             : Op::kLessEqual;
    const Expr &a = values[0].expr, &b = values[1].expr;
    return {graph_.function(op, swapped ? std::array{b, a} : std::array{a, b}), {}, false, false, true};
  }

  Value logical(const AstNode& node) {
    const Op op = node.kind == AstKind::kAnd ? Op::kAnd : node.kind == AstKind::kOr ? Op::kOr : Op::kNot;
    Expr all;
    bool good = true;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Value value = condition(ast_.child(node, i).node);
      if (!value.expr) {
        good = false;
      } else if (op == Op::kNot) {
        all = graph_.function(op, std::array{value.expr});
      } else {
        all = all ? graph_.function(op, std::array{all, value.expr}) : value.expr;
      }
    }
    if (!good) return poison();
    return {all, {}, false, false, true};
  }

  Value repeated_sum(const AstNode& node) {
    const Ast::NamePart& part = ast_.parts[node.data];
    const std::string index = ast_.text.text.substr(part.begin, part.end - part.begin);
    const auto first = evaluate_integer(ast_, ast_.child(node, 0).node, scope_, indices_, diagnostics_);
    const auto last = evaluate_integer(ast_, ast_.child(node, 1).node, scope_, indices_, diagnostics_);
    if (!first || !last) return poison();
    if (*last < *first - 1 || *last - *first >= 100'000) {
      report(node, error("E0109",
                         *last < *first ? fmt::format("the range {}..{} runs backwards", *first, *last)
                                        : fmt::format("the range {}..{} has more than 100000 values", *first, *last),
                         ast_.text.span(ast_[ast_.child(node, 0).node].begin, ast_[ast_.child(node, 1).node].end)));
      return poison();
    }
    const std::uint32_t body = ast_.child(node, 2).node;
    LikeTerms likes;
    std::vector<Value> values;
    std::vector<Expr> terms;
    bool good = true;
    ++repeating_;
    indices_.emplace_back(index, 0);
    for (std::int64_t i = *first; i <= *last && good; ++i) {
      indices_.back().second = i;
      const std::size_t before = diagnostics_.size();
      values.push_back(number(body));
      good = static_cast<bool>(values.back().expr) && diagnostics_.size() == before;
      terms.push_back(values.back().expr);
      good = good && (likes.add(terms.back()) || out_of_range(node));
    }
    indices_.pop_back();
    --repeating_;
    if (!good) return poison();
    Value result;
    if (!agree(values, std::vector<std::uint32_t>(values.size(), body), "add", "to", result)) return poison();
    result.expr = terms.empty() ? graph_.constant(0) : graph_.sum(terms);
    return are_numbers_in_range(result.expr) || out_of_range(node) ? result : poison();
  }

  const Ast& ast_;
  Scope& scope_;
  Graph& graph_;
  DimensionSolver& solver_;
  Indices indices_;
  Diagnostics& diagnostics_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_;
  std::string shadowed_;  // help where a quantity was read whose unit has the name of something in the model
  int repeating_ = 0, choosing_ = 0;
  std::int64_t visited_ = 0;
};

}  // namespace

Lowered lower(const Ast& ast, Scope& scope, const Indices& indices, Diagnostics& diagnostics, bool condition) {
  return AstLowering(ast, scope, indices, diagnostics).run(condition);
}

}  // namespace dalembert
