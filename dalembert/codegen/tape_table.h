// SPDX-License-Identifier: Apache-2.0
// Tapes that are too long to be statements, in C: their instructions are the rows of a table, and a loop runs them.
//
// A compiler of C takes 1 µs and 100 bytes for a number of a table, and 100 µs and 5 kB for a statement, without
// optimising it. A row takes 2 to 3 ns to be run, a statement compiled without optimisation as long. Operations and their
// order are those of the tape, so the results have the same bits.
#pragma once

#include <span>
#include <string>

#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// Text in C, and how many of its bytes are tables.
struct TableText {
  std::string text;
  std::size_t tables = 0;
};

/// The routine of a tape without loops: `routine` has its name, comment and parameters. O(instructions).
TableText tabled_routine(const TabledTape& tabled, std::span<const TabledTape> all, const Routine& routine,
                         CWriter& writer);
/// The function that runs the rows of all tables.
std::string row_runner(std::span<const TabledTape> all, CWriter& writer);

}  // namespace dalembert
