// SPDX-License-Identifier: Apache-2.0
// Vectors for models written in C++, in the plane and in space:
//
//   const Vec2 A = 2 * L1 * direction(theta);    model.kinetic(m / 2 * norm2(dot(A)));    model.gravity({0, -g});
//
// dot(...) is the time derivative, as in model files; the scalar product is inner(a, b).
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"

namespace dalembert {

namespace face {

// Combines two components. Two numbers give a number; a number combined with an expression becomes part of that
// expression's graph.
template <class Operation>
Component combine(const Component& a, const Component& b, const Operation& operation) {
  Graph* graph = a.graph() != nullptr ? a.graph() : b.graph();
  if (a.graph() == nullptr && !a.number()) return a;
  if (b.graph() == nullptr && !b.number()) return b;
  if (graph == nullptr) return operation(*a.number(), *b.number());
  return operation(a.in(*graph), b.in(*graph));
}
inline Component sum(const Component& a, const Component& b) {
  return combine(a, b, [](const auto& x, const auto& y) { return x + y; });
}
inline Component product(const Component& a, const Component& b) {
  return combine(a, b, [](const auto& x, const auto& y) { return x * y; });
}
inline Component quotient(const Component& a, const Component& b) {
  return combine(a, b, [](const auto& x, const auto& y) { return x / y; });
}
inline Expr expression(const Component& component) {
  if (!component.number()) return component.expression();
  if (component.graph() == nullptr)
    throw ModelError({error("E0216", "a vector of numbers alone belongs to no model: use one of its expressions")});
  return component.in(*component.graph());
}

}  // namespace face

/// A vector in the plane: components along the ground axes, each an expression or a number: `Vec2{x, 0}`, `Vec2{0, 0}`.
struct Vec2 {
  Expr x, y;  ///< null expressions if both components are numbers

  Vec2(const Component& a, const Component& b) : Vec2(a, b, a.graph() != nullptr ? a.graph() : b.graph()) {}
  Vec2(const Point& point) : Vec2(point.position.at(0), point.position.at(1)) {}
  operator Components() const { return {x_, y_}; }
  operator Vector() const { return {face::expression(x_), face::expression(y_)}; }
  const Component& operator[](std::size_t i) const { return i == 0 ? x_ : y_; }

 private:
  Vec2(const Component& a, const Component& b, Graph* graph)
      : x(graph != nullptr ? a.in(*graph) : Expr{}),
        y(graph != nullptr ? b.in(*graph) : Expr{}),
        x_(graph != nullptr ? Component(x) : a),
        y_(graph != nullptr ? Component(y) : b) {}
  Component x_, y_;
};

/// A vector in space.
struct Vec3 {
  Expr x, y, z;  ///< null expressions if all components are numbers

  Vec3(const Component& a, const Component& b, const Component& c)
      : Vec3(a, b, c,
             a.graph() != nullptr   ? a.graph()
             : b.graph() != nullptr ? b.graph()
                                    : c.graph()) {}
  Vec3(const Point& point) : Vec3(point.position.at(0), point.position.at(1), point.position.at(2)) {}
  operator Components() const { return {x_, y_, z_}; }
  operator Vector() const { return {face::expression(x_), face::expression(y_), face::expression(z_)}; }
  const Component& operator[](std::size_t i) const { return i == 0 ? x_ : i == 1 ? y_ : z_; }

 private:
  Vec3(const Component& a, const Component& b, const Component& c, Graph* graph)
      : x(graph != nullptr ? a.in(*graph) : Expr{}),
        y(graph != nullptr ? b.in(*graph) : Expr{}),
        z(graph != nullptr ? c.in(*graph) : Expr{}),
        x_(graph != nullptr ? Component(x) : a),
        y_(graph != nullptr ? Component(y) : b),
        z_(graph != nullptr ? Component(z) : c) {}
  Component x_, y_, z_;
};

inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {face::sum(a[0], b[0]), face::sum(a[1], b[1])}; }
inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {face::sum(a[0], b[0]), face::sum(a[1], b[1]), face::sum(a[2], b[2])};
}
inline Vec2 operator*(const Component& s, const Vec2& a) { return {face::product(s, a[0]), face::product(s, a[1])}; }
inline Vec3 operator*(const Component& s, const Vec3& a) {
  return {face::product(s, a[0]), face::product(s, a[1]), face::product(s, a[2])};
}
inline Vec2 operator/(const Vec2& a, const Component& s) { return {face::quotient(a[0], s), face::quotient(a[1], s)}; }
inline Vec3 operator/(const Vec3& a, const Component& s) {
  return {face::quotient(a[0], s), face::quotient(a[1], s), face::quotient(a[2], s)};
}
inline Vec2 operator*(const Vec2& a, const Component& s) { return s * a; }
inline Vec3 operator*(const Vec3& a, const Component& s) { return s * a; }
inline Vec2 operator-(const Vec2& a) { return -1 * a; }
inline Vec3 operator-(const Vec3& a) { return -1 * a; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return a + -b; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return a + -b; }

inline Expr inner(const Vec2& a, const Vec2& b) {
  return face::expression(face::sum(face::product(a[0], b[0]), face::product(a[1], b[1])));
}
inline Expr inner(const Vec3& a, const Vec3& b) {
  return face::expression(
      face::sum(face::sum(face::product(a[0], b[0]), face::product(a[1], b[1])), face::product(a[2], b[2])));
}
inline Expr norm2(const Vec2& a) { return inner(a, a); }
inline Expr norm2(const Vec3& a) { return inner(a, a); }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  const auto minor = [&](std::size_t i, std::size_t j) {
    return face::sum(face::product(a[i], b[j]), face::product(-1, face::product(a[j], b[i])));
  };
  return {minor(1, 2), minor(2, 0), minor(0, 1)};
}
/// direction(): the unit vector at an angle from the x axis. normal(): the unit vector a quarter turn ahead of it.
inline Vec2 direction(const Expr& angle) { return {cos(angle), sin(angle)}; }
inline Vec2 normal(const Expr& angle) { return {-sin(angle), cos(angle)}; }

/// Time derivative of an expression of t, coordinates and velocities; the derivatives of velocities are accelerations.
/// Throws ModelError (E0110) where `expression` contains accelerations, inputs or multipliers. Cost: a look at every
/// symbol of the graph, and one sweep over the expression.
inline Expr dot(const Expr& expression) {
  if (!expression) return expression;
  const Expr rate = time_derivative(expression);
  if (!rate)
    throw ModelError({error("E0110", "only expressions of t, coordinates and velocities have a time derivative")});
  return rate;
}
inline Expr dot(const Coordinate& coordinate) { return coordinate.qd; }
inline Vec2 dot(const Vec2& a) { return a[0].number() ? Vec2{0, 0} : Vec2{dot(a.x), dot(a.y)}; }
inline Vec3 dot(const Vec3& a) { return a[0].number() ? Vec3{0, 0, 0} : Vec3{dot(a.x), dot(a.y), dot(a.z)}; }

}  // namespace dalembert
