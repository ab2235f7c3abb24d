// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a study. Number 0 deals out runs, the others make them.
#pragma once

#include <optional>
#include <string>

namespace dalembert::sweeping {

struct Letter {
  int from = 0;
  std::string text;
};

/// Belongs to one thread. Neither call waits: a process may be dead, and then what was sent to it is lost.
class Post {
 public:
  virtual ~Post() = default;
  virtual int number() const = 0;  ///< of this process, from 0
  virtual int count() const = 0;   ///< of processes
  virtual void send(int to, std::string text) = 0;
  /// A message that has come; those of one process come in the order in which they were sent.
  virtual std::optional<Letter> receive() = 0;
};

}  // namespace dalembert::sweeping
