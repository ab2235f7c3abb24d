// SPDX-License-Identifier: Apache-2.0
// What a model may state of its runs: the settings of a run, and a study of many runs. Each setting is described in one row: from it follow its key in [simulation], its
// option on the command line and its keyword in Python. What the run does with it says analyze/run_options.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/units.h"

namespace dalembert {

struct SimulationSettings {
  std::optional<double> until, rtol, atol, output_step, max_step;
  std::optional<std::string> method, formulation;
  std::map<std::string, Span> places = {};  ///< where each of them is written, by its key in the file
};

/// What a study varies and measures, as it is written: in [study] of a model file, or by options of `sweep`. study/sweep.h reads it.
struct StudyStatement {
  struct Named {
    std::string name;
    MappedText text;
    Span place;  ///< of the name
  };
  std::vector<Named> vary;     ///< "0.1 m : 0.3 m : 21" or "1, 2, 5"; the last one changes fastest
  std::vector<Named> sample;   ///< "normal(20 N/m, 2 N/m)"
  std::vector<Named> measure;  ///< "max(abs(lambda(pin)))"
  std::optional<std::int64_t> runs, seed;
  std::optional<std::string> sampling;
  std::map<std::string, Span> places = {};  ///< where each part of it is written, by its key in the file
};

struct Setting {
  std::string_view key;                                            ///< in [simulation]
  std::string_view meaning;                                        ///< there
  std::string_view option, value, text;                            ///< on the command line, and what its help says
  std::optional<double> SimulationSettings::*number = nullptr;     ///< a number, or …
  std::optional<std::string> SimulationSettings::*name = nullptr;  ///< … one of some names
  Dimension (*dimension)() = Dimension::none;                      ///< of the number
  bool positive = true;                                            ///< the number is above zero
  bool of_rows = false;                                            ///< about what is recorded; last in the help
};

inline constexpr Setting kSettings[] = {
    {.key = "until",
     .meaning = "end time",
     .option = "--until",
     .value = "TIME",
     .text = "end of the run (10 s)",
     .number = &SimulationSettings::until,
     .dimension = Dimension::time,
     .positive = false},
    {.key = "rtol",
     .meaning = "relative tolerance of a step",
     .option = "--rtol",
     .value = "NUMBER",
     .text = "allowed error in each step, relative (1e-9)",
     .number = &SimulationSettings::rtol},
    {.key = "atol",
     .meaning = "absolute tolerance of a step",
     .option = "--atol",
     .value = "NUMBER",
     .text = "and absolute (1e-12)",
     .number = &SimulationSettings::atol},
    {.key = "output_step",
     .meaning = "time between recorded samples",
     .option = "--every",
     .value = "TIME",
     .text = "one output row each TIME (every step)",
     .number = &SimulationSettings::output_step,
     .dimension = Dimension::time,
     .of_rows = true},
    {.key = "max_step",
     .meaning = "longest step",
     .option = "--max-step",
     .value = "TIME",
     .text = "longest step (no bound)",
     .number = &SimulationSettings::max_step,
     .dimension = Dimension::time},
    {.key = "method",
     .meaning = "the stepper",
     .option = "--method",
     .value = "METHOD",
     .text = "integrator; radau for stiff systems, auto finds out (dop853)",
     .name = &SimulationSettings::method},
    {.key = "formulation",
     .meaning = "the form of the equations",
     .option = "--formulation",
     .value = "NAME",
     .text = "index1: multipliers solved for; reduced: eliminated, with fewer state variables (index1)",
     .name = &SimulationSettings::formulation},
};

/// Its keyword in Python: "max_step", "every".
inline std::string keyword(const Setting& setting) {
  std::string word(setting.option.substr(2));
  for (char& c : word)
    if (c == '-') c = '_';
  return word;
}

}  // namespace dalembert
