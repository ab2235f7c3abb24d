// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/fmu_assembly.h"
#include "dalembert/codegen/fmu_description.h"
#include "dalembert/codegen/fmu_guards.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/licence.h"
#include "dalembert/codegen/split_routines.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/codegen/writer.h"
#include "dalembert/compile/compile.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

// A GUID made of two 64-bit hashes (FNV-1a) of the description and the code of the FMU.
std::string fingerprint(const std::vector<std::string_view>& texts) {
  std::uint64_t halves[2] = {0xcbf29ce484222325, 0x84222325cbf29ce4};
  for (const std::string_view text : texts)
    for (const char c : text)
      for (std::uint64_t& half : halves) half = (half ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", halves[0] >> 32, (halves[0] >> 16) & 0xffff,
                     halves[0] & 0xffff, halves[1] >> 48, halves[1] & 0xffffffffffff);
}

Diagnostics refusals(const Model& model) {
  Diagnostics problems;
  const auto refuse = [&](std::string message, const Span& span, std::string remedy) {
    problems.push_back(error("E0535", std::move(message), span));
    problems.back().help.push_back(std::move(remedy));
  };
  for (const Input& input : model.inputs)
    if (!input.value && !input.time.empty())
      refuse(
          fmt::format("the input `{}` is given as samples, which exported FMUs do not support", input.name), input.span,
          fmt::format("give it a number, `--set {}=0`, and connect the samples to the input of that name", input.name));
  return problems;
}

// The formula that an input follows in the model; empty if it is a number.
std::string formula_of(const Input& input) {
  if (!input.value) return {};
  const std::string text = to_text(input.value);
  return text.find_first_not_of("0123456789.e+-/() ") == std::string::npos ? std::string() : text;
}

std::string flags(const char* name, const std::vector<bool>& values, std::size_t count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i)
    items.emplace_back(i < values.size() && values[i] ? "1" : "0");
  return fmt::format("static const int {}[{}] = {{\n{}}};\n", name, items.size(), in_lines(items, "  "));
}

// The beginning of NAME_fmi2.c, which is the part of the file that depends on the model.
std::string constants(const CodeModel& code, const FmuFacts& facts, const AssembleOptions& held) {
  const Layout& layout = code.layout();
  const Names& names = code.dynamics.names();
  const bool holds = can_assemble(code);
  std::string text = fmt::format(
      "/* {0} as FMI 2.0, model exchange and co-simulation; {0}.h says what it computes.\n *\n"
      " * As a shared library:\n *   cc {1} \\\n *     {0}.c {0}_fmi2.c -o {0}.so -lm\n"
      " * Without the definition of that line the functions are called {0}_fmi2..., so that models can be linked "
      "together.\n */\n"
      "#include \"{0}_fmi2.h\"\n\n#include <float.h>\n#include <math.h>\n#include <stdarg.h>\n#include <stdio.h>\n"
      "#include <stdlib.h>\n#include <string.h>\n\n#include \"{0}.h\"\n\n",
      code.identifier, fmt::join(ExportedFmu::compiler_options(), " "));
  const auto define = [&](const char* name, const std::string& value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  define("FMU_HAS_LEVELS", layout.holonomic.empty() ? "0" : "1");
  define("FMU_HAS_ROWS", layout.m > 0 ? "1" : "0");
  define("FMU_HAS_PROJECTION", facts.has_projection ? "1" : "0");
  define("FMU_HAS_HOLDS", holds ? "1" : "0");
  define("FMU_HAS_JACOBIAN", code.has_jacobian ? "1" : "0");
  define("FMU_V_IS_QDOT", layout.v_is_qdot ? "1" : "0");
  define("FMU_PRESCRIBED", fmt::format("{}", names.actuated));
  define("FMU_INTEGRALS", fmt::format("{}", layout.integrals));
  define("FMU_START", number_literal(facts.start_time));
  define("FMU_TOLERANCE", number_literal(facts.tolerance));
  text += "\nstatic const char kGuid[] = \"@GUID@\";\n";
  // Coordinates that follow a function of time start at its value, whatever the model states for them.
  std::vector<bool> own_position = held.hold_position, own_velocity = held.hold_velocity;
  own_position.resize(code.coordinates.size());
  own_velocity.resize(as_size(layout.nv));
  std::vector<std::string> prescribed;
  for (std::size_t row = names.constraint_rows(); row < names.rows.size(); ++row) {
    const auto coordinate = std::ranges::find(names.coordinates, names.rows[row]) - names.coordinates.begin();
    const auto level = std::ranges::find(layout.holonomic, static_cast<int>(row)) - layout.holonomic.begin();
    const auto entry = std::ranges::find(layout.W.row, static_cast<int>(row)) - layout.W.row.begin();
    const int velocity = layout.W.col[static_cast<std::size_t>(entry)];
    prescribed.push_back(fmt::format("{{{}, {}, {}, {}}}", coordinate, level, velocity, row));
    own_position[static_cast<std::size_t>(coordinate)] = false;
    own_velocity[as_size(velocity)] = false;
  }
  text += "\n/* Values of the start that the model fixes; others change where the constraints require it. */\n" +
          flags("kOwnPosition", own_position, code.coordinates.size()) +
          flags("kOwnVelocity", own_velocity, as_size(layout.nv));
  if (holds && !layout.v_is_qdot) {
    std::vector<std::string> items;
    for (std::size_t e = 0; e < layout.N.row.size(); ++e)
      items.push_back(fmt::format("{{{}, {}}}", layout.N.row[e], layout.N.col[e]));
    text += fmt::format(
        "\n/* Pairs of a coordinate and a velocity that moves it. */\nstatic const int kMoves[{}][2] = {{\n{}}};\n",
        items.size(), in_lines(items, "  "));
  }
  if (!prescribed.empty())
    text += fmt::format(
        "\n/* For each coordinate that follows a function of time: the coordinate, its position row, its velocity, its "
        "row. */\n"
        "static const int kPrescribed[{}][4] = {{\n{}}};\n",
        prescribed.size(), in_lines(prescribed, "  "));
  const auto array = [&](const char* name, const std::vector<double>& values) {
    return fmt::format("  static const double {}[{}] = {{\n{}  }};\n", name, values.size(),
                       number_list(values, "    "));
  };
  text += "\nstatic void FmuStart(double* q, double* v) {\n" + array("q_start", facts.start.state.q) +
          array("v_start", facts.start.state.v) +
          "  memcpy(q, q_start, sizeof q_start);\n  memcpy(v, v_start, sizeof v_start);\n}\n";
  return text;
}

FmuFacts facts_of(const Equations& equations, const CodeModel& code) {
  const Model& model = *equations.model;
  const Layout& layout = code.layout();
  FmuFacts facts;
  facts.start = code_start(equations, code);
  facts.start_time = facts.start.state.t;
  facts.stop_time = model.simulation.until.value_or(facts.start_time + 10);
  if (!(facts.stop_time > facts.start_time)) facts.stop_time = facts.start_time + 10;
  facts.tolerance = model.simulation.rtol.value_or(1e-9);
  facts.step = model.simulation.output_step.value_or((facts.stop_time - facts.start_time) / 500);
  facts.has_projection = layout.m > 0 || !layout.v_is_qdot || has_guards(code);
  facts.inputs.resize(as_size(layout.inputs));
  std::vector<double> work(layout.work);
  if (layout.inputs > 0) code.dynamics.inputs(facts.start_time, work.data(), facts.inputs.data());
  for (const Input& input : model.inputs) facts.input_formulas.push_back(formula_of(input));
  facts.input_formulas.resize(as_size(layout.inputs));
  facts.sources = {code.identifier + ".c", code.identifier + "_fmi2.c"};
  if (code.has_jacobian) facts.jacobian = code.jacobian;
  return facts;
}

// Who owns which part of the FMU, and the licence, which must be passed on with the FMU.
std::string licence_text() {
  return "The routines that the FMU of every model has are part of dalembert, under the Apache License 2.0 (below).\n"
         "What is of this model alone is its author's.\n\n" +
         std::string(kFdlibmNotice) + "\n" + std::string(apache_licence());
}

}  // namespace

std::vector<std::string> ExportedFmu::compiler_options() {
  return {"-std=c99",
          "-O2",
          "-fPIC",
          "-shared",
          "-fvisibility=hidden",
          "-ffp-contract=off",
          "-s",
          "-DFMI2_OVERRIDE_FUNCTION_PREFIX"};
}

Result<ExportedFmu> export_fmu(const Equations& equations, const std::string& tool, std::size_t most_statements) {
  const Model& model = *equations.model;
  if (Diagnostics problems = refusals(model); !problems.empty()) return problems;
  Result<CodeModel> made =
      make_code_model(equations, {.has_terms = false, .holds_guards = true, .most_statements = most_statements});
  if (!made) return made.diagnostics();
  CodeModel& code = *made;
  if (can_assemble(code))
    if (const std::string problem = add_routines(code.program, assembly_routines(code)); !problem.empty())
      return Diagnostics{error("E0902", "generated code: " + problem)};
  split_long_routines(code.program);
  const FmuFacts facts = facts_of(equations, code);
  const std::string& name = code.identifier;

  const std::vector<ReferenceCase> no_cases;
  const std::vector<CodeFile> c = c_files({code, facts.start, no_cases});
  std::string description = fmu_description(code, facts, tool);
  std::string interface = constants(code, facts, held_values(model));
  std::string rest;
  for (const std::string_view part : {kFmuInstance, kFmuSteps, kFmuCommon, kFmuKinds}) rest += part;
  if (has_guards(code)) {
    Result<std::string> changed = fmu_text_with_guards(std::move(rest), code);
    if (!changed) return changed.diagnostics();
    rest = std::move(changed).value();
  }
  rest = filled(rest, {{"$", name}});
  const std::string declarations = filled(kFmiDeclarations, {{"$", name}});

  ExportedFmu fmu{.identifier = name,
                  .guid = fingerprint({description, c[0].text, c[1].text, interface, rest, declarations})};
  const auto insert = [&](std::string& text) { text.replace(text.find("@GUID@"), 6, fmu.guid); };
  insert(description);
  insert(interface);
  const std::string folder = "sources/";
  fmu.files = {
      {"modelDescription.xml", std::move(description)}, {folder + c[0].name, c[0].text},
      {folder + c[1].name, c[1].text, c[1].tables},     {folder + name + "_fmi2.h", declarations},
      {folder + name + "_fmi2.c", interface + rest},    {"documentation/licenses/license.txt", licence_text()}};
  fmu.sources = {folder + c[1].name, folder + name + "_fmi2.c"};
  return fmu;
}

}  // namespace dalembert
