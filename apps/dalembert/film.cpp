// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/other_program.h"
#include "apps/dalembert/progress.h"
#include "dalembert/store/file.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEncoder = "ffmpeg";
constexpr const char* kFrameZoom = "1.5";

void require_end(const ProgramEnd& end, const std::string& path, const char* program) {
  if (!end.ok()) fail(kExitIo, "E0507", fmt::format("cannot write `{}`: `{}` gave up: {}", path, program, end.said));
}

[[noreturn]] void cannot_write_film(const std::string& path, const std::string& why) {
  fail(kExitIo, "E0501", fmt::format("cannot write `{}`: {}", path, why));
}

// All frames as PNG files in sequence, as ffmpeg reads them from a pipe.
std::string png_frames(const Scene& scene, std::span<const SceneInstant> instants, const PictureOptions& options,
                       const FilmOutput& output, Terminal& terminal) {
  const PictureView view = view_of(scene, instants, options);
  const std::string converter = find_program(kConverter);
  Progress progress(terminal, 0, static_cast<double>(instants.size()), "frames", 0);
  std::string frames;
  for (std::size_t k = 0; k < instants.size(); ++k) {
    const UnfinishedFile file(output.path);
    if (!file.problem().empty()) cannot_write_film(output.path, file.problem());
    const ProgramEnd end =
        run_program(converter, {"--unlimited", "--format", "png", "--zoom", kFrameZoom, "--output=" + file.place()},
                    frame_svg(scene, instants, k, view, options));
    require_end(end, output.path, kConverter);
    const Result<SourcePtr> frame = read_file(file.place());
    if (!frame) fail(kExitIo, frame.diagnostics());
    frames += (*frame)->text();
    progress.update(static_cast<double>(k + 1));
  }
  return frames;
}

// Encodes the frames with ffmpeg into a temporary file, which is renamed at the end.
void encode(const std::string& frames, double fps, const FilmOutput& output) {
  UnfinishedFile file(output.path);
  if (!file.problem().empty()) cannot_write_film(output.path, file.problem());
  std::vector<std::string> words{
      "-y",   "-loglevel", "error", "-f", "image2pipe", "-framerate", fmt::format("{:.6g}", fps),
      "-c:v", "png",       "-i",    "-"};
  if (output.format == FilmFormat::kGif)
    words.insert(words.end(),
                 {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "0", "-f", "gif"});
  else
    // Most players accept only even numbers of pixels.
    words.insert(words.end(),
                 {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-movflags", "+faststart", "-f", "mp4"});
  words.push_back("file:" + file.place());
  require_end(run_program(find_program(kEncoder), std::move(words), frames), output.path, kEncoder);
  if (const std::string why = file.become_final(); !why.empty()) cannot_write_film(output.path, why);
}

}  // namespace

FilmOutput choose_film_output(const Arguments& arguments) {
  const char* const kinds =
      "films are written as .svg, which plays by itself in a browser, .html, .gif or .mp4; `-` writes SVG to standard "
      "output";
  const std::optional<std::string> path = arguments.value("--output");
  if (!path) fail(kExitUsage, "E0403", "`animate` needs `--output FILE`", {kinds});
  if (*path == "-") {
    if (arguments.json())
      fail(kExitUsage, "E0403", "`--json` and `--output -` both want standard output", {"write the film to a file"});
    return {*path};
  }
  std::string ending = fs::path(*path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::map<std::string, FilmFormat> formats{
      {".svg", FilmFormat::kSvg}, {".gif", FilmFormat::kGif}, {".mp4", FilmFormat::kMp4}, {".html", FilmFormat::kPage}};
  const auto format = formats.find(ending);
  if (format == formats.end()) fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`", *path), {kinds});
  require_writable(*path);
  if (format->second == FilmFormat::kGif || format->second == FilmFormat::kMp4)
    for (const char* program : {kConverter, kEncoder})
      if (find_program(program).empty())
        fail(kExitIo, "E0507",
             fmt::format("`{}`: the program `{}`, which such films are made with, is not there", *path, program),
             {fmt::format("apt-get install {}", program == kEncoder ? "ffmpeg" : "librsvg2-bin"),
              fmt::format("write `{}`, which needs no other program",
                          fs::path(*path).replace_extension(".svg").string())});
  return {*path, format->second};
}

void write_film(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                const PictureOptions& options, const FilmOutput& output, Terminal& terminal) {
  if (output.format == FilmFormat::kGif || output.format == FilmFormat::kMp4) {
    const double fps = seconds > 0 ? static_cast<double>(instants.size()) / seconds : 25;
    encode(png_frames(scene, instants, options, output, terminal), fps, output);
    terminal.note(
        fmt::format("wrote {} ({:.0f} kB)\n", output.path, static_cast<double>(fs::file_size(output.path)) / 1000));
    return;
  }
  const std::string svg = animated_svg(scene, instants, seconds, options);
  if (output.to_standard_output()) {
    terminal.out(svg);
    return;
  }
  if (const Diagnostics problems = write_file(output.path, [&](std::ostream& out) { out << svg; }); !problems.empty())
    fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {} ({:.0f} kB)\n", output.path, static_cast<double>(svg.size()) / 1000));
}

}  // namespace dalembert::app
