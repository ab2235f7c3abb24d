// SPDX-License-Identifier: Apache-2.0
// dalembert lsp, driven as an editor drives it: messages on its standard input, its answers read from its standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "cli/process.h"
#include "mutated_texts.h"

namespace dalembert::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string framed(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Editor {
 public:
  Editor() : server_({"lsp"}, {.keep_input = true}) {}

  void begin(const json& capabilities = json::object()) {
    ask("initialize", {{"capabilities", capabilities}});
    notify("initialized", json::object());
  }
  void notify(const std::string& method, const json& parameters) {
    server_.say(framed(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}.dump()));
  }
  /// The whole answer to a request.
  json answer(const std::string& method, const json& parameters) {
    const int id = ++asked_;
    server_.say(framed(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump()));
    for (;;) {
      const json message = next();
      if (message.is_null() || (message.contains("id") && !message.contains("method") && message["id"] == id))
        return message;
    }
  }
  json ask(const std::string& method, const json& parameters) {
    const json whole = answer(method, parameters);
    EXPECT_TRUE(whole.contains("result")) << method << ": " << whole.dump();
    return whole.value("result", json());
  }
  /// The next message; null at the end of the output.
  json next() {
    for (;;) {
      const std::size_t end = heard_.find("\r\n\r\n");
      if (end != std::string::npos) {
        const std::size_t length = std::stoul(heard_.substr(std::string("Content-Length: ").size()));
        if (heard_.size() >= end + 4 + length) {
          const json message = json::parse(heard_.substr(end + 4, length));
          heard_.erase(0, end + 4 + length);
          return message;
        }
      }
      if (!server_.hear(heard_)) return {};
    }
  }
  void open(const std::string& uri, const std::string& text) {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", "toml"}, {"version", 1}, {"text", text}}}});
  }
  /// Waits for published diagnostics that satisfy the condition.
  template <class Condition>
  json diagnostics(Condition good) {
    for (;;) {
      const json message = next();
      if (message.is_null()) return {};
      if (message.value("method", "") != "textDocument/publishDiagnostics") continue;
      if (good(message["params"]["diagnostics"])) return message["params"]["diagnostics"];
    }
  }
  Process& server() { return server_; }

 private:
  Process server_;
  std::string heard_;
  int asked_ = 0;
};

json at(const std::string& uri, int line, int character) {
  return {{"textDocument", {{"uri", uri}}}, {"position", {{"line", line}, {"character", character}}}};
}

const std::string kUri = "file:///tmp/pendulum.toml";

bool has_code(const json& diagnostics, const std::string& code) {
  for (const json& one : diagnostics)
    if (one.value("code", "") == code) return true;
  return false;
}

TEST(Lsp, BeginsAndEndsAsTheProtocolSays) {
  Editor editor;
  EXPECT_EQ(editor.answer("textDocument/hover", at(kUri, 0, 0))["error"]["code"], -32002);  // before initialize
  const json made =
      editor.ask("initialize", {{"capabilities", {{"general", {{"positionEncodings", {"utf-16", "utf-8"}}}}}}});
  EXPECT_EQ(made["capabilities"]["positionEncoding"], "utf-8");
  EXPECT_EQ(editor.answer("textDocument/foldingRange", at(kUri, 0, 0))["error"]["code"], -32601);
  EXPECT_EQ(editor.answer("textDocument/hover", at(kUri, 0, 0))["error"]["code"], -32602);  // not open
  EXPECT_EQ(editor.answer("textDocument/hover", json::array())["error"]["code"], -32602);
  editor.notify("$/setTrace", {{"value", "off"}});
  EXPECT_TRUE(editor.ask("shutdown", nullptr).is_null());
  EXPECT_EQ(editor.answer("textDocument/hover", at(kUri, 0, 0))["error"]["code"], -32600);
  editor.notify("exit", nullptr);
  const Outcome outcome = editor.server().wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(Lsp, EndsWithoutShutdown) {
  Editor left;
  left.begin();
  left.notify("exit", nullptr);
  EXPECT_EQ(left.server().wait().status, 1);
  Editor closed;
  closed.begin();
  EXPECT_EQ(closed.server().wait().status, 0);  // the end of standard input
  Editor interrupted;
  interrupted.begin();
  interrupted.open(kUri, kPendulum);
  interrupted.server().send(SIGINT);
  while (!interrupted.next().is_null()) {
  }
  EXPECT_EQ(interrupted.server().wait().status, 130);
}

TEST(Lsp, SurvivesWhatIsNoMessage) {
  Editor editor;
  editor.server().say("Content-Type: x\r\n\r\n");
  EXPECT_EQ(editor.next()["error"]["code"], -32700);
  for (const char* body : {"{\"jsonrpc\": ", "[]", "3", "\"\\ud800\"", "{\"id\": 7}", "{\"id\": 7, \"method\": 3}"}) {
    editor.server().say(framed(body));
    EXPECT_TRUE(editor.next().contains("error")) << body;
  }
  editor.server().say("noise Content-Length: -4\r\n\r\nContent-Length: x\r\n\r\n");
  EXPECT_TRUE(editor.next().contains("error"));
  EXPECT_TRUE(editor.next().contains("error"));
  editor.server().say("Content-Length: 99999999999999\r\n");
  editor.server().say("\r\n");
  EXPECT_THAT(editor.next()["error"]["message"], HasSubstr("at most"));
}

TEST(Lsp, SaysWhatCheckSays) {
  Editor editor;
  editor.begin();
  std::string text = kPendulum;
  editor.open(kUri, text);
  EXPECT_THAT(editor.diagnostics([](const json& all) { return all.empty(); }), IsEmpty());
  // A name that is not there, and a start that is not consistent, which only the derived model knows.
  text.replace(text.find("sqrt(x^2"), 8, "sqrt(xx^2");
  editor.notify("textDocument/didChange",
                {{"textDocument", {{"uri", kUri}, {"version", 2}}}, {"contentChanges", {{{"text", text}}}}});
  const json said = editor.diagnostics([](const json& all) { return !all.empty(); });
  EXPECT_TRUE(has_code(said, "E0102")) << said.dump();
  text = kPendulum;
  text.replace(text.find("guess = {y = \"-0.7 m\"}"), 22, "");
  text.replace(text.find("{x = \"0.6 m\"}"), 13, "{x = \"0.6 m\", y = \"3 m\"}");
  editor.notify("textDocument/didChange",
                {{"textDocument", {{"uri", kUri}, {"version", 3}}}, {"contentChanges", {{{"text", text}}}}});
  Folder folder;
  const json checked = run({"check", folder.write("wrong.toml", text), "--json"}).json()["diagnostics"];
  ASSERT_FALSE(checked.empty());
  const json start = editor.diagnostics([&](const json& all) { return has_code(all, checked[0]["code"]); });
  ASSERT_EQ(checked.size(), start.size());
  for (std::size_t i = 0; i < checked.size(); ++i) EXPECT_EQ(checked[i]["code"], start[i]["code"]);
}

TEST(Lsp, OffersFixesThatMend) {
  Editor editor;
  editor.begin();
  std::string text = kPendulum;
  text.replace(text.find("mass = "), 7, "mas = ");
  editor.open(kUri, text);
  const json said = editor.diagnostics([](const json& all) { return !all.empty() && all[0].contains("data"); });
  ASSERT_FALSE(said.is_null());
  const json range = said[0]["range"];
  const json actions =
      editor.ask("textDocument/codeAction",
                 {{"textDocument", {{"uri", kUri}}}, {"range", range}, {"context", {{"diagnostics", json::array()}}}});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0]["title"], "write `mass`");
  EXPECT_EQ(actions[0]["edit"]["changes"][kUri][0]["range"], range);
}

TEST(Lsp, AnswersOfNames) {
  Editor editor;
  editor.begin({{"workspace", {{"inlayHint", {{"refreshSupport", true}}}}}});
  editor.open(kUri, kPendulum);
  // Each part of the check that is known makes the server ask for the hints anew.
  const auto said_of = [&](int line, int column) {
    return editor.ask("textDocument/hover", at(kUri, line, column))["contents"]["value"].get<std::string>();
  };
  while (said_of(1, 25).find("at the start") == std::string::npos) ASSERT_FALSE(editor.next().is_null());
  // Line 11: holonomic = "sqrt(x^2 + y^2) - L"
  int line = 0;
  std::istringstream lines(kPendulum);
  std::string row;
  while (std::getline(lines, row) && row.find("holonomic") == std::string::npos) ++line;
  const int x = static_cast<int>(row.find("x^2")), length = static_cast<int>(row.find("L\""));
  EXPECT_THAT(said_of(line, x), HasSubstr("**x** — coordinate, m"));
  EXPECT_THAT(said_of(line, length), HasSubstr("in SI: 1 m"));
  // m g 0.8, and the output that is its opposite.
  EXPECT_THAT(said_of(line - 1, 9), HasSubstr("at the start: lambda(rod) = -16 N"));
  EXPECT_THAT(said_of(line + 10, 1), HasSubstr("at the start: 16 N"));
  EXPECT_EQ(editor.ask("textDocument/definition", at(kUri, line, x))["range"]["start"]["line"], 1);
  json about = at(kUri, line, x);
  about["context"] = {{"includeDeclaration", true}};
  EXPECT_EQ(editor.ask("textDocument/references", about).size(), 6u);
  about = at(kUri, line, x);
  about["newName"] = "across";
  EXPECT_EQ(editor.ask("textDocument/rename", about)["changes"][kUri].size(), 6u);
  about["newName"] = "sin";
  EXPECT_EQ(editor.answer("textDocument/rename", about)["error"]["code"], -32803);
  EXPECT_EQ(editor.ask("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}}).size(), 9u);
  const json all = {{"textDocument", {{"uri", kUri}}},
                    {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}}}};
  const json hints = editor.ask("textDocument/inlayHint", all);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0]["label"], "2 velocities - rank 1 = 1 freedom");
}

// Places count in code units of UTF-16 unless the editor offers bytes: `μ` is one, 😀 two.
TEST(Lsp, ChangesPartsOfTheText) {
  Editor editor;
  editor.begin();
  editor.open(kUri, "description = \"μ😀\"\ncoordinates = [\"x\"]\n");
  editor.notify("textDocument/didChange",
                {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                 {"contentChanges",
                  {{{"range", {{"start", {{"line", 0}, {"character", 18}}}, {"end", {{"line", 0}, {"character", 19}}}}},
                    {"text", "\" # "}},
                   {{"range", {{"start", {{"line", 1}, {"character", 16}}}, {"end", {{"line", 1}, {"character", 17}}}}},
                    {"text", "yes"}}}}});
  const json symbols = editor.ask("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}});
  ASSERT_EQ(symbols.size(), 1u);
  EXPECT_EQ(symbols[0]["name"], "yes");
}

// Editors hand over every TOML file: of one that is no model nothing is said, until it becomes one.
TEST(Lsp, LeavesOtherTomlFilesAlone) {
  Editor editor;
  editor.begin();
  editor.open(kUri, "[package]\nname = \"crate\"\n");
  EXPECT_TRUE(editor.ask("textDocument/completion", at(kUri, 1, 0)).is_null());
  editor.notify("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                           {"contentChanges", {{{"text", "coordinates = []\n"}}}}});
  EXPECT_TRUE(has_code(editor.diagnostics([](const json&) { return true; }), "E0004"));
  EXPECT_FALSE(editor.ask("textDocument/completion", at(kUri, 1, 0)).is_null());
}

TEST(Lsp, CancelsWhatHasNotBegun) {
  Editor editor;
  editor.begin();
  const auto request = [](int id) { return framed(json{{"id", id}, {"method", "shutdown"}}.dump()); };
  // In one piece, so that they come together.
  editor.server().say(request(71) + framed(R"({"method": "$/cancelRequest", "params": {"id": 71}})") + request(72));
  std::vector<json> answers{editor.next(), editor.next()};
  EXPECT_EQ(answers[0]["id"], 71);
  EXPECT_EQ(answers[0]["error"]["code"], -32800);
  EXPECT_TRUE(answers[1].contains("result"));
}

// A model that takes long to derive holds nothing up: the server answers while it is checked, and a change gives the check up.
TEST(Lsp, AnswersWhileALargeModelIsChecked) {
  Editor editor;
  editor.begin();
  std::string text = read_text(source_tree() + "/models/n-link-chain-maximal.toml");
  text.replace(text.find("N = "), 6, "N = 3000 # ");
  editor.open(kUri, text);
  for (int version = 2; version < 6; ++version) {
    editor.notify("textDocument/didChange",
                  {{"textDocument", {{"uri", kUri}, {"version", version}}}, {"contentChanges", {{{"text", text}}}}});
    EXPECT_FALSE(editor.ask("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}}).empty());
  }
  editor.notify("textDocument/didChange",
                {{"textDocument", {{"uri", kUri}, {"version", 9}}}, {"contentChanges", {{{"text", kPendulum}}}}});
  EXPECT_THAT(editor.diagnostics([](const json& all) { return all.empty(); }), IsEmpty());
}

TEST(Lsp, SurvivesAnyText) {
  const std::vector<std::string> texts = shipped_texts();
  std::mt19937 random(27);
  Editor editor;
  editor.begin();
  editor.open(kUri, kPendulum);
  for (int i = 0; i < 60; ++i) {
    // JSON takes no bytes that are not UTF-8.
    const std::string text = json::parse(
        json(mutate(texts[random() % texts.size()], random)).dump(-1, ' ', true, json::error_handler_t::replace));
    editor.notify("textDocument/didChange",
                  {{"textDocument", {{"uri", kUri}, {"version", i + 2}}}, {"contentChanges", {{{"text", text}}}}});
    const json place = at(kUri, static_cast<int>(random() % 60), static_cast<int>(random() % 60));
    for (const char* method : {"hover", "completion", "definition", "documentHighlight"})
      EXPECT_TRUE(editor.answer(std::string("textDocument/") + method, place).contains("result")) << text;
  }
  EXPECT_TRUE(editor.ask("shutdown", nullptr).is_null());
}

}  // namespace
}  // namespace dalembert::testing
