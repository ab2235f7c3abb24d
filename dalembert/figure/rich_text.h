// SPDX-License-Identifier: Apache-2.0
// Texts of a figure: symbols with dots and subscripts, and units, as SVG and as plain text, with their widths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// A piece of text in one style.
struct TextPiece {
  enum Level { kBase, kSubscript, kSuperscript };
  std::string text;
  bool italic = false;
  Level level = kBase;
};
using RichText = std::vector<TextPiece>;

/// Typesets the name of a symbol: "theta1" is an italic θ with the subscript 1, "x_C" an italic x with the subscript C,
/// "reach" an upright word.
RichText typeset_symbol(std::string_view name);
/// Typesets the name of a series: "v/theta" is θ with a dot, "lambda/pin.x" is λ with the subscript pin,x,
/// "energy/total" is E, "output/reach" is reach. Names longer than 60 characters are cut.
RichText typeset_series(std::string_view name);
/// A unit such as "rad/s^2" with exponents as superscripts and products as dots.
std::string typeset_unit(std::string_view unit);
/// Appends " [unit]" to the text; an empty unit appends nothing.
RichText with_unit(RichText text, std::string_view unit);

/// The text for a terminal: θ̇, λ_pin,x.
std::string plain_text(const RichText& text);
/// The text as the content of an SVG <text> element, with subscripts lowered. The result is well-formed for any input.
std::string svg_text(const RichText& text, double size);

/// Escapes a text for XML 1.0: <, >, & and " become entities; bytes that XML or UTF-8 does not allow become U+FFFD.
std::string xml_text(std::string_view text);

/// Width of a text in pixels, from the advance widths of DejaVu Sans. Helvetica and Arial are narrower, so a text drawn
/// in them needs no more room.
double text_width(std::string_view text, double size);
double text_width(const RichText& text, double size);
/// The text, cut to at most `count` code points. A cut text ends in an ellipsis.
std::string shortened(std::string_view text, std::size_t count);

}  // namespace dalembert
