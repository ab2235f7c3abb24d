// SPDX-License-Identifier: Apache-2.0
// Plane geometry for models written in C++:
//
//   const Vec2 A = 2 * L1 * direction(theta);    model.kinetic(m / 2 * norm2(dot(A)));    model.gravity(Vec2{0, -g});
//
// dot(...) is the time derivative, as in model files; the scalar product is inner(a, b).
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/scope.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"

namespace dalembert {

/// Components along the ground axes. One of them may be a number: `Vec2{x, 0}`. Converts to the model's Vector.
struct Vec2 {
  Expr x, y;

  Vec2(const Expr& x_, const Expr& y_) : x(x_), y(y_) {}
  template <Number T>
  Vec2(const Expr& x_, const T& y_) : x(x_), y(x_.graph().constant(to_rational(y_))) {}
  template <Number T>
  Vec2(const T& x_, const Expr& y_) : x(y_.graph().constant(to_rational(x_))), y(y_) {}
  operator Vector() const { return {x, y}; }
};

inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator-(const Vec2& a) { return {-a.x, -a.y}; }
inline Vec2 operator*(const Expr& s, const Vec2& a) { return {s * a.x, s * a.y}; }
inline Vec2 operator*(const Vec2& a, const Expr& s) { return s * a; }
inline Vec2 operator/(const Vec2& a, const Expr& s) { return {a.x / s, a.y / s}; }
template <Number T>
Vec2 operator*(const T& s, const Vec2& a) {
  return {s * a.x, s * a.y};
}
template <Number T>
Vec2 operator*(const Vec2& a, const T& s) {
  return s * a;
}
template <Number T>
Vec2 operator/(const Vec2& a, const T& s) {
  return {a.x / s, a.y / s};
}

inline Expr inner(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
inline Expr norm2(const Vec2& a) { return square(a.x) + square(a.y); }
/// The unit vector at an angle from the x axis, and the one a quarter turn ahead of it.
inline Vec2 direction(const Expr& angle) { return {cos(angle), sin(angle)}; }
inline Vec2 normal(const Expr& angle) { return {-sin(angle), cos(angle)}; }

/// d/dt of an expression of t, coordinates and velocities (these become accelerations). Throws ModelError (E0110) where
/// there is none: accelerations, inputs, multipliers. Cost: a look at every symbol of the graph, and one sweep.
inline Expr dot(const Expr& expression) {
  const Expr rate = SymbolScope(expression.graph()).dot(expression);
  if (!rate)
    throw ModelError({error("E0110", "only expressions of t, coordinates and velocities have a time derivative")});
  return rate;
}
inline Expr dot(const Coordinate& coordinate) { return coordinate.qd; }
inline Vec2 dot(const Vec2& a) { return {dot(a.x), dot(a.y)}; }

}  // namespace dalembert
