// SPDX-License-Identifier: Apache-2.0
// Steps that end and go on where a guard leaves: where contacts or frictions at them change, or an event happens (docs/decisions/0048, 0049).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/contact_friction_code.h"
#include "dalembert/codegen/program.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Whether an event of the model sets something.
bool has_settings(const Model& model);

/// The texts of a model's guards, with what depends on the model filled in.
class GuardTexts {
 public:
  /// `layout`: of the kernel that the program is composed for, with an input for each contact. held: the program is for a caller who
  /// holds everything, by a mode wherever there is friction.
  GuardTexts(const Equations& equations, const Layout& layout, bool held = false);

  /// Adds the constant nk and tables about the events; the text of the routines that evaluate them, and of set_events.
  std::string events(Program& program) const;
  /// guards_at, try_step, advance, and the public steps; inputs: whether there is also step_held.
  std::string steps(bool inputs) const;
  /// event_states and apply_events.
  std::string event_routines() const;
  /// settle_held and the other routines of such a caller.
  std::string held_routines() const;

 private:
  std::string fill(std::string_view text) const { return filled_where(text, common_); }
  std::string find_forces(bool needed) const;
  std::string settings() const;
  std::string onto_constraints() const;
  std::string advance() const;
  std::string step_texts(bool inputs) const;
  std::string event_steps() const;

  const Equations& equations_;
  const Layout& layout_;
  const bool held_, contacts_, joint_;  // joint_: contacts and frictions are decided together
  const FrictionShape shape_;
  const bool events_, sets_;
  std::vector<Filling> common_;
};

}  // namespace dalembert
