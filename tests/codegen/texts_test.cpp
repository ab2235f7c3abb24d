// SPDX-License-Identifier: Apache-2.0
// The program texts of dalembert/codegen/texts as they are, without what export makes of them: each is right in its language, and
// does what it is for with a model by hand (stand_in/). That exports are right, self_tests_test.cpp and tests/fmu see.
#include "dalembert/codegen/texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codegen/exported.h"
#include "dalembert/codegen/program.h"
#include "dalembert/codegen/program_run.h"
#include "dalembert/dynamics/complementarity.h"

namespace dalembert::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

std::string texts() { return source_tree() + "/dalembert/codegen/texts/"; }

std::string text_of(const std::string& name) {
  std::ifstream file(texts() + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_with(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(texts()))
    if (entry.path().extension() == extension) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// A folder with copies of texts by the names that exported files have, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dalembert-texts-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ + "/" + name) << text; }
  Ran run(const std::string& command) const { return shell("cd '" + path_ + "' && " + command); }

 private:
  std::string path_;
};

std::string compiler_call(const std::string& compiler) {
  return compiler + " -Wall -Wextra -Werror -Wno-unused-function -I'" + texts() + "' -I'" + source_tree() +
         "/tests/codegen/stand_in' ";
}

TEST(Filled, IsFromLeftToRightAndOnce) {
  EXPECT_EQ(filled("A_B A", {{"A", "B"}, {"B", "A"}}), "B_A B");
  EXPECT_EQ(filled("$_NQ", {{"$", "a$b"}}), "a$b_NQ");
  EXPECT_EQ(filled("SIZE * SIZE", {{"SIZE", 12}}), "12 * 12");
  // The longest, whichever is named first.
  EXPECT_EQ(filled("AT_FG AT_F", {{"AT_F", 1}, {"AT_FG", 2}}), "2 1");
  EXPECT_EQ(filled("AT_FG AT_F", {{"AT_FG", 2}, {"AT_F", 1}}), "2 1");
  EXPECT_EQ(filled("a, b, c", {Filling::only_if(false, ", b"), Filling::only_if(true, ", c")}), "a, c");
}

TEST(Texts, OfCCompileAlone) {
  if (!has_program("cc --version")) GTEST_SKIP() << "no cc";
  const std::vector<std::string> names = names_with(".c");
  EXPECT_GE(names.size(), 5U);
  for (const char* compiler : {"cc", "clang"}) {
    if (!has_program(std::string(compiler) + " --version")) continue;
    for (const std::string& name : names) {
      const Ran ran = shell(compiler_call(compiler) + "-std=c99 -fsyntax-only '" + texts() + name + "'");
      EXPECT_EQ(ran.status, 0) << name << "\n" << ran.out;
    }
  }
}

// What of the C of FMUs is compiled depends on the model.
TEST(Texts, OfFmusCompileForEveryKindOfModel) {
  if (!has_program("cc --version")) GTEST_SKIP() << "no cc";
  for (const char* kind : {"-DFMU_HAS_LEVELS=0", "-DFMU_HAS_LEVELS=0 -DFMU_HAS_ROWS=0 -DFMU_HAS_HOLDS=0",
                           "-DFMU_HAS_LEVELS=0 -DFMU_HAS_ROWS=0 -DFMU_HAS_HOLDS=0 -DFMU_HAS_PROJECTION=0",
                           "-DFMU_HAS_JACOBIAN=1", "-DFMU_V_IS_QDOT=0", "-DFMU_PRESCRIBED=1", "-DFMU_INTEGRALS=1"}) {
    const Ran ran = shell(compiler_call("cc") + "-std=c99 -Wno-unused-variable -fsyntax-only " + kind + " '" + texts() +
                          "fmu_kinds.c'");
    EXPECT_EQ(ran.status, 0) << kind << "\n" << ran.out;
  }
}

TEST(Texts, OfFmusRunAModelByHand) {
  if (!has_program("cc --version")) GTEST_SKIP() << "no cc";
  const Folder folder;
  const Ran ran = folder.run(compiler_call("cc") + "-std=c99 -O1 '" + source_tree() +
                             "/tests/codegen/stand_in/run_fmu.c' -o run -lm && ./run");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ran.out, "");
}

// From −100000 to 100000, and beyond, where the functions of <math.h> take over: within a unit in the last place of 1.
TEST(Texts, OfSineAndCosineAreExact) {
  if (!has_program("cc --version")) GTEST_SKIP() << "no cc";
  const Folder folder;
  folder.write("main.c", R"(#include "sine_cosine.c"
int main(void) {
  double sine, cosine, x;
  int i, wrong = 0;
  for (i = -1000000; i <= 1000000; i += 7) {
    x = 0.137 * i;
    $_sine_cosine(x, &sine, &cosine);
    wrong += !(fabs(sine - sin(x)) <= 2.3e-16) + !(fabs(cosine - cos(x)) <= 2.3e-16);
  }
  return wrong > 0;
}
)");
  const Ran ran = folder.run(compiler_call("cc") + "-std=c99 -O1 -ffp-contract=off main.c -o run -lm && ./run");
  EXPECT_EQ(ran.status, 0) << ran.out;
}

// From −10000 to 10000, and beyond: those of double precision at the same argument, rounded, to a unit in the last place of 1.
TEST(Texts, OfSineAndCosineAreExactInSinglePrecision) {
  if (!has_program("cc --version")) GTEST_SKIP() << "no cc";
  const Folder folder;
  folder.write("main.c", R"(#include "sine_cosine_single.c"
int main(void) {
  float sine, cosine, x;
  int i, wrong = 0;
  for (i = -1000000; i <= 1000000; i += 7) {
    x = 0.0137f * (float)i;
    $_sine_cosine(x, &sine, &cosine);
    wrong += !(fabs((double)sine - sin((double)x)) <= 1.2e-7) + !(fabs((double)cosine - cos((double)x)) <= 1.2e-7);
  }
  return wrong > 0;
}
)");
  const Ran ran = folder.run(compiler_call("cc") + "-std=c99 -O1 -ffp-contract=off main.c -o run -lm && ./run");
  EXPECT_EQ(ran.status, 0) << ran.out;
}

TEST(Texts, OfCppCompileWithAModelByHand) {
  if (!has_program("c++ --version")) GTEST_SKIP() << "no c++";
  const Folder folder;
  folder.write("$.h", "#pragma once\n#include \"model.h\"\n");
  folder.write("$.hpp", text_of("system.hpp"));
  folder.write("selftest.cpp", text_of("selftest.hpp") + R"(
int main() {
  $::System system;
  system.set_parameter(0, 3.0);
  const auto start = system.start();
  compare("m", std::array{system.parameter(0), system.get()->prepared[0]}, 1, {3.0, -3.0}, {0.0});
  compare("q", start.q, 2, {1.0}, {0.0});
  status("wrong", 1, 2);
  compare("wrong", start.v, 1, {0.0, 0.0}, {0.5, 0.5});
  return checks == 6 && failures == 2 ? 0 : 1;
}
)");
  // Their model is C.
  const Ran ran = folder.run(compiler_call("c++") + "-std=c++20 -Wno-unused-variable selftest.cpp -o run && ./run");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("wrong[1] = 1 instead of 0, allowed are 0.5"));
}

TEST(Texts, OfPythonRun) {
  if (!Exported::can_run(CodeLanguage::kPython)) GTEST_SKIP() << "no Python with NumPy";
  const Folder folder;
  folder.write("MODEL.py", text_of("model.py"));
  folder.write("run.py", text_of("selftest.py") + R"(
model = MODEL.Model(m=3)
assert model.p == [3.0, 2.0] and model.prepared == [6.0]
assert math.isnan(MODEL._sqrt(-1.0)) and MODEL._log(0.0) == -math.inf and MODEL._divide(-1.0, 0.0) == -math.inf
model.f = lambda x: np.array([x, 2 * x])
check(model, "f", 0, (1.5,), [(0, "y", 1, [0.0], [1.5, 3.0])])
assert (checks, failures) == (3, 0)


def refuse():
  raise MODEL.Unsolved("g", 4)


model.g = refuse
check(model, "g", 4, (), [])
check(model, "f", 0, (1.5,), [(0, "y", 1, [0.1], [1.5, 3.2])])
assert (checks, failures) == (7, 1)
)");
  const Ran ran = folder.run("PYTHONDONTWRITEBYTECODE=1 " + Exported::python() + " run.py");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("instead of 3.2, allowed are 0.1"));
}

TEST(Texts, OfJavaScriptRun) {
  if (!Exported::can_run(CodeLanguage::kJs)) GTEST_SKIP() << "no node";
  const Folder folder;
  folder.write("MODEL.mjs", text_of("model.mjs"));
  folder.write("run.mjs", text_of("selftest.mjs") + R"(
const model = new Model({m: 3});
if (model.p[0] !== 3 || model.prepared[0] !== 6) throw Error("parameters");
model.f = (x) => Float64Array.of(x, 2 * x);
check(model, "f", 0, [1.5], [["y", 1, [0], [1.5, 3]]]);
if (checks !== 3 || failures !== 0) throw Error("what agrees");
model.g = () => { throw new Unsolved("g", 4); };
check(model, "g", 4, [], []);
check(model, "f", 0, [1.5], [["y", 1, [0.1], [1.5, 3.2]]]);
if (checks !== 7 || failures !== 1) throw Error("what does not");
)");
  const Ran ran = folder.run("node run.mjs");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ran.out, "f: y[1] = 3 instead of 3.2, allowed are 0.1\n");
}

TEST(Texts, OfMatlabRun) {
  if (!Exported::can_run(CodeLanguage::kMatlab)) GTEST_SKIP() << "no Octave";
  const Folder folder;
  folder.write("run.m", text_of("functions.m") + text_of("selftest.m") + R"(
assert(isnan(real_sqrt(-1)) && real_sqrt(4) == 2 && isnan(real_log(-1)) && isnan(real_asin(2)) && isnan(real_pow(-1, 0.5)))
r = check([0, 0], 'f', {[1.5; 3], 0}, 0, {1, 'y', 1, 0.1, [1.5; 3.2]});
assert(isequal(r, [3, 1]))
)");
  const Ran ran = folder.run("octave-cli --norc run.m");
  EXPECT_EQ(ran.status, 0) << ran.out;
}

Program program_of_sizes() {
  Program program;
  for (const auto& [name, value] : {std::pair("nq", 3L),
                                    {"nv", 2L},
                                    {"nr", 2L},
                                    {"nh", 1L},
                                    {"nz", 1L},
                                    {"nu", 0L},
                                    {"ny", 1L},
                                    {"ne", 5L},
                                    {"nf", 1L},
                                    {"nl", 3L},
                                    {"nc", 3L},
                                    {"nk", 2L},
                                    {"nm", 4L},
                                    {"ng", 7L},
                                    {"nw", 3L}})
    program.constants.emplace_back(name, value);
  // What is filled in.
  for (const char* name :
       {"ROWS", "COUNT", "SIZE", "ENTRIES", "LEVELS", "RATES", "OTHERS", "GUARDS", "FORCES", "SETTINGS", "MODES"})
    program.constants.emplace_back(name, 2L);
  return program;
}

// Each file is read whole, sections and all.
TEST(Texts, OfRoutinesAreRead) {
  std::set<std::string> names;
  for (const std::string& file : names_with(".program")) {
    Program program = program_of_sizes();
    EXPECT_EQ(add_routines(program, text_of(file)), "") << file;
    for (const Routine& routine : program.routines) EXPECT_FALSE(routine.body.empty()) << file << ": " << routine.name;
    for (const Routine& routine : program.routines) names.insert(routine.name);
  }
  for (const char* name : {"solve_dense", "solve_mode", "decide", "find_open", "advance", "step_held", "project_LEVEL",
                           "load_terms", "assemble", "decide_contacts", "settle", "set_events", "apply_events",
                           "step_held_events", "settle_held", "guards_held"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// M = diag(2, 1), f = (1, 0), x_0 + x_1 = 2 stated twice: M x − f = s (1, 1) with x = ((1 + s)/2, s), hence s = 1 and x = (1, 1); of
// the two multipliers, whose sum is s, those of least norm.
TEST(Texts, OfRoutinesSolve) {
  Program program = program_of_sizes();
  ASSERT_EQ(add_routines(program, text_of("dense_solve.program")), "");
  ASSERT_EQ(add_routines(program, "public routine prepare() -> state {\nprepared[0] = 0.0\n}\n"), "");
  ProgramRun run(program, 1);
  const auto result = run.call(
      "solve_dense", {},
      {{"M", {2, 0, 0, 1}}, {"W", {1, 1, 1, 1}}, {"rows", {2}}, {"f", {1, 0}}, {"c", {2, 2}}, {"tolerance", {1e-10}}},
      0);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.array("x"), ElementsAre(::testing::DoubleNear(1, 1e-15), ::testing::DoubleNear(1, 1e-15)));
  EXPECT_THAT(result.array("y"), ElementsAre(::testing::DoubleNear(0.5, 1e-15), ::testing::DoubleNear(0.5, 1e-15)));
}

// Oracle: the library's method, and what a solution is. A = GᵀG of rank 2 or 3, b in its range or not: some have no solution.
TEST(Texts, OfRoutinesComplement) {
  Program program = program_of_sizes();
  ASSERT_EQ(add_routines(program, text_of("contact_problem.program")), "");
  ASSERT_EQ(add_routines(program, "public routine prepare() -> state {\nprepared[0] = 0.0\n}\n"), "");
  ProgramRun run(program, 1);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  int solved = 0, none = 0;
  for (int round = 0; round < 300; ++round) {
    const int rank = 2 + round % 2;
    std::vector<double> G(9), A(9), b(3);
    for (int i = 0; i < 3 * rank; ++i) G[static_cast<std::size_t>(i)] = any(random);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 3; ++k) A[i] += G[3 * k + i / 3] * G[3 * k + i % 3];
    for (double& x : b) x = any(random);
    Complementarity library;
    const bool found = library.solve(A, b);
    const auto result = run.call("complement", {}, {{"A", A}, {"b", b}, {"n", {3}}}, 0);
    EXPECT_EQ(result.status, found ? 0 : 6) << round;
    ++(found ? solved : none);
    for (std::size_t i = 0; found && i < 3; ++i) {
      const double z = result.array("z")[i], w = result.array("w")[i];
      EXPECT_NEAR(z, library.z()[i], 1e-11 * (1 + z)) << round;
      EXPECT_NEAR(w, library.w()[i], 1e-11 * (1 + w)) << round;
      EXPECT_GE(z, 0);
      EXPECT_GE(w, -1e-13);
      EXPECT_EQ(z * w, 0);
    }
  }
  EXPECT_GE(solved, 200);
  EXPECT_GE(none, 10);
}

}  // namespace
}  // namespace dalembert::testing
