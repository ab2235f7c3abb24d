// SPDX-License-Identifier: Apache-2.0
// Taylor polynomials of several variables about a point, truncated by degree, over any field of numbers.
//
// A function of a polynomial is computed from the differential equation of the function, with Euler's operator E = Σ x_i ∂/∂x_i,
// which multiplies terms of degree d by d: b = a^e satisfies a·Eb = e·b·Ea. So a function costs one or two products (Griewank &
// Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, §13.2), and the field only has to provide its value at the point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dalembert {

/// The monomials of a number of variables up to a degree, ordered by degree, and a table of their products.
class Monomials {
 public:
  Monomials(int variables, int degree);
  /// The number of monomials, and the number of pairs whose product has at most that degree: the cost of a product. Saturates.
  static double count(int variables, int degree);
  static double pairs(int variables, int degree) { return count(2 * variables, degree); }

  int variables() const { return variables_; }
  int degree() const { return degree_; }
  /// Index of the first monomial of degree d.
  std::size_t begin(int d) const { return begin_[static_cast<std::size_t>(d)]; }
  std::size_t size(int d) const { return begin_[static_cast<std::size_t>(d) + 1]; }
  int exponent(std::size_t monomial, int variable) const {
    return exponents_[monomial * static_cast<std::size_t>(variables_) + static_cast<std::size_t>(variable)];
  }
  std::size_t product(std::size_t a, std::size_t b) const { return products_[a][b]; }
  std::size_t times(std::size_t monomial, int variable) const {
    return times_[monomial * static_cast<std::size_t>(variables_) + static_cast<std::size_t>(variable)];
  }

 private:
  int variables_, degree_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint8_t> exponents_;
  std::vector<std::uint32_t> times_;                  // products [monomial][variable], for deg monomial < degree
  std::vector<std::vector<std::uint32_t>> products_;  // products of monomials [a][b], for deg a + deg b ≤ degree
};

/// Polynomials are lists of coefficients in the order of the monomials; an empty one is 0.
template <class Field>
class Taylor {
 public:
  using Number = typename Field::Number;
  using Polynomial = std::vector<Number>;

  Taylor(const Field& field, int variables, int degree) : field_(field), monomials_(variables, degree) {
    for (int d = 0; d <= degree; ++d) {
      degrees_.push_back(field.of(d));
      over_.push_back(d == 0 ? field.zero() : field.inverse(field.of(d)));
    }
  }
  const Field& field() const { return field_; }
  const Monomials& monomials() const { return monomials_; }
  int degree() const { return monomials_.degree(); }
  double work() const { return work_; }  ///< number of multiplications so far

  Polynomial constant(const Number& value) const {
    if (field_.is_zero(value)) return {};
    Polynomial p(monomials_.size(degree()), field_.zero());
    p[0] = value;
    return p;
  }
  Number value(const Polynomial& p) const { return p.empty() ? field_.zero() : p[0]; }
  bool is_constant(const Polynomial& p) const {
    return std::all_of(p.empty() ? p.begin() : p.begin() + 1, p.end(),
                       [&](const Number& x) { return field_.is_zero(x); });
  }

  void add_to(Polynomial& sum, const Polynomial& p, const Number& factor) const {
    if (p.empty()) return;
    if (sum.empty()) sum.assign(monomials_.size(degree()), field_.zero());
    for (std::size_t i = 0; i < p.size(); ++i)
      if (!field_.is_zero(p[i])) sum[i] = field_.add(sum[i], field_.multiply(factor, p[i]));
    work_ += static_cast<double>(p.size());
  }
  Polynomial scaled(const Polynomial& p, const Number& factor) const {
    Polynomial result;
    if (!field_.is_zero(factor)) add_to(result, p, factor);
    return result;
  }
  /// The product up to degree `up_to`; terms above it stay 0.
  Polynomial product(const Polynomial& a, const Polynomial& b, int up_to) const {
    if (a.empty() || b.empty()) return {};
    Polynomial c(monomials_.size(degree()), field_.zero());
    add_product(c, a, b, up_to);
    return c;
  }
  Polynomial product(const Polynomial& a, const Polynomial& b) const { return product(a, b, degree()); }

  /// a^e with the given value at the point, where a must not be 0.
  Polynomial power(const Polynomial& a, const Number& exponent, const Number& value_there) const {
    return solved(value_there, field_.inverse(a[0]), [&](Polynomial& b, int d) {
      // b = a^e satisfies a·Eb = e·b·Ea, with E = Σ x_i ∂/∂x_i. The terms of degree d, where a_i is the part of a of
      // degree i, give d a₀ b_d = Σ (e·i − j) a_i b_j over i + j = d, i > 0.
      for (int i = 1; i <= d; ++i) {
        const Number factor = field_.subtract(field_.multiply(exponent, degrees_[static_cast<std::size_t>(i)]),
                                              degrees_[static_cast<std::size_t>(d - i)]);
        add_of_degrees(b, a, i, b, d - i, factor);
      }
    });
  }
  Polynomial inverse(const Polynomial& a) const { return power(a, field_.of(-1), field_.inverse(a[0])); }
  Polynomial exponential(const Polynomial& a, const Number& value_there) const {
    return solved(value_there, field_.one(), [&](Polynomial& b, int d) {
      for (int i = 1; i <= d && !a.empty(); ++i)
        add_of_degrees(b, a, i, b, d - i, degrees_[static_cast<std::size_t>(i)]);
    });
  }
  struct Circle {
    Polynomial cosine, sine;
  };
  Circle circle(const Polynomial& a, const Number& cosine, const Number& sine) const {
    Circle at{Polynomial(monomials_.size(degree()), field_.zero()),
              Polynomial(monomials_.size(degree()), field_.zero())};
    at.cosine[0] = cosine;
    at.sine[0] = sine;
    for (int d = 1; d <= degree() && !a.empty(); ++d) {
      for (int i = 1; i <= d; ++i) {
        const Number factor = degrees_[static_cast<std::size_t>(i)];
        add_of_degrees(at.sine, a, i, at.cosine, d - i, factor);
        add_of_degrees(at.cosine, a, i, at.sine, d - i, field_.negative(factor));
      }
      divide(at.sine, d, field_.one());
      divide(at.cosine, d, field_.one());
    }
    return at;
  }
  /// The polynomial b with derivative db/da = `slope` and the given value at the point.
  Polynomial integrated(const Polynomial& slope, const Polynomial& a, const Number& value_there) const {
    Polynomial b(monomials_.size(degree()), field_.zero());
    b[0] = value_there;
    if (a.empty()) return b;
    for (int d = 1; d <= degree(); ++d) {
      for (int i = 1; i <= d && !slope.empty(); ++i)
        add_of_degrees(b, a, i, slope, d - i, degrees_[static_cast<std::size_t>(i)]);
      divide(b, d, field_.one());
    }
    return b;
  }
  /// Adds factor · ∂p/∂x_i up to degree `up_to`, or subtracts it.
  void add_derivative(Polynomial& sum, const Polynomial& p, int variable, const Polynomial& factor, int up_to,
                      bool negative) const {
    if (p.empty() || factor.empty()) return;
    Polynomial slope(monomials_.size(degree()), field_.zero());
    bool any = false;
    for (std::size_t i = 0; i < monomials_.size(up_to); ++i) {
      const std::size_t above = monomials_.times(i, variable);
      if (field_.is_zero(p[above])) continue;
      const Number times = degrees_[static_cast<std::size_t>(monomials_.exponent(i, variable) + 1)];
      slope[i] = field_.multiply(negative ? field_.negative(times) : times, p[above]);
      any = true;
    }
    if (!any) return;
    if (sum.empty()) sum.assign(monomials_.size(degree()), field_.zero());
    add_product(sum, slope, factor, up_to);
  }

 private:
  template <class Step>
  Polynomial solved(const Number& start, const Number& over, const Step& step) const {
    Polynomial b(monomials_.size(degree()), field_.zero());
    b[0] = start;
    for (int d = 1; d <= degree(); ++d) {
      step(b, d);
      divide(b, d, over);
    }
    return b;
  }
  void divide(Polynomial& b, int d, const Number& over) const {
    const Number factor = field_.multiply(over, over_[static_cast<std::size_t>(d)]);
    for (std::size_t k = monomials_.begin(d); k < monomials_.size(d); ++k) b[k] = field_.multiply(b[k], factor);
  }
  // target += factor · (a of degree i) · (b of degree j)
  void add_of_degrees(Polynomial& target, const Polynomial& a, int i, const Polynomial& b, int j,
                      const Number& factor) const {
    for (std::size_t k = monomials_.begin(i); k < monomials_.size(i); ++k) {
      if (field_.is_zero(a[k])) continue;
      const Number by = field_.multiply(factor, a[k]);
      for (std::size_t l = monomials_.begin(j); l < monomials_.size(j); ++l) {
        Number& to = target[monomials_.product(k, l)];
        to = field_.add(to, field_.multiply(by, b[l]));
      }
      work_ += static_cast<double>(monomials_.size(j) - monomials_.begin(j));
    }
  }
  void add_product(Polynomial& c, const Polynomial& a, const Polynomial& b, int up_to) const {
    for (int i = 0; i <= up_to; ++i)
      for (std::size_t k = monomials_.begin(i); k < monomials_.size(i); ++k) {
        if (field_.is_zero(a[k])) continue;
        const std::size_t end = monomials_.size(up_to - i);
        for (std::size_t l = 0; l < end; ++l) {
          if (field_.is_zero(b[l])) continue;
          Number& to = c[monomials_.product(k, l)];
          to = field_.add(to, field_.multiply(a[k], b[l]));
        }
        work_ += static_cast<double>(end);
      }
  }

  const Field& field_;
  Monomials monomials_;
  std::vector<Number> degrees_, over_;  // the numbers d and 1/d for each degree d
  mutable double work_ = 0;
};

}  // namespace dalembert
