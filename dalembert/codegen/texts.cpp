// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/texts.h"

#include <cassert>

namespace dalembert {

std::string filled(std::string_view text, std::initializer_list<Filling> fillings) {
  return filled(text, std::span(fillings.begin(), fillings.size()));
}

std::string filled_where(std::string_view text, std::vector<Filling> fillings) {
  std::erase_if(fillings, [&](const Filling& filling) { return text.find(filling.what) == text.npos; });
  return filled(text, fillings);
}

std::string filled(std::string_view text, std::span<const Filling> fillings) {
  for ([[maybe_unused]] const Filling& filling : fillings) assert(text.find(filling.what) != text.npos);
  std::string result;
  while (true) {
    std::size_t at = text.npos;
    const Filling* next = nullptr;
    for (const Filling& filling : fillings) {
      const std::size_t place = text.find(filling.what);
      if (place < at || (place == at && next != nullptr && filling.what.size() > next->what.size())) {
        at = place;
        next = &filling;
      }
    }
    result += text.substr(0, at);
    if (next == nullptr) return result;
    result += next->by;
    text.remove_prefix(at + next->what.size());
  }
}

}  // namespace dalembert
