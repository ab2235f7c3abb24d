// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "dalembert/integrate/lu_factors.h"

namespace dalembert::integration {
namespace {

// Largest size of a matrix that is factored as a dense one.
constexpr int kLargestDense = 48;

}  // namespace

template <class Number>
struct LuFactors<Number>::Dense {
  using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  Matrix matrix;
  Eigen::PartialPivLU<Matrix> lu;
  std::vector<std::ptrdiff_t> place;  // index of each entry in the dense matrix, which is stored by columns
  Vector x;
};

template <class Number>
struct LuFactors<Number>::Sparse {
  using Matrix = Eigen::SparseMatrix<Number>;
  using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  Matrix matrix;
  Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> lu;
  Vector x;
};

template <class Number>
LuFactors<Number>::LuFactors(int size, const std::vector<int>& column_starts, const std::vector<int>& rows) {
  if (size <= kLargestDense) {
    dense_ = std::make_unique<Dense>();
    dense_->matrix.setZero(size, size);
    dense_->lu = Eigen::PartialPivLU<typename Dense::Matrix>(size);
    dense_->x.resize(size);
    for (int column = 0; column < size; ++column)
      for (int k = column_starts[static_cast<std::size_t>(column)];
           k < column_starts[static_cast<std::size_t>(column) + 1]; ++k)
        dense_->place.push_back(static_cast<std::ptrdiff_t>(column) * size + rows[static_cast<std::size_t>(k)]);
    return;
  }
  sparse_ = std::make_unique<Sparse>();
  const std::vector<Number> zeros(rows.size());
  sparse_->matrix = Eigen::Map<const typename Sparse::Matrix>(size, size, static_cast<Eigen::Index>(rows.size()),
                                                              column_starts.data(), rows.data(), zeros.data());
  sparse_->lu.analyzePattern(sparse_->matrix);
  sparse_->x.resize(size);
}

template <class Number>
LuFactors<Number>::~LuFactors() = default;

template <class Number>
bool LuFactors<Number>::factor(const std::vector<Number>& values) {
  if (dense_ != nullptr) {
    for (std::size_t k = 0; k < values.size(); ++k) dense_->matrix.data()[dense_->place[k]] = values[k];
    dense_->lu.compute(dense_->matrix);
    // The matrix is singular if a pivot is 0 or not finite.
    const auto diagonal = dense_->lu.matrixLU().diagonal();
    for (Eigen::Index i = 0; i < diagonal.size(); ++i)
      if (!(std::abs(diagonal[i]) > 0) || !std::isfinite(std::abs(diagonal[i]))) return false;
    return true;
  }
  std::copy(values.begin(), values.end(), sparse_->matrix.valuePtr());
  sparse_->lu.factorize(sparse_->matrix);
  return sparse_->lu.info() == Eigen::Success;
}

template <class Number>
void LuFactors<Number>::solve(Number* x) {
  auto& b = dense_ != nullptr ? dense_->x : sparse_->x;
  std::copy_n(x, b.size(), b.data());
  b = dense_ != nullptr ? typename Dense::Vector(dense_->lu.solve(b)) : typename Dense::Vector(sparse_->lu.solve(b));
  std::copy_n(b.data(), b.size(), x);
}

template class LuFactors<double>;
template class LuFactors<std::complex<double>>;

}  // namespace dalembert::integration
