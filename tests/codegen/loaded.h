// SPDX-License-Identifier: Apache-2.0
// Exported C as a library of this process.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

#include "codegen/exported.h"

#include "dalembert/codegen/code_model.h"

namespace dalembert::testing {

/// Loaded, with a state that was initialised.
class Loaded {
 public:
  explicit Loaded(const Equations& equations, const CodeShape& shape = {})
      : exported_(equations, CodeLanguage::kC, shape) {
    const std::string base = exported_.folder() + "/" + exported_.name();
    const Ran made = shell("cc -std=c99 -O0 -ffp-contract=off -shared -fPIC " + base + ".c -o " + base + ".so -lm");
    EXPECT_EQ(made.status, 0) << made.out;
    handle_ = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr);
    call<void(void*)>("init")(state());
  }
  ~Loaded() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <class Function>
  Function* call(const std::string& routine) const {
    return reinterpret_cast<Function*>(dlsym(handle_, (exported_.name() + "_" + routine).c_str()));
  }
  void* state() { return memory_.data(); }

  const std::string& name() const { return exported_.name(); }

  const Exported& exported() const { return exported_; }

  using Inputs = void(void*, double, double*);
  using Accelerations = int(void*, double, const double*, const double*, const double*, double*, double*);
  /// Of models with friction.
  using AccelerationsWithFriction = int(void*, double, const double*, const double*, const double*, double*, double*,
                                        double*);
  using Jacobian = int(void*, double, const double*, const double*, const double*, double*);
  using Step = int(void*, double, double, double*, double*);

 private:
  Exported exported_;
  void* handle_ = nullptr;
  std::vector<double> memory_ = std::vector<double>(100'000);
};

}  // namespace dalembert::testing
