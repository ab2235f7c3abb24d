// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/texts.h"

namespace dalembert {

std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  std::string result;
  while (true) {
    // The first that stands there; of two that begin at one place, the one that is named first.
    std::size_t at = text.npos;
    std::pair<std::string_view, std::string_view> next;
    for (const auto& pair : pairs)
      if (const std::size_t place = text.find(pair.first); place < at) {
        at = place;
        next = pair;
      }
    result += text.substr(0, at);
    if (at == text.npos) return result;
    result += next.second;
    text.remove_prefix(at + next.first.size());
  }
}

}  // namespace dalembert
