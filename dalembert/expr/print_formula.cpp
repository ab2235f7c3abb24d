// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/print_formula.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/expr/unicode.h"

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

std::string_view operator_sign(Op op, Notation notation) {
  const bool latex = notation == Notation::kLatex, text = notation == Notation::kText;
  switch (op) {
    case Op::kLess:
      return " < ";
    case Op::kLessEqual:
      return latex ? " \\le " : text ? " <= " : " ≤ ";
    case Op::kEqual:
      return text ? " == " : " = ";
    case Op::kAnd:
      return latex ? " \\wedge " : " and ";
    case Op::kOr:
      return latex ? " \\vee " : " or ";
    default:
      return "";
  }
}

std::string_view symbol_of_pi(Notation notation) {
  return notation == Notation::kLatex ? "\\pi" : notation == Notation::kText ? "pi" : "π";
}

std::string_view minus_sign(Notation notation) { return notation == Notation::kUnicode ? "−" : "-"; }

// How strongly the outermost operation of a printed piece binds, weakest first.
enum class Binding { kComparison, kSum, kSigned, kProduct, kPower, kAtom };

struct Piece {
  Formula formula;
  Binding binding = Binding::kAtom;
  Powers powers = Powers::kAfter;
};

// Whether brackets around the formula must grow in LaTeX.
bool is_tall(const Formula& formula) {
  return std::ranges::any_of(formula, [](const FormulaToken& token) {
    return token.text.starts_with("\\frac") || token.text.starts_with("\\sqrt") || token.group == Group::kCases;
  });
}

// The nesting depth of round brackets.
int depth_of(const Formula& formula) {
  int depth = 0, deepest = 0;
  for (const FormulaToken& token : formula) {
    if (!token.text.ends_with('(') && !token.text.ends_with(')')) continue;
    depth += token.kind == Kind::kOpen ? 1 : token.kind == Kind::kClose ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

// Storage for long parts of a formula. Copying the tokens inside brackets into the enclosing formula at every level would take
// O(depth · length) time. So a long part is stored here, and a few placeholder tokens replace it: the first holds the number of the part, the
// others make the brackets around it as large as the part itself would. whole() puts all parts back at the end.
class StoredParts {
 public:
  Formula replace(Formula part) {
    if (part.size() <= kLongPart) return part;
    Formula tokens(1);
    // The placeholder's text must not look like a number, because the part is not a number.
    tokens[0].text = is_tall(part) ? "\\frac part" : "part";
    for (int depth = std::min(depth_of(part), 2); depth > 0; --depth) {
      tokens.insert(tokens.begin() + 1, {"(", Kind::kOpen});
      tokens.push_back({")", Kind::kClose});
    }
    tokens.emplace_back();
    tokens[0].name = kAside - static_cast<int>(parts_.size());
    tokens[0].partner = static_cast<int>(tokens.size());
    parts_.push_back(std::move(part));
    return tokens;
  }
  Formula whole(Formula formula) {
    if (parts_.empty()) return formula;
    Formula all;
    append(all, std::move(formula));
    return all;
  }

 private:
  static constexpr std::size_t kLongPart = 64;  // number of tokens above which a part is stored
  static constexpr int kAside = -2;  // number of the first part, counted downwards; definitions have numbers >= 0

  void append(Formula& all, Formula part) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].name > kAside) {
        all.push_back(std::move(part[i]));
        continue;
      }
      const auto skipped = static_cast<std::size_t>(part[i].partner);
      append(all, std::move(parts_[static_cast<std::size_t>(kAside - part[i].name)]));
      i += skipped - 1;
    }
  }

  std::vector<Formula> parts_;
};

class Printer {
 public:
  Printer(const Graph& graph, Notation notation, const FormulaNames* names = nullptr)
      : graph_(graph), notation_(notation), names_(names) {}

  /// The whole formula. If `as_number` is set, a condition at the root is printed as a number, if(condition, 1, 0).
  Formula whole(NodeId id, bool as_number) { return parts_.whole((as_number ? print(id) : print_node(id)).formula); }

 private:
  // Prints a node as a number. A comparison used as a number, as in the derivative of min, becomes if(comparison, 1, 0), because the
  // language allows comparisons only in `if`.
  Piece print(NodeId id) {
    if (!function_info(graph_.op(id)).truth) return print_node(id);
    std::vector<Formula> parts{print_node(id).formula, number_formula(1, notation_), number_formula(0, notation_)};
    return {function_formula(Op::kSelect, std::move(parts), false, notation_), Binding::kAtom, Powers::kParentheses};
  }

  // Prints a node; a comparison stays a condition.
  Piece print_node(NodeId id) {
    const auto items = graph_.items(id);
    const Op op = graph_.op(id);
    switch (op) {
      case Op::kConstant: {
        const Rational& value = graph_.number(id);
        return {number_formula(value, notation_, graph_.has_decimals()), value.sign() < 0     ? Binding::kSigned
                                                                         : value.is_integer() ? Binding::kAtom
                                                                                              : Binding::kProduct};
      }
      case Op::kPi:
        return {FormulaWriter().add(symbol_of_pi(notation_)).take()};
      case Op::kSymbol:
        return {symbol(graph_.symbol_of(id))};
      case Op::kSum:
        return {print_sum(id), Binding::kSum};
      case Op::kProduct: {
        const bool negative = graph_.number(id).sign() < 0;
        const bool root = items.size() == 1 && graph_.number(id).is_one() && graph_.number(items[0]) == Rational(1, 2);
        const bool power = items.size() == 1 && graph_.number(id).is_one() && graph_.number(items[0]).sign() > 0;
        FormulaWriter writer;
        if (negative) writer.add(minus_sign(notation_), Kind::kSign);
        writer.add(print_bare_product(id, negative ? -graph_.number(id) : graph_.number(id)));
        return {writer.take(), negative ? Binding::kSigned
                               : root   ? Binding::kAtom
                               : power  ? Binding::kPower
                                        : Binding::kProduct};
      }
      case Op::kPower:
        return power(print(items[0].node), print(items[1].node));
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
        return relation(op, print(items[0].node).formula, print(items[1].node).formula);
      case Op::kAnd:
      case Op::kOr:
        return relation(op, wrapped(print_node(items[0].node), Binding::kSum),
                        wrapped(print_node(items[1].node), Binding::kSum));
      default: {
        std::vector<Formula> arguments;
        const bool conditional = op == Op::kSelect || op == Op::kNot;
        for (const auto& item : items)
          arguments.push_back(
              parts_.replace((conditional && arguments.empty() ? print_node(item.node) : print(item.node)).formula));
        const bool atomic =
            items.size() == 1 && (graph_.op(items[0].node) == Op::kSymbol || graph_.op(items[0].node) == Op::kPi);
        return {function_formula(op, std::move(arguments), atomic, notation_), Binding::kAtom,
                function_info(op).powers};
      }
    }
  }

  Piece power(Piece base, Piece exponent) {
    FormulaWriter writer;
    if (notation_ != Notation::kLatex) {
      writer.add(wrapped(std::move(base), Binding::kAtom)).add("^");
      writer.add(wrapped(std::move(exponent), Binding::kAtom));
    } else {
      // A parameter named e must not be confused with Euler's number: it is put into parentheses.
      const bool e = base.formula.size() == 1 && base.formula[0].text == "e";
      writer.add(e ? parenthesized(std::move(base.formula), notation_) : wrapped(std::move(base), Binding::kAtom));
      writer.add("^").braces(std::move(exponent.formula), Group::kScript);
    }
    return {writer.take(), Binding::kPower};
  }

  Formula symbol(SymbolId id) const {
    if (names_)
      if (const auto found = names_->find(id); found != names_->end()) {
        Formula name(1);
        name[0].kind = Kind::kName;
        name[0].name = found->second;
        return name;
      }
    return symbol_formula(graph_.symbol_info(id), notation_);
  }

  Formula wrapped(Piece piece, Binding at_least) {
    return piece.binding >= at_least ? std::move(piece.formula)
                                     : parenthesized(parts_.replace(std::move(piece.formula)), notation_);
  }

  Piece relation(Op op, Formula left, Formula right) const {
    FormulaWriter writer;
    writer.add(std::move(left)).add(operator_sign(op, notation_), Kind::kRelation).add(std::move(right));
    return {writer.take(), Binding::kComparison};
  }

  Formula print_sum(NodeId id) {
    FormulaWriter writer;
    const auto append = [&](bool negative, Formula term) {
      add_sign(writer, negative, notation_);
      writer.add(std::move(term));
    };
    for (const auto& item : graph_.items(id)) {
      const Rational& coefficient = graph_.number(item);
      const bool negative = coefficient.sign() < 0;
      append(negative, print_bare_product(item.node, negative ? -coefficient : coefficient));
    }
    const Rational& constant = graph_.number(id);
    if (!constant.is_zero())
      append(constant.sign() < 0,
             number_formula(constant.sign() < 0 ? -constant : constant, notation_, graph_.has_decimals()));
    return writer.take();
  }

  // coefficient × (the product's factors, or the node itself), with coefficient > 0.
  Formula print_bare_product(NodeId id, const Rational& coefficient) {
    std::vector<std::pair<NodeId, Rational>> factors;
    if (graph_.op(id) == Op::kProduct) {
      for (const auto& item : graph_.items(id)) factors.emplace_back(item.node, graph_.number(item));
    } else {
      factors.emplace_back(id, Rational(1));
    }
    // Parameters come before coordinates, and coordinates before functions, as people write formulas.
    std::ranges::stable_sort(factors, {}, [&](const auto& factor) { return rank(factor.first); });
    std::vector<PrintedFactor> printed;
    for (const auto& [node, exponent] : factors) {
      Piece piece = print(node);
      const bool atomic = piece.binding == Binding::kAtom;
      printed.push_back({atomic ? std::move(piece.formula) : parts_.replace(std::move(piece.formula)), atomic, exponent,
                         piece.powers});
    }
    if (printed.size() == 1 && coefficient.is_one() && printed[0].exponent.is_one()) {
      // A sum or comparison that is a term of a sum keeps its parentheses.
      return printed[0].atomic ? std::move(printed[0].base) : parenthesized(std::move(printed[0].base), notation_);
    }
    return product_formula(coefficient, std::move(printed), notation_, graph_.has_decimals());
  }

  std::pair<int, std::uint32_t> rank(NodeId id) const {
    switch (graph_.op(id)) {
      case Op::kConstant:
      case Op::kPi:
        return {0, 0};
      case Op::kSymbol: {
        const SymbolId s = graph_.symbol_of(id);
        switch (graph_.symbol_info(s).kind) {
          case SymbolKind::kParameter:
          case SymbolKind::kShorthand:
          case SymbolKind::kInput:
            return {1, s};
          case SymbolKind::kMultiplier:
            return {2, s};
          case SymbolKind::kAcceleration:
          case SymbolKind::kQuasiAcceleration:
            return {6, s};
          case SymbolKind::kVelocity:
          case SymbolKind::kQuasiVelocity:
            return {5, s};
          default:
            return {4, s};
        }
      }
      case Op::kSum:
        return {3, id};
      default:
        return {7, id};
    }
  }

  const Graph& graph_;
  Notation notation_;
  const FormulaNames* names_;
  StoredParts parts_;
};

}  // namespace

void add_sign(FormulaWriter& writer, bool negative, Notation notation) {
  if (!writer.empty())
    writer.add(!negative ? " + " : notation == Notation::kUnicode ? " − " : " - ", Kind::kPlus);
  else if (negative)
    writer.add(minus_sign(notation), Kind::kSign);
}

namespace {

struct Brackets {
  const char *open, *close;
};

// Brackets around brackets are larger. \left leaves a gap before the bracket, so it is used for tall formulas (fractions) only.
Brackets brackets_around(std::span<const Formula> inner, Notation notation) {
  if (notation != Notation::kLatex) return {"(", ")"};
  if (std::ranges::any_of(inner, is_tall)) return {"\\left(", "\\right)"};
  int depth = 0;
  for (const Formula& formula : inner) depth = std::max(depth, depth_of(formula));
  if (depth == 0) return {"(", ")"};
  return depth == 1 ? Brackets{"\\bigl(", "\\bigr)"} : Brackets{"\\Bigl(", "\\Bigr)"};
}

}  // namespace

Formula parenthesized(Formula inner, Notation notation) {
  const Brackets brackets = brackets_around({&inner, 1}, notation);
  FormulaWriter writer;
  writer.open(brackets.open, Group::kParentheses).add(std::move(inner));
  return writer.close(brackets.close, Group::kParentheses).take();
}

namespace {

// Whether the fraction is written as a decimal: 1/20, 2/5. Not 1/4, which halving produces in formulas without decimals.
bool is_decimal(const Rational& value) {
  const Rational tenths = value * Rational(10);
  const auto halves = [](const Rational& x) {
    const std::optional<int> below = x.denominator().as_int();
    return below && (*below & (*below - 1)) == 0;
  };
  if (halves(value)) return false;
  return halves(tenths) || halves(tenths * Rational(10));
}

}  // namespace

Formula number_formula(const Rational& value, Notation notation, bool decimals) {
  FormulaWriter writer;
  if (value.sign() < 0) writer.add(minus_sign(notation), Kind::kSign);
  const Rational size = value.sign() < 0 ? -value : value;
  if (size.is_integer()) return writer.add(size.to_string()).take();
  const Rational denominator = size.denominator();
  if (denominator > Rational(32) || (decimals && is_decimal(size))) {
    // If the denominator has only the factors 2 and 5, the decimal is exact.
    int digits = 0;
    Rational scaled = size;
    while (digits < 18 && !scaled.is_integer()) {
      scaled = scaled * Rational(10);
      ++digits;
    }
    if (scaled.is_integer()) {
      std::string text = scaled.to_string();
      if (static_cast<int>(text.size()) <= digits)
        text.insert(0, static_cast<std::size_t>(digits) + 1 - text.size(), '0');
      text.insert(text.size() - static_cast<std::size_t>(digits), ".");
      return writer.add(text).take();
    }
  }
  if (notation == Notation::kUnicode) return writer.add(unicode_fraction(size)).take();
  Formula above = FormulaWriter().add(size.numerator().to_string()).take();
  Formula below = FormulaWriter().add(denominator.to_string()).take();
  if (notation == Notation::kText)
    return writer.add(std::move(above)).add("/", Kind::kTimes).add(std::move(below)).take();
  return writer.add("\\frac").braces(std::move(above)).braces(std::move(below)).take();
}

std::string print_number(const Rational& value, Notation notation) { return text_of(number_formula(value, notation)); }

Formula size_note(std::size_t operations, Notation notation) {
  const std::string note = fmt::format("too large to print: {} operations", operations);
  return FormulaWriter().add(notation == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">").take();
}

namespace {

// base^exponent with exponent > 0. `alone`: the power has no other factors next to it.
Formula power_formula(PrintedFactor factor, bool alone, Notation notation) {
  const bool latex = notation == Notation::kLatex;
  const Rational& exponent = factor.exponent;
  FormulaWriter writer;
  if (exponent == Rational(1, 2)) {
    if (latex) return writer.add("\\sqrt").braces(std::move(factor.base)).take();
    if (notation == Notation::kUnicode) {
      if (factor.base.size() == 1) return writer.add("√").add(std::move(factor.base)).take();
      writer.add("√", Kind::kFunction).open("(", Group::kArgument).add(std::move(factor.base));
      return writer.close(")", Group::kArgument).take();
    }
    writer.add("sqrt", Kind::kFunction).open("(", Group::kArgument).add(std::move(factor.base));
    return writer.close(")", Group::kArgument).take();
  }
  const auto script = [&] {
    if (exponent.is_integer()) return FormulaWriter().add(exponent.to_string()).take();
    FormulaWriter fraction;
    fraction.add(exponent.numerator().to_string()).add("/", latex ? Kind::kAtom : Kind::kTimes);
    return fraction.add(exponent.denominator().to_string()).take();
  };
  if (notation == Notation::kUnicode && exponent.is_integer() && !exponent.is_one()) {
    // In Unicode the exponent follows the name of a function, sin²(θ), or the parenthesis, (a + b)².
    Formula base = factor.atomic ? std::move(factor.base) : parenthesized(std::move(factor.base), notation);
    const bool on_name = factor.atomic && factor.powers == Powers::kOnName;
    base.insert(on_name ? base.begin() + 1 : base.end(), FormulaToken{superscript(exponent.to_string())});
    return base;
  }
  if (latex && exponent.is_integer() && !exponent.is_one() && factor.atomic && factor.powers == Powers::kOnName) {
    // In LaTeX the exponent follows the function's name: sin² θ, not sin θ².
    writer.add(std::move(factor.base.front().text), Kind::kFunction).add("^").braces(script(), Group::kScript);
    factor.base.erase(factor.base.begin());
    return writer.add(std::move(factor.base)).take();
  }
  const bool bare = (factor.atomic && (exponent.is_one() || !latex || factor.powers == Powers::kAfter)) ||
                    (alone && exponent.is_one() && latex);
  writer.add(bare ? std::move(factor.base) : parenthesized(std::move(factor.base), notation));
  if (exponent.is_one()) return writer.take();
  writer.add("^");
  if (latex) return writer.braces(script(), Group::kScript).take();
  return writer.add(exponent.is_integer() ? script() : parenthesized(script(), notation)).take();
}

// The coefficient `first`, unless it is empty, times the factors.
Formula joined(Formula first, std::vector<PrintedFactor> factors, bool alone, Notation notation) {
  FormulaWriter writer;
  alone = alone && first.empty() && factors.size() == 1;
  writer.add(std::move(first));
  for (PrintedFactor& factor : factors) {
    Formula power = power_formula(std::move(factor), alone, notation);
    // In Unicode a blank means multiplication, but before a digit a dot is needed.
    const bool digit =
        !power.empty() && !power.front().text.empty() && power.front().text[0] >= '0' && power.front().text[0] <= '9';
    const std::string_view times = notation == Notation::kText               ? "*"
                                   : notation == Notation::kUnicode && digit ? "·"
                                                                             : " ";
    if (!writer.empty()) writer.add(times, Kind::kTimes);
    writer.add(std::move(power));
  }
  return writer.take();
}

}  // namespace

Formula product_formula(const Rational& coefficient, std::vector<PrintedFactor> factors, Notation notation,
                        bool decimals) {
  const bool latex = notation == Notation::kLatex;
  std::vector<PrintedFactor> above, below;
  for (PrintedFactor& factor : factors) {
    const bool over = factor.exponent.sign() > 0;
    if (!over) factor.exponent = -factor.exponent;
    (over ? above : below).push_back(std::move(factor));
  }
  const auto unless_one = [&](const Rational& number) {
    return number.is_one() ? Formula() : number_formula(number, notation, decimals);
  };
  if (latex && !below.empty()) {
    const bool whole = decimals && is_decimal(coefficient);
    Formula top = joined(unless_one(whole ? coefficient : coefficient.numerator()), std::move(above), true, notation);
    Formula bottom =
        joined(unless_one(whole ? Rational(1) : coefficient.denominator()), std::move(below), true, notation);
    if (top.empty()) top = number_formula(1, notation);
    return FormulaWriter().add("\\frac").braces(std::move(top)).braces(std::move(bottom)).take();
  }
  FormulaWriter writer;
  Formula first = coefficient.is_one() && !above.empty() ? Formula() : number_formula(coefficient, notation, decimals);
  writer.add(joined(std::move(first), std::move(above), !below.empty(), notation));
  if (!below.empty()) {
    const bool several = below.size() > 1;
    Formula bottom = joined({}, std::move(below), true, notation);
    writer.add("/", Kind::kTimes);
    writer.add(several ? parenthesized(std::move(bottom), notation) : std::move(bottom));
  }
  return writer.take();
}

namespace {

// Whether the formula has only digits and fractions, so that it can be the exponent of a parameter named e.
bool is_number(const Formula& formula) {
  return std::ranges::all_of(formula, [](const FormulaToken& token) {
    return token.text == "\\frac" || token.text.find_first_not_of("0123456789.-{}") == std::string::npos;
  });
}

}  // namespace

Formula function_formula(Op op, std::vector<Formula> arguments, bool argument_atomic, Notation notation) {
  const FunctionInfo& info = function_info(op);
  const bool latex = notation == Notation::kLatex;
  FormulaWriter writer;
  if (notation == Notation::kUnicode && op == Op::kAbs) {
    writer.open("|", Group::kArgument).add(std::move(arguments[0]));
    return writer.close("|", Group::kArgument).take();
  }
  if (latex && op == Op::kAbs) {
    writer.open("\\left|", Group::kArgument).add(std::move(arguments[0]));
    return writer.close("\\right|", Group::kArgument).take();
  }
  if (latex && op == Op::kExp && !is_number(arguments[0]))
    return writer.add("e").add("^").braces(std::move(arguments[0]), Group::kScript).take();
  if (latex && op == Op::kSelect) {
    writer.open("\\begin{cases} ", Group::kCases).add(std::move(arguments[1]));
    writer.add(" & ").add("\\text{if } ").add(std::move(arguments[0])).add(kNextCase).add(std::move(arguments[2]));
    return writer.add(" & ").add("\\text{otherwise}").close(" \\end{cases}", Group::kCases).take();
  }
  if (!latex)
    writer.add(info.name, Kind::kFunction);
  else if (info.latex.empty())
    writer.add(fmt::format("\\operatorname{{{}}}", info.name), Kind::kFunction);
  else
    writer.add(info.latex, Kind::kFunction);
  if (latex && argument_atomic && arguments.size() == 1) return writer.add(" ").add(std::move(arguments[0])).take();
  const Brackets brackets = brackets_around(arguments, notation);
  // The \! removes the gap that \left( leaves after a function's name.
  const bool grows = std::string_view(brackets.open) == "\\left(";
  writer.open(grows ? "\\!\\left(" : brackets.open, Group::kArgument);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) writer.add(", ", Kind::kComma);
    writer.add(std::move(arguments[i]));
  }
  return writer.close(brackets.close, Group::kArgument).take();
}

Formula formula(const Expr& expression, Notation notation, const FormulaNames* names) {
  Formula result = Printer(expression.graph(), notation, names).whole(expression.id(), true);
  match_brackets(result);
  return result;
}

std::string print(const Expr& expression, Notation notation) {
  if (!expression) return "(nothing)";
  return text_of(Printer(expression.graph(), notation).whole(expression.id(), true));
}
std::string to_text(const Expr& expression) {
  if (!expression) return "(nothing)";
  return text_of(Printer(expression.graph(), Notation::kText).whole(expression.id(), false));
}
std::string to_latex(const Expr& expression) { return print(expression, Notation::kLatex); }

}  // namespace dalembert
