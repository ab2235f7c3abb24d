// SPDX-License-Identifier: Apache-2.0
// Messages of the Language Server Protocol (LSP 3.17, § Base Protocol): a header with a Content-Length, an empty line,
// JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dalembert::app {

/// Takes messages out of a stream of bytes. Skipped are a header without a length, a message of more than 64 MB, and what has no header, up
/// to the next `Content-Length`.
class MessageReader {
 public:
  struct Message {
    std::string body;
    std::string broken;  ///< why there is no body, in words; empty: there is one
  };
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next message; nothing until more bytes have come.
  std::optional<Message> next();

 private:
  std::string bytes_;
  std::size_t skipped_ = 0;  // bytes of a refused body that are still to come
};

/// The body with its header.
std::string framed(std::string_view body);

}  // namespace dalembert::app
