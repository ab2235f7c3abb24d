// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/completion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "dalembert/base/unit_names.h"
#include "dalembert/editor/cursor.h"
#include "dalembert/editor/expression_names.h"
#include "dalembert/editor/schema_at.h"
#include "dalembert/expr/ast.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"
#include "dalembert/expr/quantity.h"

namespace dalembert::editor {
namespace {

using modelfile::Key;
using modelfile::Kind;
using modelfile::Section;
using modelfile::Shape;
using ProposalKind = Proposal::Kind;

constexpr std::size_t kMostProposals = 500;

// Units that are often written, besides those that have a name of their own.
constexpr std::array kUsualUnits{"kg",  "mm",      "cm",    "km",        "ms",    "kN",    "kW",
                                 "MPa", "GPa",     "m/s",   "m/s^2",     "rad/s", "deg/s", "N/m",
                                 "N*m", "N*m/rad", "N*s/m", "N*m*s/rad", "kg*m^2"};

bool begins_with(std::string_view text, std::string_view word) {
  if (word.size() > text.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

class Completer {
 public:
  Completer(const NameTable& table, std::uint32_t offset)
      : table_(table),
        text_(table.source->text()),
        offset_(std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size()))) {}

  Proposals complete() {
    const Cursor cursor = cursor_at(text_, offset_);
    set_place(cursor.begin);
    switch (cursor.at) {
      case Cursor::At::kComment:
        break;
      case Cursor::At::kHeader:
        propose_sections(false);
        break;
      case Cursor::At::kKey:
        propose_keys(cursor);
        break;
      case Cursor::At::kValue:
        if (schema_at(cursor).kind == Kind::kBoolean) propose_all(ProposalKind::kValue, {"true", "false"}, "");
        break;
      case Cursor::At::kString:
        propose_in_string(cursor);
        break;
    }
    return std::move(proposals_);
  }

 private:
  void set_place(std::uint32_t begin) {
    // The quote of a key that is being typed is not part of its name.
    while (begin < offset_ && (text_[begin] == '"' || text_[begin] == '\'')) ++begin;
    proposals_.place = {std::min(begin, offset_), offset_};
    word_ = text_.substr(proposals_.place.begin, offset_ - proposals_.place.begin);
  }

  void propose(ProposalKind kind, std::string_view text, std::string_view detail) {
    if (!begins_with(text, word_) || !seen_.insert(std::string(text)).second) return;
    if (proposals_.all.size() == kMostProposals) {
      proposals_.complete = false;
      return;
    }
    proposals_.all.push_back({kind, std::string(text), std::string(detail)});
  }
  void propose_all(ProposalKind kind, std::initializer_list<std::string_view> texts, std::string_view detail) {
    for (const std::string_view text : texts) propose(kind, text, detail);
  }

  // --- sections and keys

  // In a header tables alone; at the top of the file values alone.
  void propose_sections(bool values) {
    for (const Section& section : modelfile::schema())
      if ((section.shape == Shape::kValue) == values)
        propose(values ? ProposalKind::kKey : ProposalKind::kSection, section.name, section.meaning);
  }

  void propose_keys(const Cursor& cursor) {
    if (cursor.section.empty() && cursor.path.empty()) return propose_sections(true);
    const SchemaPlace place = schema_at(cursor);
    if (place.names_as_keys) {
      const bool driven = place.section->name == "prescribed";
      propose_names(driven ? set_of(NameKind::kCoordinate) : kValues);
    }
    const std::unordered_set<std::string> present = present_keys(cursor);
    for (const Key& key : place.keys)
      if (!key.name.empty() && !present.contains(std::string(key.name)))
        propose(ProposalKind::kKey, key.name,
                key.required ? fmt::format("{}; required", key.meaning) : std::string(key.meaning));
  }

  // The keys that the table at the cursor has in the lines beside it: up to the header above and the one below.
  std::unordered_set<std::string> present_keys(const Cursor& cursor) const {
    std::unordered_set<std::string> keys;
    if (cursor.in_table) return keys;
    const auto collect = [&](std::size_t line) {
      std::size_t end = line;
      while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
        ++end;
      const std::size_t sign = text_.find_first_not_of(" \t", end);
      if (sign != std::string_view::npos && text_[sign] == '=') keys.emplace(text_.substr(line, end - line));
    };
    const auto line_begin = [&](std::size_t at) {
      const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
      return before == std::string_view::npos ? 0 : before + 1;
    };
    const std::size_t own = line_begin(offset_);
    for (std::size_t line = own; line > 0;) {
      line = line_begin(line - 1);
      if (text_[line] == '[') break;
      collect(line);
    }
    for (std::size_t end = text_.find('\n', offset_); end != std::string_view::npos; end = text_.find('\n', end + 1)) {
      if (end + 1 < text_.size() && text_[end + 1] == '[') break;
      collect(end + 1);
    }
    return keys;
  }

  // --- in strings

  void propose_in_string(const Cursor& cursor) {
    const SchemaPlace place = schema_at(cursor);
    if (!place.section) return;
    const std::string_view key = cursor.path.empty() ? std::string_view() : std::string_view(cursor.path.back());
    switch (place.kind) {
      case Kind::kName:
      case Kind::kNames:
      case Kind::kFourNames:
      case Kind::kLines:
      case Kind::kNameList:
      case Kind::kOneOrMoreNames:
        if (key == "unit") return propose_units();
        if (key == "frame" || key == "parent") propose(ProposalKind::kName, "ground", "the frame that is at rest");
        return propose_names(kinds_at(place.section->name, key));
      case Kind::kText:
      case Kind::kAnything:
      case Kind::kCoordinates:
        return;
      case Kind::kParameter:
      case Kind::kPositive:
        return propose_after_number(cursor);
      case Kind::kRange:
        return propose_in_expression(cursor, set_of(NameKind::kInteger));
      default:
        return propose_in_expression(cursor,
                                     place.section->name == "study" ? kValues | set_of(NameKind::kOutput) : kValues);
    }
  }

  void propose_names(NameKinds kinds) {
    for (const DeclaredName& name : table_.declared)
      if ((kinds & set_of(name.kind)) != 0)
        propose(
            ProposalKind::kName, name.name,
            name.meaning.empty() ? std::string(word(name.kind)) : fmt::format("{}: {}", word(name.kind), name.meaning));
  }

  void propose_units() {
    for (const std::string_view unit : unit_names()) propose(ProposalKind::kUnit, unit, "unit");
    for (const std::string_view unit : kUsualUnits) propose(ProposalKind::kUnit, unit, "unit");
  }

  // The tokens from `begin` up to the word that ends at the cursor, which becomes what is replaced.
  std::vector<Token> tokens_before(std::uint32_t begin) {
    std::vector<Token> tokens;
    const std::string_view read = text_.substr(0, offset_);
    for (Token token = next_token(read, begin); token.kind != TokenKind::kEnd; token = next_token(read, token.end))
      tokens.push_back(token);
    set_place(offset_);
    if (!tokens.empty() && tokens.back().kind == TokenKind::kName && tokens.back().end == offset_) {
      set_place(tokens.back().begin);
      tokens.pop_back();
    }
    return tokens;
  }

  void propose_after_number(const Cursor& cursor) {
    if (stands_behind_number(tokens_before(cursor.begin))) propose_units();
  }

  // Whether a unit may stand behind these tokens: a number, or a unit of a number with `*` or `/`.
  bool stands_behind_number(const std::vector<Token>& tokens) const {
    for (std::size_t i = tokens.size(); i-- > 0;) {
      if (tokens[i].kind == TokenKind::kNumber &&
          !(i > 0 && tokens[i - 1].kind == TokenKind::kSign && tokens[i - 1].sign == '^')) {
        if (i + 1 == tokens.size()) return true;
        const auto unit = read_unit(text_.substr(0, offset_), tokens[i].end);
        return unit && unit->end <= tokens.back().begin && (tokens.back().sign == '*' || tokens.back().sign == '/') &&
               (i + 1 < tokens.size() && unit->begin == tokens[i + 1].begin);
      }
      const bool sign =
          tokens[i].kind == TokenKind::kSign && std::string_view("*/^-").find(tokens[i].sign) != std::string_view::npos;
      if (tokens[i].kind == TokenKind::kNumber || tokens[i].kind == TokenKind::kName || sign) continue;
      return false;
    }
    return false;
  }

  std::string_view written(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }

  void propose_in_expression(const Cursor& cursor, NameKinds values) {
    const std::vector<Token> tokens = tokens_before(cursor.begin);
    const auto sign_at = [&](std::size_t from_end, char sign) {
      if (tokens.size() < from_end) return false;
      const Token& token = tokens[tokens.size() - from_end];
      return token.kind == TokenKind::kSign && token.sign == sign;
    };
    const auto name_at = [&](std::size_t from_end) {
      if (tokens.size() < from_end) return std::string_view();
      const Token& token = tokens[tokens.size() - from_end];
      return token.kind == TokenKind::kName ? written(token) : std::string_view();
    };
    if (sign_at(1, '.')) return propose_components(name_at(2));
    if (sign_at(1, '(') && name_at(2) == "energy")
      return propose_all(ProposalKind::kValue, {"kinetic", "potential", "total"}, "energy");
    if (sign_at(1, '('))
      if (const NameKinds kinds = takes_name(name_at(2)); kinds != 0) return propose_names(kinds);
    const bool number_before = !tokens.empty() && tokens.back().kind == TokenKind::kNumber;
    if (stands_behind_number(tokens)) propose_units();
    if (number_before) return;
    propose_names(values | set_of(NameKind::kPoint));
    propose_functions(cursor.section);
  }

  void propose_components(std::string_view name) {
    if (table_.find(set_of(NameKind::kPoint), name))
      propose_all(ProposalKind::kValue, {"x", "y", "z"}, "component along a ground axis");
    if (table_.find(set_of(NameKind::kFrame), name))
      propose(ProposalKind::kValue, "R", "R[i,j]: component along ground axis i of the frame's axis j");
  }

  void propose_functions(std::string_view section) {
    for (const FunctionInfo& function : functions())
      if (function.called) propose(ProposalKind::kFunction, function.name, "function");
    propose(ProposalKind::kFunction, "dot", "the time derivative");
    propose(ProposalKind::kFunction, "if", "if(condition, value, otherwise)");
    propose(ProposalKind::kFunction, "sum", "sum(i in 1..N, …)");
    propose(ProposalKind::kValue, "pi", "3.14159…");
    propose(ProposalKind::kValue, "t", "the time");
    if (section != "force" && section != "outputs" && section != "event" && section != "friction" &&
        section != "study" && section != "claim")
      return;
    propose_all(ProposalKind::kFunction, {"lambda", "actuation", "energy", "integral"}, "of the motion");
    for (const RowWord& row : kRowWords)
      propose(ProposalKind::kFunction, row.word, fmt::format("takes the name of {}", row.takes));
  }

  const NameTable& table_;
  std::string_view text_, word_;
  std::uint32_t offset_;
  Proposals proposals_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Proposals complete(const NameTable& table, std::uint32_t offset) { return Completer(table, offset).complete(); }

}  // namespace dalembert::editor
