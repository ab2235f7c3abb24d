// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/unicode_layout.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/expr/unicode.h"
#include "dalembert/report/common_terms.h"
#include "dalembert/report/formula_parts.h"
#include "dalembert/report/line_breaking.h"

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;

constexpr std::size_t kUnreadable = 2000;  // columns; longer equations are unreadable and get names
constexpr double kRepeated = 40;           // columns; longer repeated parts of such equations get names
constexpr std::size_t kNameWidth = 3;      // columns of a name such as z₁₂
constexpr std::size_t kLeastWidth = 24;    // columns; on narrower terminals the output is wider
constexpr std::size_t kMargin = 2, kStep = 2, kGap = 2;

std::size_t columns_of(FormulaPart part) {
  std::size_t width = 0;
  for (const FormulaToken& token : part) width += token.kind == Kind::kName ? kNameWidth : terminal_columns(token.text);
  return width;
}
double size_of(FormulaPart part) { return static_cast<double>(columns_of(part)); }

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

class UnicodeWriter {
 public:
  UnicodeWriter(const EquationSheet& sheet, const Graph& graph, int columns)
      : sheet_(sheet),
        width_(std::max(columns < 0 ? 0 : static_cast<std::size_t>(columns), kLeastWidth)),
        terms_(sheet.definitions),
        names_(graph, Notation::kUnicode) {}

  std::string write() {
    name_repeated();
    heading();
    for (const EquationSheet::Block& block : sheet_.blocks) {
      out_ += (out_.empty() ? "" : "\n") + block.title + "\n";
      for (const EquationSheet::Note& note : block.notes)
        prose(fmt::format("{}{}: {}", note.symbol, note.unit.empty() ? "" : " [" + unicode_unit(note.unit) + "]",
                          note.words));
      if (!block.remark.empty()) prose(block.remark);
      contents(block);
      const std::vector<int> undefined = undefined_names(names_, terms_);
      if (!undefined.empty()) out_ += "  where\n";
      for (const int name : undefined) equation("    ", name_formula(name), terms_.definition(name));
    }
    return std::move(out_);
  }

 private:
  static bool is_long(const EquationSheet::Line& line) {
    return columns_of(line.left) + columns_of(line.right) > kUnreadable;
  }

  void name_repeated() {
    std::vector<const Formula*> all;
    for (const Formula& definition : sheet_.definitions) all.push_back(&definition);
    for (const EquationSheet::Block& block : sheet_.blocks)
      for (const EquationSheet::Line& line : block.lines)
        if (is_long(line)) all.insert(all.end(), {&line.left, &line.right});
    terms_.name_repeated(all, kRepeated, [](const Formula& f) { return size_of(f); });
  }

  void heading() {
    if (!sheet_.name.empty()) out_ += sheet_.name + "\n";
    if (!sheet_.description.empty()) {
      std::string words = sheet_.description;
      std::ranges::replace(words, '\n', ' ');
      prose(trimmed(words), 0, 0);
    }
    if (sheet_.coordinates.empty()) return;
    std::string symbols;
    for (const EquationSheet::Coordinate& c : sheet_.coordinates)
      symbols += (symbols.empty() ? "" : ", ") + c.symbol + (c.unit.empty() ? "" : " [" + unicode_unit(c.unit) + "]");
    out_ += out_.empty() ? "" : "\n";
    prose("coordinates q = (" + symbols + ")", 0);
  }

  // Writes prose. Lines after the first are indented by `hang`.
  void prose(const std::string& text, std::size_t margin = kMargin, std::size_t hang = 2 * kStep) {
    std::size_t used = margin;
    out_ += blanks(margin);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      const std::size_t width = terminal_columns(word);
      if (begin > 0 && used + 1 + width > width_) {
        out_ += "\n" + blanks(margin + hang);
        used = margin + hang;
      } else if (begin > 0) {
        out_ += ' ';
        ++used;
      }
      out_ += word;
      used += width;
      begin = end + 1;
    }
    out_ += '\n';
  }

  void contents(const EquationSheet::Block& block) {
    if (!block.zeros.empty()) {
      std::string list;
      for (const Formula& name : block.zeros) list += (list.empty() ? "" : ", ") + names_.text(name) + " = 0";
      prose(list);
    }
    if (block.lines.empty() && !block.name.empty()) {
      out_ += "  " + names_.text(block.name) + " = 0\n";
      return;
    }
    if (!block.grid.empty() && grid(block)) return;
    for (const EquationSheet::Line& line : block.lines) {
      const bool named = is_long(line);
      const std::string margin = "  " + (line.label.empty() ? "" : line.label + ":  ");
      equation(margin, named ? terms_.replaced(line.left, false) : line.left,
               named ? terms_.replaced(line.right, false) : line.right, !line.label.empty());
    }
  }

  // Writes a matrix as a grid; false if it is wider than the terminal:
  // ⎡ a  b ⎤
  // ⎣ b  c ⎦
  bool grid(const EquationSheet::Block& block) {
    const std::vector<std::vector<Formula>>& cells = block.grid;
    std::vector<std::size_t> columns(cells.front().size(), 0);
    for (const std::vector<Formula>& row : cells)
      for (std::size_t c = 0; c < row.size(); ++c) columns[c] = std::max(columns[c], columns_of(row[c]));
    const std::size_t left = kMargin + columns_of(block.name) + 3;
    std::size_t total = left + 4 + kGap * (columns.size() - 1);
    for (const std::size_t width : columns) total += width;
    if (total > width_) return false;

    const std::size_t last = cells.size() - 1;
    for (std::size_t r = 0; r <= last; ++r) {
      using Pair = std::pair<const char*, const char*>;
      const Pair brackets = last == 0   ? Pair("[", "]")
                            : r == 0    ? Pair("⎡", "⎤")
                            : r == last ? Pair("⎣", "⎦")
                                        : Pair("⎢", "⎥");
      std::string line = r == last / 2 ? blanks(kMargin) + names_.text(block.name) + " = " : blanks(left);
      line += brackets.first;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::size_t room = columns[c] - columns_of(cells[r][c]);
        line += blanks(c == 0 ? 1 : kGap) + blanks(room / 2) + names_.text(cells[r][c]) + blanks(room - room / 2);
      }
      out_ += line + " " + brackets.second + "\n";
    }
    return true;
  }

  // Further lines of a broken right side begin below its first character, or, after a long left side, are indented by
  // one step. `sum`: the right side is 0 and the left side is broken instead.
  void equation(const std::string& margin, const Formula& left, const Formula& right, bool sum = false) {
    const std::size_t indent = terminal_columns(margin), side = columns_of(left);
    if (indent + side + 3 + columns_of(right) <= width_) {
      out_ += margin + names_.text(left) + " = " + names_.text(right) + "\n";
      return;
    }
    if (!sum && indent + side + 3 <= width_ / 3) {
      // Two statements, because names are numbered in the order in which text() shows them.
      const std::string before = margin + names_.text(left) + " = ";
      broken(before, right);
    } else {
      broken(margin, equated(left, right));
    }
  }

  void broken(const std::string& before, const Formula& formula) {
    const std::size_t indent = terminal_columns(before);
    const double room = static_cast<double>(width_ - std::min(indent, width_ - kLeastWidth / 2));
    std::string margin = before;
    for (const FormulaLine& line : break_lines(formula, {room, static_cast<double>(kStep), size_of})) {
      out_ += margin + blanks(line.indent > 1 ? kStep * static_cast<std::size_t>(line.indent - 1) : 0) +
              trimmed(names_.text(line.tokens)) + "\n";
      margin = blanks(indent + kStep);
    }
  }

  const EquationSheet& sheet_;
  std::size_t width_;
  CommonTerms terms_;
  NameWriter names_;
  std::string out_;
};

}  // namespace

std::string lay_out_unicode(const EquationSheet& sheet, const Graph& graph, int columns) {
  return UnicodeWriter(sheet, graph, columns).write();
}

std::string unicode_prose(std::string_view text) {
  // Where one entry begins another, the longer one comes first.
  using Entry = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Entry, 38> kLetters = {{{">=", "≥"},
                                                      {"lambda*h", "λ h"},
                                                      {"S^T W^T lambda", "Sᵀ Wᵀ λ"},
                                                      {"W M^-1 W^T lambda", "W M⁻¹ Wᵀ λ"},
                                                      {"W M^-1", "W M⁻¹"},
                                                      {"W_p^-1", "W_p⁻¹"},
                                                      {"W_p^T lambda", "W_pᵀ λ"},
                                                      {"W_a^T lambda", "W_aᵀ λ"},
                                                      {"W^T lambda", "Wᵀ λ"},
                                                      {"M_pa^T", "M_paᵀ"},
                                                      {"S^T", "Sᵀ"},
                                                      {"N^T", "Nᵀ"},
                                                      {"d/d(q')", "∂/∂q̇"},
                                                      {"dL/d(q')", "∂L/∂q̇"},
                                                      {"dL/d(omega)", "∂L/∂ω"},
                                                      {"omega x", "ω ×"},
                                                      {"dL/dq", "∂L/∂q"},
                                                      {"dL/dv", "∂L/∂v"},
                                                      {"q_p''", "q̈_p"},
                                                      {"q_a''", "q̈_a"},
                                                      {"q_p'", "q̇_p"},
                                                      {"q_a'", "q̇_a"},
                                                      {"q''", "q̈"},
                                                      {"q'", "q̇"},
                                                      {"v'", "v̇"},
                                                      {"Sdot", "Ṡ"},
                                                      {"s0dot", "ṡ₀"},
                                                      {"s0", "s₀"},
                                                      {"Mr ", "M_r "},
                                                      {"br ", "b_r "},
                                                      {"mu*|N|*sign(v) + c*v", "μ |N| sign(v) + c v"},
                                                      {"mu_s*|N|", "μ_s |N|"},
                                                      {"hamel[", "γ["},
                                                      {" - ", " − "},
                                                      {"= -", "= −"},
                                                      {"lambda", "λ"},
                                                      {"gamma", "γ"},
                                                      {"<=", "≤"}}};
  std::string out;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(kLetters, [&](const Entry& e) { return text.starts_with(e.first); });
    const bool letter = found != kLetters.end();
    out += letter ? found->second : text.substr(0, 1);
    text.remove_prefix(letter ? found->first.size() : 1);
  }
  return out;
}

}  // namespace dalembert
