// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_emission.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace dalembert {
namespace {

// A pair of multipliers (a 2×2 pivot) with more later unknowns coupled to it costs more products than the division that
// it saves is worth.
constexpr std::size_t kLargestPair = 8;

}  // namespace

KktEmission::KktEmission(TapeBuilder& builder, const Elimination& plan, const Pattern& M_pattern, Entry M,
                         const Pattern& W_pattern, Entry W, Entry D)
    : builder_(builder),
      plan_(plan),
      later_(plan.later),
      M_(std::move(M)),
      W_(std::move(W)),
      D_(std::move(D)),
      n_(M_pattern.rows),
      position_(plan.order.size()),
      unknowns_(plan.order.size()) {
  for (std::size_t k = 0; k < plan.order.size(); ++k) position_[index(plan.order[k])] = static_cast<int>(k);
  form_pairs();
  for (const int j : plan.order)
    for (const int i : later_[index(j)]) at(i).earlier.push_back(j);
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

void KktEmission::form_pairs() {
  for (std::size_t k = 0; k + 1 < plan_.order.size(); ++k) {
    const int a = plan_.order[k], b = plan_.order[k + 1];
    if (a < n_ || b < n_ || at(a).partner >= 0) continue;
    std::vector<int>& after = later_[index(a)];
    const std::vector<int>& after_b = later_[index(b)];
    if (after.empty() || after.front() != b || after_b.size() > kLargestPair) continue;
    if (!std::equal(after.begin() + 1, after.end(), after_b.begin(), after_b.end())) continue;
    after.erase(after.begin());
    at(a).partner = b;
    at(b).partner = a;
  }
}

Signed KktEmission::add(const Two& terms) {
  const auto& [x, y] = terms;
  if (x.is_zero()) return y;
  if (y.is_zero()) return x;
  if (x.negative == y.negative) return {builder_.add(x.value, y.value), x.negative};
  return x.negative ? Signed{builder_.subtract(y.value, x.value)} : Signed{builder_.subtract(x.value, y.value)};
}

Signed KktEmission::multiply(const Two& factors) {
  const auto& [x, y] = factors;
  if (x.is_zero() || y.is_zero()) return {};
  return {builder_.multiply(x.value, y.value), x.negative != y.negative};
}

// The entry K_ik of the KKT matrix before elimination; k is eliminated before i, or is i.
Signed KktEmission::initial(int i, int k) {
  if (i == k && i >= n_ && D_) return {D_(index(i - n_)), true};
  const auto& list = at(i).initial;
  const auto found = std::lower_bound(list.begin(), list.end(), std::pair<int, std::size_t>(k, 0));
  if (found == list.end() || found->first != k) return {};
  if (i < n_ && k < n_) return {M_(found->second)};
  return {W_(found->second), true};
}

int KktEmission::first_of(int k) {
  const int partner = at(k).partner;
  return partner >= 0 && position_[index(partner)] < position_[index(k)] ? partner : k;
}

// Both rows of a pair are multiplied by the same pivot, or neither: their off-diagonal entry belongs to both.
int KktEmission::scale_of(int k) {
  Unknown& unknown = at(k);
  if (unknown.scale_known) return unknown.scale;
  unknown.scale_known = true;
  unknown.scale = longest_wait(k);
  if (unknown.partner < 0) return unknown.scale;
  Unknown& partner = at(unknown.partner);
  partner.scale_known = true;
  if (longest_wait(unknown.partner) != unknown.scale) unknown.scale = kNone;
  return partner.scale = unknown.scale;
}

// For an unknown k that is coupled to no later one: the earlier unknown (the first of a pair) whose pivot waits for the
// most divisions; kNone if several pivots wait equally long. No later unknown but k (and its partner) is coupled to it:
// any other would wait for it, and be coupled to k.
int KktEmission::longest_wait(int k) {
  if (!later_[index(k)].empty()) return kNone;
  int most = 0, longest = kNone;
  for (const int j : at(k).earlier) {
    const int divisions = pivot(j).divisions;
    if (divisions == 0 || divisions < most) continue;
    longest = divisions > most || longest == first_of(j) ? first_of(j) : kNone;
    most = divisions;
  }
  return longest;
}

Operand KktEmission::scale_value(int scale) {
  return at(scale).partner >= 0 ? pivot(scale).determinant : pivot(scale).size;
}
Operand KktEmission::scale_inverse(int scale) {
  return at(scale).partner >= 0 ? pivot(scale).determinant_inverse : pivot(scale).inverse;
}

// Schur entry (i,k) after elimination of the first `places` predecessors of i; multiplied by the pivot that multiplies
// row k, if there is one.
Signed KktEmission::coupling(int i, std::size_t places, int k) {
  const int scale = scale_of(k);
  const Unknown &row = at(i), &column = at(k);
  Signed sum = initial(i, k), taken;
  // Both lists are in the order of elimination; a merge finds the unknowns before k that both are coupled to.
  for (std::size_t a = 0, b = 0; a < places && b < column.earlier.size();) {
    const int before_a = position_[index(row.earlier[a])], before_b = position_[index(column.earlier[b])];
    if (before_a == before_b) {
      if (scale != kNone && first_of(row.earlier[a]) == scale)
        taken = add({taken, multiply({undivided(i, a), entry(k, b)})});
      else
        sum = subtract({sum, multiply({scaled(i, a), entry(k, b)})});
    }
    a += before_a <= before_b;
    b += before_b <= before_a;
  }
  return scale == kNone ? sum : subtract({multiply({{scale_value(scale)}, sum}), taken});
}

// Schur entry (i,k), where k is number `place` among the unknowns that are coupled to i and eliminated before it.
Signed KktEmission::entry(int i, std::size_t place) {
  Unknown& row = at(i);
  if (row.entry_known[place]) return row.entry[place];
  const Signed sum = coupling(i, place, row.earlier[place]);
  row.entry_known[place] = 1;
  return row.entry[place] = sum;
}

// The factor l_ij, where j is number `place` among the unknowns that are coupled to i and eliminated before it. A row
// that is coupled to one unknown of a pair is coupled to the other too, as number place + 1 or place − 1.
Signed KktEmission::scaled(int i, std::size_t place) {
  Unknown& row = at(i);
  if (row.scaled_known[place]) return row.scaled[place];
  const int j = row.earlier[place], partner = at(j).partner;
  Signed value = multiply({entry(i, place), inverse(j)});
  if (partner >= 0) {
    const std::size_t beside = position_[index(partner)] > position_[index(j)] ? place + 1 : place - 1;
    value = add({value, multiply({entry(i, beside), pivot(j).across})});
  }
  row.scaled_known[place] = 1;
  return row.scaled[place] = value;
}

// The factor l_ij times the pivot of j, or times the determinant of j's pair.
Signed KktEmission::undivided(int i, std::size_t place) {
  const int j = at(i).earlier[place], partner = at(j).partner;
  if (partner < 0) return {entry(i, place).value, entry(i, place).negative != (j >= n_)};
  const std::size_t beside = position_[index(partner)] > position_[index(j)] ? place + 1 : place - 1;
  const Signed across = pivot(j).beside;
  return add({multiply({entry(i, place), {pivot(partner).size, j >= n_}}),
              multiply({entry(i, beside), {across.value, !across.negative}})});
}

// The diagonal entry of k's pivot, before a partner is eliminated.
KktEmission::Pivot& KktEmission::size_pivot(int k) {
  Unknown& unknown = at(k);
  Pivot& pivot = unknown.pivot;
  if (pivot.sized) return pivot;
  const bool multiplier = k >= n_;
  const int scale = scale_of(k);
  // An earlier multiplier adds to the pivot of a coordinate, and an earlier coordinate to that of a multiplier: their
  // pivots have opposite signs.
  Signed from = initial(k, k), taken, last;
  const auto adds = [&](int j) { return (j >= n_) != multiplier; };
  for (std::size_t place = 0; place < unknown.earlier.size(); ++place) {
    const int j = unknown.earlier[place];
    if (scale != kNone && first_of(j) == scale) {
      last = add({last, multiply({undivided(k, place), entry(k, place)})});
      continue;
    }
    const Signed change = multiply({scaled(k, place), entry(k, place)});
    if (adds(j))
      from = subtract({from, change});
    else
      taken = add({taken, change});
  }
  if (scale != kNone) {
    from = multiply({{scale_value(scale)}, from});
    taken = multiply({{scale_value(scale)}, taken});
    if (adds(scale))
      from = subtract({from, last});
    else
      taken = add({taken, last});
  }
  pivot.reduced = !taken.is_zero();
  pivot.from = plain(from, multiplier);
  pivot.size = pivot.reduced ? builder_.subtract(pivot.from, plain(taken, multiplier)) : pivot.from;
  pivot.sized = true;
  return pivot;
}

// The inverse of a pair's block ±(p c; c r) is ±(r −c; −c p) / (pr − c²).
const KktEmission::Pivot& KktEmission::pivot(int k) {
  Pivot& pivot = size_pivot(k);
  if (pivot.known) return pivot;
  pivot.known = true;
  const int partner = at(k).partner;
  const auto count_divisions = [&] {
    for (const int j : at(k).earlier) pivot.divisions = std::max(pivot.divisions, at(j).pivot.divisions);
    if (!builder_.is_prepared(pivot.inverse) || !builder_.is_prepared(pivot.across.value)) ++pivot.divisions;
  };
  if (partner < 0) {
    pivot.inverse = builder_.divide(Operand::of(1), pivot.size);
    count_divisions();
    return pivot;
  }
  Pivot& other = size_pivot(partner);
  other.known = true;
  const bool first = position_[index(k)] < position_[index(partner)];
  const int a = first ? k : partner, b = first ? partner : k;
  const Signed across = coupling(b, at(b).earlier.size(), a);
  const Operand sizes = builder_.multiply(pivot.size, other.size);
  pivot.determinant = other.determinant = builder_.subtract(sizes, builder_.square(across.value));
  pivot.determinant_inverse = other.determinant_inverse = builder_.divide(Operand::of(1), pivot.determinant);
  pivot.beside = other.beside = across;
  pivot.inverse = builder_.multiply(other.size, pivot.determinant_inverse);
  other.inverse = builder_.multiply(pivot.size, pivot.determinant_inverse);
  pivot.across = multiply({{across.value, !across.negative}, {pivot.determinant_inverse}});
  other.across = pivot.across;
  count_divisions();
  other.divisions = pivot.divisions;
  return pivot;
}

// The sum b_k − Σ K_kj z_j of the forward sweep.
Signed KktEmission::forward_sum(int k, const Entry& b, const Entry& c) {
  Unknown& unknown = at(k);
  if (unknown.sum_known) return unknown.sum;
  Signed sum;
  if (k < n_ && b) sum = {b(index(k))};
  if (k >= n_ && c) sum = {c(index(k - n_))};
  const int scale = scale_of(k);
  Signed last;
  for (std::size_t place = 0; place < unknown.earlier.size(); ++place) {
    const int j = unknown.earlier[place];
    if (scale != kNone && first_of(j) == scale)
      last = add({last, multiply({undivided(k, place), forward_sum(j, b, c)})});
    else
      sum = subtract({sum, multiply({entry(k, place), forward(j, b, c)})});
  }
  if (scale != kNone) sum = subtract({multiply({{scale_value(scale)}, sum}), last});
  unknown.sum_known = true;
  return unknown.sum = sum;
}

// The solution for one unknown of a pair whose inverse nothing else needs. The division comes last, so that only the
// final product waits for it.
Signed KktEmission::divided(int k, Signed own, Signed other) {
  const Signed beside = pivot(k).beside;
  const Signed sum =
      add({multiply({own, {pivot(at(k).partner).size, k >= n_}}), multiply({other, {beside.value, !beside.negative}})});
  return multiply({sum, {pivot(k).determinant_inverse}});
}

Signed KktEmission::forward(int k, const Entry& b, const Entry& c) {
  Unknown& unknown = at(k);
  if (unknown.z_known) return unknown.z;
  const Signed own = forward_sum(k, b, c);
  Signed z = multiply({own, inverse(k)});
  if (unknown.partner >= 0) {
    const Signed other = forward_sum(unknown.partner, b, c);
    z = later_[index(k)].empty() ? divided(k, own, other) : add({z, multiply({other, pivot(k).across})});
  }
  unknown.z_known = true;
  return unknown.z = z;
}

// Back substitution: x_j = z_j − Σ l_ij x_i over later i; or x_j = (b_j − Σ K_ij x_i) / (pivot of j) if that pivot
// multiplies the rows i.
Signed KktEmission::back(int j, const std::vector<Signed>& x, const Entry& b, const Entry& c) {
  const auto place_in = [&](int i, int of) {
    const auto& earlier = at(i).earlier;
    return static_cast<std::size_t>(std::find(earlier.begin(), earlier.end(), of) - earlier.begin());
  };
  const std::vector<int>& later = later_[index(j)];
  if (later.empty() || scale_of(later.front()) != first_of(j)) {
    Signed sum = forward(j, b, c);
    for (const int i : later) sum = subtract({sum, multiply({scaled(i, place_in(i, j)), x[index(i)]})});
    return sum;
  }
  const auto rest = [&](int k) {
    Signed sum = forward_sum(k, b, c);
    for (const int i : later) sum = subtract({sum, multiply({entry(i, place_in(i, k)), x[index(i)]})});
    return sum;
  };
  if (at(j).partner < 0) return multiply({rest(j), inverse(j)});
  const Signed own = rest(j);
  return divided(j, own, rest(at(j).partner));
}

void KktEmission::solve(const Entry& b, const Entry& c, const std::function<void(int, Operand)>& found) {
  for (Unknown& unknown : unknowns_) unknown.sum_known = unknown.z_known = false;
  // Unknowns without predecessors are computed lazily, by the first row that needs them.
  for (const int k : plan_.order)
    if (!at(k).earlier.empty() || later_[index(k)].empty()) {
      if (later_[index(k)].empty())
        forward(k, b, c);
      else
        forward_sum(k, b, c);  // z is computed where it is read: a row that j's pivot multiplies does not read it
      if (!factored_) watch(k);
    }
  factored_ = true;
  // Back substitution: each unknown as soon as all later ones that are coupled to it are known.
  std::vector<Signed> x(unknowns_.size());
  std::vector<std::size_t> missing(unknowns_.size());
  std::vector<int> ready;
  for (std::size_t j = 0; j < missing.size(); ++j) missing[j] = later_[j].size();
  const auto finish = [&](int j) {
    x[index(j)] = back(j, x, b, c);
    found(j, plain(x[index(j)]));
  };
  for (auto next = plan_.order.rbegin(); next != plan_.order.rend(); ++next) {
    if (missing[index(*next)] == 0 && later_[index(*next)].empty()) ready.push_back(*next);
    while (!ready.empty()) {
      const int i = ready.back();
      ready.pop_back();
      finish(i);
      const auto& earlier = at(i).earlier;
      // The unknown that was eliminated first is popped first, so a body is solved as soon as its rows are known.
      for (auto j = earlier.rbegin(); j != earlier.rend(); ++j)
        if (--missing[index(*j)] == 0) ready.push_back(*j);
    }
  }
}

// The smaller number, by a comparison and a choice, which together are one machine instruction; a NaN in x is kept.
Operand KktEmission::least(Operand x, Operand y) {
  return builder_.call(Op::kSelect, std::array{builder_.call(Op::kLess, std::array{y, x}), y, x});
}

Operand KktEmission::largest(Operand x, Operand y) {
  return builder_.call(Op::kSelect, std::array{builder_.call(Op::kLess, std::array{x, y}), y, x});
}

// Adds the loss of a pivot to the trust numbers, right after the pivot, while its numbers are still in registers. A
// pair contributes the product of its two losses, and the size of its first pivot, because a product hides two negative
// signs.
void KktEmission::watch(int k) {
  const Pivot& d = pivot(k);
  const int partner = at(k).partner;
  if (partner < 0) {
    if (d.reduced) watch(builder_.multiply(d.from, d.inverse));
    return;
  }
  if (position_[index(partner)] > position_[index(k)]) return;
  const Pivot& first = pivot(partner);
  watch(builder_.multiply(builder_.multiply(first.from, d.from), d.determinant_inverse));
  if (first.reduced) trust_->least = least(trust_->least, first.size);
}

void KktEmission::watch(Operand ratio) {
  trust_ = trust_ ? Trust{least(trust_->least, ratio), largest(trust_->largest, ratio)} : Trust{ratio, ratio};
}

KktEmission::Trust KktEmission::trust() {
  if (!trust_) trust_ = {Operand::of(1), Operand::of(1)};
  // A pivot that nothing was taken from has no loss, but a mass that is zero or negative makes such a pivot zero or
  // negative. The loss of a mass hides that mass and pivot are both negative.
  std::vector<Operand> sizes;
  for (int k = 0; k < n_; ++k) {
    if (!pivot(k).reduced)
      sizes.push_back(pivot(k).size);
    else if (at(k).partner < 0)
      sizes.push_back(pivot(k).from);
  }
  // The minimum over pivots that depend on parameters alone comes first, so that prepare() computes it.
  const auto changes = [&](const Operand& x) { return !builder_.is_prepared(x); };
  std::sort(sizes.begin(), sizes.end(), [&](const Operand& x, const Operand& y) {
    return std::tuple(changes(x), x.value, x.constant) < std::tuple(changes(y), y.value, y.constant);
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

// The losses do not depend on the length of a row of W, so rows that are too short are found here. A row with a
// constant entry is long enough.
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
  // Diagonal entries contain the pivot that multiplies their row, which is divided out; the same pivot in all rows
  // would cancel in size · inverse anyway.
  const bool same = std::ranges::all_of(rows, [&](int k) { return scale_of(k) == scale_of(rows[0]); });
  const auto size_of = [&](int k) {
    const int scale = same ? kNone : scale_of(k);
    return scale == kNone ? pivot(k).from : builder_.multiply(pivot(k).from, scale_inverse(scale));
  };
  const auto inverse_of = [&](int k) {
    const int scale = same ? kNone : scale_of(k);
    return scale == kNone ? pivot(k).inverse : builder_.multiply(pivot(k).inverse, scale_value(scale));
  };
  Operand size = size_of(rows[0]), inverse = inverse_of(rows[0]);
  for (std::size_t k = 1; k < rows.size(); ++k) {
    size = largest(size, size_of(rows[k]));
    inverse = largest(inverse, inverse_of(rows[k]));
  }
  trust_->largest =
      largest(trust_->largest, builder_.multiply(Operand::of(kRowSize), builder_.multiply(size, inverse)));
}

}  // namespace dalembert
