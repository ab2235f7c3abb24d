// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/text_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dalembert/figure/decimate.h"

namespace dalembert {
namespace {

constexpr std::string_view kLetters = "*+ox#@%&";
constexpr std::array<const char*, 6> kTerminalColors = {"\033[34m", "\033[31m", "\033[32m",
                                                        "\033[35m", "\033[36m", "\033[33m"};

// Columns that a text takes in a terminal. Combining accents take none.
std::size_t columns_of(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    const bool accent = text[i] == '\xCC' || (text[i] == '\xCD' && i + 1 < text.size() && text[i + 1] < '\xB0');
    count += accent ? 0 : 1;
  }
  return count;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + text;
}

std::string plain_letters(std::string text, bool ascii) {
  if (!ascii) return text;
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"\u2212", "-"},
                                 {"\u0307", "'"},
                                 {"\u0308", "''"},
                                 {"·", "*"},
                                 {"×", "*"},
                                 {"²", "^2"},
                                 {"³", "^3"},
                                 {"λ", "lambda"},
                                 {"θ", "theta"},
                                 {"φ", "phi"},
                                 {"ψ", "psi"},
                                 {"ω", "omega"},
                                 {"α", "alpha"},
                                 {"β", "beta"},
                                 {"γ", "gamma"},
                                 {"δ", "delta"},
                                 {"τ", "tau"}})
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  // Characters of other alphabets become question marks.
  std::string out;
  for (const char c : text)
    if ((c & 0x80) == 0)
      out += c;
    else if ((c & 0xC0) == 0xC0)
      out += '?';
  return out;
}

// A grid of dots: 2 × 4 per character with Braille patterns, 1 × 1 with ASCII.
class Canvas {
 public:
  Canvas(int columns, int rows, bool ascii)
      : ascii_(ascii), columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns * rows)) {}
  int dots_across() const { return columns_ * (ascii_ ? 1 : 2); }
  int dots_down() const { return rows_ * (ascii_ ? 1 : 4); }

  // Draws a straight line between two dots.
  void line(const PixelPoint& a, const PixelPoint& b, std::size_t curve) {
    const double dx = b.x - a.x, dy = b.y - a.y;
    const int steps = static_cast<int>(std::ceil(std::min(std::max(std::abs(dx), std::abs(dy)), 4e5)));
    for (int k = 0; k <= steps; ++k) {
      const double s = steps == 0 ? 0 : static_cast<double>(k) / steps;
      dot(a.x + s * dx, a.y + s * dy, curve);
    }
  }
  std::string row(int r, bool color) const {
    std::string text;
    std::size_t last = 0;  // 1 + index of the current colour; 0: none
    int end = columns_;    // blanks at the end of a row are left out
    while (end > 0 && cell(end - 1, r).mask == 0) --end;
    for (int c = 0; c < end; ++c) {
      const Cell& here = cell(c, r);
      const std::size_t wanted = color && here.mask != 0 ? here.curve % kTerminalColors.size() + 1 : last;
      if (wanted != last) text += kTerminalColors[wanted - 1];
      last = wanted;
      if (here.mask == 0)
        text += ' ';
      else if (ascii_)
        text += kLetters[here.curve % kLetters.size()];
      else
        text += {'\xE2', static_cast<char>(0xA0 | (here.mask >> 6)), static_cast<char>(0x80 | (here.mask & 0x3F))};
    }
    return last == 0 ? text : text + "\033[0m";
  }

 private:
  struct Cell {
    std::uint8_t mask = 0;
    std::size_t curve = 0;
  };
  const Cell& cell(int column, int row) const { return cells_[static_cast<std::size_t>(row * columns_ + column)]; }
  void dot(double x, double y, std::size_t curve) {
    if (!(x >= 0 && y >= 0 && x < dots_across() && y < dots_down())) return;
    const int across = static_cast<int>(x), down = static_cast<int>(y);
    // The order of Braille's dots (Unicode 6.0, U+2800): 1 2 3 7 down the left side, 4 5 6 8 down the right.
    static constexpr std::uint8_t kDots[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    const int column = ascii_ ? across : across / 2, line = ascii_ ? down : down / 4;
    Cell& cell = cells_[static_cast<std::size_t>(line * columns_ + column)];
    cell.mask = static_cast<std::uint8_t>(cell.mask | (ascii_ ? 1 : kDots[across % 2][down % 4]));
    cell.curve = curve;
  }

  bool ascii_;
  int columns_, rows_;
  std::vector<Cell> cells_;
};

// The heading of a panel: its label, and each curve's name in its colour or with its letter.
std::string heading_of(const ChartPanel& panel, int power, const TextChartOptions& options) {
  std::string heading = plain_letters(plain_text(panel.label), options.ascii);
  if (power != 0) heading += fmt::format("  *10^{}", power);
  if (panel.curves.size() > 1)
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      const std::string name = plain_letters(plain_text(panel.curves[c].name), options.ascii);
      heading += options.ascii   ? fmt::format("  {} {}", kLetters[c % kLetters.size()], name)
                 : options.color ? fmt::format("  {}{}\033[0m", kTerminalColors[c % kTerminalColors.size()], name)
                                 : "  " + name;
    }
  return heading;
}

// The horizontal axis with its tick labels and its name.
std::string axis_below(const Chart& chart, const AxisRange& x, std::size_t margin, int inside,
                       const TextChartOptions& options) {
  const std::size_t width = static_cast<std::size_t>(inside) + margin + 3;
  const AxisTicks across = label_ticks(x.from, x.to, std::max(2, inside / 14));
  std::string axis(static_cast<std::size_t>(inside), '-'), labels(width, ' ');
  std::string line = std::string(margin + 1, ' ') + (options.ascii ? "+" : "└");
  std::size_t free = 0;
  for (std::size_t i = 0; i < across.values.size(); ++i) {
    const auto column = static_cast<std::size_t>(x.place(across.values[i]) * (inside - 1) + 0.5);
    axis[std::min(column, axis.size() - 1)] = '+';
    // In ASCII, so that it has as many bytes as columns.
    const std::string number = plain_letters(across.texts[i], true);
    std::size_t begin = margin + 2 + column;
    begin -= std::min(begin, number.size() / 2);
    begin = std::min(begin, width - std::min(number.size(), width));
    if (begin < free) continue;
    labels.replace(begin, number.size(), number);
    free = begin + number.size() + 1;
  }
  for (const char c : axis) line += options.ascii ? std::string(1, c) : c == '+' ? "┬" : "─";
  labels.erase(labels.find_last_not_of(' ') + 1);
  if (!options.ascii)
    for (std::size_t at = 0; (at = labels.find('-', at)) != std::string::npos; at += 3) labels.replace(at, 1, "\u2212");
  std::string name = plain_letters(plain_text(chart.x_label), options.ascii);
  if (across.power != 0) name += fmt::format("  *10^{}", across.power);
  const std::size_t indent =
      margin + 2 +
      (static_cast<std::size_t>(inside) - std::min(columns_of(name), static_cast<std::size_t>(inside))) / 2;
  return line + "\n" + labels + "\n" + std::string(indent, ' ') + name + "\n";
}

}  // namespace

std::string draw_text(const Chart& chart, const TextChartOptions& options) {
  const int width = std::max(options.width, 40), height = std::max(options.height, 2);
  const AxisRange x = x_range_of(chart);
  std::vector<AxisRange> ranges;
  std::vector<AxisTicks> ticks;
  std::size_t margin = 0;
  for (const ChartPanel& panel : chart.panels) {
    ranges.push_back(y_range_of(chart, panel, x, 0.02));
    const int about = std::max(2, height / 3);
    AxisTicks labels = chart.log_y ? label_log_ticks(ranges.back().from, ranges.back().to, about)
                                   : label_ticks(ranges.back().from, ranges.back().to, about);
    for (std::string& text : labels.texts) {
      text = plain_letters(std::move(text), options.ascii);
      margin = std::max(margin, columns_of(text));
    }
    ticks.push_back(std::move(labels));
  }
  const int inside = width - static_cast<int>(margin) - 3;
  const std::string_view side = options.ascii ? "|" : "│", tick = options.ascii ? "+" : "┤";
  std::string text;
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const ChartPanel& panel = chart.panels[p];
    Canvas canvas(inside, height, options.ascii);
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      const ChartCurve& curve = panel.curves[c];
      std::vector<PixelPoint> points(curve.x.size());
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {
            x.place(curve.x[i]) * (canvas.dots_across() - 1) + 0.5,
            (1 - ranges[p].place(chart.log_y ? std::abs(curve.y[i]) : curve.y[i])) * (canvas.dots_down() - 1) + 0.5};
      for (const std::vector<PixelPoint>& piece : decimate(points))
        for (std::size_t i = 0; i < piece.size(); ++i) canvas.line(piece[i == 0 ? 0 : i - 1], piece[i], c);
    }
    text += std::string(margin + 2, ' ') + heading_of(panel, ticks[p].power, options) + "\n";
    std::vector<std::string> beside(static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < ticks[p].values.size(); ++i) {
      const double down = (1 - ranges[p].place(ticks[p].values[i])) * (canvas.dots_down() - 1) + 0.5;
      const auto line =
          static_cast<std::size_t>(std::clamp(static_cast<int>(down / (options.ascii ? 1 : 4)), 0, height - 1));
      beside[line] = ticks[p].texts[i];
    }
    for (int r = 0; r < height; ++r) {
      const std::string& label = beside[static_cast<std::size_t>(r)];
      std::string line =
          fmt::format("{} {}{}", padded(label, margin), label.empty() ? side : tick, canvas.row(r, options.color));
      text += line + "\n";
    }
  }
  return text + axis_below(chart, x, margin, inside, options);
}

}  // namespace dalembert
