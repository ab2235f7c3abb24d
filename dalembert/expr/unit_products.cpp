// SPDX-License-Identifier: Apache-2.0
// Quantities in products whose unit has the name of a parameter: `x*3 L`.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/quantity.h"

namespace dalembert {
namespace {

// What the name of a unit means in the model, where that has a known dimension other than the unit's: then the text is read as the quantity.
std::optional<Dimension> other_meaning(const WrittenUnit& unit, const std::string& name, Scope& scope) {
  const Meaning meaning = scope.declares(name) ? scope.name(name) : Meaning{};
  if (meaning.state != Meaning::State::kKnown || meaning.value.op() != Op::kSymbol) return std::nullopt;
  const auto found = find_unit(name);
  const auto dimension = scope.dimensions().value(meaning.dimension);
  // A parameter and its unit have one dimension only where `lower` refuses the text.
  return found && dimension && !(*dimension == found->dimension) && !unit.whole ? dimension : std::nullopt;
}

class Products {
 public:
  Products(const Ast& ast, Scope& scope) : ast_(ast), scope_(scope) {}

  // Follows the factors of the text. Terms of a sum, arguments and conditions have a dimension that something else fixes.
  void look_at(std::uint32_t id, bool in_product) {
    const AstNode& node = ast_[id];
    switch (node.kind) {
      case AstKind::kQuantity:
        if (in_product) doubt(node);
        break;
      case AstKind::kProduct:
        for (std::uint32_t i = 0; i < node.count; ++i) look_at(ast_.child(node, i).node, true);
        break;
      case AstKind::kPower:
      case AstKind::kNegate:
      case AstKind::kOfRun:
        look_at(ast_.child(node, 0).node, in_product);
        break;
      case AstKind::kCall:
        if (node.count == 1 && functions()[node.data].rule != FunctionRule::kPure)
          look_at(ast_.child(node, 0).node, in_product);
        break;
      default:
        break;
    }
  }

  Diagnostics found;

 private:
  void doubt(const AstNode& node) {
    const WrittenUnit& unit = ast_.units[node.data_count];
    if (unit.names.size() != 1) return;
    const auto [begin, end] = unit.names.front();
    const std::string name = ast_.text.text.substr(begin, end - begin);
    const auto meant = other_meaning(unit, name, scope_);
    if (!meant) return;
    const std::string quantity = ast_.text.text.substr(node.begin, unit.end - node.begin);
    Diagnostic problem =
        warning("W0328", fmt::format("`{:.60}` is a quantity here, and `{}` a name in this model", quantity, name),
                ast_.text.span(node.begin, unit.end), "either would fit, as nothing fixes the unit of this product");
    problem.notes.push_back(fmt::format("the unit is {}, the model's `{}` is in {}", unit_name(unit.unit.dimension),
                                        name, unit_name(*meant)));
    const std::string number = ast_.text.text.substr(node.begin, unit.begin - node.begin);
    problem.help.push_back(fmt::format("write `{}*{}` for the product", number.substr(0, number.find(' ')), name));
    problem.help.push_back(fmt::format("write `({:.60})` for the quantity", quantity));
    found.push_back(std::move(problem));
  }

  const Ast& ast_;
  Scope& scope_;
};

}  // namespace

Diagnostics doubtful_quantities(const Ast& ast, Scope& scope) {
  if (ast.units.empty() || !scope.dimensions().on()) return {};
  Products products(ast, scope);
  products.look_at(ast.root, false);
  return std::move(products.found);
}

}  // namespace dalembert
