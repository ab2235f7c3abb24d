// SPDX-License-Identifier: Apache-2.0
// Writes blocks of formulas, matrices and vectors to a listing. What a listing of equations consists of is in equations_text.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/report/common_terms.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/report/equation_sheet.h"
#include "dalembert/report/equations_text.h"

namespace dalembert {

class EquationListing {
 public:
  EquationListing(const Equations& eq, const EquationsFormat& format);

 protected:
  /// A title in plain text and in LaTeX.
  struct Title {
    const char *text, *latex;
  };
  /// The name of an index.
  using Label = std::function<std::string(int)>;

  bool latex() const { return format_.notation == Notation::kLatex; }
  bool plain() const { return format_.notation == Notation::kText; }
  bool asked(std::string_view part) const;
  bool wanted(std::string_view part) const { return format_.only.empty() || asked(part); }

  /// Begins a block, after the last one is completed.
  EquationSheet::Block& begin(const Title& title);
  /// A title of words alone, which begins with a capital on a page.
  EquationSheet::Block& begin(const char* words);
  /// Adds a line to the last block. If `right` is empty it counts as left out.
  void line(Formula left, Formula right);
  void line(const std::string& left, Formula right) { line(label(left), std::move(right)); }
  /// Completes the last block: counts its operations and notes the lines left out.
  void count();

  /// The printed expression; empty if the listing is full.
  Formula write(const Expr& e);
  Formula write(const ConservedQuantity& quantity);
  /// Whether the listing is full; if so, the current line counts as left out.
  bool is_full();
  bool writes_zero(const Expr& e) { return printer_->is_full() ? e.is_zero() : is_zero(printer_->entry(e)); }
  /// A name, possibly with indices, as a formula.
  Formula label(const std::string& name) const;

  /// The coordinate as an index of an entry: theta in B[theta], \theta in B_{\theta}.
  std::string coordinate(int i) const;
  /// The name of a velocity as an index of an entry of M, B, F …
  std::string motion(int j) const;
  std::string row(std::size_t j) const;
  std::string indexed(const std::string& name, const std::string& index) const;

  /// Blocks of a matrix and of vectors, by coordinates or by rows unless labels are given.
  void matrix(const std::string& name, const char* title, const SparseMatrix& m, bool symmetric);
  void matrix(const std::string& name, const char* title, const SparseMatrix& m, bool symmetric, const Label& of_row,
              const Label& of_column);
  void vector(const std::string& name, const char* title, const std::vector<Expr>& values);
  void vector(const std::string& name, const char* title, const std::vector<Expr>& values, const Label& of);
  void rows(const std::string& name, const char* title, const std::vector<Expr>& values, bool skip_zero);
  /// Lists the names of vanishing vectors since the last call.
  void zeros();
  /// Lines of the solution of A x + b = 0 by the names of the entries of A and b; none for more than two unknowns.
  void by_names(const char* A, const char* b, const Label& index_of, const std::vector<Expr>& unknowns);

  const Equations eq_;
  const EquationsFormat& format_;
  SharedNodes shared_;
  std::optional<EquationPrinter> printer_;
  EquationSheet sheet_;
  std::vector<std::string> motion_names_;

 private:
  void entries(const std::string& name, const char* title, const std::vector<Expr>& values, const Label& of,
               bool zeros_too);
  bool gathers_zeros() const { return !plain() && format_.only.size() != 1; }

  std::vector<Formula> zeros_;  // names of vanishing vectors
  std::vector<Expr> written_;   // expressions written in the last block
  std::size_t left_out_ = 0;    // lines left out of the last block
};

}  // namespace dalembert
