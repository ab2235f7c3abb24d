// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace dalembert {

Result<std::string> read_text(const std::string& path, const std::string& code, const Span& place) {
  constexpr std::size_t kLimit = std::size_t{512} << 20;
  const auto refuse = [&](std::string_view why) {
    return error(code, fmt::format("cannot read `{}`: {}", path, why), place);
  };
  errno = 0;
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return refuse(std::strerror(errno));
  if (S_ISDIR(about.st_mode)) return refuse("it is a folder");
  // A device may never end, and a pipe without a writer would block.
  if (!S_ISREG(about.st_mode)) return refuse("it is no regular file");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size > kLimit) return refuse("it is larger than 512 MB");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return refuse(std::strerror(errno));
  // Read in pieces, because the size need not be true: files of /proc report 0.
  std::string text;
  text.reserve(static_cast<std::size_t>(size));
  std::vector<char> piece(1 << 16);
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), got);
    if (text.size() > kLimit) return refuse("it is larger than 512 MB");
  }
  if (std::ferror(file.get()) != 0) return refuse(std::strerror(errno));
  return text;
}

}  // namespace dalembert
