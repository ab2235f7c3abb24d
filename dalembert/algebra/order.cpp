// SPDX-License-Identifier: Apache-2.0
// Sort keys of angles and opaque generators, which depend on their content and not on the order of creation.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"

namespace dalembert {
namespace {

// Keys of nested functions double with each level, so a long key is cut, and a hash of the whole key is appended (FNV-1a).
constexpr std::size_t kLongestKey = 400;

std::string shortened(std::string key) {
  if (key.size() <= kLongestKey) return key;
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  key.resize(kLongestKey);
  return key + fmt::format("#{:016x}", hash);
}

}  // namespace

double Canonicalizer::written_size(const Polynomial& p) const {
  double total = 0;
  const auto monomial_size = [&](std::uint32_t id) {
    double sum = 0;
    for (const GeneratorPower& power : monomial(id)) sum += generator_size(power.generator);
    return sum;
  };
  for (const PolynomialTerm& term : p) {
    total += 1 + monomial_size(term.key.monomial);
    if (term.key.trig == Trig::kOne) continue;
    for (const auto& [part, coefficient] : angle(term.key.angle)) total += 1 + monomial_size(part);
  }
  return total;
}

double Canonicalizer::generator_size(std::uint32_t id) const {
  if (const auto known = sizes_.find(id); known != sizes_.end()) return known->second;
  double size = 1;
  for (const Polynomial& argument : generator(id).arguments) size += written_size(argument);
  return sizes_.emplace(id, size).first->second;
}

std::string Canonicalizer::monomial_order(std::uint32_t id) const {
  std::string key;
  for (const GeneratorPower& power : monomial(id)) {
    const Generator& g = generator(power.generator);
    if (g.kind == Generator::Kind::kSymbol) {
      const Symbol& symbol = graph_.symbol_info(g.symbol);
      key += fmt::format("{:02}.{:06}.{}", static_cast<int>(symbol.kind), symbol.index, symbol.name);
    } else {
      key += generator_order(power.generator);
    }
    key += fmt::format("^{} ", power.twelfths);
  }
  return key;
}

const std::string& Canonicalizer::angle_order(std::uint32_t id) const {
  if (const auto known = angle_orders_.find(id); known != angle_orders_.end()) return known->second;
  std::string key;
  for (const auto& [monomial, coefficient] : angle(id)) key += monomial_order(monomial) + coefficient.to_string() + ";";
  return angle_orders_.emplace(id, shortened(std::move(key))).first->second;
}

const std::string& Canonicalizer::generator_order(std::uint32_t id) const {
  if (const auto known = generator_orders_.find(id); known != generator_orders_.end()) return known->second;
  const Generator& g = generator(id);
  std::vector<std::string> parts;
  for (const Polynomial& argument : g.arguments)
    for (const PolynomialTerm& term : argument)
      parts.push_back(fmt::format("{}{}{}{}", monomial_order(term.key.monomial), static_cast<int>(term.key.trig),
                                  angle_order(term.key.angle), term.coefficient.to_string()));
  std::ranges::sort(parts);
  std::string key = fmt::format("{:02}.{:02}.{}{}", 90 + static_cast<int>(g.kind), static_cast<int>(g.op), g.prime,
                                fmt::join(parts, "+"));
  return generator_orders_.emplace(id, shortened(std::move(key))).first->second;
}

}  // namespace dalembert
