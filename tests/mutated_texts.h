// SPDX-License-Identifier: Apache-2.0
// Shipped models with bytes deleted, replaced, doubled and swapped at random, for everything that must survive any text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "source_tree.h"

namespace dalembert {

inline std::vector<std::string> shipped_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(source_tree() + "/models"))
    if (file.path().extension() == ".toml") paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  return texts;
}

inline std::string mutate(std::string text, std::mt19937& random) {
  static constexpr std::string_view kAlphabet = "\"'[]{}()=+-*/^.,# \n\r\tabxyzij019eN\\\x01\x7F\xC3\xFF";
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t changes = 1 + below(4); changes > 0 && text.size() > 8; --changes) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text.erase(at, 1 + below(3));
        break;
      case 1:
        text[at] = kAlphabet[below(kAlphabet.size())];
        break;
      case 2:
        text.insert(at, 1, kAlphabet[below(kAlphabet.size())]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), 1 + below(30)));
        break;
      default:
        text.erase(at, 1 + below(40));
    }
  }
  return text;
}

}  // namespace dalembert
