// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/document.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

// toml++ 3.3 asserts, and in release builds lets the compiler assume, things that a malformed file can break (`[.` at the start
// of a header). Its checks behind those assertions report such files properly, so the assertions are turned off for good.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace dalembert::modelfile {
namespace {

constexpr int kMaxKeyParts = 64;

// Offset of the first byte that is not UTF-8 (RFC 3629), or npos.
std::size_t invalid_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto byte = [&](std::size_t k) { return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xC0) != 0x80) return i;
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF0 && byte(1) < 0x90) ||
        (lead == 0xF4 && byte(1) > 0x8F))
      return i;
    i += length;
  }
  return std::string_view::npos;
}

// End of the string that opens at `at`: behind its closing quotes, or where its line or the text ends.
std::size_t string_end(std::string_view s, std::size_t at) {
  const char quote = s[at];
  const bool long_form = s.substr(at, 3) == std::string(3, quote);
  std::size_t i = at + (long_form ? 3 : 1);
  for (; i < s.size(); ++i) {
    if (s[i] == '\\' && quote == '"')
      ++i;
    else if (long_form ? s.substr(i, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''") : s[i] == quote)
      return i + (long_form ? 3 : 1);
    else if (!long_form && s[i] == '\n')
      return i;
  }
  return std::min(i, s.size());
}

// `a.b.c.…` makes one table a part, and the library destroys tables by recursion: a place where there are too many, or
// npos.
std::size_t overlong_key(std::string_view s) {
  int dots = 0;
  for (std::size_t i = 0; i < s.size();) {
    const char c = s[i];
    if (c == '"' || c == '\'') {
      i = string_end(s, i);
      continue;
    }
    if (c == '#') {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (c == '.') {
      if (++dots >= kMaxKeyParts) return i;
    } else if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != ' ' && c != '\t') {
      dots = 0;
    }
    ++i;
  }
  return std::string_view::npos;
}

// (line, column) to bytes. Long lines get marks, so that a file of one huge line takes linear time.
class Places {
 public:
  explicit Places(const SourceText& source) : source_(source) {}

  std::uint32_t offset(const toml::source_position& place) {
    const int line = static_cast<int>(place.line), column = static_cast<int>(place.column);
    if (column < kStep) return source_.offset(line, column);
    std::vector<std::uint32_t>& marks = marks_[line];
    if (marks.empty()) fill(marks, line);
    const std::size_t mark = std::min(static_cast<std::size_t>(column - 1) / kStep, marks.size() - 1);
    std::uint32_t at = marks[mark];
    for (int c = static_cast<int>(mark) * kStep + 1;
         c < column && at < source_.text().size() && source_.text()[at] != '\n'; ++c)
      at = next(at);
    return at;
  }

 private:
  static constexpr int kStep = 256;
  std::uint32_t next(std::uint32_t at) const {
    const std::string& text = source_.text();
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
  }
  void fill(std::vector<std::uint32_t>& marks, int line) const {
    std::uint32_t at = source_.offset(line, 1);
    for (int column = 0; at < source_.text().size() && source_.text()[at] != '\n'; ++column, at = next(at))
      if (column % kStep == 0) marks.push_back(at);
    if (marks.empty()) marks.push_back(at);
  }

  const SourceText& source_;
  std::unordered_map<int, std::vector<std::uint32_t>> marks_;
};

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Decodes the string that stands in [begin, end) of the file, quotes included, remembering the place of every byte.
class StringDecoder {
 public:
  StringDecoder(const SourcePtr& source, std::uint32_t begin, std::uint32_t end)
      : s_(source->text()), at_(begin), end_(std::min<std::size_t>(end, s_.size())) {
    mapped_.source = source;
  }

  MappedText decode() {
    const char quote = at_ < end_ ? s_[at_] : '"';
    const bool long_form = end_ - at_ >= 6 && s_.compare(at_, 3, std::string(3, quote)) == 0;
    const std::size_t quotes = long_form ? 3 : 1;
    at_ += quotes;
    end_ = end_ >= at_ + quotes ? end_ - quotes : at_;
    if (long_form) skip_line_end();
    while (at_ < end_) {
      if (quote == '"' && s_[at_] == '\\')
        escape();
      else if (s_[at_] == '\r' && at_ + 1 < end_ && s_[at_ + 1] == '\n')
        ++at_;
      else
        put(std::string(1, s_[at_]), at_), ++at_;
    }
    mapped_.offsets.push_back(static_cast<std::uint32_t>(end_));
    return std::move(mapped_);
  }

 private:
  void put(const std::string& bytes, std::size_t place) {
    mapped_.text += bytes;
    mapped_.offsets.insert(mapped_.offsets.end(), bytes.size(), static_cast<std::uint32_t>(place));
  }
  void skip_line_end() {
    if (at_ < end_ && s_[at_] == '\r') ++at_;
    if (at_ < end_ && s_[at_] == '\n') ++at_;
  }
  void escape() {
    const std::size_t place = at_++;
    const char c = at_ < end_ ? s_[at_] : ' ';
    switch (c) {
      case 'b':
        put("\b", place);
        break;
      case 't':
        put("\t", place);
        break;
      case 'n':
        put("\n", place);
        break;
      case 'f':
        put("\f", place);
        break;
      case 'r':
        put("\r", place);
        break;
      case 'u':
        return unicode(place, 4);
      case 'U':
        return unicode(place, 8);
      case '"':
      case '\\':
        put(std::string(1, c), place);
        break;
      default:  // a line that ends in a backslash goes on at the next word
        while (at_ < end_ && (s_[at_] == ' ' || s_[at_] == '\t' || s_[at_] == '\r' || s_[at_] == '\n')) ++at_;
        return;
    }
    ++at_;
  }
  void unicode(std::size_t place, int digits) {
    std::uint32_t value = 0;
    ++at_;
    for (int i = 0; i < digits && at_ < end_; ++i, ++at_) {
      const auto digit = static_cast<unsigned char>(s_[at_]);
      value =
          value * 16 + static_cast<std::uint32_t>(std::isdigit(digit) ? digit - '0' : (std::tolower(digit) - 'a') + 10);
    }
    std::string bytes;
    append_utf8(bytes, value);
    put(bytes, place);
  }

  const std::string& s_;
  std::size_t at_, end_;
  MappedText mapped_;
};

class Converter {
 public:
  explicit Converter(SourcePtr source) : source_(std::move(source)), places_(*source_) {}

  Node convert(const toml::node& from) {
    Node node;
    node.begin = places_.offset(from.source().begin);
    node.end = std::max(node.begin, places_.offset(from.source().end));
    if (const auto* table = from.as_table()) {
      convert_table(*table, node);
    } else if (const auto* array = from.as_array()) {
      node.type = Node::Type::kArray;
      for (const toml::node& item : *array) node.items.push_back(convert(item));
    } else if (from.is_string()) {
      node.type = Node::Type::kString;
      node.text = StringDecoder(source_, node.begin, node.end).decode();
    } else if (const auto* integer = from.as_integer()) {
      node.type = Node::Type::kInteger;
      node.integer = integer->get();
      node.number = static_cast<double>(node.integer);
      number_text(node);
    } else if (const auto* number = from.as_floating_point()) {
      node.type = Node::Type::kFloat;
      node.number = number->get();
      number_text(node);
    } else if (const auto* boolean = from.as_boolean()) {
      node.type = Node::Type::kBoolean;
      node.boolean = boolean->get();
    } else {
      node.type = Node::Type::kDate;
    }
    return node;
  }

 private:
  void convert_table(const toml::table& table, Node& node) {
    for (auto&& [key, value] : table) {
      Entry entry{std::string(key.str()), places_.offset(key.source().begin), places_.offset(key.source().end),
                  convert(value)};
      node.entries.push_back(std::move(entry));
    }
    // The library sorts by name; people read from top to bottom.
    std::ranges::stable_sort(node.entries, {}, &Entry::key_begin);
  }

  // As written, so that 0.1 stays one tenth; without the underscores, and in decimal.
  void number_text(Node& node) const {
    node.text = MappedText{{}, source_, {}};
    const std::string_view raw = std::string_view(source_->text()).substr(node.begin, node.end - node.begin);
    const std::size_t digits = raw.find_first_not_of("+-");
    const bool other_base = node.type == Node::Type::kInteger && raw.size() > digits + 1 &&
                            std::isalpha(static_cast<unsigned char>(raw[digits + 1]));
    const std::string text = other_base ? std::to_string(node.integer) : std::string(raw);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '_' || text[i] == '+') {
        const bool exponent_sign = text[i] == '+' && i > 0;
        if (!exponent_sign) continue;
      }
      node.text.text += text[i];
      node.text.offsets.push_back(other_base ? node.begin : node.begin + static_cast<std::uint32_t>(i));
    }
    node.text.offsets.push_back(node.end);
  }

  SourcePtr source_;
  Places places_;
};

// "Error while parsing array: encountered end-of-file" becomes "encountered end-of-file" with a note on where.
Diagnostic syntax_error(const SourcePtr& source, const toml::parse_error& problem) {
  std::string reason(problem.description());
  std::string context;
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (reason.starts_with(kPrefix)) {
    const std::size_t colon = reason.find(": ");
    if (colon != std::string::npos) {
      context = reason.substr(kPrefix.size(), colon - kPrefix.size());
      reason = reason.substr(colon + 2);
    }
  }
  for (std::size_t escape; (escape = reason.find("\\u00")) != std::string::npos;)
    reason.replace(escape, 4, "character 0x");
  // The library's name for its own setting says nothing to a reader.
  if (const std::size_t setting = reason.find(" (TOML_"); setting != std::string::npos) reason.resize(setting);
  Places places(*source);
  const std::uint32_t begin = places.offset(problem.source().begin);
  const auto size = static_cast<std::uint32_t>(source->text().size());
  Diagnostic result =
      error("E0002", "the file is not valid TOML", {source, std::min(begin, size), std::min(begin + 1, size)}, reason);
  if (!context.empty()) result.notes.push_back("while reading a " + context);
  if (reason.find("dangling comma") != std::string::npos)
    result.help.push_back("remove the comma before `}`");
  else if (context == "string")
    result.help.push_back("close the string on its line, or use triple quotes for several lines");
  return result;
}

}  // namespace

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry && !entry->node.bad ? &entry->node : nullptr;
}

std::string_view type_name(Node::Type type) {
  switch (type) {
    case Node::Type::kString:
      return "a string";
    case Node::Type::kInteger:
      return "an integer";
    case Node::Type::kFloat:
      return "a number";
    case Node::Type::kBoolean:
      return "true or false";
    case Node::Type::kDate:
      return "a date or time";
    case Node::Type::kArray:
      return "an array";
    case Node::Type::kTable:
      return "a table";
  }
  return "a value";
}

Result<Document> read_document(SourcePtr source) {
  const std::string& text = source->text();
  if (const std::size_t bad = invalid_utf8(text); bad != std::string::npos) {
    const auto at = static_cast<std::uint32_t>(bad);
    Diagnostic problem = error("E0003", "the file is not UTF-8", {source, at, at + 1},
                               fmt::format("byte 0x{:02X}", static_cast<unsigned char>(text[bad])));
    problem.help.push_back("save it as UTF-8");
    return problem;
  }
  if (const std::size_t deep = overlong_key(text); deep != std::string::npos) {
    const auto at = static_cast<std::uint32_t>(deep);
    return error("E0106", fmt::format("a key has more than {} parts", kMaxKeyParts), {source, at, at + 1});
  }
  const toml::parse_result parsed = toml::parse(std::string_view(text));
  if (!parsed) return syntax_error(source, parsed.error());
  Document document{source, Converter(source).convert(parsed.table())};
  document.root.begin = document.root.end = 0;
  return document;
}

}  // namespace dalembert::modelfile
