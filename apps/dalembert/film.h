// SPDX-License-Identifier: Apache-2.0
// Writes films to files: SVG that plays by itself, or GIF and MP4 through the programs rsvg-convert and ffmpeg.
#pragma once

#include <span>
#include <string>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/scene/picture.h"

namespace dalembert::app {

enum class FilmFormat { kSvg, kGif, kMp4, kPage };

struct FilmOutput {
  std::string path;  ///< path of the file; "-" is standard output, as SVG
  FilmFormat format = FilmFormat::kSvg;
  bool to_standard_output() const { return path == "-"; }
};

/// Reads --output, before any work is done. Throws Failure: exit 2 (E0403) for a format that is not a film, exit 5 for
/// a path that cannot be written (E0501) or a needed program that is missing (E0507).
FilmOutput choose_film_output(const Arguments& arguments);

/// Writes a film, but not a page, and reports its path. Throws Failure, exit 5.
void write_film(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                const PictureOptions& options, const FilmOutput& output, Terminal& terminal);

}  // namespace dalembert::app
