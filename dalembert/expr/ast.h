// SPDX-License-Identifier: Apache-2.0
// The result of parsing: a syntax tree stored in arrays, with the place of every node in the text. Names are not looked up yet.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dalembert/base/source.h"
#include "dalembert/expr/quantity.h"
#include "dalembert/expr/rational.h"

namespace dalembert {

/// The kind of a node, with the meaning of its members `detail`, `data`, `count` and `data_count`.
enum class AstKind : std::uint8_t {
  kError,       // text that could not be read; the error was reported
  kNumber,      // data: index into `numbers`
  kQuantity,    // a number with a unit; data: index into `numbers`, data_count: index into `units`
  kName,        // a name; data, count: range of name parts; detail: number of primes
  kComponent,   // P.x, top.omega.x: name parts as kName; detail: 0, 1, 2, of an angular velocity kAngularVelocity more
  kFrameEntry,  // wheel.R[i,j]: name parts as kName; children: i, j
  kInteger,     // {i-1}: one child, an integer expression
  kSum,         // a sum; `detail` of each child is '+' or '-'
  kProduct,     // a product; `detail` of each child is '*' or '/'
  kPower,       // a ^ b ^ c, right-associative; detail '-' of a child negates the exponent from there on: a^(-(b^c))
  kNegate,
  kCall,  // data: index into functions(); children: arguments
  kDot,
  kLambda,  // lambda(…): name parts as kName; detail: 'x' 'y' 'z' component, '[' index (one child), 0 neither
  kOfRow,  // gap(…), closed(…), impulse(…), friction(…), time(…), count(…): one child, the row as kLambda; data: index into kRowWords
  kOfRun,  // a function of a whole run (scope.h); data: the OfRun; children: the expression and, of at(e, t), the time
  kIf,     // three children: the condition and two values
  kSumOver,  // sum(i in a..b, e): name part is the index; children a, b, e
  kCompare,  // a comparison; detail '<' '>' 'l' (<=) 'g' (>=) '='
  kAnd,
  kOr,
  kNot,
};

/// What `detail` of a kComponent is above that of a point's, where it is of an angular velocity.
inline constexpr int kAngularVelocity = 3;

/// A word before the name of a row, a friction or an event in parentheses, and what its argument is called in messages.
struct RowWord {
  std::string_view word, takes;
};
inline constexpr RowWord kRowWords[] = {{"gap", "a constraint"},         {"closed", "a constraint"},
                                        {"impulse", "a constraint"},     {"friction", "a [[friction]]"},
                                        {"time", "an event or contact"}, {"count", "an event or contact"}};

struct AstNode {
  AstKind kind = AstKind::kError;
  char detail = 0;
  std::uint32_t begin = 0, end = 0;    ///< bytes [begin, end) of the text that the node was read from
  std::uint32_t first = 0, count = 0;  ///< children of the node, as a range of `links`
  std::uint32_t data = 0, data_count = 0;
};

struct Ast {
  struct Link {
    std::uint32_t node;
    char detail;
  };
  /// A piece of a name: letters as written, or the value of an integer expression.
  struct NamePart {
    std::uint32_t begin, end;
    std::int64_t node;  ///< the integer expression; -1 for letters
  };

  MappedText text;
  std::vector<AstNode> nodes;
  std::vector<Link> links;
  std::vector<NamePart> parts;
  std::vector<Rational> numbers;
  std::vector<WrittenUnit> units;
  std::uint32_t root = 0;

  const AstNode& operator[](std::uint32_t id) const { return nodes[id]; }
  const Link& child(const AstNode& node, std::uint32_t i) const { return links[node.first + i]; }
  Span span(const AstNode& node) const { return text.span(node.begin, node.end); }
  std::string_view written(const AstNode& node) const {
    return std::string_view(text.text).substr(node.begin, node.end - node.begin);
  }
};

}  // namespace dalembert
