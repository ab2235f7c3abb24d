// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/contact_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/codegen/contact_friction_code.h"
#include "dalembert/codegen/event_code.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

constexpr std::string_view kInMode = "_in_mode";
constexpr std::string_view kMeasure = "call measure_contacts(t, q, v, u, gap, rate, gap_size, rate_size, slope)";

// --- the routines for held contacts

void replace_names(Term& term, const std::vector<std::string>& renamed) {
  if (term.kind == Term::kName && term.text == "nu") term.text = "nw";
  if (term.kind == Term::kCall && std::ranges::find(renamed, term.text) != renamed.end()) term.text += kInMode;
  for (Term& argument : term.arguments) replace_names(argument, renamed);
}

void replace_names(std::vector<Step>& steps, const std::vector<std::string>& renamed) {
  for (Step& step : steps) {
    for (Term* term : {&step.target, &step.second, &step.value}) replace_names(*term, renamed);
    replace_names(step.body, renamed);
    replace_names(step.otherwise, renamed);
  }
}

// The text with all of its routines public.
std::string made_public(std::string_view text) {
  constexpr std::string_view kRoutine = "\nroutine ", kPublic = "\npublic routine ";
  std::string result = "\n" + std::string(text);
  for (std::size_t at = result.find(kRoutine); at != result.npos; at = result.find(kRoutine, at + kPublic.size()))
    result.replace(at, kRoutine.size(), kPublic);
  return result;
}

// The text for routines that were not renamed: their u has nu numbers, of which the first ni are inputs.
std::string with_words(std::string_view text) {
  std::string result, word;
  const auto end_word = [&] {
    if (word.ends_with(kInMode)) word.resize(word.size() - kInMode.size());
    result += word == "nu" ? "ni" : word;
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    end_word();
    result += c;
  }
  end_word();
  return result;
}

// --- statements that depend on the model

// Statements that copy the rows first, first + 1, … of a matrix of nv columns, for rows that follow each other in both.
std::string copied_rows(std::string_view to, const std::vector<int>& rows) {
  std::string text;
  for (std::size_t i = 0, next = 0; i < rows.size(); i = next) {
    for (next = i + 1; next < rows.size() && rows[next] == rows[next - 1] + 1;) ++next;
    text +=
        fmt::format("for i = 0 to {} {{\nfor j = 0 to nv {{\n{}[({} + i) * nv + j] = W[({} + i) * nv + j]\n}}\n}}\n",
                    next - i, to, i, rows[i]);
  }
  return text;
}

struct Rows {
  std::vector<int> contacts, others;
  std::vector<std::size_t> levels;  // of the contacts: their places in Layout::holonomic
};

bool keeps_impulses(const Equations& equations) { return contact_inputs(equations) > equations.unilateral.size(); }

Rows rows_of(const Equations& equations, const Layout& layout) {
  Rows rows;
  for (int r = 0; r < layout.m; ++r) (equations.is_unilateral(as_size(r)) ? rows.contacts : rows.others).push_back(r);
  for (const int r : rows.contacts)
    rows.levels.push_back(as_size(static_cast<int>(std::ranges::find(layout.holonomic, r) - layout.holonomic.begin())));
  return rows;
}

std::string problem_text(const Layout& layout, const Rows& rows) {
  const VelocityPlaces velocity(layout);
  const PositionPlaces position(layout);
  const RatesPlaces rates(layout);
  const std::string terms =
      for_each_entry(layout.W, [&](const std::string& entry, const std::string& row, const std::string& column) {
        std::string text = fmt::format(
            "residual[{0}] = residual[{0}] + out[{1}] * v[{2}]\nterms[{0}] = terms[{0}] + abs(out[{1}] * v[{2}])\n"
            "slopes[{0}] = slopes[{0}] + abs(out[{1}])\n",
            row, entry, column);
        if (layout.v_is_qdot)
          text += fmt::format("place[{0}] = place[{0}] + abs(out[{1}] * q[{2}])\n", row, entry, column);
        return text;
      });
  std::string picked, parts = copied_rows("G", rows.contacts) + copied_rows("others", rows.others);
  for (std::size_t k = 0; k < rows.contacts.size(); ++k) {
    const int row = rows.contacts[k];
    const std::size_t level = rows.levels[k];
    const std::string size =
        layout.v_is_qdot ? fmt::format("place[{}]", row) : fmt::format("levels[{}]", position.size + level);
    picked += fmt::format(
        "gap[{0}] = levels[{1}]\nrate[{0}] = residual[{2}]\ngap_size[{0}] = {3}\nrate_size[{0}] = terms[{2}]\n"
        "slope[{0}] = slopes[{2}]\n",
        k, level, row, size);
    parts += fmt::format("gamma[{}] = out[{}]\n", k, rates.gamma + as_size(row));
  }
  for (std::size_t i = 0; i < rows.others.size(); ++i)
    parts += fmt::format("c[{}] = -out[{}]\n", i, rates.gamma + as_size(rows.others[i]));
  return filled(kContactProblem, {{"LEVELS", position.end},
                                  {"SIZE", velocity.end},
                                  {"AT_A", velocity.a},
                                  Filling::only_if(layout.v_is_qdot, ", place[nr]"),
                                  Filling::only_if(layout.v_is_qdot, "place[i] = 0.0"),
                                  {"call ADD_TERMS()", terms},
                                  {"call PICK_CONTACTS()", picked},
                                  {"RATES", rates.end},
                                  {"call SPREAD_M()", spread_text(layout.M, "M", "out", rates.M, "nv")},
                                  {"call SPREAD_W()", spread_text(layout.W, "W", "out", rates.W, "nv")},
                                  {"call PART_ROWS()", parts},
                                  {"OTHERS", rows.others.size()},
                                  {"AT_F", rates.f}});
}

// contact_forces and decide_contacts, of models without friction.
std::string decide_text(const Rows& rows) {
  std::string forces;
  for (std::size_t k = 0; k < rows.contacts.size(); ++k)
    forces += fmt::format("force[{}] = lambda[{}]\n", k, rows.contacts[k]);
  return filled(kDecideContacts, {{"call PICK_FORCES()", forces}});
}

// The routine that gives the row of a contact.
std::string row_text(const Rows& rows) {
  std::string text = "# The constraint row of contact k.\nroutine row_of(int k) -> status {\n";
  for (std::size_t k = 0; k + 1 < rows.contacts.size(); ++k)
    text += fmt::format("if k == {} {{\nreturn {}\n}}\n", k, rows.contacts[k]);
  return text + fmt::format("return {}\n}}\n", rows.contacts.empty() ? 0 : rows.contacts.back());
}

// The routines that decide the states of contacts, carry out impacts and evaluate guards. Without contacts there are neither gaps nor impacts, and
// the routines that these call may not exist.
std::string motion_text(const Rows& rows, bool frictions, const FrictionShape& shape) {
  const bool contacts = !rows.contacts.empty();
  const Filling measure("call MEASURE()", contacts ? kMeasure : "");
  std::string text =
      frictions ? row_text(rows) + filled(friction_text(kContactModes, shape), {measure}) : decide_text(rows);
  if (contacts)
    text += filled(kContactMotion, {{"call STICK()", frictions ? friction_text(kRestWithFriction, shape) : ""}});
  if (!frictions) return text + std::string(kSettleContacts);
  if (contacts) text += friction_text(kStrikeWithFriction, shape);
  return text +
         filled(friction_text(kSettleWithFriction, shape), {measure, {"call STRIKE()", contacts ? kStrikeFirst : ""}});
}

std::string restitution_text(const Equations& equations) {
  std::vector<Expr> coefficients;
  for (const UnilateralRow& one : equations.unilateral)
    coefficients.push_back(one.restitution ? equations.graph->adopt(one.restitution) : equations.graph->constant(0));
  return tape_routine(make_tape(coefficients), "restitution", "", "Newton's coefficients of restitution.");
}

// The contacts with which a public routine calls that of held ones: all closed, whose rows are then as stated; those that are closed at the state,
// with the status of that decision; or these as numbers, not a number where that status is not 0.
enum class Which { kAll, kDecided, kNumbers };

constexpr std::string_view kContactsAsNumbers = R"program(
  real closed[nc], gap[nc], rate[nc]
  int status
  status = contact_states(t, q, v, u, closed, gap, rate)
  for k = 0 to nc {
    all[nu + k] = closed[k]
    if status != 0 {
      all[nu + k] = nan
    }
  }
)program";

// Whether what a routine computes reads closed(row) of a contact.
Which contacts_read(std::string_view name, const Equations& equations) {
  std::vector<Expr> read;
  if (name == "outputs")
    for (const Output& one : equations.model->outputs) read.push_back(one.expression);
  if (name == "integrands")
    for (const Integral& one : equations.model->integrals) read.push_back(one.integrand);
  const std::size_t first = equations.model->inputs.size() - contact_inputs(equations);
  for (const SymbolId id : symbols_in(read)) {
    const Symbol& symbol = equations.graph->symbol_info(id);
    const std::size_t place = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == SymbolKind::kInput && place >= first && place < first + equations.unilateral.size())
      return Which::kNumbers;
  }
  return name == "jacobian" ? Which::kDecided : Which::kAll;
}

// A public routine that calls NAME_in_mode.
std::string around(const Routine& inner, const std::string& name, Which contacts) {
  const bool reads_impulses = name == "outputs" || name == "integrands";
  std::string comment, parameters, arguments;
  for (const std::string& line : inner.comment) comment += "# " + line + "\n";
  for (const Variable& one : inner.parameters) {
    const std::string_view passing = one.passing == Variable::kOut     ? "out "
                                     : one.passing == Variable::kInOut ? "inout "
                                     : one.array                       ? "in "
                                                                       : "real ";
    const bool inputs = one.name == "u";
    if (inputs && reads_impulses) parameters += ", in IMPULSES";
    parameters += fmt::format("{}{}{}{}", parameters.empty() ? "" : ", ", passing, one.name,
                              inputs      ? "[nu]"
                              : one.array ? fmt::format("[{}]", one.size)
                                          : "");
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", inputs ? "all" : one.name);
  }
  const std::string call = fmt::format("{}({})", inner.name, arguments);
  const std::string_view result = inner.result == Routine::kStatus ? " -> status"
                                  : inner.result == Routine::kReal ? " -> real"
                                                                   : "";
  std::string text = fmt::format("{}public routine {}({}){} {{\nreal all[nw]\n", comment, name, parameters, result);
  if (inner.result == Routine::kReal) text += "real value\n";
  if (inner.result == Routine::kStatus) text += "int status\n";
  text += kAllInputs;
  if (reads_impulses) text += "call IMPULSES_TO(all)\n";
  if (contacts == Which::kNumbers)
    text += kContactsAsNumbers;
  else if (contacts == Which::kDecided)
    text +=
        "real force_size[nc]\nstatus = decide_contacts(t, q, v, all, -1, force_size)\nif status != 0 {\nreturn "
        "status\n}\n";
  else
    text += "for k = 0 to nc {\nall[nu + k] = 1.0\n}\n";
  if (inner.result == Routine::kReal) return text + "value = " + call + "\nreturn value\n}\n";
  if (inner.result == Routine::kStatus) return text + "status = " + call + "\nreturn status\n}\n";
  return text + "call " + call + "\n}\n";
}

}  // namespace

std::string add_event_routines(Program& program, const Equations& equations, const Layout& layout) {
  for (Routine& routine : program.routines)
    if (routine.name == "advance") routine.name = "advance_between";
  program.constants.emplace_back("nc", 0);
  program.constants.emplace_back("nw", layout.inputs);
  const GuardTexts guards(equations, layout);
  const std::string text = std::string(kLarger) + std::string(kSearch) + guards.events(program) +
                           guards.steps(layout.inputs > 0) + guards.event_routines();
  return add_routines(program, impulse_text(text, false));
}

Equations with_contact_inputs(Equations eq) {
  if (eq.unilateral.empty()) return eq;
  Graph& graph = *eq.graph;
  const auto add = [&graph](Model& model, const std::string& name) {
    Input made;
    made.name = name;
    made.symbol = graph.add_symbol({name, SymbolKind::kInput, static_cast<int>(model.inputs.size()), {}});
    made.value = graph.constant(0);  // steps and decisions say what it is
    model.inputs.push_back(made);
    return made.symbol;
  };
  return with_impulses(with_switched_rows(std::move(eq), add), add);
}

std::size_t contact_inputs(const Equations& equations) {
  return static_cast<std::size_t>(std::ranges::count_if(
      equations.model->inputs, [](const Input& input) { return !row_of_contact(input.name).empty(); }));
}

std::string impulse_text(std::string_view text, bool keeps, bool frictions) {
  const auto only = [keeps](std::string added) { return keeps ? std::move(added) : std::string(); };
  const auto copied = [&](std::string_view statements, const char* u) { return only(filled(statements, {{"U", u}})); };
  const std::string largest = frictions ? "for i = 0 to nl {\nlargest = larger(abs(y[i]), largest)\n}"
                                        : "for j = 0 to count {\nlargest = larger(z[j], largest)\n}";
  const std::string kept =
      only(filled(kKeepImpulses, {{"call LARGEST_IMPULSE()", largest},
                                  {"call ROW_OF_IMPULSE()", frictions ? "row = row_of(list[j])" : ""},
                                  {"OWN", frictions ? "y[row]" : "z[j]"}}));
  return filled_where(text, {{", real IMPULSES", only(", inout impulse[nc]")},
                             {", in IMPULSES", only(", in impulse[nc]")},
                             {", IMPULSES", only(", impulse")},
                             {", IMPULSES_THERE", only(", impulse_there")},
                             {"call TAKE_IMPULSES()", copied(kImpulsesTo, "u")},
                             {"call GIVE_IMPULSES()", copied(kImpulsesFrom, "u")},
                             {"call IMPULSES_TO(all)", copied(kImpulsesTo, "all")},
                             {"call IMPULSES_FROM(all)", copied(kImpulsesFrom, "all")},
                             {"call COPY_IMPULSES()",
                              only("real impulse_there[nc]\nfor k = 0 to nc {\nimpulse_there[k] = impulse[k]\n}")},
                             {"call RETURN_IMPULSES()", only("for k = 0 to nc {\nimpulse[k] = impulse_there[k]\n}")},
                             {"call KEEP_IMPULSES()", kept}});
}

void hold_contacts(Program& program, std::size_t contacts, std::size_t added) {
  std::vector<std::string> renamed{"advance", "inputs"};
  for (const Routine& routine : program.routines)
    if (routine.is_public && routine.result != Routine::kState) renamed.push_back(routine.name);
  for (Routine& routine : program.routines) {
    replace_names(routine.body, renamed);
    if (std::ranges::find(renamed, routine.name) == renamed.end()) continue;
    routine.name += kInMode;
    routine.is_public = false;
  }
  for (auto& [name, value] : program.constants) {
    if (name != "nu") continue;
    const long inputs = std::exchange(value, value - static_cast<long>(added));
    program.constants.emplace_back("nc", static_cast<long>(contacts));
    program.constants.emplace_back("nw", inputs);
    break;
  }
}

std::string add_held_guards(Program& program, const Equations& equations, const Layout& layout) {
  const bool frictions = layout.frictions > 0, events = !equations.model->events.empty();
  const long contacts = static_cast<long>(equations.unilateral.size()), inputs = layout.inputs;
  if (!layout.load_dependent()) program.constants.emplace_back("nf", 0);
  program.constants.emplace_back("nc", contacts);
  program.constants.emplace_back("nw", inputs);
  program.constants.emplace_back("ni", inputs - static_cast<long>(contact_inputs(equations)));
  program.constants.emplace_back("nm", frictions ? 2L * layout.frictions + layout.m : 0);
  program.constants.emplace_back("ng",
                                 contacts + 2L * layout.frictions + static_cast<long>(equations.model->events.size()));
  if (!events) program.constants.emplace_back("nk", 0);
  const Rows rows = rows_of(equations, layout);
  const GuardTexts guards(equations, layout, true);
  std::string text = std::string(kLarger) + made_public(kSearch);
  if (contacts > 0 || frictions) {
    text += kCloseAll;
    if (contacts > 0) text += problem_text(layout, rows) + restitution_text(equations);
    text += motion_text(rows, frictions, {true, !layout.planes.empty(), false});
  }
  text += guards.events(program) + guards.held_routines();
  return add_routines(program, with_words(impulse_text(text, keeps_impulses(equations), frictions)));
}

std::string add_contact_routines(Program& program, const Equations& equations, const Layout& layout) {
  const Rows rows = rows_of(equations, layout);
  const bool frictions = layout.frictions > 0;
  const GuardTexts guards(equations, layout);
  std::string text = std::string(kLarger) + std::string(kCloseAll) + problem_text(layout, rows) +
                     restitution_text(equations) + std::string(kContactInputs);
  const FrictionShape shape{.acting = true, .planes = !layout.planes.empty()};
  text += std::string(kSearch) + motion_text(rows, frictions, shape);
  text += guards.events(program);
  text += guards.steps(as_size(layout.inputs) > contact_inputs(equations));
  text += guards.event_routines();
  text += filled(frictions ? friction_text(kContactFrictionPublic, shape) : std::string(kContactAccelerations),
                 {{"call INPUTS()", kAllInputs}});
  text += filled(kContactProjection, {{"call INPUTS()", kAllInputs}});
  if (!frictions) text += filled(kContactVelocity, {{"call INPUTS()", kAllInputs}});
  text += filled(kContactProject, {{"call NORMALIZE()", layout.v_is_qdot ? "" : "call normalize(q)"}});
  for (const std::string_view name : {"terms", "energy", "power_balance", "outputs", "integrands", "load_terms",
                                      "position_residual", "velocity_residual", "coordinate_rates", "jacobian"})
    if (const Routine* inner = program.find(fmt::format("{}{}", name, kInMode)))
      text += around(*inner, std::string(name), contacts_read(name, equations));
  return add_routines(program, impulse_text(text, keeps_impulses(equations), frictions));
}

}  // namespace dalembert
