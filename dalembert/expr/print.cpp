// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/print.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr std::array<std::string_view, 46> kGreek = {
    "alpha", "beta",     "gamma",  "delta",   "epsilon", "varepsilon", "zeta",    "eta",   "theta", "vartheta",
    "iota",  "kappa",    "lambda", "mu",      "nu",      "xi",         "pi",      "varpi", "rho",   "varrho",
    "sigma", "varsigma", "tau",    "upsilon", "phi",     "varphi",     "chi",     "psi",   "omega", "Gamma",
    "Delta", "Theta",    "Lambda", "Xi",      "Pi",      "Sigma",      "Upsilon", "Phi",   "Psi",   "Omega",
    "ell",   "hbar",     "nabla",  "partial", "infty",   "Re"};

std::string letter(std::string_view word) {
  if (std::ranges::find(kGreek, word) != kGreek.end()) return "\\" + std::string(word);
  if (word.size() <= 1) return std::string(word);
  return "\\mathrm{" + std::string(word) + "}";
}

std::string_view operator_sign(Op op, Notation notation) {
  const bool latex = notation == Notation::kLatex;
  switch (op) {
    case Op::kLess:
      return " < ";
    case Op::kLessEqual:
      return latex ? " \\le " : " <= ";
    case Op::kEqual:
      return latex ? " = " : " == ";
    case Op::kAnd:
      return latex ? " \\wedge " : " and ";
    case Op::kOr:
      return latex ? " \\vee " : " or ";
    default:
      return "";
  }
}

// How strongly the outermost operation of a piece binds.
enum class Binding { kComparison, kSum, kSigned, kProduct, kPower, kAtom };

struct Piece {
  std::string text;
  Binding binding = Binding::kAtom;
};

class Printer {
 public:
  Printer(const Graph& graph, Notation notation) : graph_(graph), notation_(notation) {}

  /// A comparison that stands as a number, as in the derivative of min: the language has comparisons in `if` alone.
  Piece print(NodeId id) const {
    if (!function_info(graph_.op(id)).truth) return print_node(id);
    return {print_function(Op::kSelect, {print_node(id).text, "1", "0"}, false, notation_), Binding::kAtom};
  }

  /// The same, with a comparison as a condition.
  Piece print_node(NodeId id) const {
    const auto items = graph_.items(id);
    const auto condition = [&](std::size_t i) { return print_node(items[i].node); };
    switch (graph_.op(id)) {
      case Op::kConstant: {
        const Rational& value = graph_.number(id);
        return {print_number(value, notation_), value.sign() < 0     ? Binding::kSigned
                                                : value.is_integer() ? Binding::kAtom
                                                                     : Binding::kProduct};
      }
      case Op::kPi:
        return {notation_ == Notation::kLatex ? "\\pi" : "pi", Binding::kAtom};
      case Op::kSymbol:
        return {print_symbol(graph_.symbol_info(graph_.symbol_of(id)), notation_), Binding::kAtom};
      case Op::kSum:
        return {print_sum(id), Binding::kSum};
      case Op::kProduct: {
        const bool negative = graph_.number(id).sign() < 0;
        const bool root = items.size() == 1 && graph_.number(id).is_one() && graph_.number(items[0]) == Rational(1, 2);
        const bool power = items.size() == 1 && graph_.number(id).is_one() && graph_.number(items[0]).sign() > 0;
        return {(negative ? "-" : "") + print_bare_product(id, negative ? -graph_.number(id) : graph_.number(id)),
                negative ? Binding::kSigned
                : root   ? Binding::kAtom
                : power  ? Binding::kPower
                         : Binding::kProduct};
      }
      case Op::kPower: {
        const Piece base = print(items[0].node), exponent = print(items[1].node);
        if (notation_ == Notation::kLatex)
          // A parameter e is not the number of which exp is a power.
          return {(base.text == "e" ? parenthesized(base.text, notation_) : wrapped(base, Binding::kAtom)) + "^{" +
                      exponent.text + "}",
                  Binding::kPower};
        return {wrapped(base, Binding::kAtom) + "^" + wrapped(exponent, Binding::kAtom), Binding::kPower};
      }
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
        return {print(items[0].node).text + std::string(operator_sign(graph_.op(id), notation_)) +
                    print(items[1].node).text,
                Binding::kComparison};
      case Op::kAnd:
      case Op::kOr:
        return {wrapped(condition(0), Binding::kSum) + std::string(operator_sign(graph_.op(id), notation_)) +
                    wrapped(condition(1), Binding::kSum),
                Binding::kComparison};
      default: {
        std::vector<std::string> arguments;
        const bool conditional = graph_.op(id) == Op::kSelect || graph_.op(id) == Op::kNot;
        for (const auto& item : items)
          arguments.push_back((conditional && arguments.empty() ? print_node(item.node) : print(item.node)).text);
        const bool atomic =
            items.size() == 1 && (graph_.op(items[0].node) == Op::kSymbol || graph_.op(items[0].node) == Op::kPi);
        return {print_function(graph_.op(id), arguments, atomic, notation_), Binding::kAtom};
      }
    }
  }

 private:
  std::string wrapped(const Piece& piece, Binding at_least) const {
    return piece.binding >= at_least ? piece.text : parenthesized(piece.text, notation_);
  }

  std::string print_sum(NodeId id) const {
    std::string text;
    const auto append = [&](bool negative, const std::string& term) {
      if (text.empty())
        text = (negative ? "-" : "") + term;
      else
        text += (negative ? " - " : " + ") + term;
    };
    for (const auto& item : graph_.items(id)) {
      const Rational& coefficient = graph_.number(item);
      const bool negative = coefficient.sign() < 0;
      append(negative, print_bare_product(item.node, negative ? -coefficient : coefficient));
    }
    const Rational& constant = graph_.number(id);
    if (!constant.is_zero())
      append(constant.sign() < 0, print_number(constant.sign() < 0 ? -constant : constant, notation_));
    return text;
  }

  // coefficient × (the product's factors, or the node itself), coefficient > 0.
  std::string print_bare_product(NodeId id, const Rational& coefficient) const {
    std::vector<std::pair<NodeId, Rational>> factors;
    if (graph_.op(id) == Op::kProduct) {
      for (const auto& item : graph_.items(id)) factors.emplace_back(item.node, graph_.number(item));
    } else {
      factors.emplace_back(id, Rational(1));
    }
    // Parameters before coordinates before functions, as formulas are written.
    std::ranges::stable_sort(factors, {}, [&](const auto& factor) { return rank(factor.first); });
    std::vector<PrintedFactor> printed;
    for (const auto& [node, exponent] : factors) {
      const Piece piece = print(node);
      printed.push_back({piece.text, piece.binding == Binding::kAtom, exponent});
    }
    if (printed.size() == 1 && coefficient.is_one() && printed[0].exponent.is_one()) {
      // A sum or comparison inside a sum keeps its parentheses: it is one term.
      return printed[0].atomic ? printed[0].text : parenthesized(printed[0].text, notation_);
    }
    return print_product(coefficient, printed, notation_);
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
            return {6, s};
          case SymbolKind::kVelocity:
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
};

}  // namespace

std::string parenthesized(const std::string& inner, Notation notation) {
  return notation == Notation::kLatex ? "\\left(" + inner + "\\right)" : "(" + inner + ")";
}

std::string print_number(const Rational& value, Notation notation) {
  if (value.is_integer()) return value.to_string();
  const Rational denominator = value.denominator();
  if (denominator > Rational(32)) {
    // Denominators of 2s and 5s only: the decimal is exact.
    int digits = 0;
    Rational scaled = value;
    while (digits < 18 && !scaled.is_integer()) {
      scaled = scaled * Rational(10);
      ++digits;
    }
    if (scaled.is_integer()) {
      std::string text = (scaled.sign() < 0 ? -scaled : scaled).to_string();
      if (static_cast<int>(text.size()) <= digits)
        text.insert(0, static_cast<std::size_t>(digits) + 1 - text.size(), '0');
      text.insert(text.size() - static_cast<std::size_t>(digits), ".");
      return (value.sign() < 0 ? "-" : "") + text;
    }
  }
  if (notation == Notation::kText) return value.to_string();
  const bool negative = value.sign() < 0;
  return fmt::format("{}\\frac{{{}}}{{{}}}", negative ? "-" : "", (negative ? -value : value).numerator().to_string(),
                     denominator.to_string());
}

std::string latex_name(std::string_view name) {
  // head, then digits or what follows '_' as subscripts
  std::size_t end = name.find('_');
  std::string_view head = name.substr(0, end);
  std::vector<std::string> below;
  const std::size_t last = head.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last + 1 < head.size() && last + 1 > 0) {
    below.emplace_back(head.substr(last + 1));
    head = head.substr(0, last + 1);
  }
  while (end != std::string_view::npos) {
    const std::size_t next = name.find('_', end + 1);
    const std::string_view part = name.substr(end + 1, next == std::string_view::npos ? next : next - end - 1);
    const bool digits = part.find_first_not_of("0123456789") == std::string_view::npos;
    if (!part.empty()) below.push_back(digits ? std::string(part) : latex_name(part));
    end = next;
  }
  std::string text = letter(head);
  if (!below.empty()) text += fmt::format("_{{{}}}", fmt::join(below, ","));
  return text;
}

std::string print_symbol(const Symbol& symbol, Notation notation) {
  if (notation == Notation::kText) {
    switch (symbol.kind) {
      case SymbolKind::kVelocity:
        return symbol.name + "'";
      case SymbolKind::kAcceleration:
        return symbol.name + "''";
      case SymbolKind::kMultiplier:
        return "lambda(" + symbol.name + ")";
      default:
        return symbol.name;
    }
  }
  const std::string name = symbol.latex.empty() ? latex_name(symbol.name) : symbol.latex;
  // Dots stand over the letter, not over its index; a name with an exponent of its own is kept together.
  const std::size_t script = name.find_first_of("_^{");
  const bool indexed = script != std::string::npos && script > 0 && name[script] == '_';
  const auto dotted = [&](const std::string& dots) {
    return indexed ? dots + "{" + name.substr(0, script) + "}" + name.substr(script) : dots + "{" + name + "}";
  };
  switch (symbol.kind) {
    case SymbolKind::kVelocity:
      return dotted("\\dot");
    case SymbolKind::kAcceleration:
      return dotted("\\ddot");
    case SymbolKind::kMultiplier: {
      std::string row = symbol.name;
      // pin[1] and pin.x: the row's index follows the constraint's name in the subscript
      for (char& c : row)
        if (c == '[' || c == '.') c = ',';
      std::erase(row, ']');
      std::string shown;
      for (const char c : row) shown += c == '_' ? std::string("\\_") : std::string(1, c);
      return "\\lambda_{\\mathrm{" + shown + "}}";
    }
    default:
      return name.find('^') == std::string::npos ? name : "{" + name + "}";
  }
}

namespace {

// \\sin in \\sin \\theta and \\sin\\left(…\\right); 0 when no function that may bear an exponent stands there.
std::size_t length_of_function(std::string_view latex) {
  for (const FunctionInfo& function : functions()) {
    const std::string_view name = function.latex;
    const std::string_view rest = latex.substr(std::min(name.size(), latex.size()));
    if (function.power_on_name && latex.starts_with(name) && (rest.starts_with(" ") || rest.starts_with("\\left(")))
      return name.size();
  }
  return 0;
}

// An exponent behind e^{x} or ln x would be misread.
bool takes_exponent(std::string_view latex) {
  return !latex.starts_with("e^{") && !latex.starts_with("\\begin{") && !latex.starts_with("\\neg") &&
         !latex.starts_with("\\arc") && !latex.starts_with("\\exp") && !latex.starts_with("\\ln") &&
         !latex.starts_with("\\operatorname") && length_of_function(latex) == 0;
}

}  // namespace

std::string print_product(const Rational& coefficient, const std::vector<PrintedFactor>& factors, Notation notation) {
  const bool latex = notation == Notation::kLatex;
  const auto with_exponent = [&](const PrintedFactor& factor, const Rational& exponent, bool alone) {
    if (exponent == Rational(1, 2)) {
      return latex ? "\\sqrt{" + factor.text + "}" : "sqrt(" + factor.text + ")";
    }
    // sin² θ, not sin θ²
    const std::size_t name = latex && exponent.is_integer() ? length_of_function(factor.text) : 0;
    if (name > 0 && !exponent.is_one())
      return factor.text.substr(0, name) + "^{" + exponent.to_string() + "}" + factor.text.substr(name);
    const bool bare = (factor.atomic && (exponent.is_one() || !latex || takes_exponent(factor.text))) ||
                      (alone && exponent.is_one() && latex);
    const std::string base = bare ? factor.text : parenthesized(factor.text, notation);
    if (exponent.is_one()) return base;
    if (latex) return base + "^{" + exponent.to_string() + "}";
    return base + "^" + (exponent.is_integer() ? exponent.to_string() : "(" + exponent.to_string() + ")");
  };
  std::vector<PrintedFactor> above, below;
  for (const PrintedFactor& factor : factors) {
    if (factor.exponent.sign() > 0)
      above.push_back(factor);
    else
      below.push_back({factor.text, factor.atomic, -factor.exponent});
  }
  const std::string_view times = latex ? " " : "*";
  const auto join = [&](const std::vector<PrintedFactor>& list, const std::string& first) {
    std::string text = first;
    for (const PrintedFactor& factor : list) {
      if (!text.empty()) text += times;
      text += with_exponent(factor, factor.exponent, first.empty() && list.size() == 1 && !below.empty());
    }
    return text;
  };
  if (latex && !below.empty()) {
    const Rational n = coefficient.numerator(), d = coefficient.denominator();
    std::string top = join(above, n.is_one() ? "" : n.to_string());
    const std::string bottom = join(below, d.is_one() ? "" : d.to_string());
    return "\\frac{" + (top.empty() ? "1" : top) + "}{" + bottom + "}";
  }
  std::string text = join(above, coefficient.is_one() && !above.empty() ? "" : print_number(coefficient, notation));
  if (!below.empty()) {
    const std::string bottom = join(below, "");
    text += "/" + (below.size() > 1 ? parenthesized(bottom, notation) : bottom);
  }
  return text;
}

std::string print_function(Op op, const std::vector<std::string>& arguments, bool argument_atomic, Notation notation) {
  if (notation == Notation::kText) return fmt::format("{}({})", function_info(op).name, fmt::join(arguments, ", "));
  switch (op) {
    case Op::kAbs:
      return "\\left|" + arguments[0] + "\\right|";
    case Op::kExp: {
      // Powers of a parameter e have numbers for exponents.
      std::string left = arguments[0];
      if (const std::size_t bar = left.find("\\frac"); bar != std::string::npos) left.erase(bar, 5);
      const bool number = left.find_first_not_of("0123456789.-{}") == std::string::npos;
      return number ? "\\exp\\left(" + arguments[0] + "\\right)" : "e^{" + arguments[0] + "}";
    }
    case Op::kSelect:
      return fmt::format("\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                         arguments[1], arguments[0], arguments[2]);
    default:
      break;
  }
  const FunctionInfo& info = function_info(op);
  const std::string name =
      info.latex.empty() ? fmt::format("\\operatorname{{{}}}", info.name) : std::string(info.latex);
  if (argument_atomic && arguments.size() == 1) return name + " " + arguments[0];
  return name + fmt::format("\\left({}\\right)", fmt::join(arguments, ", "));
}

std::string print(const Expr& expression, Notation notation) {
  return Printer(expression.graph(), notation).print(expression.id()).text;
}
std::string to_text(const Expr& expression) {
  return Printer(expression.graph(), Notation::kText).print_node(expression.id()).text;
}
std::string to_latex(const Expr& expression) { return print(expression, Notation::kLatex); }

}  // namespace dalembert
