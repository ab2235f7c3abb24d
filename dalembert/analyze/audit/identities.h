// SPDX-License-Identifier: Apache-2.0
// Identities of roots, logarithms and inverse functions that canonical forms do not know. Inside analyze only.
//
// Each rule turns a formula into another one that has the same value wherever the first has a value, given that p > 0
// and, where stated, u ≠ 0. Here p is a formula that is positive by its form, or by the signs of parameters. So
// formulas that become the same are equal wherever both have a value.
//
//   1 + sinh² u = cosh² u below roots, by exp u
//   (p u)^r = p^r u^r          (u²ᵏ w)^r = |u|^(2kr) w^r, w ≥ 0       p^x = exp(x log p)
//   log(p u) = log p + log u   log(u²ᵏ w) = 2k log|u| + log w           log(exp u) = u, exp(log u) = u
//   |u v| = |u| |v|, |p| = p   sign u = u/|u|, u ≠ 0                     acos u = π/2 − asin u
//   atan2(p u, p v) = atan2(u, v)    atan2(u, p) = atan(u/p)             atan(1/p) = π/2 − atan p
//   asin and atan of the sine and tangent of multiples of π/12; arguments of functions are treated likewise
#pragma once

#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/nonzero.h"

namespace dalembert {

class Identities {
 public:
  Identities(Canonicalizer& canonicalizer, KnownSigns signs)
      : canonicalizer_(canonicalizer), graph_(canonicalizer.graph()), signs_(std::move(signs)) {}

  Expr normalized(Expr expression);

  /// Parameters whose signs were used, and expressions that were assumed not to be 0.
  const std::vector<SymbolId>& signs_used() const { return used_; }
  const std::vector<Expr>& nonzero() const { return nonzero_; }

 private:
  struct Power {
    Expr base;
    Rational exponent;
  };
  // The product c Π base^exponent.
  struct Product {
    Rational coefficient = 1;
    std::vector<Power> powers;
  };
  Product factors(const Expr& e);
  Expr together(const Product& product);
  Expr tidy(const Expr& e);
  Expr once(const Expr& e);
  Expr root(const Expr& base, const Rational& exponent);
  Expr logarithm(const Expr& of);
  Expr magnitude(const Expr& of);
  Expr function(Op op, const std::vector<Expr>& arguments);
  Expr arctangent2(const Expr& y, const Expr& x);
  Expr angle_of(Op op, const Expr& value);
  bool positive(const Expr& e);

  Canonicalizer& canonicalizer_;
  Graph& graph_;
  KnownSigns signs_;
  std::vector<SymbolId> used_;
  std::vector<Expr> nonzero_;
};

}  // namespace dalembert
