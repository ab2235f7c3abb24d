// SPDX-License-Identifier: Apache-2.0
// A listing of equations before it is laid out: blocks of formulas in one notation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/expr/print_formula.h"

namespace dalembert {

struct EquationSheet {
  struct Line {
    Formula left, right;
    std::string label = {};  ///< text before the equation, such as a row's name; may be empty
  };
  struct Coordinate {
    std::string symbol, unit;
  };
  /// A row of the table of symbols, as LaTeX.
  struct Symbol {
    std::string symbol, value, unit, meaning;
  };
  struct Note {
    std::string symbol, unit, words;
  };
  struct Block {
    std::string title;  ///< plain text, or LaTeX in a LaTeX sheet
    std::vector<Note> notes;
    std::string remark;  ///< a sentence about the block, which may be its only content
    std::vector<Line> lines;
    // A matrix or vector in full. Its non-zero entries are in `lines` as well, with their own names.
    Formula name;
    std::vector<std::vector<Formula>> grid;
    bool of_matrix = false;             ///< a matrix too large for a grid: `lines` are its entries
    std::vector<std::string> displays;  ///< formulas in LaTeX, printed before the rest of the block
    std::vector<Formula> zeros;         ///< names of vanishing vectors, shown together instead of lines
    /// Operations in the right sides of `lines`, shared parts counted once; 0: none, or not counted.
    std::size_t operations = 0;
  };

  Notation notation = Notation::kText;
  std::string name, description;
  std::vector<Coordinate> coordinates;
  std::vector<Symbol> symbols;
  std::vector<Block> blocks;
  std::vector<Formula> definitions;  ///< definitions of the provisional names, by number
};

}  // namespace dalembert
