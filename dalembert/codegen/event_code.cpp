// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/event_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "dalembert/codegen/tape_routine.h"
#include "dalembert/compile/events.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

constexpr std::string_view kOfMotion = "real t, in q[nq], in v[nv], in vdot[nv], in lambda[FORCES], in u[nu]";

bool reads_forces(std::span<const Expr> expressions) {
  for (const Expr& one : expressions)
    for (const SymbolId id : symbols_in(std::array{one})) {
      const SymbolKind kind = one.graph().symbol_info(id).kind;
      if (kind == SymbolKind::kAcceleration || kind == SymbolKind::kQuasiAcceleration ||
          kind == SymbolKind::kMultiplier)
        return true;
    }
  return false;
}

// Σ|∂g/∂x x| over everything that changes during a motion: the size of the terms of g.
Expr size_of(const Expr& g, Graph& graph) {
  Expr size = graph.constant(0);
  for (const SymbolId id : symbols_in(std::array{g})) {
    if (graph.symbol_info(id).kind == SymbolKind::kParameter) continue;
    const Expr symbol = graph.symbol(id);
    size = size + abs(gradient(g, std::array{symbol}).front() * symbol);
  }
  return size;
}

std::string checked(const std::string& call) {
  return fmt::format("status = {}\nif status != 0 {{\nreturn status\n}}\n", call);
}

}  // namespace

bool has_settings(const Model& model) {
  return std::ranges::any_of(model.events, [](const Event& event) { return !event.set.empty(); });
}

GuardTexts::GuardTexts(const Equations& equations, const Layout& layout, bool held)
    : equations_(equations),
      layout_(layout),
      held_(held),
      contacts_(!equations.unilateral.empty()),
      joint_((contacts_ || held) && layout.frictions > 0),
      shape_{joint_, !layout.planes.empty(), !held},
      events_(!equations.model->events.empty()),
      sets_(has_settings(*equations.model)) {
  const std::string others = joint_ ? "(nc + 2 * nf)" : contacts_ ? "nc" : "0";
  common_ = {
      {"real MODE_GIVEN, ", joint_ ? "in mode[2*nf + nr], " : ""},
      {"MODE, ", joint_ ? "mode, " : ""},
      {"real SIDES_GIVEN, ", events_ ? "inout side[nk], in passed[nk], int rates, " : ""},
      {"SIDES_TAKEN, ", events_ ? "side, passed, 2, " : ""},
      {"SIDES_RATES, ", events_ ? "side, passed, 1, " : ""},
      {"SIDES_HERE, ", events_ ? "side, passed, rates, " : ""},
      {"SIDES, ", events_ ? "side, passed, 0, " : ""},
      {"GUARDS_AT", events_ ? "guards_at" : "contact_guards"},
      {"GUARDS", events_ ? (contacts_ || joint_ ? fmt::format("({} + nk)", others) : "nk") : others},
      {"OTHERS", others},
      {"RATES", events_ ? "nc + 2*nk" : "nc"},
      {"ADVANCE", contacts_ ? "advance_in_mode" : "advance_between"},
      {"INPUTS", contacts_ ? "inputs_in_mode" : "inputs"},
      {"FORCES", layout.load_dependent() ? "nl" : "nr"},
  };
}

// Statements that find the accelerations and multipliers at a state.
std::string GuardTexts::find_forces(bool needed) const {
  if (!needed) return {};
  if (joint_)
    return "real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, "
           "law[8*nf] = 0, idle[nf], found[5*nf + nr]\n"
           "call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)\ncall leave_idle(dN, mode, law, idle)\n" +
           checked(
               friction_text("SOLVE_HELD(M, W, Phi, C, dN, f, gamma, law, mode, vdot, multipliers, found)", shape_));
  if (contacts_) return checked("accelerations_in_mode(t, q, v, u, vdot, multipliers)");
  if (layout_.frictions == 0) return checked("accelerations(t, q, v, u, vdot, multipliers)");
  return "real lambda[nr], friction[nf]\n" + checked("accelerations(t, q, v, u, vdot, lambda, friction)") +
         "for i = 0 to nr {\nmultipliers[i] = lambda[i]\n}\nfor i = 0 to nf {\nmultipliers[nr + i] = friction[i]\n}\n";
}

std::string GuardTexts::events(Program& program) const {
  if (!events_) return {};
  const EventExpressions stated = event_expressions(equations_);
  const std::size_t count = stated.events.size();
  program.constants.emplace_back("nk", static_cast<long>(count));
  std::vector<double> has_rate, direction, sets, stops;
  std::vector<Expr> functions = stated.functions, conditions, values;
  for (const Expr& g : stated.functions) functions.push_back(size_of(g, *equations_.graph));
  for (std::size_t k = 0; k < count; ++k) {
    const Events::Event& event = stated.events[k];
    has_rate.push_back(event.has_rate ? 1 : 0);
    direction.push_back(event.direction);
    sets.push_back(event.sets() ? 1 : 0);
    stops.push_back(event.stops ? 1 : 0);
    conditions.push_back(stated.conditions[k] ? stated.conditions[k] : equations_.graph->constant(1));
    values.insert(values.end(), stated.settings[k].begin(), stated.settings[k].end());
  }
  for (auto& [name, table] : {std::pair("event_has_rate", &has_rate), std::pair("event_direction", &direction),
                              std::pair("event_sets", &sets), std::pair("event_stops", &stops)})
    program.tables.emplace_back(name, *table);
  const auto routine = [of_motion = fill(kOfMotion)](const std::vector<Expr>& expressions, std::string_view name,
                                                     std::string_view comment) {
    return tape_routine(make_tape(expressions), name, of_motion, comment);
  };
  std::string text =
      routine(functions, "kernel_event_functions", "The functions of the events, then the sizes of their terms.") +
      routine(stated.rates, "kernel_event_rates", "The rates of the events' functions along the motion.") +
      routine(conditions, "kernel_event_conditions", "1 for each event whose condition is met, otherwise 0.");
  const bool first = reads_forces(functions);
  text +=
      filled(fill(kWatchEvents), {{"call FIND_MOTION()", find_forces(first)},
                                  {"call FIND_MOTION_OF_SLOPES()", find_forces(!first && reads_forces(stated.rates))},
                                  {"call FIND_MOTION_OF_CONDITIONS()", find_forces(reads_forces(conditions))}});
  if (!sets_) return text;
  text += routine(values, "kernel_event_settings", "The values that the events set, one event after the other.");
  if (contacts_)
    text += filled(fill(kOntoContacts), {{"call POSITION()", checked("assemble_position(t, q, v, touching, held)")}});
  return text + filled(fill(kSetEvents), {{"SETTINGS", values.size()},
                                          {"call FIND_MOTION_OF_VALUES()", find_forces(reads_forces(values))},
                                          {"call SET()", settings()},
                                          {"call ONTO_CONSTRAINTS()", onto_constraints()}});
}

// Statements that set what the chosen events set.
std::string GuardTexts::settings() const {
  std::string text;
  std::size_t value = 0;
  const std::vector<Event>& events = equations_.model->events;
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (events[k].set.empty()) continue;
    text += fmt::format("if chosen[{}] != 0.0 {{\n", k);
    for (const bool velocity : {false, true})
      for (const Event::Setting& one : events[k].set) {
        if (one.velocity != velocity) continue;
        const char array = velocity ? 'v' : 'q';
        text += fmt::format(
            "if not (values[{2}] * 0.0 == 0.0) {{\nreturn 3\n}}\n"
            "if held_{0}[{1}] != 0.0 and {0}[{1}] != values[{2}] {{\nreturn 10\n}}\n"
            "{0}[{1}] = values[{2}]\nheld_{0}[{1}] = 1.0\n",
            array, one.place, value++);
      }
    text += "}\n";
  }
  return text;
}

// Statements that bring q and v onto the constraints with what was set held; without set positions all of these are.
std::string GuardTexts::onto_constraints() const {
  if (layout_.m == 0) return {};
  const std::string failed = "if status == 3 {\nreturn 3\n}\nif status != 0 {\nreturn 11\n}\n";
  std::string velocities = "status = assemble_velocity(t, q, v, u, held_v)\n" + failed;
  if (layout_.holonomic.empty()) return velocities + "status = project_velocity(t, q, v, u)\n" + failed;
  std::string held;
  if (layout_.v_is_qdot)
    held = "for i = 0 to nv {\nif held_q[i] != 0.0 {\nheld[i] = 1.0\npositions = 1\n}\n}\n";
  else
    for (std::size_t e = 0; e < layout_.N.row.size(); ++e)
      held += fmt::format("if held_q[{}] != 0.0 {{\nheld[{}] = 1.0\npositions = 1\n}}\n", layout_.N.row[e],
                          layout_.N.col[e]);
  held = "int positions\npositions = 0\n" + held;
  if (contacts_) return held + "status = onto_contacts(t, q, v, u, held, held_v, positions)\n" + failed;
  return held + "if positions == 1 {\nstatus = assemble_position(t, q, v, u, held)\n" + failed + "}\n" + velocities +
         "if positions == 1 {\nstatus = project(t, q, v, u)\n} else {\nstatus = project_velocity(t, q, v, u)\n}\n" +
         failed;
}

std::string GuardTexts::advance() const {
  const std::string let_go = fmt::format("{}{}", contacts_ ? "released = -1\n" : "",
                                         joint_ ? "left[0] = -1.0\nfor j = 0 to nf {\nforced[j] = 0.0\n}\n" : "");
  const std::string try_place = fill(kTryPlace);
  const std::string_view changes = !events_     ? "contacts open, close and strike"
                                   : !contacts_ ? "events happen"
                                                : "contacts open, close and strike, and events happen";
  return filled(
      fill(kAdvanceWithGuards),
      {{"CHANGES", changes},
       {", real HAPPENED", events_ ? ", inout happened[nk], out reached[2]" : ""},
       {"call LOCALS()", std::string(joint_ ? kFrictionLocals : "") + std::string(events_ ? kEventLocals : "")},
       {"call RELEASED_NONE()", contacts_ ? "int released\nreleased = -1" : ""},
       {"call SETTLE()", !contacts_ ? ""
                                    : checked(fmt::format("settle(begin, q_from, v_from, u, released, {}force_size)",
                                                          joint_ ? "forced, left, mode, " : ""))},
       {"call KEEP_UNTIL()", joint_ ? friction_text("call KEEP_UNTIL()", shape_) : ""},
       {"call REACHED()", events_ ? "call GIVE_IMPULSES()\nreached[0] = t + h" : "call GIVE_IMPULSES()"},
       {"call EVENTS_BEGIN()", events_ ? fill(kEventBegin) : ""},
       {"call TRY_PLACE()", try_place},
       {"call EVENT_DIPS()", events_ ? filled(fill(kEventDips), {{"call TRY_PLACE()", try_place}}) : ""},
       {"call RELEASE()",
        contacts_ ? "released = -1\nif which < nc {\nif u[nu + which] != 0.0 {\nreleased = which\n}\n}" : ""},
       {"call LEFT()", joint_ ? kFrictionLeft : ""},
       {"call END_AT_TURN()", joint_ ? friction_text("call END_AT_TURN()", shape_) : ""},
       {"call EVENTS_HAPPEN()", events_ ? filled(fill(kEventsHappen), {{"call LET_GO()", let_go}}) : ""}});
}

std::string GuardTexts::step_texts(bool inputs) const {
  if (!events_) return std::string(kStepWithContacts) + std::string(inputs ? kStepHeld : "");
  const auto with = [](std::string_view text, std::string_view held) {
    return filled(text, {{fmt::format("call STEP_THERE({})", held), filled(kStepThere, {{"HELD", held}})},
                         {fmt::format("call STEP_EVENTS({})", held), filled(kStepEvents, {{"HELD", held}})}});
  };
  return with(kStepWithEvents, "0") + (inputs ? with(kStepHeldWithEvents, "1") : "");
}

std::string GuardTexts::event_steps() const {
  if (!events_) return {};
  std::string text = filled(
      fill(kEventSteps),
      {{"call WATCH_CONTACTS()",
        contacts_ || joint_
            ? checked(fmt::format("contact_guards(t, q, v, u, {}force_size, other_guard, other_noise, other_rate)",
                                  joint_ ? "mode, " : "")) +
                  fmt::format("for k = 0 to {} {{\nguard[k] = other_guard[k]\nnoise[k] = "
                              "other_noise[k]\n}}\nfor k = 0 to nc {{\nrate[k] = other_rate[k]\n}}\n",
                              joint_ ? "nc + 2 * nf" : "nc")
            : ""},
       {"call CHOOSE_NOT()", sets_ ? "chosen[k] = 0.0" : ""},
       {"call CHOOSE()", sets_ ? "chosen[k] = 1.0" : ""},
       {"call SET_EVENTS()",
        sets_ ? fmt::format("if outcome[0] > 0.0 {{\nstatus = set_events(t, q, v, u, {}chosen)\nreturn "
                            "status\n}}",
                            joint_ ? "mode, " : "")
              : ""}});
  if (held_)
    for (const std::string_view name : {"routine find_passing", "routine happen"})
      text.insert(text.find(name), "public ");
  return text;
}

std::string GuardTexts::steps(bool inputs) const {
  return event_steps() + fill(joint_ ? kTryWithFriction : kTryContacts) + advance() + step_texts(inputs);
}

std::string GuardTexts::event_routines() const {
  if (!events_) return {};
  std::string decide;
  if (contacts_) {
    decide = "real all[nw]\n" + std::string(kAllInputs) + "call IMPULSES_TO(all)\n";
    decide += joint_
                  ? "real forced[nf] = 0, left[5] = 0, mode[2*nf + nr] = 0, x[nv] = 0, y[nl] = 0, found[5*nf + nr] = "
                    "0\nleft[0] = -1.0\nfor j = 0 to nf {\nforced[j] = 0.0\n}\n" +
                        checked("decide_contacts(t, q, v, all, -1, forced, left, mode, x, y, found)")
                  : "real force_size[nc]\n" + checked("decide_contacts(t, q, v, all, -1, force_size)");
  }
  const auto with = [&](std::string_view text) {
    return filled(fill(text), {{"call DECIDE()", decide}, {"ALL", contacts_ ? "all" : "u"}});
  };
  return with(kEventStates) + (sets_ ? with(kApplyEvents) : "");
}

std::string GuardTexts::held_routines() const {
  std::string settle, gaps;
  if (joint_)
    settle =
        "real forced[nf] = 0, left[5] = 0, mode_there[nm] = 0\nint released, guard_of\nfor i = 0 to nm "
        "{\nmode_there[i] = "
        "mode[i]\n}\n"
        "left[0] = -1.0\nfor j = 0 to nf {\nforced[j] = 0.0\n}\nif which >= -1 {\n" +
        std::string(kFrictionLeft) + "}\n";
  else if (contacts_)
    settle = "int released\n";
  if (contacts_ || joint_) {
    settle += "released = -1\nif which >= 0 and which < nc {\nif u[ni + which] != 0.0 {\nreleased = which\n}\n}\n";
    settle += fmt::format("status = settle(t, q_there, v_there, u_there, released, {}force_size)\n",
                          joint_ ? "forced, left, mode_there, " : "");
  }
  if (contacts_)
    gaps =
        "real rate[nc], gap_size[nc], rate_size[nc], slope[nc]\ncall measure_contacts(t, q, v, u, gap, rate, gap_size, "
        "rate_size, slope)\n";
  if (joint_)
    settle += "if status == 0 {\nfor i = 0 to nm {\nmode[i] = mode_there[i]\n}\n" +
              friction_text("call KEEP_UNTIL()\n", shape_) + "}\n";
  const std::string look =
      events_ ? fill("status = guards_at(t, q, v, u, MODE, force_size, side, passed, rates, guard, noise, rate)\n")
              : fill("status = contact_guards(t, q, v, u, MODE, force_size, guard, noise, rate)\n");
  return event_steps() +
         filled(kHeldGuards, {{"call SETTLE()", settle}, {"call GUARDS()", look}, {"call GAPS()", gaps}}) +
         (joint_ ? friction_text(kHeldFrictions, shape_) : "");
}

}  // namespace dalembert
