// SPDX-License-Identifier: Apache-2.0
// Formulas as tables that a loop runs, in C.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "codegen/loaded.h"
#include "dalembert/codegen/fmu.h"
#include "dalembert/compile/compile.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Numbers = std::vector<double>;

// Every function, selections and comparisons; parameters of which something is prepared, an output.
constexpr const char* kFunctions = R"toml(name = "functions"
coordinates = [{name = "x"}]
[parameters]
m = 2
w = 0.3
[energy]
kinetic = "m/2*x'^2"
potential = "w*exp(tanh(sqrt(m)*x))*max(x, 0.2)*sign(x)^2 + abs(x)^1.5 + log(2 + x^2) + atan2(x, 1 + x^2) + floor(3*x) + if(x > 0.1 and x < 0.3 or not (x >= -1), x^2, x^3) + asin(x/9)*acos(x/9)*sinh(x)*cosh(x)*tan(x)*atan(x)*sqrt(4 + x)*min(x, 3)*sin(x) + cos(3*x)"
[outputs]
y = "x*x''/(1 + t^2)"
[initial]
position = {x = 0.25}
)toml";

constexpr CodeShape kTables{.most_statements = 0, .shortest_table = 0};

// Oracle: the same formulas as statements, to the bit. The self-test compares with the library.
TEST(TapeTables, HaveTheBitsOfStatements) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const std::string& text : {std::string(kFunctions), shipped_text("slider-crank")}) {
    const Equations equations = equations_of_text(text);
    const Dynamics dynamics = compile(equations, {.machine_code = false});
    Loaded written(equations), tabled(equations, kTables);
    EXPECT_THAT(tabled.exported().text(1), HasSubstr("_run(row, row + "));
    EXPECT_THAT(written.exported().text(1), Not(HasSubstr("_run(row, row + ")));
    EXPECT_GT(tabled.exported().files()[1].tables, 0u);
    const Ran ran = tabled.exported().self_test();
    EXPECT_EQ(ran.status, 0) << ran.out;
    const Layout& layout = dynamics.layout();
    const State start = initial_state(*equations.model);
    Numbers u(as_size(layout.inputs) + 1, 0.3);
    for (int round = 0; round < 40; ++round) {
      Numbers q = start.q, v = start.v;
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.4 * std::sin(round + 2.0 * static_cast<double>(i));
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += std::cos(round + 3.0 * static_cast<double>(i));
      const auto results = [&](Loaded& code) {
        Numbers all(as_size(layout.nv + layout.m) + 64);
        EXPECT_EQ(code.call<Loaded::Accelerations>("accelerations")(code.state(), 0.2, q.data(), v.data(), u.data(),
                                                                    all.data(), all.data() + layout.nv),
                  0);
        using Energy = void(void*, double, const double*, const double*, const double*, double*);
        code.call<Energy>("energy")(code.state(), 0.2, q.data(), v.data(), u.data(), all.data() + layout.nv + layout.m);
        return all;
      };
      const Numbers expected = results(written), got = results(tabled);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(expected[i])) << i;
    }
  }
}

// What C compilers are given to compile of a large model is no more than of a small one: the rest is tables. The
// routine `terms`, which an FMU does not call, is not in it.
TEST(TapeTables, AreThereWhereAnFmuHadManyStatements) {
  const auto source = [](int links, std::size_t most) {
    const Equations equations = equations_of_text(shipped_text("n-link-chain"), {"N=" + std::to_string(links)});
    Result<ExportedFmu> fmu = export_fmu(equations, "", most);
    EXPECT_TRUE(fmu);
    EXPECT_THAT(fmu->files[2].text, Not(HasSubstr("_terms(")));
    return fmu->files[2];
  };
  const CodeFile small = source(20, 100'000), tabled = source(40, 3000);
  EXPECT_EQ(small.tables, 0u);
  EXPECT_GT(tabled.tables, 0u);
  EXPECT_LT(tabled.text.size() - tabled.tables, small.text.size());
}

}  // namespace
}  // namespace dalembert::testing
