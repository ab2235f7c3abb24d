// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG documents, still or animated (by SMIL, so no script is needed).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "dalembert/figure/rich_text.h"
#include "dalembert/scene/picture.h"

namespace dalembert {
namespace {

std::vector<std::size_t> drawing_order(const std::vector<PictureElement>& elements) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return elements[a].depth > elements[b].depth; });
  return order;
}

void begin(std::string& out, const Scene& scene, const PictureView& view, const std::string& sentence) {
  fmt::format_to(std::back_inserter(out),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                 "role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n<title>{2}</title>\n"
                 "<desc>{3}</desc>\n",
                 view.width, view.height, xml_text(scene.name), xml_text(sentence));
}

// A white outline around texts, so that lines do not cross them.
constexpr const char* kHalo = " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";

void still(std::string& out, const std::vector<PictureElement>& elements) {
  for (const std::size_t i : drawing_order(elements)) {
    const PictureElement& e = elements[i];
    if (e.text.empty())
      fmt::format_to(std::back_inserter(out), "<path class=\"{}\" {} d=\"{}\"/>\n", e.kind, e.style, e.path);
    else
      fmt::format_to(std::back_inserter(out), "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" {}{}>{}</text>\n", e.kind,
                     e.x, e.y, e.style, kHalo, xml_text(e.text));
  }
}

std::string sentence_of(const Scene& scene, const SceneInstant& instant) {
  std::size_t bars = 0, pins = 0;
  for (const SceneShape& shape : scene.shapes) {
    bars += shape.kind == ShapeKind::kBar || shape.kind == ShapeKind::kPlate;
    pins += shape.kind == ShapeKind::kPin || shape.kind == ShapeKind::kSupport;
  }
  return fmt::format("{} at t = {:.4g} s: {} shapes, {} bars and {} pins among them", scene.name, instant.t,
                     scene.shapes.size(), bars, pins);
}

constexpr const char* kPaper = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";

}  // namespace

std::string scene_svg(const Scene& scene, const SceneInstant& instant, const PictureOptions& options) {
  const PictureView view = view_of(scene, {&instant, 1}, options);
  std::string out;
  begin(out, scene, view, sentence_of(scene, instant));
  out += kPaper;
  still(out, paint(scene, instant, view, options));
  out += "</svg>\n";
  return out;
}

std::string frame_svg(const Scene& scene, std::span<const SceneInstant> instants, std::size_t which,
                      const PictureView& view, const PictureOptions& options) {
  std::string out;
  begin(out, scene, view, sentence_of(scene, instants[which]));
  out += kPaper;
  still(out, paint(scene, instants[which], view, options, instants));
  out += "</svg>\n";
  return out;
}

namespace {

// Writes an element that is animated through `values`, or stays still if `values` is empty.
void move(std::string& out, const PictureElement& e, const std::string& values, double seconds) {
  if (e.text.empty())
    fmt::format_to(std::back_inserter(out), "<path class=\"{}\" {} d=\"{}\">", e.kind, e.style, e.path);
  else
    fmt::format_to(std::back_inserter(out), "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" {}{}>{}", e.kind, e.x, e.y,
                   e.style, kHalo, xml_text(e.text));
  if (!values.empty() && e.text.empty())
    fmt::format_to(std::back_inserter(out),
                   "<animate attributeName=\"d\" dur=\"{:.3f}s\" repeatCount=\"indefinite\" values=\"{}\"/>", seconds,
                   values);
  else if (!values.empty())
    fmt::format_to(std::back_inserter(out),
                   "<animateTransform attributeName=\"transform\" type=\"translate\" dur=\"{:.3f}s\" "
                   "repeatCount=\"indefinite\" values=\"{}\"/>",
                   seconds, values);
  out += e.text.empty() ? "</path>\n" : "</text>\n";
}

}  // namespace

std::string animated_svg(const Scene& scene, std::span<const SceneInstant> instants, double seconds,
                         const PictureOptions& wanted) {
  PictureOptions options = wanted;
  options.values = false;
  const PictureView view = view_of(scene, instants, options);
  std::string out;
  begin(out, scene, view, sentence_of(scene, instants.front()));
  out +=
      "<style>.still{display:none}@media (prefers-reduced-motion:reduce){.moving{display:none}.still{display:inline}}"
      "@media print{.moving{display:none}.still{display:inline}}</style>\n";
  out += kPaper;
  // An element that never moves is written once; a moving one with the list of its paths.
  const std::vector<PictureElement> first = paint(scene, instants.front(), view, options, instants);
  std::vector<std::string> values(first.size());
  std::vector<bool> moves(first.size(), false);
  for (std::size_t k = 0; k < instants.size(); ++k) {
    const std::vector<PictureElement> now = paint(scene, instants[k], view, options, instants);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const PictureElement& e = now[i];
      std::string& list = values[i];
      if (k > 0) list += ';';
      if (e.text.empty()) {
        list += e.path;
        moves[i] = moves[i] || e.path != first[i].path;
      } else {
        const double dx = e.anchor_x - first[i].anchor_x, dy = e.anchor_y - first[i].anchor_y;
        fmt::format_to(std::back_inserter(list), "{:.1f} {:.1f}", dx, dy);
        moves[i] = moves[i] || std::hypot(dx, dy) >= 0.05;
      }
    }
  }
  out += "<g class=\"moving\">\n";
  for (const std::size_t i : drawing_order(first)) move(out, first[i], moves[i] ? values[i] : std::string(), seconds);
  // A progress bar along the lower edge.
  fmt::format_to(std::back_inserter(out),
                 "<path class=\"time\" fill=\"none\" stroke=\"#8a94a6\" stroke-width=\"2\" d=\"M0 {0}L0 {0}\"><animate "
                 "attributeName=\"d\" dur=\"{1:.3f}s\" repeatCount=\"indefinite\" values=\"M0 {0}L0 {0};M0 {0}L{2} "
                 "{0}\"/></path>\n",
                 view.height - 1, seconds, view.width);
  out += "</g>\n<g class=\"still\">\n";
  still(out, first);
  out += "</g>\n</svg>\n";
  return out;
}

}  // namespace dalembert
