// SPDX-License-Identifier: Apache-2.0
// Reader of comma-separated values (RFC 4180): the fields and their places in the text. What the rows mean is for the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/units.h"

namespace dalembert {

struct CsvField {
  /// The field's content, without quotes and without blanks around the unquoted part.
  std::string text;
  std::uint32_t begin = 0, end = 0;  ///< byte offsets in the source, quotes included
};

/// Reads a text line by line; quoted fields may hold line ends. A byte order mark is not part of the first field.
class CsvReader {
 public:
  /// Fields of a line after the first `most_fields` are skipped.
  explicit CsvReader(SourcePtr source, std::size_t most_fields = 1'000'000);

  /// Reads the next line into `fields`; false at the end of the text. An empty line is one empty field.
  bool next(std::vector<CsvField>& fields);
  /// The line that was read last.
  Span line() const { return {source_, line_begin_, line_end_}; }
  Span place(const CsvField& field) const { return {source_, field.begin, field.end}; }

 private:
  void read(CsvField& field);
  bool here(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_blanks();

  SourcePtr source_;
  std::string_view text_;
  std::size_t most_fields_;
  std::uint32_t at_ = 0, line_begin_ = 0, line_end_ = 0;
};

/// A name in the header of a CSV file, perhaps with a unit: "theta [deg]". Brackets without a blank before them, "pin[1]", belong to the name.
struct CsvName {
  std::string whole, name;
  std::optional<Unit> unit = {};
  Span place = {};
};
/// Errors: those of parse_unit(), at `place`.
Result<CsvName> read_csv_name(const CsvField& field, const Span& place);

/// The field as a CSV file holds it: in quotes where it needs them.
std::string csv_quote(std::string_view field);

}  // namespace dalembert
