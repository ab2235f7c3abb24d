// SPDX-License-Identifier: Apache-2.0
// Impacts of a rough disk in a corner, against all ways in which its two contacts may open, stick and slide, tried one by one.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "dalembert/integrate/integrate.h"
#include "systems/many_contacts.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using Vector3 = Eigen::Vector3d;

// A disk of mass 1 kg and radius 0.1 m in the corner of two lines with the normals (sin a, cos a), which cross at the origin.
struct RoughCorner {
  std::array<double, 2> angle{}, e{}, mu{};

  Vector3 normal(int k) const { return {std::sin(angle[at(k)]), std::cos(angle[at(k)]), 0}; }
  Vector3 sliding(int k) const {  // v_s = (v + ω × (−r n)) · (n_y, −n_x)
    const Vector3 n = normal(k);
    return {n[1], -n[0], kRadius};
  }
  /// The middle of the disk where it touches both lines.
  Eigen::Vector2d middle() const {
    Eigen::Matrix2d N;
    N << normal(0)[0], normal(0)[1], normal(1)[0], normal(1)[1];
    return N.colPivHouseholderQr().solve(Eigen::Vector2d(kRadius, kRadius));
  }
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  static constexpr double kRadius = 0.1;
};

// The velocities after the impact of all consistent ways: an open contact, or a closed one that sticks or slides either way; of those with the same closed
// contacts only the ones in which most sticks (docs/decisions/0029-friction-by-modes.md). `near`: a sign hardly decides.
std::vector<Vector3> all_ways(const RoughCorner& corner, const Vector3& before, bool& near) {
  enum Way { kOpen, kSticks, kForward, kBackward };
  const Vector3 inertia(1, 1, RoughCorner::kRadius * RoughCorner::kRadius / 2);
  std::array<std::vector<Vector3>, 4> found;  // by closed contacts
  std::array<std::ptrdiff_t, 4> most{};
  for (int first = 0; first < 4; ++first)
    for (int second = 0; second < 4; ++second) {
      const std::array<int, 2> way{first, second};
      const std::array<Vector3, 4> along{corner.normal(0), corner.normal(1), corner.sliding(0), corner.sliding(1)};
      Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
      Eigen::Vector4d b = Eigen::Vector4d::Zero();
      const auto responds = [&](int row, const Vector3& to, double wanted) {
        for (int c = 0; c < 4; ++c) A(row, c) = to.cwiseQuotient(inertia).dot(along[RoughCorner::at(c)]);
        b(row) = wanted - to.dot(before);
      };
      std::array<double, 2> least{};
      for (int k = 0; k < 2; ++k) {
        const std::size_t i = RoughCorner::at(k);
        least[i] = -corner.e[i] * corner.normal(k).dot(before);
        way[i] == kOpen ? void(A(k, k) = 1) : responds(k, corner.normal(k), least[i]);
        if (way[i] == kSticks) {
          responds(2 + k, corner.sliding(k), 0);
        } else {
          A(2 + k, 2 + k) = 1;
          if (way[i] != kOpen) A(2 + k, k) = way[i] == kForward ? corner.mu[i] : -corner.mu[i];
        }
      }
      const Eigen::FullPivLU<Eigen::Matrix4d> lu(A);
      if (!lu.isInvertible() || lu.rcond() < 1e-9) continue;
      const Eigen::Vector4d x = lu.solve(b);
      Vector3 after = before;
      for (int c = 0; c < 4; ++c) after += x(c) * along[RoughCorner::at(c)].cwiseQuotient(inertia);
      double worst = 1e300;
      const auto needs = [&](double value) { worst = std::min(worst, value); };
      for (int k = 0; k < 2; ++k) {
        const std::size_t i = RoughCorner::at(k);
        const double slides = corner.sliding(k).dot(after);
        way[i] == kOpen ? needs(corner.normal(k).dot(after) - least[i]) : needs(x(k));
        if (way[i] == kSticks) needs(corner.mu[i] * x(k) - std::abs(x(2 + k)));
        if (way[i] == kForward || way[i] == kBackward) needs(way[i] == kForward ? slides : -slides);
      }
      near = near || std::abs(worst) < 1e-7;
      const std::ptrdiff_t sticking = std::ranges::count(way, static_cast<int>(kSticks));
      const std::size_t closed = (first != kOpen ? 1U : 0U) + (second != kOpen ? 2U : 0U);
      if (worst < 0 || sticking < most[closed]) continue;
      if (sticking > std::exchange(most[closed], sticking)) found[closed].clear();
      found[closed].push_back(after);
    }
  std::vector<Vector3> all;
  for (const Vector3& way : found | std::views::join)
    if (std::ranges::none_of(all, [&](const Vector3& other) { return (other - way).norm() < 1e-7; }))
      all.push_back(way);
  return all;
}

const std::string kRoughCorner = R"toml(name = "corner"
coordinates = ["x", "y", "phi"]
[parameters]
a0 = 0.3
a1 = -1.2
e0 = 0.3
e1 = 0.7
mu0 = 0.2
mu1 = 0.2
fx = 0
fy = 0
tau = 0
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2/200)/2"
potential = "-fx*x - fy*y - tau*phi"
[[point]]
name = "C"
at = ["x", "y"]
[[point]]
name = "O"
at = [0, 0]
[[frame]]
name = "disk"
origin = ["x", "y"]
rotate = "phi"
[[constraint]]
for = "k in 0..1"
name = "line{k}"
contact = {point = "C", above = "O", normal = ["sin(a{k})", "cos(a{k})"], radius = 0.1}
frame = "disk"
restitution = "e{k}"
friction = "mu{k}"
)toml";

double between(double low, double high, std::minstd_rand& random) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

RoughCorner random_corner(std::minstd_rand& random) {
  RoughCorner corner;
  corner.angle = {between(-0.2, 1.4, random), between(-1.5, -0.3, random)};
  corner.e = {between(0, 1, random), between(0, 1, random)};
  corner.mu = {between(0, 1.2, random), between(0, 1.2, random)};
  return corner;
}

Trajectory short_run(const System& system, const RoughCorner& corner, const Vector3& velocity, const Vector3& force) {
  const Dynamics dynamics = system.dynamics.with_parameters({corner.angle[0], corner.angle[1], corner.e[0], corner.e[1],
                                                             corner.mu[0], corner.mu[1], force[0], force[1], force[2]});
  const Eigen::Vector2d middle = corner.middle();
  return integrate(dynamics, {0, {middle[0], middle[1], 0}, {velocity[0], velocity[1], velocity[2]}},
                   {.until = 1e-6, .error_estimate = false, .second_run = false});
}

TEST(ContactCorner, AnImpactWithFrictionIsTheOneConsistentWay) {
  const System system = loaded(kRoughCorner);
  std::minstd_rand random(20261126);
  int unique = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const RoughCorner corner = random_corner(random);
    const Vector3 before{between(-1, 1, random), between(-2, 0, random), between(-20, 20, random)};
    if (corner.normal(0).dot(before) > -0.01 || corner.normal(1).dot(before) > -0.01) continue;
    bool near = false;
    const std::vector<Vector3> ways = all_ways(corner, before, near);
    if (near) continue;
    const Trajectory path = short_run(system, corner, before, Vector3::Zero());
    // Newton's law with friction may have no solution, or several.
    EXPECT_EQ(path.status == RunStatus::kOk, ways.size() == 1)
        << trial << " has " << ways.size() << ": " << path.reason;
    if (ways.size() != 1 || path.status != RunStatus::kOk) continue;
    ++unique;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(path.v[i].back(), ways[0][static_cast<int>(i)], 1e-9 * (1 + before.norm())) << trial;
  }
  EXPECT_GT(unique, 1500);
}

// The same for accelerations, from rest: what the forces would give alone stands for the velocity before, and nothing bounces.
TEST(ContactCorner, AccelerationsFromRestAreTheOneConsistentWay) {
  const System system = loaded(kRoughCorner);
  std::minstd_rand random(7);
  int unique = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    RoughCorner corner = random_corner(random);
    corner.e = {0, 0};
    const Vector3 force{between(-2, 2, random), between(-10, 3, random), between(-0.5, 0.5, random)};
    bool near = false;
    const std::vector<Vector3> ways =
        all_ways(corner, force.cwiseQuotient(Vector3(1, 1, RoughCorner::kRadius * RoughCorner::kRadius / 2)), near);
    if (near || ways.size() != 1) continue;
    const Trajectory path = short_run(system, corner, Vector3::Zero(), force);
    ++unique;
    ASSERT_EQ(path.status, RunStatus::kOk) << trial << ": " << path.reason;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(path.a[i].front(), ways[0][static_cast<int>(i)], 1e-9 * (1 + ways[0].norm())) << trial;
  }
  EXPECT_GT(unique, 500);
}

// A disk falls onto a slope, rolls into a wall and bounces there in ever smaller ways, with spin, until both frictions stick at one instant. When does
// not depend on how long the run goes on.
TEST(ContactCorner, ADiskThatRollsIntoAWallComesToRest) {
  const System system = loaded(R"toml(name = "ball on a slope"
coordinates = [{name="x", unit="m"}, {name="y", unit="m"}, {name="phi", unit="rad"}]
gravity = [0, -9.81]
[parameters]
m = "1 kg"
r = "0.1 m"
alpha = "20 deg"
[[frame]]
name = "disk"
origin = ["x", "y"]
rotate = "phi"
[[point]]
name = "C"
at = ["x", "y"]
[[point]]
name = "O"
at = [0, 0]
[[point]]
name = "W"
at = [2, 0]
[[body]]
name = "disk"
mass = "m"
inertia = "m*r^2/2"
frame = "disk"
[[constraint]]
name = "slope"
contact = {point = "C", above = "O", normal = ["sin(alpha)", "cos(alpha)"], radius = "r"}
frame = "disk"
restitution = 0.3
friction = 0.2
[[constraint]]
name = "wall"
contact = {point = "C", above = "W", normal = [-1, 0], radius = "r"}
frame = "disk"
restitution = 0.7
friction = 0.2
[initial]
position = {x = 0.2, y = 0.4, phi = 0}
velocity = {x = 0, y = 0, phi = 0}
[simulation]
until = "4 s"
)toml");
  double rests = 0;
  std::size_t events = 0;
  for (const double until : {3.41, 3.6, 4.0, 10.0}) {
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = until});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_LT(path.verdict.max_penetration, 1e-13);
    EXPECT_NEAR(path.v[0].back(), 0, 1e-14);
    EXPECT_NEAR(path.v[2].back(), 0, 1e-13);
    for (const RunEvent& event : path.events)
      if (event.kind == RunEventKind::kRest && event.name == "wall") {
        if (rests == 0) rests = event.t, events = path.events.size();
        EXPECT_NEAR(event.t, rests, 1e-9);
      }
    EXPECT_EQ(path.events.size(), events) << until;
  }
  EXPECT_NEAR(rests, 3.40828, 1e-5);
}

// In the first start a force falls to 0 with nothing beside it, in the
// second bounces end on rows that depend on each other; in the third and fourth a contact comes to rest where others already depend on each other.
// Each once ended the run.
TEST(ContactCorner, ManyContactsGoOn) {
  for (const std::string start : {R"toml([initial]
position = {x = 0.28478729069462766, y = 0.2762408475376425, theta = -0.17004036172163198, s = 0.3768675732071752, y2 = 0.6399524590122228, x3 = 0.3184218283967117}
velocity = {x = -0.5566166674539299, y = -0.12422481269885588, theta = -0.008375517236298702, s = -0.5980249383535485, y2 = -0.5382669169180314, x3 = -0.5624379253246228}
[simulation]
until = 1.5
)toml",
                                  R"toml([initial]
position = {x = 0.15652266992203756, y = 0.2112246595041481, theta = 0.2220060931059839, s = 0.22693088975675357, y2 = 0.7064997002443711, x3 = 0.36795343185137147}
velocity = {x = 0.00944093485772668, y = -0.030149775544531687, theta = -0.2864200709100886, s = -0.0006089903237838836, y2 = 0.07695759147568859, x3 = 0.24697890559501023}
[simulation]
until = 1.5
)toml",
                                  R"toml([initial]
position = {x = 0.1649008664344334, y = 0.2579563229180971, theta = -0.28710617684045464, s = 0.25088630740713247, y2 = 0.8269100890481578, x3 = 0.4713717535692057}
velocity = {x = 0.28458872586489115, y = -0.6281874682105646, theta = 0.9850868243521302, s = 0.07519290312803628, y2 = -0.7582200803883872, x3 = -0.3346096292797418}
[simulation]
until = 1.5
)toml",
                                  R"toml([initial]
position = {x = 0.17710662206249544, y = 0.3556885230000292, theta = 0.01256305056788709, s = 0.2956694630625052, y2 = 0.6269647927339017, x3 = 0.4520111209340549}
velocity = {x = -0.9408500720661859, y = -0.9130254192869451, theta = 0.406764177207672, s = -1.2451918784951677, y2 = 0.18636746076011512, x3 = -0.21280062724417204}
[simulation]
until = 1.5
)toml"}) {
    const System system = loaded(kManyContacts + start);
    std::vector<Trajectory> paths;
    for (const Method method : {Method::kDop853, Method::kDopri5})
      paths.push_back(integrate(system.dynamics, system.start(), {.until = 1.5, .method = method}));
    for (const Trajectory& path : paths) {
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
      EXPECT_LT(path.verdict.max_penetration, 1e-11);
    }
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(paths[0].q[i].back(), paths[1].q[i].back(),
                  1e-9 + paths[0].verdict.error.q[i] + paths[1].verdict.error.q[i]);
  }
}

// A point that flies along the diagonal of a box strikes two walls at each instant k + 1/2, and comes back on its line.
TEST(ContactCorner, EveryMethodStrikesTwoWallsAtOnce) {
  std::string text = R"toml(name = "box"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[initial]
position = {x = 0.5, y = 0.5}
velocity = {x = 1, y = 1}
)toml";
  for (const auto& [wall, gap] :
       {std::pair("left", "x"), std::pair("right", "1 - x"), std::pair("floor", "y"), std::pair("roof", "1 - y")})
    text += fmt::format("[[constraint]]\nunilateral = true\nrestitution = 1\nname = \"{}\"\nholonomic = \"{}\"\n", wall,
                        gap);
  const System system = loaded(text);
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau})
    for (const double rtol : {1e-9, 1e-11}) {
      const Trajectory path = integrate(system.dynamics, system.start(), {.until = 30, .rtol = rtol, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
      EXPECT_EQ(path.verdict.impacts, 60);
      for (const auto& q : path.q) EXPECT_NEAR(q.back(), 0.5, 1e-13);
    }
}

}  // namespace
}  // namespace dalembert
