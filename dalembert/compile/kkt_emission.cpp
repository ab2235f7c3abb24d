// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_emission.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace dalembert {
namespace {

// A row whose S_rr is below this times the largest one may be round-off (KktOptions::rank_tolerance): the
// rank-revealing solve decides. Scaled so that it meets the limit of trusted().
constexpr double kRowSize = 1e7 * 1e-28;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

KktEmission::KktEmission(TapeBuilder& builder, const Elimination& plan, const Pattern& M_pattern, Entry M,
                         const Pattern& W_pattern, Entry W)
    : builder_(builder),
      plan_(plan),
      M_(std::move(M)),
      W_(std::move(W)),
      n_(M_pattern.rows),
      position_(plan.order.size()),
      unknowns_(plan.order.size()) {
  for (std::size_t k = 0; k < plan.order.size(); ++k) position_[index(plan.order[k])] = static_cast<int>(k);
  for (const int j : plan.order)
    for (const int i : plan.later[index(j)]) at(i).earlier.push_back(j);
  const auto place = [&](int i, int j, std::size_t k) {
    if (position_[index(i)] >= position_[index(j)]) at(i).initial.emplace_back(j, k);
  };
  for (std::size_t k = 0; k < M_pattern.row.size(); ++k) place(M_pattern.row[k], M_pattern.col[k], k);
  for (std::size_t k = 0; k < W_pattern.row.size(); ++k) {
    place(n_ + W_pattern.row[k], W_pattern.col[k], k);
    place(W_pattern.col[k], n_ + W_pattern.row[k], k);
  }
  for (Unknown& unknown : unknowns_) {
    std::sort(unknown.initial.begin(), unknown.initial.end());
    unknown.entry.resize(unknown.earlier.size());
    unknown.scaled.resize(unknown.earlier.size());
    unknown.entry_known.resize(unknown.earlier.size());
    unknown.scaled_known.resize(unknown.earlier.size());
  }
}

Signed KktEmission::add(Signed x, Signed y) {
  if (x.is_zero()) return y;
  if (y.is_zero()) return x;
  if (x.negative == y.negative) return {builder_.add(x.value, y.value), x.negative};
  return x.negative ? Signed{builder_.subtract(y.value, x.value)} : Signed{builder_.subtract(x.value, y.value)};
}

Signed KktEmission::multiply(Signed x, Signed y) {
  if (x.is_zero() || y.is_zero()) return {};
  return {builder_.multiply(x.value, y.value), x.negative != y.negative};
}

// K_ik as given; k goes before i or is i.
Signed KktEmission::initial(int i, int k) {
  const auto& list = at(i).initial;
  const auto found = std::lower_bound(list.begin(), list.end(), std::pair<int, std::size_t>(k, 0));
  if (found == list.end() || found->first != k) return {};
  if (i < n_ && k < n_) return {M_(found->second)};
  return {W_(found->second), true};
}

// K_ik when k goes, for k = earlier[place] of i.
Signed KktEmission::entry(int i, std::size_t place) {
  Unknown& row = at(i);
  if (row.entry_known[place]) return row.entry[place];
  const int k = row.earlier[place];
  const Unknown& column = at(k);
  Signed sum = initial(i, k);
  // Both lists are in the order of elimination: those before k that both are coupled to.
  for (std::size_t a = 0, b = 0; a < place && b < column.earlier.size();) {
    const int before_a = position_[index(row.earlier[a])], before_b = position_[index(column.earlier[b])];
    if (before_a == before_b) sum = subtract(sum, multiply(scaled(i, a), entry(k, b)));
    a += before_a <= before_b;
    b += before_b <= before_a;
  }
  row.entry_known[place] = 1;
  return row.entry[place] = sum;
}

// l_ij for j = earlier[place] of i.
Signed KktEmission::scaled(int i, std::size_t place) {
  Unknown& row = at(i);
  if (row.scaled_known[place]) return row.scaled[place];
  row.scaled_known[place] = 1;
  const Signed value = entry(i, place);
  return row.scaled[place] = multiply(value, inverse(row.earlier[place]));
}

const KktEmission::Pivot& KktEmission::pivot(int k) {
  Unknown& unknown = at(k);
  Pivot& pivot = unknown.pivot;
  if (pivot.known) return pivot;
  const bool multiplier = k >= n_;
  // Pivots of the other sign before it add to its size.
  Signed from = initial(k, k), taken;
  for (std::size_t place = 0; place < unknown.earlier.size(); ++place) {
    const Signed change = multiply(scaled(k, place), entry(k, place));
    const bool adds = (unknown.earlier[place] >= n_) != multiplier;
    if (adds)
      from = subtract(from, change);
    else
      taken = add(taken, change);
  }
  pivot.reduced = !taken.is_zero();
  pivot.from = plain(from, multiplier);
  pivot.size = pivot.reduced ? builder_.subtract(pivot.from, plain(taken, multiplier)) : pivot.from;
  pivot.inverse = builder_.divide(Operand::of(1), pivot.size);
  pivot.known = true;
  return pivot;
}

// z_k = (b_k − Σ K_kj z_j) / d_k.
Signed KktEmission::forward(int k, const Entry& b, const Entry& c) {
  Unknown& unknown = at(k);
  if (unknown.z_known) return unknown.z;
  Signed sum;
  if (k < n_ && b) sum = {b(index(k))};
  if (k >= n_ && c) sum = {c(index(k - n_))};
  for (std::size_t place = 0; place < unknown.earlier.size(); ++place)
    sum = subtract(sum, multiply(entry(k, place), forward(unknown.earlier[place], b, c)));
  unknown.z_known = true;
  return unknown.z = multiply(sum, inverse(k));
}

void KktEmission::solve(const Entry& b, const Entry& c, const std::function<void(int, Operand)>& found) {
  // What nothing goes before is left to the first row that needs it.
  for (const int k : plan_.order)
    if (!at(k).earlier.empty() || plan_.later[index(k)].empty()) {
      forward(k, b, c);
      watch(pivot(k));
    }
  // x_j = z_j − Σ l_ij x_i over later i, each as soon as all of those are known.
  std::vector<Signed> x(unknowns_.size());
  std::vector<std::size_t> missing(unknowns_.size());
  std::vector<int> ready;
  for (std::size_t j = 0; j < missing.size(); ++j) missing[j] = plan_.later[j].size();
  const auto finish = [&](int j) {
    Signed sum = forward(j, b, c);
    for (const int i : plan_.later[index(j)]) {
      const auto& earlier = at(i).earlier;
      const auto place = static_cast<std::size_t>(std::find(earlier.begin(), earlier.end(), j) - earlier.begin());
      sum = subtract(sum, multiply(scaled(i, place), x[index(i)]));
    }
    x[index(j)] = sum;
    found(j, plain(sum));
  };
  for (auto next = plan_.order.rbegin(); next != plan_.order.rend(); ++next) {
    if (missing[index(*next)] == 0 && plan_.later[index(*next)].empty()) ready.push_back(*next);
    while (!ready.empty()) {
      const int i = ready.back();
      ready.pop_back();
      finish(i);
      const auto& earlier = at(i).earlier;
      // What goes first comes out first: a body as soon as its rows are known.
      for (auto j = earlier.rbegin(); j != earlier.rend(); ++j)
        if (--missing[index(*j)] == 0) ready.push_back(*j);
    }
  }
}

// By a comparison and a choice, which together are one machine instruction; a NaN in x is kept.
Operand KktEmission::least(Operand x, Operand y) {
  return builder_.call(Op::kSelect, std::array{builder_.call(Op::kLess, std::array{y, x}), y, x});
}

Operand KktEmission::largest(Operand x, Operand y) {
  return builder_.call(Op::kSelect, std::array{builder_.call(Op::kLess, std::array{x, y}), y, x});
}

// Right after the pivot, where its numbers are at hand.
void KktEmission::watch(const Pivot& d) {
  if (!d.reduced) return;
  const Operand ratio = builder_.multiply(d.from, d.inverse);
  trust_ = trust_ ? Trust{least(trust_->least, ratio), largest(trust_->largest, ratio)} : Trust{ratio, ratio};
}

KktEmission::Trust KktEmission::trust() {
  if (!trust_) trust_ = {Operand::of(1), Operand::of(1)};
  // Where nothing was lost, a mass may still be zero or negative.
  std::vector<Operand> sizes;
  for (int k = 0; k < n_; ++k)
    if (!pivot(k).reduced) sizes.push_back(pivot(k).size);
  // What parameters alone determine is compared among itself, each once.
  const auto prepared = [&](const Operand& x) { return !builder_.is_prepared(x); };
  std::sort(sizes.begin(), sizes.end(), [&](const Operand& x, const Operand& y) {
    return std::tuple(prepared(x), x.value, x.constant) < std::tuple(prepared(y), y.value, y.constant);
  });
  sizes.erase(std::unique(sizes.begin(), sizes.end(),
                          [](const Operand& x, const Operand& y) {
                            return x.is_constant == y.is_constant && x.value == y.value && x.constant == y.constant;
                          }),
              sizes.end());
  if (!sizes.empty()) {
    Operand smallest = sizes[0];
    for (std::size_t k = 1; k < sizes.size(); ++k) smallest = least(smallest, sizes[k]);
    trust_->least = least(trust_->least, smallest);
  }
  watch_row_sizes();
  return *trust_;
}

// The ratios do not see how long a row is. Rows with a constant entry are long enough.
void KktEmission::watch_row_sizes() {
  std::vector<int> rows;
  int constant = -1;
  for (int i = n_; i < static_cast<int>(unknowns_.size()); ++i) {
    const auto& list = at(i).initial;
    const bool has_constant =
        std::any_of(list.begin(), list.end(), [&](const auto& item) { return W_(item.second).is_constant; });
    if (!has_constant)
      rows.push_back(i);
    else if (constant < 0)
      constant = i;
  }
  if (rows.empty() || static_cast<int>(unknowns_.size()) == n_ + 1) return;
  if (constant >= 0) rows.push_back(constant);
  Operand size = pivot(rows[0]).from, inverse = pivot(rows[0]).inverse;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    size = largest(size, pivot(rows[k]).from);
    inverse = largest(inverse, pivot(rows[k]).inverse);
  }
  trust_->largest =
      largest(trust_->largest, builder_.multiply(Operand::of(kRowSize), builder_.multiply(size, inverse)));
}

}  // namespace dalembert
