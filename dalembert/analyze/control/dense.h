// SPDX-License-Identifier: Apache-2.0
// Matrices of a library for linear algebra, of type Dense, from the library's own, and back.
#pragma once

#include <cstddef>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

template <class Dense>
Dense dense_of(const Matrix& m) {
  using Index = decltype(Dense().rows());
  Dense made(static_cast<Index>(m.rows), static_cast<Index>(m.cols));
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.cols; ++j) made(static_cast<Index>(i), static_cast<Index>(j)) = m(i, j);
  return made;
}

template <class Expression>
Matrix matrix(const Expression& expression) {
  const typename Expression::PlainObject m = expression;
  using Index = decltype(m.rows());
  Matrix made(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
  for (std::size_t i = 0; i < made.rows; ++i)
    for (std::size_t j = 0; j < made.cols; ++j) made(i, j) = m(static_cast<Index>(i), static_cast<Index>(j));
  return made;
}

template <class Expression>
typename Expression::PlainObject symmetric(const Expression& expression) {
  const typename Expression::PlainObject m = expression;
  return (m + m.transpose()) / 2;
}

}  // namespace dalembert
