// SPDX-License-Identifier: Apache-2.0
// A scene as line art: what is drawn where at an instant, in pixels. Planar models as they are, spatial ones through a
// camera without perspective.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/scene/scene.h"

namespace dalembert {

struct PictureOptions {
  double azimuth = -48, elevation = 24;  ///< of the camera about a spatial scene, degrees; from +x towards +y, and up
  bool forces = false;                   ///< reactions too, every force with its value and unit
  bool values = true;                    ///< numbers at forces; they cannot move with a picture that plays
  int width = 720, height = 540;         ///< at most, pixels
};

/// What is drawn by one path or one text. Elements of pictures of one scene correspond: same number, same order, same
/// commands in the path.
struct PictureElement {
  std::string path;                   ///< SVG path data; of a text empty
  std::string style;                  ///< SVG attributes
  std::string text;                   ///< as it is, not escaped
  double x = 0, y = 0;                ///< of a text
  double anchor_x = 0, anchor_y = 0;  ///< what the text belongs to
  std::string kind;                   ///< of the shape it belongs to: "bar", "label", "force"
  double depth = 0;                   ///< larger is farther away, and drawn before
};

/// Of all instants: how the scene is seen, so that nothing leaves the picture while it moves.
struct PictureView {
  double scale = 1, left = 0, top = 0;  ///< pixels per m; of the world's origin
  int width = 0, height = 0;
  double largest_torque = 0;
  double largest_force = 0;
  std::array<ScenePoint, 3> axes{};              ///< to the right, up, towards the viewer
  std::vector<std::array<ScenePoint, 2>> rails;  ///< by shape: how far a rail reaches
  std::array<ScenePoint, 2> corners{};           ///< of everything, along the world's axes
};
PictureView view_of(const Scene& scene, std::span<const SceneInstant> instants, const PictureOptions& options);

/// `path`: instants before, whose traces are shown; may be empty.
std::vector<PictureElement> paint(const Scene& scene, const SceneInstant& instant, const PictureView& view,
                                  const PictureOptions& options, std::span<const SceneInstant> path = {});

/// A picture of its own: SVG.
std::string scene_svg(const Scene& scene, const SceneInstant& instant, const PictureOptions& options = {});
/// One that plays by itself and begins again, `seconds` long, one frame each instant. Readers who ask for less motion see
/// the first one.
std::string animated_svg(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                         const PictureOptions& options = {});
/// One frame of it, for those that make films; `view` is that of all instants.
std::string frame_svg(const Scene& scene, std::span<const SceneInstant> instants, std::size_t which,
                      const PictureView& view, const PictureOptions& options);

}  // namespace dalembert
