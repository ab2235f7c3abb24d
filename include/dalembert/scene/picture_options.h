// SPDX-License-Identifier: Apache-2.0
// How a model is drawn.
#pragma once

namespace dalembert {

struct PictureOptions {
  double azimuth = -48, elevation = 24;  ///< of the camera about a spatial scene, degrees; from +x towards +y, and up
  bool forces = false;                   ///< reactions too, every force with its value and unit
  bool values = true;                    ///< numbers at forces; they cannot move with a picture that plays
  int width = 720, height = 540;         ///< at most, pixels
};

}  // namespace dalembert
