// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/integers.h"

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"

namespace dalembert {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000'000;
constexpr std::int64_t kLongestRange = 100'000;

class Evaluator {
 public:
  Evaluator(const Ast& ast, Scope& scope, const Indices& indices, Diagnostics& diagnostics)
      : ast_(ast), scope_(scope), indices_(indices), diagnostics_(diagnostics) {}

  std::optional<std::int64_t> value(std::uint32_t id) {
    const AstNode& node = ast_[id];
    switch (node.kind) {
      case AstKind::kNumber:
        return number(node);
      case AstKind::kName:
        return name(node);
      case AstKind::kInteger:
        return value(ast_.child(node, 0).node);
      case AstKind::kNegate: {
        const auto inner = value(ast_.child(node, 0).node);
        return inner ? std::optional(-*inner) : std::nullopt;
      }
      case AstKind::kSum:
      case AstKind::kProduct:
        return chain(node);
      default:
        return fail(node, "not an integer");
    }
  }

 private:
  std::nullopt_t fail(const AstNode& node, std::string label) {
    diagnostics_.push_back(error("E0109", "expected an integer", ast_.span(node), std::move(label)));
    diagnostics_.back().help.push_back(
        "integers are made of numbers, indices and names of [structure] with `+`, `-`, `*`, `/`");
    return std::nullopt;
  }

  std::optional<std::int64_t> number(const AstNode& node) {
    const Rational& number = ast_.numbers[node.data];
    const auto small = number.as_int();
    return small ? std::optional<std::int64_t>(*small)
                 : fail(node, number.is_integer() ? "too large" : "not an integer");
  }

  std::optional<std::int64_t> name(const AstNode& node) {
    const std::string name(ast_.written(node));
    if (const auto index = find_index(name, indices_)) return index;
    if (const auto integer = scope_.integer(name)) return integer;
    if (name.find_first_of("{'") != std::string::npos) return fail(node, "not an integer");
    diagnostics_.push_back(error("E0102", fmt::format("unknown integer `{}`", name), ast_.span(node),
                                 "neither an index nor in [structure]"));
    std::vector<std::string> known;
    for (const auto& [index, value] : indices_) known.push_back(index);
    if (const auto similar = nearest(name, known))
      diagnostics_.back().help.push_back(fmt::format("did you mean `{}`?", *similar));
    else
      diagnostics_.back().help.push_back(fmt::format("declare it: `[structure]` with `{} = 10`", name));
    return std::nullopt;
  }

  std::optional<std::int64_t> chain(const AstNode& node) {
    std::int64_t total = node.kind == AstKind::kSum ? 0 : 1;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Ast::Link& link = ast_.child(node, i);
      const auto next = value(link.node);
      if (!next) return std::nullopt;
      bool overflow = false;
      switch (link.detail) {
        case '+':
          overflow = __builtin_add_overflow(total, *next, &total);
          break;
        case '-':
          overflow = __builtin_sub_overflow(total, *next, &total);
          break;
        case '*':
          overflow = __builtin_mul_overflow(total, *next, &total);
          break;
        default:
          if (*next == 0) return fail(ast_[link.node], "zero");
          if (total % *next != 0) return fail(node, "the division leaves a remainder");
          total /= *next;
      }
      if (overflow || total > kLargest || total < -kLargest) return fail(node, "too large");
    }
    return total;
  }

  const Ast& ast_;
  Scope& scope_;
  const Indices& indices_;
  Diagnostics& diagnostics_;
};

std::optional<std::int64_t> integer_in(const MappedText& text, Scope& scope, const Indices& indices,
                                       Diagnostics& diagnostics) {
  const auto ast = parse_ast(text);
  if (!ast) {
    diagnostics.insert(diagnostics.end(), ast.diagnostics().begin(), ast.diagnostics().end());
    return std::nullopt;
  }
  return evaluate_integer(*ast, ast->root, scope, indices, diagnostics);
}

Diagnostic malformed_range(const MappedText& text) {
  Diagnostic problem = error("E0101", fmt::format("`{:.60}` is not a range", text.text), text.span());
  problem.help.push_back("write `i in 1..N`");
  return problem;
}

}  // namespace

std::optional<std::int64_t> find_index(std::string_view name, const Indices& indices) {
  for (auto index = indices.rbegin(); index != indices.rend(); ++index)
    if (index->first == name) return index->second;
  return std::nullopt;
}

std::optional<std::int64_t> evaluate_integer(const Ast& ast, std::uint32_t node, Scope& scope, const Indices& indices,
                                             Diagnostics& diagnostics) {
  return Evaluator(ast, scope, indices, diagnostics).value(node);
}

std::optional<std::string> spell_name(const Ast& ast, const AstNode& node, Scope& scope, const Indices& indices,
                                      Diagnostics& diagnostics) {
  std::string name;
  for (std::uint32_t i = 0; i < node.data_count; ++i) {
    const Ast::NamePart& part = ast.parts[node.data + i];
    if (part.node < 0) {
      name.append(ast.text.text, part.begin, part.end - part.begin);
      continue;
    }
    const auto value = evaluate_integer(ast, static_cast<std::uint32_t>(part.node), scope, indices, diagnostics);
    if (!value) return std::nullopt;
    name += std::to_string(*value);
  }
  return name;
}

Result<Range> parse_range(const MappedText& text, Scope& scope, const Indices& indices) {
  const Token index = next_token(text.text, 0);
  const Token in = next_token(text.text, index.end);
  const std::size_t dots = text.text.find("..", in.end);
  const auto word = [&](const Token& token) {
    return std::string_view(text.text).substr(token.begin, token.end - token.begin);
  };
  if (index.kind != TokenKind::kName || !is_identifier(word(index)) || word(in) != "in" || dots == std::string::npos)
    return malformed_range(text);
  if (is_reserved(word(index)))
    return error("E0101", fmt::format("`{}` cannot name an index", word(index)), text.span(index.begin, index.end),
                 "the word has a meaning in expressions");
  Diagnostics problems;
  const auto first = integer_in(text.part(in.end, dots), scope, indices, problems);
  const auto last = integer_in(text.part(dots + 2, text.text.size()), scope, indices, problems);
  if (!first || !last) return problems;
  const Span span = text.span(in.end + 1, text.text.size());
  if (*last < *first - 1) {
    Diagnostic backwards = error("E0109", fmt::format("the range {}..{} runs backwards", *first, *last), span);
    backwards.help.push_back(fmt::format("`{}..{}` would be the empty range", *first, *first - 1));
    return backwards;
  }
  if (*last - *first >= kLongestRange)
    return error("E0109", fmt::format("the range {}..{} has more than {} values", *first, *last, kLongestRange), span);
  return Range{std::string(word(index)), *first, *last};
}

Result<MappedText> replace_indices(const MappedText& text, Scope& scope, const Indices& indices) {
  if (text.text.find('{') == std::string::npos) return text;
  MappedText replaced{{}, text.source, {}};
  Diagnostics problems;
  for (std::size_t i = 0; i < text.text.size();) {
    if (text.text[i] != '{') {
      replaced.text += text.text[i];
      replaced.offsets.push_back(text.offsets[i++]);
      continue;
    }
    const std::size_t close = text.text.find('}', i);
    if (close == std::string::npos) {
      problems.push_back(error("E0101", "this brace is not closed", text.span(i, i + 1), "a `}` is missing"));
      return problems;
    }
    const auto value = integer_in(text.part(i + 1, close), scope, indices, problems);
    // All digits get the position of the closing brace, so that a span over the whole name includes the `{…}`.
    for (const char digit : value ? std::to_string(*value) : std::string()) {
      replaced.text += digit;
      replaced.offsets.push_back(text.offsets[close]);
    }
    i = close + 1;
  }
  replaced.offsets.push_back(text.offsets.back());
  if (!problems.empty()) return problems;
  return replaced;
}

}  // namespace dalembert
