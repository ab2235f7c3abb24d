// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>

#include "dalembert/figure/decimate.h"

namespace dalembert {
namespace {

// Lengths in pixels, 96 per inch: 660 pixels are 6.9 inches, the text width of a page printed at full size.
constexpr double kWidth = 660, kTop = 14, kBottom = 48, kBetween = 22, kEdge = 12;
constexpr double kText = 12, kLabel = 13, kPeakText = 10.5;
constexpr double kTick = 5, kNameLine = 17, kSample = 22;
constexpr std::size_t kFewRows =
    100;  // curves of fewer points show each: between them are straight lines that nobody computed
constexpr double kAscent = 0.78, kDescent = 0.24;  // ascent and descent of a line of text, in ems

// Colours that colour-blind readers can tell apart (Okabe & Ito, without yellow, which white paper hides), and dash
// patterns for prints without colour.
constexpr std::array<const char*, 7> kColors = {"#1a1a1a", "#0072b2", "#d55e00", "#009e73",
                                                "#aa4499", "#56a0d3", "#b8860b"};
constexpr std::array<const char*, 6> kDashes = {"", "7 3", "2 2.5", "9 3 2 3", "13 4", "4 2 1.5 2 1.5 2"};

double line_height(double size) { return (kAscent + kDescent) * size; }

class ChartWriter {
 public:
  explicit ChartWriter(const Chart& chart) : chart_(chart) { lay_out(); }

  ChartDrawing draw() {
    begin();
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) {
      grid(p);
      curves(p);
      frame(p);
      marks(p);
      names(p);
    }
    x_axis();
    // Peaks come last because their numbers avoid all other texts.
    if (chart_.mark_peaks)
      for (std::size_t p = 0; p < chart_.panels.size(); ++p) peaks(p);
    text_ += "</svg>\n";
    drawing_.svg = std::move(text_);
    for (const Panel& panel : panels_) drawing_.frames.push_back(panel.box);
    return std::move(drawing_);
  }

 private:
  struct Panel {
    Box box;
    AxisRange y;
    AxisTicks ticks;
  };

  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  bool named(std::size_t p) const { return chart_.panels[p].curves.size() > 1; }
  static const char* color(std::size_t curve) { return kColors[curve % kColors.size()]; }
  // There are 7 colours and 6 patterns, which are coprime: 42 curves look different.
  static std::string dash(std::size_t curve) {
    const std::string_view pattern = kDashes[curve % kDashes.size()];
    return pattern.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", pattern);
  }

  void lay_out() {
    const std::size_t count = chart_.panels.size();
    const double usual = count == 1 ? 330 : count == 2 ? 210 : 150;
    x_ = x_range_of(chart_);
    double names = 0, ticks = 0, top = kTop;
    for (std::size_t p = 0; p < count; ++p) {
      Panel panel;
      if (named(p))
        for (const ChartCurve& curve : chart_.panels[p].curves) names = std::max(names, text_width(curve.name, kText));
      panel.y = y_range_of(chart_, chart_.panels[p], x_, chart_.mark_peaks ? 0.14 : 0.06);
      const double height =
          named(p) ? std::max(usual, kNameLine * static_cast<double>(chart_.panels[p].curves.size())) : usual;
      const int about = std::max(2, static_cast<int>(height / 42));
      panel.ticks = chart_.log_y ? label_log_ticks(panel.y.from, panel.y.to, about)
                                 : label_ticks(panel.y.from, panel.y.to, about);
      for (const std::string& text : panel.ticks.texts) ticks = std::max(ticks, text_width(text, kText));
      if (panel.ticks.power != 0 && p == 0) top += 8;
      panel.box = {0, top, 0, top + height};
      top += height + kBetween;
      panels_.push_back(std::move(panel));
    }
    left_ = kEdge + line_height(kLabel) + 8 + ticks + kTick + 4;
    const double right = names > 0 ? 8 + kSample + 6 + names : 14;
    width_ = std::max(kWidth, left_ + right + 320) - left_ - right - kEdge / 2;
    for (Panel& panel : panels_) {
      panel.box.left = left_;
      panel.box.right = left_ + width_;
    }
    full_width_ = left_ + width_ + right + kEdge / 2;
    full_height_ = panels_.back().box.bottom + kBottom + (chart_.note.empty() ? 0 : kNameLine);
  }

  double px(double x) const { return left_ + x_.place(x) * width_; }
  static double py(const Panel& panel, double y) {
    return panel.box.bottom - panel.y.place(panel.y.logarithmic ? std::abs(y) : y) * (panel.box.bottom - panel.box.top);
  }

  // The box that a text takes. `anchor`: 0 if it begins at x, 0.5 if it is centred there, 1 if it ends there.
  static Box box_of(double x, double y, double anchor, double width, double size) {
    const double left = x - anchor * width;
    return {left, y - kAscent * size, left + width, y + kDescent * size};
  }
  void write(double x, double y, double anchor, const RichText& text, double size, const char* fill = "#1a1a1a") {
    static constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
    const auto which = static_cast<std::size_t>(std::lround(2 * anchor));
    add("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, size,
        kAnchors[which], fill, svg_text(text, size));
    drawing_.labels.push_back(box_of(x, y, anchor, text_width(text, size), size));
  }

  void begin() {
    // xml:space keeps the blanks after a subscript.
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
        std::ceil(full_width_), std::ceil(full_height_));
    add("<title>{}</title>\n<desc>{}</desc>\n", xml_text(chart_.title), xml_text(chart_.description));
    text_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  }

  AxisTicks x_ticks() const { return label_ticks(x_.from, x_.to, static_cast<int>(width_ / 85)); }

  void grid(std::size_t p) {
    const Panel& panel = panels_[p];
    const Box& box = panel.box;
    text_ += "<path stroke=\"#e6e6e6\" stroke-width=\"0.8\" fill=\"none\" d=\"";
    for (const double x : x_ticks().values) add("M{0:.2f} {1:.2f}V{2:.2f}", px(x), box.top, box.bottom);
    for (const double y : panel.ticks.values) add("M{0:.2f} {1:.2f}H{2:.2f}", box.left, py(panel, y), box.right);
    text_ += "\"/>\n";
  }

  void curves(std::size_t p) {
    const Panel& panel = panels_[p];
    const Box& box = panel.box;
    // The clip region is a pixel larger than the frame, so lines along the frame are drawn in full width.
    add("<clipPath id=\"panel{}\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></clipPath>\n",
        p + 1, box.left - 1, box.top - 1, box.right - box.left + 2, box.bottom - box.top + 2);
    add("<g class=\"curves\" clip-path=\"url(#panel{})\" fill=\"none\" stroke-width=\"1.4\" stroke-linejoin=\"round\" "
        "stroke-linecap=\"round\">\n",
        p + 1);
    const ChartPanel& given = chart_.panels[p];
    for (std::size_t c = 0; c < given.curves.size(); ++c) {
      const ChartCurve& curve = given.curves[c];
      std::vector<PixelPoint> points(curve.x.size());
      for (std::size_t i = 0; i < points.size(); ++i) points[i] = {px(curve.x[i]), py(panel, curve.y[i])};
      const bool few = points.size() < kFewRows;
      add("<path stroke=\"{}\"{}{} d=\"", color(c), dash(c), few ? " stroke-width=\"0.8\"" : "");
      for (const std::vector<PixelPoint>& piece : decimate(points)) {
        for (std::size_t i = 0; i < piece.size(); ++i)
          add("{}{:.2f} {:.2f}", i == 0 ? 'M' : 'L', piece[i].x, piece[i].y);
        // A single point is drawn as a line of length 0, whose round caps make a dot.
        if (piece.size() == 1) text_ += "h0";
      }
      text_ += "\"/>\n";
      if (few) rows(points, color(c));
    }
    text_ += "</g>\n";
  }

  // A dot at each point.
  void rows(const std::vector<PixelPoint>& points, const char* stroke) {
    add("<path class=\"rows\" stroke=\"{}\" stroke-width=\"3.6\" d=\"", stroke);
    for (const PixelPoint& point : points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) add("M{:.2f} {:.2f}h0", point.x, point.y);
    text_ += "\"/>\n";
  }

  void frame(std::size_t p) {
    const Panel& panel = panels_[p];
    const Box& box = panel.box;
    add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#1a1a1a\"/>\n",
        box.left, box.top, box.right - box.left, box.bottom - box.top);
    text_ += "<path stroke=\"#1a1a1a\" d=\"";
    for (const double x : x_ticks().values) add("M{0:.2f} {1:.2f}v{2}", px(x), box.bottom, kTick);
    for (const double y : panel.ticks.values) add("M{0:.2f} {1:.2f}h{2}", box.left, py(panel, y), -kTick);
    text_ += "\"/>\n";
    for (std::size_t i = 0; i < panel.ticks.values.size(); ++i)
      write(box.left - kTick - 4, py(panel, panel.ticks.values[i]) + 0.36 * kText, 1, {{panel.ticks.texts[i]}}, kText);
    if (panel.ticks.power != 0) write(box.left, box.top - 5, 0, power(panel.ticks.power), kText);
    // The label runs along the axis. The shorter form replaces it where it does not fit.
    const double room = box.bottom - box.top + kBetween - 6;
    RichText label = chart_.panels[p].label;
    if (text_width(label, kLabel) > room) label = chart_.panels[p].shorter;
    if (chart_.log_y && !label.empty()) label = absolute(std::move(label), p);
    const double x = kEdge + kAscent * kLabel, middle = (box.top + box.bottom) / 2,
                 half = text_width(label, kLabel) / 2;
    add("<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" font-size=\"{}\" text-anchor=\"middle\" "
        "fill=\"#1a1a1a\">{}</text>\n",
        x, middle, kLabel, svg_text(label, kLabel));
    drawing_.labels.push_back({x - kAscent * kLabel, middle - half, x + kDescent * kLabel, middle + half});
  }

  // Says in the label that |y| is shown, if some value is negative.
  RichText absolute(RichText label, std::size_t p) const {
    const bool negative = std::ranges::any_of(chart_.panels[p].curves, [](const ChartCurve& curve) {
      return std::ranges::any_of(curve.y, [](double y) { return y < 0; });
    });
    if (negative) label.insert(label.begin(), {"magnitude of "});
    return label;
  }

  static RichText power(int exponent) {
    RichText text{{"×10"}};
    text.push_back(
        {(exponent < 0 ? "\u2212" : "") + fmt::format("{}", std::abs(exponent)), false, TextPiece::kSuperscript});
    return text;
  }

  void x_axis() {
    const Box& box = panels_.back().box;
    const AxisTicks ticks = x_ticks();
    const double y = box.bottom + kTick + 3 + kAscent * kText;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) write(px(ticks.values[i]), y, 0.5, {{ticks.texts[i]}}, kText);
    write(left_ + width_ / 2, box.bottom + kBottom - 11, 0.5, chart_.x_label, kLabel);
    if (ticks.power != 0) write(box.right, box.bottom + kBottom - 11, 1, power(ticks.power), kText);
    if (!chart_.note.empty()) write(left_, box.bottom + kBottom + kNameLine - 9, 0, {{chart_.note}}, kText);
  }

  void marks(std::size_t p) {
    const Panel& panel = panels_[p];
    for (const ChartMark& mark : chart_.panels[p].marks) {
      if (!(mark.x >= x_.from && mark.x <= x_.to)) continue;
      if (!std::isfinite(mark.y))
        add("<path class=\"cross\" d=\"M{:.2f} {:.2f}l6 6m-6 0l6 -6\" stroke=\"#1a1a1a\" fill=\"none\"/>\n",
            px(mark.x) - 3, panel.box.bottom - 9);
      else
        add("<circle class=\"ring\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.2\" fill=\"#ffffff\" stroke=\"#1a1a1a\" "
            "stroke-width=\"1.2\"/>\n",
            px(mark.x), py(panel, mark.y));
    }
  }

  // Names at the ends of their curves, moved apart so that they do not overlap.
  void names(std::size_t p) {
    if (!named(p)) return;
    const Panel& panel = panels_[p];
    const std::vector<ChartCurve>& given = chart_.panels[p].curves;
    const double top = panel.box.top + kNameLine / 2, bottom = panel.box.bottom - kNameLine / 2;
    std::vector<double> at(given.size(), (top + bottom) / 2);
    for (std::size_t c = 0; c < given.size(); ++c) {
      const auto &x = given[c].x, &y = given[c].y;
      for (std::size_t i = y.size(); i-- > 0;)
        if (std::isfinite(y[i]) && (!chart_.log_y || y[i] != 0) && x[i] >= x_.from && x[i] <= x_.to) {
          at[c] = std::clamp(py(panel, y[i]), top, bottom);
          break;
        }
    }
    std::vector<std::size_t> order(given.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t c) { return at[c]; });
    for (std::size_t i = 1; i < order.size(); ++i) at[order[i]] = std::max(at[order[i]], at[order[i - 1]] + kNameLine);
    double limit = bottom;
    for (std::size_t i = order.size(); i-- > 0; limit = at[order[i]] - kNameLine)
      at[order[i]] = std::min(at[order[i]], limit);
    const double x = panel.box.right + 8;
    for (const std::size_t c : order) {
      add("<path class=\"sample\" stroke=\"{}\" stroke-width=\"1.6\"{} fill=\"none\" d=\"M{:.2f} {:.2f}h{}\"/>\n",
          color(c), dash(c), x, at[c], kSample);
      write(x + kSample + 6, at[c] + 0.34 * kText, 0, given[c].name, kText);
    }
  }

  // A maximum or minimum of a curve, in pixels.
  struct Mark {
    double x, y;
    bool high;
    std::string text;
    std::size_t curve;
  };

  std::vector<Mark> marks_of(std::size_t p) const {
    const Panel& panel = panels_[p];
    const std::vector<ChartCurve>& given = chart_.panels[p].curves;
    std::vector<Mark> marks;
    for (std::size_t c = 0; c < given.size(); ++c) {
      const Peaks peaks = find_peaks(given[c], x_);
      if (!peaks.any) continue;
      for (const bool high : {true, false}) {
        const std::size_t i = high ? peaks.high : peaks.low;
        if (!high && i == peaks.high) continue;
        if (chart_.log_y && given[c].y[i] == 0) continue;
        const std::string unit = chart_.x_unit.empty() ? "" : " " + typeset_unit(chart_.x_unit);
        marks.push_back(
            {px(given[c].x[i]), py(panel, given[c].y[i]), high,
             fmt::format("{} at {}{}", figure_number(given[c].y[i], 4), figure_number(given[c].x[i], 4), unit), c});
        if (!std::isfinite(marks.back().x) || !std::isfinite(marks.back().y)) marks.pop_back();
      }
    }
    return marks;
  }

  void peaks(std::size_t p) {
    const Panel& panel = panels_[p];
    // All marks are drawn before the numbers, so that no number covers a mark.
    const std::vector<Mark> marks = marks_of(p);
    std::vector<Box> taken = drawing_.labels;
    for (const Mark& mark : marks) {
      add("<circle class=\"peak\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.8\" fill=\"#ffffff\" stroke=\"{}\" "
          "stroke-width=\"1.3\"/>\n",
          mark.x, mark.y, color(mark.curve));
      taken.push_back({mark.x - 3, mark.y - 3, mark.x + 3, mark.y + 3});
    }
    for (const Mark& mark : marks) {
      const double width = text_width(mark.text, kPeakText), above = mark.y - 7,
                   below = mark.y + 7 + kAscent * kPeakText, beside = mark.y + 0.35 * kPeakText;
      struct Place {
        double x, y, anchor;
      };
      const double first = mark.high ? above : below, second = mark.high ? below : above;
      const std::array<Place, 8> places = {{{mark.x, first, 0.5},
                                            {mark.x + 3, first, 0},
                                            {mark.x - 3, first, 1},
                                            {mark.x + 7, beside, 0},
                                            {mark.x - 7, beside, 1},
                                            {mark.x, second, 0.5},
                                            {mark.x + 3, second, 0},
                                            {mark.x - 3, second, 1}}};
      const auto free = std::ranges::find_if(places, [&](const Place& place) {
        const Box box = box_of(place.x, place.y, place.anchor, width, kPeakText);
        return box.left > panel.box.left + 2 && box.right < panel.box.right - 2 && box.top > panel.box.top + 1 &&
               box.bottom < panel.box.bottom - 1 &&
               std::ranges::none_of(taken, [&](const Box& other) { return box.overlaps(other); });
      });
      if (free == places.end()) {
        ++drawing_.peaks_unnamed;
        continue;
      }
      // A white halo keeps the number readable where curves cross it.
      text_ +=
          "<g class=\"peak-text\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
          "paint-order=\"stroke\">";
      write(free->x, free->y, free->anchor, {{mark.text}}, kPeakText);
      text_ += "</g>\n";
      taken.push_back(drawing_.labels.back());
    }
  }

  const Chart& chart_;
  std::vector<Panel> panels_;
  AxisRange x_;
  double left_ = 0, width_ = 0, full_width_ = 0, full_height_ = 0;
  ChartDrawing drawing_;
  std::string text_;
};

}  // namespace

AxisRange x_range_of(const Chart& chart) {
  if (chart.x_window) return *chart.x_window;
  AxisRange all{1, 0};
  bool is_time = true;  // whether x is monotone in every curve, as time is
  for (const ChartPanel& panel : chart.panels)
    for (const ChartCurve& curve : panel.curves) {
      const AxisRange x = range_of(curve.x, false);
      if (x.from <= x.to) all = all.from <= all.to ? join(all, x) : x;
      is_time = is_time && (std::ranges::is_sorted(curve.x) || std::ranges::is_sorted(curve.x, std::greater<>()));
    }
  // Curves over time span the whole frame and need no margin.
  return is_time && all.from < all.to ? all : with_margin(all, 0.04);
}

AxisRange y_range_of(const Chart& chart, const ChartPanel& panel, const AxisRange& x, double margin) {
  if (chart.y_window) return {chart.y_window->from, chart.y_window->to, chart.log_y};
  AxisRange range{1, 0};
  for (const ChartCurve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      const double y = chart.log_y ? std::abs(curve.y[i]) : curve.y[i];
      if (!(curve.x[i] >= x.from && curve.x[i] <= x.to) || !std::isfinite(y) || (chart.log_y && y == 0)) continue;
      if (range.from > range.to) range = {y, y};
      range.from = std::min(range.from, y);
      range.to = std::max(range.to, y);
    }
  range.logarithmic = chart.log_y;
  return with_margin(range, margin);
}

Peaks find_peaks(const ChartCurve& curve, const AxisRange& x) {
  Peaks peaks;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    const double y = curve.y[i];
    if (!std::isfinite(y) || !(curve.x[i] >= x.from && curve.x[i] <= x.to)) continue;
    if (!peaks.any || y < curve.y[peaks.low]) peaks.low = i;
    if (!peaks.any || y > curve.y[peaks.high]) peaks.high = i;
    peaks.any = true;
  }
  return peaks;
}

ChartDrawing draw_chart(const Chart& chart) { return ChartWriter(chart).draw(); }

}  // namespace dalembert
