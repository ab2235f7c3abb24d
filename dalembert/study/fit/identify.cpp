// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/identify.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/fit/column_svd.h"

namespace dalembert::fitting {
namespace {

constexpr double kOverNoise = 10;       // singular values below this times the noise may be 0
constexpr double kLeastEffect = 1e-11;  // of the size of all values: an effect that is round-off
constexpr double kLeastEntry = 1e-6;    // entries of directions below this are 0
constexpr double kMostEntry = 0.05;     // entries that are known worse than this are not compared with fractions
constexpr double kFinite = 0.4;         // ln 1.5: the relative change by which a combination is confirmed
constexpr double kConfirmed = 1e-5;     // the part of the single changes that may be left of them together
constexpr int kMostDenominator = 6, kMostNumerator = 12;

double length_of(const std::vector<double>& A, std::size_t rows, std::size_t columns, std::size_t k) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) sum += A[r * columns + k] * A[r * columns + k];
  return std::sqrt(sum);
}

struct Fraction {
  int over = 0, under = 1;
  double value() const { return static_cast<double>(over) / under; }
};

std::optional<Fraction> fraction_near(double value, double tolerance) {
  for (int under = 1; under <= kMostDenominator; ++under) {
    const double over = std::round(value * under);
    if (std::abs(over) <= kMostNumerator && std::abs(value - over / under) <= tolerance)
      return Fraction{static_cast<int>(over), under};
  }
  return std::nullopt;
}

// Directions in relative units, in reduced echelon form: each has a 1 where the others have 0.
struct Echelon {
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> pivots;  // of each row
  std::vector<double> tolerance;    // of entries, by unknown
};

// The pivot of row i becomes the smallest of its entries that are 0 in all other rows: in terms of that unknown the exponents of the others are whole numbers
// if they can be. `rows_of` is, of each unknown, the number of rows in which it is not 0.
void choose_pivot(Echelon& echelon, std::size_t i, const std::vector<std::size_t>& rows_of) {
  std::vector<double>& row = echelon.rows[i];
  std::size_t best = echelon.pivots[i];
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k] != 0 && rows_of[k] == 1 && std::abs(row[k]) < (1 - kMostEntry) * std::abs(row[best])) best = k;
  const double over = row[best];
  for (double& entry : row) entry /= over;
  for (double& tolerance : echelon.tolerance) tolerance /= std::min(1.0, std::abs(over));
  echelon.pivots[i] = best;
}

Echelon echelon_of(const Directions& of, std::size_t unknowns) {
  Echelon made;
  made.tolerance.assign(unknowns, kLeastEntry);
  std::vector<std::size_t> alive;
  for (std::size_t c = 0; c < of.chosen.size(); ++c)
    if (!of.dead[c]) alive.push_back(c);
  double most = 0;
  for (std::size_t j = of.rank; j < of.singular.size(); ++j) {
    std::vector<double>& row = made.rows.emplace_back(unknowns, 0.0);
    for (std::size_t a = 0; a < alive.size(); ++a) {
      row[of.chosen[alive[a]]] = of.V[a * of.singular.size() + j] / of.lengths[alive[a]];
      most = std::max(most, std::abs(row[of.chosen[alive[a]]]));
    }
  }
  if (of.rank > 0 && most > 0)
    for (const std::size_t c : alive)
      made.tolerance[of.chosen[c]] =
          std::max(kLeastEntry, kOverNoise * of.noise / of.singular[of.rank - 1] / (of.lengths[c] * most));
  for (std::size_t i = 0; i < made.rows.size(); ++i) {
    std::size_t best_row = i, pivot = 0;
    for (std::size_t r = i; r < made.rows.size(); ++r)
      for (std::size_t k = 0; k < unknowns; ++k)
        if (std::abs(made.rows[r][k]) > std::abs(made.rows[best_row][pivot]))
          std::tie(best_row, pivot) = std::pair(r, k);
    std::swap(made.rows[i], made.rows[best_row]);
    made.pivots.push_back(pivot);
    const double over = made.rows[i][pivot];
    for (double& entry : made.rows[i]) entry /= over;
    for (std::size_t r = 0; r < made.rows.size(); ++r) {
      const double times = made.rows[r][pivot];
      if (r != i)
        for (std::size_t k = 0; k < unknowns; ++k) made.rows[r][k] -= times * made.rows[i][k];
    }
  }
  for (auto& row : made.rows)
    for (std::size_t k = 0; k < unknowns; ++k)
      if (std::abs(row[k]) < made.tolerance[k]) row[k] = 0;
  std::vector<std::size_t> rows_of(unknowns, 0);
  for (const auto& row : made.rows)
    for (std::size_t k = 0; k < unknowns; ++k) rows_of[k] += row[k] != 0 ? 1 : 0;
  for (std::size_t i = 0; i < made.rows.size(); ++i) choose_pivot(made, i, rows_of);
  return made;
}

// Groups of rows that have unknowns in common.
std::vector<std::vector<std::size_t>> components_of(const Echelon& echelon) {
  std::vector<std::vector<std::size_t>> groups;
  const std::size_t unknowns = echelon.rows.empty() ? 0 : echelon.rows.front().size();
  constexpr auto kNoRow = static_cast<std::size_t>(-1);
  std::vector<std::size_t> row_with(unknowns,
                                    kNoRow);  // a row in which the unknown is not 0; all of them are in one group
  std::vector<char> meets(echelon.rows.size());
  for (std::size_t r = 0; r < echelon.rows.size(); ++r) {
    std::vector<std::size_t> mine{r};
    std::ranges::fill(meets, 0);
    for (std::size_t k = 0; k < unknowns; ++k)
      if (echelon.rows[r][k] != 0 && row_with[k] != kNoRow) meets[row_with[k]] = 1;
    for (std::size_t k = 0; k < unknowns; ++k)
      if (echelon.rows[r][k] != 0) row_with[k] = r;
    for (std::size_t g = groups.size(); g-- > 0;)
      if (std::ranges::any_of(groups[g], [&](std::size_t other) { return meets[other] != 0; })) {
        mine.insert(mine.begin(), groups[g].begin(), groups[g].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
      }
    groups.push_back(std::move(mine));
  }
  return groups;
}

class Describer {
 public:
  Describer(const std::vector<Unknown>& unknowns, const std::vector<double>& x, const std::vector<double>& s,
            double size, const std::function<std::vector<double>(const std::vector<double>&)>& values)
      : unknowns_(unknowns), x_(x), s_(s), size_(size), values_(values), here_(values(x)) {}

  std::string describe(const Echelon& echelon, const std::vector<std::size_t>& rows) const {
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < x_.size(); ++k)
      if (std::ranges::any_of(rows, [&](std::size_t r) { return echelon.rows[r][k] != 0; })) members.push_back(k);
    for (const bool product : {true, false})
      if (const std::optional<std::string> said = as_invariants(echelon, rows, members, product)) return *said;
    return locally(echelon.rows[rows.front()], members);
  }

  // Of what has no effect to first order: which other values were tried, to both sides, and gave the same.
  std::string describe_dead(std::size_t k) const {
    std::vector<double> direction(x_.size(), 0.0);
    direction[k] = 1;
    const bool product = has_size(k);
    const std::string unit = unknowns_[k].unit.empty() ? "" : " " + unknowns_[k].unit;
    std::vector<std::string> same;
    bool changes = false;
    for (const double sign : {-1, 1}) {
      const std::optional<Tried> tried = try_along(direction, product, {sign}, 0);
      if (tried && tried->is_same) same.push_back(to_text(tried->x[k], 3) + unit);
      changes = changes || (tried && !tried->is_same);
    }
    return fmt::format("{}: nothing that was measured depends on it{}", unknowns_[k].name,
                       changes || same.empty() ? " near the solution"
                                               : fmt::format(" ({} {} the same)", join_words(same, "", "and"),
                                                             same.size() == 1 ? "gives" : "give"));
  }

 private:
  // Whether an unknown is more than its value would be as a zero: then it may be a factor.
  bool has_size(std::size_t k) const { return std::abs(x_[k]) >= s_[k]; }

  // Entry k of a direction, in a form where an exponent or a factor can be a small fraction: relative, or in the unit of the unknown.
  double entry(double of_row, std::size_t k, std::size_t pivot, bool product) const {
    return product ? of_row * (s_[k] / x_[k]) / (s_[pivot] / x_[pivot]) : of_row * s_[k] / s_[pivot];
  }

  std::optional<std::string> as_invariants(const Echelon& echelon, const std::vector<std::size_t>& rows,
                                           const std::vector<std::size_t>& members, bool product) const {
    if (product && std::ranges::any_of(members, [&](std::size_t k) { return !has_size(k); })) return std::nullopt;
    std::vector<std::vector<Fraction>> fractions;  // [row][member]
    for (const std::size_t r : rows) {
      std::vector<Fraction>& mine = fractions.emplace_back();
      std::vector<double> exact(x_.size(), 0.0);
      for (const std::size_t k : members) {
        const double value = entry(echelon.rows[r][k], k, echelon.pivots[r], product);
        const double unit = std::abs(entry(1, k, echelon.pivots[r], product));
        const double tolerance = 10 * echelon.tolerance[k] * unit;
        const auto near = tolerance < kMostEntry ? fraction_near(value, tolerance) : std::nullopt;
        if (!near) return std::nullopt;
        mine.push_back(*near);
        exact[k] = near->value();
      }
      if (!confirmed(exact, product, alone_of(exact, product))) return std::nullopt;
    }
    std::vector<std::string> determined;
    for (const std::size_t j : members) {
      const bool is_pivot = std::ranges::any_of(rows, [&](std::size_t r) { return echelon.pivots[r] == j; });
      if (!is_pivot) determined.push_back(invariant(echelon, rows, members, fractions, j, product));
    }
    if (determined.empty()) return std::nullopt;
    return fmt::format("{}: only {} {} determined", names_of(members), join_words(determined, "", "and"),
                       determined.size() == 1 ? "is" : "are");
  }

  // What stays as it is along all the directions: x_j Π x_p^(−R), or x_j − Σ R x_p, with entry R of unknown j in the direction whose pivot is p.
  std::string invariant(const Echelon& echelon, const std::vector<std::size_t>& rows,
                        const std::vector<std::size_t>& members, const std::vector<std::vector<Fraction>>& fractions,
                        std::size_t j, bool product) const {
    const auto place = static_cast<std::size_t>(std::ranges::find(members, j) - members.begin());
    std::vector<std::pair<std::size_t, int>> powers;
    int common = 1;
    for (const auto& row : fractions) common = std::lcm(common, row[place].under);
    powers.emplace_back(j, common);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const Fraction& R = fractions[r][place]; R.over != 0)
        powers.emplace_back(echelon.pivots[rows[r]], -R.over * (common / R.under));
    std::ranges::sort(powers);
    int divisor = 0;
    for (const auto& [k, power] : powers) divisor = std::gcd(divisor, power);
    if (powers.front().second < 0) divisor = -divisor;
    for (auto& [k, power] : powers) power /= divisor;
    return product ? product_text(powers) : sum_text(powers);
  }

  std::string product_text(const std::vector<std::pair<std::size_t, int>>& powers) const {
    std::string over, under;
    int below = 0;
    for (const auto& [k, power] : powers) {
      std::string& side = power > 0 ? over : under;
      if (!side.empty()) side += "*";
      side += unknowns_[k].name + (std::abs(power) == 1 ? "" : fmt::format("^{}", std::abs(power)));
      if (power < 0) ++below;
    }
    if (under.empty()) return over;
    return below > 1 ? fmt::format("{}/({})", over, under) : fmt::format("{}/{}", over, under);
  }

  std::string sum_text(const std::vector<std::pair<std::size_t, int>>& factors) const {
    std::string text;
    for (const auto& [k, factor] : factors) {
      text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      text += (std::abs(factor) == 1 ? "" : fmt::format("{}*", std::abs(factor))) + unknowns_[k].name;
    }
    return text;
  }

  std::string locally(const std::vector<double>& row, const std::vector<std::size_t>& members) const {
    std::vector<std::string> changes;
    for (const std::size_t k : members)
      if (row[k] != 0)
        changes.push_back(has_size(k) ? fmt::format("{} by {:+.3g} %", unknowns_[k].name, row[k] * s_[k] / x_[k])
                                      : fmt::format("{} by {:+.3g}{}", unknowns_[k].name, 0.01 * row[k] * s_[k],
                                                    unknowns_[k].unit.empty() ? "" : " " + unknowns_[k].unit));
    return fmt::format("{}: near the solution a change of {} together changes nothing that was measured",
                       names_of(members), join_words(changes, "", "and"));
  }

  std::string names_of(const std::vector<std::size_t>& members) const {
    std::vector<std::string> names;
    for (const std::size_t k : members) names.push_back(unknowns_[k].name);
    return join_words(names, "", "and");
  }

  // How much the largest of the single changes alone changes the values, per unit of the direction: found by runs.
  double alone_of(const std::vector<double>& direction, bool product) const {
    const double step = 1e-3 / largest(direction, product);
    double most = 0;
    for (std::size_t k = 0; k < direction.size(); ++k) {
      if (direction[k] == 0) continue;
      std::vector<double> alone(direction.size(), 0.0);
      alone[k] = direction[k];
      most = std::max(most, difference(here_, values_(moved(alone, product, step))) / step);
    }
    return most;
  }

  // The largest change, relative to the unknown, per unit of the direction.
  double largest(const std::vector<double>& direction, bool product) const {
    double most = 0;
    for (std::size_t k = 0; k < direction.size(); ++k)
      most = std::max(most, product ? std::abs(direction[k]) : std::abs(direction[k]) / s_[k]);
    return most;
  }

  std::vector<double> moved(const std::vector<double>& direction, bool product, double by) const {
    std::vector<double> x = x_;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (direction[k] == 0) continue;
      x[k] = product ? x[k] * std::exp(by * direction[k]) : x[k] + by * direction[k];
    }
    return x;
  }

  static double difference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return std::nan("");
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
  }

  // Other values of the unknowns, and whether they give the values that were found.
  struct Tried {
    std::vector<double> x;
    bool is_same = false;
  };
  // So far along a direction. `alone`: how much the values change without the cancellation, per unit. Nothing where bounds forbid it or the run fails.
  std::optional<Tried> try_at(const std::vector<double>& direction, bool product, double by, double alone) const {
    Tried tried{moved(direction, product, by)};
    for (std::size_t k = 0; k < x_.size(); ++k)
      if (direction[k] != 0 && !(tried.x[k] >= unknowns_[k].lower && tried.x[k] <= unknowns_[k].upper))
        return std::nullopt;
    const std::vector<double> values = values_(tried.x);
    if (values.empty()) return std::nullopt;
    tried.is_same = difference(here_, values) <= kConfirmed * (alone * std::abs(by)) + 1e-8 * size_;
    return tried;
  }

  // The farthest values along a direction, to one of its sides, that bounds allow and runs reach.
  std::optional<Tried> try_along(const std::vector<double>& direction, bool product,
                                 std::initializer_list<double> signs, double alone) const {
    const double most = largest(direction, product);
    for (double by = kFinite / most; by * most > kFinite / 20; by /= 2)
      for (const double sign : signs)
        if (std::optional<Tried> tried = try_at(direction, product, sign * by, alone)) return tried;
    return std::nullopt;
  }

  // Whether the values stay as they are along a direction over a finite distance.
  bool confirmed(const std::vector<double>& direction, bool product, double alone) const {
    const std::optional<Tried> tried = try_along(direction, product, {1, -1}, alone);
    return tried && tried->is_same;
  }

  const std::vector<Unknown>& unknowns_;
  const std::vector<double>&x_, &s_;
  const double size_;
  const std::function<std::vector<double>(const std::vector<double>&)>& values_;
  const std::vector<double> here_;  // the values at x
};

Fit::Combination combination(const std::vector<double>& row, const std::vector<Unknown>& unknowns, std::string text) {
  double sum = 0;
  for (const double entry : row) sum += entry * entry;
  Fit::Combination made{{}, std::move(text)};
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k] != 0) made.parts.emplace_back(unknowns[k].name, row[k] / std::sqrt(sum));
  return made;
}

}  // namespace

Directions find_directions(const NoisyJacobian& J, const std::vector<double>& s, std::vector<std::size_t> chosen,
                           double size) {
  Directions found;
  found.chosen = std::move(chosen);
  std::vector<double> difference(J.at.size()), columns;
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = J.at[i] - J.tighter[i];
  std::vector<std::size_t> alive;
  std::vector<double> factors;
  double noise = 0;
  for (const std::size_t k : found.chosen) {
    const double length = s[k] * length_of(J.tighter, J.rows, J.unknowns, k);
    const double of_noise = s[k] * length_of(difference, J.rows, J.unknowns, k);
    found.lengths.push_back(length);
    found.dead.push_back(!(length > std::max(kOverNoise * of_noise, kLeastEffect * size)));
    if (found.dead.back()) continue;
    alive.push_back(k);
    factors.push_back(s[k] / length);
    noise += of_noise / length * (of_noise / length);
  }
  found.noise = std::sqrt(noise);
  for (std::size_t r = 0; r < J.rows; ++r)
    for (std::size_t a = 0; a < alive.size(); ++a) columns.push_back(J.tighter[r * J.unknowns + alive[a]] * factors[a]);
  ColumnSvd svd = column_svd(columns, J.rows, alive.size());
  found.singular = std::move(svd.singular);
  found.V = std::move(svd.V);
  if (found.singular.empty()) return found;
  const double least = std::max(kOverNoise * found.noise, kLeastRatio * found.singular.front());
  found.noise = std::max(found.noise, 1e-9 * found.singular.front());
  while (found.rank < found.singular.size() && found.singular[found.rank] > least) ++found.rank;
  return found;
}

std::vector<Fit::Combination> describe_undetermined(
    const Directions& directions, const std::vector<Unknown>& unknowns, const std::vector<double>& x,
    const std::vector<double>& s, double size,
    const std::function<std::vector<double>(const std::vector<double>& x)>& values) {
  std::vector<Fit::Combination> all;
  if (directions.rank == directions.chosen.size()) return all;
  const Describer describer(unknowns, x, s, size, values);
  for (std::size_t c = 0; c < directions.chosen.size(); ++c) {
    if (!directions.dead[c]) continue;
    std::vector<double> row(x.size(), 0.0);
    row[directions.chosen[c]] = 1;
    all.push_back(combination(row, unknowns, describer.describe_dead(directions.chosen[c])));
  }
  const Echelon echelon = echelon_of(directions, x.size());
  for (const std::vector<std::size_t>& rows : components_of(echelon)) {
    const std::string text = describer.describe(echelon, rows);
    for (const std::size_t r : rows) all.push_back(combination(echelon.rows[r], unknowns, text));
  }
  return all;
}

}  // namespace dalembert::fitting
