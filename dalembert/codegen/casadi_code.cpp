// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/casadi_code.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/reference.h"

namespace dalembert {
namespace {

// Routines of the C code as functions: their names here and there.
constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {{"motion", "accelerations"},
                                                                        {"outputs", "outputs"},
                                                                        {"integrands", "integrands"},
                                                                        {"energy", "energy"},
                                                                        {"position", "position_residual"},
                                                                        {"velocity", "velocity_residual"},
                                                                        {"rates", "coordinate_rates"},
                                                                        {"terms", "terms"},
                                                                        {"inputs", "inputs"}};

constexpr std::string_view kHead = R"c(#include "$.h"

#include <string.h>

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif
#if defined(_WIN32)
#define CASADI_SYMBOL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))
#else
#define CASADI_SYMBOL_EXPORT
#endif

/* The system lies in the work vector of the caller. */
enum { SYSTEM_SIZE = (sizeof($_system) + sizeof(casadi_real) - 1) / sizeof(casadi_real) };
static $_system* system_in(casadi_real* w, const casadi_real* p) {
  $_system* s = ($_system*)w;
  int i;
  for (i = 0; i < $_NP; ++i) s->p[i] = p ? p[i] : 0;
  $_prepare(s);
  return s;
}
)c";

// An argument or a result: a vector, or a matrix that the C code has row by row and CasADi column by column.
struct Slot {
  std::string name;
  std::size_t rows = 0, columns = 1;
  bool scalar = false;
  std::size_t size() const { return rows * columns; }
};

// A number list as C, the lines at most so long.
std::string numbers(const std::vector<long>& values) {
  std::string text, line;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string one = std::to_string(values[k]) + (k + 1 < values.size() ? ", " : "");
    if (line.size() + one.size() > 110) {
      text += line + "\n      ";
      line.clear();
    }
    line += one;
  }
  return text + line;
}

// Sparsity as CasADi compresses it: rows, columns, then 1 where all entries are there; else offsets of columns and rows of entries.
std::vector<long> dense(const Slot& slot) {
  const auto rows = static_cast<long>(slot.rows), columns = static_cast<long>(slot.columns);
  if (slot.size() > 0) return {rows, columns, 1};
  std::vector<long> none{rows, columns};
  none.resize(none.size() + slot.columns + 1);
  return none;
}

// A block of a Jacobian: where its values are among those of the routine, in CasADi's order.
struct Block {
  std::vector<long> sparsity, from;
};

Block block_of(const Pattern& pattern, std::size_t row, const Slot& result, std::size_t column, const Slot& argument) {
  std::vector<std::pair<long, long>> places;  // column, row
  std::vector<long> order;
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    const auto r = static_cast<std::size_t>(pattern.row[k]), c = static_cast<std::size_t>(pattern.col[k]);
    if (r < row || r >= row + result.size() || c < column || c >= column + argument.size()) continue;
    places.emplace_back(c - column, r - row);
    order.push_back(static_cast<long>(k));
  }
  std::vector<std::size_t> sorted(places.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, {}, [&](std::size_t k) { return places[k]; });
  Block block{{static_cast<long>(result.size()), static_cast<long>(argument.size())}, {}};
  std::vector<long> offsets(argument.size() + 1);
  for (const auto& [c, r] : places) ++offsets[static_cast<std::size_t>(c) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  block.sparsity.insert(block.sparsity.end(), offsets.begin(), offsets.end());
  for (const std::size_t k : sorted) {
    block.sparsity.push_back(places[k].second);
    block.from.push_back(order[k]);
  }
  return block;
}

// Writes the functions of one file.
class CasadiFile {
 public:
  CasadiFile(const CodeModel& model, const Assembly& start) : model_(model), start_(start), name_(model.identifier) {
    // CasADi takes letters, digits and single underscores, beginning with a letter.
    for (const char c : name_)
      if (c != '_' || (!prefix_.empty() && prefix_.back() != '_')) prefix_ += c;
    if (prefix_.ends_with('_')) prefix_.pop_back();
    if (prefix_.empty()) prefix_ = "model";
    prefix_ += "_fn";  // the names of the C code are taken
  }

  std::string text();

 private:
  std::string function(std::string_view name, const Routine& routine);
  std::string constants(std::string_view name, const std::vector<Slot>& results,
                        const std::vector<std::vector<double>>& values) const;
  std::string interface(const std::string& name, const std::vector<Slot>& arguments, const std::vector<Slot>& results,
                        const std::vector<std::vector<long>>& in, const std::vector<std::vector<long>>& out,
                        const std::string& work) const;
  std::string jacobian(const std::string& name, const Routine& routine, const Pattern& pattern,
                       const std::vector<Slot>& arguments, const std::vector<Slot>& results) const;
  std::string call(const std::string& routine, const std::vector<Slot>& arguments, const std::string& last) const;
  Slot slot(const Variable& variable) const;

  const CodeModel& model_;
  const Assembly& start_;
  const std::string name_;
  std::string prefix_;
};

Slot CasadiFile::slot(const Variable& variable) const {
  // A name that is no keyword of Python.
  const std::string name = variable.name == "lambda" ? "lam" : variable.name;
  const std::size_t columns = columns_of(model_, variable.name);
  if (!variable.array) return {name, 1, 1, true};
  return columns > 0 ? Slot{name, variable.size / columns, columns} : Slot{name, variable.size, 1};
}

std::string CasadiFile::interface(const std::string& name, const std::vector<Slot>& arguments,
                                  const std::vector<Slot>& results, const std::vector<std::vector<long>>& in,
                                  const std::vector<std::vector<long>>& out, const std::string& work) const {
  const auto names = [&](const char* which, const std::vector<Slot>& slots) {
    std::string cases;
    for (std::size_t k = 0; k < slots.size(); ++k)
      cases += fmt::format("    case {}: return \"{}\";\n", k, slots[k].name);
    return fmt::format(
        "CASADI_SYMBOL_EXPORT casadi_int {0}_n_{1}(void) {{ return {2}; }}\nCASADI_SYMBOL_EXPORT const char* "
        "{0}_name_{1}(casadi_int i) {{\n  switch (i) {{\n{3}    default: return 0;\n  }}\n}}\n",
        name, which, slots.size(), cases);
  };
  const auto sparsities = [&](const char* which, const std::vector<std::vector<long>>& lists) {
    std::string tables, cases;
    for (std::size_t k = 0; k < lists.size(); ++k) {
      tables += fmt::format("  static const casadi_int s{}[] = {{{}}};\n", k, numbers(lists[k]));
      cases += fmt::format("    case {0}: return s{0};\n", k);
    }
    return fmt::format(
        "CASADI_SYMBOL_EXPORT const casadi_int* {}_sparsity_{}(casadi_int i) {{\n{}  switch (i) {{\n{}    default: "
        "return 0;\n  }}\n}}\n",
        name, which, tables, cases);
  };
  return names("in", arguments) + names("out", results) + sparsities("in", in) + sparsities("out", out) +
         fmt::format(
             "CASADI_SYMBOL_EXPORT int {}_work(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* "
             "sz_w) {{\n  if (sz_arg) *sz_arg = {};\n  if (sz_res) *sz_res = {};\n  if (sz_iw) *sz_iw = 0;\n  if "
             "(sz_w) "
             "*sz_w = {};\n  return 0;\n}}\n",
             name, arguments.size(), results.size(), work);
}

// The arguments of a call of a routine; the last one of the function is p, which the system has.
std::string CasadiFile::call(const std::string& routine, const std::vector<Slot>& arguments,
                             const std::string& last) const {
  std::string text = fmt::format("{}_{}(s", name_, routine);
  for (std::size_t k = 0; k + 1 < arguments.size(); ++k)
    text += arguments[k].scalar ? fmt::format(", arg[{0}] ? arg[{0}][0] : 0", k)
                                : fmt::format(", arg[{0}] ? arg[{0}] : zeros", k);
  return text + last + ")";
}

constexpr std::string_view kSignature =
    "CASADI_SYMBOL_EXPORT int {}(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) "
    "{{\n";

std::string CasadiFile::function(std::string_view short_name, const Routine& routine) {
  const std::string name = fmt::format("{}_{}", prefix_, short_name);
  std::vector<Slot> arguments, results;
  std::vector<std::vector<long>> in, out;
  std::size_t size = 0;
  std::string last, after;
  for (const Variable& variable : routine.parameters) {
    const bool given = variable.passing == Variable::kIn;
    (given ? arguments : results).push_back(slot(variable));
    if (given) continue;
    const Slot& result = results.back();
    const std::size_t k = results.size() - 1;
    last += fmt::format(", w + SYSTEM_SIZE + {}", size);
    if (result.columns > 1 && result.rows > 0)
      after += fmt::format(
          "  if (res[{0}])\n    for (i = 0; i < {1}; ++i)\n      for (j = 0; j < {2}; ++j) res[{0}][j * {1} + i] = "
          "w[SYSTEM_SIZE + {3} + i * {2} + j];\n",
          k, result.rows, result.columns, size);
    else if (result.size() > 0)
      after += fmt::format("  if (res[{0}]) memcpy(res[{0}], w + SYSTEM_SIZE + {1}, {2} * sizeof(casadi_real));\n", k,
                           size, result.size());
    size += result.size();
  }
  arguments.push_back({"p", model_.parameters.size()});
  for (const Slot& one : arguments) in.push_back(dense(one));
  for (const Slot& one : results) out.push_back(dense(one));

  std::string text = "\n/* " + (routine.comment.empty() ? "" : routine.comment.front()) + " */\n";
  text += interface(name, arguments, results, in, out, fmt::format("SYSTEM_SIZE + {}", size));
  text += fmt::format(kSignature, name);
  text += fmt::format("  {0}_system* s = system_in(w, arg[{1}]);\n", name_, arguments.size() - 1);
  if (after.find("for (j") != std::string::npos) text += "  int i, j;\n";
  text += "  (void)iw, (void)mem;\n";
  const std::string invocation = call(routine.name, arguments, last);
  text += routine.result == Routine::kStatus ? "  if (" + invocation + " != 0) return 1;\n" : "  " + invocation + ";\n";
  text += after + "  return 0;\n}\n";
  const auto derived = std::ranges::find(model_.derivatives, routine.name, &std::pair<std::string, Pattern>::first);
  if (derived != model_.derivatives.end()) text += jacobian(name, routine, derived->second, arguments, results);
  return text;
}

std::string CasadiFile::jacobian(const std::string& name, const Routine& routine, const Pattern& pattern,
                                 const std::vector<Slot>& arguments, const std::vector<Slot>& results) const {
  // Its arguments are those of the function, then its results, which are not needed and have no entries.
  std::vector<Slot> given = arguments, blocks;
  std::vector<std::vector<long>> in, out;
  for (const Slot& one : arguments) in.push_back(dense(one));
  for (const Slot& one : results) {
    given.push_back({"out_" + one.name, one.size()});
    in.push_back({static_cast<long>(one.size()), 1, 0, 0});
  }
  std::string copies;
  std::size_t row = 0;
  for (const Slot& result : results) {
    std::size_t column = 0;
    for (const Slot& argument : arguments) {
      Block block = block_of(pattern, row, result, column, argument);
      if (!block.from.empty())
        copies += fmt::format(
            "  if (res[{0}]) {{\n    static const int from[] = {{{1}}};\n    for (i = 0; i < {2}; ++i) res[{0}][i] = "
            "values[from[i]];\n  }}\n",
            blocks.size(), numbers(block.from), block.from.size());
      blocks.push_back({fmt::format("jac_{}_{}", result.name, argument.name), result.size(), argument.size()});
      out.push_back(std::move(block.sparsity));
      column += argument.size();
    }
    row += result.size();
  }
  const std::string own = "jac_" + name;
  std::string text = interface(own, given, blocks, in, out, fmt::format("SYSTEM_SIZE + {}", pattern.nonzeros()));
  text += fmt::format(kSignature, own);
  text += fmt::format(
      "  {0}_system* s = system_in(w, arg[{1}]);\n  casadi_real* values = w + SYSTEM_SIZE;\n  int i;\n  (void)iw, "
      "(void)mem;\n",
      name_, arguments.size() - 1);
  const std::string invocation = call(routine.name + "_derivatives", arguments, ", values");
  const Routine* own_routine = model_.program.find(routine.name + "_derivatives");
  text += own_routine->result == Routine::kStatus ? "  if (" + invocation + " != 0) return 1;\n"
                                                  : "  " + invocation + ";\n";
  return text + copies + "  return 0;\n}\n";
}

// A function without arguments.
std::string CasadiFile::constants(std::string_view short_name, const std::vector<Slot>& results,
                                  const std::vector<std::vector<double>>& values) const {
  const std::string name = fmt::format("{}_{}", prefix_, short_name);
  std::vector<std::vector<long>> out;
  for (const Slot& one : results) out.push_back(dense(one));
  std::string text = "\n" + interface(name, {}, results, {}, out, "0") + fmt::format(kSignature, name);
  text += "  (void)arg, (void)iw, (void)w, (void)mem;\n";
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].size() > 0)
      text += fmt::format(
          "  if (res[{0}]) {{\n    static const casadi_real x[] = {{\n{1}    }};\n    memcpy(res[{0}], x, sizeof "
          "x);\n  }}\n",
          k, number_list(values[k], "        "));
  return text + "  return 0;\n}\n";
}

std::string CasadiFile::text() {
  std::string functions, known;
  std::size_t most = 1;
  for (const auto& [name, routine_name] : kFunctions) {
    const Routine* routine = model_.program.find(routine_name);
    const auto is_result = [](const Variable& variable) {
      return variable.passing == Variable::kOut && variable.size > 0;
    };
    if (routine == nullptr || !routine->is_public || std::ranges::none_of(routine->parameters, is_result)) continue;
    for (const Variable& variable : routine->parameters) most = std::max(most, variable.size);
    functions += function(name, *routine);
    known += fmt::format("{}{}_{}", known.empty() ? "" : ", ", prefix_, name);
  }
  functions += constants("parameters", {{"p", model_.parameters.size()}}, {default_parameters(model_)});
  known += fmt::format(", {}_parameters", prefix_);
  if (start_.ok()) {
    const State& at = start_.state;
    functions += constants("start", {{"t", 1}, {"q", at.q.size()}, {"v", at.v.size()}}, {{at.t}, at.q, at.v});
    known += fmt::format(", {}_start", prefix_);
  }
  std::string text = fmt::format(
      "/* {0} as functions of CasADi's C interface. SPDX-License-Identifier: Apache-2.0\n *\n"
      " *   cc -O2 -fPIC -shared {0}.c {0}_casadi.c -lm -o {0}.so\n"
      " *   motion = casadi.external(\"{1}_motion\", \"./{0}.so\")      # Python; external('{1}_motion', './{0}.so') "
      "in MATLAB\n"
      " *\n * Functions: {2}.\n * Their arguments are those of the routines that {0}.h describes, then p; `lam` are "
      "the multipliers. "
      "Those with jac_NAME have\n * a Jacobian; derive others with the option enable_fd. A status other than 0 is an "
      "error there.\n */\n",
      name_, prefix_, known);
  std::string head(kHead);
  for (std::size_t at = head.find('$'); at != std::string::npos; at = head.find('$', at)) head.replace(at, 1, name_);
  return text + head + fmt::format("static const casadi_real zeros[{}] = {{0}};\n", most) + functions;
}

}  // namespace

Result<ExportedCode> export_casadi(const Equations& equations) {
  Result<CodeModel> model = make_code_model(equations, {.has_derivatives = true});
  if (!model) return model.diagnostics();
  const Assembly start = code_start(equations, *model);
  ExportedCode code{model->identifier, c_files({*model, start, reference_cases(equations, *model)})};
  CodeFile own{model->identifier + "_casadi.c", CasadiFile(*model, start).text()};
  code.files.insert(code.files.end() - 1, std::move(own));
  return code;
}

}  // namespace dalembert
