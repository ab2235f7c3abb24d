// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/follow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace dalembert {
namespace {

using Complex = std::complex<double>;

// An eigenvalue at one value of the parameter.
struct End {
  double value;
  Complex eigenvalue;
};

// Eigenvalues that vanish at every value of the parameter are exactly 0 (eigenvalues_of) and are passed over.
const Complex& nearest_eigenvalue(const Spectrum& spectrum, const Complex& to) {
  return *std::ranges::min_element(spectrum, {},
                                   [&](const Complex& z) { return z == 0.0 ? HUGE_VAL : std::abs(z - to); });
}

// The value at which an eigenvalue crosses the imaginary axis; a and b are on opposite sides of it.
std::optional<End> find_crossing(End a, End b, const SpectrumAt& at) {
  const double spacing = 4 * std::numeric_limits<double>::epsilon();
  double weight_a = a.eigenvalue.real(), weight_b = b.eigenvalue.real();
  for (int i = 0; i < 120; ++i) {
    if (a.eigenvalue.real() == 0) return a;
    if (b.eigenvalue.real() == 0) return b;
    if (std::abs(b.value - a.value) <= spacing * std::max(std::abs(a.value), std::abs(b.value))) break;
    // False position; every third step bisects, which converges for any function.
    double part = weight_a / (weight_a - weight_b);
    if (i % 3 == 2 || !(part > 0) || !(part < 1)) part = 0.5;
    const double middle = a.value + part * (b.value - a.value);
    if (middle == a.value || middle == b.value) break;
    const auto spectrum = at(middle);
    if (!spectrum || spectrum->empty()) return std::nullopt;
    const double along = (middle - a.value) / (b.value - a.value);
    const End here{middle, nearest_eigenvalue(*spectrum, a.eigenvalue + along * (b.eigenvalue - a.eigenvalue))};
    if ((here.eigenvalue.real() > 0) == (a.eigenvalue.real() > 0)) {
      a = here;
      weight_a = here.eigenvalue.real();
      weight_b /= 2;
    } else {
      b = here;
      weight_b = here.eigenvalue.real();
      weight_a /= 2;
    }
  }
  return std::abs(a.eigenvalue.real()) < std::abs(b.eigenvalue.real()) ? a : b;
}

// The real part; 0 where it is round-off.
double side(const Complex& z, double size) { return std::abs(z.real()) <= 1e-11 * size ? 0 : z.real(); }

double size_of(const Spectrum& spectrum);

// Whether an eigenvalue is in the right half-plane. The tolerance is about the square root of round-off, because
// round-off moves pairs that meet on the axis by that much.
bool is_unstable(const Spectrum& spectrum) {
  const double size = size_of(spectrum);
  return std::ranges::any_of(spectrum, [&](const Complex& z) { return z.real() > 1e-7 * size; });
}

Complex rightmost(const Spectrum& spectrum) {
  return *std::ranges::max_element(spectrum, {}, [](const Complex& z) { return z.real(); });
}

// Finds by bisection the value at which eigenvalues leave the axis. Without damping they do not cross it: they stay on
// it until two of them meet.
std::optional<CriticalValue> find_departure(double stable, double unstable, bool to_unstable, const SpectrumAt& at) {
  const double on_axis = stable;
  Complex there = 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = stable + (unstable - stable) / 2;
    if (middle == stable || middle == unstable) break;
    const auto spectrum = at(middle);
    if (!spectrum || spectrum->empty()) return std::nullopt;
    (is_unstable(*spectrum) ? unstable : stable) = middle;
    there = rightmost(*spectrum);
  }
  const double height = std::abs(there.imag());
  // The real part of one eigenvalue that leaves the axis at `on_axis` is proportional to the distance from that value;
  // the real part of two that meet grows with the square root of the distance.
  const auto twice_as_far = at(on_axis + 2 * (unstable - on_axis)), as_far = at(unstable);
  double value = unstable;
  if (twice_as_far && as_far && !twice_as_far->empty() && !as_far->empty()) {
    const double ratio = rightmost(*twice_as_far).real() / rightmost(*as_far).real();
    if (ratio > 1.9 && ratio < 2.1) value = on_axis;
  }
  return CriticalValue{value, {0, height <= std::abs(there.real()) ? 0 : height}, to_unstable};
}

double size_of(const Spectrum& spectrum) {
  double size = 0;
  for (const Complex& z : spectrum) size = std::max(size, std::abs(z));
  return size;
}

}  // namespace

Spectrum matched(const Spectrum& predicted, const Spectrum& next) {
  if (predicted.size() != next.size()) return next;
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    for (std::size_t j = 0; j < next.size(); ++j) pairs.emplace_back(std::abs(predicted[i] - next[j]), i, j);
  std::ranges::sort(pairs);
  Spectrum ordered(next.size());
  std::vector<bool> taken(next.size()), given(next.size());
  for (const auto& [distance, i, j] : pairs) {
    if (given[i] || taken[j]) continue;
    given[i] = taken[j] = true;
    ordered[i] = next[j];
  }
  return ordered;
}

Followed follow(std::span<const double> values, const SpectrumAt& at) {
  Followed path;
  // For each eigenvalue the last parameter value at which it was certainly on one side of the axis, and the eigenvalue there.
  std::vector<End> last;
  for (const double value : values) {
    std::optional<Spectrum> spectrum = at(value);
    if (!spectrum) break;
    const std::size_t n = path.value.size();
    if (n > 0) {
      Spectrum predicted = path.spectrum[n - 1];
      if (n > 1 && path.spectrum[n - 2].size() == predicted.size())
        for (std::size_t k = 0; k < predicted.size(); ++k)
          predicted[k] += (predicted[k] - path.spectrum[n - 2][k]) *
                          ((value - path.value[n - 1]) / (path.value[n - 1] - path.value[n - 2]));
      spectrum = matched(predicted, *spectrum);
    }
    const double size = size_of(*spectrum);
    const std::size_t found = path.critical.size();
    if (last.size() != spectrum->size()) last.assign(spectrum->size(), {value, 0});
    for (std::size_t k = 0; k < spectrum->size(); ++k) {
      const Complex now = (*spectrum)[k];
      const double here = side(now, size);
      if (here == 0) continue;
      const End before = last[k];
      last[k] = {value, now};
      if (before.eigenvalue.real() == 0 || (before.eigenvalue.real() > 0) == (here > 0)) continue;
      if (now.imag() < 0 && std::abs(now.imag()) > 1e-9 * size) continue;  // its conjugate crosses as well
      const std::optional<End> crossing = find_crossing(before, {value, now}, at);
      if (!crossing) continue;
      // Where branches were mistaken for each other, an eigenvalue seems to jump over the axis: it does not cross it.
      if (std::abs(crossing->eigenvalue.real()) > 1e-6 * size) continue;
      path.critical.push_back({crossing->value, {0, std::abs(crossing->eigenvalue.imag())}, here > 0});
    }
    if (n > 0 && path.critical.size() == found && is_unstable(*spectrum) != is_unstable(path.spectrum[n - 1])) {
      const bool before = is_unstable(path.spectrum[n - 1]);
      const auto departure = before ? find_departure(value, path.value[n - 1], false, at)
                                    : find_departure(path.value[n - 1], value, true, at);
      if (departure) path.critical.push_back(*departure);
    }
    path.value.push_back(value);
    path.spectrum.push_back(std::move(*spectrum));
  }
  // Where two real eigenvalues have met, both branches may have found the crossing of one of them.
  const bool descends = values.size() > 1 && values.back() < values.front();
  std::ranges::sort(path.critical, {}, [&](const CriticalValue& c) { return descends ? -c.value : c.value; });
  const auto same = [](const CriticalValue& a, const CriticalValue& b) {
    return std::abs(a.value - b.value) <= 1e-9 * std::max(1e-3, std::abs(a.value)) &&
           std::abs(a.eigenvalue - b.eigenvalue) <= 1e-6 * (1 + std::abs(a.eigenvalue));
  };
  path.critical.erase(std::unique(path.critical.begin(), path.critical.end(), same), path.critical.end());
  return path;
}

}  // namespace dalembert
