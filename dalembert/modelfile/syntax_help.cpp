// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/syntax_help.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/modelfile/unquoted.h"

namespace dalembert::modelfile {
namespace {

constexpr std::string_view kSpaces = " \t\r";
constexpr std::size_t kLongestEcho = 80;

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool digit_at(std::string_view text, std::size_t i) {
  return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
}

// A line of the file, and where in it the parser failed.
struct Line {
  std::string_view text;
  std::size_t begin = 0, at = 0;
};

Line line_around(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {text.substr(begin, std::min(text.find('\n', at), text.size()) - begin), begin, at - begin};
}

// The key at the beginning of a line; a header with its brackets. Empty if there is neither.
std::string_view key_of(std::string_view line) {
  const std::string_view all = without_spaces(line);
  if (all.starts_with('[')) return all.substr(0, std::min(all.find('#'), all.rfind(']') + 1));
  const std::size_t equals = all.find('=');
  return equals == std::string_view::npos ? std::string_view() : without_spaces(all.substr(0, equals));
}

// The header of the section that byte `at` is in; empty before the first one.
std::string_view header_before(std::string_view text, std::size_t at) {
  std::string_view header;
  for (std::size_t begin = 0; begin < at;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view key = key_of(text.substr(begin, end - begin));
    if (key.starts_with('[')) header = key;
    begin = end + 1;
  }
  return header;
}

// A key or a section that is stated twice: the line of the first, which is the last one before `line` with this key.
SyntaxHelp stated_twice(std::string_view text, const Line& line) {
  const std::string_view key = key_of(line.text);
  int number = 1, found = 0;
  for (std::size_t begin = 0; begin < line.begin; ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view other = key_of(text.substr(begin, end - begin));
    if (other.starts_with('[') && !key.starts_with('[')) found = 0;
    if (!key.empty() && other == key) found = number;
    begin = end + 1;
  }
  if (found == 0) return {"this is stated already", "leave one of them out"};
  if (key.starts_with('['))
    return {fmt::format("`{}` begins in line {} already", key, found),
            fmt::format("put these keys below `{}` in line {}", key, found)};
  return {fmt::format("`{}` is stated in line {} already", key, found), "leave one of them out"};
}

// `x' = 1` as a key: a velocity, whose key has no prime in [initial], and quotes elsewhere.
std::string help_for_prime(std::string_view text, const Line& line) {
  const std::size_t begin = line.text.find_last_of(" \t{,", line.at) + 1;
  const std::string_view name = line.text.substr(begin, line.at - begin);
  if (!is_identifier(name)) return {};
  const std::string_view after = line.text.substr(line.at + 1);
  const std::size_t equals = after.find('=');
  const bool braces = line.text.substr(0, line.at).find('{') != std::string_view::npos;
  const std::string_view rest = equals == std::string_view::npos ? std::string_view() : after.substr(equals + 1);
  std::string_view value = without_spaces(rest.substr(0, braces ? rest.find_first_of(",}") : rest.find('#')));
  if (value.empty() || value.size() > kLongestEcho) value = "…";
  const bool initial = header_before(text, line.begin).starts_with("[initial");
  return initial ? fmt::format("write `velocity = {{{} = {}}}`, without the prime", name, value)
                 : fmt::format("put the key in quotes: \"{}'\" = {}", name, value);
}

// The line with what the parser missed between a key and its value, as in `m "1 kg"` or `m: "1 kg"`.
std::string help_for_equals(const Line& line) {
  const std::string_view key = without_spaces(line.text.substr(0, line.at));
  // `:`, `:=` and `==` are meant as `=`.
  const std::size_t begin = std::min(line.text.find_first_not_of(":= ", line.at), line.text.size());
  const std::string_view rest = without_spaces(line.text.substr(begin));
  // A key with an index, b{i}, needs quotes of its own.
  if (!is_identifier(key) || rest.starts_with('{') || rest.size() > kLongestEcho) return {};
  if (rest.empty()) return fmt::format("a key has a value, `{} = …`, and a section a header, `[{}]`", key, key);
  const bool value = std::string_view("\"'[{").find(rest.front()) != std::string_view::npos || parse_double(rest);
  return fmt::format("write {} = {}", key, value ? std::string(rest) : fmt::format("\"{}\"", rest));
}

// `{theta = 0,5}` is read as 0 and the key 5.
std::string help_for_decimal_comma(const Line& line) {
  const std::string_view before = line.text.substr(0, line.at);
  const std::size_t comma = before.rfind(',');
  if (comma == std::string_view::npos || comma == 0 || !digit_at(before, comma - 1) || !digit_at(before, comma + 1))
    return {};
  std::size_t begin = comma, end = comma + 1;
  while (begin > 0 && digit_at(before, begin - 1)) --begin;
  while (digit_at(before, end)) ++end;
  return fmt::format("write {}.{}: a comma is no decimal point", before.substr(begin, comma - begin),
                     before.substr(comma + 1, end - comma - 1));
}

SyntaxHelp help_for_string(std::string_view text, std::size_t at, std::string_view reason) {
  if (reason.find("escape sequence") == std::string_view::npos)
    return {{}, "close the string on its line, or use triple quotes for several lines"};
  const Line line = line_around(text, at);
  const std::string_view key = key_of(line.text);
  const bool path = key == "file" || line.text.find("file") != std::string_view::npos;
  return {{},
          path ? "write paths with `/`, or in single quotes"
               : "formulas are written without `\\`: `cos(theta)`, `1/2`, `sqrt(x)`"};
}

}  // namespace

SyntaxHelp syntax_help(std::string_view text, std::size_t at, std::string_view reason, std::string_view context) {
  const auto says = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
  const Line line = line_around(text, at);
  const char here = at < text.size() ? text[at] : '\0';
  if (says("cannot redefine")) return stated_twice(text, line);
  if (says("dangling comma")) return {{}, "remove the comma before `}`"};
  if (says("after '\\r'"))
    return {"a carriage return alone does not end a line", "save the file with the line ends of Unix or Windows"};
  if (context == "string") return help_for_string(text, at, reason);
  if (here == '{' && without_spaces(text.substr(0, at)).empty())
    return {{}, "a model is TOML, not JSON: `coordinates = [\"x\"]`, sections as `[parameters]`"};
  if (says("expected '='")) {
    std::string help = here == '\''  ? help_for_prime(text, line)
                       : here == '}' ? help_for_decimal_comma(line)
                                     : help_for_equals(line);
    if (!help.empty()) return {{}, std::move(help)};
  }
  if (says("expected ']'") && context == "table header")
    return {{}, fmt::format("close the header: `{}]`", without_spaces(line.text))};
  if (here == '=' && line.at > 0 && line.text[line.at - 1] == '=') {
    const Line first{line.text, line.begin, line.at - 1};
    return {{}, help_for_equals(first)};
  }
  if (here == '/' || here == '%') return {{}, "comments begin with `#`"};
  if ((here == ';' || here == ',') && without_spaces(line.text.substr(line.at + 1)).empty())
    return {{}, fmt::format("a line ends without `{}`", here)};
  if (says("expected comma or closing '}'") && std::isalpha(static_cast<unsigned char>(here)) != 0 &&
      line.text.substr(line.at).find('=') != std::string_view::npos)
    return {{}, "put a comma between the entries"};
  if (says("expected comma or closing ']'") && (here == '"' || here == '\'' || here == ';'))
    return {{}, here == ';' ? "write `,` instead of `;`" : "put a comma between the elements"};
  if (says("saw") || says("value type")) return {{}, help_for_unquoted(text, at)};
  return {};
}

}  // namespace dalembert::modelfile
