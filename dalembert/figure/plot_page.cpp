// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/plot_page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace dalembert {
namespace {

// Lengths in pixels, as in chart.cpp.
constexpr double kPageWidth = 660, kPageEdge = 12, kPageText = 12, kPageLabel = 13, kPageTick = 5;
constexpr double kLegendRow = 19, kLegendSample = 22;

AxisTicks ticks_of(const AxisRange& range, int about) {
  return range.logarithmic ? label_log_ticks(range.from, range.to, about) : label_ticks(range.from, range.to, about);
}

RichText power_text(int power) {
  return {{"×10"}, {(power < 0 ? "\u2212" : "") + fmt::format("{}", std::abs(power)), false, TextPiece::kSuperscript}};
}

}  // namespace

PlotPage::PlotPage(const std::string& title, const std::string& description, const PageAxes& axes) : axes_(axes) {
  y_ticks_ = ticks_of(axes.y, static_cast<int>(axes.height / 42));
  double widest = 0;
  for (const std::string& text : y_ticks_.texts) widest = std::max(widest, text_width(text, kPageText));
  frame_ = {kPageEdge + 13.5 + 8 + widest + kPageTick + 4, y_ticks_.power != 0 || axes.right > 0 ? 24.0 : 14.0,
            kPageWidth - kPageEdge - axes.right, 0};
  frame_.bottom = frame_.top + axes.height;
  x_ticks_ = ticks_of(axes.x, static_cast<int>((frame_.right - frame_.left) / 85));
  // The entries of the legend, from left to right, with a new row where the width is used up.
  double x = frame_.left, y = frame_.bottom + 62;
  for (const LegendEntry& entry : axes.legend) {
    const double wide =
        text_width(entry.text, kPageText) + (entry.mark == LegendEntry::Mark::kNone ? 0 : kLegendSample) + 20;
    if (x > frame_.left && x + wide > kPageWidth) {
      x = frame_.left;
      y += kLegendRow;
    }
    entries_.emplace_back(x, y);
    x += wide;
  }
  width_ = kPageWidth;
  height_ = axes.legend.empty() ? frame_.bottom + 48 : y + 12;
  add(fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
      width_, std::ceil(height_)));
  add(fmt::format("<title>{}</title>\n<desc>{}</desc>\n", xml_text(title), xml_text(description)));
  svg_ +=
      "<defs><pattern id=\"hatched\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect width=\"6\" height=\"6\" fill=\"#ffffff\"/>"
      "<path d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\" stroke=\"#5a5a5a\" stroke-width=\"1\"/></pattern></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
}

void PlotPage::write(double x, double y, double anchor, const RichText& text, double size) {
  static constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  add(fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"#1a1a1a\">{}</text>\n", x,
                  y, size, kAnchors[static_cast<std::size_t>(std::lround(2 * anchor))], svg_text(text, size)));
}

void PlotPage::write_upwards(double x, double y, const RichText& text, double size) {
  add(
      fmt::format("<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" font-size=\"{}\" text-anchor=\"middle\" "
                  "fill=\"#1a1a1a\">{}</text>\n",
                  x, y, size, svg_text(text, size)));
}

void PlotPage::right_ticks(double x, const AxisRange& range) {
  const AxisTicks ticks = ticks_of(range, static_cast<int>(axes_.height / 42));
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double y = frame_.bottom - range.place(ticks.values[i]) * (frame_.bottom - frame_.top);
    add(fmt::format("<path stroke=\"#1a1a1a\" d=\"M{:.2f} {:.2f}h{}\"/>\n", x, y, kPageTick));
    write(x + kPageTick + 4, y + 0.36 * kPageText, 0, {{ticks.texts[i]}}, kPageText);
  }
  if (ticks.power != 0) write(x, frame_.top - 5, 0, power_text(ticks.power), kPageText);
}

void PlotPage::draw_axes() {
  const Box& box = frame_;
  add(fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#1a1a1a\"/>\n",
      box.left, box.top, box.right - box.left, box.bottom - box.top));
  svg_ += "<path stroke=\"#1a1a1a\" d=\"";
  for (const double x : x_ticks_.values) add(fmt::format("M{:.2f} {:.2f}v{}", px(x), box.bottom, kPageTick));
  for (const double y : y_ticks_.values) add(fmt::format("M{:.2f} {:.2f}h{}", box.left, py(y), -kPageTick));
  svg_ += "\"/>\n";
  for (std::size_t i = 0; i < x_ticks_.values.size(); ++i)
    write(px(x_ticks_.values[i]), box.bottom + kPageTick + 13, 0.5, {{x_ticks_.texts[i]}}, kPageText);
  for (std::size_t i = 0; i < y_ticks_.values.size(); ++i)
    write(box.left - kPageTick - 4, py(y_ticks_.values[i]) + 0.36 * kPageText, 1, {{y_ticks_.texts[i]}}, kPageText);
  if (x_ticks_.power != 0) write(box.right, box.bottom + 37, 1, power_text(x_ticks_.power), kPageText);
  if (y_ticks_.power != 0) write(box.left, box.top - 5, 0, power_text(y_ticks_.power), kPageText);
  write((box.left + box.right) / 2, box.bottom + 37, 0.5, axes_.x_label, kPageLabel);
  write_upwards(kPageEdge + 10, (box.top + box.bottom) / 2, axes_.y_label, kPageLabel);
}

void PlotPage::draw_legend() {
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const LegendEntry& entry = axes_.legend[k];
    auto [x, y] = entries_[k];
    using Mark = LegendEntry::Mark;
    if (entry.mark == Mark::kHatched || entry.mark == Mark::kHatchedBar)
      add(fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"14\" height=\"10\" fill=\"url(#hatched)\" stroke=\"{}\"/>\n", x,
          y - 9, entry.mark == Mark::kHatched ? "#9a9a9a" : "#d55e00"));
    if (entry.mark == Mark::kCross)
      add(fmt::format("<path class=\"cross\" d=\"M{:.2f} {:.2f}l7 7m-7 0l7 -7\" stroke=\"#1a1a1a\"/>\n", x + 4,
                      y - 7.5));
    if (entry.mark == Mark::kRing)
      add(fmt::format(
          "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.2\" fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.2\"/>\n",
          x + 7, y - 4));
    if (entry.mark != Mark::kNone) x += kLegendSample;
    write(x, y, 0, {{entry.text}}, kPageText);
  }
}

std::string PlotPage::finish() {
  draw_axes();
  draw_legend();
  svg_ += "</svg>\n";
  return std::move(svg_);
}

}  // namespace dalembert
