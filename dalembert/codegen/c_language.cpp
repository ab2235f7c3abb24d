// SPDX-License-Identifier: Apache-2.0
// C99: NAME.h, NAME.c, and a program that compares results with reference values, NAME_selftest.c.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/tape_table.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// A text for a comment between /* and */: a blank parts characters that would begin or end a comment.
std::string comment_text(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    if ((line[i] == '*' || line[i] == '/') && i + 1 < line.size() && (line[i + 1] == '/' || line[i + 1] == '*'))
      text += ' ';
  }
  return text;
}

std::string block_comment(const std::vector<std::string>& lines) {
  std::string text = "/*";
  for (const std::string& line : lines) {
    text += text.size() == 2 ? " " : line.empty() ? "\n *" : "\n * ";
    text += comment_text(line);
  }
  return text + "\n */\n";
}

class CFiles {
 public:
  explicit CFiles(const CodeContent& content)
      : content_(content),
        model_(content.model),
        name_(content.model.identifier),
        real_(real_type(model_.program)),
        writer_(model_.program, name_) {}

  std::vector<CodeFile> files() {
    // The source comes first: writing it finds the members of the struct of the state, which the header declares.
    CodeFile source = this->source();
    return {{name_ + ".h", header()}, std::move(source), {name_ + "_selftest.c", selftest()}};
  }

 private:
  CodeFile source();
  std::string header() const;
  std::string indices(const std::string& group, const std::vector<NamedEntry>& entries) const;
  std::string selftest() const;
  std::string call(const ReferenceCall& call) const;
  std::string array(const std::string& name, const std::vector<double>& values, std::size_t least = 1) const;

  const CodeContent& content_;
  const CodeModel& model_;
  const std::string name_;
  const std::string_view real_;
  CWriter writer_;
};

std::string CFiles::array(const std::string& name, const std::vector<double>& values, std::size_t least) const {
  std::vector<double> some = values;
  if (some.size() < least) some.resize(least);
  return fmt::format("static const {} {}[{}] = {{\n{}    }};\n", real_, name, some.size(),
                     c_literals(model_.program, some, "        "));
}

CodeFile CFiles::source() {
  std::string routines;
  std::size_t tables = 0;
  for (const Routine& routine : model_.program.routines) {
    const auto tabled = std::ranges::find(model_.tabled, routine.name, &TabledTape::routine);
    if (tabled == model_.tabled.end()) {
      routines += "\n" + writer_.write(routine);
      continue;
    }
    const TableText made = tabled_routine(*tabled, model_.tabled, routine, writer_);
    routines += "\n" + made.text;
    tables += made.tables;
  }
  const std::string runner = model_.tabled.empty() ? std::string() : row_runner(model_.tabled, writer_);
  std::string text = fmt::format("/* See {0}.h. */\n#include \"{0}.h\"\n\n#include <math.h>\n\n", name_);
  if (writer_.uses_sine_cosine())
    text += filled(model_.program.single ? kSineCosineSingle : kSineCosine, {{"$", name_}});
  for (const auto& [used, function, pair] :
       {std::tuple(writer_.uses_sine(), "sine", "sine"), std::tuple(writer_.uses_cosine(), "cosine", "cosine")})
    if (used)
      text += fmt::format(
          "{0}_INLINE {3} {0}_{1}({3} x) {{\n  {3} sine, cosine;\n  {0}_sine_cosine(x, &sine, &cosine);\n"
          "  return {2};\n}}\n",
          name_, function, pair, real_);
  for (const auto& [table, values] : model_.program.tables)
    text += fmt::format("\nstatic const {} {}_{}[{}] = {{\n{}}};\n", real_, name_, table, values.size(),
                        c_literals(model_.program, values, "    "));
  text += runner + routines;
  std::vector<double> parameters;
  for (const NamedEntry& parameter : model_.parameters) parameters.push_back(parameter.value);
  text += fmt::format("\nvoid {0}_init({0}_system* s) {{\n  {1}", name_, array("p", parameters));
  text += fmt::format("  int i;\n  for (i = 0; i < {0}_NP; ++i) s->p[i] = p[i];\n  {0}_prepare(s);\n}}\n", name_);
  if (content_.start.ok()) {
    text += fmt::format("\nvoid {0}_start({1}* t, {1}* q, {1}* v) {{\n  {2}  {3}", name_, real_,
                        array("q_start", content_.start.state.q), array("v_start", content_.start.state.v));
    text += fmt::format(
        "  int i;\n  *t = {1};\n  for (i = 0; i < {0}_NQ; ++i) q[i] = q_start[i];\n"
        "  for (i = 0; i < {0}_NV; ++i) v[i] = v_start[i];\n}}\n",
        name_, c_literal(model_.program, content_.start.state.t));
  }
  return {name_ + ".c", std::move(text), tables};
}

std::string CFiles::indices(const std::string& group, const std::vector<NamedEntry>& entries) const {
  if (entries.empty() || entries.size() > kMostIndices) return {};
  std::vector<std::string> items;
  for (std::size_t i = 0; i < entries.size(); ++i)
    items.push_back(fmt::format("{}_{}_{} = {}", name_, group, entries[i].identifier, i));
  return "enum {\n" + in_lines(items, "  ") + "};\n";
}

std::string CFiles::header() const {
  std::vector<std::string> lines = describe_model(model_, 0);
  lines.insert(
      lines.end(),
      {"",
       fmt::format("All state is in a {}_system; each thread needs its own. Call init first. To change parameters, set",
                   name_),
       fmt::format("s->p[{}_p_...] = value and call prepare. Nothing allocates memory. The caller owns q and v.",
                   name_),
       "Matrices are stored row by row. The pointer to an array without entries may be null.",
       "The caller gives the inputs u; `inputs` computes those that the model states."});
  if (model_.takes_subnormals_for_zeros)
    lines.insert(
        lines.end(),
        {fmt::format("The far ends of long chains lead to numbers below {}, on which processors are slow. dalembert "
                     "takes",
                     model_.program.single ? "1.2e-38" : "2.2e-308"),
         "them for zeros; a caller of this code may set the processor to do so (MXCSR on x86-64, FPCR on AArch64)."});
  if (model_.program.single)
    lines.emplace_back("Numbers are of single precision: 7 digits. Count steps, and compute t from their number.");
  const std::string guard = upper_case(name_) + "_H";
  std::string text = block_comment(lines) + fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  std::vector<std::string> items;
  for (const auto& [constant, value] : model_.program.constants)
    items.push_back(fmt::format("{} = {}", writer_.constant_name(constant), value));
  text +=
      "/* Numbers of coordinates, velocities, rows, rows with a position level, parameters, inputs, outputs, energies. "
      "*/\nenum "
      "{\n" +
      in_lines(items, "  ") + "};\n";
  text += "/* Indices by name. */\n" + indices("q", model_.coordinates) +
          (model_.layout().v_is_qdot ? "" : indices("v", model_.velocities)) + indices("lambda", model_.rows) +
          indices("p", model_.parameters) + indices("u", model_.inputs) + indices("y", model_.outputs) +
          indices("e", model_.energies) + indices("f", model_.frictions) + indices("event", model_.events);
  text += fmt::format(
      "\ntypedef struct {0}_system {{\n  {3} p[{1}]; /* parameters */\n"
      "  {3} prepared[{2}]; /* values computed from p by prepare */\n",
      name_, std::max<std::size_t>(1, model_.parameters.size()), std::max<std::size_t>(1, model_.prepared), real_);
  for (const auto& [member, what] : writer_.members())
    text += fmt::format("  {} {}[{}];\n", what.whole ? std::string_view("int") : real_, member, what.size);
  text += fmt::format("}} {}_system;\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n", name_);
  text += fmt::format(
      "\n/* Sets the parameters to their values in the model, and calls prepare. */\nvoid {0}_init({0}_system* s);\n",
      name_);
  if (content_.start.ok())
    text += fmt::format(
        "\n/* The model's start, consistent with its parameters. */\nvoid {0}_start({1}* t, {1}* q, {1}* v);\n", name_,
        real_);
  for (const Routine& routine : model_.program.routines) {
    if (!routine.is_public) continue;
    std::string comment;
    for (const std::string& line : routine.comment) comment += (comment.empty() ? "" : "\n * ") + comment_text(line);
    text += fmt::format("\n/* {} */\n{};\n", comment, writer_.declaration(routine));
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

// C code of the self-test: a block that makes the call and compares its results with the reference values.
std::string CFiles::call(const ReferenceCall& call) const {
  const Routine& routine = *model_.program.find(call.routine);
  std::string declarations, fill, arguments = "&s", checks;
  for (const Variable& variable : routine.parameters) {
    const std::vector<double>& value = call.value(variable.name);
    if (!variable.array) {
      arguments += ", " + c_literal(model_.program, value.at(0));
      continue;
    }
    arguments += ", " + variable.name;
    const bool formula = variable.passing == Variable::kIn && value.size() > kLongestReference;
    if (variable.passing == Variable::kIn && !formula) {
      declarations += "    " + array(variable.name, value);
      continue;
    }
    declarations +=
        fmt::format("    static {} {}[{}];\n", real_, variable.name, std::max<std::size_t>(1, variable.size));
    if (formula) {
      fill += fmt::format("    fill({}, {});\n", variable.name, value.size());
    } else if (variable.passing == Variable::kInOut) {
      declarations += "    " + array(variable.name + "_given", value);
      fill += fmt::format("    copy({0}, {0}_given, {1});\n", variable.name, value.size());
    }
  }
  const std::string invocation = fmt::format("{}({})", writer_.routine_name(call.routine), arguments);
  for (const ExpectedArray& expected : call.expected) {
    const std::string name = expected.name.empty() ? "returned" : expected.name;
    declarations += "    " + array("expected_" + name, expected.values);
    declarations += "    " + array("allowed_" + name, expected.tolerances);
    checks += fmt::format("    compare(\"{0}: {1}\", {1}, {2}, expected_{1}, {3}, allowed_{1}, {4});\n", call.routine,
                          name, expected.stride, expected.values.size(), expected.tolerances.size() > 1 ? 1 : 0);
  }
  if (routine.result == Routine::kReal) declarations += fmt::format("    {} returned[1];\n", real_);
  const std::string statement = routine.result == Routine::kStatus ? fmt::format("    status(\"{}\", {}, {});\n",
                                                                                 call.routine, invocation, call.status)
                                : routine.result == Routine::kReal ? fmt::format("    returned[0] = {};\n", invocation)
                                                                   : fmt::format("    {};\n", invocation);
  return "  {\n" + declarations + fill + statement + checks + "  }\n";
}

std::string CFiles::selftest() const {
  bool formulas = false, copies = false;
  std::string cases, calls;
  for (std::size_t i = 0; i < content_.cases.size(); ++i) {
    const ReferenceCase& one = content_.cases[i];
    cases += fmt::format("\n/* {} */\nstatic void case_{}(void) {{\n  {}", comment_text(one.what), i + 1,
                         array("p", one.parameters));
    cases += fmt::format(
        "  int i;\n  {0}_init(&s);\n  for (i = 0; i < {0}_NP; ++i) s.p[i] = p[i];\n  {0}_prepare(&s);\n", name_);
    for (const ReferenceCall& call : one.calls) {
      cases += this->call(call);
      for (const Variable& variable : model_.program.find(call.routine)->parameters) {
        formulas =
            formulas || (variable.passing == Variable::kIn && call.value(variable.name).size() > kLongestReference);
        copies = copies || variable.passing == Variable::kInOut;
      }
    }
    cases += "}\n";
    calls += fmt::format("  case_{}();\n", i + 1);
  }
  std::string text = fmt::format(
      "/* Compares {0}.c with reference values; exit status 0 when all agree.\n *\n *   cc -std=c99 {0}.c "
      "{0}_selftest.c -lm && "
      "./a.out\n */\n#include <math.h>\n#include <stdio.h>\n\n#include \"{0}.h\"\n\nstatic {0}_system s;\nstatic int "
      "checks, "
      "failures;\n\n",
      name_);
  text += in_precision(model_.program, kCSelftest);
  if (copies) text += in_precision(model_.program, kCCopy);
  if (formulas) text += in_precision(model_.program, kCFill);
  return text + cases +
         fmt::format(
             "\nint main(void) {{\n  (void)status, (void)compare;\n{}  printf(\"{}: %d of %d values agree\\n\", checks "
             "- failures, checks);\n  return "
             "failures == 0 ? 0 : 1;\n}}\n",
             calls, name_);
}

}  // namespace

std::vector<CodeFile> c_files(const CodeContent& content) { return CFiles(content).files(); }

}  // namespace dalembert
