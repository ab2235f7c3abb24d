// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability/taylor.h"

#include <map>

namespace dalembert {

Monomials::Monomials(int variables, int degree) : variables_(variables), degree_(degree) {
  // A monomial of degree d + 1 is one of degree d times a variable that does not come before the last one in it.
  using Exponents = std::vector<std::uint8_t>;
  const auto n = static_cast<std::size_t>(variables);
  std::vector<Exponents> all{Exponents(n)};
  // By monomial: the monomial of one degree less and the variable whose product it is.
  std::vector<std::pair<std::uint32_t, std::size_t>> made_of{{0, 0}};
  std::map<Exponents, std::uint32_t> index;
  begin_ = {0, 1};
  for (int d = 0; d < degree; ++d) {
    for (std::size_t k = begin(d); k < size(d); ++k) {
      std::size_t last = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (all[k][i] != 0) last = i;
      for (std::size_t i = last; i < n; ++i) {
        Exponents next = all[k];
        ++next[i];
        index.emplace(next, static_cast<std::uint32_t>(all.size()));
        made_of.emplace_back(static_cast<std::uint32_t>(k), i);
        all.push_back(std::move(next));
      }
    }
    begin_.push_back(all.size());
  }
  for (const Exponents& exponents : all) exponents_.insert(exponents_.end(), exponents.begin(), exponents.end());
  times_.resize(size(degree - 1) * n);
  for (std::size_t k = 0; k < size(degree - 1); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      Exponents next = all[k];
      ++next[i];
      times_[k * n + i] = index.at(next);
    }
  products_.resize(all.size());
  for (int d = 0; d <= degree; ++d)
    for (std::size_t a = begin(d); a < size(d); ++a) {
      std::vector<std::uint32_t>& of = products_[a];
      of.reserve(size(degree - d));
      of.push_back(static_cast<std::uint32_t>(a));
      for (std::size_t b = 1; b < size(degree - d); ++b)
        of.push_back(times_[of[made_of[b].first] * n + made_of[b].second]);
    }
}

double Monomials::count(int variables, int degree) {
  double count = 1;
  for (int i = 1; i <= degree; ++i) count = count * (variables + i) / i;
  return count;
}

}  // namespace dalembert
