// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

// Words that mean something in one of the languages, or that <math.h>, <stdio.h> and files of that name use, besides the
// functions of expressions. Between spaces, so that a word is found with one on each side.
constexpr std::string_view kReserved =
    " False Inf Infinity NaN None True abs alignas alignof and and_eq ans arguments as asm assert async auto await"
    " bitand bitor bool break case catch ceil char char16_t char32_t char8_t class classdef co_await co_return"
    " co_yield compl concept const const_cast consteval constexpr constinit continue debugger decltype def default"
    " del delete do double dynamic_cast elif else elseif end enum eval except explicit export extends extern fabs"
    " false finally float fmod for friend from function gamma global goto hypot if implements import in inline"
    " instanceof int interface is isnan j0 j1 jn lambda let long main math mutable namespace new noexcept nonlocal"
    " not not_eq null nullptr operator or or_eq otherwise package parfor pass persistent pi private protected"
    " public raise register reinterpret_cast requires restrict return round self short signed sizeof spmd sqrt"
    " static static_assert static_cast std stdio stdlib string struct super switch template this thread_local"
    " throw time true try typedef typeid typename typeof union unsigned using var virtual void volatile wchar_t"
    " while with xor xor_eq y0 y1 yield yn ";

bool is_taken(std::string_view word) {
  return kReserved.find(fmt::format(" {} ", word)) != std::string_view::npos ||
         std::ranges::any_of(functions(), [&](const FunctionInfo& function) { return function.library.name == word; });
}

// With additions such as "_selftest", "_2" and "n" an identifier stays below the 63 characters that MATLAB accepts and
// C99 tells apart (5.2.4.1).
constexpr std::size_t kLongestIdentifier = 48;

// Names of the Greek letters from U+03B1 on, by code point; sigma occurs twice because of its final form.
constexpr std::array<std::string_view, 25> kGreek{
    "alpha", "beta",    "gamma", "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",   "nu",
    "xi",    "omicron", "pi",    "rho",   "sigma",   "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};

std::string greek(char32_t point) {
  if (point >= 0x3B1 && point <= 0x3C9) return std::string(kGreek[point - 0x3B1]);
  if (point >= 0x391 && point <= 0x3A9) {
    std::string name(kGreek[point - 0x391]);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
  }
  return {};
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(name), 1);
    const char32_t point = utf8_length(name) == 0 ? 0 : code_point(name);
    const bool letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
    if (letter || (point >= '0' && point <= '9'))
      text += static_cast<char>(point);
    else if (const std::string word = greek(point); !word.empty())
      text += word;
    else if (point == '\'')
      text += "_dot";
    else if (!text.empty() && text.back() != '_')
      text += '_';
    name.remove_prefix(length);
  }
  if (text.size() > kLongestIdentifier) text.resize(kLongestIdentifier);
  while (!text.empty() && text.back() == '_') text.pop_back();
  if (text.empty()) return "model";
  if (text[0] >= '0' && text[0] <= '9') text = "n" + text;
  if (is_taken(text)) text += '_';
  return text;
}

std::vector<std::string> identifiers(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string first = identifier(name);
    std::string unique = first;
    for (int k = 2; !taken.insert(unique).second; ++k)
      unique = fmt::format("{}{}{}", first, first.back() == '_' ? "" : "_", k);
    result.push_back(std::move(unique));
  }
  return result;
}

}  // namespace dalembert
