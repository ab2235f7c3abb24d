// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/collocation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dalembert/integrate/lanes.h"

namespace dalembert::integration {
namespace {

constexpr std::size_t kNodes = Collocation::kNodes, kMostNodes = Collocation::kMostNodes;
// Limits of the iteration for the slopes. kPasses: largest number of passes. The slopes are converged once a pass changes them by less than solved_
// of the largest slope, or the next pass would by less than kFarBelow of that; where products A x are finite differences, by less than kSolvedRoughly, or by less than kNoiseOfProducts once the changes
// shrink no further. The iteration has failed if a pass changes them by more than kShrinksInTwo times the change two passes before: one pass alone may stand still. Failing
// costs as much as some hundred passes. With products, of which each is costly, it has failed at more than kShrinks times the change of the pass before.
constexpr int kPasses = 60;
constexpr double kSolvedRoughly = 1e-11, kNoiseOfProducts = 1e-8, kShrinks = 0.6, kShrinksInTwo = 0.8, kFarBelow = 0.1;
// A step follows the last one if they meet up to kSameTime of its length; its slopes are guessed if it is less than kGuessedFor times as long.
constexpr double kSameTime = 1e-6, kGuessedFor = 2.5;
// Largest n for which the linear system of all nodes is factored; that takes about a second.
constexpr std::size_t kMostFactored = 300;

using Nodes = std::array<double, kMostNodes>;  // the first ones are in use

// Legendre's polynomials P_n and P_n₋₁ at z and their derivatives, by their recurrences.
struct Legendre {
  Legendre(std::size_t n, double z) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto order = static_cast<double>(k);
      const double next = ((2 * order + 1) * z * p - order * p_before) / (order + 1);
      const double slope = d_before + (2 * order + 1) * p;
      p_before = p, d_before = d;
      p = next, d = slope;
    }
  }
  double p = 1, d = 0, p_before = 0, d_before = 0;
};

// Gauss's nodes, the zeros of P_n, by Newton's method, and his weights, on [0, 1]. Abramowitz & Stegun, Handbook of Mathematical Functions, 25.4.29.
struct GaussRule {
  Nodes node{}, weight{};
};
GaussRule gauss(std::size_t n) {
  GaussRule q;
  for (std::size_t i = 0; i < n; ++i) {
    double z = -std::cos(M_PI * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
    for (int pass = 0; pass < 5; ++pass) {
      const Legendre at(n, z);
      z -= at.p / at.d;
    }
    const double slope = Legendre(n, z).d;
    q.node[i] = (1 + z) / 2;
    q.weight[i] = 1 / ((1 - z * z) * slope * slope);
  }
  return q;
}

// The Lagrange polynomial of node j of n at x: 1 at node j and 0 at the other nodes, of which `left_out` is ignored.
double lagrange(const Nodes& c, std::size_t n, std::size_t j, double x, std::size_t left_out = kMostNodes) {
  double value = 1;
  for (std::size_t k = 0; k < n; ++k)
    if (k != j && k != left_out) value *= (x - c[k]) / (c[j] - c[k]);
  return value;
}

// Radau's nodes: the zeros of P_n − P_n₋₁ on [0, 1], by Newton's method. The last one is 1.
Nodes radau(std::size_t n) {
  Nodes c{};
  c[n - 1] = 1;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double z = std::cos(2 * M_PI * static_cast<double>(n - 1 - i) / static_cast<double>(2 * n - 1));
    for (int pass = 0; pass < 6; ++pass) {
      const Legendre at(n, z);
      z -= (at.p - at.p_before) / (at.d - at.d_before);
    }
    c[i] = (1 + z) / 2;
  }
  return c;
}

// The code below is compiled for each width of a processor's registers; where products and sums are one instruction they are rounded once.
typedef double FourLanes __attribute__((vector_size(4 * sizeof(double))));
typedef double TwoLanes __attribute__((vector_size(2 * sizeof(double))));

[[gnu::always_inline]] inline double sum(const Lanes& x) {
  const FourLanes four = __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  const TwoLanes two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

// The largest of all lanes.
[[gnu::always_inline]] inline double largest(const Lanes& x) {
  FourLanes four = __builtin_shufflevector(x, x, 0, 1, 2, 3);
  keep_larger(four, __builtin_shufflevector(x, x, 4, 5, 6, 7));
  TwoLanes two = __builtin_shufflevector(four, four, 0, 1);
  keep_larger(two, __builtin_shufflevector(four, four, 2, 3));
  return std::max(two[0], two[1]);
}

// The weights h a_ij, which stay in registers.
template <std::size_t kOfNodes>
struct Weights {
  static_assert(kOfNodes == kNodes || kOfNodes == kMostNodes);
  [[gnu::always_inline]] explicit Weights(const double* from) {
    for (std::size_t j = 0; j < kOfNodes; ++j) of[j] = lanes_at(from + j * Collocation::kLanes);
  }
  // The state of a row at the nodes, x + h Σ_j a_ij K_j, in two sums, which do not wait for each other.
  [[gnu::always_inline]] void find_state(double x, const double* slope, double* state) const {
    Lanes even = x + of[0] * slope[0], odd = of[1] * slope[1];
    for (std::size_t j = 2; j < kOfNodes; ++j) (j % 2 == 0 ? even : odd) += of[j] * slope[j];
    lanes_at(state) = even + odd;
  }
  Lanes of[kOfNodes];
};

// The largest change of a slope, and the largest slope, in each lane.
template <std::size_t kCount>
struct Sizes {
  Lanes change[kCount] = {}, slope[kCount] = {};
};

// One pass over the rows from `first` to `last` of kCount right-hand sides: all slopes by the states so far, then their states.
template <std::size_t kOfNodes, std::size_t kCount>
[[gnu::always_inline]] inline void pass_rows(const Collocation::Iteration& the, const Weights<kOfNodes>& weights,
                                             std::size_t first, std::size_t last, Sizes<kCount>& sizes) {
  const std::size_t next = the.n * Collocation::kLanes;
  const Collocation::Entry* entry = the.entries + the.first[first];
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t at = row * Collocation::kLanes;
    Lanes slope[kCount];
    for (std::size_t c = 0; c < kCount; ++c) slope[c] = lanes_at(the.b + c * next + at);
    for (const Collocation::Entry* end = the.entries + the.first[row + 1]; entry != end; ++entry) {
      const double* state = the.states + entry->column * Collocation::kLanes;
      for (std::size_t c = 0; c < kCount; ++c) slope[c] += lanes_at(entry->at) * lanes_at(state + c * next);
    }
    for (std::size_t c = 0; c < kCount; ++c) {
      Lanes& old = lanes_at(the.slopes + c * next + at);
      keep_larger_magnitude(sizes.change[c], slope[c] - old);
      keep_larger_magnitude(sizes.slope[c], slope[c]);
      old = slope[c];
    }
  }
  for (std::size_t row = first; row < last; ++row)
    for (std::size_t c = 0; c < kCount; ++c) {
      const std::size_t at = c * next + row * Collocation::kLanes;
      weights.find_state(the.x[c][row], the.slopes + at, the.states + at);
    }
}

// Extrapolates the slopes of the last step, or begins with slopes 0, and finds the states that belong to them.
template <std::size_t kOfNodes, std::size_t kCount>
[[gnu::always_inline]] inline void guess(const Collocation::Iteration& the, const Weights<kOfNodes>& weights) {
  for (std::size_t c = 0; c < kCount; ++c)
    for (std::size_t row = 0; row < the.n; ++row) {
      const std::size_t at = (c * the.n + row) * Collocation::kLanes;
      Lanes slope{};
      for (std::size_t j = 0; the.guess != nullptr && j < kOfNodes; ++j)
        slope += lanes_at(the.guess + j * Collocation::kLanes) * the.slopes[at + j];
      lanes_at(the.slopes + at) = slope;
      weights.find_state(the.x[c][row], the.slopes + at, the.states + at);
    }
}

[[gnu::always_inline]] inline bool is_finite(const Collocation::Iteration& the, std::size_t count) {
  Lanes zero{};
  for (std::size_t i = 0; i < count * the.n; ++i) zero += lanes_at(the.slopes + i * Collocation::kLanes) * 0.0;
  return sum(zero) == 0;
}

// Iterates until the slopes of all right-hand sides are converged. False if those of one are not. Lanes without a node count, too: their states are x. Slopes that
// are not numbers count at the end.
template <std::size_t kOfNodes, std::size_t kCount>
[[gnu::always_inline]] inline bool iterate_in_lanes(const Collocation::Iteration& the) {
  const Weights<kOfNodes> weights(the.weights);
  guess<kOfNodes, kCount>(the, weights);
  double before[kCount] = {}, two_before[kCount] = {};
  bool solved[kCount] = {};
  for (int made = 0; made < kPasses; ++made) {
    // The last rows come first: where the others are rates of coordinates, they take the new velocities.
    Sizes<kCount> sizes;
    pass_rows(the, weights, the.half, the.n, sizes);
    pass_rows(the, weights, 0, the.half, sizes);
    bool all = true;
    for (std::size_t c = 0; c < kCount; ++c) {
      // The next change would be smaller than this one by the same factor as this one than the last.
      const double change = largest(sizes.change[c]), enough = the.solved * largest(sizes.slope[c]);
      solved[c] = solved[c] || change <= enough || (made > 1 && change * (change / before[c]) <= kFarBelow * enough);
      if (!solved[c] && made > 2 && !(change < kShrinksInTwo * two_before[c])) return false;
      all = all && solved[c];
      two_before[c] = std::exchange(before[c], change);
    }
    if (all) return is_finite(the, kCount);
  }
  return false;
}

[[gnu::always_inline]] inline void finish_in_lanes(const Collocation::Slopes& made) {
  for (std::size_t i = 0; i < made.count; ++i) {
    const Lanes& slopes = lanes_at(made.slopes + i * Collocation::kLanes);
    const Lanes parts = lanes_at(made.weights) * slopes, of_doubt = lanes_at(made.doubt_weights) * slopes;
    Lanes sizes{};
    keep_larger_magnitude(sizes, lanes_at(made.weights) != 0.0 ? slopes : Lanes{});
    made.change[i] = made.h * sum(parts);
    made.doubt[i] = made.h * sum(of_doubt);
    made.steepest[i] = largest(sizes);
  }
}

static_assert(Collocation::kAtOnce == 2 && Collocation::kLanes == kLanes);
template <std::size_t kOfNodes, std::size_t kCount>
bool iterate_128(const Collocation::Iteration& the) {
  return iterate_in_lanes<kOfNodes, kCount>(the);
}
void finish_128(const Collocation::Slopes& made) { finish_in_lanes(made); }
#if defined(__x86_64__)
template <std::size_t kOfNodes, std::size_t kCount>
[[gnu::target("avx512f")]] bool iterate_512(const Collocation::Iteration& the) {
  return iterate_in_lanes<kOfNodes, kCount>(the);
}
[[gnu::target("avx512f")]] void finish_512(const Collocation::Slopes& made) { finish_in_lanes(made); }
template <std::size_t kOfNodes, std::size_t kCount>
[[gnu::target("avx2,fma")]] bool iterate_256(const Collocation::Iteration& the) {
  return iterate_in_lanes<kOfNodes, kCount>(the);
}
[[gnu::target("avx2,fma")]] void finish_256(const Collocation::Slopes& made) { finish_in_lanes(made); }
#endif

}  // namespace

Collocation::Functions Collocation::find_functions(std::size_t nodes) {
  const auto choose = [&](const Functions& usual, const Functions& most) { return nodes == kNodes ? usual : most; };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return choose({{iterate_512<kNodes, 1>, iterate_512<kNodes, 2>}, finish_512},
                  {{iterate_512<kMostNodes, 1>, iterate_512<kMostNodes, 2>}, finish_512});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return choose({{iterate_256<kNodes, 1>, iterate_256<kNodes, 2>}, finish_256},
                  {{iterate_256<kMostNodes, 1>, iterate_256<kMostNodes, 2>}, finish_256});
#endif
  return choose({{iterate_128<kNodes, 1>, iterate_128<kNodes, 2>}, finish_128},
                {{iterate_128<kMostNodes, 1>, iterate_128<kMostNodes, 2>}, finish_128});
}

Collocation::Collocation(bool stiff, bool adjoint, std::size_t nodes)
    : nodes_(nodes), functions_(find_functions(nodes)) {
  const GaussRule exact = gauss(nodes_);
  c_ = stiff ? radau(nodes_) : exact.node;
  // Integral of a Lagrange polynomial from 0 to `until`. Gauss's quadrature is exact for it.
  const auto integral = [&](std::size_t j, double until, std::size_t left_out = kMostNodes) {
    double sum = 0;
    for (std::size_t k = 0; k < nodes_; ++k)
      sum += exact.weight[k] * lagrange(c_, nodes_, j, until * exact.node[k], left_out);
    return until * sum;
  };
  for (std::size_t j = 0; j < nodes_; ++j) {
    weight_[j] = integral(j, 1);
    doubt_weight_[j] = weight_[j] - (j == nodes_ / 2 ? 0 : integral(j, 1, nodes_ / 2));
    for (std::size_t i = 0; i < nodes_; ++i) a_[i][j] = integral(j, c_[i]);
  }
  for (std::size_t j = 0; j < nodes_; ++j) {
    barycentric_[j] = 1;
    for (std::size_t k = 0; k < nodes_; ++k)
      if (k != j) barycentric_[j] /= c_[j] - c_[k];
  }
  if (!adjoint) return;
  const auto forward = a_;
  for (std::size_t i = 0; i < nodes_; ++i)
    for (std::size_t j = 0; j < nodes_; ++j) a_[i][j] = weight_[j] * forward[j][i] / weight_[i];
}

void Collocation::resize(std::size_t n, std::size_t columns, Apply apply) {
  n_ = n;
  columns_ = columns;
  apply_ = std::move(apply);
  product_.resize(n);
  point_.resize(n);
  weights_.resize(nodes_ * kLanes);
  columns_of_a_.assign(nodes_ * kLanes, 0.0);
  for (std::size_t j = 0; j < nodes_; ++j)
    for (std::size_t i = 0; i < nodes_; ++i) columns_of_a_[j * kLanes + i] = a_[i][j];
  guess_.resize(nodes_ * kLanes);
  ended_at_ = std::numeric_limits<double>::quiet_NaN();
  for (LineNumbers* x : {&b_, &slopes_, &states_}) x->resize(n * columns * kLanes);
  for (std::vector<double>* x : {&change_, &doubt_, &steepest_}) x->resize(n * columns);
}

void Collocation::use_all_entries() {
  if (all_.empty()) {
    A_.resize(n_ * n_ * kLanes);
    for (std::size_t row = 0; row < n_; ++row)
      for (std::size_t column = 0; column < n_; ++column) all_.push_back({row, column, &A(0, row, column)});
  }
  use_entries(all_);
}

void Collocation::use_entries(const std::vector<Entry>& entries) {
  if (entries_ == &entries) return;
  entries_ = &entries;
  index_rows();
}

void Collocation::index_rows() {
  first_.assign(n_ + 1, 0);
  for (const Entry& entry : *entries_) ++first_[entry.row + 1];
  for (std::size_t row = 0; row < n_; ++row) first_[row + 1] += first_[row];
}

// Lagrange's polynomials of the last step at the nodes of this one. False where it does not follow, or is much longer.
bool Collocation::find_guess(double h, double t) {
  const double longer = h / last_h_;
  if (!(std::abs(t - ended_at_) <= kSameTime * std::abs(h)) || !(longer > 0 && longer < kGuessedFor)) return false;
  Lanes at{}, before[kMostNodes], after = Lanes{} + 1;
  for (std::size_t i = 0; i < nodes_; ++i) at[i] = 1 + longer * c_[i];
  before[0] = after;
  for (std::size_t j = 1; j < nodes_; ++j) before[j] = before[j - 1] * (at - c_[j - 1]);
  for (std::size_t j = nodes_; j-- > 0; after *= at - c_[j])
    lanes_at(guess_.data() + j * kLanes) = before[j] * after * barycentric_[j];
  return true;
}

bool Collocation::advance(double h, const std::vector<std::vector<double>>& x, double t) {
  guesses_ = !apply_ && find_guess(h, t);
  ended_at_ = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = h * columns_of_a_[k];
  bool factored = false;
  for (std::size_t column = 0; column < columns_;) {
    const std::size_t count = apply_ || factored ? 1 : std::min(kAtOnce, columns_ - column);
    const bool found = apply_ ? iterate_products(h, column, x[column]) : !factored && iterate(column, count, x);
    if (!found) {
      factored = factored || factor(h);
      if (!factored) return false;
      for (std::size_t c = 0; c < count; ++c) solve(h, column + c, x[column + c]);
    }
    column += count;
  }
  functions_.finish({.slopes = slopes_.data(),
                     .count = columns_ * n_,
                     .h = h,
                     .weights = weight_.data(),
                     .doubt_weights = doubt_weight_.data(),
                     .change = change_.data(),
                     .doubt = doubt_.data(),
                     .steepest = steepest_.data()});
  ended_at_ = t + h;
  last_h_ = h;
  return true;
}

// A pass where only products A x are known: Gauss–Seidel over the nodes.
bool Collocation::pass_by_products(double h, std::size_t column, const std::vector<double>& x, double& change,
                                   double& size) {
  change = size = 0;
  for (std::size_t i = 0; i < nodes_; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < nodes_; ++j) sum += a_[i][j] * slopes(column)[k * kLanes + j];
      point_[k] = x[k] + h * sum;
    }
    if (!apply_(i, point_.data(), product_.data())) return false;
    for (std::size_t row = 0; row < n_; ++row) {
      const double slope = b(i, column, row) + product_[row];
      double& old = slopes(column)[row * kLanes + i];
      change = std::max(change, std::abs(slope - old));
      size = std::max(size, std::abs(slope));
      old = slope;
    }
  }
  return true;
}

// Finds the slopes of `count` right-hand sides from `column` on by iteration. False if one of them does not converge.
bool Collocation::iterate(std::size_t column, std::size_t count, const std::vector<std::vector<double>>& x) {
  Iteration the{.first = first_.data(),
                .entries = entries_->data(),
                .n = n_,
                .half = n_ / 2,
                .weights = weights_.data(),
                .guess = guesses_ ? guess_.data() : nullptr,
                .x = {},
                .b = &b(0, column, 0),
                .slopes = slopes(column),
                .states = states_.data() + column * n_ * kLanes,
                .solved = solved_};
  for (std::size_t c = 0; c < count; ++c) the.x[c] = x[column + c].data();
  return functions_.iterate[count - 1](the);
}

// The same where only products A x are known. Products by finite differences carry round-off; the changes do not shrink below it.
bool Collocation::iterate_products(double h, std::size_t column, const std::vector<double>& x) {
  std::fill_n(slopes(column), n_ * kLanes, 0.0);
  double before = std::numeric_limits<double>::infinity();
  for (int made = 0; made < kPasses; ++made) {
    double change = 0, size = 0;
    if (!pass_by_products(h, column, x, change, size)) return false;
    bool solved = change <= kSolvedRoughly * size;
    if (!solved && !(change < kShrinks * before) && made > 1) {
      solved = change <= kNoiseOfProducts * size;
      if (!solved) return false;
    }
    if (solved) {
      if (keeps_states_) find_states(h, column, x);
      return true;
    }
    before = change;
  }
  return false;
}

bool Collocation::factor(double h) {
  if (n_ > kMostFactored || apply_) return false;
  factors_.resize(nodes_ * n_);
  factors_.clear();
  for (std::size_t i = 0; i < nodes_; ++i) {
    for (const Entry& entry : *entries_)
      for (std::size_t j = 0; j < nodes_; ++j)
        factors_(i * n_ + entry.row, j * n_ + entry.column) = -h * a_[i][j] * entry.at[i];
    for (std::size_t row = 0; row < n_; ++row) factors_(i * n_ + row, i * n_ + row) += 1;
  }
  return factors_.factor();
}

void Collocation::solve(double h, std::size_t column, const std::vector<double>& x) {
  unknowns_.resize(nodes_ * n_);
  for (std::size_t i = 0; i < nodes_; ++i) {
    for (std::size_t row = 0; row < n_; ++row) unknowns_[i * n_ + row] = b(i, column, row);
    for (const Entry& entry : *entries_) unknowns_[i * n_ + entry.row] += entry.at[i] * x[entry.column];
  }
  factors_.solve(unknowns_.data());
  for (std::size_t i = 0; i < nodes_; ++i)
    for (std::size_t row = 0; row < n_; ++row) slopes(column)[row * kLanes + i] = unknowns_[i * n_ + row];
  find_states(h, column, x);
}

void Collocation::find_states(double h, std::size_t column, const std::vector<double>& x) {
  for (std::size_t row = 0; row < n_; ++row)
    for (std::size_t i = 0; i < nodes_; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < nodes_; ++j) sum += a_[i][j] * slopes(column)[row * kLanes + j];
      states_[(column * n_ + row) * kLanes + i] = x[row] + h * sum;
    }
}

}  // namespace dalembert::integration
