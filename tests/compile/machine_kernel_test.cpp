// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "compile/reference_systems.h"
#include "dalembert/compile/contacts.h"
#include "dalembert/modelfile/load.h"
#include "machine/lane_arguments.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

CodeOptions uncached() { return {}; }

// A state of the slider-crank, on no manifold.
struct State3 {
  std::array<double, 3> q{0.4, 2.9, 0.8}, v{3, -1, 0.5}, qdd{1, -2, 0.3};
  std::array<double, 2> lambda{4, -5}, u{0.1, -0.2};
  std::vector<double> p, prepared, work;

  State3(const Kernel& kernel, const Equations& equations)
      : prepared(kernel.layout().prepared), work(kernel.layout().work, std::nan("")) {
    for (const Parameter& parameter : equations.model->parameters) p.push_back(parameter.value);
    kernel.prepare(p.data(), prepared.data());
  }
  std::vector<double> call(const Kernel& kernel, KernelFunction function) {
    std::vector<double> out(output_size(kernel.layout(), function), std::nan(""));
    kernel.call(function,
                {.t = 0.3,
                 .q = q.data(),
                 .v = v.data(),
                 .qdd = qdd.data(),
                 .lambda = lambda.data(),
                 .u = u.data(),
                 .p = p.data(),
                 .prepared = prepared.data(),
                 .work = work.data()},
                out.data());
    return out;
  }
};

// Oracle: the interpreter. Both evaluate the same instructions with roundings of their own; the largest output's
// intermediates are within a factor of some hundred of it, 1e-12 of it are 4500 ε.
TEST(MachineKernel, IsTheTapeKernelFaster) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  EXPECT_EQ(kernel.solves_kkt(), tapes->solves_kkt());
  EXPECT_FALSE(kernel.has_code(KernelFunction::kAccelerations));  // a few calls are not worth it
  EXPECT_EQ(kernel.computed_by(), "interpreter");
  kernel.expect_many_calls();
  for (const KernelFunction function :
       {KernelFunction::kPosition, KernelFunction::kVelocity, KernelFunction::kEnergy, KernelFunction::kOutputs,
        KernelFunction::kAccelerations, KernelFunction::kPositionStep, KernelFunction::kVelocityStep})
    EXPECT_EQ(kernel.has_code(function), tapes->tape(function).instructions.size() >= MachineKernel::kShortest);
  State3 state(kernel, equations);
  for (int f = 0; f < kKernelFunctions; ++f) {
    const auto function = static_cast<KernelFunction>(f);
    const std::vector<double> expected = state.call(*tapes, function), computed = state.call(kernel, function);
    ASSERT_EQ(expected.size(), computed.size());
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(computed[i], expected[i], 1e-12 * largest) << "function " << f << ", output " << i;
  }
  EXPECT_EQ(kernel.why_not(), "");
  EXPECT_EQ(kernel.computed_by().find("machine code of LLVM 19."), 0u) << kernel.computed_by();
}

// A force of one operation is interpreted; its power alone becomes code.
TEST(MachineKernel, SaysWhatIsCodeInPart) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  Result<Model> model = load_model(make_source("short", R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = "-x"
)toml"));
  ASSERT_TRUE(model);
  const Result<Equations> equations = derive(std::make_shared<const Model>(std::move(model).value()));
  ASSERT_TRUE(equations);
  const MachineKernel kernel(std::make_shared<const TapeKernel>(*equations), uncached());
  kernel.expect_many_calls();
  EXPECT_FALSE(kernel.has_code(KernelFunction::kAccelerations));
  EXPECT_TRUE(kernel.has_code(KernelFunction::kPower));
  EXPECT_EQ(kernel.computed_by().find("interpreter, in part machine code of LLVM 19."), 0u) << kernel.computed_by();
}

// What is waited for: calls that pay, or a part of them where as many are left. Runs of one kernel count together.
TEST(MachineKernel, CodeIsMadeWhereItPays) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const testing::SliderCrank system;
  const auto tapes = std::make_shared<const TapeKernel>(system.equations());
  const MachineKernel short_runs(tapes, uncached()), long_run(tapes, uncached());
  const double pays = short_runs.calls_that_pay();
  EXPECT_GT(pays, 1000);
  const auto has_code = [](const MachineKernel& kernel) { return kernel.has_code(KernelFunction::kAccelerations); };
  long_run.note_calls(0, 10 * pays);  // nothing is known of a run that has not begun
  EXPECT_FALSE(has_code(long_run));
  long_run.note_calls(static_cast<std::int64_t>(pays / 10), pays / 2);
  EXPECT_FALSE(has_code(long_run));
  long_run.note_calls(1, 2 * pays);
  EXPECT_TRUE(has_code(long_run));
  short_runs.note_calls(static_cast<std::int64_t>(0.7 * pays), 0);
  EXPECT_FALSE(has_code(short_runs));
  short_runs.note_calls(static_cast<std::int64_t>(0.7 * pays), 0);
  EXPECT_TRUE(has_code(short_runs));
}

// Beyond 2³⁰ the interpreter answers, so with its very bits.
TEST(MachineKernel, LargeAnglesAreTheInterpreters) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  kernel.expect_many_calls();
  State3 state(kernel, equations);
  state.q[0] = 3e12;
  EXPECT_EQ(state.call(kernel, KernelFunction::kAccelerations), state.call(*tapes, KernelFunction::kAccelerations));
}

TEST(MachineKernel, InterpretsWithoutLlvm) {
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  CodeOptions options;
  options.llvm_library = "/nowhere/libLLVM.so";
  const MachineKernel kernel(tapes, options);
  EXPECT_EQ(kernel.why_not(), "");
  kernel.expect_many_calls();
  State3 state(kernel, equations);
  EXPECT_EQ(state.call(kernel, KernelFunction::kAccelerations), state.call(*tapes, KernelFunction::kAccelerations));
  EXPECT_FALSE(kernel.has_code(KernelFunction::kAccelerations));
  EXPECT_NE(kernel.why_not(), "");
  EXPECT_EQ(kernel.computed_by(), "interpreter, for " + kernel.why_not());
}

// All threads ask for the code and call at once.
TEST(MachineKernel, IsSafeToCallFromManyThreads) {
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  std::vector<std::vector<double>> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& result : results)
      threads.emplace_back([&] {
        kernel.expect_many_calls();
        State3 state(kernel, equations);
        result = state.call(kernel, KernelFunction::kAccelerations);
      });
  }
  for (const std::vector<double>& result : results) EXPECT_EQ(result, results.front());
}

class MachineCodeOfModel : public ::testing::TestWithParam<std::string> {};

// Oracle: the interpreter, for every function of every reference model, one lane and eight, at states on no manifold.
// 1e-12 of the largest output leaves 4500 ε for other roundings; a solved system has lost as many digits as its pivots
// did, and trust[1] says how many.
TEST_P(MachineCodeOfModel, IsWhatTheInterpreterSays) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  Result<Model> loaded = load_model_file(GetParam());
  ASSERT_TRUE(loaded) << render(loaded.diagnostics());
  Result<Equations> derived = derive(std::make_shared<Model>(std::move(loaded).value()));
  ASSERT_TRUE(derived) << render(derived.diagnostics());
  const Equations equations = with_contact_switches(with_prescribed_rows(on_overlay(derived.value())));
  const TapeKernel kernel(equations);
  std::vector<double> p;
  for (const Parameter& parameter : equations.model->parameters) p.push_back(parameter.value);
  // Every other contact is closed.
  if (const auto contacts = compile_contacts(equations))
    for (std::size_t k = 0; k < contacts->count(); k += 2) p[contacts->first_parameter + k] = 1;
  p.push_back(0);  // models without parameters
  std::vector<double> prepared(kernel.layout().prepared + 1);
  kernel.prepare(p.data(), prepared.data());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.2, 1.5);
  const auto most = static_cast<std::size_t>(
      std::max({1, kernel.layout().nq, kernel.layout().nv, kernel.layout().multipliers(), kernel.layout().inputs}));
  for (const int lanes : {1, 8}) {
    const auto width = static_cast<std::size_t>(lanes);
    std::vector<CodeFunction> functions(kKernelFunctions);
    for (std::size_t f = 0; f < functions.size(); ++f) {
      functions[f].tape = &kernel.tape(static_cast<KernelFunction>(f));
      functions[f].lanes = lanes;
    }
    std::string why;
    CodeOptions options = uncached();
    options.effort = lanes == 1 ? CodeEffort::kQuick : CodeEffort::kThorough;
    const auto code = generate_code(functions, options, &why);
    ASSERT_TRUE(code) << why;
    std::vector<std::vector<double>> values(kTapeArrays, std::vector<double>(most * width));
    for (std::vector<double>& array : values)
      for (double& value : array) value = any(random);
    values[static_cast<std::size_t>(TapeArray::kParameter)] = p;
    values[static_cast<std::size_t>(TapeArray::kPrepared)] = prepared;
    std::vector<const double*> arguments;
    for (const std::vector<double>& array : values) arguments.push_back(array.data());
    for (std::size_t f = 0; f < functions.size(); ++f) {
      const Tape& tape = *functions[f].tape;
      std::vector<double> work(tape.registers * width), computed(tape.outputs * width);
      EXPECT_EQ(code->run(f, arguments.data(), work.data(), computed.data()), 0u);
      for (std::size_t lane = 0; lane < width; ++lane) {
        std::vector<std::vector<double>> own = values;
        std::vector<const double*> pointers;
        for (std::size_t array = 0; array < kTapeArrays; ++array) {
          if (!shared_by_lanes(static_cast<TapeArray>(array)))
            for (std::size_t i = 0; i < most; ++i) own[array][i] = values[array][i * width + lane];
          pointers.push_back(own[array].data());
        }
        std::vector<double> expected(tape.outputs);
        run(tape, pointers.data(), work.data(), expected.data(), 1);
        double tolerance = 1e-12;
        std::size_t count = expected.size();
        if (static_cast<KernelFunction>(f) >= KernelFunction::kAccelerations && count > 0) {
          tolerance *= std::max(1.0, expected.back());
          count -= 2;  // trust itself is a ratio of what may have cancelled
        }
        double largest = 1e-3;
        for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(expected[i]));
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_NEAR(computed[i * width + lane], expected[i], tolerance * largest)
              << "function " << f << ", lane " << lane << ", output " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MachineCodeOfModel, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
