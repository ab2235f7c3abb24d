// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/terminal.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

struct Line {
  std::string left, right;
};

// Two columns; the right one starts after the longest entry of the left one.
std::string columns(const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.left.size());
  std::string text;
  for (const Line& line : lines) text += fmt::format("  {:<{}}  {}\n", line.left, width, line.right);
  return text;
}

Line option_line(const Option& option) {
  std::string left = option.letter.empty() ? "    " : option.letter + ", ";
  left += option.name;
  if (!option.value.empty()) left += " " + option.value;
  std::string right = option.text;
  if (option.choices.size() > 1) right += ": " + join_words(option.choices, "", "or");
  if (option.repeatable) right += "; repeatable";
  return {left, right};
}

const std::vector<Line> kExitStatus = {{"0", "done"},
                                       {"1", "the model is wrong, or --deny forbids a warning"},
                                       {"2", "the command line is wrong"},
                                       {"3", "a numerical failure; what was computed so far is written out"},
                                       {"4", "done, and the answer is \"no\": a verdict does not hold"},
                                       {"5", "reading or writing failed"},
                                       {"130", "interrupted; the partial run is saved"}};

// A text in a man page: no character of it is a command of roff, and lists without blanks may be broken behind commas.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == ',')
      out += ",\\:";
    else
      out += c;
  }
  return out;
}

// A paragraph with a heading that hangs.
std::string hanging(const Line& line) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(line.left.substr(line.left.find_first_not_of(' '))),
                     roff(line.right));
}

std::string examples_of(const Verb& verb) {
  std::string text = ".PP\n.nf\n";
  for (const std::string& example : verb.examples) text += roff(example) + "\n";
  return text + ".fi\n";
}

std::string begin_man_page(const char* title, const char* name) {
  return fmt::format(".TH {} 1 \"\" \"dalembert " DALEMBERT_VERSION "\"\n.ad l\n.nh\n.SH NAME\n{}\n", title, name);
}

// What `dalembert-mpi` is for, and how it is started: of the verb that it has.
constexpr const char* kSweepsByMpi = "sweeps by all processes that mpirun starts";
constexpr const char* kStartOfMpi = "mpirun -n 4 dalembert-mpi sweep MODEL [options]";
constexpr const char* kRestByMpi =
    "Process 0 reads the command line and writes the rows; the others make runs for it. The rows are the same for any "
    "number of\n"
    "processes, byte for byte, and a process that ends leaves its runs to the others. For everything else there is "
    "`dalembert`.";

const Verb& sweep() { return *std::ranges::find(verbs(), "sweep", &Verb::name); }

std::string end_of_man_page() {
  std::string text = ".SH EXIT STATUS\n";
  for (const Line& line : kExitStatus) text += hanging(line);
  return text;
}

}  // namespace

std::string mpi_man_page() {
  std::string text = begin_man_page("DALEMBERT-MPI", fmt::format("dalembert\\-mpi \\- {}", kSweepsByMpi).c_str());
  text += fmt::format(".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}\n", roff(kStartOfMpi), roff(kRestByMpi));
  text += ".SH OPTIONS\n";
  for (const Option& option : all_options(sweep())) text += hanging(option_line(option));
  return text + end_of_man_page() + ".SH SEE ALSO\n.BR dalembert (1)\n";
}

std::string mpi_help(const Terminal& terminal) {
  return fmt::format("dalembert-mpi: {}\n\n{}\n  {}\n\n{}\n\n`dalembert sweep --help` lists the options.\n",
                     kSweepsByMpi, terminal.bold("usage"), kStartOfMpi, kRestByMpi);
}

std::string man_page() {
  std::string text = begin_man_page("DALEMBERT", "dalembert \\- constrained Lagrangian mechanics");
  text += ".SH SYNOPSIS\n.B dalembert\nVERB [MODEL] [options]\n.SH DESCRIPTION\n";
  text +=
      "MODEL is a file, \\(oq\\-\\(cq for standard input, or the name of a reference model. Of each verb\n.B "
      "dalembert\nVERB \\-\\-help\nsays more. "
      "\\(oqdalembert explain format\\(cq prints the reference of the model file.\n.SH VERBS\n";
  for (const Verb& verb : verbs()) {
    text += fmt::format(".SS \"{}\"\n{}.\n", roff(verb.name + " " + verb.operands), roff(verb.summary));
    if (!verb.details.empty()) text += ".PP\n" + roff(verb.details) + "\n";
    for (const Option& option : verb.options) text += hanging(option_line(option));
    text += examples_of(verb);
  }
  text += ".SH OPTIONS OF EVERY VERB\n";
  for (const Option& option : common_options()) text += hanging(option_line(option));
  return text + end_of_man_page();
}

std::string general_help(const Terminal& terminal) {
  std::string text = "dalembert: constrained Lagrangian mechanics\n\n" + terminal.bold("examples") + "\n";
  text += columns({{"dalembert models", "the reference models that ship with it"},
                   {"dalembert check slider-crank", "symbols, units, freedoms, a consistent start"},
                   {"dalembert derive slider-crank", "its equations of motion"},
                   {"dalembert simulate slider-crank --until 10 -o run.csv", "its motion, and how far to trust it"},
                   {"dalembert new pendulum", "a model of your own to begin with"},
                   {"dalembert explain format", "what a model file may say (docs/model-format.md)"}});
  text += "\n" + terminal.bold("usage") + "\n  dalembert VERB [MODEL] [options]\n";
  text +=
      "  MODEL is a file, `-` for standard input, or the name of a reference model\n\n" + terminal.bold("verbs") + "\n";
  std::vector<Line> lines;
  for (const Verb& verb : verbs()) lines.push_back({verb.name + " " + verb.operands, verb.summary});
  text += columns(lines) + "\n" + terminal.bold("options of every verb") + "\n";
  lines.clear();
  for (const Option& option : common_options()) lines.push_back(option_line(option));
  lines.push_back({"    --version", "the version"});
  text += columns(lines) + "\n" + terminal.bold("exit status") + "\n";
  text += columns(kExitStatus);
  return text + "\ndalembert VERB --help tells more about one.\n";
}

std::string verb_help(const Verb& verb, const Terminal& terminal) {
  std::string text = fmt::format("dalembert {}: {}\n\n{}\n", verb.name, verb.summary, terminal.bold("examples"));
  for (const std::string& example : verb.examples) text += "  " + example + "\n";
  text += fmt::format("\n{}\n  dalembert {}{}{} [options]\n", terminal.bold("usage"), verb.name,
                      verb.operands.empty() ? "" : " ", verb.operands);
  if (!verb.details.empty()) text += "\n" + verb.details + "\n";
  std::vector<Line> lines;
  for (const Option& option : all_options(verb)) lines.push_back(option_line(option));
  return text + "\n" + terminal.bold("options") + "\n" + columns(lines);
}

}  // namespace dalembert::app
