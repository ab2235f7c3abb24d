// SPDX-License-Identifier: Apache-2.0
#include "dalembert/scene/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dalembert/figure/rich_text.h"
#include "dalembert/scene/path.h"

namespace dalembert {
namespace {

constexpr double kMargin = 58;
constexpr double kFloorPad = 0.12;  // margin of the floor, relative to the scene's size
constexpr double kForce = 74;       // length of the largest force arrow, pixels
constexpr double kTurn = 24;        // radius of a torque arrow, pixels
constexpr double kFarthest = 1e300;
constexpr const char* kInk = "#1a1a1a";

// The three axes of the camera: to the right, up, towards the viewer.
std::array<ScenePoint, 3> camera(const Scene& scene, const PictureOptions& options) {
  if (scene.space == 2) return {ScenePoint{1, 0, 0}, ScenePoint{0, 1, 0}, ScenePoint{0, 0, 1}};
  const double a = options.azimuth * std::numbers::pi / 180, e = options.elevation * std::numbers::pi / 180;
  const double up = scene.up;
  const ScenePoint toward{std::cos(e) * std::cos(a), up * std::cos(e) * std::sin(a), up * std::sin(e)};
  const ScenePoint above{-std::sin(e) * std::cos(a), -up * std::sin(e) * std::sin(a), up * std::cos(e)};
  return {cross(above, toward), above, toward};
}

class Painter {
 public:
  Painter(const Scene& scene, const SceneInstant& instant, const PictureView& view, const PictureOptions& options,
          std::span<const SceneInstant> path)
      : scene_(scene), instant_(instant), view_(view), options_(options), path_(path) {}

  std::vector<PictureElement> run() {
    depth_ = kFarthest;
    ground();
    traces();
    for (std::size_t i = 0; i < scene_.shapes.size(); ++i) shape(scene_.shapes[i], i);
    depth_ = -kFarthest;
    forces();
    gravity();
    axes();
    labels();
    return std::move(elements_);
  }

 private:
  Pixel px(const ScenePoint& p) const {
    return {view_.left + view_.scale * dot(view_.axes[0], p), view_.top - view_.scale * dot(view_.axes[1], p)};
  }
  Pixel along(const ScenePoint& v) const {
    return {view_.scale * dot(view_.axes[0], v), -view_.scale * dot(view_.axes[1], v)};
  }
  const ScenePoint& at(int track) const { return instant_.at[static_cast<std::size_t>(track)]; }
  Pixel at_px(int track) const { return px(at(track)); }

  void emit(std::string path, std::string style) {
    elements_.push_back({std::move(path), std::move(style), {}, 0, 0, 0, 0, kind_, depth_});
  }
  void obstacle(const Pixel& a, const Pixel& b) {
    const int steps = std::min(200, static_cast<int>(length(b - a) / 5) + 1);
    for (int k = 0; k <= steps; ++k) obstacles_.push_back(a + (static_cast<double>(k) / steps) * (b - a));
  }

  // --- shapes

  void shape(const SceneShape& shape, std::size_t index) {
    kind_ = std::string(to_text(shape.kind));
    const ScenePoint& first = at(shape.tracks.front());
    depth_ = depth_of(shape);
    const Pixel p = px(first);
    switch (shape.kind) {
      case ShapeKind::kBar:
      case ShapeKind::kPlate:
        bar(shape);
        break;
      case ShapeKind::kPin:
        emit(Path().circle(p, 4.2).take(), "fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.6\"");
        break;
      case ShapeKind::kSupport:
        support(p, true);
        break;
      case ShapeKind::kFixed:
        scene_.space == 2 && size(shape.direction) > 0 ? wall(shape, p) : support(p, false);
        break;
      case ShapeKind::kMass:
        obstacle(p - Pixel{7, 0}, p + Pixel{7, 0});
        emit(Path().circle(p, 8).take(), "fill=\"#4a5568\" stroke=\"#1a1a1a\" stroke-width=\"1.5\"");
        break;
      case ShapeKind::kCenter:
        emit(Path().circle(p, 6).take(), "fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.2\"");
        emit(quarters(p, 6), "fill=\"#1a1a1a\"");
        obstacle(p - Pixel{5, 0}, p + Pixel{5, 0});
        break;
      case ShapeKind::kDot:
        emit(Path().circle(p, 3.4).take(), "fill=\"#1a1a1a\"");
        break;
      case ShapeKind::kBlock:
        block(shape, p);
        break;
      case ShapeKind::kRail:
        rail(index);
        break;
      case ShapeKind::kSurface:
        if (scene_.space == 2) surface(at_px(shape.tracks[1]), at_px(shape.tracks[2]));
        break;
      case ShapeKind::kSpring:
        spring(p, at_px(shape.tracks[1]));
        break;
      case ShapeKind::kDamper:
        damper(p, at_px(shape.tracks[1]));
        break;
      case ShapeKind::kBlade:
        blade(p, at_px(shape.tracks[1]));
        break;
      case ShapeKind::kCircle:
        round(p, {shape.size * view_.scale, 0}, {0, shape.size * view_.scale});
        break;
      case ShapeKind::kRing:
        ring(shape);
        break;
      case ShapeKind::kDisk:
        disk(shape);
        break;
      case ShapeKind::kEllipsoid:
        ellipsoid(shape);
        break;
    }
  }
  double depth_of(const SceneShape& shape) const {
    if (scene_.space != 3) return layer(shape.kind);
    ScenePoint middle{};
    for (const int track : shape.tracks)
      for (std::size_t k = 0; k < 3; ++k) middle[k] += at(track)[k] / static_cast<double>(shape.tracks.size());
    const bool round =
        shape.kind == ShapeKind::kRing || shape.kind == ShapeKind::kDisk || shape.kind == ShapeKind::kEllipsoid;
    const double depth = -dot(view_.axes[2], round ? at(shape.tracks.front()) : middle);
    const bool mark = shape.kind != ShapeKind::kRail && shape.kind != ShapeKind::kCircle;
    // A mark at the end of a bar is drawn in front of the bar.
    return shape.tracks.size() == 1 && mark ? depth - 0.5 * scene_.size : depth;
  }
  // In the plane the kind of a shape decides which shapes it covers. Larger layers are drawn first.
  static double layer(ShapeKind kind) {
    switch (kind) {
      case ShapeKind::kRail:
      case ShapeKind::kSurface:
        return 9;
      case ShapeKind::kCircle:
        return 4.5;
      case ShapeKind::kSpring:
      case ShapeKind::kDamper:
        return 7;
      case ShapeKind::kPlate:
        return 6;
      case ShapeKind::kSupport:
      case ShapeKind::kFixed:
        return 5.5;
      case ShapeKind::kBar:
        return 5;
      case ShapeKind::kBlade:
      case ShapeKind::kBlock:
        return 4;
      case ShapeKind::kCenter:
        return 3;
      default:
        return 2;
    }
  }

  void bar(const SceneShape& shape) {
    Path path;
    path.move(at_px(shape.tracks.front()));
    for (std::size_t k = 1; k < shape.tracks.size(); ++k) {
      path.line(at_px(shape.tracks[k]));
      obstacle(at_px(shape.tracks[k - 1]), at_px(shape.tracks[k]));
    }
    if (shape.kind == ShapeKind::kPlate) path.close();
    const std::string data = path.take();
    if (scene_.simplified)
      return emit(
          data,
          "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    const bool plate = shape.kind == ShapeKind::kPlate;
    emit(
        data,
        plate
            ? "fill=\"#dfe7f1\" stroke=\"#1a1a1a\" stroke-width=\"9\" stroke-linejoin=\"round\""
            : "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"9\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    emit(
        data,
        plate
            ? "fill=\"#dfe7f1\" stroke=\"#dfe7f1\" stroke-width=\"6\" stroke-linejoin=\"round\""
            : "fill=\"none\" stroke=\"#dfe7f1\" stroke-width=\"6\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
  }

  static std::string quarters(const Pixel& p, double r) {
    constexpr double k = 0.5522847498;
    Path path;
    for (const double s : {1.0, -1.0}) {
      path.move(p).line(p + Pixel{s * r, 0});
      path.curve(p + Pixel{s * r, -s * k * r}, p + Pixel{s * k * r, -s * r}, p + Pixel{0, -s * r}).close();
    }
    return path.take();
  }

  // Hatching: short strokes on the left of the line from a to b.
  static void hatch(Path& path, const Pixel& a, const Pixel& b, double step = 6) {
    const Pixel d = unit(b - a), n = left_of(d);
    const int count = std::max(1, static_cast<int>(length(b - a) / step));
    for (int k = 0; k < count; ++k) {
      const Pixel from = a + ((k + 0.8) / count) * (b - a);
      path.move(from).line(from - 5.0 * d - 6.0 * n);
    }
  }

  void support(const Pixel& p, bool pinned) {
    if (scene_.simplified) return emit(Path().circle(p, 4).take(), "fill=\"#1a1a1a\"");
    if (scene_.space == 3) {
      emit(Path().circle(p, 4.6).take(), "fill=\"#1a1a1a\" stroke=\"#ffffff\" stroke-width=\"1\"");
      return;
    }
    const double low = pinned ? 15 : 0, half = pinned ? 15 : 11;
    if (pinned)
      emit(Path().move(p).line(p + Pixel{-9, low}).line(p + Pixel{9, low}).close().take(),
           "fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.5\" stroke-linejoin=\"round\"");
    const Pixel a = p + Pixel{-half, low}, b = p + Pixel{half, low};
    Path strokes;
    strokes.move(a).line(b);
    hatch(strokes, a, b);
    obstacle(a + Pixel{0, 4}, b + Pixel{0, 4});
    obstacle(p, p + Pixel{0, low});
    emit(strokes.take(), "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.3\" stroke-linecap=\"round\"");
    const double depth = depth_;
    depth_ = 2;
    emit(Path().circle(p, pinned ? 4.2 : 2.6).take(),
         pinned ? "fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.6\"" : "fill=\"#1a1a1a\"");
    depth_ = depth;
  }

  // A wall at right angles to the shape's direction.
  void wall(const SceneShape& shape, const Pixel& p) {
    const Pixel n = left_of(unit(along(shape.direction)));
    const Pixel a = p + 22.0 * n, b = p - 22.0 * n;
    Path strokes;
    strokes.move(a).line(b);
    hatch(strokes, b, a);
    obstacle(a, b);
    emit(strokes.take(), "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.3\" stroke-linecap=\"round\"");
  }

  void block(const SceneShape& shape, const Pixel& p) {
    const Pixel d = 17.0 * unit(along(shape.direction)), n = 10.0 * left_of(unit(along(shape.direction)));
    emit(Path().move(p - d - n).line(p + d - n).line(p + d + n).line(p - d + n).close().take(),
         "fill=\"#dfe7f1\" stroke=\"#1a1a1a\" stroke-width=\"1.6\" stroke-linejoin=\"round\"");
    obstacle(p - d, p + d);
    obstacle(p - d - n, p + d - n);
    obstacle(p - d + n, p + d + n);
  }

  // The rail of a sliding block. The block is above it, or on the side of the other parts.
  void rail(std::size_t index) {
    const bool under_block = index + 1 < scene_.shapes.size() && scene_.shapes[index + 1].kind == ShapeKind::kBlock;
    Pixel a = px(view_.rails[index][0]), b = px(view_.rails[index][1]);
    Pixel n = left_of(unit(b - a));
    const bool vertical = std::abs(n[0]) > 0.9;
    const Pixel middle{view_.width / 2.0, view_.height / 2.0};
    const Pixel out = a + 0.5 * (b - a) - middle;
    // The hatched side points down; at a vertical rail it points away from the middle of the picture.
    if (vertical ? n[0] * out[0] < 0 : n[1] < 0) n = -1.0 * n, std::swap(a, b);
    const double off = under_block ? 11 : 1;
    a = a + off * n;
    b = b + off * n;
    if (scene_.space == 3) {
      const Pixel shift = off * n;
      emit(Path().move(a - shift).line(b - shift).take(),
           "fill=\"none\" stroke=\"#8a94a6\" stroke-width=\"2\" stroke-dasharray=\"7 4\"");
      return;
    }
    Path strokes;
    strokes.move(a).line(b);
    // hatch() draws on the left of its direction, which must be the side away from the block.
    hatch(strokes, b, a, 7);
    obstacle(a + 4.0 * n, b + 4.0 * n);
    emit(strokes.take(), "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.3\" stroke-linecap=\"round\"");
  }

  // A line across the picture through p, with its free side to the left of the way to `ahead`. The strokes stay with the line.
  void surface(const Pixel& p, const Pixel& ahead) {
    constexpr double kEdge = 8, kStep = 7;
    const Pixel d = unit(ahead - p);
    double from = -kFarthest, to = kFarthest;
    for (const std::size_t k : {0U, 1U}) {
      const double low = kEdge - p[k], high = (k == 0 ? view_.width : view_.height) - kEdge - p[k];
      if (std::abs(d[k]) < 1e-9) {
        if (low > 0 || high < 0) return;
        continue;
      }
      from = std::max(from, std::min(low / d[k], high / d[k]));
      to = std::min(to, std::max(low / d[k], high / d[k]));
    }
    from = std::ceil(from / kStep) * kStep;
    to = std::floor(to / kStep) * kStep;
    if (!(from < to)) return;
    const Pixel a = p + from * d, b = p + to * d;
    Path strokes;
    strokes.move(a).line(b);
    hatch(strokes, a, b, kStep);
    obstacle(a, b);
    emit(strokes.take(), "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.3\" stroke-linecap=\"round\"");
  }

  void spring(const Pixel& a, const Pixel& b) {
    constexpr int kTeeth = 16;
    const double whole = length(b - a), lead = std::min(12.0, whole / 6);
    const Pixel d = unit(b - a), n = 7.5 * left_of(d);
    Path path;
    path.move(a).line(a + lead * d);
    for (int k = 0; k < kTeeth; ++k)
      path.line(a + (lead + (whole - 2 * lead) * (k + 0.5) / kTeeth) * d + (k % 2 ? -1.0 : 1.0) * n);
    path.line(b - lead * d).line(b);
    emit(path.take(),
         "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    obstacle(a, b);
  }

  void damper(const Pixel& a, const Pixel& b) {
    const double whole = length(b - a);
    const Pixel d = unit(b - a), n = 6.5 * left_of(d), from = a + 0.35 * whole * d, to = a + 0.65 * whole * d,
                piston = a + 0.5 * whole * d;
    Path path;
    path.move(a).line(from).move(to + n).line(from + n).line(from - n).line(to - n);
    path.move(piston + 0.75 * n).line(piston - 0.75 * n).move(piston).line(b);
    emit(path.take(),
         "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    obstacle(a, b);
  }

  void blade(const Pixel& p, const Pixel& ahead) {
    const Pixel d = 13.0 * unit(ahead - p);
    emit(Path().move(p - d).line(p + d).take(),
         "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"6.5\" stroke-linecap=\"round\"");
    obstacle(p - d, p + d);
  }

  // --- round shapes

  void round(const Pixel& c, const Pixel& u, const Pixel& v, bool filled = true) {
    emit(Path().ellipse(c, u, v).take(),
         !filled ? "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.3\""
                 : "fill=\"#dfe7f1\" fill-opacity=\"0.75\" stroke=\"#1a1a1a\" stroke-width=\"1.8\"");
    for (int k = 0; k < 24; ++k) {
      const double s = k * std::numbers::pi / 12;
      obstacles_.push_back(c + std::cos(s) * u + std::sin(s) * v);
    }
  }
  void ring(const SceneShape& shape) {
    const ScenePoint axis = difference(at(shape.tracks[1]), at(shape.tracks[0]));
    const ScenePoint any = std::abs(axis[2]) < 0.9 * size(axis) ? ScenePoint{0, 0, 1} : ScenePoint{1, 0, 0};
    ScenePoint u = cross(axis, any), v = cross(axis, u);
    for (ScenePoint* w : {&u, &v}) {
      const double scale = size(*w) > 0 ? shape.size / size(*w) : 0;
      for (double& component : *w) component *= scale;
    }
    round(at_px(shape.tracks[0]), along(u), along(v), false);
  }
  void disk(const SceneShape& shape) {
    const Pixel c = at_px(shape.tracks[0]), u = at_px(shape.tracks[1]) - c, v = at_px(shape.tracks[2]) - c;
    round(c, u, v);
    emit(Path().move(c - u).line(c + u).move(c - v).line(c + v).take(),
         "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1\"");
    emit(Path().circle(c + 0.82 * u, 3).take(), "fill=\"#d55e00\"");
  }
  // The outline is the image of the unit ball under A, whose columns are the ellipsoid's three half axes in pixels; the
  // half axes of the outline follow from A Aᵀ.
  void ellipsoid(const SceneShape& shape) {
    const Pixel c = at_px(shape.tracks[0]);
    std::array<Pixel, 3> a;
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = at_px(shape.tracks[k + 1]) - c;
      xx += a[k][0] * a[k][0], xy += a[k][0] * a[k][1], yy += a[k][1] * a[k][1];
    }
    const double turn = 0.5 * std::atan2(2 * xy, xx - yy), root = std::hypot((xx - yy) / 2, xy), mean = (xx + yy) / 2;
    const Pixel d{std::cos(turn), std::sin(turn)};
    round(c, std::sqrt(mean + root) * d, std::sqrt(std::max(mean - root, 0.0)) * left_of(d));
    Path circles;
    for (std::size_t k = 0; k < 3; ++k) circles.ellipse(c, a[k], a[(k + 1) % 3]);
    emit(circles.take(), "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"0.8\" stroke-opacity=\"0.55\"");
  }

  // --- surroundings

  void ground() {
    if (!scene_.floor || scene_.space != 3) return;
    kind_ = "floor";
    ScenePoint low = view_.corners[0], high = view_.corners[1];
    const double pad = kFloorPad * scene_.size;
    Path grid;
    constexpr int kLines = 6;
    const auto corner = [&](double x, double y) {
      return px({low[0] - pad + x * (high[0] - low[0] + 2 * pad), low[1] - pad + y * (high[1] - low[1] + 2 * pad),
                 *scene_.floor});
    };
    for (int k = 0; k <= kLines; ++k) {
      const double s = static_cast<double>(k) / kLines;
      grid.move(corner(s, 0)).line(corner(s, 1)).move(corner(0, s)).line(corner(1, s));
    }
    emit(grid.take(), "fill=\"none\" stroke=\"#d4d9e1\" stroke-width=\"1\"");
  }

  void traces() {
    kind_ = "trace";
    if (path_.size() < 2) return;
    for (const int track : scene_.traces) {
      Path path;
      bool begins = true;
      for (const SceneInstant& instant : path_) {
        const ScenePoint& p = instant.at[static_cast<std::size_t>(track)];
        if (!finite(p)) {
          begins = true;
          continue;
        }
        begins ? path.move(px(p)) : path.line(px(p));
        begins = false;
      }
      emit(path.take(),
           "fill=\"none\" stroke=\"#d55e00\" stroke-width=\"1.4\" stroke-opacity=\"0.7\" stroke-linejoin=\"round\"");
    }
  }

  void forces() {
    kind_ = "force";
    for (std::size_t f = 0; f < scene_.forces.size(); ++f) {
      const SceneForce& force = scene_.forces[f];
      const bool reaction = !force.rows.empty();
      if (reaction && !options_.forces) continue;
      const ScenePoint& value = instant_.force[f];
      const Pixel p = at_px(force.track);
      const double scale = view_.largest_force > 0 ? kForce / view_.largest_force / view_.scale : 0;
      const Pixel v = force.turns || !finite(value) ? Pixel{0, 0} : scale * along(value);
      Path path;
      force.turns ? turn(path, p, value) : arrow(path, p, p + v);
      if (force.opposite >= 0) {
        const Pixel other = at_px(force.opposite);
        arrow(path, other, other - v);
        if (length(v) > 0) obstacle(other, other - v);
      }
      // Line ends are butt caps, so that an arrow of length 0 is invisible.
      emit(path.take(), fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"",
                                    reaction ? "#009e73" : "#d55e00"));
      if (force.turns && finite(value) && size(value) > 0)
        for (int k = 0; k < 8; ++k) obstacle(p + corner(k), p + corner(k + 1));
      if (length(v) > 0) obstacle(p, p + v);
      const bool seen = force.turns ? finite(value) && size(value) > 0 : length(v) >= 2;
      if (!options_.forces || !options_.values || !seen) continue;
      std::string text = fmt::format("{}{:.3g}{}", force.name.empty() ? "" : force.name + " ", size(value),
                                     force.unit.empty() ? "" : " " + typeset_unit(force.unit));
      wanted_.push_back(
          {force.turns ? p + Pixel{0, kTurn} : p + v, std::move(text), reaction ? "#00704f" : "#a84400", false});
    }
  }

  // Corners of an octagon, which represents a curved arrow when labels look for free room.
  static Pixel corner(int k) {
    const double angle = k * std::numbers::pi / 4;
    return {kTurn * std::cos(angle), kTurn * std::sin(angle)};
  }

  // A curved arrow about the axis of a torque, longer for a larger torque.
  void turn(Path& path, const Pixel& p, const ScenePoint& torque) {
    const double value = scene_.space == 2 ? torque[0] : size(torque), largest = view_.largest_torque;
    const double share = finite(torque) && largest > 0 ? value / largest : 0;
    Pixel u{kTurn, 0}, v{0, -kTurn};
    if (scene_.space == 3 && size(torque) > 0) {
      const ScenePoint least = std::abs(torque[2]) < 0.9 * size(torque) ? ScenePoint{0, 0, 1} : ScenePoint{1, 0, 0};
      const ScenePoint a = cross(torque, least), b = cross(torque, a);
      u = kTurn / size(a) / view_.scale * along(a);
      v = kTurn / size(b) / view_.scale * along(b);
    }
    curved_arrow(path, p, u, v, share);
  }

  void gravity() {
    if (size(scene_.gravity) == 0 || scene_.space != 2) return;
    kind_ = "gravity";
    const Pixel from{view_.width - 34.0, 20};
    const Pixel d = unit(along(scene_.gravity));
    Path path;
    arrow(path, from, from + 34.0 * d);
    emit(path.take(),
         "fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.4\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
    text("g", from + Pixel{9, 20}, kInk, true, "start");
  }

  void axes() {
    if (scene_.space != 3) return;
    kind_ = "axes";
    const Pixel origin{46, view_.height - (scene_.up < 0 ? 66.0 : 40.0)};
    for (std::size_t k = 0; k < 3; ++k) {
      ScenePoint e{};
      e[k] = 1;
      const Pixel tip = (34 / view_.scale) * along(e);
      Path path;
      arrow(path, origin, origin + tip);
      emit(path.take(),
           "fill=\"none\" stroke=\"#5b6577\" stroke-width=\"1.3\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
      text(std::string(1, "xyz"[k]), origin + tip + 9.0 * unit(tip) + Pixel{0, 4}, "#5b6577", true, "middle");
    }
  }

  // --- texts

  struct Wanted {
    Pixel at;
    std::string text;
    const char* color;
    bool italic;
  };
  struct Box {
    double left, top, right, bottom;
    bool meets(const Box& o) const { return left < o.right && o.left < right && top < o.bottom && o.top < bottom; }
  };

  void text(const std::string& words, const Pixel& at, const char* color, bool italic, const char* anchor,
            const Pixel& of = {}) {
    elements_.push_back(
        {{},
         fmt::format("fill=\"{}\"{} text-anchor=\"{}\"", color, italic ? " font-style=\"italic\"" : "", anchor),
         words,
         at[0],
         at[1],
         of[0],
         of[1],
         kind_,
         depth_});
  }

  // Places each label where it covers least: eight directions around its point, at three distances.
  void labels() {
    kind_ = "label";
    for (std::size_t i = 0; i < scene_.tracks.size(); ++i)
      if (scene_.tracks[i].label && !scene_.tracks[i].name.empty())
        wanted_.push_back({at_px(static_cast<int>(i)), scene_.tracks[i].name, kInk, scene_.tracks[i].name.size() <= 2});
    std::vector<Box> boxes;
    for (const Wanted& one : wanted_) {
      // The length is counted in characters, not bytes; a very long name is cut.
      std::string shown;
      std::size_t letters = 0;
      for (const char c : one.text) {
        if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U && ++letters > 40) break;
        shown += c;
      }
      if (letters > 40) shown += "…";
      const double wide = 7.4 * static_cast<double>(std::min<std::size_t>(letters, 41)), high = 13;
      Box best{};
      double least = std::numeric_limits<double>::infinity();
      for (const double reach : {12.0, 19.0, 28.0})
        for (int k = 0; k < 8; ++k) {
          static constexpr int kOrder[8] = {1, 7, 3, 5, 0, 2, 4, 6};
          const double s = kOrder[k] * std::numbers::pi / 4;
          const Pixel c = one.at + Pixel{std::cos(s) * (reach + wide / 2 * (std::abs(std::cos(s)) > 0.1 ? 1 : 0)),
                                         -std::sin(s) * (reach + 3)};
          const Box box{c[0] - wide / 2, c[1] - high / 2, c[0] + wide / 2, c[1] + high / 2};
          double cost = 0.02 * k + 0.04 * reach;
          for (const Box& other : boxes) cost += box.meets(other) ? 50 : 0;
          for (const Pixel& p : obstacles_)
            cost += p[0] > box.left - 7 && p[0] < box.right + 7 && p[1] > box.top - 6 && p[1] < box.bottom + 6 ? 1 : 0;
          if (box.left < 2 || box.right > view_.width - 2 || box.top < 2 || box.bottom > view_.height - 2) cost += 80;
          if (cost < least) least = cost, best = box;
        }
      boxes.push_back(best);
      text(shown, {(best.left + best.right) / 2, best.bottom - 2}, one.color, one.italic, "middle", one.at);
    }
  }

  const Scene& scene_;
  const SceneInstant& instant_;
  const PictureView& view_;
  const PictureOptions& options_;
  std::span<const SceneInstant> path_;
  std::vector<PictureElement> elements_;
  std::vector<Pixel> obstacles_;
  std::vector<Wanted> wanted_;
  std::string kind_;
  double depth_ = 0;
};

}  // namespace

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// The extent of the scene in the picture's axes, before scaling.
struct Extent {
  double left = kFar, right = -kFar, low = kFar, high = -kFar;

  // Includes a ball in this extent and in the corners of the view.
  void include(PictureView& view, const ScenePoint& p, double radius = 0) {
    if (!finite(p)) return;
    include_seen(view, p, radius);
    for (std::size_t k = 0; k < 3; ++k) {
      view.corners[0][k] = std::min(view.corners[0][k], p[k] - radius);
      view.corners[1][k] = std::max(view.corners[1][k], p[k] + radius);
    }
  }
  void include_seen(const PictureView& view, const ScenePoint& p, double radius = 0) {
    const double x = dot(view.axes[0], p), y = dot(view.axes[1], p);
    left = std::min(left, x - radius), right = std::max(right, x + radius);
    low = std::min(low, y - radius), high = std::max(high, y + radius);
  }
};

// Includes all shapes at all instants, and finds how far each rail reaches.
void include_shapes(const Scene& scene, std::span<const SceneInstant> instants, Extent& extent, PictureView& view) {
  view.rails.resize(scene.shapes.size());
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    const SceneShape& shape = scene.shapes[i];
    double from = kFar, to = -kFar;
    for (const SceneInstant& instant : instants) {
      const ScenePoint& first = instant.at[static_cast<std::size_t>(shape.tracks.front())];
      const bool direction_only =
          shape.kind == ShapeKind::kBlade || shape.kind == ShapeKind::kRing || shape.kind == ShapeKind::kSurface;
      for (std::size_t k = 0; k < (direction_only ? 1 : shape.tracks.size()); ++k)
        extent.include(view, instant.at[static_cast<std::size_t>(shape.tracks[k])], shape.size);
      if (shape.kind == ShapeKind::kDisk || shape.kind == ShapeKind::kEllipsoid)
        for (std::size_t k = 1; k < shape.tracks.size(); ++k) {
          const ScenePoint d = difference(instant.at[static_cast<std::size_t>(shape.tracks[k])], first);
          extent.include(view, {first[0] - d[0], first[1] - d[1], first[2] - d[2]});
        }
      from = std::min(from, dot(first, shape.direction));
      to = std::max(to, dot(first, shape.direction));
    }
    if (shape.kind != ShapeKind::kRail || instants.empty()) continue;
    const ScenePoint& first = instants[0].at[static_cast<std::size_t>(shape.tracks.front())];
    const double here = dot(first, shape.direction), beyond = 0.13 * scene.size;
    for (const int end : {0, 1}) {
      const double reach = end == 0 ? from - beyond - here : to + beyond - here;
      for (std::size_t k = 0; k < 3; ++k)
        view.rails[i][static_cast<std::size_t>(end)][k] = first[k] + reach * shape.direction[k];
      extent.include(view, view.rails[i][static_cast<std::size_t>(end)]);
    }
  }
}

}  // namespace

PictureView view_of(const Scene& scene, std::span<const SceneInstant> instants, const PictureOptions& options) {
  PictureView view;
  view.axes = camera(scene, options);
  view.corners = {ScenePoint{kFar, kFar, kFar}, ScenePoint{-kFar, -kFar, -kFar}};
  Extent extent;
  include_shapes(scene, instants, extent, view);
  for (const SceneInstant& instant : instants) {
    for (const int track : scene.traces) extent.include(view, instant.at[static_cast<std::size_t>(track)]);
    for (std::size_t f = 0; f < scene.forces.size(); ++f)
      if ((options.forces || scene.forces[f].rows.empty()) && finite(instant.force[f])) {
        double& largest = scene.forces[f].turns ? view.largest_torque : view.largest_force;
        largest = std::max(largest, size(instant.force[f]));
      }
  }
  auto& [left, right, low, high] = extent;
  if (!(left <= right)) left = low = -0.5, right = high = 0.5;
  if (scene.space == 3 && scene.floor)
    for (const double x : {view.corners[0][0] - kFloorPad * scene.size, view.corners[1][0] + kFloorPad * scene.size})
      for (const double y : {view.corners[0][1] - kFloorPad * scene.size, view.corners[1][1] + kFloorPad * scene.size})
        extent.include_seen(view, {x, y, *scene.floor});
  // A single point or points on a line still need some room.
  const double least = 0.25 * scene.size;
  const double wide = std::max(right - left, least), tall = std::max(high - low, least);
  // Room for force arrows, and on one side for the axes or the arrow of gravity in the corner.
  const double margin = view.largest_force > 0 ? kForce + 30 : kMargin;
  const double beside_left = scene.space == 3 ? 44 : 0,
               beside_right = scene.space == 2 && size(scene.gravity) > 0 ? 36 : 0;
  const double room = options.width - 2 * margin - beside_left - beside_right;
  view.scale = std::min(room / wide, (options.height - 2 * margin) / tall);
  if (!(view.scale > 0) || !std::isfinite(view.scale)) view.scale = 1;
  view.width =
      std::clamp(static_cast<int>(std::lround((right - left) * view.scale + 2 * margin + beside_left + beside_right)),
                 std::min(options.width, 320), options.width);
  view.height = std::clamp(static_cast<int>(std::lround((high - low) * view.scale + 2 * margin)),
                           std::min(options.height, scene.space == 3 ? 240 : 150), options.height);
  view.left = (view.width + beside_left - beside_right) / 2 - view.scale * (left + right) / 2;
  view.top = view.height / 2.0 + view.scale * (low + high) / 2;
  return view;
}

std::vector<PictureElement> paint(const Scene& scene, const SceneInstant& instant, const PictureView& view,
                                  const PictureOptions& options, std::span<const SceneInstant> path) {
  return Painter(scene, instant, view, options, path).run();
}

}  // namespace dalembert
