// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace dalembert {

Result<std::string> read_text(const std::string& path, const std::string& code, const Span& place) {
  constexpr std::size_t kLimit = std::size_t{512} << 20;
  const auto refuse = [&](std::string_view why) {
    return error(code, fmt::format("cannot read `{}`: {}", path, why), place);
  };
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (std::filesystem::is_directory(status)) return refuse("it is a folder");
  // A device has no end, a pipe without a writer no beginning.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return refuse("it is no regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (!problem && size > kLimit) return refuse("it is larger than 512 MB");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(std::strerror(errno));
  // In pieces, because the size need not be true: files of /proc have none.
  std::string text;
  if (!problem) text.reserve(size);
  std::vector<char> piece(1 << 16);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLimit) return refuse("it is larger than 512 MB");
  }
  if (file.bad()) return refuse(std::strerror(errno));
  return text;
}

}  // namespace dalembert
