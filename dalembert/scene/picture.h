// SPDX-License-Identifier: Apache-2.0
// A scene as line art: what is drawn, and where, at an instant, in pixels. Spatial models are seen by a camera without
// perspective.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/scene/picture_options.h"
#include "dalembert/scene/scene.h"

namespace dalembert {

/// One path or one text of a picture. All pictures of a scene have the same elements in the same order, and their paths
/// have the same commands, so that an animation can interpolate them.
struct PictureElement {
  std::string path;                   ///< SVG path data; empty for a text
  std::string style;                  ///< SVG attributes of the path or text
  std::string text;                   ///< plain text, not escaped
  double x = 0, y = 0;                ///< position of a text, pixels
  double anchor_x = 0, anchor_y = 0;  ///< position of what the text labels, pixels
  std::string kind;                   ///< kind of the shape that the element belongs to: "bar", "label", "force"
  double depth = 0;                   ///< distance from the viewer; the largest is drawn first
};

/// How the scene is seen. One view serves all instants, so that nothing leaves the picture while it moves.
struct PictureView {
  double scale = 1, left = 0, top = 0;  ///< scale in pixels per m; position of the world's origin, pixels
  int width = 0, height = 0;
  double largest_torque = 0;
  double largest_force = 0;
  std::array<ScenePoint, 3> axes{};              ///< axes of the camera: to the right, up, towards the viewer
  std::vector<std::array<ScenePoint, 2>> rails;  ///< by shape: the two ends of a rail
  std::array<ScenePoint, 2> corners{};           ///< opposite corners of a box around the scene, along the world's axes
};
PictureView view_of(const Scene& scene, std::span<const SceneInstant> instants, const PictureOptions& options);

/// Draws one instant. `path`: earlier instants, whose traces are shown; may be empty.
std::vector<PictureElement> paint(const Scene& scene, const SceneInstant& instant, const PictureView& view,
                                  const PictureOptions& options, std::span<const SceneInstant> path = {});

/// One picture as a complete SVG document.
std::string scene_svg(const Scene& scene, const SceneInstant& instant, const PictureOptions& options = {});
/// An SVG document that plays in a loop of `seconds` seconds, with one frame per instant. Viewers set to reduced motion
/// show the first frame.
std::string animated_svg(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                         const PictureOptions& options = {});
/// Frame `which` of the animation of animated_svg(), for films; `view` is the view of all instants.
std::string frame_svg(const Scene& scene, std::span<const SceneInstant> instants, std::size_t which,
                      const PictureView& view, const PictureOptions& options);

}  // namespace dalembert
