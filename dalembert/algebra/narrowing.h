// SPDX-License-Identifier: Apache-2.0
// Narrows a box of variables to a smaller box that contains the same solutions of given equations.
//
//   forward    bounds of every node of the expressions from those of its arguments
//   backward   from f = 0 down: bounds of every argument from those of the node and of the other arguments
//
// Bounds are rounded outwards and may be infinite. A box that becomes empty contains no solution, which is a proof.
// Source: Benhamou, Goualard, Granvilliers & Puget, Revising hull and box consistency, ICLP 1999, 230-244 (HC4).
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// An interval of the real line, lower ≤ value ≤ upper, whose bounds may be infinite. It is empty if lower > upper.
struct Stretch {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();

  bool empty() const { return !(lower <= upper); }
  bool finite() const {
    return lower > -std::numeric_limits<double>::infinity() && upper < std::numeric_limits<double>::infinity();
  }
  double width() const { return upper - lower; }
  double middle() const { return lower + (upper - lower) / 2; }
  bool contains(double x) const { return lower <= x && x <= upper; }
};
using Box = std::vector<Stretch>;

Stretch operator+(const Stretch& a, const Stretch& b);
Stretch operator-(const Stretch& a, const Stretch& b);
Stretch operator*(const Stretch& a, const Stretch& b);
Stretch operator/(const Stretch& a, const Stretch& b);  ///< the whole line if b contains 0
Stretch intersection(const Stretch& a, const Stretch& b);

/// Functions of some variables as a list of nodes; all other symbols have fixed values.
class BoundedFunctions {
 public:
  BoundedFunctions(std::span<const Expr> functions, std::span<const Expr> variables,
                   const std::function<double(SymbolId)>& value_of);

  /// Whether all functions in the expressions have bounds here; abs, floor, if and others have none. If false, nothing below may be used.
  bool known() const { return known_; }
  /// Bounds of the functions over the box; empty where a function has no real value.
  void bound(const Box& box, std::vector<Stretch>& values);
  /// Narrows the box to a part that contains all points where all functions are 0. False: there is no such point.
  bool narrow_to_zeros(Box& box);

 private:
  struct Item {
    std::size_t node = 0;
    Stretch coefficient{1, 1};    // coefficient of the child, if the node is a sum
    int numerator = 1, root = 1;  // exponent numerator/root of the child, if the node is a product
  };
  struct Node {
    Op op = Op::kConstant;
    int variable = -1;
    Stretch number;  // value of a constant, c0 of a sum, c of a product
    std::vector<Item> items;
  };

  void forward(const Box& box);
  Stretch value_of(const Node& node) const;
  bool backward(const Node& node, const Stretch& known);
  bool meet(std::size_t node, const Stretch& range);

  bool known_ = true;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
  std::vector<Stretch> value_;
};

}  // namespace dalembert
