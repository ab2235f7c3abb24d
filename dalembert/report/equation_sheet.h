// SPDX-License-Identifier: Apache-2.0
// A listing of equations before it is laid out: blocks of formulas in one notation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/expr/print.h"

namespace dalembert {

struct EquationSheet {
  struct Line {
    Formula left, right;
    std::string label = {};  ///< before the equation, where it has a name
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
    std::string title;  ///< prose in text, LaTeX in LaTeX
    std::vector<Note> notes;
    std::string remark;  ///< a sentence, where there is nothing else to print
    std::vector<Line> lines;
    // A matrix or column in full. Its entries that are not 0 are in `lines` as well, with names of their own.
    Formula name;
    std::vector<std::vector<Formula>> grid;
    bool of_matrix = false;             ///< one that is too large for a grid: the rows are its entries
    std::vector<std::string> displays;  ///< LaTeX, before everything else
    std::vector<Formula> zeros;         ///< names of what is 0, shown together in place of lines
    std::size_t operations = 0;         ///< of the right sides, what they share once; 0: none, or not counted
  };

  Notation notation = Notation::kText;
  std::string name, description;
  std::vector<Coordinate> coordinates;
  std::vector<Symbol> symbols;
  std::vector<Block> blocks;
  std::vector<Formula> definitions;  ///< of names, by number
};

}  // namespace dalembert
