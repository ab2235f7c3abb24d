// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/phase_plane.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dalembert {
namespace {

constexpr int kFieldColumns = 21, kFieldRows = 17;
constexpr int kCells = 13;            // cells of the window in each direction: a trajectory passes through each
constexpr double kStep = 0.006;       // step of a trajectory, as a fraction of the window
constexpr int kMostSteps = 700;       // largest number of steps of a trajectory in each direction
constexpr double kDifference = 1e-5;  // step for derivatives of f, as a fraction of the window
// Where |f| is kTooFast times as large as in most of the window (the quantile kMost), a singular state is near: f has no value there.
constexpr double kTooFast = 1e3, kMost = 0.9;
constexpr double kAtLine = 0.02;  // an equilibrium this near to a line of them belongs to it
constexpr int kNewton = 60;       // steps to an equilibrium: to one of a force −x³ each leaves two thirds of the way
constexpr int kContourColumns = 120, kContourRows = 96, kLevels = 8;

// Computes the portrait in coordinates of the window, 0 … 1.
class Portrait {
 public:
  explicit Portrait(const PlaneFlow& flow) : flow_(flow) {
    for (std::size_t i = 0; i < 2; ++i) size_[i] = flow.to[i] - flow.from[i];
  }

  PhasePortrait draw() {
    draw_field();
    find_equilibria();
    draw_energy();
    draw_trajectories();
    return std::move(portrait_);
  }

 private:
  PlanePoint real(const PlanePoint& s) const {
    return {flow_.from[0] + s[0] * size_[0], flow_.from[1] + s[1] * size_[1]};
  }
  static bool inside(const PlanePoint& s, double margin = 0) {
    return s[0] >= -margin && s[0] <= 1 + margin && s[1] >= -margin && s[1] <= 1 + margin;
  }
  std::optional<PlanePoint> rate(const PlanePoint& s) const {
    const auto r = flow_.rate(real(s));
    if (!r || !std::isfinite((*r)[0]) || !std::isfinite((*r)[1])) return std::nullopt;
    return PlanePoint{(*r)[0] / size_[0], (*r)[1] / size_[1]};
  }
  static double norm(const PlanePoint& a) { return std::hypot(a[0], a[1]); }
  static double apart(const PlanePoint& a, const PlanePoint& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

  void draw_field() {
    std::vector<double> speed;
    std::array<std::vector<double>, 2> part;
    for (int i = 0; i < kFieldColumns; ++i)
      for (int j = 0; j < kFieldRows; ++j) {
        const PlanePoint s{(i + 0.5) / kFieldColumns, (j + 0.5) / kFieldRows};
        const auto r = rate(s);
        if (!r) continue;
        speed.push_back(norm(*r));
        for (std::size_t k = 0; k < 2; ++k) part[k].push_back(std::abs((*r)[k]));
        portrait_.field_at.push_back(real(s));
        portrait_.field.push_back({(*r)[0] * size_[0], (*r)[1] * size_[1]});
      }
    if (speed.empty()) return;
    const auto most_of = [](std::vector<double> values) {
      std::ranges::sort(values);
      return values[static_cast<std::size_t>(kMost * static_cast<double>(values.size() - 1))];
    };
    fastest_ = most_of(speed);
    for (std::size_t k = 0; k < 2; ++k) fast_[k] = most_of(part[k]);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < speed.size(); ++k) {
      if (is_too_fast(speed[k])) continue;
      all_ += speed[k];
      portrait_.field_at[kept] = portrait_.field_at[k];
      portrait_.field[kept++] = portrait_.field[k];
    }
    portrait_.field_at.resize(kept);
    portrait_.field.resize(kept);
  }
  bool is_too_fast(double speed) const { return fastest_ > 0 && speed > kTooFast * fastest_; }

  // The Jacobian (∂f_x/∂x, ∂f_x/∂y; ∂f_y/∂x, ∂f_y/∂y), by central differences, and what each entry may be off by: half of what the differences to
  // both sides differ by, and round-off.
  struct Jacobian {
    std::array<double, 4> entries{}, doubt{};

    // Whether it has an inverse, whatever its entries are within their doubt. This does not depend on the scales of the axes.
    bool is_regular() const {
      const auto& [a, b, c, d] = entries;
      const auto& [da, db, dc, dd] = doubt;
      const double off = std::abs(a) * dd + std::abs(d) * da + std::abs(b) * dc + std::abs(c) * db + da * dd + db * dc;
      return std::abs(a * d - b * c) > off;
    }
  };
  std::optional<Jacobian> slopes(const PlanePoint& s, const PlanePoint& f) const {
    constexpr double kRoundoff = 1e-15;  // of the rate in most of the window
    Jacobian J;
    for (std::size_t j = 0; j < 2; ++j) {
      PlanePoint up = s, down = s;
      up[j] += kDifference;
      down[j] -= kDifference;
      const auto a = rate(up), b = rate(down);
      if (!a || !b) return std::nullopt;
      for (std::size_t i = 0; i < 2; ++i) {
        const double above = (*a)[i] - f[i], below = f[i] - (*b)[i];
        J.entries[2 * i + j] = ((*a)[i] - (*b)[i]) / (2 * kDifference);
        if (above == 0 && below == 0) continue;
        J.doubt[2 * i + j] = (std::abs(above - below) / 2 + kRoundoff * fast_[i]) / kDifference;
      }
    }
    return J;
  }
  // Whether f is 0 but for what a drawing does not show.
  bool vanishes(const PlanePoint& f) const {
    return std::abs(f[0]) <= 1e-6 * fast_[0] && std::abs(f[1]) <= 1e-6 * fast_[1];
  }

  struct Root {
    PlanePoint at{};
    std::array<double, 4> J{};
    bool isolated = true;
  };

  // Newton's method, with steps of least norm where the Jacobian is nearly singular, as on a line of equilibria. The
  // first `damped` steps are damped: they lead to the nearest point of such a line. Newton's method alone may run along
  // the line to a point where all derivatives vanish.
  std::optional<Root> solve(PlanePoint s, int damped = 0) const {
    for (int i = 0; i < kNewton + damped; ++i) {
      const auto f = rate(s);
      const auto J = f ? slopes(s, *f) : std::nullopt;
      if (!J) return std::nullopt;
      const auto& [a, b, c, d] = J->entries;
      const double det = a * d - b * c, all = a * a + b * b + c * c + d * d;
      if (!(all > 0)) return std::nullopt;
      const PlanePoint steepest{a * (*f)[0] + c * (*f)[1], b * (*f)[0] + d * (*f)[1]};  // Jᵀf, the gradient of |f|²/2
      const bool isolated = J->is_regular();
      PlanePoint step{};
      if (i < damped) {
        const double xx = a * a + c * c + all, yy = b * b + d * d + all, xy = a * b + c * d, below = xx * yy - xy * xy;
        step = {-(yy * steepest[0] - xy * steepest[1]) / below, -(xx * steepest[1] - xy * steepest[0]) / below};
      } else if (isolated) {
        step = {-(d * (*f)[0] - b * (*f)[1]) / det, -(a * (*f)[1] - c * (*f)[0]) / det};
      } else {
        // The Jacobian J ≈ σ u vᵀ has rank 1: its pseudo-inverse is Jᵀ/‖J‖².
        step = {-steepest[0] / all, -steepest[1] / all};
      }
      const double length = norm(step);
      const double part = length > 0.1 ? 0.1 / length : 1;
      s = {s[0] + part * step[0], s[1] + part * step[1]};
      if (!inside(s, 0.3)) return std::nullopt;
      const int steps = i - damped;
      if (steps >= 0 && (length < 1e-10 || (steps > 20 && length < 1e-8) || (steps > 30 && length < 1e-7))) {
        const auto left = rate(s);
        if (!left || !vanishes(*left)) return std::nullopt;
        return Root{s, J->entries, isolated};
      }
    }
    return std::nullopt;
  }

  // No value where there is no equilibrium after all.
  std::optional<PlaneStability> judge(const PlanePoint& s) const {
    return flow_.judge ? flow_.judge(real(s)) : PlaneStability::kUndecided;
  }

  void find_equilibria() {
    std::vector<Root> found;
    constexpr int kStarts = 14, kDamped = 14;
    for (int i = 0; i < kStarts; ++i)
      for (int j = 0; j < kStarts; ++j) {
        const auto root = solve({(i + 0.43) / kStarts, (j + 0.57) / kStarts}, kDamped);
        if (root && inside(root->at, 1e-9)) found.push_back(*root);
      }
    const auto is_near = [](const std::vector<PlanePoint>& points, const Root& root, double distance) {
      return std::ranges::any_of(points, [&](const PlanePoint& k) { return apart(k, root.at) < distance; });
    };
    // Lines of equilibria come first: a point on one at which all derivatives vanish is no isolated equilibrium.
    std::vector<Root> alone;  // roots that seem to lie on a line, where there is none
    for (const Root& root : found) {
      // Where friction holds the motion all derivatives are 0, and there are no lines to follow.
      if (root.isolated || flow_.forward || is_near(on_lines_, root, kAtLine)) continue;
      if (std::ranges::any_of(alone, [&](const Root& one) { return apart(one.at, root.at) < kAtLine; })) continue;
      if (!follow(root)) alone.push_back(root);
    }
    for (const Root& root : found) {
      if (!root.isolated || is_near(on_lines_, root, kAtLine) || is_near(roots_, root, 1e-4)) continue;
      take(root);
    }
    for (const Root& root : alone)
      if (!is_near(on_lines_, root, kAtLine) && !is_near(roots_, root, kAtLine)) take(root);
    roots_.insert(roots_.end(), on_lines_.begin(), on_lines_.end());
  }
  void take(const Root& root) {
    roots_.push_back(root.at);  // trajectories end there, whatever it is
    if (const std::optional<PlaneStability> stability = judge(root.at))
      portrait_.equilibria.push_back({rounded(root.at), *stability});
  }

  PlanePoint rounded(const PlanePoint& s) const {
    PlanePoint at = real(s);
    for (std::size_t i = 0; i < 2; ++i)
      if (std::abs(at[i]) < 1e-7 * size_[i]) at[i] = 0;
    return at;
  }

  // A point on a line of equilibria, where the eigenvalue that is not 0 along the line is the trace of the Jacobian.
  struct OnLine {
    PlanePoint at{};
    PlaneStability stability;
    double trace;
  };
  std::optional<OnLine> on_line(const Root& root) const {
    const std::optional<PlaneStability> stability = judge(root.at);
    return stability ? std::optional(OnLine{root.at, *stability, root.J[0] + root.J[3]}) : std::nullopt;
  }

  // Follows a line of equilibria in both directions to the edge, along the null vector of the Jacobian. False where there is none.
  bool follow(const Root& start) {
    const std::optional<OnLine> first = on_line(start);
    if (!first) return false;
    std::vector<OnLine> line{*first};
    for (const double sign : {1.0, -1.0}) {
      Root here = start;
      PlanePoint last_direction{};
      for (int k = 0; k < 400; ++k) {
        const std::optional<Root> next = next_on_line(here, k == 0, sign, last_direction);
        const std::optional<OnLine> point = next ? on_line(*next) : std::nullopt;
        if (!point) break;
        here = *next;
        line.insert(sign > 0 ? line.end() : line.begin(), *point);
        if (!inside(here.at)) break;
      }
    }
    if (line.size() < 5) return false;
    for (const OnLine& one : line) on_lines_.push_back(one.at);
    draw_line(std::move(line));
    return true;
  }

  std::optional<Root> next_on_line(const Root& here, bool first, double sign, PlanePoint& last_direction) const {
    const auto& [a, b, c, d] = here.J;
    // Orthogonal to the larger row of J.
    PlanePoint along = a * a + b * b >= c * c + d * d ? PlanePoint{-b, a} : PlanePoint{-d, c};
    const double size = norm(along);
    if (!(size > 0)) {
      along = last_direction;
    } else {
      along = {along[0] / size, along[1] / size};
      const double forwards = first ? sign : along[0] * last_direction[0] + along[1] * last_direction[1];
      if (forwards < 0) along = {-along[0], -along[1]};
    }
    last_direction = along;
    const PlanePoint guess{here.at[0] + 0.01 * along[0], here.at[1] + 0.01 * along[1]};
    auto next = solve(guess);
    // Where all derivatives vanish Newton's method fails, but the line continues beyond.
    if (!next) {
      const auto f = rate(guess);
      const auto J = f && vanishes(*f) ? slopes(guess, *f) : std::nullopt;
      if (!J) return std::nullopt;
      next = Root{guess, J->entries, false};
    }
    if (next->isolated || apart(next->at, here.at) > 0.03 || apart(next->at, here.at) < 1e-4) return std::nullopt;
    return next;
  }

  // Divides a line where its stability changes.
  void draw_line(std::vector<OnLine> line) {
    // An undecided point between parts that differ is where the one ends and the other begins.
    for (std::size_t k = 1; k + 1 < line.size(); ++k)
      if (line[k].stability == PlaneStability::kUndecided && line[k - 1].stability != line[k + 1].stability &&
          line[k + 1].stability != PlaneStability::kUndecided)
        line[k].stability = line[k - 1].stability;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (k == 0) {
        portrait_.families.push_back({{}, line[k].stability});
      } else if (line[k].stability != line[k - 1].stability) {
        // A piece ends and the next begins where the eigenvalue that is not 0 along the line changes its sign.
        const double before = line[k - 1].trace, after = line[k].trace;
        const double part = before * after < 0 ? before / (before - after) : 1;
        const PlanePoint &a = line[k - 1].at, &b = line[k].at;
        const PlanePoint change = rounded({a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])});
        portrait_.families.back().points.push_back(change);
        portrait_.families.push_back({{change}, line[k].stability});
      }
      portrait_.families.back().points.push_back(real(line[k].at));
    }
  }

  // One step of length kStep along the direction of f.
  std::optional<PlanePoint> step(const PlanePoint& s, double sign) const {
    const auto direction = [&](const PlanePoint& at) -> std::optional<PlanePoint> {
      const auto r = rate(at);
      if (!r) return std::nullopt;
      const double size = norm(*r);
      if (!(size > 1e-7 * fastest_) || is_too_fast(size)) return std::nullopt;
      return PlanePoint{sign * (*r)[0] / size, sign * (*r)[1] / size};
    };
    const auto moved = [&](const PlanePoint& by, double length) {
      return PlanePoint{s[0] + length * by[0], s[1] + length * by[1]};
    };
    const auto k1 = direction(s);
    if (!k1) return std::nullopt;
    const auto k2 = direction(moved(*k1, kStep / 2));
    if (!k2) return std::nullopt;
    const auto k3 = direction(moved(*k2, kStep / 2));
    if (!k3) return std::nullopt;
    const auto k4 = direction(moved(*k3, kStep));
    if (!k4) return std::nullopt;
    return PlanePoint{s[0] + kStep / 6 * ((*k1)[0] + 2 * (*k2)[0] + 2 * (*k3)[0] + (*k4)[0]),
                      s[1] + kStep / 6 * ((*k1)[1] + 2 * (*k2)[1] + 2 * (*k3)[1] + (*k4)[1])};
  }

  void draw_trajectories() {
    std::vector<bool> passed(static_cast<std::size_t>(kCells * kCells));
    const auto cell = [](const PlanePoint& s) {
      const int i = std::clamp(static_cast<int>(s[0] * kCells), 0, kCells - 1),
                j = std::clamp(static_cast<int>(s[1] * kCells), 0, kCells - 1);
      return static_cast<std::size_t>(i * kCells + j);
    };
    // Trajectories start in every fourth cell first, so that they are spread out.
    for (const int stride : {4, 2, 1})
      for (int i = stride / 2; i < kCells; i += stride)
        for (int j = stride / 2; j < kCells; j += stride) {
          const PlanePoint seed{(i + 0.5) / kCells, (j + 0.5) / kCells};
          if (passed[cell(seed)]) continue;
          if (flow_.forward) {
            draw_forward(seed, [&](const PlanePoint& s) { passed[cell(s)] = true; });
            continue;
          }
          std::vector<PlanePoint> line{seed};
          bool closed = false;
          for (const double sign : {1.0, -1.0}) {
            if (closed) break;
            PlanePoint at = seed;
            for (int k = 0; k < kMostSteps; ++k) {
              const auto next = step(at, sign);
              if (!next) break;
              at = *next;
              if (sign > 0)
                line.push_back(at);
              else
                line.insert(line.begin(), at);
              if (!inside(at, 0.01) || comes_to_rest(at)) break;
              closed = k > 20 && apart(at, seed) < 0.7 * kStep;
              if (closed) {
                line.push_back(seed);
                break;
              }
            }
          }
          for (const PlanePoint& s : line)
            if (inside(s)) passed[cell(s)] = true;
          if (line.size() < 8) continue;
          std::vector<PlanePoint>& drawn = portrait_.trajectories.emplace_back();
          for (const PlanePoint& s : line) drawn.push_back(real(s));
        }
  }
  // Draws the parts of a trajectory that lie within the window.
  template <class Passed>
  void draw_forward(const PlanePoint& seed, const Passed& passed) {
    if (!(all_ > 0)) return;
    const double typical = all_ / static_cast<double>(portrait_.field.size());
    bool within = false;
    for (const PlanePoint& at : flow_.forward(real(seed), kMostSteps * kStep / typical)) {
      const PlanePoint s{(at[0] - flow_.from[0]) / size_[0], (at[1] - flow_.from[1]) / size_[1]};
      if (inside(s)) {
        if (!within) portrait_.trajectories.emplace_back();
        portrait_.trajectories.back().push_back(at);
        passed(s);
      }
      within = inside(s);
    }
  }
  bool comes_to_rest(const PlanePoint& s) const {
    return std::ranges::any_of(roots_, [&](const PlanePoint& root) { return apart(root, s) < 1.2 * kStep; });
  }

  void draw_energy() {
    if (!flow_.energy) return;
    std::vector<double> value;
    value.reserve(static_cast<std::size_t>((kContourColumns + 1) * (kContourRows + 1)));
    std::vector<double> finite;
    for (int i = 0; i <= kContourColumns; ++i)
      for (int j = 0; j <= kContourRows; ++j) {
        const auto E =
            flow_.energy(real({static_cast<double>(i) / kContourColumns, static_cast<double>(j) / kContourRows}));
        value.push_back(E.value_or(std::nan("")));
        if (std::isfinite(value.back())) finite.push_back(value.back());
      }
    if (finite.size() < 4) return;
    std::ranges::sort(finite);
    std::vector<double> levels;
    for (int k = 0; k < kLevels; ++k)
      levels.push_back(finite[static_cast<std::size_t>((k + 0.5) / kLevels * static_cast<double>(finite.size()))]);
    // The level curve of the energy through a saddle separates, for example, oscillation from rotation.
    for (const PlaneEquilibrium& equilibrium : portrait_.equilibria)
      if (equilibrium.stability == PlaneStability::kUnstable)
        if (const auto E = flow_.energy(equilibrium.at)) levels.push_back(*E);
    for (const double level : levels) draw_level(value, level);
  }

  // Draws a level curve by marching squares. Where the corners of a cell are above and below it in turn, the value in
  // the middle of the cell decides.
  void draw_level(const std::vector<double>& value, double level) {
    const auto at = [&](int i, int j) { return value[static_cast<std::size_t>(i * (kContourRows + 1) + j)]; };
    for (int i = 0; i < kContourColumns; ++i)
      for (int j = 0; j < kContourRows; ++j) {
        const int ci[] = {i, i + 1, i + 1, i}, cj[] = {j, j, j + 1, j + 1};
        std::array<double, 4> above{};
        for (std::size_t k = 0; k < 4; ++k) above[k] = at(ci[k], cj[k]) - level;
        std::vector<PlanePoint> cuts;
        for (std::size_t k = 0; k < 4; ++k) {
          const std::size_t n = (k + 1) % 4;
          if (!std::isfinite(above[k]) || !std::isfinite(above[n]) || (above[k] > 0) == (above[n] > 0)) continue;
          const double part = above[k] / (above[k] - above[n]);
          cuts.push_back(real(
              {(ci[k] + part * (ci[n] - ci[k])) / kContourColumns, (cj[k] + part * (cj[n] - cj[k])) / kContourRows}));
        }
        if (cuts.size() == 2) portrait_.energy.push_back(cuts);
        if (cuts.size() == 4) {
          const bool middle = above[0] + above[1] + above[2] + above[3] > 0;
          const bool turn = middle == (above[0] > 0);
          portrait_.energy.push_back({cuts[0], cuts[turn ? 1 : 3]});
          portrait_.energy.push_back({cuts[2], cuts[turn ? 3 : 1]});
        }
      }
  }

  const PlaneFlow& flow_;
  std::array<double, 2> size_{};
  double fastest_ = 0, all_ = 0;  // speed in the field: the quantile kMost, and the sum
  std::array<double, 2> fast_{};  // the quantile kMost of the components of the rate
  std::vector<PlanePoint> roots_, on_lines_;
  PhasePortrait portrait_;
};

}  // namespace

PhasePortrait make_phase_portrait(const PlaneFlow& flow) { return Portrait(flow).draw(); }

}  // namespace dalembert
