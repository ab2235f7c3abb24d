// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_maker.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace dalembert {

std::string describe_maker(const std::string& version, const std::string& library) {
  struct stat about {};
  if (library.empty() || stat(library.c_str(), &about) != 0) return {};
  return fmt::format("{}\n{}\n{} {}.{:09}", version, library, about.st_size, about.st_mtim.tv_sec,
                     about.st_mtim.tv_nsec);
}

std::optional<std::string> version_of(std::string_view maker) {
  const std::size_t version = maker.find('\n'), library = maker.rfind('\n');
  if (version == std::string_view::npos || version == library) return std::nullopt;
  std::string text(maker.substr(0, version));
  if (describe_maker(text, std::string(maker.substr(version + 1, library - version - 1))) != maker) return std::nullopt;
  return text;
}

}  // namespace dalembert
