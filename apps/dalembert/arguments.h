// SPDX-License-Identifier: Apache-2.0
// The command line as a table of verbs and options. Parsing, help and completion are generated from this table.
#pragma once

#include <cstdint>
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
  std::string name;                       ///< long name, such as "--until"
  std::string value;                      ///< name of the option's value, such as "TIME"; empty: a flag
  std::string text;                       ///< help text
  std::vector<std::string> choices = {};  ///< allowed values; empty: any
  std::string letter = {};                ///< such as "-o"; usually empty
  bool repeatable = false;                ///< every value given counts; otherwise only the last one
};

/// Kind of the words after the verb; completion offers words of this kind.
enum class Operand { kModel, kNewName, kCode, kShell, kModels };

/// A verb of the command. The defaults are those of most verbs, which take one model.
struct Verb {
  std::string name;
  std::string operands = "MODEL";  ///< as shown in the help
  std::string summary;             ///< one line of text
  std::string details = {};        ///< further text; may be empty
  std::vector<std::string> examples;
  std::vector<Option> options = {};  ///< options of the verb; those that every verb with a model takes come last
  Operand operand = Operand::kModel;
  int min_operands = 1, max_operands = 1;
  /// The verb may work long without a known end, so the seconds are shown (waiting.h); runs and films have progress
  /// bars.
  bool waits = false;
  int (*run)(const Arguments& arguments, Terminal& terminal) = nullptr;
};

/// All verbs, in the order of the help.
const std::vector<Verb>& verbs();
/// Options that every verb takes: --json, --quiet, --no-color, --help.
const std::vector<Option>& common_options();
/// The options of the verb, followed by common_options().
std::vector<Option> all_options(const Verb& verb);

/// The words after a verb, parsed.
class Arguments {
 public:
  const Verb* verb = nullptr;
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>> options;  ///< by long name; a flag has one empty value

  bool has(const std::string& option) const { return options.count(option) != 0; }
  bool json() const { return has("--json"); }
  /// The last value given; it is one of the allowed values.
  std::optional<std::string> value(const std::string& option) const;
  std::vector<std::string> values(const std::string& option) const;
  /// The names in all values given, each of which may list several, separated by commas.
  std::vector<std::string> listed(const std::string& option) const;
  /// A number with or without a unit of this dimension. Throws Failure (E0403) if it is not such a number or not
  /// greater than `above`.
  std::optional<double> quantity(const std::string& option, const Dimension& dimension, double above) const;
  /// A whole number from 1 to `most`. Throws Failure (E0403) if it is none; `range` says it, such as "1 to 1e6".
  std::optional<std::int64_t> whole_number(const std::string& option, double most, const char* range) const;
};

}  // namespace dalembert::app
