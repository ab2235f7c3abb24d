// SPDX-License-Identifier: Apache-2.0
// The models of models/, loaded for tests: from the file alone, or all the way to numbers.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.diagnostics()));  // the test fails with it
  return std::move(result).value();
}

/// `set` holds NAME=VALUE assignments, as after --set.
inline LoadOptions load_options(const std::vector<std::string>& set) {
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(value_of(parse_override(assignment)));
  return options;
}

inline Equations derive_loaded(Result<Model> model) {
  return value_of(derive(std::make_shared<const Model>(value_of(std::move(model)))));
}

inline std::string shipped_path(const std::string& name) { return source_tree() + "/models/" + name + ".toml"; }

inline Equations derive_shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  return derive_loaded(load_model_file(shipped_path(name), load_options(set)));
}

/// A model as functions of numbers, with its guess of a start.
struct System {
  Equations equations;
  Dynamics dynamics;
  State guess;

  explicit System(Equations derived)
      : equations(std::move(derived)), dynamics(compile(equations)), guess(initial_state(*equations.model)) {
    dynamics.kernel().expect_many_calls();  // the preset `minimal` interprets
  }

  std::size_t coordinate(const std::string& name) const { return find(dynamics.names().coordinates, name); }
  std::size_t row(const std::string& name) const { return find(dynamics.names().rows, name); }
  double parameter(const std::string& name) const {
    return dynamics.parameters()[find(dynamics.names().parameters, name)];
  }

  Assembly assemble_guess() const { return assemble(dynamics, guess, held_values(*equations.model)); }
  /// Assembled, and brought down to round-off.
  State start() const {
    Assembly assembly = assemble_guess();
    EXPECT_TRUE(assembly.ok()) << to_text(assembly.status);
    EXPECT_TRUE(project(dynamics, assembly.state).ok);
    return assembly.state;
  }

 private:
  static std::size_t find(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return at == names.end() ? 0 : static_cast<std::size_t>(at - names.begin());
  }
};

inline System shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  return System(derive_shipped(name, set));
}

/// The system with its contacts as they are at a state: closed ones as constraints, open ones as none.
inline System hold_contacts_at(const System& stated, const State& state) {
  if (stated.equations.unilateral.empty()) return System(stated.equations);
  return System(hold_contacts(stated.equations, decide_contacts(stated.dynamics, state).closed));
}

inline System loaded(const std::string& text) { return System(derive_loaded(load_model(make_source("model", text)))); }

/// The shipped text with each `from` (which must occur in it exactly once) replaced by `to`. Input files are looked for
/// in `directory`.
inline System modified(const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes,
                       const std::vector<std::string>& set = {}, const std::string& directory = {}) {
  std::ifstream file(shipped_path(name));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  LoadOptions options = load_options(set);
  options.directory = directory;
  return System(derive_loaded(load_model(make_source(name + " (modified)", text), options)));
}

}  // namespace dalembert
