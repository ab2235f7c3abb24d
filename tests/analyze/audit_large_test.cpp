// SPDX-License-Identifier: Apache-2.0
// Claims about entries whose formulas are too large to be written: v̇ and the connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

Equations large_equations(const std::string& text) {
  Result<Model> loaded = load_model(make_source("model.toml", text));
  EXPECT_TRUE(loaded) << render(loaded.diagnostics());
  Result<Equations> equations = derive(std::make_shared<const Model>(loaded ? *loaded : Model()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  return *equations;
}

std::vector<AuditedClaim> large_audit(const std::string& model, const std::string& claims) {
  const Result<AuditReport> report = audit(large_equations(model + claims));
  EXPECT_TRUE(report) << render(report.diagnostics());
  return report ? report->claims : std::vector<AuditedClaim>(4);
}

std::string said_of(const char* entry, const char* equals, const char* given = nullptr) {
  return std::string("[[claim]]\nentry = \"") + entry + "\"\nequals = \"" + equals + "\"\n" +
         (given ? std::string("given = [\"") + given + "\"]\n" : std::string());
}

// A chain of four rods, of point masses at their ends, behind a skate.
const char* const kTow = R"toml(
coordinates = ["x", "y", "theta", "a1", "a2", "a3", "a4"]
[parameters]
m = 1
l = 1
I = 1
[energy]
kinetic = "m/2*(x'^2 + y'^2) + I/2*theta'^2 + m/2*((x' - l*a1'*sin(a1))^2 + (y' + l*a1'*cos(a1))^2) + m/2*((x' - l*a1'*sin(a1) - l*a2'*sin(a2))^2 + (y' + l*a1'*cos(a1) + l*a2'*cos(a2))^2) + m/2*((x' - l*a1'*sin(a1) - l*a2'*sin(a2) - l*a3'*sin(a3))^2 + (y' + l*a1'*cos(a1) + l*a2'*cos(a2) + l*a3'*cos(a3))^2) + m/2*((x' - l*a1'*sin(a1) - l*a2'*sin(a2) - l*a3'*sin(a3) - l*a4'*sin(a4))^2 + (y' + l*a1'*cos(a1) + l*a2'*cos(a2) + l*a3'*cos(a3) + l*a4'*cos(a4))^2)"
[[constraint]]
name = "knife"
pfaffian = "-x'*sin(theta) + y'*cos(theta)"
[quasi_velocities]
u = "x'*cos(theta) + y'*sin(theta)"
w = "theta'"
b1 = "a1'"
b2 = "a2'"
b3 = "a3'"
b4 = "a4'"
)toml";

// Truth: no force turns the skate, so dw/dt = 0. The rods pull along their own directions, so du/dt is no function of b1 alone.
TEST(AuditLarge, RatesOfQuasiVelocitiesAreComparedInNumbers) {
  const std::vector<AuditedClaim> claims =
      large_audit(kTow, said_of("vdot[w]", "0") + said_of("vdot[u]", "l*b1^2") + said_of("V", "0") +
                            said_of("vdot[w]", "l*u*w", "u = 0"));
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claims[0].note, "equal at 16 random points, but its formula is too large to write");
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claims[1].note, HasSubstr("compared in numbers"));
  EXPECT_TRUE(claims[1].point);
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kProved);  // the other claims of the file are judged as ever
  EXPECT_EQ(claims[3].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claims[3].note, "equal at 16 random points, but its formula is too large to write");
}

// Truth: momentum. Without the knife the momentum along x is conserved, m (5 x' − l (4 a1' sin a1 + 3 a2' sin a2 + …)).
TEST(AuditLarge, AMomentumAsAQuasiVelocityIsConstant) {
  std::string free = kTow;
  const std::size_t knife = free.find("[[constraint]]");
  free.replace(knife, free.find("[quasi_velocities]") - knife, "");
  free.replace(free.find("u = \"x'"), std::string("u = \"x'*cos(theta) + y'*sin(theta)\"").size(),
               "u = \"x' - l/5*(4*a1'*sin(a1) + 3*a2'*sin(a2) + 2*a3'*sin(a3) + a4'*sin(a4))\"\nz = \"y'\"");
  const std::vector<AuditedClaim> claims =
      large_audit(free, said_of("vdot[u]", "0") + said_of("vdot[z]", "l*b1^2*sin(a1)"));
  EXPECT_NE(claims[0].verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claims[0].note, HasSubstr("equal at 16 random points"));
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kDisproved);
}

// Carts with every two of them coupled, T = ½ Σ m_kl v_k v_l, a drag c on the second; and one by itself, of mass d with a drag b.
// Truth: ∂v̇/∂v of the one by itself is −b/d; no rate depends on v3; ∂v̇_1/∂v2 = −c (M⁻¹)_12, by Eigen.
std::string carts(int count) {
  std::string coordinates, parameters, kinetic, velocities;
  for (int k = 1; k <= count; ++k) {
    const std::string n = std::to_string(k);
    coordinates += "\"x" + n + "\", ";
    velocities += "v" + n + " = \"x" + n + "'\"\n";
    for (int l = k; l <= count; ++l) {
      const std::string m = "m" + n + "_" + std::to_string(l);
      parameters += m + " = " + (l == k ? "9" : "0." + std::to_string(k + l)) + "\n";
      kinetic += m + (l == k ? "/2" : "") + "*x" + n + "'*x" + std::to_string(l) + "' + ";
    }
  }
  return "coordinates = [" + coordinates + "\"y\"]\n[parameters]\nb = 3\nc = 2\nd = 0.5\n" + parameters +
         "[energy]\nkinetic = \"" + kinetic +
         "d/2*y'^2\"\n[[force]]\ncoordinate = \"x2\"\nvalue = \"-c*x2'\"\n[[force]]\ncoordinate = \"y\"\nvalue = "
         "\"-b*y'\"\n[quasi_velocities]\n" +
         velocities + "w = \"y'\"\n";
}

TEST(AuditLarge, DerivativesOfRatesAreComparedInNumbers) {
  constexpr int kCarts = 8;
  const std::vector<AuditedClaim> claims =
      large_audit(carts(kCarts), said_of("J[w,w]", "-b/d") + said_of("J[w,w]", "b/d") + said_of("J[v1,v3]", "0") +
                                     said_of("J[v1,v2]", "c*m1_2/(m1_1*m2_2)"));
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claims[0].note, "equal at 16 random points, but its formula is too large to write");
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claims[1].note, HasSubstr("with the opposite sign it is equal at 16 random points"));
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claims[3].verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(claims[3].point);
  std::map<std::string, double> at;
  for (const auto& [name, value] : claims[3].point->at) at[name] = value.to_double();
  Eigen::MatrixXd M(kCarts, kCarts);
  for (int k = 1; k <= kCarts; ++k)
    for (int l = k; l <= kCarts; ++l)
      M(k - 1, l - 1) = M(l - 1, k - 1) = at.at("m" + std::to_string(k) + "_" + std::to_string(l));
  const double truth = -at.at("c") * M.inverse()(0, 1);
  EXPECT_NEAR(claims[3].point->correct, truth, 1e-9 * std::abs(truth));
}

// With few carts the formula is written, and claims are proved by it. Where a force is one of a place there is no J at all.
TEST(AuditLarge, DerivativesOfShortRatesAreProved) {
  const std::vector<AuditedClaim> claims =
      large_audit(carts(2), said_of("J[v1,v2]", "c*m1_2/(m1_1*m2_2 - m1_2^2)") + said_of("J[v1,v2]", "0") +
                                said_of("J[w,w]", "-b/d"));
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kProved);
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kProved);
  std::string sprung = carts(8);
  sprung.replace(sprung.find("-c*x2'"), 6, "-c*x1");
  const Result<AuditReport> none = audit(large_equations(sprung + said_of("J[v1,v2]", "0")));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.diagnostics().front().message, HasSubstr("the equations without multipliers contain coordinates"));
}

// Six rows that are coupled, and one that is not: p8 = 2 p1, so p8' = −A p1' with A = −2.
const char* const kLoop = R"toml(
coordinates = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"]
[parameters]
k = 0.3
[energy]
kinetic = "1/2*(p1'^2 + p2'^2 + p3'^2 + p4'^2 + p5'^2 + p6'^2 + p7'^2 + p8'^2)"
[[constraint]]
name = "c1"
holonomic = "cos(p1) + cos(p2) - cos(p3) - cos(p4 + p5)"
[[constraint]]
name = "c2"
holonomic = "sin(p1) + sin(p2) - sin(p3) - sin(p4 + p5)"
[[constraint]]
name = "c3"
holonomic = "cos(p1) + cos(p2 + p4) - cos(p5) - cos(p6 + p2)"
[[constraint]]
name = "c4"
holonomic = "sin(p1) + sin(p2 + p4) - sin(p5) - sin(p6 + p2)"
[[constraint]]
name = "c5"
holonomic = "cos(p2) + cos(p3 + p6) - cos(p5 + p7) - cos(p6 + p2)"
[[constraint]]
name = "c6"
holonomic = "sin(p2) + sin(p3 + p6) - sin(p5 + p7) - sin(p6 + p2)"
[[constraint]]
name = "gear"
holonomic = "p8 - 2*p1"
[prescribed]
p1 = "k*t"
)toml";

TEST(AuditLarge, EntriesOfAConnectionAreComparedInNumbers) {
  const std::vector<AuditedClaim> claims =
      large_audit(kLoop, said_of("A[p8,p1]", "2") + said_of("kinematic[p8]", "p8' - 2*p1' = 0") +
                             said_of("kinematic[p8]", "p7'*(p8' - 2*p1') + p7' = 0"));
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claims[0].note, HasSubstr("with the opposite sign it is equal at 16 random points"));
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claims[1].note, "equal at 16 random points, but its formula is too large to write");
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kDisproved);
}

// Truth: W_p A = W_a, solved by Eigen at the state that is shown.
TEST(AuditLarge, ACounterExampleShowsTheEntryOfTheConnection) {
  const AuditedClaim claim = large_audit(kLoop, said_of("A[p2,p1]", "sin(p1 + p2 + p3 + p4 + p5 + p6 + p7)")).at(0);
  ASSERT_EQ(claim.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(claim.point);
  const Equations eq = large_equations(kLoop);
  std::map<std::string, double> at;
  for (const auto& [name, value] : claim.point->at) at[name] = value.to_double();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(eq.m(), eq.n());
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    W(eq.W.row[k], eq.W.col[k]) =
        evaluate(eq.W.value[k], [&](SymbolId s) { return at.at(eq.graph->symbol_info(s).name); });
  const Eigen::VectorXd A = W.rightCols(7).partialPivLu().solve(W.col(0));
  EXPECT_NEAR(claim.point->correct, A(0), 1e-9 * (1 + std::abs(A(0))));
}

}  // namespace
}  // namespace dalembert
