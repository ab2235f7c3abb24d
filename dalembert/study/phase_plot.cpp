// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/phase_plane.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/figure/figure.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/degrees.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/plane_judge.h"

namespace dalembert {
namespace {

// The two states of the plane: a coordinate and its rate, or two velocities whose equations stand alone.
struct Plane {
  bool of_velocities = false;
  std::size_t x = 0, y = 0;  // indices in q (or v) and in v
  std::string x_name, y_name, x_unit, y_unit;
  bool swapped = false;               // the user wants the second state on the horizontal axis
  std::array<double, 2> scale{1, 1};  // of x and y: what the figure shows, per SI unit
};

// dot(theta) becomes theta'.
std::string plain_name(std::string name) {
  std::erase(name, ' ');
  if (name.starts_with("dot(") && name.ends_with(")")) return name.substr(4, name.size() - 5) + "'";
  return name;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

// Finds the states of the motion; E0310 if there are not exactly two, or contacts.
Result<Plane> find_plane(const SystemAt& given, const SteadySystem& steady) {
  const Dynamics& dynamics = given.system.dynamics;
  const Names& names = dynamics.names();
  Plane plane;
  const auto refused = [](std::string message, std::vector<std::string> help) {
    Diagnostic problem = error("E0310", std::move(message));
    problem.help = std::move(help);
    return problem;
  };
  const auto not_two = [&](const std::vector<std::string>& states) {
    return refused(
        fmt::format("a phase plane has two states, and this motion has {}: {}", states.size(), join_words(states)),
        {"`linearize` and `simulate` take any number",
         "two velocities that determine their own rates can be stated as [quasi_velocities]"});
  };
  if (dynamics.contacts() != nullptr)
    return refused("a phase plane is not drawn of one-sided constraints, which open, close and strike",
                   {"the curve of a run shows them: simulate MODEL -o run.csv, then plot run.csv --phase \"y,y'\""});
  if (!steady.is_autonomous())
    return refused("the equations depend on time, so directions in a plane would change with it",
                   {"set inputs that depend on time to a value: --set tau=0"});
  if (!dynamics.layout().v_is_qdot) {
    const bool closed = !given.left_out.empty() && dynamics.nv() == 2;
    if (!closed) return not_two(names.velocity_names());
    plane.of_velocities = true;
    plane.x = 0;
    plane.y = 1;
    plane.x_name = names.velocity(0);
    plane.y_name = names.velocity(1);
    if (given.velocity_units.size() == 2) {
      plane.x_unit = given.velocity_units[0];
      plane.y_unit = given.velocity_units[1];
    }
    return plane;
  }
  const Result<LinearMotion> motion =
      linearize(steady, given.state, {.prefer_position = given.held_q, .prefer_velocity = given.held_v});
  if (!motion) return motion.diagnostics();
  std::vector<std::string> states;
  for (const MotionState& state : motion->states) states.push_back(state.name);
  if (states.size() != 2 || motion->states[0].velocity || !motion->states[1].velocity) return not_two(states);
  plane.x = motion->states[0].index;
  plane.y = motion->states[1].index;
  plane.x_name = states[0];
  plane.y_name = states[1];
  plane.x_unit = coordinate_unit(names.coordinate_units[plane.x]);
  plane.y_unit = rate_unit(plane.x_unit);
  return plane;
}

// The requested names must be the two states. If the motion has one freedom, any coordinate and its rate may be chosen.
Diagnostics choose_names(const std::string& asked, SystemAt& given, const SteadySystem& steady, Plane& plane) {
  const std::size_t comma = asked.find(',');
  const std::string first = plain_name(asked.substr(0, comma)),
                    second = comma == std::string::npos ? "" : plain_name(asked.substr(comma + 1));
  const auto is = [&](const std::string& a, const std::string& b) { return a == plane.x_name && b == plane.y_name; };
  if (!plane.of_velocities && !is(first, second) && !is(second, first)) {
    const Names& names = given.system.dynamics.names();
    const std::string& position = first.ends_with('\'') ? second : first;
    const auto at = std::ranges::find(names.coordinates, position);
    if (at != names.coordinates.end() && (first == position + "'" || second == position + "'")) {
      given.held_q.assign(given.held_q.size(), false);
      given.held_v.assign(given.held_v.size(), false);
      given.held_q[static_cast<std::size_t>(at - names.coordinates.begin())] = true;
      given.held_v[static_cast<std::size_t>(at - names.coordinates.begin())] = true;
      Result<Plane> other = find_plane(given, steady);
      if (!other) return other.diagnostics();
      plane = std::move(other).value();
    }
  }
  plane.swapped = is(second, first);
  if (is(first, second) || plane.swapped) return {};
  Diagnostic others = error("E0403", fmt::format("`--phase` does not take `{}`", asked));
  others.help = {fmt::format("the states of this motion are \"{},{}\"", plane.x_name, plane.y_name)};
  return {others};
}

// Shows angles in degrees; E0403 if there are none.
Diagnostics plane_in_degrees(Plane& plane) {
  for (const auto& [unit, scale] :
       {std::pair(&plane.x_unit, &plane.scale[0]), std::pair(&plane.y_unit, &plane.scale[1])})
    if (auto degrees = unit_in_degrees(*unit)) {
      *unit = *std::move(degrees);
      *scale = kDegreesPerRadian;
    }
  if (plane.scale != std::array<double, 2>{1, 1}) return {};
  Diagnostic none = error("E0403", fmt::format("`--degrees` has nothing to change: neither `{}` nor `{}` is an angle",
                                               plane.x_name, plane.y_name));
  none.help = {"leave it out"};
  return {none};
}

// The flow on the plane. If constraints determine the other coordinates, these are tabulated over the state coordinate,
// starting from the start so that they stay on its branch, and interpolated by cubic Hermite polynomials.
class PlaneMotion {
 public:
  PlaneMotion(const SystemAt& given, const Plane& plane, const PlaneFlow& window)
      : given_(given),
        plane_(plane),
        dynamics_(given.system.dynamics),
        workspace_(dynamics_),
        motion_(given.state.v.size()),
        lambda_(static_cast<std::size_t>(dynamics_.layout().multipliers())) {
    if (plane.of_velocities || dynamics_.m() == 0) return;
    options_.hold_position.assign(given.state.q.size(), false);
    options_.hold_velocity.assign(given.state.v.size(), false);
    options_.hold_position[plane.x] = options_.hold_velocity[plane.y] = true;
    options_.restarts = 0;
    options_.max_iterations = 25;
    const double width = window.to[0] - window.from[0];
    spacing_ = kReach * width / kNodes;
    origin_ = given.state.q[plane.x];
    tabulate(1, window.to[0] + (kReach - 1) / 2 * width);
    tabulate(-1, window.from[0] - (kReach - 1) / 2 * width);
  }

  std::optional<State> state(const PlanePoint& at) const {
    State state = given_.state;
    if (plane_.of_velocities) {
      state.v = {at[0], at[1]};
      return state;
    }
    if (dynamics_.m() == 0) {
      state.q[plane_.x] = at[0];
      state.v[plane_.y] = at[1];
      return state;
    }
    const double place = (at[0] - origin_) / spacing_, below = std::floor(place), s = place - below;
    const auto left = nodes_.find(static_cast<int>(below)), right = nodes_.find(static_cast<int>(below) + 1);
    if (left == nodes_.end() || right == nodes_.end()) return std::nullopt;
    const Node &a = left->second, &b = right->second;
    const double h = spacing_;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      state.q[i] = (1 + 2 * s) * (1 - s) * (1 - s) * a.q[i] + s * s * (3 - 2 * s) * b.q[i] +
                   h * s * (1 - s) * ((1 - s) * a.slope[i] - s * b.slope[i]);
      const double slope =
          6 * s * (1 - s) * (b.q[i] - a.q[i]) / h + (1 - s) * (1 - 3 * s) * a.slope[i] + s * (3 * s - 2) * b.slope[i];
      state.v[i] = (1 - s) * a.rest[i] + s * b.rest[i] + at[1] * slope;
    }
    return state;
  }
  std::optional<PlanePoint> rate(const PlanePoint& at) {
    const std::optional<State> here = state(at);
    if (!here) return std::nullopt;
    if (!solves(*here)) return std::nullopt;
    if (plane_.of_velocities) return PlanePoint{motion_[0], motion_[1]};
    return PlanePoint{at[1], motion_[plane_.y]};
  }
  // The motion from a point, including all instants at which friction begins to stick or to slide.
  std::vector<PlanePoint> forward(const PlanePoint& from, double duration) {
    std::optional<State> here = state(from);
    if (!here || !project(dynamics_, *here).ok) return {};
    const Trajectory path = integrate(
        dynamics_, *here, {.until = here->t + duration, .rtol = 1e-6, .atol = 1e-9, .output_step = duration / 500});
    std::vector<PlanePoint> way;
    for (std::size_t row = 0; row < path.size(); ++row) way.push_back({path.q[plane_.x][row], path.v[plane_.y][row]});
    return way;
  }
  // The rate y of the coordinate x at which friction j does not slide; no value if it does not stick there.
  std::optional<double> sticks_at(double x, std::size_t j) {
    std::array<double, 2> speed{};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::optional<State> here = state({x, static_cast<double>(k)});
      if (!here || !solves(*here)) return std::nullopt;
      speed[k] = workspace_.friction->speed(static_cast<int>(j));
    }
    const double y = -speed[0] / (speed[1] - speed[0]);
    const std::optional<State> here = std::isfinite(y) ? state({x, y}) : std::nullopt;
    if (!here || !solves(*here)) return std::nullopt;
    return workspace_.friction->decided.solutions.front().mode[j].direction == 0 ? std::optional(y) : std::nullopt;
  }
  // The stability of rest at a point where frictions stick: it is stable, since a small push is followed by rest nearby, but for what static friction
  // alone holds. No value at a limit.
  std::optional<PlaneStability> stability_of_rest(const PlanePoint& at) const {
    const std::optional<State> here = state(at);
    if (!here) return std::nullopt;
    const Result<FrictionMode> mode = find_friction_mode(dynamics_, *here);
    if (!mode) return std::nullopt;
    SystemAt held = given_;
    held.unheld = std::make_shared<const Unheld>(Unheld{given_.system, *mode});
    LinearMotion motion;
    motion.kind = MotionKind::kEquilibrium;
    motion.at = point_at(dynamics_, *here);
    Stability stability;
    stability.verdict = StabilityVerdict::kStable;
    judge_static_friction(held, motion, stability);
    return stability.verdict == StabilityVerdict::kStable     ? PlaneStability::kStable
           : stability.verdict == StabilityVerdict::kUnstable ? PlaneStability::kUnstable
                                                              : PlaneStability::kUndecided;
  }
  std::optional<double> energy_at(const PlanePoint& at) {
    const std::optional<State> here = state(at);
    if (!here) return std::nullopt;
    return energy(dynamics_, here->t, here->q.data(), here->v.data(), workspace_).total;
  }

 private:
  static constexpr int kNodes = 1000;
  // Width of the table as a multiple of the window's width, because Newton's method looks beyond the window.
  static constexpr double kReach = 1.7;

  struct Node {
    // At one value of the state coordinate x: all coordinates q, the velocities per unit of x', and the velocities at
    // x' = 0.
    std::vector<double> q, slope, rest;
  };

  bool solves(const State& at) {
    return solve_kkt(dynamics_, at.t, at.q.data(), at.v.data(), workspace_, motion_.data(), lambda_.data()) ==
           KktStatus::kOk;
  }
  void tabulate(int direction, double end) {
    std::vector<double> q = given_.state.q;
    for (int k = direction > 0 ? 0 : -1; direction * (origin_ + k * spacing_) <= direction * end + spacing_;
         k += direction) {
      State guess = given_.state;
      guess.q = q;
      guess.q[plane_.x] = origin_ + k * spacing_;
      guess.v.assign(guess.v.size(), 0.0);
      const Assembly still = assemble(dynamics_, guess, options_);
      if (!still.ok()) return;  // the linkage does not close beyond this point
      guess.q = still.state.q;
      guess.v[plane_.y] = 1;
      const Assembly moving = assemble(dynamics_, guess, options_);
      if (!moving.ok()) return;
      Node node{still.state.q, moving.state.v, still.state.v};
      for (std::size_t i = 0; i < node.slope.size(); ++i) node.slope[i] -= node.rest[i];
      q = node.q;
      nodes_.insert_or_assign(k, std::move(node));
    }
  }

  const SystemAt& given_;
  const Plane& plane_;
  const Dynamics& dynamics_;
  Workspace workspace_;
  std::vector<double> motion_, lambda_;
  AssembleOptions options_;
  double origin_ = 0, spacing_ = 1;
  std::map<int, Node> nodes_;  // by number of steps of x from the start
};

// The stability of the equilibrium at a point of the plane.
std::optional<PlaneStability> judge_at(const PlaneJudge& judge, const PlaneMotion& motion, const Plane& plane,
                                       const PlaneFlow& window, PlanePoint at) {
  constexpr double kNear = 1e-4;  // of the window
  const double width = window.to[0] - window.from[0], height = window.to[1] - window.from[1];
  // At an equilibrium the rate of a coordinate is exactly 0.
  if (!plane.of_velocities && std::abs(at[1]) > kNear * height) return std::nullopt;
  if (!plane.of_velocities) at[1] = 0;
  const std::optional<State> state = motion.state(at);
  return state ? judge.judge(*state, kNear * (plane.of_velocities ? std::min(width, height) : width)) : std::nullopt;
}

// Chooses the visible range so that it contains the equilibria and the start.
void choose_window(const SystemAt& given, const SteadySystem& steady, const Plane& plane, PlaneFlow& flow) {
  if (plane.of_velocities) {
    // Up to 1.4 times the velocity that the kinetic energy of the start would give each velocity alone.
    const std::vector<double>& v = given.state.v;
    const Terms terms = evaluate_terms(given.system.dynamics, given.state);
    const Pattern& M = given.system.dynamics.layout().M;
    std::array<double, 2> inertia{1, 1};
    for (std::size_t k = 0; k < terms.M.size(); ++k)
      if (M.row[k] == M.col[k]) inertia[static_cast<std::size_t>(M.row[k])] = terms.M[k];
    const double twice = inertia[0] * v[0] * v[0] + inertia[1] * v[1] * v[1];
    for (std::size_t i = 0; i < 2; ++i) {
      const double half = inertia[i] > 0 && twice > 0 ? 1.4 * std::sqrt(twice / inertia[i]) : 1;
      flow.from[i] = -half;
      flow.to[i] = half;
    }
    return;
  }
  double low = given.state.q[plane.x], high = low, rate = 0;
  for (const Equilibrium& equilibrium : find_equilibria(steady, given.system.equations, given.state, {.starts = 24})) {
    if (equilibrium.motion.kind != MotionKind::kEquilibrium) continue;
    low = std::min(low, equilibrium.motion.at.q[plane.x]);
    high = std::max(high, equilibrium.motion.at.q[plane.x]);
    for (const Mode& mode : equilibrium.stability.modes) rate = std::max(rate, std::abs(mode.eigenvalue));
  }
  const bool angle = plane.x_unit == "rad";
  if (angle) {
    low = std::min(low, -std::numbers::pi);
    high = std::max(high, std::numbers::pi);
  }
  const double span = high > low ? high - low : std::max(1.0, std::abs(high));
  flow.from[0] = low - (angle ? 0.2 : 0.6) * span;
  flow.to[0] = high + (angle ? 0.2 : 0.6) * span;
  const double half = (flow.to[0] - flow.from[0]) / 2, fast = std::abs(given.state.v[plane.y]);
  const double tall = rate > 0 ? 1.3 * rate * (angle ? std::min(half, 2.0) : half) : 1;
  flow.to[1] = std::max(tall, 1.2 * fast);
  flow.from[1] = -flow.to[1];
}

// Adds a line of sticking states at rest, which are equilibria, in parts that are alike in their stability. What lies between points that
// differ counts to the part that is not stable, and a point at a limit to the part beside it.
void add_resting(const PlaneMotion& motion, const std::vector<PlanePoint>& line, PhasePortrait& portrait) {
  std::vector<PlaneFamily> parts;
  std::vector<PlanePoint> unknown;
  for (const PlanePoint& point : line) {
    const std::optional<PlaneStability> here = motion.stability_of_rest(point);
    if (!here && parts.empty()) {
      unknown.push_back(point);
      continue;
    }
    if (parts.empty()) {
      parts.push_back({unknown, *here});
    } else if (here && *here != parts.back().stability) {
      const PlanePoint last = parts.back().points.back();
      if (parts.back().stability != PlaneStability::kStable) parts.back().points.push_back(point);
      parts.push_back({{}, *here});
      if (*here != PlaneStability::kStable && parts[parts.size() - 2].points.back() == last)
        parts.back().points.push_back(last);
    }
    parts.back().points.push_back(point);
  }
  if (parts.empty()) parts.push_back({unknown, PlaneStability::kUndecided});
  for (PlaneFamily& part : parts)
    if (part.points.size() > 1) portrait.families.push_back(std::move(part));
}

// Draws the lines on which a friction sticks.
void add_sticking(PlaneMotion& motion, std::size_t frictions, const PlaneFlow& flow, PhasePortrait& portrait) {
  constexpr int kPlaces = 400;
  const double width = flow.to[0] - flow.from[0], height = flow.to[1] - flow.from[1];
  for (std::size_t j = 0; j < frictions; ++j) {
    std::vector<PlanePoint> line;
    const auto end_line = [&] {
      if (line.size() > 1) {
        const bool rests = std::ranges::all_of(line, [&](const PlanePoint& p) { return p[1] == 0; });
        if (rests) {
          // Where a line of sticking states ends, the sliding force is 0 too: that is no equilibrium beside it.
          std::erase_if(portrait.equilibria, [&](const PlaneEquilibrium& one) {
            const double x = one.at[0], beside = width / kPlaces;
            return one.at[1] == 0 && x > line.front()[0] - beside && x < line.back()[0] + beside;
          });
          add_resting(motion, line, portrait);
        } else {
          portrait.sticking.push_back(line);
        }
      }
      line.clear();
    };
    for (int k = 0; k <= kPlaces; ++k) {
      const double x = flow.from[0] + width * k / kPlaces;
      const std::optional<double> y = motion.sticks_at(x, j);
      if (!y || *y < flow.from[1] || *y > flow.to[1])
        end_line();
      else
        line.push_back({x, std::abs(*y) < 1e-12 * height ? 0 : *y});
    }
    end_line();
  }
}

// "theta" as θ, "theta'" as θ̇, a velocity of its own, "omega", as ω.
RichText typeset_state(const std::string& name) {
  return name.ends_with('\'') ? typeset_series("v/" + name.substr(0, name.size() - 1)) : typeset_symbol(name);
}

// Returns what the axes are, in words: "omega [rad/s] against theta [rad]".
std::string set_axes(Figure& figure, const Plane& plane, const PlaneFlow& flow) {
  const auto axis = [&](const std::string& name, const std::string& unit, std::size_t i) {
    return FigureAxis{with_unit(typeset_state(name), unit), plane.scale[i] * flow.from[i], plane.scale[i] * flow.to[i]};
  };
  figure.x = axis(plane.x_name, plane.x_unit, 0);
  figure.y = axis(plane.y_name, plane.y_unit, 1);
  std::string across = with_unit(plane.x_name, plane.x_unit), up = with_unit(plane.y_name, plane.y_unit);
  if (plane.swapped) {
    std::swap(figure.x, figure.y);
    std::swap(across, up);
  }
  return fmt::format("{} against {}", up, across);
}

Figure make_figure(const std::string& model, const Plane& plane, const PlaneFlow& flow, const PhasePortrait& portrait) {
  const auto turned = [&](const PlanePoint& p) -> FigurePoint {
    const double x = plane.scale[0] * p[0], y = plane.scale[1] * p[1];
    return plane.swapped ? FigurePoint{y, x} : FigurePoint{x, y};
  };
  const auto turned_all = [&](const std::vector<std::vector<PlanePoint>>& lines) {
    std::vector<std::vector<FigurePoint>> out;
    for (const auto& line : lines) {
      out.emplace_back();
      for (const PlanePoint& p : line) out.back().push_back(turned(p));
    }
    return out;
  };
  Figure figure;
  figure.title = fmt::format("{}: phase plane", model);
  const std::string axes = set_axes(figure, plane, flow);
  FigureArrows field{.points = {}, .directions = {}, .color = FigureColor::kGray, .legend = "direction"};
  for (std::size_t i = 0; i < portrait.field.size(); ++i) {
    field.points.push_back(turned(portrait.field_at[i]));
    field.directions.push_back(turned(portrait.field[i]));
  }
  figure.arrows.push_back(std::move(field));
  if (!portrait.energy.empty())
    figure.curves.push_back({turned_all(portrait.energy), FigureColor::kGreen, 0.9, false, "constant energy"});
  figure.curves.push_back({turned_all(portrait.trajectories), FigureColor::kBlack, 1.1, false, "trajectory"});
  if (!portrait.sticking.empty())
    figure.curves.push_back({turned_all(portrait.sticking), FigureColor::kGray, 4, false, "friction sticks"});
  struct Style {
    PlaneStability stability;
    FigureColor color;
    bool solid;
    const char* name;
  };
  int counts[3] = {};
  for (const Style& style : {Style{PlaneStability::kStable, FigureColor::kBlue, true, "stable equilibria"},
                             Style{PlaneStability::kUnstable, FigureColor::kOrange, false, "unstable equilibria"},
                             Style{PlaneStability::kUndecided, FigureColor::kPurple, false, "undecided equilibria"}}) {
    FigureCurve lines{.pieces = {}, .color = style.color, .width = 3.5, .dashed = !style.solid};
    FigureMarkers points{.points = {}, .color = style.color, .filled = style.solid};
    for (const PlaneFamily& family : portrait.families)
      if (family.stability == style.stability && family.points.size() > 2)
        lines.pieces.push_back(turned_all({family.points})[0]);
    for (const PlaneEquilibrium& equilibrium : portrait.equilibria)
      if (equilibrium.stability == style.stability) points.points.push_back(turned(equilibrium.at));
    counts[static_cast<int>(style.stability)] = static_cast<int>(lines.pieces.size() + points.points.size());
    (lines.pieces.empty() ? points.legend : lines.legend) =
        lines.pieces.empty() && points.points.empty() ? "" : style.name;
    if (!lines.pieces.empty()) figure.curves.push_back(std::move(lines));
    if (!points.points.empty()) figure.markers.push_back(std::move(points));
  }
  figure.description =
      fmt::format("{}: directions, {} trajectories, {} stable and {} unstable equilibria or lines of them.", axes,
                  portrait.trajectories.size(), counts[0], counts[1]);
  return figure;
}

std::string_view name_of(PlaneStability stability) {
  return stability == PlaneStability::kStable     ? "stable"
         : stability == PlaneStability::kUnstable ? "unstable"
                                                  : "undecided";
}

Json plane_json(const std::string& model, const Plane& plane, const PlaneFlow& flow, const PhasePortrait& portrait) {
  const std::vector<std::string> names{plane.x_name, plane.y_name};
  const auto point = [&](const PlanePoint& p) { return named_json(names, std::vector<double>{p[0], p[1]}); };
  Json equilibria = Json::array(), families = Json::array(), sticking = Json::array();
  for (const std::vector<PlanePoint>& line : portrait.sticking)
    sticking.push_back({{"from", point(line.front())}, {"to", point(line.back())}});
  for (const PlaneEquilibrium& equilibrium : portrait.equilibria)
    equilibria.push_back({{"at", point(equilibrium.at)}, {"stability", name_of(equilibrium.stability)}});
  for (const PlaneFamily& family : portrait.families)
    families.push_back({{"from", point(family.points.front())},
                        {"to", point(family.points.back())},
                        {"stability", name_of(family.stability)}});
  return {{"model", model},
          {"file", nullptr},
          {"states", names},
          {"window", {{"from", point(flow.from)}, {"to", point(flow.to)}}},
          {"trajectories", portrait.trajectories.size()},
          {"equilibria", std::move(equilibria)},
          {"families", std::move(families)},
          {"sticking", std::move(sticking)}};
}

}  // namespace

Result<PhasePlot> plot_phase(SystemAt given, const PhasePlotOptions& options) {
  const std::size_t frictions = given.system.equations.frictions.size();
  if (std::optional<SystemAt> alone = frictions > 0 ? std::nullopt : closed_system(given)) given = std::move(*alone);
  // States and window come from the motion in which all frictions slide.
  SystemAt sliding = frictions > 0 ? hold_frictions(given, FrictionMode(frictions, {1, 1})) : given;
  const EquationDerivatives derivatives(sliding.system.equations);
  const SteadySystem steady{&sliding.system.dynamics, &derivatives, sliding.left_out};
  Result<Plane> found = find_plane(sliding, steady);
  if (!found) return found.diagnostics();
  Plane& plane = *found;
  if (options.states)
    if (Diagnostics problems = choose_names(*options.states, sliding, steady, plane); !problems.empty())
      return problems;

  PlaneFlow flow;
  choose_window(sliding, steady, plane, flow);
  if (options.degrees)  // after the window, which depends on what is an angle
    if (Diagnostics problems = plane_in_degrees(plane); !problems.empty()) return problems;
  const std::size_t x = plane.swapped ? 1 : 0;
  for (const auto& [range, axis] : {std::pair(options.right, x), std::pair(options.up, 1 - x)})
    if (range) {
      flow.from[axis] = (*range)[0] / plane.scale[axis];
      flow.to[axis] = (*range)[1] / plane.scale[axis];
    }
  PlaneMotion motion(given, plane, flow);
  flow.rate = [&](const PlanePoint& at) { return motion.rate(at); };
  const PlaneJudge judge(given);
  flow.judge = [&](const PlanePoint& at) { return judge_at(judge, motion, plane, flow, at); };
  const Equations& equations = given.system.equations;
  // An energy that depends on more than the two states has no level curves in the plane.
  if (equations.conservative && (!plane.of_velocities || equations.V.is_constant()))
    flow.energy = [&](const PlanePoint& at) { return motion.energy_at(at); };
  if (frictions > 0) flow.forward = [&](const PlanePoint& at, double duration) { return motion.forward(at, duration); };
  PhasePortrait portrait = make_phase_portrait(flow);
  add_sticking(motion, frictions, flow, portrait);
  const std::string& name = given.system.model->name;
  return PhasePlot{to_svg(make_figure(name, plane, flow, portrait)), plane_json(name, plane, flow, portrait)};
}

}  // namespace dalembert
