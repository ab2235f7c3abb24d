// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/lsp_json.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

namespace dalembert::app {
namespace {

// Numbers of the protocol: DiagnosticSeverity, DiagnosticTag.
constexpr int kSeverityError = 1, kSeverityWarning = 2, kSeverityInformation = 3, kTagUnnecessary = 1;

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

LspJson range_in(const SourceText& source, const editor::Range& range, editor::Encoding encoding,
                 editor::PositionCounter& counter) {
  const auto json = [&](std::uint32_t offset) -> LspJson {
    const editor::Position position = counter.position(source, offset, encoding);
    return {{"line", position.line}, {"character", position.character}};
  };
  LspJson start = json(range.begin);
  return {{"start", std::move(start)}, {"end", json(range.end)}};
}

bool is_of(const LspDocument& document, const Span& span) {
  return span && (span.source == document.source || span.source->name() == document.source->name());
}

std::string message_of(const LspDocument& document, const Diagnostic& diagnostic) {
  std::string message;
  const Span& place = diagnostic.primary.span;
  if (place && !is_of(document, place)) {
    const auto where = place.source->position(place.begin);
    message += fmt::format("{}:{}:{}: ", place.source->name(), where.line, where.column);
  }
  message += diagnostic.message;
  if (!diagnostic.primary.text.empty()) message += "\n" + diagnostic.primary.text;
  for (const std::string& note : diagnostic.notes) message += "\nnote: " + note;
  for (const std::string& help : diagnostic.help) message += "\nhelp: " + help;
  return message;
}

}  // namespace

std::string text_of(const LspJson& json) { return json.dump(-1, ' ', false, LspJson::error_handler_t::replace); }

std::string path_of(const std::string& uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return {};
  std::string path;
  for (std::size_t i = kScheme.size(); i < uri.size(); ++i) {
    const int high = uri[i] == '%' && i + 2 < uri.size() ? hexadecimal(uri[i + 1]) : -1;
    const int low = high >= 0 ? hexadecimal(uri[i + 2]) : -1;
    if (low >= 0) i += 2;
    path += low >= 0 ? static_cast<char>(high * 16 + low) : uri[i];
  }
  // A host before the path: file://localhost/…
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? std::string() : path.substr(slash);
}

std::string uri_of(const std::string& path) {
  std::string uri = "file://";
  std::error_code ignored;
  for (const char c : std::filesystem::absolute(path, ignored).string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

LspJson range_json(const LspDocument& document, const editor::Range& range) {
  return range_in(*document.source, range, document.encoding, document.counter);
}

editor::Position position_of(const LspJson& json) {
  return {json.at("line").get<std::uint32_t>(), json.at("character").get<std::uint32_t>()};
}

LspJson diagnostic_json(const LspDocument& document, const Diagnostic& diagnostic,
                        const std::vector<editor::Fix>& fixes) {
  const Span& place = diagnostic.primary.span;
  const editor::Range range = is_of(document, place) ? editor::Range{place.begin, place.end} : editor::Range{};
  LspJson json{{"range", range_json(document, range)},
               {"severity", diagnostic.level == Level::kError ? kSeverityError : kSeverityWarning},
               {"code", diagnostic.code},
               {"source", "dalembert"},
               {"message", message_of(document, diagnostic)}};
  if (diagnostic.code == "W0101") json["tags"] = {kTagUnnecessary};
  for (const Label& label : diagnostic.secondary) {
    if (!label.span) continue;
    const bool here = is_of(document, label.span);
    const SourceText& source = *label.span.source;
    if (!here && !std::filesystem::exists(source.name())) continue;
    editor::PositionCounter counter;
    json["relatedInformation"].push_back(
        {{"location",
          {{"uri", here ? document.uri : uri_of(source.name())},
           {"range", range_in(source, {label.span.begin, label.span.end}, document.encoding, counter)}}},
         {"message", label.text.empty() ? "see here" : label.text}});
  }
  for (const editor::Fix& fix : fixes)
    json["data"]["fixes"].push_back(
        {{"title", fix.title}, {"range", range_json(document, fix.place)}, {"newText", fix.text}});
  return json;
}

LspJson remark_json(const std::string& text) {
  const LspJson start{{"line", 0}, {"character", 0}};
  return {{"range", {{"start", start}, {"end", start}}},
          {"severity", kSeverityInformation},
          {"source", "dalembert"},
          {"message", text}};
}

LspJson facts_json(const editor::Facts& facts) {
  LspJson names = LspJson::array();
  for (const editor::NameFact& fact : facts.names)
    names.push_back(
        {static_cast<int>(fact.kind), fact.name, fact.unit, fact.value ? LspJson(*fact.value) : LspJson(), fact.note});
  return {{"names", names}, {"freedoms", facts.freedoms}};
}

editor::Facts facts_of(const LspJson& json) {
  editor::Facts facts;
  facts.freedoms = json.at("freedoms").get<std::string>();
  for (const LspJson& one : json.at("names"))
    facts.names.push_back({static_cast<editor::NameKind>(one.at(0).get<int>()), one.at(1), one.at(2),
                           one.at(3).is_null() ? std::optional<double>() : one.at(3).get<double>(), one.at(4)});
  return facts;
}

}  // namespace dalembert::app
