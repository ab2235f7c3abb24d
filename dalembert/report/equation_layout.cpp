// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_layout.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/report/common_terms.h"
#include "dalembert/report/formula_parts.h"
#include "dalembert/report/latex_width.h"
#include "dalembert/report/line_breaking.h"

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;

struct Row {
  Formula left, right;
  std::string label = {};  // printed before the equation, in a column of its own
};

// ---------------------------------------------------------------------------------------------------------------- text

constexpr std::size_t kLongText = 2000;  // longer lines, in characters, are unreadable and are broken
constexpr double kTextColumns = 116;
constexpr double kRepeatedText = 40;

class TextWriter {
 public:
  TextWriter(const EquationSheet& sheet, const Graph& graph)
      : sheet_(sheet), terms_(sheet.definitions), names_(graph, Notation::kText) {}

  std::string write() {
    name_repeated();
    heading();
    for (const EquationSheet::Block& block : sheet_.blocks) {
      out_ += (out_.empty() ? "" : "\n") + block.title + "\n";
      for (const EquationSheet::Note& note : block.notes)
        out_ += fmt::format("  {}{}: {}\n", note.symbol, note.unit.empty() ? "" : " [" + note.unit + "]", note.words);
      if (!block.remark.empty()) out_ += "  " + block.remark + "\n";
      if (block.lines.empty() && !block.name.empty()) out_ += "  0\n";
      for (const EquationSheet::Line& line : block.lines) equation(line);
      const std::vector<int> undefined = undefined_names(names_, terms_);
      if (!undefined.empty()) out_ += "  where\n";
      for (const int name : undefined) wrapped("    " + names_.symbol(name) + " = ", terms_.definition(name));
    }
    return out_;
  }

 private:
  static bool long_line(const EquationSheet::Line& line) {
    return key_length(line.left) + key_length(line.right) > kLongText;
  }

  void name_repeated() {
    std::vector<const Formula*> all;
    for (const Formula& definition : sheet_.definitions) all.push_back(&definition);
    for (const EquationSheet::Block& block : sheet_.blocks)
      for (const EquationSheet::Line& line : block.lines)
        if (long_line(line)) all.insert(all.end(), {&line.left, &line.right});
    terms_.name_repeated(all, kRepeatedText, [](const Formula& f) { return static_cast<double>(key_length(f)); });
  }

  void heading() {
    if (!sheet_.name.empty()) out_ += sheet_.name + "\n";
    if (!sheet_.description.empty()) out_ += sheet_.description + "\n";
    if (sheet_.coordinates.empty()) return;
    std::string symbols;
    for (const EquationSheet::Coordinate& c : sheet_.coordinates)
      symbols += (symbols.empty() ? "" : ", ") + c.symbol + (c.unit.empty() ? "" : " [" + c.unit + "]");
    out_ += fmt::format("\ncoordinates q = ({})\n", symbols);
  }

  void equation(const EquationSheet::Line& line) {
    if (!long_line(line)) {
      // Two statements, because names are numbered in the order in which text() shows them.
      out_ += "  " + (line.label.empty() ? "" : line.label + ":  ") + names_.text(line.left);
      out_ += " = " + names_.text(line.right) + "\n";
      return;
    }
    wrapped("  " + (line.label.empty() ? "" : line.label + ":  "),
            terms_.replaced(equated(line.left, line.right), false));
  }

  // Breaks a formula that is too long to read.
  void wrapped(const std::string& first, const Formula& formula) {
    const auto size = [](FormulaPart part) { return static_cast<double>(key_length(part)); };
    if (size(formula) <= static_cast<double>(kLongText)) {
      out_ += first + names_.text(formula) + "\n";
      return;
    }
    std::string before = first;
    for (const FormulaLine& line : break_lines(formula, {kTextColumns, 2, size})) {
      std::string text = names_.text(line.tokens);
      text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
      out_ += before + std::string(static_cast<std::size_t>(2 * line.indent), ' ') + text + "\n";
      before = "    ";
    }
  }

  const EquationSheet& sheet_;
  CommonTerms terms_;
  NameWriter names_;
  std::string out_;
};

// --------------------------------------------------------------------------------------------------------------- LaTeX

constexpr double kEquals = 1.34;     // em; an equals sign with its spaces
constexpr double kMatrixGap = 0.92;  // em; between columns
constexpr double kBrackets = 1.2;    // em; both brackets of a matrix
constexpr double kDiagonal = 3.3;    // em; "diag" and tall brackets
constexpr double kComma = 0.45;
constexpr double kColumnGap = 2;         // em; between equations side by side
constexpr double kRepeatedWidth = 16;    // em; repeated parts wider than this get names
constexpr double kWorthAName = 4;        // em; narrower parts never get a name to make a line fit
constexpr int kDeepestNamed = 12;        // nested brackets; deeper parts are small print and get no name
constexpr double kMaxLeft = 0.3;         // share of the line; wider left sides are not aligned
constexpr std::size_t kInFull = 16;      // entries; larger matrices are listed (4×4 is shown)
constexpr std::size_t kMaxRows = 24;     // rows of a vector that fit on a page
constexpr std::size_t kMaxColumns = 10;  // columns that amsmath's bmatrix allows
constexpr std::size_t kManyNames = 12;   // a matrix with more names, if they are most of its entries, is listed
constexpr std::size_t kMaxSideBySide = 4;
constexpr std::size_t kTableRows = 40;  // rows of a symbol table on one page
constexpr double kLabelGap = 1.6;       // em; after an equation's label, and for tall brackets

double width_of(FormulaPart part) { return latex_width(part); }

Formula spaced(Formula formula) {
  space_upright_names(formula);
  return formula;
}
std::vector<Formula> spaced(std::vector<Formula> formulas) {
  for (Formula& formula : formulas) space_upright_names(formula);
  return formulas;
}

class LatexWriter {
 public:
  LatexWriter(const EquationSheet& sheet, const Graph& graph, const LatexLayout& layout)
      : sheet_(sheet),
        width_(std::max(layout.width, 16.0)),
        standalone_(layout.standalone),
        terms_(spaced(sheet.definitions)),
        names_(graph, Notation::kLatex) {}

  std::string write() {
    name_and_fit();
    if (standalone_) out_ += latex_preamble(width_);
    heading();
    for (const BlockRows& block : blocks_) {
      title(block);
      displayed(block);
      definitions();
    }
    if (standalone_) out_ += "\\end{document}\n";
    return std::move(out_);
  }

  std::vector<LatexBlock> write_blocks() {
    name_and_fit();
    std::vector<LatexBlock> written;
    std::vector<int> known;  // by block: names shown up to its end
    for (const BlockRows& block : blocks_) {
      LatexBlock one{block.source->title, remark_of(block), {}, block.source->operations};
      displayed(block);
      defined();
      if (const std::string elsewhere = where_explained(known, written); !elsewhere.empty())
        one.remark += (one.remark.empty() ? "" : " ") + elsewhere;
      known.push_back(names_.shown());
      // Splits the output into its displays.
      while (!out_.empty()) {
        std::size_t end = out_.size();
        for (const std::string_view mark : {"\n\\]\n", "\\end{align*}\n"})
          if (const std::size_t at = out_.find(mark); at != std::string::npos) end = std::min(end, at + mark.size());
        one.displays.push_back(out_.substr(0, end));
        out_.erase(0, end);
      }
      written.push_back(std::move(one));
    }
    return written;
  }

 private:
  // Where the names of this block that blocks before it explain are explained; empty without such names.
  std::string where_explained(const std::vector<int>& known, const std::vector<LatexBlock>& before) {
    std::set<std::size_t> found;
    for (const int number : names_.take_recalled())
      found.insert(static_cast<std::size_t>(std::ranges::lower_bound(known, number) - known.begin()));
    std::string titles;
    for (const std::size_t k : found) titles += (titles.empty() ? "" : "; ") + before[k].title;
    return titles.empty() ? "" : "Names that are not explained here are explained under: " + titles + ".";
  }

  struct BlockRows {
    const EquationSheet::Block* source;
    std::vector<Row> rows;
    std::vector<std::vector<Formula>> grid;
    bool listed = true;  ///< print `rows` instead of `grid`
  };

  // Names repeated parts and parts that do not fit. A matrix that does not fit becomes a list.
  void name_and_fit() {
    for (const EquationSheet::Block& block : sheet_.blocks) blocks_.push_back(rows_of(block));
    name_repeated();
    for (BlockRows& block : blocks_)
      if (!block.grid.empty()) block.listed = is_long(block) || !fit_matrix(block);
    for (BlockRows& block : blocks_)
      if (block.listed) fit_rows(block.rows);
    // The loop also reaches names that are added on the way, for definitions that need further names.
    for (int name = 0; name < terms_.size(); ++name) {
      std::vector<Row> row{{name_formula(name), terms_.definition(name)}};
      fit_rows(row);
    }
  }

  void displayed(const BlockRows& block) {
    for (const std::string& formula : block.source->displays) display(formula);
    if (!block.source->zeros.empty()) {
      std::string list;
      for (const Formula& name : block.source->zeros)
        list += (list.empty() ? "" : ", \\quad ") + names_.text(name) + " = \\mathbf{0}";
      display(list);
    }
    if (block.listed && is_diagonal(block))
      display(diagonal(block));
    else if (block.listed)
      rows(block.rows, !block.grid.empty() || block.source->of_matrix);
    else
      matrix(block);
  }

  // Whether the matrix is diagonal and fits on one line as M = diag(m, m, I).
  bool is_diagonal(const BlockRows& block) const {
    if (block.grid.size() < 2 || block.grid.size() != block.grid.front().size() || block.rows.empty()) return false;
    double width = width_of(block.source->name) + kEquals + kDiagonal;
    for (std::size_t r = 0; r < block.grid.size(); ++r) {
      for (std::size_t c = 0; c < block.grid.size(); ++c)
        if (r != c && !is_zero(block.grid[r][c])) return false;
      width += width_of(now(block.grid[r][r])) + kComma;
    }
    return width <= width_;
  }

  std::string diagonal(const BlockRows& block) {
    std::string entries;
    for (std::size_t r = 0; r < block.grid.size(); ++r)
      entries += (r == 0 ? "" : ", ") + names_.text(now(block.grid[r][r]));
    const bool tall = entries.find("\\frac") != std::string::npos;
    return text_of(block.source->name) + " = \\operatorname{diag}" + (tall ? "\\!\\left(" : "(") + entries +
           (tall ? "\\right)" : ")");
  }

  void display(const std::string& formula) {
    out_ +=
        (standalone_ ? "\\begin{equation}\n" : "\\[\n") + formula + (standalone_ ? "\n\\end{equation}\n" : "\n\\]\n");
  }

  static BlockRows rows_of(const EquationSheet::Block& block) {
    BlockRows made{&block, {}, {}};
    for (const EquationSheet::Line& line : block.lines)
      made.rows.push_back({spaced(line.left), spaced(line.right), line.label});
    for (const std::vector<Formula>& cells : block.grid) made.grid.push_back(spaced(cells));
    return made;
  }

  Formula now(const Formula& formula) const { return terms_.replaced(formula, false); }

  void name_repeated() {
    const std::vector<Formula> given = spaced(sheet_.definitions);
    std::vector<const Formula*> formulas;
    for (const Formula& formula : given) formulas.push_back(&formula);
    for (const BlockRows& block : blocks_) {
      for (const Row& row : block.rows) {
        formulas.push_back(&row.left);
        formulas.push_back(&row.right);
      }
    }
    terms_.name_repeated(formulas, kRepeatedWidth, width_of);
  }

  // ------------------------------------------------------------------------------------------------------- matrices

  // A cell to be at most `budget` wide: unchanged if it fits, else with names for its sums, else a single name. The
  // named parts are appended to `contents`.
  Formula shrink(const Formula& cell, double budget, std::vector<Formula>* contents) const {
    const Formula shown = terms_.replaced(cell, true);
    if (latex_width(shown, true) <= budget || shown.size() == 1) return shown;
    CommonTerms trial;
    std::vector<Formula> inner;
    if (!is_sum(shown)) {
      for (std::size_t i = 0; i < shown.size(); ++i) {
        if (shown[i].kind != Kind::kOpen) continue;
        const FormulaPart content = content_of(shown, i);
        if (shown[i].group == FormulaToken::Group::kParentheses && is_sum(content)) {
          trial.name(content);
          inner.emplace_back(content.begin(), content.end());
        }
        i += content.size() + 1;
      }
    }
    if (!inner.empty()) {
      Formula named = trial.replaced(shown, false);
      if (latex_width(named, true) <= budget) {
        if (contents) contents->insert(contents->end(), inner.begin(), inner.end());
        return named;
      }
    }
    if (contents) contents->push_back(shown);
    return name_formula(0);
  }

  // Large matrices and mostly zero vectors are clearer as a list of their non-zero entries. A vector with one entry is
  // listed too.
  static bool is_long(const BlockRows& block) {
    const std::size_t rows = block.grid.size(), columns = block.grid.front().size();
    if (block.rows.empty()) return false;
    if (columns > 1) return rows * columns > kInFull;
    return rows == 1 || (rows > 4 && 2 * block.rows.size() < rows);
  }

  // The block's remark; for a listed matrix, the facts that the list does not show.
  std::string remark_of(const BlockRows& block) const {
    if (!block.listed || block.grid.empty() || !block.source->remark.empty() || is_diagonal(block))
      return block.source->remark;
    std::size_t nonzero = 0, entries = 0;
    for (const auto& cells : block.grid) {
      entries += cells.size();
      nonzero += static_cast<std::size_t>(std::ranges::count_if(cells, [](const Formula& f) { return !is_zero(f); }));
    }
    const std::string pairs = block.rows.size() < nonzero ? "It is symmetric, and each pair is listed once. " : "";
    return pairs + (nonzero < entries ? "All other entries are zero." : "");
  }

  // Names the widest cells until the matrix fits. False if a list of its entries is clearer.
  bool fit_matrix(const BlockRows& block) {
    const auto& grid = block.grid;
    const std::size_t columns = grid.front().size();
    const double room =
        width_ - width_of(block.source->name) - kEquals - kBrackets - kMatrixGap * static_cast<double>(columns - 1);
    if (grid.size() > kMaxRows || static_cast<double>(columns) > room) return false;

    std::set<double, std::greater<>> budgets{width_};
    std::set<std::string> different;
    for (const auto& cells : grid) {
      for (const Formula& cell : cells) {
        // With a budget just below the width of a cell, that cell must be named.
        budgets.insert(latex_width(terms_.replaced(cell, true), true) - 1e-6);
        if (formula_key(cell) != "0") different.insert(formula_key(cell));
      }
    }
    for (const double budget : budgets) {
      std::vector<Formula> contents;
      std::vector<double> widest(columns, 0);
      for (const auto& cells : grid)
        for (std::size_t c = 0; c < columns; ++c)
          widest[c] = std::max(widest[c], latex_width(shrink(cells[c], budget, &contents), true));
      double total = 0;
      for (const double width : widest) total += width;
      if (total > room) continue;
      std::set<std::string> named;
      for (const Formula& content : contents) named.insert(formula_key(content));
      // A column of names tells nothing, and neither does a large matrix that consists mostly of names.
      if (!named.empty() && columns == 1) return false;
      if (named.size() > kManyNames && 2 * named.size() > different.size()) return false;
      for (const Formula& content : contents) terms_.name(content);
      return true;
    }
    return false;
  }

  void matrix(const BlockRows& block) {
    const bool zero = block.rows.empty();
    const std::size_t columns = block.grid.front().size();
    const bool wide = columns > kMaxColumns;
    std::string whole = std::exchange(out_, {});
    out_ = text_of(block.source->name) + " = ";
    if (zero) {
      whole.swap(out_);
      return display(whole + "\\mathbf{0}");
    }
    out_ += wide ? "\\left[\\begin{array}{" + std::string(columns, 'c') + "}\n" : "\\begin{bmatrix}\n";
    for (std::size_t r = 0; r < block.grid.size(); ++r) {
      for (std::size_t c = 0; c < columns; ++c)
        out_ += (c ? " & " : "") + names_.text(terms_.replaced(block.grid[r][c], true));
      // Extra space keeps fractions clear of the next row.
      const auto last_row = out_.substr(out_.rfind('\n') + 1);
      const bool tall = last_row.find("\\frac") != std::string::npos;
      out_ += r + 1 == block.grid.size() ? "\n" : tall ? " \\\\[5pt]\n" : " \\\\\n";
    }
    out_ += wide ? "\\end{array}\\right]" : "\\end{bmatrix}";
    whole.swap(out_);
    display(whole);
  }

  // ---------------------------------------------------------------------------------------------------------- rows

  static double label_width(const std::string& label) { return latex_width(spell_latex("\\text{" + label + ":}")); }

  struct Alignment {
    bool at_equals = true;
    double left = 0;     ///< em; width of the widest left side
    double measure = 0;  ///< em; room for the part that may be broken
  };

  Alignment alignment(const std::vector<Row>& rows) const {
    Alignment result;
    double right = 0;
    if (!rows.empty() && !rows.front().label.empty()) {
      for (const Row& row : rows) result.left = std::max(result.left, label_width(row.label));
      result.measure = std::max(width_ - result.left - kLabelGap, 0.5 * width_);
      return result;
    }
    for (const Row& row : rows) {
      result.left = std::max(result.left, width_of(now(row.left)));
      right = std::max(right, width_of(now(row.right)));
    }
    result.at_equals = result.left <= kMaxLeft * width_ || result.left + kEquals + right <= width_;
    result.measure = result.at_equals ? width_ - result.left - kEquals : width_;
    return result;
  }

  // Names parts of rows that cannot be broken to fit a line.
  void fit_rows(const std::vector<Row>& rows) {
    const Alignment aligned = alignment(rows);
    for (const Row& row : rows) {
      if (!aligned.at_equals || !row.label.empty()) fit(row.left, aligned.measure);
      fit(row.right, aligned.measure);
    }
  }

  void fit(const Formula& formula, double width) {
    for (;;) {
      const Formula shown = now(formula);
      const FormulaPart part = unbreakable_part(shown, {width, 1, width_of});
      FormulaPart widest, widest_sum;
      double width_of_widest = 0, width_of_sum = 0;
      int depth = 0;
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i].kind == Kind::kClose) --depth;
        if (part[i].kind != Kind::kOpen || ++depth > kDeepestNamed || part[i].group == FormulaToken::Group::kScript)
          continue;
        const FormulaPart content = content_of(part, i);
        if (part[i].group == FormulaToken::Group::kCases) {
          i += content.size() + 1;
          --depth;
          continue;
        }
        const bool whole = i + content.size() + 1 < part.size();
        if (!whole || !is_term(content)) continue;
        const double size = width_of(content);
        if (size < kWorthAName) continue;
        if (is_sum(content) && size > width_of_sum) widest_sum = content, width_of_sum = size;
        if (size > width_of_widest) widest = content, width_of_widest = size;
      }
      if (widest.empty()) return;
      const int count = terms_.size();
      terms_.name(widest_sum.empty() ? widest : widest_sum);
      if (terms_.size() == count) return;
    }
  }

  void rows(const std::vector<Row>& list, bool compact) {
    if (list.empty()) return;
    const Alignment aligned = alignment(list);
    // Compact lists (definitions and matrix entries) have no equation numbers.
    numbered_ = standalone_ && !compact;
    out_ += numbered_ ? "\\begin{align}\n" : "\\begin{align*}\n";
    std::size_t side_by_side = 1;
    if (compact && list.size() > 3) {
      double right = 0;
      for (const Row& row : list) right = std::max(right, width_of(now(row.right)));
      const double one = aligned.left + kEquals + right + kColumnGap;
      side_by_side = std::clamp<std::size_t>(static_cast<std::size_t>((width_ + kColumnGap) / one), 1, kMaxSideBySide);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool several = !list[i].label.empty() ? labelled_row(list[i], aligned)
                           : aligned.at_equals    ? aligned_row(list[i], aligned)
                                                  : joined_row(list[i], aligned);
      if (i + 1 == list.size())
        out_ += "\n";
      else if ((i + 1) % side_by_side != 0)
        out_ += " & ";
      else
        out_ += several ? " \\\\[1ex]\n" : " \\\\\n";
    }
    out_ += numbered_ ? "\\end{align}\n" : "\\end{align*}\n";
  }

  // Writes a row, aligned at the equals sign. Returns whether it takes several lines, as do the next two functions.
  bool aligned_row(const Row& row, const Alignment& aligned) {
    out_ += names_.text(now(row.left)) + " &= ";
    return lines(break_lines(now(row.right), {aligned.measure, 1, width_of}));
  }

  // After & TeX would set a leading minus as a binary operator; braces make it a sign.
  static void bind_sign(Formula& formula) {
    if (!formula.empty() && formula.front().kind == Kind::kSign) formula.front().text = "{-}";
  }

  bool labelled_row(const Row& row, const Alignment& aligned) {
    Formula formula = now(row.left);
    bind_sign(formula);
    out_ += "\\text{" + row.label + ":} & \\quad ";
    return lines(break_lines(equated(formula, now(row.right)), {aligned.measure, 1, width_of}), "\\quad");
  }

  bool joined_row(const Row& row, const Alignment& aligned) {
    Formula formula = now(row.left);
    bind_sign(formula);
    out_ += "& ";
    return lines(break_lines(equated(formula, now(row.right)), {aligned.measure, 1, width_of}));
  }

  // An equation of several lines has its number on the last line.
  bool lines(const std::vector<FormulaLine>& broken, const char* margin = "") {
    for (std::size_t k = 0; k < broken.size(); ++k) {
      const Formula& tokens = broken[k].tokens;
      if (k > 0) {
        out_ += numbered_ ? " \\notag \\\\\n&" : " \\\\\n&";
        out_ += margin;
        for (int step = 0; step < broken[k].indent; ++step) out_ += "\\quad";
        // A binary operator at the beginning of a line needs an empty operand before it.
        if (!tokens.empty() && tokens.front().kind == Kind::kPlus)
          out_ += " {}";
        else if (!tokens.empty() && tokens.front().kind != Kind::kRelation)
          out_ += " {} \\cdot ";
      }
      out_ += names_.text(tokens);
    }
    return broken.size() > 1;
  }

  void definitions() {
    const std::size_t before = out_.size();
    defined();
    if (out_.size() > before) out_.insert(before, "where\n");
  }

  // Writes the definitions of the names shown so far.
  void defined() {
    std::vector<Row> list;
    for (const int name : undefined_names(names_, terms_))
      list.push_back({name_formula(name), terms_.definition(name)});
    rows(list, true);
  }

  // ---------------------------------------------------------------------------------------------------------- prose

  void heading() {
    if (!sheet_.name.empty()) out_ += "\\section*{" + latex_prose(sheet_.name) + "}\n";
    if (!sheet_.description.empty()) out_ += latex_prose(sheet_.description) + "\n";
    if (sheet_.coordinates.empty()) return;
    std::string symbols;
    for (const EquationSheet::Coordinate& c : sheet_.coordinates)
      symbols += (symbols.empty() ? "" : ", ") + fmt::format("${}$", c.symbol) +
                 (c.unit.empty() || !sheet_.symbols.empty() ? "" : " [$" + latex_unit(c.unit) + "$]");
    out_ += "\nCoordinates $\\mathbf{q}$: " + symbols + ".\n";
    table_of_symbols();
  }

  // Written in pieces, because LaTeX never breaks a tabular across pages.
  void table_of_symbols() {
    const std::vector<EquationSheet::Symbol>& symbols = sheet_.symbols;
    if (symbols.empty()) return;
    out_ += "\n\\paragraph{Symbols}\\mbox{}\n";
    for (std::size_t begin = 0; begin < symbols.size(); begin += kTableRows) {
      out_ += fmt::format("\n\\noindent\\begin{{tabular}}{{@{{}}lllp{{{:.1f}em}}@{{}}}}\n", 0.5 * width_);
      out_ += "symbol & value & unit & meaning \\\\\n\\hline\n";
      const std::size_t end = std::min(begin + kTableRows, symbols.size());
      for (std::size_t i = begin; i < end; ++i)
        out_ += fmt::format("${}$ & {} & {} & {} \\\\\n", symbols[i].symbol, symbols[i].value, symbols[i].unit,
                            symbols[i].meaning);
      out_ += "\\end{tabular}\n";
    }
  }

  void title(const BlockRows& block) {
    const EquationSheet::Block& source = *block.source;
    if (!source.title.empty())
      out_ += "\n\\paragraph{" + source.title + "}\n";
    else
      out_ += "\n";
    if (const std::string remark = remark_of(block); !remark.empty()) out_ += latex_prose(remark) + "\n";
    if (source.notes.empty()) return;
    out_ += "\\begin{description}\n";
    for (const EquationSheet::Note& note : source.notes)
      out_ += fmt::format("\\item[{{${}${}}}] {}\n", note.symbol,
                          note.unit.empty() ? "" : " [$" + latex_unit(note.unit) + "$]", note.words);
    out_ += "\\end{description}\n";
  }

  const EquationSheet& sheet_;
  double width_;
  bool standalone_;
  bool numbered_ = false;  // the current display has equation numbers
  CommonTerms terms_;
  NameWriter names_;
  std::vector<BlockRows> blocks_;
  std::string out_;
};

}  // namespace

std::string lay_out_text(const EquationSheet& sheet, const Graph& graph) { return TextWriter(sheet, graph).write(); }

std::string latex_preamble(double width) {
  // The page is wide enough for the widest line and an equation number. The 11 pt class has a font size of 10.95 pt.
  const double text_width = (width + 6) * 10.95, paper = std::max(597.5, text_width + 115);
  return fmt::format(
      "\\documentclass[11pt,fleqn]{{article}}\n\\usepackage{{amsmath,amssymb}}\n"
      "\\usepackage[papersize={{{:.1f}pt,845pt}},textwidth={:.1f}pt,textheight=700pt]{{geometry}}\n"
      "\\setlength{{\\mathindent}}{{1em}}\n\\setlength{{\\parindent}}{{0pt}}\n\\setlength{{\\parskip}}{{1ex}}\n"
      "\\setlength{{\\emergencystretch}}{{4em}}\n\\allowdisplaybreaks\n\\makeatletter\\@beginparpenalty="
      "10000\\makeatother\n\\begin{{document}}\n",
      paper, text_width);
}

std::string lay_out_latex(const EquationSheet& sheet, const Graph& graph, const LatexLayout& layout) {
  return LatexWriter(sheet, graph, layout).write();
}

std::vector<LatexBlock> lay_out_latex_blocks(const EquationSheet& sheet, const Graph& graph,
                                             const LatexLayout& layout) {
  return LatexWriter(sheet, graph, layout).write_blocks();
}

}  // namespace dalembert
