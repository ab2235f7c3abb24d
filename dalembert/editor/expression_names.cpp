// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/expression_names.h"

#include <algorithm>

#include "dalembert/expr/ast.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"
#include "dalembert/expr/quantity.h"

namespace dalembert::editor {
namespace {

class TokenReader {
 public:
  TokenReader(const MappedText& text, NameKinds values, std::vector<std::string> local, std::vector<UsedName>& used)
      : text_(text), values_(values), local_(std::move(local)), used_(used) {
    for (Token token = next_token(text_.text, 0); token.kind != TokenKind::kEnd;
         token = next_token(text_.text, token.end))
      tokens_.push_back(token);
  }

  void read() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::kNumber)
        i = read_number(i);
      else if (tokens_[i].kind == TokenKind::kName)
        i = read_name(i);
      else if (is_sign(i, '('))
        ++depth_;
      else if (is_sign(i, ')'))
        close();
    }
  }

 private:
  // An index of sum(…), and how many parentheses are open around its body.
  struct Index {
    int depth;
  };

  std::string_view written(std::size_t i) const {
    return std::string_view(text_.text).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is_sign(std::size_t i, char sign) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kSign && tokens_[i].sign == sign;
  }
  bool touches(std::size_t i) const { return i > 0 && tokens_[i - 1].end == tokens_[i].begin; }

  void close() {
    --depth_;
    while (!indices_.empty() && indices_.back().depth > depth_) {
      indices_.pop_back();
      local_.pop_back();
    }
  }

  // A number, and the unit behind it. Its names are never those of the model: where both may be meant, the file is refused.
  std::size_t read_number(std::size_t i) {
    const auto unit = read_unit(text_.text, tokens_[i].end);
    if (!unit || (i + 1 < tokens_.size() && tokens_[i + 1].begin < unit->begin)) return i;
    for (const auto& [begin, end] : unit->names) add(0, text_.text.substr(begin, end - begin), begin, end, true);
    while (i + 1 < tokens_.size() && tokens_[i + 1].end <= unit->end) ++i;
    return i;
  }

  std::size_t read_name(std::size_t i) {
    const std::string_view name = written(i);
    if (is_sign(i + 1, '(')) {
      if (name == "sum" && i + 2 < tokens_.size() && tokens_[i + 2].kind == TokenKind::kName) {
        ++depth_;
        local_.emplace_back(written(i + 2));
        indices_.push_back({depth_});
        return i + 2;
      }
      const NameKinds kinds = takes_name(name);
      if (kinds == 0 && name != "energy") return i;
      ++depth_;
      if (i + 2 >= tokens_.size() || tokens_[i + 2].kind != TokenKind::kName) return i + 1;
      if (kinds != 0) add_token(kinds, i + 2);
      // lambda(pin.x): the component is no name.
      return is_sign(i + 3, '.') && i + 4 < tokens_.size() && tokens_[i + 4].kind == TokenKind::kName ? i + 4 : i + 2;
    }
    if (is_sign(i + 1, '.') && touches(i + 1) && i + 2 < tokens_.size() && tokens_[i + 2].kind == TokenKind::kName) {
      const std::string_view part = written(i + 2);
      const bool frame = part == "R" || part == "omega";
      add_token(frame ? set_of(NameKind::kFrame) : set_of(NameKind::kPoint), i);
      // top.omega.x
      return frame && is_sign(i + 3, '.') && i + 4 < tokens_.size() ? i + 4 : i + 2;
    }
    if (!is_reserved(name)) add_token(values_, i);
    return i;
  }

  void add_token(NameKinds kinds, std::size_t i) {
    add(kinds, std::string(written(i)), tokens_[i].begin, tokens_[i].end, false);
  }

  void add(NameKinds kinds, std::string name, std::uint32_t begin, std::uint32_t end, bool may_be_unit) {
    // The expressions in braces have names of their own.
    for (std::size_t open = name.find('{'); open != std::string::npos; open = name.find('{', open + 1)) {
      const std::size_t closed = std::min(name.find('}', open), name.size());
      find_names(text_.part(begin + open + 1, begin + closed), set_of(NameKind::kInteger), local_, used_);
    }
    if (std::ranges::find(local_, name) != local_.end()) return;
    const Span span = text_.span(begin, end);
    used_.push_back({kinds, std::move(name), {span.begin, span.end}, may_be_unit});
  }

  const MappedText& text_;
  NameKinds values_;
  std::vector<std::string> local_;
  std::vector<UsedName>& used_;
  std::vector<Token> tokens_;
  std::vector<Index> indices_;
  int depth_ = 0;
};

}  // namespace

void find_names(const MappedText& text, NameKinds values, std::vector<std::string> local, std::vector<UsedName>& used) {
  if (!read_whole_quantity(text.text)) TokenReader(text, values, std::move(local), used).read();
}

NameKinds takes_name(std::string_view function) {
  constexpr NameKinds kConstraint = set_of(NameKind::kConstraint);
  if (function == "lambda") return kConstraint;
  if (function == "actuation") return set_of(NameKind::kCoordinate);
  for (const RowWord& row : kRowWords) {
    if (function != row.word) continue;
    if (row.takes == "a [[friction]]") return set_of(NameKind::kFriction) | kConstraint;
    return row.takes == "a constraint" ? kConstraint : set_of(NameKind::kEvent) | kConstraint;
  }
  return 0;
}

}  // namespace dalembert::editor
