// SPDX-License-Identifier: Apache-2.0
// Programs as they are before they are written in C, Python, MATLAB or JavaScript: one description, several syntaxes.
//
// A program is a list of routines over real numbers, whole numbers and arrays of real numbers, stated as text:
//
//   # What it is for; these lines go into the result.
//   public routine slope(real t, in q[nq], inout v[nv], out x[2*m], int k, in int rows[nv]) -> status {
//     real sum                        # locals; what is in them is not defined at first
//     real out[nv + 2], zeros[nv] = 0
//     sum = 0.0
//     for i = 0 to nv {               # i < nv; `for i = nv - 1 down to 0` ends with 0
//       if not (v[i] < 0.0) and p[0] > 1.0 {
//         sum = sum + sqrt(v[i])
//       } else {
//         sine_cosine sum, v[i] = t
//       }
//     }
//     call other(t, q, out)           # or `k = other(…)` of one that returns something
//     return 0
//   }
//
// One statement a line; a block is closed by a line of its own. Arrays are passed whole. Sizes are sums and products of
// constants. Names of tables are arrays of numbers that do not change. Names that are neither parameters nor locals nor
// constants nor tables are arrays of the state that every routine is given. Functions are those of <math.h>, and abs; numbers with a point are real.
// `limit(1e-10)`, `round_off(4.5e-16)` and `range(1e-300)` are numbers that depend on the precision of the program (single_precision.h).
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalembert {

/// An expression.
struct Term {
  enum Kind { kNumber, kName, kEntry, kCall, kNegate, kNot, kBinary };
  Kind kind = kNumber;
  std::string text;  ///< number, name, array, function or operator: or and < <= > >= == != + - * /
  std::vector<Term> arguments;
};

struct Step {
  enum Kind { kAssign, kSineCosine, kFor, kWhile, kIf, kCall, kReturn, kBreak, kComment };
  Kind kind = kAssign;
  Term target = {}, second = {};  ///< of kSineCosine: for the sine and the cosine; of kFor: the bounds
  Term value = {};                ///< the step's condition, angle, call or returned value
  std::string name =
      {};  ///< of kFor: its variable; of kComment: its text; of kAssign and kSineCosine: what it computes, may be empty
  bool down = false;  ///< of kFor: counts down
  std::vector<Step> body = {}, otherwise = {};
};

struct Variable {
  enum Passing { kIn, kOut, kInOut, kLocal };
  std::string name;
  Passing passing = kIn;
  bool whole = false;  ///< whether the variable holds whole numbers
  bool array = false;
  std::size_t size = 0;  ///< number of entries of an array
  bool zero = false;     ///< of a local array: set to 0, for compilers that see no assignment and warn
};

struct Routine {
  enum Result { kNothing, kStatus, kReal, kState };  ///< kState: the routine changes arrays of the state
  std::string name;
  std::vector<std::string> comment;
  bool is_public = false;
  Result result = kNothing;
  std::vector<Variable> parameters, locals;
  std::vector<Step> body;
};

struct Program {
  std::vector<std::pair<std::string, long>> constants;
  std::vector<Routine> routines;
  std::vector<std::pair<std::string, std::vector<double>>> tables = {};
  bool single = false;  ///< whether real numbers are of single precision; set before routines are added

  const Routine* find(std::string_view routine) const;
  const long* constant(std::string_view name) const;
  bool is_table(std::string_view name) const;
};

/// The names of those of the wanted routines that there are, and of all routines and tables that they use.
std::set<std::string> reached_routines(const Program& program, std::span<const std::string_view> wanted);

/// The name of a routine that is called and that there is not; empty if there is none.
std::string missing_routine(const Program& program);

/// Parses routines, which may use the program's constants, and adds them. Returns the first error with its line; empty
/// if there is none.
std::string add_routines(Program& program, std::string_view text);

}  // namespace dalembert
