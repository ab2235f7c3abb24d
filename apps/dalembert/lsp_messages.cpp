// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/lsp_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace dalembert::app {
namespace {

constexpr std::size_t kLargestBody = std::size_t{64} << 20, kLargestHeader = 8192;
constexpr std::string_view kLength = "content-length";

// Where `Content-Length` stands at or behind `from`; npos if it does not.
std::size_t find_length(std::string_view text, std::size_t from) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size()));
  const auto found = std::search(begin, text.end(), kLength.begin(), kLength.end(), same);
  return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

// The number after `Content-Length:` in a header; nothing if there is none, or none that a body can have.
std::optional<std::size_t> length_in(std::string_view header) {
  std::size_t at = find_length(header, 0);
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find_first_not_of(" \t", at + kLength.size());
  if (at == std::string_view::npos || header[at] != ':') return std::nullopt;
  at = header.find_first_not_of(" \t", at + 1);
  std::size_t length = 0, digits = 0;
  for (; at < header.size() && std::isdigit(static_cast<unsigned char>(header[at])) != 0; ++at, ++digits) {
    if (digits > 15) return std::nullopt;
    length = length * 10 + static_cast<std::size_t>(header[at] - '0');
  }
  if (digits == 0) return std::nullopt;
  return length;
}

}  // namespace

std::optional<MessageReader::Message> MessageReader::next() {
  const std::size_t gone = std::min(skipped_, bytes_.size());
  bytes_.erase(0, gone);
  skipped_ -= gone;
  if (bytes_.empty() || skipped_ > 0) return std::nullopt;
  const std::size_t end = bytes_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (bytes_.size() <= kLargestHeader) return std::nullopt;
    bytes_.erase(0, std::min(find_length(bytes_, 1), bytes_.size()));
    return Message{{}, "a header without an end"};
  }
  const auto length = length_in(std::string_view(bytes_).substr(0, end));
  if (!length) {
    bytes_.erase(0, end + 4);
    return Message{{}, "a header without a Content-Length"};
  }
  if (*length > kLargestBody) {
    skipped_ = *length;
    bytes_.erase(0, end + 4);
    return Message{{}, fmt::format("a message of {} bytes: at most {} are read", *length, kLargestBody)};
  }
  if (bytes_.size() - end - 4 < *length) return std::nullopt;
  Message message{bytes_.substr(end + 4, *length), {}};
  bytes_.erase(0, end + 4 + *length);
  return message;
}

std::string framed(std::string_view body) { return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body); }

}  // namespace dalembert::app
