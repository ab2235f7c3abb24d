// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "dalembert/figure/rich_text.h"

namespace dalembert {
namespace {

constexpr double kLeft = 78, kRight = 22, kBelow = 62, kTitle = 34, kLegendLine = 20;
constexpr double kArrow = 15;  // length of an arrow, pixels

std::string_view color(FigureColor which) {
  switch (which) {
    case FigureColor::kBlack:
      return "#1a1a1a";
    case FigureColor::kGray:
      return "#9a9a9a";
    case FigureColor::kBlue:
      return "#0072b2";
    case FigureColor::kOrange:
      return "#d55e00";
    case FigureColor::kGreen:
      return "#009e73";
    case FigureColor::kPurple:
      return "#aa4499";
  }
  return "#1a1a1a";
}

class FigureWriter {
 public:
  explicit FigureWriter(const Figure& figure) : figure_(figure) {
    for (const FigureArrows& a : figure.arrows)
      if (!a.legend.empty()) entries_.push_back({a.legend, a.color, Entry::kArrow});
    for (const FigureCurve& c : figure.curves)
      if (!c.legend.empty()) entries_.push_back({c.legend, c.color, c.dashed ? Entry::kDashed : Entry::kLine, c.width});
    for (const FigureMarkers& m : figure.markers)
      if (!m.legend.empty()) entries_.push_back({m.legend, m.color, m.filled ? Entry::kDisk : Entry::kRing});
    lay_out_legend();
    top_ = kTitle + kLegendLine * rows_ + 10;
    width_ = figure.width - kLeft - kRight;
    height_ = figure.height - top_ - kBelow;
  }

  std::string document() {
    begin();
    axes();
    text_ += "<g clip-path=\"url(#inside)\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n";
    for (const FigureArrows& arrows : figure_.arrows) write(arrows);
    for (const FigureCurve& curve : figure_.curves) write(curve);
    for (const FigureMarkers& markers : figure_.markers) write(markers);
    text_ += "</g>\n";
    frame();
    legend();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  struct Entry {
    std::string text;
    FigureColor color;
    enum Kind { kArrow, kLine, kDashed, kDisk, kRing } kind;
    double width = 1.5;
    double at = 0;
    int row = 0;
  };

  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  double px(double x) const { return kLeft + (x - figure_.x.from) / (figure_.x.to - figure_.x.from) * width_; }
  double py(double y) const { return top_ + (figure_.y.to - y) / (figure_.y.to - figure_.y.from) * height_; }

  // Places the entries of the legend from left to right, with a new row where the width is used up. A letter is about
  // 6.6 pixels wide.
  void lay_out_legend() {
    double at = kLeft;
    int row = 0;
    for (Entry& entry : entries_) {
      const double wide = 44 + 6.6 * static_cast<double>(entry.text.size());
      if (at > kLeft && at + wide > figure_.width - kRight) {
        at = kLeft;
        ++row;
      }
      entry.at = at;
      entry.row = row;
      at += wide;
    }
    rows_ = entries_.empty() ? 0 : row + 1;
  }

  void begin() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n",
        figure_.width, figure_.height);
    add("<title>{}</title>\n<desc>{}</desc>\n", xml_text(figure_.title), xml_text(figure_.description));
    add("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    add("<clipPath id=\"inside\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/></clipPath>\n",
        kLeft, top_, width_, height_);
    add("<text x=\"{:.1f}\" y=\"22\" font-size=\"15\" font-weight=\"600\" fill=\"{}\">{}</text>\n", kLeft,
        color(FigureColor::kBlack), xml_text(figure_.title));
  }

  void axes() {
    const std::vector<double> xs = axis_ticks(figure_.x.from, figure_.x.to, 8),
                              ys = axis_ticks(figure_.y.from, figure_.y.to, 7);
    text_ += "<g stroke=\"#ececec\" stroke-width=\"1\">\n";
    for (const double x : xs)
      add("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", px(x), top_, top_ + height_);
    for (const double y : ys)
      add("<line y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\"/>\n", py(y), kLeft, kLeft + width_);
    text_ += "</g>\n<g fill=\"#1a1a1a\" stroke=\"none\">\n";
    for (const double x : xs)
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", px(x), top_ + height_ + 20,
          figure_number(x, 6));
    for (const double y : ys)
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 9, py(y) + 4.5,
          figure_number(y, 6));
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n", kLeft + width_ / 2,
        top_ + height_ + 46, svg_text(figure_.x.label, 14));
    add("<text transform=\"translate(22 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        top_ + height_ / 2, svg_text(figure_.y.label, 14));
    text_ += "</g>\n<g stroke=\"#1a1a1a\" stroke-width=\"1\">\n";
    for (const double x : xs)
      add("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", px(x), top_ + height_,
          top_ + height_ + 5);
    for (const double y : ys)
      add("<line y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\"/>\n", py(y), kLeft - 5, kLeft);
    text_ += "</g>\n";
  }

  void frame() {
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#1a1a1a\"/>\n",
        kLeft, top_, width_, height_);
  }

  void arrow(double x, double y, double dx, double dy) {
    const double bx = x + dx / 2, by = y + dy / 2;
    add("M{:.1f} {:.1f}L{:.1f} {:.1f}", x - dx / 2, y - dy / 2, bx, by);
    // The head of the arrow: two strokes at 25 degrees.
    for (const double side : {-1.0, 1.0})
      add("M{:.1f} {:.1f}L{:.1f} {:.1f}", bx, by, bx - 0.36 * (0.906 * dx - side * 0.423 * dy),
          by - 0.36 * (0.906 * dy + side * 0.423 * dx));
  }

  void write(const FigureArrows& arrows) {
    add("<path stroke=\"{}\" stroke-width=\"1\" d=\"", color(arrows.color));
    for (std::size_t i = 0; i < arrows.points.size(); ++i) {
      const double dx = arrows.directions[i][0] / (figure_.x.to - figure_.x.from) * width_;
      const double dy = -arrows.directions[i][1] / (figure_.y.to - figure_.y.from) * height_;
      const double size = std::hypot(dx, dy);
      if (!(size > 0) || !std::isfinite(size)) continue;
      arrow(px(arrows.points[i][0]), py(arrows.points[i][1]), kArrow * dx / size, kArrow * dy / size);
    }
    text_ += "\"/>\n";
  }

  void write(const FigureCurve& curve) {
    add("<path stroke=\"{}\" stroke-width=\"{:.2g}\"{} d=\"", color(curve.color), curve.width,
        curve.dashed ? " stroke-dasharray=\"7 5\"" : "");
    for (const std::vector<FigurePoint>& piece : curve.pieces) {
      bool begins = true;
      double last_x = 0, last_y = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const double x = px(piece[i][0]), y = py(piece[i][1]);
        // Points far outside are invisible, and SVG viewers limit coordinates.
        if (!std::isfinite(x) || !std::isfinite(y) || std::abs(x) > 1e5 || std::abs(y) > 1e5) {
          begins = true;
          continue;
        }
        // Points within half a pixel of the previous one are skipped, except the last.
        if (!begins && i + 1 < piece.size() && std::hypot(x - last_x, y - last_y) < 0.5) continue;
        add("{}{:.1f} {:.1f}", begins ? 'M' : 'L', x, y);
        begins = false;
        last_x = x;
        last_y = y;
      }
    }
    text_ += "\"/>\n";
  }

  void disk(double x, double y, FigureColor which, bool filled) {
    if (filled)
      add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1\"/>\n", x, y,
          color(which));
    else
      add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"2\" "
          "stroke-dasharray=\"3 2\"/>\n",
          x, y, color(which));
  }
  void write(const FigureMarkers& markers) {
    for (const FigurePoint& point : markers.points) disk(px(point[0]), py(point[1]), markers.color, markers.filled);
  }

  void legend() {
    for (const Entry& entry : entries_) {
      const double y = kTitle + kLegendLine * entry.row + 9, x = entry.at;
      if (entry.kind == Entry::kDisk || entry.kind == Entry::kRing) {
        disk(x + 13, y, entry.color, entry.kind == Entry::kDisk);
      } else {
        add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2g}\"{} d=\"", color(entry.color), entry.width,
            entry.kind == Entry::kDashed ? " stroke-dasharray=\"7 5\"" : "");
        if (entry.kind == Entry::kArrow)
          arrow(x + 13, y, kArrow, 0);
        else
          add("M{:.1f} {:.1f}h26", x, y);
        text_ += "\"/>\n";
      }
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#1a1a1a\">{}</text>\n", x + 32, y + 4.5, xml_text(entry.text));
    }
  }

  const Figure& figure_;
  std::vector<Entry> entries_;
  int rows_ = 0;
  double top_ = 0, width_ = 0, height_ = 0;
  std::string text_;
};

}  // namespace

std::string to_svg(const Figure& figure) { return FigureWriter(figure).document(); }

}  // namespace dalembert
