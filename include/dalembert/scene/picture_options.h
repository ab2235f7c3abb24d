// SPDX-License-Identifier: Apache-2.0
// How a model is drawn.
#pragma once

namespace dalembert {

struct PictureOptions {
  /// Direction of the camera about a spatial scene, degrees: azimuth from +x towards +y, elevation upwards.
  double azimuth = -48, elevation = 24;
  bool forces = false;            ///< draws reactions too, and labels every force with its value and unit
  bool values = true;             ///< numbers at forces; animated pictures cannot show them
  int width = 720, height = 540;  ///< largest size of the picture, pixels
};

}  // namespace dalembert
