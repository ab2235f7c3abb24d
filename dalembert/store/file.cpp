// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/file.h"
#include "dalembert/base/file.h"
#include "dalembert/base/temporary_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace dalembert {
namespace {

Diagnostics cannot_write(const std::string& path, const std::string& why) {
  return {error("E0501", fmt::format("cannot write `{}`: {}", path, why))};
}

std::string last_error() { return errno != 0 ? std::strerror(errno) : "unknown reason"; }

}  // namespace

Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (std::filesystem::is_directory(status)) return cannot_write(path, "it is a folder");
  const std::string place = direct ? path : fmt::format("{}.{}.part", path, ::getpid());
  // Registered first, so that no signal finds it unknown; but `direct` names what is not ours to remove.
  std::optional<TemporaryFile> temporary;
  if (!direct) temporary.emplace(place);
  errno = 0;
  std::ofstream out(place, std::ios::binary);
  if (!out) return cannot_write(path, last_error());
  write(out);
  out.close();
  if (!out) {
    const std::string why = last_error();
    if (!direct) std::filesystem::remove(place, ignored);
    return cannot_write(path, why);
  }
  if (!direct) {
    std::error_code failed;
    std::filesystem::rename(place, path, failed);
    if (failed) {
      std::filesystem::remove(place, ignored);
      return cannot_write(path, failed.message());
    }
  }
  return {};
}

Result<SourcePtr> read_file(const std::string& path) {
  auto text = read_text(path, "E0502");
  if (!text) return text.diagnostics();
  return make_source(path, std::move(text).value());
}

}  // namespace dalembert
