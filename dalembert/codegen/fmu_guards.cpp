// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_guards.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

struct Change {
  std::string_view line;  // occurs once
  std::string before, instead, after;
};

std::vector<Change> changes(bool frictions, bool events) {
  const auto section = [](std::string_view text) { return std::string(text) + "\n"; };
  return {
      // What an instance keeps, and its beginning.
      {"  double t, input_time, start, stop, tolerance, step, drift;\n", "", "",
       "  double force_size[$_NC + 1]; /* for each contact the size of the terms of its force */\n"
       "  double does[$_NM + 1];       /* the states of frictions, then which rows act */\n"
       "  double side[$_NK + 1], happened[$_NK + 1]; /* for each event the sign of its function; how often it has "
       "happened */\n"
       "  int ended;                   /* whether an event has ended the motion */\n"},
      {"  double off_position, off_velocity;\n", "", "",
       "  double guard[$_NG + 1], noise[$_NG + 1], rate[$_NC + 2 * $_NK + 1], offset[$_NG + 1];\n"
       "  double rate_end[$_NC + 2 * $_NK + 1], q_end[$_NQ + 1], v_end[$_NV + 1];\n"
       "  double began[2 * $_NK + 1], passed[$_NK + 1], passes[$_NK + 1], friction[$_NF + 1];\n"},
      {"/* Brings an instance into its state after instantiation. */\n",
       section(kFmuGuardState) + section(frictions ? kFmuFrictionMotion : kFmuOtherMotion), "", ""},
      {"  kept->mode = kInstantiated;\n", "", "", "  FmuOpenContacts(kept);\n"},
      {"    case 5: return \"the state is too far from the constraints\";\n", "", "",
       "    case 6: return \"nothing that contacts and friction may do is consistent\";\n"
       "    case 7: return \"contacts and friction may do several things\";\n"
       "    case 8: return \"impacts follow each other without end\";\n"
       "    case 10: return \"two events set one quantity to two values\";\n"
       "    case 11: return \"what an event sets contradicts the constraints\";\n"},
      // What is computed.
      {"  status = $_accelerations(&c->s, t, q, v, c->u, vdot, c->lambda);\n", "",
       "  status = FmuAccelerations(c, t, q, v, vdot);\n", ""},
      {"$_integrands(&c->s, t, q, v, vdot, c->lambda, ", "",
       fmt::format("$_integrands(&c->s, t, q, v, vdot, c->lambda, {}", frictions ? "c->friction, " : ""), ""},
      {"    if (c->motion == 0) $_outputs(&c->s, kept->t, kept->q, kept->v, c->vdot, c->lambda, c->u, c->y);\n", "",
       "    if (c->motion == 0) FmuOutputs(c);\n", ""},
      {"  return $_project(&c->s, end, c->q_try, c->v_try, c->u);\n", "",
       "  return FmuProject(c, end, c->q_try, c->v_try);\n", ""},
      {"    status = $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);\n    if (status != 0) return FmuStray", "",
       "    status = FmuProject(c, kept->t, c->q_try, c->v_try);\n    if (status != 0) return FmuStray", ""},
      {"  kDrift = kOutput + $_NY,      ", "",
       "  kFriction = kOutput + $_NY,   /* forces of friction */\n  kHappened = kFriction + $_NF, /* how often each "
       "event "
       "has happened */\n  kDrift = kHappened + $_NK,    ",
       ""},
      {"    *value = c->y[k - kOutput];\n", "",
       "    *value = k < kFriction   ? c->y[k - kOutput]\n"
       "             : k < kHappened ? c->friction[k - kFriction]\n"
       "                             : c->kept.happened[k - kHappened];\n",
       ""},
      // Onto the constraints.
      {"static int FmuTryStart(Instance* c, int model, int set) {\n", "",
       "static int FmuTryRows(Instance* c, int model, int set) {\n", ""},
      {"static int FmuDiffers(", section(events ? kFmuHappen : kFmuNothingHappens) + section(kFmuGuardStart), "", ""},
      {"  if (status == 3) {\n", "", "  if (status == 3 || status >= 6) {\n", ""},
      {"  status = $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);\n  if (status != 0 && kept->stale == kDrifted)",
       "", "  status = FmuBring(c);\n  if (status != 0 && kept->stale == kDrifted)", ""},
      {"was brought onto the constraints: it moved by up to", "",
       "was brought onto the constraints, or contacts changed it: it moved by up to", ""},
      // Steps of co-simulation.
      {"/* Makes steps to the time `end`. Returns fmi2Discard if the run ends before; the state is then the last one "
       "that was reached. */\n",
       section(kFmuGuardChanges), "", ""},
      {"  int rejected = 0, status = 0, tries = 0, fresh = 0;\n", "", "", "  int changing = -1;\n"},
      {"    status = FmuTryStep(c, h, last ? end : kept->t + h, &error);\n", "", "",
       "    if (status == 0 && error <= 1.0) status = FmuFindChange(c, &h, &last, &changing);\n"},
      {"      rejected = fresh = 0;\n", "", "",
       "      status = changing >= 0 ? FmuChange(c, changing, h) : FmuTakeSides(c, kept->t, kept->q, kept->v, 1);\n"
       "      if (status != 0) {\n"
       "        FmuSay(c, fmi2Discard, kDiscards, \"the motion ends at t = %.9g: %s\", kept->t, FmuReason(status));\n"
       "        return fmi2Discard;\n"
       "      }\n"
       "      if (kept->ended) {\n"
       "        c->known = 0;\n"
       "        FmuSay(c, fmi2Discard, kDiscards, \"an event ends the motion at t = %.9g\", kept->t);\n"
       "        return fmi2Discard;\n"
       "      }\n"},
      // The interface. States of contacts and impulses are computed.
      {"  if (k < kQ) return NULL;\n", "  if (k >= kU + $_NI && k < kQ) return \"it is computed\";\n", "", ""},
      // Inputs may change what contacts and frictions do, and pass events, at the instant at which they are set.
      {"  /* Either all values are set or none is. */\n",
       "  if (c->kept.mode & (kStepComplete | kEvent)) FmuKnowInputs(c);\n", "", ""},
      {"    FmuWrite(c, (int)vr[i], value[i]);\n    parameters |= (int)vr[i] < kU;\n",
       "    FmuNoteJump(c, (int)vr[i], value[i]);\n", "", ""},
      {"  return k < kQ || (k < kQdot", "  if (k >= kU + $_NI && k < kQ) return 0;\n", "", ""},
      {"    if (vr[i] >= kQ || (int)vr[i] < kU", "", "    if ((int)vr[i] >= kU + $_NI || (int)vr[i] < kU", ""},
      {"fmi2Status FMI2_NAME(fmi2GetEventIndicators)", section(kFmuGuardEvents), "", ""},
      {"  return FmuCount(c, \"fmi2GetEventIndicators\", count, 0, indicators);\n", "",
       "  if (FmuCount(c, \"fmi2GetEventIndicators\", count, $_NG, indicators) != fmi2OK) return fmi2Error;\n"
       "  return FmuIndicators(c, indicators);\n",
       ""},
      // An event may end the motion.
      {"  info->valuesOfContinuousStatesChanged = c->kept.moved ? fmi2True : fmi2False;\n", "", "",
       "  info->terminateSimulation = c->kept.ended ? fmi2True : fmi2False;\n"},
      {"    *value = fmi2False; /* the model never ends the run */\n", "",
       "    *value = c->kept.ended ? fmi2True : fmi2False;\n", ""},
  };
}

}  // namespace

bool has_guards(const CodeModel& code) {
  return !code.contacts.empty() || !code.frictions.empty() || !code.events.empty();
}

Result<std::string> fmu_text_with_guards(std::string text, const CodeModel& code) {
  const bool frictions = !code.frictions.empty();
  for (const Change& change : changes(frictions, !code.events.empty())) {
    const std::size_t at = text.find(change.line);
    if (at == text.npos || text.find(change.line, at + 1) != text.npos)
      return error("E0902", fmt::format("generated code: `{}` is not in the text of FMUs exactly once", change.line));
    const std::string instead = change.instead.empty() ? std::string(change.line) : change.instead;
    text.replace(at, change.line.size(), change.before + instead + change.after);
  }
  if (!code.events.empty()) text = filled(text, {{"MODE, ", frictions ? "c->kept.does, " : ""}});
  return text;
}

}  // namespace dalembert
