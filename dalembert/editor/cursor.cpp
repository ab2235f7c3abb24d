// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/cursor.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "dalembert/modelfile/document.h"

namespace dalembert::editor {
namespace {

bool is_bare(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// A line [name] or [[name]] that begins at `at`: where its name begins and ends, and where the line does.
struct Header {
  std::size_t begin, end, line_end;
};

std::optional<Header> header_at(std::string_view s, std::size_t at, bool may_be_unfinished) {
  if (at >= s.size() || s[at] != '[') return std::nullopt;
  Header header{at + 1, 0, std::min(s.find('\n', at), s.size())};
  if (header.begin < s.size() && s[header.begin] == '[') ++header.begin;
  while (header.begin < header.line_end && s[header.begin] == ' ') ++header.begin;
  header.end = header.begin;
  while (header.end < header.line_end && (is_bare(s[header.end]) || s[header.end] == '.')) ++header.end;
  std::string_view rest = s.substr(header.end, header.line_end - header.end);
  const std::size_t brackets = std::min(rest.find_first_not_of("] \t\r"), rest.size());
  const bool closed = rest.substr(0, brackets).find(']') != std::string_view::npos;
  const bool named = header.end > header.begin && std::isdigit(static_cast<unsigned char>(s[header.begin])) == 0;
  if (brackets < rest.size() && rest[brackets] != '#') return std::nullopt;
  if (!may_be_unfinished && !(closed && named)) return std::nullopt;
  return header;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : s_(text) {}

  // Reads up to `offset`; what is there is then known.
  void read(std::size_t offset) {
    while (at_ < offset && !found_) step(offset);
  }

  Cursor cursor(std::size_t offset) const {
    if (found_) return *found_;
    Cursor cursor = here(expects_key_ ? Cursor::At::kKey : Cursor::At::kValue);
    cursor.begin = static_cast<std::uint32_t>(word_begin(offset));
    return cursor;
  }

  std::size_t outermost_open() const { return levels_.empty() ? std::string_view::npos : levels_.front().begin; }
  // Where a header stood within open brackets, with the outermost of them.
  struct Spoiled {
    std::size_t open, header;
  };
  const std::vector<Spoiled>& spoiled() const { return spoiled_; }

 private:
  struct Level {
    char open;
    std::size_t begin, keys;  // keys of the path outside of it
  };

  Cursor here(Cursor::At at) const {
    Cursor cursor;
    cursor.at = at;
    cursor.section = section_;
    cursor.path = path_;
    if (at == Cursor::At::kKey && !key_goes_on_) cursor.path.resize(std::min(cursor.path.size(), keys_outside()));
    cursor.in_table = !levels_.empty() && levels_.back().open == '{';
    return cursor;
  }
  std::size_t keys_outside() const { return levels_.empty() ? 0 : levels_.back().keys; }
  std::size_t word_begin(std::size_t offset) const {
    std::size_t begin = offset;
    while (begin > line_ && (is_bare(s_[begin - 1]) || s_[begin - 1] == '\'' || s_[begin - 1] == '"')) --begin;
    return begin;
  }

  void find(Cursor::At at, std::size_t begin) {
    found_ = here(at);
    found_->begin = static_cast<std::uint32_t>(begin);
  }

  void step(std::size_t offset) {
    if (std::exchange(line_begins_, false) && begin_line(offset)) return;
    const char c = s_[at_];
    if (c == '#') {
      const std::size_t end = std::min(s_.find('\n', at_), s_.size());
      if (offset <= end) return find(Cursor::At::kComment, at_);
      at_ = end;
    } else if (c == '"' || c == '\'') {
      read_string(offset);
    } else if (expects_key_ && is_bare(c)) {
      const std::size_t begin = at_;
      while (at_ < s_.size() && is_bare(s_[at_])) ++at_;
      if (at_ < offset) add_key(std::string(s_.substr(begin, at_ - begin)));
    } else {
      read_sign(c);
    }
  }

  // At the beginning of a line; true if a header was read.
  bool begin_line(std::size_t offset) {
    const auto header = header_at(s_, at_, levels_.empty());
    if (!header) {
      if (levels_.empty()) start_statement();
      return false;
    }
    if (!levels_.empty()) spoiled_.push_back({levels_.front().begin, at_});
    levels_.clear();
    if (offset <= header->line_end && offset >= header->begin) {
      start_statement();
      find(offset <= header->end ? Cursor::At::kHeader : Cursor::At::kComment, header->begin);
      return true;
    }
    section_ = std::string(s_.substr(header->begin, header->end - header->begin));
    at_ = header->line_end;
    start_statement();
    return true;
  }

  void start_statement() {
    path_.clear();
    expects_key_ = true;
    key_goes_on_ = false;
  }

  void read_string(std::size_t offset) {
    const std::size_t begin = at_, end = modelfile::string_end(s_, at_);
    const bool long_form = s_.substr(begin, 3) == std::string(3, s_[begin]) && end >= begin + 3;
    const std::size_t quotes = long_form ? 3 : 1;
    const bool closed = end >= begin + 2 * quotes && s_[end - 1] == s_[begin];
    if (!expects_key_ && offset >= begin + quotes && (closed ? offset + quotes <= end : offset <= end))
      return find(Cursor::At::kString, begin + quotes);
    at_ = end;
    if (expects_key_ && at_ <= offset && closed)
      add_key(std::string(s_.substr(begin + quotes, end - begin - 2 * quotes)));
  }

  void add_key(std::string key) {
    if (!key_goes_on_) path_.resize(keys_outside());
    path_.push_back(std::move(key));
    key_goes_on_ = false;
  }

  void read_sign(char c) {
    ++at_;
    if (c == '=') {
      expects_key_ = false;
    } else if (c == '.' && expects_key_) {
      key_goes_on_ = true;
    } else if (c == '{' || c == '[') {
      levels_.push_back({c, at_ - 1, path_.size()});
      expects_key_ = c == '{';
    } else if ((c == '}' || c == ']') && !levels_.empty()) {
      path_.resize(std::min(path_.size(), levels_.back().keys));
      levels_.pop_back();
      expects_key_ = false;
    } else if (c == ',' && !levels_.empty() && levels_.back().open == '{') {
      path_.resize(std::min(path_.size(), keys_outside()));
      expects_key_ = true;
    } else if (c == '\n') {
      line_ = at_;
      line_begins_ = true;
      if (levels_.empty()) start_statement();
    }
  }

  std::string_view s_;
  std::size_t at_ = 0, line_ = 0;  // the place, and where its line begins
  bool line_begins_ = true;
  std::string section_;
  std::vector<std::string> path_;
  std::vector<Level> levels_;
  std::vector<Spoiled> spoiled_;
  bool expects_key_ = true, key_goes_on_ = false;
  std::optional<Cursor> found_;
};

}  // namespace

Cursor cursor_at(std::string_view text, std::uint32_t offset) {
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  Scanner scanner(text);
  scanner.read(at);
  return scanner.cursor(at);
}

bool is_model(std::string_view text) {
  constexpr std::string_view kCoordinates = "coordinates", kHeader = "[[coordinates]]", kSchema = "#:schema";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(kCoordinates)) {
      const std::size_t sign = line.find_first_not_of(" \t", kCoordinates.size());
      if (sign != std::string_view::npos && line[sign] == '=') return true;
    }
    if (line.starts_with(kHeader)) return true;
    if (line.starts_with(kSchema) && line.find("model.schema.json") != std::string_view::npos) return true;
    at = end + 1;
  }
  return false;
}

std::string without_unclosed(std::string text) {
  Scanner scanner(text);
  scanner.read(text.size());
  auto spoiled = scanner.spoiled();
  if (scanner.outermost_open() != std::string::npos) spoiled.push_back({scanner.outermost_open(), text.size()});
  for (const auto& [open, end] : spoiled) {
    const std::size_t line = open == 0 ? std::string::npos : text.rfind('\n', open - 1);
    for (std::size_t i = line == std::string::npos ? 0 : line + 1; i < end; ++i)
      if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
  return text;
}

}  // namespace dalembert::editor
