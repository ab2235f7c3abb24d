// SPDX-License-Identifier: Apache-2.0
// Entries as they are printed. Each line was read beside the textbook's form (tests/oracles/closed_forms.md) once, by
// eye; closed_forms_test.cpp decides that they are equal, this holds how they look.
#include <map>
#include <memory>
#include <string_view>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/equation_printer.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct Printed {
  const char* model;
  const char* entry;
  const char* text;
};

constexpr Printed kPrinted[] = {
    {"mass-spring", "eom[x]", "m*x'' + k*x"},
    {"cart-pendulum", "M[x,x]", "m + M"},
    {"cart-pendulum", "M[x,theta]", "M*L*cos(theta)"},
    {"cart-pendulum", "M[theta,theta]", "M*L^2"},
    {"cart-pendulum", "B[x]", "-M*L*theta'^2*sin(theta)"},
    {"cart-pendulum", "G[theta]", "-M*g*L*sin(theta)"},
    {"polar-pendulum", "M[theta,theta]", "m*r^2"},
    {"polar-pendulum", "B[r]", "-m*r*theta'^2"},
    {"polar-pendulum", "B[theta]", "2*m*r*r'*theta'"},
    {"polar-pendulum", "G[r]", "-m*g*cos(theta)"},
    {"polar-pendulum", "G[theta]", "m*g*r*sin(theta)"},
    {"polar-pendulum", "F[r]", "f_x*sin(theta)"},
    {"polar-pendulum", "F[theta]", "f_x*r*cos(theta)"},
    {"cartesian-pendulum", "W[rod,x]", "x/sqrt(x^2 + y^2)"},
    {"cartesian-pendulum", "gamma[rod]", "(y*x' - x*y')^2/((x^2 + y^2)*sqrt(x^2 + y^2))"},
    {"four-bar", "M[theta2,theta2]", "1/12*m2*l2^2"},
    {"four-bar", "G[y3]", "m3*g"},
    {"four-bar", "W[pin_A.x,theta1]", "1/2*l1*sin(theta1)"},
    {"four-bar", "W[pin_A.y,theta1]", "-1/2*l1*cos(theta1)"},
    {"four-bar", "gamma[pin_A.x]", "1/2*l1*theta1'^2*cos(theta1)"},
    {"slider-crank", "M[theta,theta]", "(m1 + 4*m2)*L1^2 + I1"},
    {"slider-crank", "M[theta,phi]", "-2*m2*L1*L2*cos(theta - phi)"},
    {"slider-crank", "M[phi,phi]", "m2*L2^2 + I2"},
    {"slider-crank", "B[theta]", "-2*m2*L1*L2*phi'^2*sin(theta - phi)"},
    {"slider-crank", "B[phi]", "2*m2*L1*L2*theta'^2*sin(theta - phi)"},
    {"slider-crank", "G[theta]", "(m1 + 2*m2)*g*L1*cos(theta)"},
    {"slider-crank", "G[phi]", "-m2*g*L2*cos(phi)"},
    {"slider-crank", "W[pin[1],theta]", "-2*L1*sin(theta)"},
    {"slider-crank", "W[pin[2],phi]", "-2*L2*cos(phi)"},
    {"slider-crank", "gamma[pin[1]]", "-2*L1*theta'^2*cos(theta) + 2*L2*phi'^2*cos(phi)"},
    {"slider-crank", "Wdot[pin[1],theta]", "-2*L1*theta'*cos(theta)"},
    {"chaplygin-sleigh", "W[knife,x]", "-sin(theta)"},
    {"chaplygin-sleigh", "W[knife,y]", "cos(theta)"},
    {"chaplygin-sleigh", "gamma[knife]", "-(x'*cos(theta) + y'*sin(theta))*theta'"},
    {"ladder", "F[phi]", "a*(friction(foot)*sin(phi) - friction(top)*cos(phi))"},
    {"point-pendulum-3d", "h[rod]", "1/2*(p1^2 + p2^2 + p3^2 - L^2)"},
    {"ball-with-spin", "h[table]", "z - r"},
    {"chaplygin-sleigh-contact", "M[x,theta]", "-m*b*sin(theta)"},
    {"chaplygin-sleigh-contact", "M[y,theta]", "m*b*cos(theta)"},
    {"chaplygin-sleigh-contact", "M[theta,theta]", "m*b^2 + I"},
    {"chaplygin-sleigh-contact", "B[x]", "-m*b*theta'^2*cos(theta)"},
    {"chaplygin-sleigh-contact", "B[y]", "-m*b*theta'^2*sin(theta)"},
    {"chaplygin-sleigh-contact", "W[knife,x]", "-tan(theta)"},
    {"chaplygin-sleigh-contact", "gamma[knife]", "-x'*theta'/cos(theta)^2"},
    {"point-pendulum-3d", "gamma[rod]", "p1'^2 + p2'^2 + p3'^2"},
    {"point-pendulum-3d", "eom[p1]", "m*p1'' - lambda(rod)*p1"},
    {"point-pendulum-3d", "eom[p3]", "m*p3'' + m*g - lambda(rod)*p3"},
    {"delta-robot", "M[alpha1,alpha1]", "1/3*M*l^2"},
    {"delta-robot", "G[alpha2]", "-1/2*M*g*l*cos(alpha2)"},
    {"delta-robot", "V", "m*g*p3 - 1/2*M*g*l*(sin(alpha1) + sin(alpha2) + sin(alpha3))"},
    {"delta-robot", "W[forearm1,p1]", "2*(r - R + p1 - l*cos(alpha1))"},
    {"delta-robot", "W[forearm1,p3]", "2*p3 + 2*l*sin(alpha1)"},
    {"delta-robot", "W[forearm2,p1]", "R - r + 2*p1 + l*cos(alpha2)"},
    {"rod-on-corner", "M[x,theta]", "-m*a*sin(theta)"},
    {"rod-on-corner", "M[theta,theta]", "4/3*m*a^2"},
    {"rod-on-corner", "B[x]", "-m*a*theta'^2*cos(theta)"},
    {"rod-on-corner", "G[theta]", "m*g*a*cos(theta)"},
    {"rod-on-corner", "W[corner,theta]", "-h/sin(theta)^2"},
    {"rod-on-corner", "gamma[corner]", "2*h*theta'^2*cos(theta)/sin(theta)^3"},
    {"rolling-sphere", "M[psi,phi]", "2/5*m*r^2*cos(theta)"},
    {"rolling-sphere", "M[theta,theta]", "2/5*m*r^2"},
    {"rolling-sphere", "B[theta]", "2/5*m*r^2*psi'*phi'*sin(theta)"},
    {"rolling-sphere", "B[psi]", "-2/5*m*r^2*theta'*phi'*sin(theta)"},
    {"rolling-sphere", "W[roll[1],phi]", "r*sin(theta)"},
    {"rolling-sphere", "gamma[roll[1]]", "y'*psi'*cos(psi) + r*theta'*phi'*cos(theta) - x'*psi'*sin(psi)"},
    {"double-pendulum", "M[theta1,theta1]", "(m1 + m2)*l1^2"},
    {"double-pendulum", "M[theta1,theta2]", "m2*l1*l2*cos(theta1 - theta2)"},
    {"double-pendulum", "M[theta2,theta2]", "m2*l2^2"},
    {"double-pendulum", "B[theta1]", "m2*l1*l2*theta2'^2*sin(theta1 - theta2)"},
    {"double-pendulum", "B[theta2]", "-m2*l1*l2*theta1'^2*sin(theta1 - theta2)"},
    {"double-pendulum", "G[theta1]", "(m1 + m2)*g*l1*sin(theta1)"},
    {"double-pendulum", "G[theta2]", "m2*g*l2*sin(theta2)"},
    {"n-link-chain", "M[theta1,theta1]", "28/3*m*l^2"},
    {"n-link-chain", "M[theta2,theta5]", "11/2*m*l^2*cos(theta2 - theta5)"},
    {"n-link-chain", "G[theta4]", "13/2*m*g*l*cos(theta4)"},
    {"n-link-chain", "B[theta10]",
     "-1/2*m*l^2*(theta1'^2*sin(theta1 - theta10) + theta2'^2*sin(theta2 - theta10) + theta3'^2*sin(theta3 "
     "- theta10) + theta4'^2*sin(theta4 - theta10) + theta5'^2*sin(theta5 - theta10) + "
     "theta6'^2*sin(theta6 - theta10) + theta7'^2*sin(theta7 - theta10) + theta8'^2*sin(theta8 - theta10) "
     "+ theta9'^2*sin(theta9 - theta10))"},
    {"n-link-chain-maximal", "M[theta3,theta3]", "1/12*m*l^2"},
    {"n-link-chain-maximal", "W[pin4.y,theta3]", "-1/2*l*cos(theta3)"},
    {"n-link-chain-maximal", "W[pin4.y,theta4]", "-1/2*l*cos(theta4)"},
    {"car-axis", "M[xl,xl]", "1/2*M*eps^2"},
    {"car-axis", "G[xl]", "xl - L0*xl/sqrt(xl^2 + yl^2)"},
    {"car-axis", "W[upright,yl]", "r*sin(w*t)"},
    {"car-axis", "W[axle,xr]", "-2*xl + 2*xr"},
    {"andrews-squeezer", "M[beta,beta]", "m1*ra^2 + m2*(da^2 + rr^2) + I1 + I2 - 2*m2*da*rr*cos(Theta)"},
    {"andrews-squeezer", "M[Theta,beta]", "m2*da^2 + I2 - m2*da*rr*cos(Theta)"},
    {"andrews-squeezer", "M[gamma,gamma]", "m3*(sa^2 + sb^2) + I3"},
    {"andrews-squeezer", "M[delta,Phi]", "m4*(e - ea)^2 + I4 + m4*(e - ea)*zt*sin(Phi)"},
    {"andrews-squeezer", "M[delta,delta]",
     "m4*(e^2 - 2*e*ea + ea^2 + zt^2) + m5*(ta^2 + tb^2) + I4 + I5 + 2*m4*(e - ea)*zt*sin(Phi)"},
    {"andrews-squeezer", "M[epsilon,epsilon]",
     "m6*(u^2 + zf^2 - 2*zf*fa + fa^2) + m7*(ua^2 + ub^2) + I6 + I7 + 2*m6*u*(fa - zf)*sin(Omega)"},
    {"andrews-squeezer", "B[beta]", "m2*da*rr*Theta'*(Theta' + 2*beta')*sin(Theta)"},
    {"andrews-squeezer", "B[delta]", "m4*(e - ea)*zt*Phi'*(Phi' + 2*delta')*cos(Phi)"},
    {"andrews-squeezer", "h[loop[1]]", "xb - rr*cos(beta) + d*cos(beta + Theta) + ss*sin(gamma)"},
    {"andrews-squeezer", "W[loop[3],Phi]", "e*cos(Phi + delta)"},
};

struct Shipped {
  explicit Shipped(const std::string& name)
      : equations(derive_shipped(name)), printer(*equations.model->graph, Form::kCanonical, Notation::kText) {}
  Equations equations;
  EquationPrinter printer;
};

std::string printed(std::map<std::string, std::unique_ptr<Shipped>>& systems, const std::string& model,
                    const char* entry) {
  auto& system = systems[model];
  if (!system) system = std::make_unique<Shipped>(model);
  const auto found = find_entry(system->equations, MappedText::of(entry));
  return found ? text_of(system->printer.entry(*found)) : render(found.diagnostics());
}

// Without FLINT quotients are not cancelled; everything else prints the same.
bool looks_the_same_here(const Printed& form) {
  const std::string_view text = form.text;
  const bool quotient =
      text.find("/(") != text.npos || text.find("/sin") != text.npos || text.find("/cos") != text.npos;
  return has_rational_forms() || !quotient;
}

TEST(PrintedForms, AreThoseOfTextbooks) {
  std::map<std::string, std::unique_ptr<Shipped>> systems;
  for (const Printed& form : kPrinted) {
    if (!looks_the_same_here(form)) continue;
    EXPECT_EQ(printed(systems, form.model, form.entry), form.text) << form.model << " " << form.entry;
  }
}

// What is printed reads back as the entry it stands for: decided, not sampled.
TEST(PrintedForms, ReadBackAsWhatTheyStandFor) {
  std::map<std::string, std::unique_ptr<Shipped>> systems;
  for (const Printed& form : kPrinted) {
    const std::string text = printed(systems, form.model, form.entry);
    Graph& graph = *systems.at(form.model)->equations.model->graph;
    const auto again = parse(text, graph);
    ASSERT_TRUE(again) << render(again.diagnostics());
    Canonicalizer canonicalizer(graph);
    const Expr entry = *find_entry(systems.at(form.model)->equations, MappedText::of(form.entry));
    EXPECT_EQ(decide_zero(canonicalizer, entry - *again), ZeroTest::kZero)
        << form.model << " " << form.entry << ": " << text;
  }
}

// A distance in space: the chain rule, where one bar would be a page (tests/algebra/root_powers_test.cpp decides that they are equal).
// Its rates are velocities v of the model, not rates of coordinates: the graph has two symbols for each, so it is not read back above.
TEST(PrintedForms, DistancesInSpaceHaveTheirChainRule) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT sums are not factored";
  std::map<std::string, std::unique_ptr<Shipped>> systems;
  EXPECT_EQ(
      printed(systems, "quadrotor-slung-load", "gamma[rod]"),
      "((x' - X')^2 + (y' - Y')^2 + (z' - Z')^2)/sqrt((x - X)^2 + (y - Y)^2 + (z - Z)^2)"
      " - ((x - X)*(x' - X') + (y - Y)*(y' - Y') + (z - Z)*(z' - Z'))^2/((x - X)^2 + (y - Y)^2 + (z - Z)^2)^(3/2)");
}

// The order in which entries are asked for leaves no trace in the output.
TEST(PrintedForms, DoNotDependOnTheOrderOfWork) {
  std::map<std::string, std::unique_ptr<Shipped>> systems;
  for (auto form = std::rbegin(kPrinted); form != std::rend(kPrinted); ++form) {
    if (!looks_the_same_here(*form)) continue;
    EXPECT_EQ(printed(systems, form->model, form->entry), form->text) << form->model << " " << form->entry;
  }
}

}  // namespace
}  // namespace dalembert
