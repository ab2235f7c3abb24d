// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_contacts.h"

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

std::vector<Change> changes() {
  const auto section = [](std::string_view text) { return std::string(text) + "\n"; };
  return {
      // What an instance keeps, and its beginning.
      {"  double t, input_time, start, stop, tolerance, step, drift;\n", "", "",
       "  double force_size[$_NC]; /* of contacts: the size of the terms of their forces */\n"},
      {"  double off_position, off_velocity;\n", "", "",
       "  double guard[$_NC], noise[$_NC], rate[$_NC], offset[$_NC], rate_end[$_NC], q_end[$_NQ + 1], v_end[$_NV + "
       "1];\n"},
      {"/* As it was instantiated. */\n", section(kFmuContactState), "", ""},
      {"  kept->mode = kInstantiated;\n", "", "", "  FmuOpenContacts(kept);\n"},
      {"    case 5: return \"the state is too far from the constraints\";\n", "", "",
       "    case 6: return \"no motion keeps the contacts and the other constraints\";\n"
       "    case 8: return \"impacts follow each other without end\";\n"},
      // Onto the constraints.
      {"static int FmuTryStart(Instance* c, int model, int set) {\n", "",
       "static int FmuTryRows(Instance* c, int model, int set) {\n", ""},
      {"static int FmuDiffers(", section(kFmuContactStart), "", ""},
      {"  if (status == 3) {\n", "", "  if (status == 3 || status == 6 || status == 8) {\n", ""},
      {"  status = $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);\n  if (status != 0 && kept->stale == kDrifted)",
       "", "  status = FmuBring(c);\n  if (status != 0 && kept->stale == kDrifted)", ""},
      {"was brought onto the constraints: it moved by up to", "",
       "was brought onto the constraints, or contacts changed it: it moved by up to", ""},
      // Steps of co-simulation.
      {"/* To `end`. fmi2Discard: as far as it went. */\n", section(kFmuContactChanges), "", ""},
      {"  int rejected = 0, status = 0, tries = 0, fresh = 0;\n", "", "", "  int changing = -1;\n"},
      {"    status = FmuTryStep(c, h, last ? end : kept->t + h, &error);\n", "", "",
       "    if (status == 0 && error <= 1.0) status = FmuFindChange(c, &h, &last, &changing);\n"},
      {"      rejected = fresh = 0;\n", "", "",
       "      if (changing >= 0) status = FmuChange(c, changing);\n"
       "      if (status != 0) {\n"
       "        FmuSay(c, fmi2Discard, kDiscards, \"the motion ends at t = %.9g: %s\", kept->t, FmuReason(status));\n"
       "        return fmi2Discard;\n"
       "      }\n"},
      // The interface. States of contacts are computed.
      {"  if (k < kQ) return NULL;\n", "  if (k >= kQ - $_NC && k < kQ) return \"it is computed\";\n", "", ""},
      {"  return k < kQ || (k < kQdot", "  if (k >= kQ - $_NC && k < kQ) return 0;\n", "", ""},
      {"    if (vr[i] >= kQ || (int)vr[i] < kU", "", "    if ((int)vr[i] >= kQ - $_NC || (int)vr[i] < kU", ""},
      {"fmi2Status FMI2_NAME(fmi2GetEventIndicators)", section(kFmuContactEvents), "", ""},
      {"  return FmuCount(c, \"fmi2GetEventIndicators\", count, 0, indicators);\n", "",
       "  if (FmuCount(c, \"fmi2GetEventIndicators\", count, $_NC, indicators) != fmi2OK) return fmi2Error;\n"
       "  return FmuIndicators(c, indicators);\n",
       ""},
  };
}

}  // namespace

Result<std::string> fmu_text_with_contacts(std::string text) {
  for (const Change& change : changes()) {
    const std::size_t at = text.find(change.line);
    if (at == text.npos || text.find(change.line, at + 1) != text.npos)
      return error("E0902", fmt::format("generated code: `{}` is not in the text of FMUs exactly once", change.line));
    const std::string instead = change.instead.empty() ? std::string(change.line) : change.instead;
    text.replace(at, change.line.size(), change.before + instead + change.after);
  }
  return text;
}

}  // namespace dalembert
