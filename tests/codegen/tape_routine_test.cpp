// SPDX-License-Identifier: Apache-2.0
// Tapes as routines, and these as C, to the bit.
#include "dalembert/codegen/tape_routine.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codegen/exported.h"
#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/tape/interpreter.h"
#include "tape/model_files.h"
#include "tape/random_graph.h"
#include "tape/random_tape.h"

namespace dalembert {
namespace {

using testing::same_bits;

// A state with pointers for what is given and memory for loops.
struct CalledState {
  const double *p, *prepared;
  double* work;
};
using Function = void (*)(CalledState*, double, const double*, const double*, const double*, const double*,
                          const double*, double*);
constexpr std::string_view kState =
    "#include <math.h>\ntypedef struct { const double *p, *prepared; double* work; } m_system;\n";
constexpr std::string_view kSines =
    "static double m_sine(double x) { double s, c; m_sine_cosine(x, &s, &c); return s; }\n"
    "static double m_cosine(double x) { double s, c; m_sine_cosine(x, &s, &c); return c; }\n";

// The tapes as functions m_f0, m_f1, … of C.
std::string source_of(const std::vector<Tape>& tapes) {
  Program program;
  for (std::size_t i = 0; i < tapes.size(); ++i) {
    const std::string text = tape_routine(tapes[i], fmt::format("f{}", i),
                                          "real t, in u[1], in q[1], in v[1], in vdot[1], in lambda[1]", "A tape.");
    EXPECT_EQ(add_routines(program, text), "") << text;
  }
  CWriter writer(program, "m");
  std::string source = std::string(kState) + filled(kSineCosine, {{"$", "m"}}) + std::string(kSines);
  for (Routine& routine : program.routines) {
    routine.is_public = true;
    source += writer.write(routine) + "\n";
  }
  // Other arrays are of the state where they are long: there are none.
  for (const auto& [name, member] : writer.members()) EXPECT_EQ(name, "work");
  return source;
}

// Compiled by the system's compiler and loaded.
class Library {
 public:
  explicit Library(const std::string& source) {
    std::string pattern = (std::filesystem::temp_directory_path() / "dalembert-c-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    folder_ = pattern;
    std::ofstream(folder_ / "f.c") << source;
    const std::string command =
        "cc -std=c99 -Wall -Werror -Wno-unused-function -Wno-unused-but-set-variable -O1 "
        "-ffp-contract=off -shared -fPIC -o " +
        (folder_ / "f.so").string() + " " + (folder_ / "f.c").string() + " -lm";
    const testing::Ran ran = testing::shell(command);
    EXPECT_EQ(ran.status, 0) << ran.out;
    handle_ = dlopen((folder_ / "f.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool ok() const { return handle_ != nullptr; }
  Function function(std::size_t i) const {
    return reinterpret_cast<Function>(dlsym(handle_, ("m_f" + std::to_string(i)).c_str()));
  }

 private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

bool there_is_a_compiler() { return testing::has_program("cc --version"); }

std::vector<double> by_interpreter(const Tape& tape, const double* const* arguments) {
  std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
  run(tape, arguments, work.data(), out.data(), 1);
  return out;
}

void expect_same(const Tape& reference, const Tape& tape, Function function, const double* const* arguments,
                 const std::string& what) {
  const std::vector<double> expected = by_interpreter(reference, arguments);
  std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
  CalledState state{arguments[1], arguments[7], work.data()};
  function(&state, arguments[0] != nullptr ? *arguments[0] : 0, arguments[2], arguments[3], arguments[4], arguments[5],
           arguments[6], out.data());
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_TRUE(same_bits(out[i], expected[i])) << what << ", output " << i << ": " << out[i] << ", " << expected[i];
}

// Oracle: the interpreter, to the bit: both round every operation alike and call the same functions.
TEST(TapeRoutines, AgreesWithTheInterpreterOnRandomGraphs) {
  if (!there_is_a_compiler()) GTEST_SKIP() << "no cc";
  constexpr unsigned kGraphs = 40;
  std::vector<Tape> tapes;
  std::vector<testing::Arguments> arguments;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    testing::RandomGraph random(seed);
    for (int i = 0; i < 60; ++i) random.grow();
    tapes.push_back(make_tape(random.nodes));
    arguments.push_back(random.arguments(-2, 2));
  }
  const Library library(source_of(tapes));
  ASSERT_TRUE(library.ok());
  for (std::size_t i = 0; i < tapes.size(); ++i) {
    const auto& kinds = arguments[i].of_kind;
    const double* const list[kTapeArrays] = {&arguments[i].t, kinds[1].data(), kinds[2].data(), kinds[3].data(),
                                             kinds[4].data(), kinds[5].data(), kinds[6].data(), nullptr};
    expect_same(tapes[i], tapes[i], library.function(i), list, "seed " + std::to_string(i));
  }
}

class TapeRoutinesOfModel : public ::testing::TestWithParam<std::string> {};

// Oracle: the interpreter, on every function of every shipped model at three random states.
TEST_P(TapeRoutinesOfModel, AgreesWithTheInterpreter) {
  if (!there_is_a_compiler()) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of(GetParam());
  ASSERT_TRUE(equations.model);
  const TapeKernel kernel(equations);
  std::vector<Tape> tapes;
  for (int i = 0; i < kKernelFunctions; ++i) tapes.push_back(kernel.tape(static_cast<KernelFunction>(i)));
  const Library library(source_of(tapes));
  ASSERT_TRUE(library.ok());

  const Layout& layout = kernel.layout();
  std::vector<double> parameters, prepared(layout.prepared);
  for (const Parameter& parameter : equations.model->parameters) parameters.push_back(parameter.value);
  kernel.prepare(parameters.data(), prepared.data());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0.2, 1.5);
  for (int round = 0; round < 3; ++round) {
    std::vector<double> numbers(
        static_cast<std::size_t>(1 + layout.inputs + layout.nq + 2 * layout.nv + layout.multipliers()));
    for (double& number : numbers) number = any(random);
    const double *t = numbers.data(), *u = t + 1, *q = u + layout.inputs, *v = q + layout.nq, *a = v + layout.nv;
    const double* const list[kTapeArrays] = {t, parameters.data(), u, q, v, a, a + layout.nv, prepared.data()};
    for (std::size_t i = 0; i < tapes.size(); ++i)
      expect_same(tapes[i], tapes[i], library.function(i), list, "function " + std::to_string(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TapeRoutinesOfModel, ::testing::ValuesIn(model_files()), name_of_file);

// The tape without loops: each round written out, fields moved by their strides.
Tape written_out(const Tape& tape) {
  Tape result = tape;
  result.loops.clear();
  result.strides.clear();
  result.instructions.clear();
  std::size_t place = 0;
  const auto copy_until = [&](std::size_t end) {
    for (; place < end; ++place) result.instructions.push_back(tape.instructions[place]);
  };
  for (const Loop& loop : tape.loops) {
    copy_until(loop.begin);
    for (std::uint32_t j = 0; j < loop.rounds; ++j) {
      for (std::size_t i = loop.begin; i < loop.end; ++i) {
        Instruction moved = tape.instructions[i];
        const Stride& stride = tape.strides[i];
        moved.dst += j * static_cast<std::uint32_t>(stride.dst);
        moved.a += j * static_cast<std::uint32_t>(stride.a);
        moved.b += j * static_cast<std::uint32_t>(stride.b);
        moved.c += j * static_cast<std::uint32_t>(stride.c);
        result.instructions.push_back(moved);
      }
    }
    place = loop.end;
  }
  copy_until(tape.instructions.size());
  return result;
}

// x_j = sin q_j forwards, then backwards y_j = 3 y_{j+1} + x_j with y_5 = 0.5, and y to the outputs. Registers 0 … 2
// are temporaries, x is from 3 on, y from 8 on. Oracle: the interpreter on the tape written out.
TEST(TapeRoutines, LoopsOfTheTapeAreLoops) {
  if (!there_is_a_compiler()) GTEST_SKIP() << "no cc";
  constexpr std::uint32_t kCoordinate = static_cast<std::uint32_t>(TapeArray::kCoordinate);
  Tape tape;
  tape.constants = {0.5, 3};
  tape.registers = 14;
  tape.outputs = 5;
  tape.temporaries = 3;
  const auto add = [&](Instruction instruction, Stride stride = {}) {
    tape.instructions.push_back(instruction);
    tape.strides.push_back(stride);
  };
  add({.op = TapeOp::kArgument, .dst = 0, .a = kCoordinate, .b = 0}, {.b = 1});
  add({.op = TapeOp::kSinCos, .dst = 3, .a = 0, .b = 1}, {.dst = 1});
  add({.op = TapeOp::kConstant, .dst = 13, .a = 0});
  add({.op = TapeOp::kScaleAdd, .dst = 12, .a = 13, .b = 1, .c = 7}, {.dst = -1, .a = -1, .c = -1});
  add({.op = TapeOp::kOutput, .dst = 4, .a = 12}, {.dst = -1, .a = -1});
  tape.loops = {{0, 2, 5}, {3, 5, 5}};

  const std::string source = source_of({tape});
  const std::string_view body = std::string_view(source).substr(source.find("void m_f0("));
  EXPECT_EQ(std::ranges::count(body, '\n'), 14) << body;  // two loops, not ten rounds
  const Library library(source);
  ASSERT_TRUE(library.ok()) << source;
  const std::vector<double> q{0.1, 0.2, 0.3, 0.4, 0.5};
  const double* const list[kTapeArrays] = {nullptr, nullptr, nullptr, q.data(), nullptr, nullptr, nullptr, nullptr};
  expect_same(written_out(tape), tape, library.function(0), list, source);
}

// Numbers that decimals must not change, and those that have no decimals.
TEST(TapeRoutines, NumbersSurviveTheText) {
  if (!there_is_a_compiler()) GTEST_SKIP() << "no cc";
  Tape tape;
  tape.constants = {0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e22, 3, -1.0 / 3, INFINITY, -INFINITY, NAN};
  for (std::uint32_t i = 0; i < tape.constants.size(); ++i) {
    tape.instructions.push_back({.op = TapeOp::kConstant, .dst = i, .a = i});
    tape.instructions.push_back({.op = TapeOp::kOutput, .dst = i, .a = i});
  }
  tape.registers = tape.outputs = tape.constants.size();
  const Library library(source_of({tape}));
  ASSERT_TRUE(library.ok());
  std::vector<double> out(tape.outputs);
  CalledState state{};
  library.function(0)(&state, 0, nullptr, nullptr, nullptr, nullptr, nullptr, out.data());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(same_bits(out[i], tape.constants[i])) << i;
}

}  // namespace
}  // namespace dalembert
