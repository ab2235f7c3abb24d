// SPDX-License-Identifier: Apache-2.0
// Claims, the formulas to audit. They are read like outputs, but their units are not checked.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/expr/visit.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {
namespace {

// The position of the `=` of an equation, not of a comparison; npos if there is none.
std::size_t equals_sign(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    const bool compared = i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!');
    if (!doubled && !compared) return i;
    i += doubled ? 1 : 0;
  }
  return std::string_view::npos;
}

}  // namespace

// Claims are read last: all names are known then, and no unit may be deduced from a claim, which may be wrong.
void Loader::read_claims() {
  names_.use_dimensions(false);
  for (const Instance& instance : expand("claim")) read_claim(instance);
}

// The text as written, but with the values of the entry's indices in `{…}`.
std::string Loader::shown(const MappedText& text, const Indices& indices) {
  const auto replaced = indices.empty() ? Result<MappedText>(text) : replace_indices(text, names_, indices);
  return replaced ? replaced->text : text.text;
}

// Declares the names of constants, which the formula of this claim alone may contain.
bool Loader::add_constants(const Instance& instance, Claim& claim) {
  const Node* node = instance.node->find("constant");
  if (!node || node->bad) return !node;
  const std::vector<Node> one = {*node};
  for (const Node& item : node->is(Node::Type::kArray) ? node->items : one) {
    const std::string& name = item.text.text;
    if (!usable_name(name, item.text.span(), "constant")) return false;
    if (names_.declares(name)) {
      Diagnostic problem = error("E0008", fmt::format("`{}` is declared already", name), item.text.span());
      problem.help.emplace_back("a constant whose value is to be found has a name of its own");
      report(std::move(problem));
      return false;
    }
    claim.constants.push_back(
        names_.graph().add_symbol({name, SymbolKind::kShorthand, static_cast<int>(claim.constants.size()), {}}));
    names_.add_known(name, Meaning::known(claim.constants.back(), {}, true), item.text.span());
  }
  return true;
}

// The names of constants mean nothing outside of their claim. One that the formula does not contain has no value to be found.
void Loader::finish_constants(Claim& claim) {
  for (const Expr& constant : claim.constants) names_.remove_known(names_.graph().symbol_info(constant.symbol()).name);
  if (!claim.value) return;
  const std::vector<SymbolId> contained = symbols_in(std::array{claim.value});
  std::erase_if(claim.constants, [&](const Expr& constant) {
    if (std::ranges::binary_search(contained, constant.symbol())) return false;
    const std::string& name = names_.graph().symbol_info(constant.symbol()).name;
    Diagnostic problem =
        warning("W0326", fmt::format("the formula does not contain the constant `{}`", name), claim.span);
    problem.help.emplace_back("leave it out of `constant`, or write the formula with it");
    report(std::move(problem));
    return true;
  });
}

void Loader::read_claim(const Instance& instance) {
  const Node* value = instance.node->find("equals");
  const Node* entry = instance.node->find("entry");
  if (!value || !entry) return;  // a value of the wrong type was reported already
  Claim claim;
  auto name = replace_indices(entry->text, names_, instance.indices);
  if (!name) return report_all(name.diagnostics());
  claim.entry = std::move(name).value();
  claim.equation = equals_sign(value->text.text) != std::string_view::npos;
  claim.text = shown(value->text, instance.indices);
  claim.span = value->text.span();
  const bool declared = add_constants(instance, claim);
  names_.begin_parts();
  if (declared) claim.value = names_.lower(value->text, Role::kClaim, instance.indices, true).value;
  claim.parts = names_.parts();
  finish_constants(claim);
  if (const Node* source = instance.node->find("source")) claim.source = source->text.text;
  bool good = static_cast<bool>(claim.value);
  if (const Node* given = instance.node->find("given")) {
    const bool is_list = given->is(Node::Type::kArray);
    for (std::size_t i = 0; i < (is_list ? given->items.size() : 1); ++i) {
      auto condition = read_condition(is_list ? given->items[i] : *given, instance.indices);
      good = good && condition;
      if (condition) claim.given.push_back(*std::move(condition));
    }
  }
  if (good) model_.claims.push_back(std::move(claim));
}

// Reads a condition `left = right`; an expression without `=` means that it is 0.
std::optional<ClaimCondition> Loader::read_condition(const Node& node, const Indices& indices) {
  if (node.bad) return std::nullopt;
  const std::size_t sign = equals_sign(node.text.text);
  const bool whole = sign == std::string_view::npos;
  names_.begin_parts();
  const Expr left = names_.lower(whole ? node.text : node.text.part(0, sign), Role::kClaim, indices).value;
  const Expr right = whole ? model_.constant(0)
                           : names_.lower(node.text.part(sign + 1, node.text.text.size()), Role::kClaim, indices).value;
  if (!left || !right) return std::nullopt;
  return ClaimCondition{left, right, shown(node.text, indices), names_.parts(), node.text.span()};
}

}  // namespace dalembert::modelfile
