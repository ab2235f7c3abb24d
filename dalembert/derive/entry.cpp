// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/equations.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/derive/velocity_rows.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxListed = 12;

enum class Index { kNone, kCoordinate, kRow, kVelocity };

struct Part {
  std::string_view name;
  Index first, second;
  /// The member of Equations that holds the expressions, `vector` or `matrix`. Both are null for T, V, L, E, eom,
  /// lambda, qdd, A, kinematic, Pc and the entries of the equations without multipliers.
  std::vector<Expr> Equations::*vector;
  SparseMatrix Equations::*matrix;
  bool of_reduced = false;  // an entry of the equations without multipliers, although no index is a quasi-velocity

  bool reduced() const { return of_reduced || first == Index::kVelocity || second == Index::kVelocity; }
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
    {"A", Index::kCoordinate, Index::kCoordinate, nullptr, nullptr},
    {"kinematic", Index::kCoordinate, Index::kNone, nullptr, nullptr},
    {"Pc", Index::kRow, Index::kNone, nullptr, nullptr},
    {"S", Index::kCoordinate, Index::kVelocity, nullptr, nullptr},
    {"Sdot", Index::kCoordinate, Index::kVelocity, nullptr, nullptr},
    {"s0", Index::kCoordinate, Index::kNone, nullptr, nullptr, true},
    {"Mr", Index::kVelocity, Index::kVelocity, nullptr, nullptr},
    {"br", Index::kVelocity, Index::kNone, nullptr, nullptr},
    {"reduced", Index::kVelocity, Index::kNone, nullptr, nullptr},
    {"vdot", Index::kVelocity, Index::kNone, nullptr, nullptr},
    {"J", Index::kVelocity, Index::kVelocity, nullptr, nullptr},
};

struct Piece {
  std::size_t begin, end;
};

// The piece [begin, end) without surrounding spaces.
Piece trimmed(const std::string& text, std::size_t begin, std::size_t end) {
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  return {begin, end};
}

// Splits at the commas that are not inside brackets.
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
    coordinates_ = motion_names(eq);
    for (const QuasiVelocity& v : eq.model->quasi_velocities) velocities_.push_back(v.name);
  }

  Result<EntryName> read() {
    const std::string& text = name_.text;
    const Piece whole = trimmed(text, 0, text.size());
    const std::size_t open = std::min(text.find('[', whole.begin), whole.end);
    const Piece head = trimmed(text, whole.begin, open);
    const std::string word = text.substr(head.begin, head.end - head.begin);
    const auto part = std::ranges::find(kParts, word, &Part::name);
    if (part == std::end(kParts)) return unknown_part(word, head);

    if (part->reduced() && velocities_.empty()) return no_velocities();

    std::vector<Piece> pieces;
    if (open < whole.end) {
      if (text[whole.end - 1] != ']') return no_entry("the bracket is not closed");
      pieces = split(text, open + 1, whole.end - 1);
    }
    const std::size_t wanted = part->second != Index::kNone ? 2 : part->first != Index::kNone ? 1 : 0;
    if (pieces.size() != wanted) return no_entry(fmt::format("write `{}`", example(*part)));
    EntryName entry{word, 0, 0, word};
    for (std::size_t k = 0; k < wanted; ++k) {
      const Index kind = k == 0 ? part->first : part->second;
      const std::vector<std::string>& names = names_of(kind);
      const Result<int> at = index(pieces[k], names,
                                   kind == Index::kRow        ? "constraint row"
                                   : kind == Index::kVelocity ? "quasi-velocity"
                                                              : "coordinate");
      if (!at) return at.diagnostics();
      (k == 0 ? entry.row : entry.column) = *at;
      entry.text += (k == 0 ? "[" : ",") + names[static_cast<std::size_t>(*at)];
    }
    if (wanted > 0) entry.text += "]";
    if (entry.of_connection())
      if (std::string problem = no_connection(entry); !problem.empty()) {
        Diagnostic d = error("E0231", fmt::format("`{}` has no formula: {}", entry.text, problem), name_.span());
        d.help.push_back(entry.part == "A"
                             ? "A is the connection of kinematic systems, q_p' = -A q_a' - ..., by passive and "
                               "prescribed coordinate"
                             : "it is a row of q_p' = -A q_a' - ... of kinematic systems, by passive coordinate");
        return d;
      }
    return entry;
  }

 private:
  // The reason why the connection has no entry with this row and column; empty if it has one.
  std::string no_connection(const EntryName& entry) const {
    const std::vector<int> actuated = eq_.model->actuated();
    const auto is_actuated = [&](int i) { return std::ranges::find(actuated, i) != actuated.end(); };
    const auto name = [&](int i) { return coordinates_[static_cast<std::size_t>(i)]; };
    if (entry.part == "A" && !is_actuated(entry.column))
      return fmt::format("`{}` is not prescribed", name(entry.column));
    if (is_actuated(entry.row)) return fmt::format("`{}` is prescribed", name(entry.row));
    NotKinematic why{};
    const Equations eq = on_overlay(eq_);
    if (build_kinematic(eq, actuated, kAskedCost, &why) || why == NotKinematic::kTooLarge) return {};
    if (const auto local = build_local_connection(eq, actuated, kAskedCost);
        local && body_axes_entry(eq, *local, entry))
      return {};
    return std::string(to_text(why));
  }

  std::string example(const Part& part) const {
    const auto sample = [&](Index index, std::size_t which) -> std::string {
      const auto& names = names_of(index);
      return names.empty() ? "…" : names[std::min(which, names.size() - 1)];
    };
    std::string text(part.name);
    if (part.first != Index::kNone) text += "[" + sample(part.first, 0);
    if (part.second != Index::kNone) text += "," + sample(part.second, part.first == part.second ? 1 : 0);
    return part.first == Index::kNone ? text : text + "]";
  }

  const std::vector<std::string>& names_of(Index index) const {
    return index == Index::kRow ? eq_.rows : index == Index::kVelocity ? velocities_ : coordinates_;
  }

  Diagnostic no_velocities() const {
    Diagnostic d = no_entry("state them: `[quasi_velocities]` with `u = \"dot(x)*cos(theta) + dot(y)*sin(theta)\"`");
    d.notes.push_back("this entry needs quasi-velocities, and the model states none");
    return d;
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
        "entries are T V L E; B G F p eom qdd by coordinate; a gamma h lambda Pc by constraint; M W Wdot by both; s0 "
        "by "
        "coordinate, br reduced vdot by quasi-velocity, S Sdot Mr J by both; A by passive and actuated coordinate, "
        "kinematic by passive coordinate");
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
    // The user may have written `pin` where the rows are pin[1] and pin[2], or pin.x and pin.y.
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
  std::vector<std::string> coordinates_, velocities_;
};

}  // namespace

std::vector<std::string> motion_names(const Equations& equations) {
  std::vector<std::string> names;
  if (equations.v_is_qdot())
    for (const Coordinate& c : equations.model->coordinates) names.push_back(c.name);
  for (const Expr& v : equations.v) {
    std::string name = equations.graph->symbol_info(v.symbol()).name;
    if (name.ends_with("'")) name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

Result<EntryName> read_entry(const Equations& equations, const MappedText& name) {
  return Reader(equations, name).read();
}

namespace {

std::size_t place(const std::vector<int>& list, int i) {
  return static_cast<std::size_t>(std::ranges::find(list, i) - list.begin());
}

}  // namespace

Expr body_axes_entry(const Equations& eq, const LocalConnection& local, const EntryName& entry) {
  const std::size_t row = place(local.parts.passive, entry.row);
  if (row >= local.A.size()) return {};
  if (entry.part == "A") {
    const std::size_t column = place(local.parts.actuated, entry.column);
    return column < local.A[row].size() ? local.A[row][column] : Expr();
  }
  if (entry.part != "kinematic" || local.mixed()) return {};
  // The velocity in body axes, ξ = (ẋ cos θ + ẏ sin θ, −ẋ sin θ + ẏ cos θ, θ̇), then the rates of the other passive
  // steps in the free coordinates.
  const auto rate = [&](int i) { return eq.qd[static_cast<std::size_t>(i)]; };
  const auto [x, y, theta] = local.placement;
  const Expr c = cos(eq.q[static_cast<std::size_t>(theta)]), s = sin(eq.q[static_cast<std::size_t>(theta)]);
  Expr sum = row == 0 ? rate(x) * c + rate(y) * s : row == 1 ? rate(y) * c - rate(x) * s : rate(entry.row);
  for (std::size_t j = 0; j < local.parts.actuated.size(); ++j)
    sum = sum + local.A[row][j] * rate(local.parts.actuated[j]);
  return sum;
}

Expr entry_value(const Equations& eq, const EntryName& entry) {
  if (entry.part == "T") return eq.T;
  if (entry.part == "V") return eq.V;
  if (entry.part == "L") return eq.L;
  if (entry.part == "E") return eq.E;
  if (entry.part == "eom") return equation_of_motion(eq, entry.row);
  if (entry.part == "F") return eq.whole_force(entry.row);
  if (entry.of_connection()) {
    if (const auto form = build_kinematic(eq, eq.model->actuated(), kAskedCost)) {
      const std::size_t row = place(form->parts.passive, entry.row);
      if (entry.part == "A") return form->A[row][place(form->parts.actuated, entry.column)];
      return eq.qd[static_cast<std::size_t>(entry.row)] - form->qdot[row];
    }
    const auto local = build_local_connection(eq, eq.model->actuated(), kAskedCost);
    return local ? body_axes_entry(eq, *local, entry) : Expr();
  }
  if (entry.part == "Pc")
    return eq.lambda[static_cast<std::size_t>(entry.row)] * row_times(eq.W, entry.row, eq.velocities());
  const auto part = std::ranges::find(kParts, entry.part, &Part::name);
  if (part == std::end(kParts)) return {};
  if (part->vector) return (eq.*part->vector)[static_cast<std::size_t>(entry.row)];
  if (!part->matrix) return {};
  const Expr value = (eq.*part->matrix).find(entry.row, entry.column);
  return value ? value : eq.graph->constant(0);
}

bool EntryName::reduced() const {
  const auto found = std::ranges::find(kParts, part, &Part::name);
  return found != std::end(kParts) && found->reduced();
}

Result<Expr> reduced_entry(const Reduced& reduced, const EntryName& entry, const Span& place) {
  const auto row = static_cast<std::size_t>(entry.row), column = static_cast<std::size_t>(entry.column);
  const auto of = [&](const SparseMatrix& matrix) {
    const Expr value = matrix.find(entry.row, entry.column);
    return value ? value : reduced.graph->constant(0);
  };
  if (entry.part == "S") return of(reduced.S);
  if (entry.part == "Sdot") return of(reduced.Sdot);
  if (entry.part == "s0") return reduced.s0[row];
  if (entry.part == "Mr") return of(reduced.M);
  if (entry.part == "br") return reduced.b[row];
  if (entry.part == "reduced") return reduced_equation(reduced, entry.row);
  if (entry.part == "J" && !reduced.closed)
    return error("E0231",
                 fmt::format("there is no `{}`: the equations without multipliers contain coordinates", entry.text),
                 place);
  if (reduced.vdot.empty())
    return error("E0231", fmt::format("`{}` has no closed form: {}", entry.text, to_text(reduced.why)), place);
  if (entry.part == "vdot") return reduced.vdot[row];
  return gradient(reduced.vdot[row], std::array{reduced.velocities[column].v}).front();
}

Result<Expr> find_entry(const Equations& equations, const MappedText& name) {
  const auto entry = read_entry(equations, name);
  if (!entry) return entry.diagnostics();
  if (entry->reduced()) {
    const auto reduced = build_reduced(equations);
    if (!reduced) return reduced.diagnostics();
    return reduced_entry(*reduced, *entry, name.span());
  }
  if (!entry->solved()) {
    const Expr value = entry_value(equations, *entry);
    if (value) return value;
    return error("E0231", fmt::format("`{}` has no formula: {}", entry->text, to_text(NotKinematic::kTooLarge)),
                 name.span());
  }
  NoClosedForm why{};
  const auto solved = build_closed_form(equations, kAskedCost, &why);
  if (!solved)
    return error("E0231", fmt::format("`{}` has no closed form: {}", entry->text, to_text(why)), name.span());
  return (entry->part == "qdd" ? solved->qdd : solved->lambda)[static_cast<std::size_t>(entry->row)];
}

}  // namespace dalembert
