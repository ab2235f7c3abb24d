// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/cli.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "apps/dalembert/failure.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

// Whether `word` is an option that takes the next word as its value. Any verb's options are considered: a name means
// the same for all.
bool takes_next_word(const std::string& word) {
  for (const Verb& verb : verbs())
    for (const Option& option : all_options(verb))
      if (!option.value.empty() && (word == option.name || (!option.letter.empty() && word == option.letter)))
        return true;
  return false;
}

// Index of the verb among the words, or -1.
int find_verb(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return -1;
    if (words[i].size() < 2 || words[i][0] != '-') return static_cast<int>(i);
    if (takes_next_word(words[i])) ++i;
  }
  return -1;
}

[[noreturn]] void unknown_verb(const std::string& word) {
  std::vector<std::string> names{"help"};
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  std::vector<std::string> help;
  if (const auto near = nearest(word, names)) help.push_back(fmt::format("did you mean `{}`?", *near));
  help.push_back("dalembert --help lists the verbs");
  fail(kExitUsage, "E0401", fmt::format("unknown verb `{}`", word), help);
}

[[noreturn]] void unknown_option(const Verb& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const Option& option : all_options(verb)) names.push_back(option.name);
  std::vector<std::string> help;
  if (const auto near = nearest(name, names)) help.push_back(fmt::format("did you mean `{}`?", *near));
  help.push_back(fmt::format("dalembert {} --help lists the options", verb.name));
  fail(kExitUsage, "E0402", fmt::format("unknown option `{}` of `dalembert {}`", name, verb.name), help);
}

// Checks that --deny names warnings that exist.
void check_denied(const std::vector<std::string>& values) {
  std::vector<std::string> known{"warnings"};
  for (const std::string& code : diagnostic_codes())
    if (code.starts_with('W')) known.push_back(code);
  for (const std::string& value : values)
    if (std::ranges::find(known, value) == known.end())
      fail(kExitUsage, "E0403", fmt::format("`--deny` does not take `{}`", value),
           {fmt::format("it takes {}", join_words(known, "`", "or"))});
}

void check_choices(const Option& option, const std::vector<std::string>& values) {
  if (option.name == "--deny") check_denied(values);
  if (option.choices.empty()) return;
  for (const std::string& value : values) {
    if (std::count(option.choices.begin(), option.choices.end(), value)) continue;
    std::vector<std::string> help;
    if (const auto near = nearest(value, option.choices)) help.push_back(fmt::format("did you mean `{}`?", *near));
    help.push_back(fmt::format("it takes {}", join_words(option.choices, "`", "or")));
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`", option.name, value), help);
  }
}

void check_operands(const Arguments& arguments) {
  const Verb& verb = *arguments.verb;
  const int count = static_cast<int>(arguments.operands.size());
  const std::string usage =
      fmt::format("dalembert {}{}{} [options]", verb.name, verb.operands.empty() ? "" : " ", verb.operands);
  if (count < verb.min_operands)
    fail(kExitUsage, "E0408", fmt::format("`dalembert {}` needs {}", verb.name, verb.operands),
         {"usage: " + usage, fmt::format("dalembert {} --help tells more", verb.name)});
  if (count > verb.max_operands)
    fail(kExitUsage, "E0408",
         fmt::format("unexpected argument `{}`", arguments.operands[static_cast<std::size_t>(verb.max_operands)]),
         {"usage: " + usage});
}

// The message for a missing value: our own if the last word is the option without value, otherwise that of CLI11.
std::string missing_value(const std::vector<std::string>& words, const CLI::ParseError& problem) {
  return !words.empty() && takes_next_word(words.back()) ? fmt::format("`{}` needs a value", words.back())
                                                         : std::string(problem.what());
}

Arguments parse_verb(const Verb& verb, std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();  // --help is an option of our own
  app.allow_extras();   // unknown options are reported below, with the nearest name

  Arguments arguments;
  arguments.verb = &verb;
  const std::vector<Option> options = all_options(verb);
  std::map<std::string, std::vector<std::string>> values;
  for (const Option& option : options) {
    const std::string names = option.letter.empty() ? option.name : option.letter + "," + option.name;
    if (option.value.empty())
      app.add_flag(names);
    else
      app.add_option(names, values[option.name])->type_size(1)->expected(1)->allow_extra_args(false)->take_all();
  }
  app.add_option("operands", arguments.operands);

  const std::vector<std::string> typed = words;
  std::reverse(words.begin(), words.end());  // CLI11 expects the words in reverse order
  try {
    app.parse(words);
  } catch (const CLI::ParseError& problem) {
    fail(kExitUsage, "E0403", missing_value(typed, problem),
         {fmt::format("dalembert {} --help tells more", verb.name)});
  }
  for (const std::string& word : app.remaining())
    if (word != "--") unknown_option(verb, word);

  for (const Option& option : options) {
    if (app.count(option.name) == 0) continue;
    arguments.options[option.name] = option.value.empty() ? std::vector<std::string>{""} : values[option.name];
    if (!option.value.empty()) check_choices(option, values[option.name]);
  }
  return arguments;
}

}  // namespace

bool mentions(const std::vector<std::string>& words, const std::string& flag) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return false;
    if (words[i] == flag) return true;
    if (takes_next_word(words[i])) ++i;
  }
  return false;
}

Arguments parse_command_line(const std::vector<std::string>& words) {
  const int position = find_verb(words);
  if (position < 0) {
    for (const std::string& word : words) {
      std::vector<std::string> names{"--version"};
      for (const Option& option : common_options()) names.push_back(option.name), names.push_back(option.letter);
      if (word.size() > 1 && word[0] == '-' && !std::count(names.begin(), names.end(), word)) {
        const auto near = nearest(word, names);
        fail(kExitUsage, "E0402", fmt::format("unknown option `{}`", word),
             {near ? fmt::format("did you mean `{}`?", *near)
                   : std::string("dalembert --help lists the verbs and options")});
      }
    }
    fail(kExitUsage, "E0408", "no verb was given", {"dalembert --help lists the verbs"});
  }
  const std::string& name = words[static_cast<std::size_t>(position)];
  const auto verb = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& v) { return v.name == name; });
  if (verb == verbs().end()) unknown_verb(name);

  std::vector<std::string> rest = words;
  rest.erase(rest.begin() + position);
  Arguments arguments = parse_verb(*verb, std::move(rest));
  if (!arguments.has("--help")) check_operands(arguments);
  return arguments;
}

}  // namespace dalembert::app
