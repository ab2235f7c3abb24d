// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_listing.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/wording.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/unicode.h"
#include "dalembert/report/equation_phrases.h"
#include "dalembert/report/part_names.h"
#include "dalembert/report/unicode_layout.h"
#include "dalembert/tape/tape.h"

namespace dalembert {
namespace {

constexpr double kMostInGrid = 2'500;  // entries; larger matrices in LaTeX are listed
constexpr int kMostOnTerminal = 24;    // rows and columns; larger matrices are listed

}  // namespace

EquationListing::EquationListing(const Equations& eq, const EquationsFormat& format)
    : eq_(on_overlay(eq)),
      format_(format),
      shared_(*eq_.graph, format.notation),
      printer_(std::in_place, *eq_.graph, format.form, format.notation, &shared_, state_relations(eq_)),
      motion_names_(motion_names(eq_)) {}

bool EquationListing::asked(std::string_view part) const {
  return std::ranges::find(format_.only, part) != format_.only.end();
}
Formula EquationListing::write(const Expr& e) {
  if (printer_->is_full()) return {};
  if (latex()) written_.push_back(e);
  return printer_->entry(e);
}

Formula EquationListing::write(const ConservedQuantity& quantity) {
  if (printer_->is_full()) return {};
  if (latex()) written_.push_back(quantity.expression);
  return printer_->conserved(eq_, quantity);
}

bool EquationListing::is_full() {
  left_out_ += printer_->is_full() ? 1 : 0;
  return printer_->is_full();
}

void EquationListing::count() {
  if (!sheet_.blocks.empty()) sheet_.blocks.back().operations = count_operations(written_);
  written_.clear();
  if (left_out_ == 0) return;
  EquationSheet::Block& block = sheet_.blocks.back();
  block.grid.clear();
  block.remark +=
      fmt::format("{}({} left out: a listing has at most {} characters; `derive --only` prints single parts)",
                  block.remark.empty() ? "" : " ",
                  block.lines.empty() ? counted(static_cast<int>(left_out_), "line", "lines")
                                      : counted(static_cast<int>(left_out_), "more line", "more lines"),
                  printer_->most());
  left_out_ = 0;
}

Formula EquationListing::label(const std::string& name) const {
  return latex() ? spell_latex(name) : FormulaWriter().add(name).take();
}

std::string EquationListing::coordinate(int i) const {
  const auto at = static_cast<std::size_t>(i);
  return plain() ? eq_.model->coordinates[at].name : printer_->symbol(eq_.q[at]);
}

std::string EquationListing::motion(int j) const {
  if (eq_.v_is_qdot()) return coordinate(j);
  const auto at = static_cast<std::size_t>(j);
  return plain() ? motion_names_[at] : printer_->symbol(eq_.v[at]);
}

std::string EquationListing::row(std::size_t j) const {
  if (!latex()) return eq_.rows[j];
  return index_of_multiplier(eq_.lambda[j]);
}

std::string EquationListing::indexed(const std::string& name, const std::string& index) const {
  return entry_name(name, index, format_.notation);
}

EquationSheet::Block& EquationListing::begin(const Title& title) {
  count();
  sheet_.blocks.emplace_back();
  sheet_.blocks.back().title = latex() ? title.latex : plain() ? title.text : unicode_prose(title.text);
  return sheet_.blocks.back();
}

EquationSheet::Block& EquationListing::begin(const char* words) {
  std::string capital = words;
  capital.front() = static_cast<char>(capital.front() - 'a' + 'A');
  return begin(Title{words, capital.c_str()});
}

void EquationListing::line(Formula left, Formula right) {
  if (right.empty())
    ++left_out_;
  else
    sheet_.blocks.back().lines.push_back({std::move(left), std::move(right)});
}

void EquationListing::zeros() {
  if (zeros_.empty()) return;
  begin({"terms that are 0", "Terms that are zero"}).zeros = std::move(zeros_);
  zeros_.clear();
}

void EquationListing::matrix(const std::string& name, const char* title, const SparseMatrix& m, bool symmetric) {
  const Label by_coordinate = [this](int i) { return motion(i); };
  const Label by_row = [this](int j) { return row(static_cast<std::size_t>(j)); };
  matrix(name, title, m, symmetric, symmetric ? by_coordinate : by_row, by_coordinate);
}

void EquationListing::matrix(const std::string& name, const char* title, const SparseMatrix& m, bool symmetric,
                             const Label& of_row, const Label& of_column) {
  const std::string shown = part_name(name, format_.notation);
  const std::string size = fmt::format("{} ({}{}{}{})", plain() ? name : shown, m.rows, plain() ? "x" : "×", m.cols,
                                       symmetric ? ", symmetric" : "");
  EquationSheet::Block& block = begin({size.c_str(), title});
  block.name = label(whole_part_name(name, format_.notation));
  // Larger matrices do not fit a terminal.
  const bool in_grid = latex() && static_cast<double>(m.rows) * m.cols <= kMostInGrid;
  const bool in_full = in_grid || (!latex() && !plain() && m.rows <= kMostOnTerminal && m.cols <= kMostOnTerminal);
  if (in_full)
    block.grid.assign(static_cast<std::size_t>(m.rows),
                      std::vector<Formula>(static_cast<std::size_t>(m.cols), number_formula(0, format_.notation)));
  block.of_matrix = latex() && !in_grid;
  std::size_t nonzero = 0, listed = 0;
  for (std::size_t k = 0; k < m.value.size(); ++k) {
    Formula value = write(m.value[k]);
    if (value.empty()) {
      left_out_ += symmetric && m.col[k] < m.row[k] ? 0 : 1;
      continue;
    }
    nonzero += is_zero(value) ? 0 : 1;
    if (in_full) block.grid[static_cast<std::size_t>(m.row[k])][static_cast<std::size_t>(m.col[k])] = value;
    if (symmetric && m.col[k] < m.row[k]) continue;
    if (!plain() && is_zero(value)) continue;
    line(indexed(shown, of_row(m.row[k]) + "," + of_column(m.col[k])), std::move(value));
    ++listed;
  }
  if (block.of_matrix)
    block.remark = fmt::format("{}{}", listed < nonzero ? "It is symmetric, and each pair is listed once. " : "",
                               left_out_ == 0 && static_cast<double>(nonzero) < static_cast<double>(m.rows) * m.cols
                                   ? "All other entries are zero."
                                   : "");
}

void EquationListing::vector(const std::string& name, const char* title, const std::vector<Expr>& values) {
  vector(name, title, values, [this](int i) { return motion(i); });
}

void EquationListing::vector(const std::string& name, const char* title, const std::vector<Expr>& values,
                             const Label& of) {
  if (gathers_zeros() && std::ranges::all_of(values, [&](const Expr& e) { return writes_zero(e); })) {
    zeros_.push_back(label(whole_part_name(name, format_.notation)));
    return;
  }
  entries(name, title, values, of, false);
}

void EquationListing::rows(const std::string& name, const char* title, const std::vector<Expr>& values,
                           bool skip_zero) {
  if (skip_zero && std::ranges::all_of(values, [&](const Expr& e) { return writes_zero(e); })) return;
  entries(
      name, title, values, [this](int j) { return row(static_cast<std::size_t>(j)); }, !latex());
}

void EquationListing::entries(const std::string& name, const char* title, const std::vector<Expr>& values,
                              const Label& of, bool zeros_too) {
  const std::string shown = part_name(name, format_.notation);
  EquationSheet::Block& block = begin({plain() ? name.c_str() : shown.c_str(), title});
  block.name = label(whole_part_name(name, format_.notation));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Formula value = write(values[i]);
    left_out_ += value.empty() ? 1 : 0;
    if (value.empty()) continue;
    if (latex()) block.grid.push_back({value});
    if (zeros_too || !is_zero(value)) line(indexed(shown, of(static_cast<int>(i))), std::move(value));
  }
}

void EquationListing::by_names(const char* A, const char* b, const Label& index_of, const std::vector<Expr>& unknowns) {
  if (unknowns.size() > 2) return;
  std::vector<std::string> indices, symbols;
  for (const Expr& unknown : unknowns) {
    indices.push_back(index_of(static_cast<int>(indices.size())));
    symbols.push_back(printer_->symbol(unknown));
  }
  for (const auto& [left, right] : solved_by_names(A, b, indices, symbols, format_.notation)) line(left, label(right));
}

}  // namespace dalembert
