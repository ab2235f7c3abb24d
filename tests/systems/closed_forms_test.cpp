// SPDX-License-Identifier: Apache-2.0
// The shipped models against the closed forms of textbooks, symbolically: each entry is decided equal, not sampled.
// Oracle: tests/oracles/closed_forms.md, which names the sources.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct ExactMotion {
  const char* entry;
  const char* expected;
};
struct SystemCase {
  const char* model;
  std::vector<ExactMotion> forms;
};

const std::vector<SystemCase>& cases() {
  static const std::vector<SystemCase> all = {
      {"mass-spring", {{"M[x,x]", "m"}, {"B[x]", "0"}, {"G[x]", "k*x"}, {"eom[x]", "m*x'' + k*x"}}},
      {"cart-pendulum",
       {{"M[x,x]", "m + M"},
        {"M[x,theta]", "M*L*cos(theta)"},
        {"M[theta,theta]", "M*L^2"},
        {"B[x]", "-M*L*theta'^2*sin(theta)"},
        {"B[theta]", "0"},
        {"G[x]", "0"},
        {"G[theta]", "-M*g*L*sin(theta)"},
        {"F[theta]", "0"}}},
      {"polar-pendulum",
       {{"M[r,r]", "m"},
        {"M[r,theta]", "0"},
        {"M[theta,theta]", "m*r^2"},
        {"B[r]", "-m*r*theta'^2"},
        {"B[theta]", "2*m*r*r'*theta'"},
        {"G[r]", "-m*g*cos(theta)"},
        {"G[theta]", "m*g*r*sin(theta)"},
        {"F[r]", "f_x*sin(theta)"},
        {"F[theta]", "f_x*r*cos(theta)"},
        {"W[rod,r]", "1"},
        {"W[rod,theta]", "0"},
        {"gamma[rod]", "0"}}},
      {"cartesian-pendulum",
       {{"M[x,x]", "m"},
        {"M[x,y]", "0"},
        {"G[y]", "m*g"},
        {"B[x]", "0"},
        {"W[rod,x]", "x/sqrt(x^2 + y^2)"},
        {"gamma[rod]", "(x'^2 + y'^2)/sqrt(x^2 + y^2) - (x*x' + y*y')^2/sqrt(x^2 + y^2)^3"}}},
      {"four-bar",
       {{"M[x1,x1]", "m1"},
        {"M[theta2,theta2]", "m2*l2^2/12"},
        {"M[x1,theta1]", "0"},
        {"B[theta1]", "0"},
        {"G[y3]", "m3*g"},
        {"G[x3]", "0"},
        {"F[theta1]", "tau"},
        {"W[pin_A.x,theta1]", "l1/2*sin(theta1)"},
        {"W[pin_A.y,theta1]", "-l1/2*cos(theta1)"},
        {"W[pin_B.x,x1]", "-1"},
        {"gamma[pin_A.x]", "l1/2*cos(theta1)*theta1'^2"}}},
      {"slider-crank",
       {{"M[theta,theta]", "I1 + (m1 + 4*m2)*L1^2"},
        {"M[theta,phi]", "-2*m2*L1*L2*cos(theta - phi)"},
        {"M[phi,phi]", "I2 + m2*L2^2"},
        {"M[x,x]", "m3"},
        {"M[theta,x]", "0"},
        {"B[theta]", "-2*m2*L1*L2*phi'^2*sin(theta - phi)"},
        {"B[phi]", "2*m2*L1*L2*theta'^2*sin(theta - phi)"},
        {"B[x]", "0"},
        {"G[theta]", "(m1 + 2*m2)*g*L1*cos(theta)"},
        {"G[phi]", "-m2*g*L2*cos(phi)"},
        {"G[x]", "0"},
        {"F[theta]", "tau"},
        {"F[x]", "f"},
        {"W[pin[1],theta]", "-2*L1*sin(theta)"},
        {"W[pin[2],phi]", "-2*L2*cos(phi)"},
        {"gamma[pin[1]]", "-2*L1*theta'^2*cos(theta) + 2*L2*phi'^2*cos(phi)"},
        {"Wdot[pin[1],theta]", "-2*L1*cos(theta)*theta'"}}},
      {"chaplygin-sleigh",
       {{"M[x,x]", "m"},
        {"M[theta,theta]", "I"},
        {"M[x,theta]", "0"},
        {"B[x]", "0"},
        {"B[theta]", "0"},
        {"W[knife,x]", "-sin(theta)"},
        {"W[knife,y]", "cos(theta)"},
        {"W[knife,theta]", "-b"},
        {"a[knife]", "0"},
        {"gamma[knife]", "-theta'*(x'*cos(theta) + y'*sin(theta))"}}},
      {"chaplygin-sleigh-contact",
       {{"M[x,theta]", "-m*b*sin(theta)"},
        {"M[y,theta]", "m*b*cos(theta)"},
        {"M[theta,theta]", "I + m*b^2"},
        {"B[x]", "-m*b*theta'^2*cos(theta)"},
        {"B[y]", "-m*b*theta'^2*sin(theta)"},
        {"B[theta]", "0"},
        {"W[knife,x]", "-tan(theta)"},
        {"gamma[knife]", "-x'*theta'/cos(theta)^2"}}},
      {"point-pendulum-3d",
       {{"M[p1,p1]", "m"},
        {"B[p1]", "0"},
        {"G[p3]", "m*g"},
        {"W[rod,p2]", "p2"},
        {"gamma[rod]", "p1'^2 + p2'^2 + p3'^2"},
        {"eom[p1]", "m*p1'' - p1*lambda(rod)"},
        {"eom[p3]", "m*p3'' + m*g - p3*lambda(rod)"}}},
      {"delta-robot",
       {{"M[p1,p1]", "m"},
        {"M[alpha1,alpha1]", "M*l^2/3"},
        {"B[alpha1]", "0"},
        {"G[p3]", "m*g"},
        {"G[alpha2]", "-M*g*l*cos(alpha2)/2"},
        {"V", "m*g*p3 - M*g*l/2*(sin(alpha1) + sin(alpha2) + sin(alpha3))"},
        {"W[forearm1,p1]", "2*(p1 - (R - r + l*cos(alpha1)))"},
        {"W[forearm1,p3]", "2*(p3 + l*sin(alpha1))"},
        {"W[forearm2,p1]", "2*p1 + R - r + l*cos(alpha2)"}}},
      {"rod-on-corner",
       {{"M[x,x]", "m"},
        {"M[x,theta]", "-m*a*sin(theta)"},
        {"M[theta,theta]", "4*m*a^2/3"},
        {"B[x]", "-m*a*theta'^2*cos(theta)"},
        {"B[theta]", "0"},
        {"G[theta]", "m*g*a*cos(theta)"},
        {"W[corner,x]", "1"},
        {"W[corner,theta]", "-h/sin(theta)^2"},
        {"gamma[corner]", "2*h*theta'^2*cos(theta)/sin(theta)^3"}}},
      {"rolling-sphere",
       {{"M[psi,phi]", "2/5*m*r^2*cos(theta)"},
        {"M[theta,theta]", "2/5*m*r^2"},
        {"B[theta]", "2/5*m*r^2*psi'*phi'*sin(theta)"},
        {"B[psi]", "-2/5*m*r^2*theta'*phi'*sin(theta)"},
        {"W[roll[1],phi]", "r*sin(theta)"},
        {"W[roll[2],theta]", "r"},
        {"gamma[roll[1]]", "r*phi'*theta'*cos(theta) - x'*psi'*sin(psi) + y'*psi'*cos(psi)"}}},
      {"double-pendulum",
       {{"M[theta1,theta1]", "(m1 + m2)*l1^2"},
        {"M[theta1,theta2]", "m2*l1*l2*cos(theta1 - theta2)"},
        {"M[theta2,theta2]", "m2*l2^2"},
        {"B[theta1]", "m2*l1*l2*sin(theta1 - theta2)*theta2'^2"},
        {"B[theta2]", "-m2*l1*l2*sin(theta1 - theta2)*theta1'^2"},
        {"G[theta1]", "(m1 + m2)*g*l1*sin(theta1)"},
        {"G[theta2]", "m2*g*l2*sin(theta2)"}}},
      {"n-link-chain",
       {{"M[theta1,theta1]", "m*l^2*(9 + 1/3)"},
        {"M[theta2,theta5]", "m*l^2*(5 + 1/2)*cos(theta2 - theta5)"},
        {"G[theta4]", "m*g*l*(6 + 1/2)*cos(theta4)"},
        {"B[theta10]",
         "m*l^2/2*(sin(theta10 - theta1)*theta1'^2 + sin(theta10 - theta2)*theta2'^2 + "
         "sin(theta10 - theta3)*theta3'^2 + sin(theta10 - theta4)*theta4'^2 + sin(theta10 - theta5)*theta5'^2 + "
         "sin(theta10 - theta6)*theta6'^2 + "
         "sin(theta10 - theta7)*theta7'^2 + sin(theta10 - theta8)*theta8'^2 + sin(theta10 - theta9)*theta9'^2)"}}},
      {"n-link-chain-maximal",
       {{"M[x3,x3]", "m"},
        {"M[theta3,theta3]", "m*l^2/12"},
        {"B[theta3]", "0"},
        {"G[y7]", "m*g"},
        {"W[pin4.x,x3]", "-1"},
        {"W[pin4.y,theta3]", "-l/2*cos(theta3)"},
        {"W[pin4.y,theta4]", "-l/2*cos(theta4)"}}},
      {"car-axis",
       {{"M[xl,xl]", "M*eps^2/2"},
        {"B[xl]", "0"},
        {"G[xl]", "xl - L0*xl/sqrt(xl^2 + yl^2)"},
        {"W[upright,yl]", "r*sin(w*t)"},
        {"W[axle,xr]", "2*(xr - xl)"},
        {"a[axle]", "0"},
        {"a[upright]", "yl*r*w*cos(w*t) - xl*r^2*w*sin(w*t)*cos(w*t)/sqrt(L^2 - r^2*sin(w*t)^2)"}}},
      {"andrews-squeezer",
       {{"M[beta,beta]", "m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(Theta) + da^2) + I1 + I2"},
        {"M[Theta,beta]", "m2*(da^2 - da*rr*cos(Theta)) + I2"},
        {"M[gamma,gamma]", "m3*(sa^2 + sb^2) + I3"},
        {"M[delta,Phi]", "m4*((e - ea)^2 + zt*(e - ea)*sin(Phi)) + I4"},
        {"M[delta,delta]", "m4*(zt^2 + 2*zt*(e - ea)*sin(Phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5"},
        {"M[epsilon,epsilon]", "m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(Omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7"},
        {"B[beta]", "m2*da*rr*Theta'*(Theta' + 2*beta')*sin(Theta)"},
        {"B[delta]", "m4*zt*(e - ea)*Phi'*(Phi' + 2*delta')*cos(Phi)"},
        {"h[loop[1]]", "-(rr*cos(beta) - d*cos(beta + Theta) - ss*sin(gamma) - xb)"},
        {"W[loop[3],Phi]", "e*cos(Phi + delta)"}}},
  };
  return all;
}

class ClosedForms : public ::testing::TestWithParam<SystemCase> {};

TEST_P(ClosedForms, AreReproducedSymbolically) {
  const Equations eq = derive_shipped(GetParam().model);
  Canonicalizer canonicalizer(*eq.model->graph);
  for (const ExactMotion& form : GetParam().forms) {
    const auto entry = find_entry(eq, MappedText::of(form.entry));
    ASSERT_TRUE(entry) << render(entry.diagnostics());
    const auto expected = parse(form.expected, *eq.model->graph);
    ASSERT_TRUE(expected) << render(expected.diagnostics());
    EXPECT_EQ(decide_zero(canonicalizer, *entry - *expected), ZeroTest::kZero)
        << form.entry << " = " << to_text(*entry) << "\n  expected " << form.expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ClosedForms, ::testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.model;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace dalembert
