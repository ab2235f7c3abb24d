// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/mentions.h"

#include <cstddef>

#include "dalembert/base/text.h"

namespace dalembert {

bool mentions(const std::string& text, const std::string& name) {
  const auto in_name = [](char c) { return is_identifier(std::string(1, c)) || (c >= '0' && c <= '9'); };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !in_name(text[at - 1])) && (at + name.size() == text.size() || !in_name(text[at + name.size()])))
      return true;
  return false;
}

}  // namespace dalembert
