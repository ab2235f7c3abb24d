// SPDX-License-Identifier: Apache-2.0
// Precedence, lowest first: or · and · not · comparison · + - · * / · unary minus · ^ (right-associative) · ' . [ ].
// Sums, products, powers and runs of signs are parsed by loops that add one node each, so only parentheses recurse. Their depth is limited.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/notation_slips.h"

namespace dalembert {

// Nesting limit: about 1.5 kB of stack per level.
constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxReports = 20;

namespace {

class Parser {
 public:
  explicit Parser(const MappedText& text) : s_(text.text) { ast_.text = text; }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Result<Ast> read(bool equation) {
    advance();
    if (token_.kind == TokenKind::kEnd) {
      report("E0101", "the expression is empty", 0, static_cast<std::uint32_t>(s_.size()), "expected an expression");
      return reports_;
    }
    if (auto whole = read_whole_quantity(s_)) {
      ast_.numbers.push_back(whole->number);
      advance_to(static_cast<std::uint32_t>(s_.size()));
      ast_.root = quantity(0, 0, std::move(whole->unit));
      return std::move(ast_);
    }
    ast_.root = expression();
    if (equation && !stop_ && at('=')) ast_.root = minus_right_side(ast_.root);
    while (!stop_ && token_.kind != TokenKind::kEnd) trailing();
    if (!reports_.empty()) return reports_;
    return std::move(ast_);
  }

 private:
  using Children = std::vector<Ast::Link>;

  // --- tokens

  void advance() {
    last_end_ = token_.end;
    token_ = next_token(s_, token_.end);
  }
  void advance_to(std::uint32_t end) {
    last_end_ = end;
    token_ = next_token(s_, end);
  }
  bool at(char sign) const { return token_.kind == TokenKind::kSign && token_.sign == sign; }
  // A prime, or a character that is meant as one and reported.
  bool at_prime() const { return at('\'') || (token_.kind == TokenKind::kWrong && is_meant_as_prime(written(token_))); }
  bool at_word(std::string_view word) const { return token_.kind == TokenKind::kName && written(token_) == word; }
  std::string_view written(const Token& token) const { return s_.substr(token.begin, token.end - token.begin); }
  bool starts_operand() const {
    if (token_.kind == TokenKind::kNumber) return true;
    if (token_.kind == TokenKind::kName) return !at_word("and") && !at_word("or") && !at_word("in");
    return at('(') || at('{');
  }

  // --- problems

  // Reports one problem for each place. An error that starts inside a token already reported is a consequence and is suppressed.
  Diagnostic* report(std::string_view code, std::string message, std::uint32_t begin, std::uint32_t end,
                     std::string label = {}, std::string help = {}) {
    failed_ = true;
    if (stop_ || (last_report_ >= 0 && static_cast<std::int64_t>(begin) <= last_report_)) return nullptr;
    last_report_ = std::max<std::int64_t>(end, begin + 1) - 1;
    reports_.push_back(error(std::string(code), std::move(message), ast_.text.span(begin, end), std::move(label)));
    if (!help.empty()) reports_.back().help.push_back(std::move(help));
    if (reports_.size() >= kMaxReports) stop();
    return &reports_.back();
  }
  void stop() {
    stop_ = true;
    token_ = {TokenKind::kEnd, 0, static_cast<std::uint32_t>(s_.size()), static_cast<std::uint32_t>(s_.size())};
  }

  void wrong_character() {
    auto [message, help] = wrong_character_text(written(token_));
    report("E0101", std::move(message), token_.begin, token_.end, {}, std::move(help));
  }

  // Reports text after a complete expression.
  void trailing() {
    if (token_.kind == TokenKind::kWrong) {
      wrong_character();
    } else if (at('.') && token_.begin == last_end_) {
      report("E0101", "only points and frames have components", token_.begin, token_.end, {},
             "write `P.x`, `P.y`, `P.z` or `frame.R[i,j]`");
    } else if (at(',') && token_.begin == last_end_ && between_digits(token_)) {
      const std::size_t begin = s_.find_last_not_of("0123456789", token_.begin - 1) + 1;
      report("E0101", "a comma is no decimal point", token_.begin, token_.end, {},
             fmt::format("write `{}.{}`", s_.substr(begin, token_.begin - begin), written(next_token(s_, token_.end))));
    } else {
      auto [message, label, help] = unexpected_sign(token_.sign, written(token_), s_.substr(0, token_.begin));
      report("E0101", std::move(message), token_.begin, token_.end, std::move(label), std::move(help));
    }
    advance();
    // Parses on after the unexpected token, so that errors in the rest are reported too.
    if (!stop_ && (starts_operand() || at('+') || at('-'))) expression();
  }

  bool between_digits(const Token& sign) const {
    const auto digit = [&](std::size_t i) { return i < s_.size() && s_[i] >= '0' && s_[i] <= '9'; };
    return sign.begin > 0 && digit(sign.begin - 1) && digit(sign.end);
  }

  void expect(char close, std::uint32_t open, std::string_view what) {
    if (stop_) return;
    if (token_.kind == TokenKind::kWrong) {
      wrong_character();
      while (token_.kind == TokenKind::kWrong && !stop_) advance();
      skip_to_close();
    }
    if (at(close)) {
      advance();
      return;
    }
    if (!failed_at_end()) report_unclosed(close, open, what);
    skip_to_close();
    if (at(close)) advance();
  }
  bool failed_at_end() const { return last_report_ >= static_cast<std::int64_t>(token_.begin); }
  void report_unclosed(char close, std::uint32_t open, std::string_view what) {
    if (token_.kind == TokenKind::kEnd) {
      // The report is at the opening parenthesis, which may be before places reported already.
      last_report_ = -1;
      report("E0101", fmt::format("this {} is not closed", what), open, open + 1,
             fmt::format("a `{}` is missing", close));
      last_report_ = static_cast<std::int64_t>(s_.size());
    } else {
      report("E0101", fmt::format("unexpected `{}`", written(token_)), token_.begin, token_.end,
             fmt::format("expected `{}`", close));
    }
  }
  // Error recovery: skips to the parenthesis that closes the current one.
  void skip_to_close() {
    int depth = 0;
    while (token_.kind != TokenKind::kEnd) {
      if (at('(') || at('[')) ++depth;
      if (at(')') || at(']')) {
        if (depth == 0) return;
        --depth;
      }
      advance();
    }
  }

  // --- nodes

  std::uint32_t add(AstKind kind, std::uint32_t begin, const Children& children = {}, char detail = 0,
                    std::uint32_t data = 0, std::uint32_t data_count = 0) {
    AstNode node{kind,
                 detail,
                 begin,
                 std::max(begin, last_end_),
                 static_cast<std::uint32_t>(ast_.links.size()),
                 static_cast<std::uint32_t>(children.size()),
                 data,
                 data_count};
    ast_.links.insert(ast_.links.end(), children.begin(), children.end());
    ast_.nodes.push_back(node);
    return static_cast<std::uint32_t>(ast_.nodes.size() - 1);
  }

  std::uint32_t minus_right_side(std::uint32_t left) {
    advance();
    const std::uint32_t right = expression();
    if (ast_[right].kind == AstKind::kNumber && ast_.numbers[ast_[right].data].is_zero()) return left;
    return add(AstKind::kSum, ast_[left].begin, {{left, '+'}, {right, '-'}});
  }

  struct DepthGuard {
    explicit DepthGuard(int& depth) : depth_(++depth) {}
    ~DepthGuard() { --depth_; }
    int& depth_;
  };

  std::uint32_t expression() {
    const DepthGuard guard(depth_);
    if (depth_ > kMaxDepth) {
      report("E0106", fmt::format("the expression is nested more than {} levels deep", kMaxDepth), token_.begin,
             token_.begin + 1, {}, "give parts of it a name in [define]");
      stop();
      return add(AstKind::kError, token_.begin);
    }
    const std::uint32_t begin = token_.begin;
    std::uint32_t left = conjunction();
    if (!at_word("or")) return left;
    Children children{{left, 0}};
    while (at_word("or")) {
      advance();
      children.push_back({conjunction(), 0});
    }
    return add(AstKind::kOr, begin, children);
  }

  std::uint32_t conjunction() {
    const std::uint32_t begin = token_.begin;
    std::uint32_t left = negation();
    if (!at_word("and")) return left;
    Children children{{left, 0}};
    while (at_word("and")) {
      advance();
      children.push_back({negation(), 0});
    }
    return add(AstKind::kAnd, begin, children);
  }

  std::uint32_t negation() {
    const std::uint32_t begin = token_.begin;
    int count = 0;
    for (; at_word("not"); ++count) advance();
    std::uint32_t inner = comparison();
    if (count == 0) return inner;
    inner = add(AstKind::kNot, begin, {{inner, 0}});
    return count % 2 == 1 ? inner : add(AstKind::kNot, begin, {{inner, 0}});
  }

  bool at_comparison() const { return at('<') || at('>') || at('l') || at('g') || at('e'); }

  std::uint32_t comparison() {
    const std::uint32_t begin = token_.begin;
    const std::uint32_t left = sum();
    if (!at_comparison()) return left;
    const char sign = token_.sign == 'e' ? '=' : token_.sign;
    advance();
    const std::uint32_t right = sum();
    if (at_comparison()) {
      report("E0101", "comparisons cannot be chained", token_.begin, token_.end, {}, "write `a < b and b < c`");
      while (at_comparison() && !stop_) {
        advance();
        sum();
      }
    }
    return add(AstKind::kCompare, begin, {{left, 0}, {right, 0}}, sign);
  }

  std::uint32_t sum() {
    const std::uint32_t begin = token_.begin;
    const std::uint32_t first = product();
    if (!at('+') && !at('-')) return first;
    Children children{{first, '+'}};
    while (at('+') || at('-')) {
      const char sign = token_.sign;
      advance();
      children.push_back({product(), sign});
    }
    return add(AstKind::kSum, begin, children);
  }

  std::uint32_t product() {
    const std::uint32_t begin = token_.begin;
    const std::uint32_t first = signed_factor();
    Children children;
    while (!stop_) {
      char sign = '*';
      if (at('*') || at('/')) {
        sign = token_.sign;
        advance();
      } else if (at('p')) {
        report("E0101", "`**` is not an operator", token_.begin, token_.end, {}, "write `^` for a power");
        advance();
      } else if (starts_operand()) {
        missing_operator(begin);
      } else {
        break;
      }
      if (children.empty()) children.push_back({first, '*'});
      children.push_back({signed_factor(), sign});
    }
    return children.empty() ? first : add(AstKind::kProduct, begin, children);
  }

  void missing_operator(std::uint32_t begin) {
    const std::string_view before = s_.substr(begin, last_end_ - begin), after = written(token_);
    Diagnostic* problem =
        report("E0101", "an operator is missing", token_.begin, token_.end, "a product needs its `*`");
    if (problem) problem->help = help_for_missing_operator(before, after, next_token(s_, token_.end).sign != '(');
  }

  // -x, +x, --x: an even number of minus signs cancels.
  std::uint32_t signed_factor() {
    const std::uint32_t begin = token_.begin;
    bool negative = false;
    while (at('+') || at('-')) {
      negative ^= at('-');
      advance();
    }
    const std::uint32_t inner = power();
    return negative ? add(AstKind::kNegate, begin, {{inner, 0}}) : inner;
  }

  std::uint32_t power() {
    const std::uint32_t begin = token_.begin;
    const std::uint32_t base = primary();
    if (!at('^')) return base;
    Children children{{base, 0}};
    while (at('^')) {
      advance();
      bool negative = false;
      while (at('+') || at('-')) {
        negative ^= at('-');
        advance();
      }
      children.push_back({primary(), negative ? '-' : '\0'});
    }
    return add(AstKind::kPower, begin, children);
  }

  std::uint32_t primary() {
    const std::uint32_t begin = token_.begin;
    switch (token_.kind) {
      case TokenKind::kNumber:
        return number();
      case TokenKind::kName:
        return name_or_call();
      case TokenKind::kSign:
        if (at('(')) {
          advance();
          const std::uint32_t inner = expression();
          // Nothing but a number with its unit in parentheses is a quantity, whatever the model declares.
          if (at(')') && ast_[inner].kind == AstKind::kQuantity && ast_[inner].begin > begin)
            ast_.units[ast_[inner].data_count].whole = true;
          expect(')', begin, "parenthesis");
          // The node keeps its own span, without the parentheses, because errors point at the smallest place.
          return inner;
        }
        if (at('{')) return brace();
        break;
      default:
        break;
    }
    missing_operand();
    return add(AstKind::kError, begin);
  }

  void missing_operand() {
    if (token_.kind == TokenKind::kWrong) {
      wrong_character();
      while (token_.kind == TokenKind::kWrong && !stop_) advance();
      if (starts_operand()) primary();
      return;
    }
    const std::string label = "expected a number, a name or `(`";
    if (token_.kind == TokenKind::kEnd) {
      // The report points at the operator whose operand is missing.
      const auto end = static_cast<std::uint32_t>(s_.size());
      report("E0101", "the expression ends too early", last_end_ > 0 ? last_end_ - 1 : 0,
             last_end_ > 0 ? last_end_ : end, "something should follow");
      return;
    }
    report("E0101", fmt::format("unexpected `{}`", written(token_)), token_.begin, token_.end, label);
    // Operators, commas and closing parentheses are left for the caller, because only an operand is missing.
    if (!at(')') && !at(',') && !at(']') && !at('*') && !at('/') && !at('^') && !at('p') && !at_comparison() &&
        !at_word("and") && !at_word("or"))
      advance();
  }

  std::uint32_t number() {
    const Token token = token_;
    advance();
    if (const auto seen = seen_numbers_.find(written(token)); seen != seen_numbers_.end())
      return number_or_quantity(token.begin, seen->second);
    const auto value = Rational::parse(written(token));
    if (!value) {
      report("E0108", fmt::format("the number `{:.40}` is out of range", written(token)), token.begin, token.end, {},
             "magnitudes may be from 1e-308 to 1e308");
      return add(AstKind::kError, token.begin);
    }
    // A number that occurs several times is converted once.
    const auto index = static_cast<std::uint32_t>(ast_.numbers.size());
    ast_.numbers.push_back(*value);
    seen_numbers_.emplace(written(token), index);
    return number_or_quantity(token.begin, index);
  }

  std::uint32_t number_or_quantity(std::uint32_t begin, std::uint32_t index) {
    if (token_.kind == TokenKind::kName)
      if (auto unit = read_unit(s_, last_end_)) {
        advance_to(unit->end);
        return quantity(begin, index, std::move(*unit));
      }
    return add(AstKind::kNumber, begin, {}, 0, index);
  }

  std::uint32_t quantity(std::uint32_t begin, std::uint32_t index, WrittenUnit unit) {
    ast_.units.push_back(std::move(unit));
    return add(AstKind::kQuantity, begin, {}, 0, index, static_cast<std::uint32_t>(ast_.units.size() - 1));
  }

  // A group {i-1} that is an operand by itself.
  std::uint32_t brace() {
    const std::uint32_t begin = token_.begin;
    advance();
    const std::uint32_t inner = expression();
    expect('}', begin, "brace");
    return add(AstKind::kInteger, begin, {{inner, 0}});
  }

  // Splits a name at its `{…}` groups; each group is parsed as an expression.
  std::pair<std::uint32_t, std::uint32_t> name_parts(const Token& token) {
    std::vector<Ast::NamePart> parts;
    const std::string_view name = written(token);
    for (std::size_t i = 0; i < name.size();) {
      const std::size_t open = std::min(name.find('{', i), name.size());
      if (open > i)
        parts.push_back(
            {token.begin + static_cast<std::uint32_t>(i), token.begin + static_cast<std::uint32_t>(open), -1});
      if (open == name.size()) break;
      const std::size_t close = name.find('}', open);
      parts.push_back(
          group(token.begin + static_cast<std::uint32_t>(open), token.begin + static_cast<std::uint32_t>(close)));
      i = close + 1;
    }
    const auto first = static_cast<std::uint32_t>(ast_.parts.size());
    ast_.parts.insert(ast_.parts.end(), parts.begin(), parts.end());
    return {first, static_cast<std::uint32_t>(parts.size())};
  }

  Ast::NamePart group(std::uint32_t open, std::uint32_t close) {
    // Parses the text between the braces with the same parser, then restores the position.
    const Token saved = token_;
    const std::uint32_t saved_end = last_end_;
    const std::string_view whole = s_;
    s_ = whole.substr(0, close);
    token_ = {TokenKind::kSign, '{', open, open + 1};
    advance();
    const std::uint32_t inner = expression();
    if (token_.kind != TokenKind::kEnd)
      report("E0101", fmt::format("unexpected `{}`", written(token_)), token_.begin, token_.end, "expected `}`");
    s_ = whole;
    if (!stop_) {
      token_ = saved;
      last_end_ = saved_end;
    } else {
      stop();
    }
    return {open, close + 1, static_cast<std::int64_t>(inner)};
  }

  std::uint32_t name_or_call() {
    const Token token = token_;
    const std::string_view name = written(token);
    advance();
    if (at('(')) return call(token);
    const bool function = name == "sum" || name == "if" || name == "dot" || name == "lambda" || find_function(name);
    if (function || name == "and" || name == "or" || name == "in" || name == "not") {
      BareFunction meant;
      if (function) meant = bare_function(s_, name, token.end);
      report("E0101", fmt::format("{}`{}`{}", function ? "" : "unexpected ", name, function ? " is a function" : ""),
             token.begin, token.end, function ? "`(` should follow" : "expected a number, a name or `(`",
             std::move(meant.help));
      if (meant.end > token.end) advance_to(meant.end);
      if (at('.') && token_.begin == token.end) component(token, 0, 0);  // meant as a frame or point of that name
      return add(AstKind::kError, token.begin);
    }
    const auto [first, count] = name_parts(token);
    if (at('.') && token_.begin == token.end) return component(token, first, count);
    int primes = 0;
    std::uint32_t end = last_end_;
    for (; at_prime() && token_.begin == end; ++primes) {
      if (token_.kind == TokenKind::kWrong) wrong_character();
      end = token_.end;
      advance();
    }
    if (primes > 2) {
      report("E0101", "derivatives go up to the second", token.begin, end, {},
             fmt::format("write `{0}'` or `{0}''`", name));
      primes = 2;
    }
    return add(AstKind::kName, token.begin, {}, static_cast<char>(primes), first, count);
  }

  // Parses P.x, top.omega.x or wheel.R[i,j], after the name.
  std::uint32_t component(const Token& name, std::uint32_t first, std::uint32_t count) {
    advance();
    const auto word = [&] { return token_.kind == TokenKind::kName ? written(token_) : std::string_view(); };
    const bool turning = word() == "omega";
    if (turning) advance();
    if (turning && at('.')) advance();
    const std::string_view part = word();
    if (part.size() == 1 && part[0] >= 'x' && part[0] <= 'z') {
      const std::string_view whole = s_.substr(name.begin, token_.end - name.begin);
      advance();
      const int axis = part[0] - 'x' + (turning ? kAngularVelocity : 0);
      const std::uint32_t node = add(AstKind::kComponent, name.begin, {}, static_cast<char>(axis), first, count);
      if (at('\'')) {
        report("E0101", "`'` may follow only a coordinate", token_.begin, token_.end, {},
               fmt::format("write `dot({})`", whole));
        while (at('\'')) advance();
      }
      return node;
    }
    if (turning)
      report("E0101", "an angular velocity is used component by component", name.begin, last_end_,
             "`.x`, `.y` or `.z` should follow");
    if (turning) return add(AstKind::kError, name.begin);
    if (part != "R") {
      report("E0101", fmt::format("`{}` has no part `{}`", written(name), part.empty() ? written(token_) : part),
             token_.begin, token_.end, {}, help_for_part(written(name), part));
      if (token_.kind == TokenKind::kName) advance();
      return add(AstKind::kError, name.begin);
    }
    advance();
    const std::uint32_t open = token_.begin;
    if (!at('[')) {
      report("E0101", "a rotation matrix is used entry by entry", name.begin, last_end_, "`[i,j]` should follow");
      return add(AstKind::kError, name.begin);
    }
    advance();
    const std::uint32_t i = expression();
    if (at(',')) {
      advance();
    } else {
      report("E0101", fmt::format("unexpected `{}`", written(token_)), token_.begin, token_.end,
             "expected `,` and the column");
      skip_to_close();
      if (at(']')) advance();
      return add(AstKind::kError, name.begin);
    }
    const std::uint32_t j = expression();
    expect(']', open, "bracket");
    return add(AstKind::kFrameEntry, name.begin, {{i, 0}, {j, 0}}, 0, first, count);
  }

  std::uint32_t call(const Token& name) {
    const std::string_view word = written(name);
    if (word == "lambda") return multiplier(name, "a constraint");
    for (std::uint32_t k = 0; k < std::size(kRowWords); ++k)
      if (word == kRowWords[k].word)
        return add(AstKind::kOfRow, name.begin, {{multiplier(name, kRowWords[k].takes), 0}}, 0, k);
    if (word == "actuation" || word == "energy") return named_result(name);
    if (word == "sum") return repeated_sum(name);
    if (word == "and" || word == "or" || word == "in") {
      report("E0101", fmt::format("unexpected `{}`", word), name.begin, name.end);
      return add(AstKind::kError, name.begin);
    }
    const FunctionInfo* function = find_function(word);
    const auto of_run = std::ranges::find(kFunctionsOfRun, word, &FunctionOfRun::name);
    const bool of_runs = of_run != std::end(kFunctionsOfRun);
    const bool known = function || of_runs || word == "dot" || word == "if";
    if (!known)
      report("E0103", fmt::format("unknown function `{}`", word), name.begin, name.end, {}, help_for_function(word));
    const std::uint32_t open = token_.begin;
    advance();
    Children arguments;
    if (!at(')') && token_.kind != TokenKind::kEnd) {
      arguments.push_back({expression(), 0});
      while (at(',')) {
        advance();
        arguments.push_back({expression(), 0});
      }
    }
    expect(')', open, "parenthesis");
    if (!known || stop_) return add(AstKind::kError, name.begin);
    // max(e) and min(e) are of a run, max(a, b) is not.
    if (of_runs && arguments.size() == of_run->arguments)
      return add(AstKind::kOfRun, name.begin, arguments, 0, static_cast<std::uint32_t>(of_run->function));
    const std::size_t few = of_runs ? of_run->arguments : word == "if" ? 3 : 1;
    const std::size_t wanted = function ? static_cast<std::size_t>(function->arguments) : few;
    const bool open_ended = function && function->any_number;
    if (arguments.size() != wanted && !(open_ended && arguments.size() > wanted)) {
      report_count(name, word, wanted, arguments.size());
      return add(AstKind::kError, name.begin);
    }
    if (!function) return add(word == "if" ? AstKind::kIf : AstKind::kDot, name.begin, arguments);
    return add(AstKind::kCall, name.begin, arguments, 0, static_cast<std::uint32_t>(function - functions().data()));
  }

  void report_count(const Token& name, std::string_view word, std::size_t wanted, std::size_t found) {
    // The call may contain places that were reported already. If parsing has failed, the count of arguments is unreliable.
    if (failed_) return;
    report("E0104", fmt::format("`{}` takes {} argument{}, not {}", word, wanted, wanted == 1 ? "" : "s", found),
           name.begin, name.end, {},
           word == "if"      ? "write `if(condition, value, otherwise)`"
           : word == "atan2" ? "write `atan2(y, x)`"
                             : "");
  }

  // Parses lambda(pin), lambda(pin.x) or lambda(pin[1]), after the name; so too gap(pin) and the like. `takes`: what the argument is.
  std::uint32_t multiplier(const Token& name, std::string_view takes) {
    const std::uint32_t open = token_.begin;
    advance();
    if (token_.kind != TokenKind::kName) {
      report("E0101", fmt::format("`{}` takes the name of {}", written(name), takes), token_.begin,
             std::max(token_.end, token_.begin + 1), {},
             fmt::format("write `{0}(pin)`, `{0}(pin.x)` or `{0}(pin[1])`", written(name)));
      skip_to_close();
      if (at(')')) advance();
      return add(AstKind::kError, name.begin);
    }
    const Token row = token_;
    advance();
    const auto [first, count] = name_parts(row);
    char detail = 0;
    Children index;
    if (at('.')) {
      advance();
      const std::string_view part = token_.kind == TokenKind::kName ? written(token_) : std::string_view();
      if (part.size() == 1 && part[0] >= 'x' && part[0] <= 'z')
        detail = part[0];
      else
        report("E0101", "a row is `x`, `y` or `z`", token_.begin, std::max(token_.end, token_.begin + 1));
      if (!at(')')) advance();
    } else if (at('[')) {
      const std::uint32_t bracket = token_.begin;
      advance();
      index.push_back({expression(), 0});
      expect(']', bracket, "bracket");
      detail = '[';
    }
    expect(')', open, "parenthesis");
    return add(AstKind::kLambda, name.begin, index, detail, first, count);
  }

  // Parses actuation(alpha), a force that, like multipliers, is an unknown of the equations, or energy(kinetic).
  std::uint32_t named_result(const Token& name) {
    const std::uint32_t open = token_.begin;
    const bool actuation = written(name) == "actuation";
    advance();
    if (token_.kind != TokenKind::kName) {
      report("E0101",
             actuation ? "`actuation` takes the name of a prescribed coordinate"
                       : "`energy` takes `kinetic`, `potential` or `total`",
             token_.begin, std::max(token_.end, token_.begin + 1), {},
             actuation ? "write `actuation(alpha)`" : "write `energy(total)`");
      skip_to_close();
      if (at(')')) advance();
      return add(AstKind::kError, name.begin);
    }
    const Token of = token_;
    advance();
    const auto [first, count] = name_parts(of);
    expect(')', open, "parenthesis");
    return add(AstKind::kLambda, name.begin, {}, actuation ? 'a' : 'e', first, count);
  }

  // Parses sum(i in 1..N, e), after the name.
  std::uint32_t repeated_sum(const Token& name) {
    const std::uint32_t open = token_.begin;
    advance();
    const Token index = token_;
    const auto malformed = [&](std::string_view label) {
      report("E0101", "a sum is written `sum(i in 1..N, …)`", token_.begin, std::max(token_.end, token_.begin + 1),
             std::string(label));
      skip_to_close();
      if (at(')')) advance();
      return add(AstKind::kError, name.begin);
    };
    if (index.kind != TokenKind::kName || !is_identifier(written(index)) || is_reserved(written(index)))
      return malformed("expected the name of the index");
    advance();
    if (!at_word("in")) return malformed("expected `in`");
    advance();
    const std::uint32_t first = sum();
    if (!at(':')) return malformed("expected `..`");
    advance();
    const std::uint32_t last = sum();
    if (!at(',')) return malformed("expected `,`");
    advance();
    const std::uint32_t body = expression();
    expect(')', open, "parenthesis");
    ast_.parts.push_back({index.begin, index.end, -1});
    return add(AstKind::kSumOver, name.begin, {{first, 0}, {last, 0}, {body, 0}}, 0,
               static_cast<std::uint32_t>(ast_.parts.size() - 1), 1);
  }

  std::string_view s_;
  Ast ast_;
  Token token_;
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
  bool stop_ = false, failed_ = false;
  std::int64_t last_report_ = -1;
  Diagnostics reports_;
  std::unordered_map<std::string_view, std::uint32_t> seen_numbers_;
};

}  // namespace

Result<Ast> parse_ast(const MappedText& text, bool equation) { return Parser(text).read(equation); }

}  // namespace dalembert
