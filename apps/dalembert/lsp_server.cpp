// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/lsp_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/editor/completion.h"
#include "dalembert/editor/cursor.h"
#include "dalembert/editor/hover.h"
#include "dalembert/editor/lookup.h"

namespace dalembert::app {
namespace {

// Errors of the protocol (LSP 3.17, § ErrorCodes).
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kInternalError = -32603, kNotInitialized = -32002, kRequestCancelled = -32800, kRequestFailed = -32803;
// So many checks run at once.
constexpr std::size_t kMostChecks = 2;

// The member at a path of an object; null if it is not there.
LspJson member(const LspJson& json, std::initializer_list<const char*> path) {
  const LspJson* at = &json;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return {};
    at = &(*at)[name];
  }
  return *at;
}

LspJson capabilities(editor::Encoding encoding) {
  return {{"positionEncoding", encoding == editor::Encoding::kUtf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
          {"hoverProvider", true},
          {"completionProvider", {{"triggerCharacters", {".", "(", "[", "\"", " "}}}},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"documentSymbolProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"inlayHintProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}};
}

// CompletionItemKind.
int item_kind(editor::Proposal::Kind kind) {
  switch (kind) {
    case editor::Proposal::Kind::kSection:
      return 9;
    case editor::Proposal::Kind::kKey:
      return 10;
    case editor::Proposal::Kind::kName:
      return 6;
    case editor::Proposal::Kind::kFunction:
      return 3;
    case editor::Proposal::Kind::kUnit:
      return 11;
    case editor::Proposal::Kind::kValue:
      return 12;
  }
  return 1;
}

// SymbolKind.
int symbol_kind(editor::NameKind kind) {
  switch (kind) {
    case editor::NameKind::kParameter:
      return 14;
    case editor::NameKind::kInteger:
      return 16;
    case editor::NameKind::kDefinition:
      return 12;
    case editor::NameKind::kPoint:
      return 19;
    case editor::NameKind::kFrame:
      return 3;
    case editor::NameKind::kBody:
      return 5;
    case editor::NameKind::kConstraint:
    case editor::NameKind::kFriction:
      return 11;
    case editor::NameKind::kEvent:
      return 24;
    case editor::NameKind::kOutput:
      return 8;
    default:
      return 13;
  }
}

bool overlap(const LspJson& a, const LspJson& b) {
  const auto at = [](const LspJson& range, const char* which) {
    const editor::Position position = position_of(range.at(which));
    return std::pair(position.line, position.character);
  };
  return at(a, "start") <= at(b, "end") && at(b, "start") <= at(a, "end");
}

}  // namespace

// --- messages

void LspServer::handle(const std::vector<std::string>& bodies) {
  std::vector<LspJson> messages;
  std::set<std::string> cancelled;
  for (const std::string& body : bodies) {
    messages.push_back(LspJson::parse(body, nullptr, false));
    const LspJson& message = messages.back();
    if (message.is_object() && member(message, {"method"}) == "$/cancelRequest")
      cancelled.insert(text_of(member(message, {"params", "id"})));
  }
  for (const LspJson& message : messages)
    if (!ended_) handle_one(message, cancelled);
}

void LspServer::answer_broken(const std::string& why) { answer_error(nullptr, kParseError, why); }

void LspServer::answer_error(const LspJson& id, int code, const std::string& message) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void LspServer::handle_one(const LspJson& message, const std::set<std::string>& cancelled) {
  if (message.is_discarded()) return answer_error(nullptr, kParseError, "the message is not JSON");
  if (!message.is_object()) return answer_error(nullptr, kInvalidRequest, "the message is not an object");
  const LspJson method = member(message, {"method"});
  const bool has_id = message.contains("id");
  if (!method.is_string()) {
    // An answer to a request of the server's needs nothing.
    const bool answer = has_id && (message.contains("result") || message.contains("error"));
    if (!answer) answer_error(has_id ? message["id"] : LspJson(), kInvalidRequest, "the message has no method");
    return;
  }
  if (has_id) return handle_request(message, cancelled);
  try {
    handle_notification(method.get<std::string>(), member(message, {"params"}));
  } catch (const LspJson::exception& problem) {
    send_({{"jsonrpc", "2.0"},
           {"method", "window/logMessage"},
           {"params", {{"type", 1}, {"message", fmt::format("{}: {}", method.get<std::string>(), problem.what())}}}});
  }
}

void LspServer::handle_request(const LspJson& message, const std::set<std::string>& cancelled) {
  const LspJson id = message["id"];
  const std::string method = message["method"];
  const auto known = methods().find(method);
  if (cancelled.contains(text_of(id))) return answer_error(id, kRequestCancelled, "cancelled");
  if (shut_down_) return answer_error(id, kInvalidRequest, "the server was shut down");
  if (!initialized_ && method != "initialize") return answer_error(id, kNotInitialized, "`initialize` comes first");
  if (initialized_ && method == "initialize") return answer_error(id, kInvalidRequest, "`initialize` comes once");
  if (known == methods().end())
    return answer_error(id, kMethodNotFound, fmt::format("there is no method `{}`", method));
  try {
    const LspJson parameters = member(message, {"params"});
    const LspJson result = is_of_no_model(parameters) ? LspJson() : (this->*known->second)(parameters);
    send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  } catch (const Refusal& refusal) {
    answer_error(id, refusal.code, refusal.message);
  } catch (const LspJson::exception& problem) {
    answer_error(id, kInvalidParams, problem.what());
  } catch (const std::exception& problem) {
    answer_error(id, kInternalError, problem.what());
  }
}

bool LspServer::is_of_no_model(const LspJson& parameters) const {
  const LspJson uri = member(parameters, {"textDocument", "uri"});
  const auto found = uri.is_string() ? documents_.find(uri.get<std::string>()) : documents_.end();
  return found != documents_.end() && !found->second->is_model;
}

void LspServer::handle_notification(const std::string& method, const LspJson& parameters) {
  if (method == "exit") ended_ = true;
  if (!initialized_ || shut_down_) return;
  if (method == "textDocument/didOpen") open(parameters);
  if (method == "textDocument/didChange") change(parameters);
  if (method == "textDocument/didSave") save(parameters);
  if (method == "textDocument/didClose") close(parameters);
}

const std::map<std::string, LspServer::Method>& LspServer::methods() {
  static const std::map<std::string, Method> all{{"initialize", &LspServer::initialize},
                                                 {"shutdown", &LspServer::shut_down},
                                                 {"textDocument/hover", &LspServer::hover},
                                                 {"textDocument/completion", &LspServer::complete},
                                                 {"textDocument/definition", &LspServer::definition},
                                                 {"textDocument/references", &LspServer::references},
                                                 {"textDocument/documentHighlight", &LspServer::highlights},
                                                 {"textDocument/prepareRename", &LspServer::prepare_rename},
                                                 {"textDocument/rename", &LspServer::rename},
                                                 {"textDocument/documentSymbol", &LspServer::symbols},
                                                 {"textDocument/inlayHint", &LspServer::inlay_hints},
                                                 {"textDocument/codeAction", &LspServer::code_actions}};
  return all;
}

// --- life

LspJson LspServer::initialize(const LspJson& parameters) {
  const LspJson offered = member(parameters, {"capabilities", "general", "positionEncodings"});
  if (offered.is_array() && std::ranges::find(offered, LspJson("utf-8")) != offered.end())
    encoding_ = editor::Encoding::kUtf8;
  refreshes_hints_ = member(parameters, {"capabilities", "workspace", "inlayHint", "refreshSupport"}) == true;
  initialized_ = true;
  return {{"capabilities", capabilities(encoding_)},
          {"serverInfo", {{"name", "dalembert"}, {"version", DALEMBERT_VERSION}}}};
}

LspJson LspServer::shut_down(const LspJson&) {
  shut_down_ = true;
  documents_.clear();
  return nullptr;
}

// --- documents

LspServer::Open& LspServer::document_of(const LspJson& parameters) {
  const std::string uri = parameters.at("textDocument").at("uri");
  const auto found = documents_.find(uri);
  if (found == documents_.end()) throw Refusal{kInvalidParams, fmt::format("{} is not open", uri)};
  return *found->second;
}

const editor::NameTable& LspServer::names_of(Open& document) {
  if (!document.names) document.names = editor::read_names(document.document.source);
  return *document.names;
}

std::uint32_t LspServer::offset_of(const Open& document, const LspJson& parameters) const {
  return offset_at(*document.document.source, position_of(parameters.at("position")), encoding_);
}

void LspServer::set_text(Open& document, std::string text) {
  const std::string path = path_of(document.document.uri);
  document.document.source = make_source(path.empty() ? document.document.uri : path, std::move(text));
  document.document.counter = {};
  document.names.reset();
  document.check.give_up();
  // What has become a model stays one while its lines are changed.
  document.is_model = document.is_model || editor::is_model(document.document.source->text());
  document.must_be_checked = document.is_model;
  document.diagnostics_are_current = false;
}

void LspServer::open(const LspJson& parameters) {
  const LspJson& text = parameters.at("textDocument");
  auto made = std::make_unique<Open>();
  made->document.uri = text.at("uri");
  made->document.encoding = encoding_;
  made->is_model = member(text, {"languageId"}) == "dalembert";
  if (text.contains("version")) made->version = text["version"];
  set_text(*made, text.at("text"));
  documents_[made->document.uri] = std::move(made);
}

void LspServer::change(const LspJson& parameters) {
  const auto found = documents_.find(parameters.at("textDocument").at("uri").get<std::string>());
  if (found == documents_.end()) return;
  Open& document = *found->second;
  for (const LspJson& one : parameters.at("contentChanges")) {
    std::string text = one.at("text");
    if (one.contains("range")) {
      const SourceText& source = *document.document.source;
      const std::uint32_t begin = offset_at(source, position_of(one["range"].at("start")), encoding_);
      const std::uint32_t end = std::max(begin, offset_at(source, position_of(one["range"].at("end")), encoding_));
      text = source.text().substr(0, begin) + text + source.text().substr(end);
    }
    set_text(document, std::move(text));
  }
  const LspJson version = member(parameters, {"textDocument", "version"});
  if (!version.is_null()) document.version = version;
}

// The files that a model reads may be others since.
void LspServer::save(const LspJson&) {
  for (const auto& [uri, document] : documents_) document->must_be_checked = document->is_model;
}

void LspServer::close(const LspJson& parameters) {
  const auto found = documents_.find(parameters.at("textDocument").at("uri").get<std::string>());
  if (found == documents_.end()) return;
  found->second->diagnostics = LspJson::array();
  publish(*found->second);
  documents_.erase(found);
}

// --- checks

void LspServer::start_checks() {
  for (const auto& [uri, document] : documents_) {
    if (!document->must_be_checked || running_checks().size() >= kMostChecks) continue;
    document->must_be_checked = false;
    if (!document->check.start(document->document)) conclude(*document, "no process could be started for the check");
  }
}

std::vector<LspCheck*> LspServer::running_checks() {
  std::vector<LspCheck*> running;
  for (const auto& [uri, document] : documents_)
    if (document->check.runs()) running.push_back(&document->check);
  return running;
}

void LspServer::collect_checks() {
  for (const auto& [uri, document] : documents_) {
    if (!document->check.runs()) continue;
    take(*document, document->check.receive());
    if (!document->check.runs() || document->check.milliseconds_left() > 0) continue;
    document->check.give_up();
    conclude(*document,
             fmt::format("the freedoms and the start were not decided within {} s; `dalembert check` has no such limit",
                         LspCheck::kMostSeconds));
  }
}

void LspServer::take(Open& document, const CheckReport& report) {
  if (report.facts) {
    document.facts = facts_of(*report.facts);
    if (refreshes_hints_) send_({{"jsonrpc", "2.0"}, {"id", ++requests_}, {"method", "workspace/inlayHint/refresh"}});
  }
  // The later list of a check is most often the first one again.
  if (report.diagnostics && !(document.diagnostics_are_current && document.diagnostics == *report.diagnostics)) {
    document.diagnostics = *report.diagnostics;
    document.diagnostics_are_current = true;
    publish(document);
  }
  if (report.ended && !report.complete)
    conclude(document, "the check ended without an answer; `dalembert check` says more");
}

// What is known is published, with a remark of what is not.
void LspServer::conclude(Open& document, const std::string& why) {
  if (!document.diagnostics_are_current) document.diagnostics = LspJson::array();
  document.diagnostics.push_back(remark_json(why));
  document.diagnostics_are_current = true;
  publish(document);
}

void LspServer::publish(const Open& document) {
  LspJson parameters{{"uri", document.document.uri}, {"diagnostics", document.diagnostics}};
  if (document.version) parameters["version"] = *document.version;
  send_({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", parameters}});
}

// --- requests

LspJson LspServer::hover(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const auto found = editor::hover(names_of(document), document.facts, offset_of(document, parameters));
  if (!found) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", found->text}}},
          {"range", range_json(document.document, found->place)}};
}

LspJson LspServer::complete(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const editor::Proposals proposals = editor::complete(names_of(document), offset_of(document, parameters));
  // A blank alone asks for nothing but a unit behind a number.
  const bool after_blank = member(parameters, {"context", "triggerCharacter"}) == " ";
  const LspJson place = range_json(document.document, proposals.place);
  LspJson items = LspJson::array();
  for (const editor::Proposal& one : proposals.all) {
    if (after_blank && one.kind != editor::Proposal::Kind::kUnit) continue;
    items.push_back({{"label", one.text},
                     {"kind", item_kind(one.kind)},
                     {"detail", one.detail},
                     {"textEdit", {{"range", place}, {"newText", one.text}}}});
  }
  return {{"isIncomplete", !proposals.complete}, {"items", items}};
}

LspJson LspServer::definition(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const editor::DeclaredName* name = names_of(document).at(offset_of(document, parameters));
  if (!name) return nullptr;
  return {{"uri", document.document.uri}, {"range", range_json(document.document, name->place)}};
}

LspJson LspServer::references(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const editor::NameTable& names = names_of(document);
  const editor::DeclaredName* name = names.at(offset_of(document, parameters));
  LspJson all = LspJson::array();
  if (!name) return all;
  const bool declaration = member(parameters, {"context", "includeDeclaration"}) == true;
  for (const editor::Range& place : editor::references(names, *name, declaration))
    all.push_back({{"uri", document.document.uri}, {"range", range_json(document.document, place)}});
  return all;
}

LspJson LspServer::highlights(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const editor::NameTable& names = names_of(document);
  const editor::DeclaredName* name = names.at(offset_of(document, parameters));
  LspJson all = LspJson::array();
  if (!name) return all;
  for (const editor::Range& place : editor::references(names, *name, true))
    all.push_back({{"range", range_json(document.document, place)}});
  return all;
}

LspJson LspServer::prepare_rename(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const editor::Renaming found = editor::find_renaming(names_of(document), offset_of(document, parameters));
  if (!found.refused.empty()) throw Refusal{kRequestFailed, found.refused};
  return range_json(document.document, found.places.front());
}

LspJson LspServer::rename(const LspJson& parameters) {
  Open& document = document_of(parameters);
  const std::string name = parameters.at("newName");
  const editor::Renaming done = editor::rename(names_of(document), offset_of(document, parameters), name);
  if (!done.refused.empty()) throw Refusal{kRequestFailed, done.refused};
  LspJson edits = LspJson::array();
  for (const editor::Range& place : done.places)
    edits.push_back({{"range", range_json(document.document, place)}, {"newText", name}});
  return {{"changes", {{document.document.uri, edits}}}};
}

LspJson LspServer::symbols(const LspJson& parameters) {
  Open& document = document_of(parameters);
  LspJson all = LspJson::array();
  for (const editor::DeclaredName& name : names_of(document).declared) {
    if (name.name.empty()) continue;
    const editor::Range whole{std::min(name.whole.begin, name.place.begin), std::max(name.whole.end, name.place.end)};
    const std::string kind(editor::word(name.kind));
    all.push_back({{"name", name.name},
                   {"detail", name.written.empty() ? kind : kind + " = " + name.written},
                   {"kind", symbol_kind(name.kind)},
                   {"range", range_json(document.document, whole)},
                   {"selectionRange", range_json(document.document, name.place)}});
  }
  return all;
}

LspJson LspServer::inlay_hints(const LspJson& parameters) {
  Open& document = document_of(parameters);
  LspJson all = LspJson::array();
  const SourceText& source = *document.document.source;
  for (const editor::Hint& hint : editor::hints(names_of(document), document.facts)) {
    const LspJson place = range_json(document.document, {hint.offset, hint.offset});
    const std::uint32_t line = position_at(source, hint.offset, encoding_).line;
    const LspJson& range = parameters.at("range");
    if (line < position_of(range.at("start")).line || line > position_of(range.at("end")).line) continue;
    all.push_back({{"position", place["start"]}, {"label", hint.text}, {"paddingLeft", true}});
  }
  return all;
}

LspJson LspServer::code_actions(const LspJson& parameters) {
  Open& document = document_of(parameters);
  LspJson all = LspJson::array();
  const LspJson only = member(parameters, {"context", "only"});
  const bool wanted = !only.is_array() || std::ranges::find(only, LspJson("quickfix")) != only.end();
  // The places of fixes are those of the text that was checked.
  if (!wanted || !document.diagnostics_are_current) return all;
  for (const LspJson& diagnostic : document.diagnostics) {
    const LspJson fixes = member(diagnostic, {"data", "fixes"});
    if (!fixes.is_array() || !overlap(diagnostic.at("range"), parameters.at("range"))) continue;
    for (const LspJson& fix : fixes)
      all.push_back(
          {{"title", fix.at("title")},
           {"kind", "quickfix"},
           {"isPreferred", fixes.size() == 1},
           {"diagnostics", {diagnostic}},
           {"edit",
            {{"changes", {{document.document.uri, {{{"range", fix.at("range")}, {"newText", fix.at("newText")}}}}}}}}});
  }
  return all;
}

}  // namespace dalembert::app
