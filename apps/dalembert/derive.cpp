// SPDX-License-Identifier: Apache-2.0
// dalembert derive: the equations of motion as text, LaTeX, JSON or a page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/report_page.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/json_documents.h"
#include "dalembert/store/file.h"

namespace dalembert::app {
namespace {

Form form_of(const Arguments& arguments) {
  const std::string form = arguments.value("--form").value_or("canonical");
  return form == "expanded" ? Form::kExpanded : form == "as-derived" ? Form::kAsDerived : Form::kCanonical;
}

// The output format, "text", "latex", "json" or "html": from --format or --json, else from the suffix of --output.
std::string format_of(const Arguments& arguments) {
  const std::optional<std::string> asked = arguments.value("--format"), path = arguments.value("--output");
  if (arguments.json() && asked && *asked != "json")
    fail(kExitUsage, "E0403", fmt::format("`--json` and `--format {}` contradict each other", *asked));
  const std::string suffix = path ? std::filesystem::path(*path).extension().string() : "";
  if (suffix == ".pdf")
    fail(kExitUsage, "E0407", fmt::format("`{}`: PDF is not written yet", *path),
         {"write LaTeX, `--standalone -o equations.tex`, then run `pdflatex equations.tex`"});
  const std::string meant = suffix == ".tex"                        ? "latex"
                            : suffix == ".json"                     ? "json"
                            : suffix == ".html" || suffix == ".htm" ? "html"
                                                                    : "";
  const std::string format = arguments.json() ? "json" : asked.value_or(meant.empty() ? "text" : meant);
  if (!meant.empty() && meant != format)
    fail(kExitUsage, "E0403", fmt::format("`{}` would hold {}, which does not match its suffix", *path, format),
         {fmt::format("write it to a file with another suffix, or ask for `--format {}`", meant)});
  return format;
}

// --steps always prints the whole derivation, so these options would have no effect.
void refuse_what_steps_ignore(const Arguments& arguments) {
  if (!arguments.has("--steps")) return;
  for (const char* option : {"--only", "--width"})
    if (arguments.has(option))
      fail(kExitUsage, "E0403",
           fmt::format("`{}` cannot be combined with `--steps`, which prints the whole derivation", option));
}

LatexLayout layout_of(const Arguments& arguments, bool latex) {
  LatexLayout layout;
  for (const char* option : {"--standalone", "--width"})
    if (arguments.has(option) && !latex) fail(kExitUsage, "E0403", fmt::format("`{}` needs `--format latex`", option));
  layout.standalone = arguments.has("--standalone");
  layout.width = arguments.quantity("--width", Dimension::none(), 0).value_or(layout.width);
  return layout;
}

// Unicode on a terminal that shows it, or if requested; otherwise ASCII that the parser reads back.
Notation notation_of(const Arguments& arguments, const Terminal& terminal, const std::string& format) {
  const bool unicode = arguments.has("--unicode"), ascii = arguments.has("--ascii");
  if (unicode && ascii) fail(kExitUsage, "E0403", "`--unicode` and `--ascii` contradict each other");
  for (const char* option : {"--unicode", "--ascii"})
    if (arguments.has(option) && format != "text")
      fail(kExitUsage, "E0403", fmt::format("`{}` is about text, and cannot be combined with {}", option, format));
  if (format == "latex") return Notation::kLatex;
  const bool to_terminal = arguments.value("--output").value_or("-") == "-" && terminal.shows_unicode();
  return unicode || (to_terminal && !ascii) ? Notation::kUnicode : Notation::kText;
}

void check_part(const std::string& part) {
  const std::vector<std::string> parts = equation_parts();
  if (std::ranges::find(parts, part) != parts.end()) return;
  std::vector<std::string> help;
  if (const auto near = nearest(part, parts)) help.push_back(fmt::format("did you mean `{}`?", *near));
  help.push_back(fmt::format("the parts are {}", join_words(parts)));
  fail(kExitUsage, "E0403", fmt::format("`--only` does not know `{}`", part), help);
}

std::vector<std::string> parts_of(const Arguments& arguments) {
  std::vector<std::string> parts = arguments.listed("--only");
  for (const std::string& part : parts) check_part(part);
  return parts;
}

}  // namespace

int run_derive(const Arguments& arguments, Terminal& terminal) {
  const std::string format = format_of(arguments);
  refuse_what_steps_ignore(arguments);
  if ((format == "json" || format == "html") && arguments.has("--steps"))
    fail(kExitUsage, "E0407",
         fmt::format("`derive --steps` as {} is not supported yet", format == "json" ? "JSON" : "a page"),
         {"--format text and latex are supported"});
  const std::vector<std::string> only = parts_of(arguments);
  const Form form = form_of(arguments);
  const LatexLayout layout = layout_of(arguments, format == "latex");
  const Notation notation = notation_of(arguments, terminal, format);
  constexpr int kColumns = 100;  // default, if the display has no known width
  const int columns = terminal.width_or(kColumns);

  const std::string path = arguments.value("--output").value_or("-");
  const auto write = [&](const std::string& text) {
    if (path == "-") {
      terminal.out(text);
      return kExitOk;
    }
    const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << text; });
    if (!problems.empty()) fail(kExitIo, problems);
    terminal.note(fmt::format("wrote {}\n", path));
    return kExitOk;
  };
  LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments));
  if (format == "html") {
    // Names and units of series come from the compiled kernel.
    const System system = build(std::move(loaded), {.machine_code = false});
    terminal.report(system.warnings);
    return write(equations_page(system, {form, notation, only, layout, columns}, command_of(arguments)));
  }
  const Result<Equations> equations = derive(loaded.model);
  if (!equations) fail(kExitModel, equations.diagnostics());
  terminal.report(loaded.warnings);

  const std::string text = format == "json" ? equations_json(*equations, form, only).text()
                           : arguments.has("--steps")
                               ? print_derivation(*equations, form, notation, layout.standalone, columns)
                               : print_equations(*equations, {form, notation, only, layout, columns});
  return write(text);
}

}  // namespace dalembert::app
