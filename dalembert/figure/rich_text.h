// SPDX-License-Identifier: Apache-2.0
// Words of a figure: symbols with dots and subscripts, units, as SVG and as plain text; how wide they are.
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

/// A symbol as mathematics writes it: "theta1" is an italic θ with the subscript 1, "x_C" x with C, "reach" a word.
RichText typeset_symbol(std::string_view name);
/// A series as a figure writes it: "v/theta" is θ with a dot, "lambda/pin.x" λ with the subscript pin,x, "energy/total"
/// E, "output/reach" reach. Names longer than 60 characters are cut.
RichText typeset_series(std::string_view name);
/// "rad/s^2" with its powers raised and its products as dots.
std::string typeset_unit(std::string_view unit);
/// " [unit]" behind it; nothing where there is no unit.
RichText with_unit(RichText text, std::string_view unit);

/// The same for a terminal: θ̇, λ_pin,x.
std::string plain_text(const RichText& text);
/// The content of a <text> element, subscripts lowered. Well-formed whatever the text is.
std::string svg_text(const RichText& text, double size);

/// Text between tags or quotes of XML 1.0: <, >, &, " escaped, what XML or UTF-8 does not allow replaced by U+FFFD.
std::string xml_text(std::string_view text);

/// Pixels, by the advance widths of DejaVu Sans, which is wider than Helvetica and Arial: no less than what is seen.
double text_width(std::string_view text, double size);
double text_width(const RichText& text, double size);
/// At most `count` code points, with an ellipsis where some are left out.
std::string shortened(std::string_view text, std::size_t count);

}  // namespace dalembert
