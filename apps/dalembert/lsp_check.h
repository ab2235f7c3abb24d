// SPDX-License-Identifier: Apache-2.0
// The check of a document in a process of its own, because nothing else can be given up at once: to derive a large model takes long, and
// whatever a text makes of the check, the server goes on (docs/decisions/0059).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/dalembert/lsp_json.h"

namespace dalembert::app {

/// What a check has found out so far. Each part is there as soon as it is known.
struct CheckReport {
  std::optional<LspJson> diagnostics;  ///< those of the text, later with those of the start
  std::optional<LspJson> facts;
  bool ended = false;
  bool complete = false;  ///< the check came to its end
};

class LspCheck {
 public:
  /// The most that a check may take, in seconds: what it has not decided then is said to be undecided.
  static constexpr int kMostSeconds = 10;

  LspCheck() = default;
  ~LspCheck() { give_up(); }
  LspCheck(const LspCheck&) = delete;
  LspCheck& operator=(const LspCheck&) = delete;

  /// Starts the check; one that runs is given up. False if there can be no process now.
  bool start(const LspDocument& document);
  void give_up();
  bool runs() const { return process_ > 0; }
  int descriptor() const { return pipe_; }
  /// Milliseconds until the check has taken too long; 0 if it has.
  int milliseconds_left() const;
  /// Takes what has been written since. Call it when the descriptor can be read.
  CheckReport receive();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string bytes_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace dalembert::app
