// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/entry.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/derive/closed_form.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxListed = 12;

enum class Index { kNone, kCoordinate, kRow };

struct Part {
  std::string_view name;
  Index first, second;
  /// The one that holds its expressions; both null for T, V, L, E, eom, lambda, qdd.
  std::vector<Expr> Equations::*vector;
  SparseMatrix Equations::*matrix;
};

constexpr Part kParts[] = {
    {"T", Index::kNone, Index::kNone, nullptr, nullptr},
    {"V", Index::kNone, Index::kNone, nullptr, nullptr},
    {"L", Index::kNone, Index::kNone, nullptr, nullptr},
    {"E", Index::kNone, Index::kNone, nullptr, nullptr},
    {"M", Index::kCoordinate, Index::kCoordinate, nullptr, &Equations::M},
    {"B", Index::kCoordinate, Index::kNone, &Equations::B, nullptr},
    {"G", Index::kCoordinate, Index::kNone, &Equations::G, nullptr},
    {"F", Index::kCoordinate, Index::kNone, &Equations::F, nullptr},
    {"p", Index::kCoordinate, Index::kNone, &Equations::p, nullptr},
    {"W", Index::kRow, Index::kCoordinate, nullptr, &Equations::W},
    {"Wdot", Index::kRow, Index::kCoordinate, nullptr, &Equations::Wdot},
    {"a", Index::kRow, Index::kNone, &Equations::a, nullptr},
    {"gamma", Index::kRow, Index::kNone, &Equations::gamma, nullptr},
    {"h", Index::kRow, Index::kNone, &Equations::h, nullptr},
    {"eom", Index::kCoordinate, Index::kNone, nullptr, nullptr},
    {"lambda", Index::kRow, Index::kNone, nullptr, nullptr},
    {"qdd", Index::kCoordinate, Index::kNone, nullptr, nullptr},
};

struct Piece {
  std::size_t begin, end;
};

// [begin, end) without surrounding spaces.
Piece trimmed(const std::string& text, std::size_t begin, std::size_t end) {
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  return {begin, end};
}

// The pieces between commas that no bracket encloses.
std::vector<Piece> split(const std::string& text, std::size_t begin, std::size_t end) {
  std::vector<Piece> pieces;
  int depth = 0;
  std::size_t from = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i < end && text[i] == '[') ++depth;
    if (i < end && text[i] == ']') --depth;
    if (i < end && (text[i] != ',' || depth > 0)) continue;
    pieces.push_back(trimmed(text, from, i));
    from = i + 1;
  }
  return pieces;
}

class Reader {
 public:
  Reader(const Equations& eq, const MappedText& name) : eq_(eq), name_(name) {
    for (const Coordinate& c : eq.model->coordinates) coordinates_.push_back(c.name);
  }

  Result<EntryName> read() {
    const std::string& text = name_.text;
    const Piece whole = trimmed(text, 0, text.size());
    const std::size_t open = std::min(text.find('[', whole.begin), whole.end);
    const Piece head = trimmed(text, whole.begin, open);
    const std::string word = text.substr(head.begin, head.end - head.begin);
    const auto part = std::ranges::find(kParts, word, &Part::name);
    if (part == std::end(kParts)) return unknown_part(word, head);

    std::vector<Piece> pieces;
    if (open < whole.end) {
      if (text[whole.end - 1] != ']') return no_entry("the bracket is not closed");
      pieces = split(text, open + 1, whole.end - 1);
    }
    const std::size_t wanted = part->second != Index::kNone ? 2 : part->first != Index::kNone ? 1 : 0;
    if (pieces.size() != wanted) return no_entry(fmt::format("write `{}`", example(*part)));
    EntryName entry{word, 0, 0, word};
    for (std::size_t k = 0; k < wanted; ++k) {
      const bool is_row = (k == 0 ? part->first : part->second) == Index::kRow;
      const std::vector<std::string>& names = is_row ? eq_.rows : coordinates_;
      const Result<int> at = index(pieces[k], names, is_row ? "constraint row" : "coordinate");
      if (!at) return at.diagnostics();
      (k == 0 ? entry.row : entry.column) = *at;
      entry.text += (k == 0 ? "[" : ",") + names[static_cast<std::size_t>(*at)];
    }
    if (wanted > 0) entry.text += "]";
    return entry;
  }

 private:
  std::string example(const Part& part) const {
    const auto sample = [&](Index index, std::size_t which) -> std::string {
      const auto& names = index == Index::kRow ? eq_.rows : coordinates_;
      return names.empty() ? "…" : names[std::min(which, names.size() - 1)];
    };
    std::string text(part.name);
    if (part.first != Index::kNone) text += "[" + sample(part.first, 0);
    if (part.second != Index::kNone) text += "," + sample(part.second, part.first == part.second ? 1 : 0);
    return part.first == Index::kNone ? text : text + "]";
  }

  Diagnostic no_entry(std::string help) const {
    Diagnostic d = error("E0230", fmt::format("there is no entry `{}`", name_.text), name_.span());
    d.help.push_back(std::move(help));
    return d;
  }

  Diagnostic unknown_part(const std::string& word, const Piece& head) const {
    Diagnostic d = error("E0230", fmt::format("there is no entry `{}`", name_.text), name_.span(head.begin, head.end));
    std::vector<std::string> names;
    for (const Part& part : kParts) names.emplace_back(part.name);
    const auto similar = nearest(word, names);
    if (word.starts_with("lambda("))
      d.help.push_back("entries have brackets: write `lambda[…]`");
    else if (similar)
      d.help.push_back(fmt::format("did you mean `{}{}`?", *similar, name_.text.substr(head.end)));
    d.help.push_back(
        "entries are T V L E; B G F p eom qdd by coordinate; a gamma h lambda by constraint; M W Wdot by both");
    return d;
  }

  Result<int> index(const Piece& piece, const std::vector<std::string>& names, std::string_view what) const {
    const std::string word = name_.text.substr(piece.begin, piece.end - piece.begin);
    const auto found = std::ranges::find(names, word);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    const bool number =
        !word.empty() && word.size() < 9 && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    if (number) {
      const int at = std::stoi(word);
      if (at >= 1 && at <= static_cast<int>(names.size())) return at - 1;
    }
    Diagnostic d = error(
        "E0230",
        number ? fmt::format("there is no {} number {}", what, word) : fmt::format("there is no {} `{}`", what, word),
        name_.span(piece.begin, piece.end));
    // `pin` where the rows are pin[1] and pin[2], or pin.x and pin.y.
    std::vector<std::string> rows;
    for (const std::string& name : names)
      if (!word.empty() && (name.starts_with(word + "[") || name.starts_with(word + ".")) && rows.size() < 4)
        rows.push_back(name);
    if (!rows.empty())
      d.help.push_back(fmt::format("the constraint has several rows: write {}", join_words(rows, "`", "or")));
    else if (const auto similar = nearest(word, names); similar && !number)
      d.help.push_back(fmt::format("did you mean `{}`?", *similar));
    else if (names.empty())
      d.help.push_back(fmt::format("the model has no {}", what));
    else if (names.size() <= kMaxListed)
      d.help.push_back(fmt::format("there are {}", join_words(names)));
    else
      d.help.push_back(
          fmt::format("there are {} of them, from `{}` to `{}`", names.size(), names.front(), names.back()));
    return d;
  }

  const Equations& eq_;
  const MappedText& name_;
  std::vector<std::string> coordinates_;
};

}  // namespace

Expr equation_of_motion(const Equations& eq, int i) {
  const auto at = static_cast<std::size_t>(i);
  std::vector<Graph::Term> terms{{eq.B[at], 1}, {eq.G[at], 1}, {eq.F[at], -1}};
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    if (eq.M.row[k] == i) terms.push_back({eq.M.value[k] * eq.qdd[static_cast<std::size_t>(eq.M.col[k])], 1});
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (eq.W.col[k] == i) terms.push_back({eq.W.value[k] * eq.lambda[static_cast<std::size_t>(eq.W.row[k])], -1});
  return eq.graph->sum(terms);
}

Result<EntryName> read_entry(const Equations& equations, const MappedText& name) {
  return Reader(equations, name).read();
}

Expr entry_value(const Equations& eq, const EntryName& entry) {
  if (entry.part == "T") return eq.T;
  if (entry.part == "V") return eq.V;
  if (entry.part == "L") return eq.L;
  if (entry.part == "E") return eq.E;
  if (entry.part == "eom") return equation_of_motion(eq, entry.row);
  const auto part = std::ranges::find(kParts, entry.part, &Part::name);
  if (part == std::end(kParts)) return {};
  if (part->vector) return (eq.*part->vector)[static_cast<std::size_t>(entry.row)];
  if (!part->matrix) return {};
  const Expr value = (eq.*part->matrix).find(entry.row, entry.column);
  return value ? value : eq.graph->constant(0);
}

Result<Expr> find_entry(const Equations& equations, const MappedText& name) {
  const auto entry = read_entry(equations, name);
  if (!entry) return entry.diagnostics();
  if (!entry->solved()) return entry_value(equations, *entry);
  NoClosedForm why{};
  const auto solved = build_closed_form(equations, kAskedCost, &why);
  if (!solved)
    return error("E0231", fmt::format("`{}` has no closed form: {}", entry->text, to_text(why)), name.span());
  return (entry->part == "qdd" ? solved->qdd : solved->lambda)[static_cast<std::size_t>(entry->row)];
}

}  // namespace dalembert
