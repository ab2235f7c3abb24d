// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/contact_friction_code.h"

#include <array>
#include <utility>

#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// What is replaced wherever it stands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kChanges{{
    {"mode[2*nf]", "mode[2*nf + nr]"},
    {"tried[2*nf]", "tried[2*nf + nr]"},
    // The rows at work.
    {R"(  active = nr
  for r = 0 to nr {
    rows[r] = r
    rates[r] = gamma[r]
  }
)",
     R"(  active = 0
  for r = 0 to nr {
    if mode[2 * nf + r] > 0.0 {
      rows[active] = r
      rates[active] = gamma[r]
      active = active + 1
    }
  }
)"},
    {R"(    active = nr
    for r = 0 to nr {
      rows[r] = r
      rates[r] = 0.0
    }
)",
     R"(    active = 0
    for r = 0 to nr {
      if mode[2 * nf + r] > 0.0 {
        rows[active] = r
        rates[active] = 0.0
        active = active + 1
      }
    }
)"},
    {R"(  for r = 0 to nr {
    if abs(gamma[r] * row_scale[r]) > largest {
      largest = abs(gamma[r] * row_scale[r])
    }
  }
  for r = 0 to nr {
    found[5 * nf + r] = largest * row_scale[r]
  }
)",
     R"(  for p = 0 to active {
    if rows[p] < nr {
      if abs(gamma[rows[p]] * row_scale[p]) > largest {
        largest = abs(gamma[rows[p]] * row_scale[p])
      }
    }
  }
  for p = 0 to active {
    if rows[p] < nr {
      found[5 * nf + rows[p]] = largest * row_scale[p]
    }
  }
)"},
    // What is tried has the rows that act. Modes that contacts contradict are none.
    {R"(  solutions = 0
  for again = 0 to 2 {
)",
     R"(  for r = 0 to nr {
    tried[2 * nf + r] = mode[2 * nf + r]
  }
  solutions = 0
  for again = 0 to 2 {
)"},
    {R"(        if good == 1 and again == 0 {
)",
     R"(        if good == 1 {
          status = contradicts(M, W, f, gamma, tried, x2, y2, found2)
          if status != 0 {
            good = 0
          }
        }
        if good == 1 and again == 0 {
)"},
    {"call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)\n",
     "call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)\nreal idle[nf]\ncall leave_idle(dN, mode, law, "
     "idle)\n"},
}};

}  // namespace

std::string with_acting_rows(std::string_view text) {
  std::string result(text);
  for (const auto& [what, by] : kChanges)
    for (std::size_t at = result.find(what); at != result.npos; at = result.find(what, at + by.size()))
      result.replace(at, what.size(), by);
  return result;
}

std::string advance_with_acting_rows() {
  std::string result = with_acting_rows(kAdvanceInMode);
  const std::string_view at_stage = "call friction_system(at, q_at, v_at, u, M, W, Phi, C, dN, f, gamma, law)\n";
  const std::size_t at = result.find(at_stage);
  if (at != result.npos) result.insert(at + at_stage.size(), "real idle[nf]\ncall leave_idle(dN, mode, law, idle)\n");
  return result;
}

}  // namespace dalembert
