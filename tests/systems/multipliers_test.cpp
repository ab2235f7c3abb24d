// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers of the shipped models, model file → derive → compile → solve_kkt, against closed forms
// and hand elimination at random consistent states.
//
// Tolerance: the answers are sums and quotients of a few dozen terms, solved for with KKT matrices of condition < 1e4
// (in the models' units), so that errors are below 1e4 · 2⁻⁵² ≈ 2e-12 at worst and about 1e-14 as a rule; 1e-12 of the
// largest entry is asked for.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::Jet;
using oracles::ReducedBody;

constexpr int kStates = 25;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

 private:
  std::mt19937 engine_;
};

/// Each within 1e-12 of the largest expected magnitude (or of `scale`, where the expected values are zero).
void expect_equal(const std::vector<double>& actual, const std::vector<double>& expected, const std::string& what,
                  double scale = 0) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-12 * scale) << what << " " << i;
}

/// The state made by hand is on the manifold, or the test would compare the wrong things.
void expect_consistent(const Dynamics& dynamics, const State& state) {
  for (const double h : position_residual(dynamics, state)) EXPECT_NEAR(h, 0, 1e-14);
  for (const double rate : velocity_residual(dynamics, state)) EXPECT_NEAR(rate, 0, 1e-13);
}

KktSolution solve(const Dynamics& dynamics, const State& state, int rank) {
  expect_consistent(dynamics, state);
  KktSolution solution = solve_kkt(dynamics, state);
  EXPECT_EQ(solution.status, KktStatus::kOk);
  EXPECT_EQ(solution.rank, rank);
  for (const bool unique : solution.lambda_unique) EXPECT_TRUE(unique);
  return solution;
}

double outputs_of(const Dynamics& dynamics, const State& state, const KktSolution& at) {
  std::vector<double> work(dynamics.layout().work), u(static_cast<std::size_t>(dynamics.layout().inputs) + 1);
  dynamics.inputs(state.t, work.data(), u.data());
  double out = 0;
  EXPECT_EQ(dynamics.layout().outputs, 1);
  dynamics.kernel().call(KernelFunction::kOutputs,
                         {.t = state.t,
                          .q = state.q.data(),
                          .v = state.v.data(),
                          .qdd = at.qdd.data(),
                          .lambda = at.lambda.data(),
                          .u = u.data(),
                          .p = dynamics.parameters().data(),
                          .prepared = dynamics.prepared(),
                          .work = work.data()},
                         &out);
  return out;
}

// Oracle: theory §10, λ = −m L θ̇² − m g cos θ − f_x sin θ; θ̈ from the moment about the pivot.
TEST(Multipliers, PolarPendulum) {
  const System system = shipped("polar-pendulum", {"f_x=3*sin(5*t)"});
  const double m = 0.5, L = 0.8, g = 9.81;
  Random random(1);
  for (int k = 0; k < kStates; ++k) {
    const double t = random.between(0, 3), th = random.between(-3, 3), w = random.between(-5, 5);
    const double f = 3 * std::sin(5 * t), s = std::sin(th), c = std::cos(th);
    const State state{t, {L, th}, {0, w}};
    const KktSolution at = solve(system.dynamics, state, 1);
    expect_equal(at.lambda, {-m * L * w * w - m * g * c - f * s}, "lambda", m * g);
    expect_equal(at.qdd, {0, (f * c - m * g * s) / (m * L)}, "qdd", g / L);
    EXPECT_EQ(outputs_of(system.dynamics, state, at), -at.lambda[0]);
  }
  // The number that closed_forms.md gives for the shipped start, without force.
  const System free = shipped("polar-pendulum");
  EXPECT_NEAR(solve(free.dynamics, free.start(), 1).lambda[0], -5.847854605562672, 1e-12 * 5.9);
}

// Oracle: closed_forms.md, λ = m g y/L − m v²/L with h = √(x² + y²) − L; q̈ = −g e_y + λ (x, y)/(m L).
TEST(Multipliers, CartesianPendulum) {
  const System system = shipped("cartesian-pendulum", {"m=1.7 kg", "L=60 cm"});
  const double m = 1.7, L = 0.6, g = 9.81;
  Random random(2);
  for (int k = 0; k < kStates; ++k) {
    const double th = random.between(-3, 3), w = random.between(-5, 5), s = std::sin(th), c = std::cos(th);
    const State state{0, {L * s, -L * c}, {L * w * c, L * w * s}};
    const KktSolution at = solve(system.dynamics, state, 1);
    const double lambda = -m * g * c - m * L * w * w;
    expect_equal(at.lambda, {lambda}, "lambda", m * g);
    expect_equal(at.qdd, {lambda * s / m, -g - lambda * c / m}, "qdd", g + L * w * w);
    EXPECT_EQ(outputs_of(system.dynamics, state, at), -at.lambda[0]);
  }
}

// Oracle: theory §2 on the sign of λ: with h = r − L a rod under tension has λ < 0, and the tension of a bob at rest is
// its weight, −λ = m g; upside down it is pushed, λ = +m g.
TEST(Multipliers, PendulumAtRestIsUnderTension) {
  const System cartesian = shipped("cartesian-pendulum"), polar = shipped("polar-pendulum");
  const double weight = 9.81, polar_weight = 0.5 * 9.81;
  const KktSolution hanging = solve(cartesian.dynamics, {0, {0, -1}, {0, 0}}, 1);
  EXPECT_NEAR(hanging.lambda[0], -weight, 1e-14 * weight);
  expect_equal(hanging.qdd, {0, 0}, "qdd", 9.81);
  EXPECT_NEAR(solve(polar.dynamics, {0, {0.8, 0}, {0, 0}}, 1).lambda[0], -polar_weight, 1e-14 * polar_weight);
  EXPECT_NEAR(solve(cartesian.dynamics, {0, {0, 1}, {0, 0}}, 1).lambda[0], weight, 1e-14 * weight);
  EXPECT_NEAR(solve(polar.dynamics, {0, {0.8, M_PI}, {0, 0}}, 1).lambda[0], polar_weight, 1e-14 * polar_weight);
}

// Oracle: theory §10, λ = (m g p₃ − m ṗ·ṗ)/L², p̈ = −g e₃ + λ p/m.
TEST(Multipliers, SphericalPendulum) {
  const System system = shipped("point-pendulum-3d", {"m=0.7 kg"});
  const double m = 0.7, L = 1.3, g = 9.81;
  Random random(3);
  for (int k = 0; k < kStates; ++k) {
    const double th = random.between(0.1, 3), ph = random.between(-3, 3);
    const double thd = random.between(-3, 3), phd = random.between(-3, 3);
    const double s = std::sin(th), c = std::cos(th), S = std::sin(ph), C = std::cos(ph);
    const State state{0,
                      {L * s * C, L * s * S, -L * c},
                      {L * (c * C * thd - s * S * phd), L * (c * S * thd + s * C * phd), L * s * thd}};
    const KktSolution at = solve(system.dynamics, state, 1);
    const double v2 = L * L * (thd * thd + s * s * phd * phd);  // in spherical coordinates
    const double lambda = (m * g * state.q[2] - m * v2) / (L * L);
    expect_equal(at.lambda, {lambda}, "lambda", m * g / L);
    expect_equal(at.qdd, {lambda / m * state.q[0], lambda / m * state.q[1], -g + lambda / m * state.q[2]}, "qdd");
  }
}

// Oracle: theory §10: u̇ = bω², ω̇ = −mb/(I + mb²) uω, λ = +mI/(I + mb²) ωu, with u the forward speed. The centre of
// mass moves with (u, bω) along and across the sleigh, the contact point with (u, 0); their accelerations are the
// derivatives of that in a frame that turns with ω.
TEST(Multipliers, ChaplyginSleigh) {
  const System centre = shipped("chaplygin-sleigh"), contact = shipped("chaplygin-sleigh-contact");
  const double m = 1.3, I = 0.7, b = 0.4, J = I + m * b * b;
  Random random(4);
  for (int k = 0; k < kStates; ++k) {
    // The contact form divides by cos θ.
    const double th = random.between(-1.2, 1.2), u = random.between(-4, 4), w = random.between(-4, 4);
    const double s = std::sin(th), c = std::cos(th), x = random.between(-5, 5), y = random.between(-5, 5);
    const double ud = b * w * w, wd = -m * b / J * u * w, lambda = m * I / J * w * u;
    const State at_contact{0, {x, y, th}, {u * c, u * s, w}};
    const State at_centre{0, {x + b * c, y + b * s, th}, {u * c - b * w * s, u * s + b * w * c, w}};
    const double along = ud - b * w * w, across = u * w + b * wd;
    const KktSolution one = solve(centre.dynamics, at_centre, 1), two = solve(contact.dynamics, at_contact, 1);
    expect_equal(one.lambda, {lambda}, "centre lambda", m * std::abs(u * w));
    expect_equal(one.qdd, {along * c - across * s, along * s + across * c, wd}, "centre qdd", w * w + std::abs(u * w));
    expect_equal(two.lambda, {lambda * c}, "contact lambda", m * std::abs(u * w));
    expect_equal(two.qdd, {ud * c - u * w * s, ud * s + u * w * c, wd}, "contact qdd", w * w + std::abs(u * w));
  }
}

// Oracle: reduction by hand to θ, x = c − h cot θ. The corner is the only thing that pushes the rod
// sideways, so λ = m ẍ_C; what it pushes is N_Q along (−sin θ, cos θ), so N_Q = −λ/sin θ. Numbers of the shipped start:
// closed_forms.md.
TEST(Multipliers, RodOnCorner) {
  const System system = shipped("rod-on-corner");
  const double m = 2, a = 0.8, h = 0.5, g = 9.81;
  Random random(5);
  for (int k = 0; k < kStates; ++k) {
    const double w = random.between(-3, 3);
    const Jet th = oracles::variable(random.between(0.4, 2.5));
    const Jet x = oracles::constant(1) - h * (cos(th) * inverse(sin(th)));
    const ReducedBody rod{m, m * a * a / 3, x + a * cos(th), a * sin(th), th};
    const double thdd = oracles::reduced_acceleration({rod}, g, w, 0);
    const State state{0, {x.f, th.f}, {x.rate(w), w}};
    const KktSolution at = solve(system.dynamics, state, 1);
    const double lambda = m * rod.x.acceleration(w, thdd);
    expect_equal(at.qdd, {x.acceleration(w, thdd), thdd}, "qdd", g);
    expect_equal(at.lambda, {lambda}, "lambda", m * g);
    EXPECT_NEAR(outputs_of(system.dynamics, state, at), -lambda / std::sin(th.f), 1e-11 * m * (g + w * w));
  }
  const State start = system.start();
  const KktSolution at = solve(system.dynamics, start, 1);
  const double normal = outputs_of(system.dynamics, start, at);
  EXPECT_NEAR(normal, 9.442321071260848, 1e-12 * 9.5);
  const double s = std::sin(start.q[1]), c = std::cos(start.q[1]);
  EXPECT_NEAR(m * g - normal * c + m * a * at.qdd[1] * c, 4.246973988038962, 1e-12 * m * g) << "floor, θ̇ = 0";
  EXPECT_NEAR(normal * s, -at.lambda[0], 1e-14 * normal);
}

// Oracle: theory §10: the rolling sphere needs no friction, λ = 0 and ẍ = ÿ = 0, whatever its spin; by Euler's
// equations its angular velocity ω = ψ̇ e₃ + θ̇ (cos ψ, sin ψ, 0) + φ̇ (sin ψ sin θ, −cos ψ sin θ, cos θ) is constant. λ
// is measured against the inertia forces m r ω² that cancel in it, amplified by 1/sin²θ ≤ 12 where Euler angles are
// skew.
TEST(Multipliers, RollingSphere) {
  const System system = shipped("rolling-sphere");
  const double m = 0.6, r = 0.12;
  Random random(6);
  for (int k = 0; k < 2 * kStates; ++k) {
    const double psi = random.between(-3, 3), th = random.between(0.3, 2.8), phi = random.between(-3, 3);
    const double vx = random.between(-1, 1), vy = random.between(-1, 1);
    const double s = std::sin(th), c = std::cos(th), S = std::sin(psi), C = std::cos(psi);
    const double thd = (vx * S - vy * C) / r, phid = -(vx * C + vy * S) / (r * s);
    // Straight rolling has no angular velocity about the vertical, ψ̇ + φ̇ cos θ = 0; the others spin.
    const double spin = k % 2 == 0 ? 0 : random.between(-10, 10), psid = spin - phid * c;
    const KktSolution at = solve(system.dynamics, {0, {vx, vy, psi, th, phi}, {vx, vy, psid, thd, phid}}, 2);
    const double rates = psid * psid + thd * thd + phid * phid;
    expect_equal(at.lambda, {0, 0}, "lambda", m * r * rates * 12);
    expect_equal({at.qdd[0], at.qdd[1]}, {0, 0}, "x'', y''", r * rates * 12);
    const double psidd = at.qdd[2], thdd = at.qdd[3], phidd = at.qdd[4];
    const double ds = c * thd, dc = -s * thd, dS = C * psid, dC = -S * psid;  // rates of s, c, S, C
    expect_equal({thdd * C + thd * dC + phidd * S * s + phid * (dS * s + S * ds),
                  thdd * S + thd * dS - phidd * C * s - phid * (dC * s + C * ds), psidd + phidd * c + phid * dc},
                 {0, 0, 0}, "omega'", rates * 12);
  }
}

// Oracle: hand reduction to θ (minimal_coordinates.h); λ = (λ₁, λ₂) is the force on the rod's end at the slider: the
// slider gives λ₁ = f − m₃ẍ, the rod's moment about its centre 2L₂ e(φ)×λ = L₂ e(φ)×m₂(r̈ + g e_y) − I₂φ̈ gives λ₂.
TEST(Multipliers, SliderCrank) {
  using oracles::ReducedSliderCrank;
  const System system = shipped("slider-crank", {"tau=2*sin(3*t)", "f=5*cos(4*t)"});
  const double L2 = ReducedSliderCrank::L2, m2 = ReducedSliderCrank::m2, g = ReducedSliderCrank::g;
  Random random(7);
  for (int k = 0; k < kStates; ++k) {
    const double t = random.between(0, 3), th = random.between(-7, 7), w = random.between(-10, 10);
    const double tau = 2 * std::sin(3 * t), f = 5 * std::cos(4 * t);
    const ReducedSliderCrank crank(th);
    const double thdd = crank.acceleration(w, tau, f);
    const double phdd = crank.phi.acceleration(w, thdd), xdd = crank.x.acceleration(w, thdd);
    const double lambda1 = f - ReducedSliderCrank::m3 * xdd, c = std::cos(crank.phi.f), s = std::sin(crank.phi.f);
    const ReducedBody& rod = crank.bodies[1];
    const double fx = m2 * rod.x.acceleration(w, thdd), fy = m2 * (rod.y.acceleration(w, thdd) + g);
    const double moment = L2 * (c * fy - s * fx) - ReducedSliderCrank::I2 * phdd;
    const double lambda2 = (moment / (2 * L2) + s * lambda1) / c;
    const State state{t, {th, crank.phi.f, crank.x.f}, {w, crank.phi.rate(w), crank.x.rate(w)}};
    const KktSolution at = solve(system.dynamics, state, 2);
    expect_equal(at.qdd, {thdd, phdd, xdd}, "qdd", g);
    expect_equal(at.lambda, {lambda1, lambda2}, "lambda", g);
  }
}

// Oracle: hand reduction to θ1; the pin forces from Newton's and Euler's laws of the coupler and the rocker, which
// leave two equations for the force at C, then link by link. Rank 8 of 9 coordinates: n = 1 (theory §10).
TEST(Multipliers, FourBar) {
  using Eigen::Vector2d;
  using oracles::ReducedFourBar;
  const System system = shipped("four-bar", {"tau=2*sin(3*t)"});
  ASSERT_EQ(system.dynamics.nv(), 9);
  ASSERT_EQ(system.dynamics.m(), 8);
  Random random(8);
  for (int k = 0; k < kStates; ++k) {
    const double t = random.between(0, 3), w = random.between(-10, 10);
    const ReducedFourBar bars(random.between(-7, 7));
    const double sdd = bars.acceleration(w, 2 * std::sin(3 * t));
    State state{t, {}, {}};
    std::vector<double> qdd;
    std::vector<Vector2d> e, force;  // of each bar: its direction, m(r̈ + g e_y)
    std::vector<double> moment;      // I α̈
    for (const ReducedBody& bar : bars.bodies) {
      for (const Jet* q : {&bar.x, &bar.y, &bar.angle}) {
        state.q.push_back(q->f);
        state.v.push_back(q->rate(w));
        qdd.push_back(q->acceleration(w, sdd));
      }
      e.emplace_back(std::cos(bar.angle.f), std::sin(bar.angle.f));
      force.emplace_back(bar.m * bar.x.acceleration(w, sdd), bar.m * (bar.y.acceleration(w, sdd) + ReducedFourBar::g));
      moment.push_back(bar.I * qdd.back());
    }
    const auto cross = [](const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); };
    // Coupler: B − C = f₂, −(l₂/2) e₂×(B + C) = I₂α̈₂. Rocker: C + D = f₃, (l₃/2) e₃×(C − D) = I₃α̈₃.
    Eigen::Matrix2d A;
    A << -e[1].y(), e[1].x(), -e[2].y(), e[2].x();
    const Vector2d C = A.inverse() * Vector2d(-moment[1] / ReducedFourBar::l2 - cross(e[1], force[1]) / 2,
                                              moment[2] / ReducedFourBar::l3 + cross(e[2], force[2]) / 2);
    const Vector2d B = C + force[1], D = force[2] - C, pin_A = B + force[0];
    const KktSolution at = solve(system.dynamics, state, 8);
    EXPECT_EQ(system.dynamics.nv() - at.rank, 1);
    expect_equal(at.qdd, qdd, "qdd", ReducedFourBar::g);
    expect_equal(at.lambda, {pin_A.x(), pin_A.y(), B.x(), B.y(), C.x(), C.y(), D.x(), D.y()}, "lambda");
  }
}

// Oracle: elimination by hand to three coordinates: with d_k = p − e_k, the forearms' forces are 2λ_k d_k, so
// m(p̈ + g e₃) = 2 Σ λ_k d_k, (M l²/3) α̈_k − ½ M g l cos α_k = τ_k − 2 λ_k d_k·e_k′, and d_k·(p̈ − e_k′α̈_k − e_k″α̇_k²) +
// |ḋ_k|² = 0; p by intersecting three spheres. n = 3. And the published-style check by symmetry: closed_forms.md.
TEST(Multipliers, DeltaRobot) {
  using Eigen::Matrix3d;
  using Eigen::Vector3d;
  const System system = shipped("delta-robot", {"tau_1=0.3*sin(2*t)", "tau_2=-0.2+0.1*t", "tau_3=-0.5*cos(3*t)"});
  const double g = 9.81, m = 0.5, M = 0.3, l = 0.2, L = 0.5, R = 0.16, r = 0.04;
  Random random(9);
  for (int k = 0; k < kStates; ++k) {
    const double t = random.between(0, 2);
    Matrix3d e, e1, e2, D, d_rate;  // columns: arm k
    Vector3d alpha, alphad;
    for (int i = 0; i < 3; ++i) {
      alpha(i) = random.between(0.1, 1.0);
      alphad(i) = random.between(-3, 3);
      const Vector3d o(std::cos(2 * M_PI * i / 3), std::sin(2 * M_PI * i / 3), 0), up(0, 0, 1);
      const double c = std::cos(alpha(i)), s = std::sin(alpha(i));
      e.col(i) = (R - r + l * c) * o - l * s * up;
      e1.col(i) = -l * s * o - l * c * up;
      e2.col(i) = -l * c * o + l * s * up;
    }
    // Below the plane of the three elbows, above their circumcentre.
    const Vector3d a = e.col(1) - e.col(0), b = e.col(2) - e.col(0), normal = a.cross(b);
    const Vector3d centre =
        e.col(0) + (a.squaredNorm() * b.cross(normal) + b.squaredNorm() * normal.cross(a)) / (2 * normal.squaredNorm());
    const double height = std::sqrt(L * L - (centre - e.col(0)).squaredNorm());
    const Vector3d p = centre - std::copysign(height, normal.z()) * normal.normalized();
    D = p.replicate(1, 3) - e;
    const Vector3d pd = D.transpose().inverse() * (D.cwiseProduct(e1).colwise().sum().transpose().cwiseProduct(alphad));
    d_rate = pd.replicate(1, 3) - e1 * alphad.asDiagonal();
    // p̈ = P α̈ + p₀, λ = ½ D⁻¹ m (p̈ + g e₃); the arms' equations are linear in α̈.
    const Vector3d along = D.cwiseProduct(e1).colwise().sum();
    const Vector3d rest = D.cwiseProduct(e2).colwise().sum().transpose().cwiseProduct(alphad.cwiseAbs2()) -
                          d_rate.colwise().squaredNorm().transpose();
    const Matrix3d P = D.transpose().inverse() * along.asDiagonal();
    const Vector3d p0 = D.transpose().inverse() * rest,
                   tau(0.3 * std::sin(2 * t), -0.2 + 0.1 * t, -0.5 * std::cos(3 * t));
    const Matrix3d forces = m * (along.asDiagonal() * D.inverse());  // 2 λ_k d_k·e_k′ of the acceleration
    const Vector3d right = tau + M * g * l / 2 * alpha.array().cos().matrix() - forces * (p0 + Vector3d(0, 0, g));
    const Vector3d alphadd = (Matrix3d::Identity() * M * l * l / 3 + forces * P).inverse() * right;
    const Vector3d pdd = P * alphadd + p0, lambda = m / 2 * D.inverse() * (pdd + Vector3d(0, 0, g));

    const KktSolution at = solve(
        system.dynamics,
        {t, {p(0), p(1), p(2), alpha(0), alpha(1), alpha(2)}, {pd(0), pd(1), pd(2), alphad(0), alphad(1), alphad(2)}},
        3);
    EXPECT_EQ(system.dynamics.nv() - at.rank, 3);
    expect_equal(at.qdd, {pdd(0), pdd(1), pdd(2), alphadd(0), alphadd(1), alphadd(2)}, "qdd", g);
    expect_equal(at.lambda, {lambda(0), lambda(1), lambda(2)}, "lambda");
  }

  // Held by the torque that closed_forms.md gives (eight digits), it stays: λ = −2.01848295 N/m.
  const std::string hold = "=-0.65642747 N*m";
  const System held = shipped("delta-robot", {"tau_1" + hold, "tau_2" + hold, "tau_3" + hold});
  const State start = held.start();
  EXPECT_NEAR(start.q[2], -0.505007137, 1e-9);
  const KktSolution rest = solve(held.dynamics, start, 3);
  for (const double x : rest.qdd) EXPECT_NEAR(x, 0, 5e-6);
  for (const double x : rest.lambda) EXPECT_NEAR(x, -2.01848295, 1e-7);
}

// Oracle: the same chain in minimal coordinates, derived without constraints: equal θ̈. λ of pin i is the force on rod i
// at its tail, which carries all rods from i on: λᵢ = Σ_{k ≥ i} m (r̈_k + g e_y).
TEST(Multipliers, ChainInMaximalCoordinates) {
  constexpr std::size_t N = 6;
  const System minimal = shipped("n-link-chain", {"N=6"}), maximal = shipped("n-link-chain-maximal", {"N=6"});
  ASSERT_EQ(minimal.dynamics.nv(), int{N});
  ASSERT_EQ(maximal.dynamics.nv(), int{3 * N});
  const double m = 0.1, l = 0.2, g = 9.81;
  Random random(10);
  for (int k = 0; k < kStates; ++k) {
    State angles{0, std::vector<double>(N), std::vector<double>(N)};
    for (double& x : angles.q) x = random.between(-3, 3);
    for (double& x : angles.v) x = random.between(-5, 5);
    const KktSolution expected = solve(minimal.dynamics, angles, 0);
    State state{0, std::vector<double>(3 * N), std::vector<double>(3 * N)};
    std::vector<double> qdd(3 * N), lambda(2 * N);
    double end[6] = {};  // of the rods so far: x, y, and their first and second derivatives
    for (std::size_t i = 0; i < N; ++i) {
      const double s = std::sin(angles.q[i]), c = std::cos(angles.q[i]), w = angles.v[i], wd = expected.qdd[i];
      const double step[6] = {l * c, l * s, -l * s * w, l * c * w, -l * (s * wd + c * w * w), l * (c * wd - s * w * w)};
      for (std::size_t axis = 0; axis < 2; ++axis) {
        state.q[axis * N + i] = end[axis] + step[axis] / 2;
        state.v[axis * N + i] = end[2 + axis] + step[2 + axis] / 2;
        qdd[axis * N + i] = end[4 + axis] + step[4 + axis] / 2;
      }
      state.q[2 * N + i] = angles.q[i];
      state.v[2 * N + i] = w;
      qdd[2 * N + i] = wd;
      for (int j = 0; j < 6; ++j) end[j] += step[j];
    }
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i; j < N; ++j) {
        lambda[2 * i] += m * qdd[j];
        lambda[2 * i + 1] += m * (qdd[N + j] + g);
      }
    const KktSolution at = solve(maximal.dynamics, state, int{2 * N});
    expect_equal(at.qdd, qdd, "qdd");
    expect_equal(at.lambda, lambda, "lambda");
  }
}

// Oracle: closed_forms.md; without constraints q̈ = M⁻¹(F − B − G), a system of two equations by Cramer's rule.
TEST(Multipliers, NoneWithoutConstraints) {
  const System spring = shipped("mass-spring"), cart = shipped("cart-pendulum", {"f=2*sin(3*t)"});
  const System pendulum = shipped("double-pendulum");
  const double k = spring.parameter("k"), mass = spring.parameter("m");
  const double m = cart.parameter("m"), M = cart.parameter("M"), L = cart.parameter("L"), c = cart.parameter("c");
  const double m1 = pendulum.parameter("m1"), m2 = pendulum.parameter("m2"), l1 = pendulum.parameter("l1"),
               l2 = pendulum.parameter("l2"), g = 9.81;
  const auto cramer = [](double a, double b, double d, double x, double y) -> std::vector<double> {
    const double det = a * d - b * b;
    return {(d * x - b * y) / det, (a * y - b * x) / det};
  };
  Random random(11);
  for (int state = 0; state < kStates; ++state) {
    const double t = random.between(0, 3), q1 = random.between(-3, 3), q2 = random.between(-3, 3);
    const double v1 = random.between(-5, 5), v2 = random.between(-5, 5);
    expect_equal(solve(spring.dynamics, {t, {q1}, {v1}}, 0).qdd, {-k / mass * q1}, "spring");
    expect_equal(solve(cart.dynamics, {t, {q1, q2}, {v1, v2}}, 0).qdd,
                 cramer(m + M, M * L * std::cos(q2), M * L * L,
                        2 * std::sin(3 * t) - c * v1 + M * L * v2 * v2 * std::sin(q2), M * g * L * std::sin(q2)),
                 "cart", g);
    const double C = m2 * l1 * l2 * std::cos(q1 - q2), D = m2 * l1 * l2 * std::sin(q1 - q2);
    expect_equal(solve(pendulum.dynamics, {t, {q1, q2}, {v1, v2}}, 0).qdd,
                 cramer((m1 + m2) * l1 * l1, C, m2 * l2 * l2, -D * v2 * v2 - (m1 + m2) * g * l1 * std::sin(q1),
                        D * v1 * v1 - m2 * g * l2 * std::sin(q2)),
                 "double pendulum", g);
  }
}

// Oracle: published (30 digits, cases §01): a(0), λ(0); loop = −g, so that λ has the test set's sign. Inertias of 1e-6
// kg m² beside forces of 100 N: the reduced KKT matrix has condition ~1e3.
TEST(Multipliers, AndrewsMechanismAtItsStart) {
  const System system = shipped("andrews-squeezer");
  const KktSolution at = solve_kkt(system.dynamics, system.guess);
  ASSERT_EQ(at.status, KktStatus::kOk);
  expect_equal(at.qdd, {14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0}, "qdd");
  expect_equal(at.lambda, {98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0}, "lambda");
}

// Oracle: published (cases §02): q̈(0) = (0, −1, 0, −1), λ(0) = 0, exactly; the springs' force is 1/2.
TEST(Multipliers, CarAxisAtItsStart) {
  const System system = shipped("car-axis");
  const KktSolution at = solve(system.dynamics, system.guess, 2);
  expect_equal(at.qdd, {0, -1, 0, -1}, "qdd");
  expect_equal(at.lambda, {0, 0}, "lambda", 0.5);
}

}  // namespace
}  // namespace dalembert
