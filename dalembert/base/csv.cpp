// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/csv.h"

#include <utility>

#include <fmt/format.h>

namespace dalembert {

CsvReader::CsvReader(SourcePtr source, std::size_t most_fields)
    : source_(std::move(source)), text_(source_->text()), most_fields_(most_fields) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void CsvReader::skip_blanks() {
  while (here(' ') || here('\t')) ++at_;
}

// Reads one field, from its first character to the comma or the line's end after it.
void CsvReader::read(CsvField& field) {
  field.text.clear();
  skip_blanks();
  field.begin = at_;
  std::size_t quoted = 0;
  if (here('"')) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && !(at_ + 1 < text_.size() && text_[at_ + 1] == '"')) break;
      if (text_[at_] == '"') ++at_;
      field.text += text_[at_];
    }
    if (at_ < text_.size()) ++at_;
    quoted = field.text.size();
  }
  field.end = at_;
  for (; at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r'; ++at_) {
    field.text += text_[at_];
    if (text_[at_] != ' ' && text_[at_] != '\t') field.end = at_ + 1;
  }
  while (field.text.size() > quoted && (field.text.back() == ' ' || field.text.back() == '\t')) field.text.pop_back();
}

bool CsvReader::next(std::vector<CsvField>& fields) {
  if (at_ >= text_.size()) return false;
  line_begin_ = at_;
  CsvField ignored;
  std::size_t count = 0;
  while (true) {
    if (count == fields.size() && count < most_fields_) fields.emplace_back();
    read(count < most_fields_ ? fields[count] : ignored);
    if (count < most_fields_) ++count;
    if (!here(',')) break;
    ++at_;
  }
  fields.resize(count);
  line_end_ = at_;
  if (here('\r')) ++at_;
  if (here('\n')) ++at_;
  return true;
}

Result<CsvName> read_csv_name(const CsvField& field, const Span& place) {
  CsvName name{field.text, field.text, {}, place};
  const std::size_t open = field.text.rfind(" [");
  if (open == std::string::npos || !field.text.ends_with("]")) return name;
  const std::string_view unit = std::string_view(field.text).substr(open + 2, field.text.size() - open - 3);
  const Result<Unit> read = unit == "-" ? Unit{} : parse_unit(MappedText::of(std::string(unit)));
  if (!read) {
    Diagnostic problem = read.diagnostics().front();
    problem.message = fmt::format("the unit of the column `{}`: {}", field.text, problem.message);
    problem.primary = {place, ""};
    problem.help = {"units are written as in a model: `theta [deg]`, `f [N]`"};
    return problem;
  }
  name.name = field.text.substr(0, open);
  while (!name.name.empty() && name.name.back() == ' ') name.name.pop_back();
  name.unit = *read;
  return name;
}

std::string csv_quote(std::string_view field) {
  // Readers drop blanks around an unquoted field, so a field that begins or ends with one needs quotes.
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool bare = field.find_first_of(",\"\r\n") == std::string_view::npos &&
                    (field.empty() || (!blank(field.front()) && !blank(field.back())));
  if (bare) return std::string(field);
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

}  // namespace dalembert
