// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/typed.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace dalembert::app {
namespace {

struct Word {
  std::string text;
  std::uint32_t begin = 0, end = 0;  // position in the line, without quotes
};

struct CommandLine {
  SourcePtr source;
  std::vector<Word> words;
};

CommandLine& typed() {
  static CommandLine line;
  return line;
}

bool needs_quotes(const std::string& word) {
  return word.empty() || std::ranges::any_of(word, [](unsigned char c) {
           return std::isspace(c) != 0 ||
                  std::string_view("'\"\\$`!*?()[]{}<>|&;#~").find(static_cast<char>(c)) != std::string_view::npos;
         });
}

// The texts between backquotes, in order.
std::vector<std::string_view> quoted_names(std::string_view message) {
  std::vector<std::string_view> found;
  for (std::size_t open = message.find('`'); open != std::string_view::npos; open = message.find('`', open)) {
    const std::size_t close = message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    found.push_back(message.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return found;
}

// Finds `name` at or after word `from`: as a word, or as the option or the value in `--option=value`.
std::optional<std::size_t> find_word(std::string_view name, std::size_t from, Span& place) {
  const CommandLine& line = typed();
  for (std::size_t i = from; i < line.words.size() && !name.empty(); ++i) {
    const Word& word = line.words[i];
    const std::size_t equals = word.text.starts_with("-") ? word.text.find('=') : std::string::npos;
    if (word.text == name) {
      place = {line.source, word.begin, word.end};
      return i;
    }
    if (equals == std::string::npos) continue;
    const auto middle = word.begin + static_cast<std::uint32_t>(equals);
    if (std::string_view(word.text).substr(0, equals) == name) {
      place = {line.source, word.begin, middle};
      return i;
    }
    if (std::string_view(word.text).substr(equals + 1) == name) {
      place = {line.source, middle + 1, word.end};
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

void remember_typed(const std::vector<std::string>& words) {
  std::string line = "dalembert";
  std::vector<Word> placed;
  for (const std::string& word : words) {
    const bool quotes = needs_quotes(word);
    line += quotes ? " '" : " ";
    const auto begin = static_cast<std::uint32_t>(line.size());
    line += word;
    placed.push_back({word, begin, static_cast<std::uint32_t>(line.size())});
    if (quotes) line += "'";
  }
  typed() = {make_source("command line", line), std::move(placed)};
}

void point_at_typed(Diagnostic& diagnostic) {
  if (diagnostic.level != Level::kError || diagnostic.primary.span || !typed().source) return;
  std::size_t from = 0;
  Span exact, part;
  for (const std::string_view name : quoted_names(diagnostic.message)) {
    if (const auto found = find_word(name, from, exact)) {
      // The value of an option is looked for after the option.
      if (name.starts_with("-")) from = *found;
      continue;
    }
    // If several words are quoted together, as in "`derive --format html`", the last one that was typed counts.
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find(' ', begin), name.size());
      find_word(name.substr(begin, end - begin), 0, part);
      begin = end + 1;
    }
  }
  const SourcePtr& line = typed().source;
  if (exact || part)
    diagnostic.primary.span = exact ? exact : part;
  else if (diagnostic.code.starts_with("E04"))
    diagnostic.primary.span = {line, 0, static_cast<std::uint32_t>(line->text().size())};
}

}  // namespace dalembert::app
