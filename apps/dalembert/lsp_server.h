// SPDX-License-Identifier: Apache-2.0
// A language server for model files: what each message of the Language Server Protocol 3.17 does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/dalembert/lsp_check.h"
#include "apps/dalembert/lsp_json.h"
#include "dalembert/editor/name_table.h"

namespace dalembert::app {

class LspServer {
 public:
  using Send = std::function<void(const LspJson& message)>;
  explicit LspServer(Send send) : send_(std::move(send)) {}

  /// Handles messages that came together, in order. A request that a later one of them cancels is answered as cancelled.
  void handle(const std::vector<std::string>& bodies);
  /// Answers what could not be read as a message.
  void answer_broken(const std::string& why);

  bool ended() const { return ended_; }
  bool was_shut_down() const { return shut_down_; }

  // Checks of documents, which whoever waits for messages starts when there are none.
  void start_checks();
  std::vector<LspCheck*> running_checks();
  /// Publishes what checks have found out, and gives up those that took too long.
  void collect_checks();

 private:
  struct Open {
    LspDocument document;
    bool is_model = false;  // and not a TOML file of another program, of which nothing is said
    std::optional<LspJson> version;
    std::optional<editor::NameTable> names;  // of the present text, once something asked for it
    editor::Facts facts;
    LspJson diagnostics = LspJson::array();
    bool diagnostics_are_current = false;  // of the present text
    bool must_be_checked = true;
    LspCheck check;
  };
  // What went wrong with a request, with its number in the protocol.
  struct Refusal {
    int code;
    std::string message;
  };
  using Method = LspJson (LspServer::*)(const LspJson& parameters);

  void handle_one(const LspJson& message, const std::set<std::string>& cancelled);
  void handle_request(const LspJson& message, const std::set<std::string>& cancelled);
  void handle_notification(const std::string& method, const LspJson& parameters);
  void answer_error(const LspJson& id, int code, const std::string& message);

  LspJson initialize(const LspJson& parameters);
  LspJson shut_down(const LspJson& parameters);
  LspJson hover(const LspJson& parameters);
  LspJson complete(const LspJson& parameters);
  LspJson definition(const LspJson& parameters);
  LspJson references(const LspJson& parameters);
  LspJson highlights(const LspJson& parameters);
  LspJson prepare_rename(const LspJson& parameters);
  LspJson rename(const LspJson& parameters);
  LspJson symbols(const LspJson& parameters);
  LspJson inlay_hints(const LspJson& parameters);
  LspJson code_actions(const LspJson& parameters);
  static const std::map<std::string, Method>& methods();
  bool is_of_no_model(const LspJson& parameters) const;

  void open(const LspJson& parameters);
  void change(const LspJson& parameters);
  void save(const LspJson& parameters);
  void close(const LspJson& parameters);

  Open& document_of(const LspJson& parameters);
  const editor::NameTable& names_of(Open& document);
  std::uint32_t offset_of(const Open& document, const LspJson& parameters) const;
  void set_text(Open& document, std::string text);
  void publish(const Open& document);
  void take(Open& document, const CheckReport& report);
  void conclude(Open& document, const std::string& why);

  Send send_;
  editor::Encoding encoding_ = editor::Encoding::kUtf16;
  bool initialized_ = false, shut_down_ = false, ended_ = false, refreshes_hints_ = false;
  int requests_ = 0;
  std::map<std::string, std::unique_ptr<Open>> documents_;
};

}  // namespace dalembert::app
