// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/common_terms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/expr/unicode.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

// Expressions of at most this many nodes, written out, get no names; 400 nodes are about 2000 characters.
constexpr double kReadable = 400;
// Shared expressions of at most this many nodes, such as cos(a - b), are written out.
constexpr double kShort = 4;
// In deep nests of functions a name is introduced every kLevels levels.
constexpr int kLevels = 25;

bool replaceable(const FormulaToken& open) {
  return open.kind == Kind::kOpen && open.group != Group::kNone && open.group != Group::kScript &&
         open.group != Group::kCases;
}

// A case distinction is not broken up: no part of it gets a name.
bool sealed(const FormulaToken& open) { return open.kind == Kind::kOpen && open.group == Group::kCases; }

}  // namespace

int CommonTerms::name(FormulaPart content) {
  const auto [found, made] = names_.emplace(formula_key(content), size());
  if (made) {
    definitions_.emplace_back(content.begin(), content.end());
    match_brackets(definitions_.back());
  }
  return found->second;
}

std::vector<Formula> CommonTerms::repeated(const std::vector<const Formula*>& formulas) {
  // Each different content is searched only once, so that its parts are not counted again.
  struct Use {
    FormulaPart content;
    int count = 0;
  };
  std::unordered_map<std::string, std::size_t> index;
  std::vector<Use> uses;
  std::vector<FormulaPart> todo;
  for (const Formula* formula : formulas) todo.emplace_back(*formula);
  for (std::size_t next = 0; next < todo.size(); ++next) {
    const FormulaPart part = todo[next];
    const std::size_t alone = next < formulas.size() ? lone_sum(part) : part.size();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].kind != Kind::kOpen) continue;
      const FormulaPart content = content_of(part, i);
      if (sealed(part[i])) i += content.size() + 1;
      if (!replaceable(part[i]) || !is_sum(content)) continue;
      const auto [found, first] = index.emplace(formula_key(content), uses.size());
      if (first) {
        uses.push_back({content, 0});
        todo.push_back(content);
      }
      if (i != alone) ++uses[found->second].count;
      i += content.size() + 1;
    }
  }
  std::erase_if(uses, [](const Use& use) { return use.count < 2; });
  std::ranges::stable_sort(uses, {}, [](const Use& use) { return use.content.size(); });
  std::vector<Formula> contents;
  for (const Use& use : uses) contents.emplace_back(use.content.begin(), use.content.end());
  return contents;
}

Formula CommonTerms::replaced(FormulaPart formula, bool whole) const {
  const auto named = [&](FormulaPart part) { return names_.find(formula_key(part)); };
  if (names_.empty()) return {formula.begin(), formula.end()};
  if (whole)
    if (const auto found = named(formula); found != names_.end()) return name_formula(found->second);
  const std::size_t alone = whole ? formula.size() : lone_sum(formula);
  Formula result;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (!replaceable(formula[i])) {
      const std::size_t last = sealed(formula[i]) ? i + content_of(formula, i).size() + 1 : i;
      for (; i < last; ++i) result.push_back(formula[i]);
      result.push_back(formula[i]);
      continue;
    }
    const FormulaPart content = content_of(formula, i);
    const Formula inner = replaced(content, i != alone);
    const std::size_t end = i + content.size() + 1;
    // Parentheses around a name are dropped; functions and fractions keep theirs.
    const bool bare = formula[i].group == Group::kParentheses && inner.size() == 1 && inner[0].kind == Kind::kName;
    if (!bare) result.push_back(formula[i]);
    result.insert(result.end(), inner.begin(), inner.end());
    if (!bare && end < formula.size()) result.push_back(formula[end]);
    i = end;
  }
  match_brackets(result);
  // The whole formula may have got its own name after its parts had got theirs, so it is looked up with their names in.
  if (whole)
    if (const auto found = named(result); found != names_.end()) return name_formula(found->second);
  return result;
}

Formula CommonTerms::definition(int name) const {
  return replaced(definitions_[static_cast<std::size_t>(name)], false);
}

// ---------------------------------------------------------------------------------------------------------- NameWriter

NameWriter::NameWriter(const Graph& graph, Notation notation) : notation_(notation) {
  const auto taken = [&](const std::string& letter) {
    for (std::size_t s = 0; s < graph.symbol_count(); ++s) {
      const Symbol& symbol = graph.symbol_info(static_cast<SymbolId>(s));
      for (const std::string& name : {symbol.name, symbol.latex})
        if (name.starts_with(letter) &&
            (name.size() == letter.size() || !std::isalpha(static_cast<unsigned char>(name[letter.size()]))))
          return true;
    }
    return false;
  };
  for (std::string many = ""; letter_.empty(); many += "z")
    for (const char* letter : {"z", "w", "s", "u", "y", "r"})
      if (letter_.empty() && !taken(many + letter)) letter_ = many + letter;
}

std::string NameWriter::symbol(int name) {
  const auto [found, first] = shown_.emplace(name, static_cast<int>(shown_.size()) + 1);
  if (first) undefined_.push_back(name);
  if (found->second <= before_) recalled_.insert(found->second);
  const std::string number = std::to_string(found->second);
  if (notation_ == Notation::kText) return letter_ + number;
  if (notation_ == Notation::kUnicode) return unicode_name(letter_ + number);
  return (letter_.size() > 1 ? "\\mathrm{" + letter_ + "}" : letter_) + "_{" + number + "}";
}

std::string NameWriter::text(FormulaPart part) {
  std::string text;
  for (const FormulaToken& token : part) text += token.kind == Kind::kName ? symbol(token.name) : token.text;
  return text;
}

std::vector<int> NameWriter::take_undefined() { return std::exchange(undefined_, {}); }

std::set<int> NameWriter::take_recalled() {
  before_ = shown();
  return std::exchange(recalled_, {});
}

std::vector<int> undefined_names(NameWriter& names, const CommonTerms& terms) {
  std::vector<int> all = names.take_undefined();
  for (std::size_t i = 0; i < all.size(); ++i) {
    names.text(terms.definition(all[i]));
    const std::vector<int> more = names.take_undefined();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// --------------------------------------------------------------------------------------------------------- SharedNodes

namespace {

// The node with its operands replaced by their current values.
template <class Now>
Expr rebuilt(Graph& graph, NodeId id, const Now& now) {
  if (std::ranges::all_of(graph.items(id), [&](const Graph::Item& item) { return now(item).id() == item.node; }))
    return {&graph, id};
  const auto items = std::vector<Graph::Item>(graph.items(id).begin(), graph.items(id).end());
  const Op op = graph.op(id);
  if (op == Op::kSum) {
    std::vector<Graph::Term> terms{{graph.constant(graph.number(id)), 1}};
    for (const auto& item : items) terms.push_back({now(item), graph.number(item)});
    return graph.sum(terms);
  }
  std::vector<Expr> arguments;
  if (op == Op::kProduct) {
    arguments.push_back(graph.constant(graph.number(id)));
    for (const auto& item : items) arguments.push_back(graph.power(now(item), Rational(graph.number(item))));
    return graph.product(arguments);
  }
  for (const auto& item : items) arguments.push_back(now(item));
  return op == Op::kPower ? graph.power(arguments[0], arguments[1]) : graph.function(op, arguments);
}

}  // namespace

Formula SharedNodes::print(const Expr& expression) {
  const std::vector<NodeId> nodes = reachable(std::array{expression});
  // For each node: its size written out, the number of its uses, the nesting since the last name, and its replacement.
  struct Part {
    double written = 1;
    int uses = 0, levels = 1;
    Expr now;  // set from the beginning if the node has a name
  };
  std::vector<Part> parts(nodes.size());
  if (place_.size() <= nodes.back()) place_.resize(nodes.back() + std::size_t{1});
  const auto part = [&](NodeId id) -> Part& { return parts[place_[id]]; };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    place_[nodes[k]] = static_cast<std::uint32_t>(k);
    if (const auto known = symbols_.find(nodes[k]); known != symbols_.end()) parts[k].now = known->second;
    int deepest = 0;
    for (const auto& item : graph_.items(nodes[k])) {
      Part& used = part(item.node);
      parts[k].written += used.now ? 1 : used.written;
      if (!used.now) deepest = std::max(deepest, used.levels % kLevels);
      ++used.uses;
    }
    parts[k].levels = deepest + 1;
  }
  const bool readable = part(expression.id()).written <= kReadable;

  // Children come before parents, so each node is rebuilt with the names of its operands.
  const auto now = [&](const Graph::Item& item) -> const Expr& { return part(item.node).now; };
  for (const NodeId id : nodes) {
    Part& here = part(id);
    if (here.now) continue;
    Expr value = rebuilt(graph_, id, now);
    const bool deep = here.levels == kLevels && id != expression.id();
    if (!readable && (here.uses > 1 || deep) && here.written > kShort) {
      const auto number = static_cast<int>(definitions_.size());
      const std::string name = provisional_name(number);
      definitions_.push_back(formula(value, notation_, &names_));
      value = graph_.add_symbol({name, SymbolKind::kShorthand, 0, name});
      names_.emplace(value.symbol(), number);
      symbols_.emplace(id, value);
    }
    here.now = value;
  }
  return formula(part(expression.id()).now, notation_, &names_);
}

std::size_t SharedNodes::length(const Formula& printed) const {
  std::size_t total = key_length(printed);
  std::vector<bool> seen(definitions_.size());
  std::vector<const Formula*> todo{&printed};
  while (!todo.empty()) {
    const Formula& next = *todo.back();
    todo.pop_back();
    for (const FormulaToken& token : next) {
      const auto name = static_cast<std::size_t>(token.name);
      if (token.kind != Kind::kName || name >= seen.size() || seen[name]) continue;
      seen[name] = true;
      total += key_length(definitions_[name]);
      todo.push_back(&definitions_[name]);
    }
  }
  return total;
}

}  // namespace dalembert
