// SPDX-License-Identifier: Apache-2.0
// The command line as a table: verbs and their options. Parsing, help and completion are all made of it.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/units.h"

namespace dalembert::app {

class Arguments;
class Terminal;

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Option {
  std::string name;                  ///< "--until"
  std::string letter;                ///< "-o"; usually empty
  std::string value;                 ///< "TIME"; empty: a flag
  std::string text;                  ///< what it does, for the help
  std::vector<std::string> choices;  ///< the values it takes, where there are only so many
  bool repeatable = false;           ///< otherwise the last one wins
};

/// What the words after the verb are; completion offers what fits.
enum class Operand { kNone, kModel, kNewName, kCode, kShell, kModels };

struct Verb {
  std::string name;
  std::string operands;  ///< as the help writes them: "MODEL"
  std::string summary;   ///< one line
  std::string details;   ///< more, may be empty
  std::vector<std::string> examples;
  std::vector<Option> options;
  Operand operand = Operand::kNone;
  int min_operands = 0, max_operands = 0;
  int (*run)(const Arguments& arguments, Terminal& terminal) = nullptr;
};

/// The verbs there are, in the order of the help.
const std::vector<Verb>& verbs();
/// Verbs that are promised (docs) but not there yet.
const std::vector<std::string>& later_verbs();
/// Options that every verb takes: --json, --quiet, --no-color, --help.
const std::vector<Option>& common_options();

/// What was typed after a verb.
class Arguments {
 public:
  const Verb* verb = nullptr;
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>> options;  ///< by long name; flags have one empty value

  bool has(const std::string& option) const { return options.count(option) != 0; }
  bool json() const { return has("--json"); }
  /// The last value given; checked against the choices.
  std::optional<std::string> value(const std::string& option) const;
  std::vector<std::string> values(const std::string& option) const;
  /// A number, with a unit of this dimension or without. Throws Failure E0403 when it is neither, or not above `above`.
  std::optional<double> quantity(const std::string& option, const Dimension& dimension, double above) const;
};

}  // namespace dalembert::app
