// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/momentum_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace dalembert {
namespace {

constexpr std::size_t kMostNames = 8;

std::string_view stem(std::string_view name) {
  name.remove_suffix(number_in(name).size());
  if (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  return name;
}

class Namer {
 public:
  Namer(const Model& model, const MomentumParts& parts) : model_(model), parts_(parts) {
    for (const auto& [i, j] : parts.planes) {
      add(i);
      add(j);
    }
    for (const int i : parts.translations) add(i);
    std::ranges::sort(involved_);
  }

  std::string run() const {
    if (parts_.planes.empty()) return translation();
    const auto [i, j] = parts_.planes.front();
    if (parts_.planes.size() == 1)
      return fmt::format("angular momentum in the {}, {} plane{}", name(i), name(j),
                         involved_.size() > 2 ? list() : std::string());
    const bool one_plane =
        stem(name(i)) != stem(name(j)) && std::ranges::all_of(parts_.planes, [&](const auto& plane) {
          return stem(name(plane.first)) == stem(name(i)) && stem(name(plane.second)) == stem(name(j));
        });
    if (!one_plane) return "angular momentum" + list();
    return fmt::format("angular momentum in the {}, {} plane{}", stem(name(i)), stem(name(j)), list());
  }

 private:
  std::string translation() const {
    const auto all = [&](auto&& suits) {
      return std::ranges::all_of(involved_, [&](int i) {
        const auto& dimension = model_.coordinates[static_cast<std::size_t>(i)].dimension;
        return dimension && suits(*dimension);
      });
    };
    if (all([](const Dimension& d) { return d.dimensionless(); })) return "angular momentum" + list();
    const bool linear = all([](const Dimension& d) { return d == Dimension::length(); });
    const std::string what = linear ? "linear momentum" : "momentum";
    const std::string_view axis = stem(name(involved_.front()));
    const bool one_axis = !axis.empty() && std::ranges::all_of(involved_, [&](int i) { return stem(name(i)) == axis; });
    return linear && one_axis ? fmt::format("{} along {}{}", what, axis, list()) : what + list();
  }

  void add(int i) {
    if (std::ranges::find(involved_, i) == involved_.end()) involved_.push_back(i);
  }
  std::string_view name(int i) const { return model_.coordinates[static_cast<std::size_t>(i)].name; }
  std::string list() const {
    std::string text;
    for (std::size_t k = 0; k < involved_.size() && k < kMostNames; ++k)
      text += fmt::format("{}{}", k == 0 ? " (" : ", ", name(involved_[k]));
    return text + (involved_.size() > kMostNames ? fmt::format(", ..., {})", name(involved_.back())) : ")");
  }

  const Model& model_;
  const MomentumParts& parts_;
  std::vector<int> involved_;
};

}  // namespace

std::string_view number_in(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' && name[name.size() - 1 - digits] <= '9')
    ++digits;
  return name.substr(name.size() - digits);
}

std::string name_momentum(const Model& model, const MomentumParts& parts, const std::vector<ConservedQuantity>& taken) {
  const std::string base = Namer(model, parts).run();
  std::string name = base;
  const auto is_taken = [&] {
    return std::ranges::any_of(taken, [&](const ConservedQuantity& other) { return other.name == name; });
  };
  for (int number = 2; is_taken(); ++number) name = fmt::format("{}, {}", base, number);
  return name;
}

}  // namespace dalembert
