// SPDX-License-Identifier: Apache-2.0
// Enclosures of any precision by Arb: Johansson, Arb: efficient arbitrary-precision midpoint-radius interval
// arithmetic, IEEE Transactions on Computers 66 (2017), doi:10.1109/TC.2017.2690633.
#ifdef DALEMBERT_HAS_ARB

#include <arb.h>
#include <arb_hypgeom.h>
#include <arf.h>
#include <flint/fmpq.h>
#include <mag.h>

#include "dalembert/algebra/enclosed_evaluation.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/flint_memory.h"

namespace dalembert {
namespace {

class BallNumber {
 public:
  using Maybe = std::optional<BallNumber>;
  BallNumber() { arb_init(x_); }
  BallNumber(const BallNumber& other) : BallNumber() { arb_set(x_, other.x_); }
  BallNumber(BallNumber&& other) noexcept : BallNumber() { arb_swap(x_, other.x_); }
  BallNumber& operator=(const BallNumber& other) {
    arb_set(x_, other.x_);
    return *this;
  }
  BallNumber& operator=(BallNumber&& other) noexcept {
    arb_swap(x_, other.x_);
    return *this;
  }
  ~BallNumber() { arb_clear(x_); }

  static Maybe of(const Rational& value, long bits) {
    fmpq_t q;
    fmpq_init(q);
    BallNumber ball;
    if (fmpq_set_str(q, value.to_string().c_str(), 10) == 0) {
      fmpq_canonicalise(q);
      arb_set_fmpq(ball.x_, q, bits);
    } else {
      arb_indeterminate(ball.x_);
    }
    fmpq_clear(q);
    return checked(std::move(ball));
  }
  static Maybe pi(long bits) {
    return make([&](arb_t y) { arb_const_pi(y, bits); });
  }
  static Maybe between(double lower, double upper) {
    return make([&](arb_t y) {
      arf_t a, b;
      arf_init(a);
      arf_init(b);
      arf_set_d(a, lower);
      arf_set_d(b, upper);
      arb_set_interval_arf(y, a, b, 128);
      arf_clear(a);
      arf_clear(b);
    });
  }
  static Maybe add(const BallNumber& a, const BallNumber& b, long bits) {
    return make([&](arb_t y) { arb_add(y, a.x_, b.x_, bits); });
  }
  static Maybe subtract(const BallNumber& a, const BallNumber& b, long bits) {
    return make([&](arb_t y) { arb_sub(y, a.x_, b.x_, bits); });
  }
  static Maybe multiply(const BallNumber& a, const BallNumber& b, long bits) {
    return make([&](arb_t y) { arb_mul(y, a.x_, b.x_, bits); });
  }
  static Maybe power(const BallNumber& a, int exponent, long bits) {
    return make([&](arb_t y) {
      fmpz_t e;
      fmpz_init_set_si(e, exponent);
      arb_pow_fmpz(y, a.x_, e, bits);
      fmpz_clear(e);
    });
  }
  static Maybe power(const BallNumber& a, const BallNumber& b, long bits) {
    return make([&](arb_t y) { arb_pow(y, a.x_, b.x_, bits); });
  }
  static Maybe root(const BallNumber& a, long bits) {
    return make([&](arb_t y) { arb_sqrt(y, a.x_, bits); });
  }
  static Maybe hull(const BallNumber& a, const BallNumber& b, long bits) {
    return make([&](arb_t y) { arb_union(y, a.x_, b.x_, bits); });
  }
  static Maybe arctangent2(const BallNumber& y, const BallNumber& x, long bits) {
    return make([&](arb_t z) { arb_atan2(z, y.x_, x.x_, bits); });
  }
  static Maybe function(Op op, const BallNumber& a, long bits) {
    using Function = void (*)(arb_t, const arb_t, slong);
    const auto known = [&]() -> Function {
      switch (op) {
        case Op::kSin:
          return arb_sin;
        case Op::kCos:
          return arb_cos;
        case Op::kTan:
          return arb_tan;
        case Op::kAsin:
          return arb_asin;
        case Op::kAcos:
          return arb_acos;
        case Op::kAtan:
          return arb_atan;
        case Op::kSinh:
          return arb_sinh;
        case Op::kCosh:
          return arb_cosh;
        case Op::kTanh:
          return arb_tanh;
        case Op::kErf:
          return arb_hypgeom_erf;
        case Op::kExp:
          return arb_exp;
        case Op::kLog:
          return arb_log;
        default:
          return nullptr;  // a function without a counterpart in Arb has no enclosure
      }
    }();
    if (!known) return std::nullopt;
    return make([&](arb_t y) { known(y, a.x_, bits); });
  }

  int sign() const { return arb_is_positive(x_) ? 1 : arb_is_negative(x_) ? -1 : 0; }
  bool may_be_negative() const { return arb_contains_negative(x_) != 0; }
  double nearest() const { return arf_get_d(arb_midref(x_), ARF_RND_NEAR); }
  double radius() const { return mag_get_d(arb_radref(x_)); }
  double lower_bound() const { return bound(arb_get_lbound_arf, ARF_RND_FLOOR); }
  double upper_bound() const { return bound(arb_get_ubound_arf, ARF_RND_CEIL); }
  std::string text(int digits) const {
    char* made = arb_get_str(x_, digits, ARB_STR_NO_RADIUS);
    std::string result = made;
    flint_free(made);
    return result;
  }

 private:
  double bound(void (*take)(arf_t, const arb_t, slong), arf_rnd_t rounding) const {
    arf_t y;
    arf_init(y);
    take(y, x_, 64);
    const double value = arf_get_d(y, rounding);
    arf_clear(y);
    return value;
  }
  // Squaring doubles the length of the exponent. Numbers beyond 2^±kLargestExponent are given up: no useful number is so large or small.
  static bool too_far(const arb_t x) {
    const auto middle = arb_midref(x);
    return arf_cmpabs_2exp_si(middle, kLargestExponent) > 0 || mag_cmp_2exp_si(arb_radref(x), kLargestExponent) > 0 ||
           (!arf_is_zero(middle) && arf_cmpabs_2exp_si(middle, -kLargestExponent) < 0);
  }
  static Maybe checked(BallNumber&& ball) {
    if (!arb_is_finite(ball.x_) || too_far(ball.x_)) return std::nullopt;
    return Maybe(std::move(ball));
  }
  template <class Make>
  static Maybe make(Make&& fill) {
    BallNumber ball;
    fill(ball.x_);
    return checked(std::move(ball));
  }

  static constexpr slong kLargestExponent = slong{1} << 40;

  arb_t x_;
};

}  // namespace

bool has_balls() { return true; }

Sign ball_sign(const Expr& expression, const EnclosedPoint& point, std::size_t exact_bits, long bits) {
  use_flint_memory();
  return sign_with<BallNumber>(expression, point, exact_bits, bits);
}

Separation ball_separation(const Expr& a, const Expr& b, const EnclosedPoint& point, std::span<const Expr> nonzero,
                           std::size_t exact_bits, long bits) {
  use_flint_memory();
  return separate_with<BallNumber>(a, b, point, nonzero, exact_bits, bits);
}

}  // namespace dalembert

#endif
