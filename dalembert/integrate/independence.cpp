// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/independence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// A row has turned far if the squared cosine between its old and its new direction is below this.
constexpr double kFarTurned = 0.5;
// How far a row moves per distance of the state is measured only in steps whose squared speeds at the two ends differ by
// at most the factor 1/kEven, and only if the squared relative change of the row exceeds kNoticeable, its round-off.
constexpr double kEven = 0.25, kNoticeable = 1e-8;
// A row may have vanished twice in a step if its path may be longer than kRowFar, in units of its size, and kSure times
// the path is long enough to lead to zero and back.
constexpr double kRowFar = 0.8, kSure = 1.25;

}  // namespace

Independence::Independence(const Dynamics& dynamics, Workspace& workspace)
    : dynamics_(dynamics),
      workspace_(workspace),
      measures_(dynamics.m() > 0 && dynamics.nv() + dynamics.m() <= kSmallSystem && dynamics.contacts() == nullptr),
      possible_(measures_ && !dynamics.layout().load_dependent() && dynamics.layout().v_is_qdot) {
  if (!measures_) return;
  memory_.make({{index(dynamics.nv()), {&column_scale_, &mass_}},
                {index(dynamics.m()), {&row_scale_, &norm_before_, &product_, &norm_, &row_weight_, &pace_}},
                {dynamics.layout().W.row.size(), {&W_before_, &metric_}}});
  for (const std::span<double>& x : {column_scale_, mass_}) std::ranges::fill(x, 1.0);
  rows_.resize(dynamics.nv(), dynamics.m());
}

void Independence::begin(double t, const double* q, const double* v) {
  if (!measures_) return;
  evaluate_mass(dynamics_, t, q, v, workspace_);
  const Pattern& M = dynamics_.layout().M;
  for (std::size_t k = 0; k < workspace_.M.size(); ++k)
    if (M.row[k] == M.col[k] && workspace_.M[k] > 0) {
      column_scale_[index(M.row[k])] = 1 / std::sqrt(workspace_.M[k]);
      mass_[index(M.row[k])] = workspace_.M[k];
    }
}

// Notes the sizes of the rows. To compare them with their last values, sets the products with these and the squared norms; then these are the last
// values. The sums of a row stay in registers while its entries follow each other.
template <bool kCompares>
void Independence::note_rows() {
  const std::vector<int>&row = dynamics_.layout().W.row, &column = dynamics_.layout().W.col;
  const double* W = workspace_.W.data();
  if (!has_metric_) {
    has_metric_ = true;
    for (std::size_t k = 0; k < metric_.size(); ++k) {
      W_before_[k] = W[k];
      metric_[k] = column_scale_[index(column[k])] * column_scale_[index(column[k])];
    }
  }
  const double* metric = metric_.data();
  double *before = W_before_.data(), *products = product_.data(), *norms = norm_.data();
  if (kCompares) clear_few(products, product_.size());
  clear_few(norms, norm_.size());
  for (std::size_t k = 0, count = row.size(); k < count;) {
    const std::size_t r = index(row[k]);
    double product = kCompares ? products[r] : 0, norm = norms[r];
    for (; k < count && index(row[k]) == r; ++k) {
      const double w = W[k], scaled = w * metric[k];
      norm += scaled * w;
      if (!kCompares) continue;
      product += scaled * before[k];
      before[k] = w;
    }
    if (kCompares) products[r] = product;
    norms[r] = norm;
  }
  for (std::size_t r = 0; r < norm_.size(); ++r)
    if (norm_[r] > row_scale_[r] * row_scale_[r]) {
      row_scale_[r] = std::sqrt(norm_[r]);
      row_weight_[r] = 1 / norm_[r];
    }
}

void Independence::note_sizes() { note_rows<false>(); }

// Called after every step, so it mostly avoids square roots and divisions.
Independence::Turn Independence::turn_of_rows(const double* v, double seconds) {
  const bool first = !has_metric_;
  note_rows<true>();
  const double speed = squared_speed(v), faster = std::max(speed, squared_speed_);
  const double way = seconds * seconds * faster;
  const bool even = std::min(speed, squared_speed_) > kEven * faster;
  squared_speed_ = speed;
  Turn turn;
  for (std::size_t r = 0; r < norm_.size(); ++r) {
    if (first) break;
    const double sizes = norm_[r] * norm_before_[r], product = product_[r];
    turn.flipped = turn.flipped || !(product > 0);
    turn.far = turn.far || !(product * product > kFarTurned * sizes);
    const double moved = norm_[r] + norm_before_[r] - 2 * product;
    if (even && moved > pace_[r] * way && moved * row_weight_[r] > kNoticeable) pace_[r] = moved / way;
    const double squared = std::max(moved, pace_[r] * way) * row_weight_[r];
    turn.moved_squared += moved * row_weight_[r];
    turn.way_squared += squared;
    if (squared > kRowFar * kRowFar) [[unlikely]] {
      const double row_way = std::sqrt(squared),
                   ends = (std::sqrt(norm_[r]) + std::sqrt(norm_before_[r])) / row_scale_[r];
      if (ends < kSure * row_way) turn.row_way = std::max(turn.row_way, row_way);
    }
  }
  std::swap(norm_before_, norm_);
  return turn;
}

double Independence::at(double t, const double* q, int rank) {
  evaluate_velocity(dynamics_, t, q, workspace_);
  return of_workspace(rank);
}

// Copies the scaled rows of W into the columns of rows_.
void Independence::spread() {
  const int n = dynamics_.nv(), m = dynamics_.m();
  rows_.resize(n, m);
  for (int r = 0; r < m; ++r) {
    double* column = rows_.column(r);
    std::fill(column, column + n, 0.0);
    const double scale = row_scale_[index(r)] > 0 ? 1 / row_scale_[index(r)] : 1;
    workspace_.W_rows.for_each(r, workspace_.W,
                               [&](int j, double w) { column[j] = w * column_scale_[index(j)] * scale; });
  }
}

double Independence::of_workspace(int rank) {
  if (!measures_ || rank == 0) return 1;
  spread();
  rows_.factor_pivoted(0, rank);
  return rows_.rank() < rank ? 0 : std::abs(rows_.R(rank - 1, rank - 1));
}

double Independence::off_manifold(double t, const double* q) {
  evaluate_position(dynamics_, t, q, workspace_);
  const std::vector<int>& holonomic = dynamics_.layout().holonomic;
  double off = 0;
  for (std::size_t k = 0; k < holonomic.size(); ++k) {
    const double scale = row_scale_[index(holonomic[k])];
    if (scale > 0) off = std::max(off, std::abs(workspace_.h[k]) / scale);
  }
  return off;
}

double Independence::distance(const double* q1, const double* q2) const {
  double sum = 0;
  for (std::size_t i = 0; i < column_scale_.size(); ++i) sum += std::pow((q1[i] - q2[i]) / column_scale_[i], 2);
  return std::sqrt(sum);
}

double Independence::part_of_speed(const double* v, int i) const { return std::abs(v[i]) / column_scale_[index(i)]; }

double Independence::squared_speed(const double* v) const {
  double sum = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) sum += mass_[i] * v[i] * v[i];
  return sum;
}

double Independence::speed(const double* v) const { return std::sqrt(squared_speed(v)); }

double Independence::asked_speed() const {
  double most = 0;
  for (std::size_t r = 0; r < row_scale_.size(); ++r)
    if (const double asked = std::abs(workspace_.a[r]); asked > 0 && row_scale_[r] > 0)
      most = std::max(most, asked / row_scale_[r]);
  return most;
}

int Independence::rank_of_workspace(double tolerance, std::vector<int>* dependent) {
  spread();
  // Scaled rows have norm 1 at most, so the tolerance is absolute: a row that vanishes by itself lowers the rank too.
  const int m = dynamics_.m(), factored = rows_.factor_pivoted(0, m);
  int rank = 0;
  while (rank < factored && std::abs(rows_.R(rank, rank)) > tolerance) ++rank;
  if (dependent == nullptr || rank == m) return rank;
  // Null vectors of the rows: P (−R₁⁻¹R₂; I). A row takes part in a dependence if its entry is not small.
  std::vector<char> tied(index(m), 0);
  std::vector<double> entry(index(rank));
  for (int j = rank; j < m; ++j) {
    tied[index(rows_.pivot(j))] = 1;
    for (int i = rank - 1; i >= 0; --i) {
      double s = rows_.R(i, j);
      for (int k = i + 1; k < rank; ++k) s -= rows_.R(i, k) * entry[index(k)];
      entry[index(i)] = s / rows_.R(i, i);
      if (std::abs(entry[index(i)]) > 0.1) tied[index(rows_.pivot(i))] = 1;
    }
  }
  for (int r = 0; r < m; ++r)
    if (tied[index(r)] != 0) dependent->push_back(r);
  return rank;
}

}  // namespace dalembert::integration
