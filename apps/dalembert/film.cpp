// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/other_program.h"
#include "apps/dalembert/progress.h"
#include "dalembert/store/file.h"
#include "dalembert/study/threads.h"

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

// Frames below each other in one picture, a sheet, which the encoder takes apart: starting the converter takes as long as drawing a frame.
struct Sheets {
  std::size_t frames = 0, tiles = 1;  // frames of the film, and of a sheet
  int width = 0, height = 0;          // of a frame; even, so that its edges are edges of pixels at kFrameZoom
  std::size_t count() const { return (frames + tiles - 1) / tiles; }
};

Sheets plan_sheets(std::size_t frames, const PictureView& view) {
  constexpr std::size_t kMostTiles = 16;
  constexpr int kTallest = 20000;  // 30,000 pixels at kFrameZoom; cairo draws at most 32,767
  Sheets sheets{frames, 1, view.width + view.width % 2, view.height + view.height % 2};
  const auto fit = static_cast<std::size_t>(std::max(1, kTallest / std::max(1, sheets.height)));
  sheets.tiles = std::clamp<std::size_t>(std::min(fit, kMostTiles), 1, std::max<std::size_t>(1, frames));
  return sheets;
}

// Sheet number `which` as SVG. The last one may have room for more frames than there are.
std::string sheet_svg(const Sheets& sheets, std::size_t which, const Scene& scene,
                      std::span<const SceneInstant> instants, const PictureView& view, const PictureOptions& options) {
  static constexpr std::string_view kStart = "<svg ";
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      sheets.width, static_cast<std::size_t>(sheets.height) * sheets.tiles);
  for (std::size_t tile = 0; tile < sheets.tiles && which * sheets.tiles + tile < sheets.frames; ++tile) {
    const std::string frame = frame_svg(scene, instants, which * sheets.tiles + tile, view, options);
    text += fmt::format("<svg y=\"{}\" ", static_cast<std::size_t>(sheets.height) * tile);
    text += std::string_view(frame).substr(frame.find(kStart) + kStart.size());
  }
  return text + "</svg>\n";
}

// One sheet as PNG, which goes through the temporary file at `place`. Throws Failure.
std::string png_of(const std::string& svg, const std::string& converter, const std::string& place,
                   const FilmOutput& output) {
  const ProgramEnd end = run_program(converter, {"--unlimited", "--format", "png", "--zoom", kFrameZoom}, svg, place);
  require_end(end, output.path, kConverter);
  const Result<SourcePtr> picture = read_file(place);
  if (!picture) fail(kExitIo, picture.diagnostics());
  return (*picture)->text();
}

// All sheets as PNG files in sequence, as ffmpeg reads them from a pipe; drawn by one converter for each processor.
std::string png_sheets(const Sheets& sheets, const Scene& scene, std::span<const SceneInstant> instants,
                       const PictureView& view, const PictureOptions& options, const FilmOutput& output,
                       Terminal& terminal) {
  const std::string converter = find_program(kConverter);
  std::vector<std::string> drawn(sheets.count());
  const int count = threads_for(0, static_cast<std::int64_t>(drawn.size()));
  std::vector<std::unique_ptr<UnfinishedFile>> files;  // one for each thread
  for (int k = 0; k < count; ++k) {
    files.push_back(std::make_unique<UnfinishedFile>(name_with_ending(output.path, fmt::format(".{}", k))));
    if (!files.back()->problem().empty()) cannot_write_film(output.path, files.back()->problem());
  }
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  Progress progress(terminal, Work::count(0, static_cast<double>(sheets.frames), "frames"));
  Threads threads(count, [&](int thread, const std::atomic<bool>&) {
    for (std::size_t k = 0; !failed && (k = next++) < drawn.size(); ++done) {
      try {
        drawn[k] = png_of(sheet_svg(sheets, k, scene, instants, view, options), converter,
                          files[static_cast<std::size_t>(thread)]->place(), output);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  });
  threads.wait([&] {
    progress.update(static_cast<double>(std::min(sheets.frames, done * sheets.tiles)));
    return true;
  });
  if (failure) std::rethrow_exception(failure);
  std::string all;
  for (std::string& sheet : drawn) all += std::exchange(sheet, {});
  return all;
}

// Encodes the sheets with ffmpeg into a temporary file, which is renamed at the end.
void encode(const std::string& pictures, const Sheets& sheets, double fps, const FilmOutput& output) {
  UnfinishedFile file(output.path);
  if (!file.problem().empty()) cannot_write_film(output.path, file.problem());
  const std::string apart = sheets.tiles > 1 ? fmt::format("untile=1x{},", sheets.tiles) : "";
  std::vector<std::string> words{"-y",
                                 "-loglevel",
                                 "error",
                                 "-f",
                                 "image2pipe",
                                 "-framerate",
                                 fmt::format("{:.8g}", fps / static_cast<double>(sheets.tiles)),
                                 "-c:v",
                                 "png",
                                 "-i",
                                 "-"};
  if (output.format == FilmFormat::kGif)
    words.insert(words.end(), {"-filter_complex",
                               apart + "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none:diff_mode=rectangle",
                               "-loop", "0", "-f", "gif"});
  else
    // Most players accept only even numbers of pixels.
    words.insert(words.end(), {"-vf", apart + "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-movflags", "+faststart",
                               "-f", "mp4"});
  words.insert(words.end(), {"-frames:v", std::to_string(sheets.frames), "file:" + file.place()});
  require_end(run_program(find_program(kEncoder), std::move(words), pictures), output.path, kEncoder);
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
    const PictureView view = view_of(scene, instants, options);
    const Sheets sheets = plan_sheets(instants.size(), view);
    encode(png_sheets(sheets, scene, instants, view, options, output, terminal), sheets, fps, output);
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
