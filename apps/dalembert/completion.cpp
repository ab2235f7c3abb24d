// SPDX-License-Identifier: Apache-2.0
// dalembert completion: scripts for bash, zsh and fish, generated from the table of verbs. They list the reference
// models when the user presses Tab (`dalembert models --quiet`), so the list is always current.
#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  return join(names);
}

bool takes_file(const Option& option) { return option.name == "--output" || option.name == "--at"; }

// The text for use inside single quotes, in a POSIX shell or in fish.
std::string single_quoted(const std::string& text, const char* quote) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string(quote) : std::string(1, c);
  return result;
}

// ---------------------------------------------------------------------------------------------------------- bash

std::string bash_values() {
  std::string cases;
  std::vector<std::string> seen;
  for (const Verb& verb : verbs()) {
    for (const Option& option : all_options(verb)) {
      if (option.value.empty() || std::ranges::find(seen, option.name) != seen.end()) continue;
      seen.push_back(option.name);
      const std::string pattern = option.letter.empty() ? option.name : option.name + "|" + option.letter;
      if (!option.choices.empty())
        cases += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", pattern,
                             join(option.choices));
      else if (takes_file(option))
        cases += fmt::format("    {}) compopt -o default; COMPREPLY=(); return ;;\n", pattern);
      else
        cases += fmt::format("    {}) COMPREPLY=(); return ;;\n", pattern);
    }
  }
  return cases;
}

std::string bash_operands(const Verb& verb) {
  switch (verb.operand) {
    case Operand::kModel:
      return "COMPREPLY+=($(compgen -W \"$(\"${COMP_WORDS[0]}\" models --quiet 2>/dev/null)\" -- \"$word\") "
             "$(compgen -f -X '!*.toml' -- \"$word\") $(compgen -d -S / -- \"$word\"))";
    case Operand::kModels:
      return "if [[ ${COMP_WORDS[COMP_CWORD-1]} == show ]]; then COMPREPLY+=($(compgen -W \"$(\"${COMP_WORDS[0]}\" "
             "models --quiet "
             "2>/dev/null)\" -- \"$word\")); else COMPREPLY+=($(compgen -W 'show' -- \"$word\")); fi";
    case Operand::kCode:
      return fmt::format("COMPREPLY+=($(compgen -W '{}' -- \"$word\"))", join(diagnostic_codes()));
    case Operand::kShell:
      return "COMPREPLY+=($(compgen -W 'bash zsh fish' -- \"$word\"))";
    default:
      return ":";
  }
}

std::string bash_script() {
  std::string verb_cases;
  for (const Verb& verb : verbs()) {
    std::vector<std::string> names;
    for (const Option& option : all_options(verb)) names.push_back(option.name);
    verb_cases += fmt::format(
        "    {})\n      COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n      [[ $word == -* ]] || {{ COMPREPLY=(); {}; "
        "}} ;;\n",
        verb.name, join(names), bash_operands(verb));
  }
  return fmt::format(R"(# dalembert for bash:  source <(dalembert completion bash)
_dalembert() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb='' i
  case $before in
{0}  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then verb=${{COMP_WORDS[i]}}; break; fi
  done
  case $verb in
    '') COMPREPLY=($(compgen -W '{1} --help --version' -- "$word")) ;;
{2}  esac
  if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == */ ]]; then compopt -o nospace; fi
}}
complete -F _dalembert dalembert
)",
                     bash_values(), verb_names(), verb_cases);
}

// ----------------------------------------------------------------------------------------------------------- zsh

std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : single_quoted(text, "'\\''")) {
    if (c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_option(const Option& option) {
  std::string action;
  if (!option.value.empty()) {
    action = ":" + option.value + ":";
    if (!option.choices.empty())
      action += "(" + join(option.choices) + ")";
    else if (takes_file(option))
      action += "_files";
  }
  const std::string star = option.repeatable ? "*" : "";
  std::string spec = fmt::format(" '{}{}[{}]{}'", star, option.name, zsh_text(option.text), action);
  if (!option.letter.empty()) spec += fmt::format(" '{}{}[{}]{}'", star, option.letter, zsh_text(option.text), action);
  return spec;
}

std::string zsh_operands(const Verb& verb) {
  switch (verb.operand) {
    case Operand::kModel:
      return " '*:model:_dalembert_models'";
    case Operand::kModels:
      return " '1:what:(show)' '2:model:_dalembert_names'";
    case Operand::kCode:
      return fmt::format(" '1:code:({})'", join(diagnostic_codes()));
    case Operand::kShell:
      return " '1:shell:(bash zsh fish)'";
    default:
      return "";
  }
}

std::string zsh_script() {
  std::string described, cases;
  for (const Verb& verb : verbs()) {
    described += fmt::format("    '{}:{}'\n", verb.name, zsh_text(verb.summary));
    std::string specs;
    for (const Option& option : all_options(verb)) specs += zsh_option(option);
    cases += fmt::format("    {}) _arguments{}{} ;;\n", verb.name, specs, zsh_operands(verb));
  }
  return fmt::format(R"zsh(#compdef dalembert
# dalembert for zsh:  dalembert completion zsh > "${{fpath[1]}}/_dalembert"
_dalembert_names() {{ compadd -- ${{(f)"$(dalembert models --quiet 2>/dev/null)"}} }}
_dalembert_models() {{ _dalembert_names; _files -g '*.toml' }}
_dalembert() {{
  local -a verbs=(
{0}  )
  if ((CURRENT == 2)); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
{1}  esac
}}
if [[ $funcstack[1] == _dalembert ]]; then _dalembert "$@"; else compdef _dalembert dalembert; fi
)zsh",
                     described, cases);
}

// ---------------------------------------------------------------------------------------------------------- fish

std::string fish_option(const Verb& verb, const Option& option) {
  std::string line =
      fmt::format("complete -c dalembert -n '__fish_seen_subcommand_from {}' -l {}", verb.name, option.name.substr(2));
  if (!option.letter.empty()) line += " -s " + option.letter.substr(1);
  if (!option.value.empty()) {
    line += takes_file(option) ? " -r -F" : " -x";
    if (!option.choices.empty()) line += fmt::format(" -a '{}'", join(option.choices));
  }
  return line + fmt::format(" -d '{}'\n", single_quoted(option.text, "\\'"));
}

std::string fish_script() {
  std::string script =
      "# dalembert for fish:  dalembert completion fish > ~/.config/fish/completions/dalembert.fish\n"
      "complete -c dalembert -f\n";
  const std::string all = verb_names();
  for (const Verb& verb : verbs()) {
    script += fmt::format("complete -c dalembert -n 'not __fish_seen_subcommand_from {}' -a {} -d '{}'\n", all,
                          verb.name, single_quoted(verb.summary, "\\'"));
    const std::string seen = fmt::format("complete -c dalembert -n '__fish_seen_subcommand_from {}'", verb.name);
    if (verb.operand == Operand::kModel)
      script +=
          seen + " -a '(dalembert models --quiet 2>/dev/null)'\n" + seen + " -k -a '(__fish_complete_suffix .toml)'\n";
    if (verb.operand == Operand::kModels) script += seen + " -a 'show (dalembert models --quiet 2>/dev/null)'\n";
    if (verb.operand == Operand::kShell) script += seen + " -a 'bash zsh fish'\n";
    if (verb.operand == Operand::kCode) script += fmt::format("{} -a '{}'\n", seen, join(diagnostic_codes()));
    for (const Option& option : all_options(verb)) script += fish_option(verb, option);
  }
  return script;
}

}  // namespace

int run_completion(const Arguments& arguments, Terminal& terminal) {
  const std::string& shell = arguments.operands[0];
  if (shell == "bash")
    terminal.out(bash_script());
  else if (shell == "zsh")
    terminal.out(zsh_script());
  else if (shell == "fish")
    terminal.out(fish_script());
  else {
    const std::vector<std::string> shells{"bash", "zsh", "fish"};
    std::vector<std::string> help;
    if (const auto near = nearest(shell, shells)) help.push_back(fmt::format("did you mean `{}`?", *near));
    help.push_back("there are scripts for bash, zsh and fish");
    fail(kExitUsage, "E0403", fmt::format("there is no completion for `{}`", shell), help);
  }
  return kExitOk;
}

}  // namespace dalembert::app
