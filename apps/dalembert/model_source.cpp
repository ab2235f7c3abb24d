// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/model_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "apps/dalembert/failure.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

// Larger files, in bytes, are refused: they are not models, and reading them would only fill the memory.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

fs::path models_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    const fs::path installed = (program.parent_path() / DALEMBERT_MODELS_FROM_BIN).lexically_normal();
    if (fs::is_directory(installed, ignored)) return installed;
  }
  return DALEMBERT_MODELS_DIR;
}

[[noreturn]] void cannot_read(const std::string& path, int problem) {
  const bool missing = problem == ENOENT;
  Diagnostic diagnostic = error("E0001", fmt::format("cannot read `{}`: {}", path, std::strerror(problem)));
  if (missing && path.ends_with(".toml")) {
    // Suggest the file in the same folder with the nearest name.
    std::vector<std::string> names;
    std::error_code ignored;
    const fs::path folder = fs::path(path).parent_path();
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored))
      if (entry.path().extension() == ".toml" && entry.path().filename() != fs::path(path).filename())
        names.push_back((folder / entry.path().filename()).string());
    std::sort(names.begin(), names.end());
    if (const auto near = nearest(path, names)) diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
    if (const auto shipped = find_shipped(fs::path(path).stem().string()))
      diagnostic.help.push_back(fmt::format("`{}` without a suffix is the reference model", shipped->name));
  }
  fail(kExitIo, diagnostic);
}

}  // namespace

std::vector<ShippedModel> shipped_models() {
  std::vector<ShippedModel> models;
  std::error_code error;
  fs::directory_iterator folder(models_folder(), error);
  // An unreadable folder contains no models, but lack of memory must not look like that.
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  for (const auto& entry : folder)
    if (entry.path().extension() == ".toml") models.push_back({entry.path().stem().string(), entry.path().string()});
  std::sort(models.begin(), models.end(), [](const ShippedModel& a, const ShippedModel& b) { return a.name < b.name; });
  return models;
}

std::optional<ShippedModel> find_shipped(const std::string& name) {
  // Models with claims, audits/NAME, are in a subfolder and are not listed.
  if (name.starts_with("audits/") && name.find('/', 7) == std::string::npos) {
    const fs::path path = models_folder() / (name + ".toml");
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return ShippedModel{name, path.string()};
  }
  for (ShippedModel& model : shipped_models())
    if (model.name == name) return std::move(model);
  return std::nullopt;
}

std::string page(const std::string& name) {
  const fs::path above = models_folder().parent_path();
  std::error_code ignored;
  const fs::path installed = above / name;
  return (fs::is_regular_file(installed, ignored) ? installed : above / "docs" / name).string();
}

Diagnostic unknown_model(const std::string& name) {
  Diagnostic diagnostic = error("E0404", fmt::format("`{}` is neither a file nor a reference model", name));
  std::vector<std::string> names;
  for (const ShippedModel& model : shipped_models()) names.push_back(model.name);
  if (const auto near = nearest(name, names)) {
    diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    // Otherwise suggest names that contain the word or are contained in it.
    std::vector<std::string> related;
    for (const std::string& candidate : names)
      if (name.size() > 2 && (candidate.find(name) != std::string::npos || name.find(candidate) != std::string::npos))
        related.push_back(candidate);
    if (!related.empty()) diagnostic.help.push_back(fmt::format("did you mean {}?", join_words(related, "`", "or")));
  }
  diagnostic.help.push_back("dalembert models lists the reference models");
  return diagnostic;
}

std::string read_text(const std::string& path) {
  const bool standard_input = path == "-";
  const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) cannot_read(path, errno);
  std::string text;
  char block[65536];
  int problem = 0;
  for (;;) {
    const ssize_t count = ::read(descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) problem = errno;
    if (count <= 0) break;
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > kLargestFile) problem = EFBIG;
    if (problem != 0) break;
  }
  if (!standard_input) ::close(descriptor);
  if (problem != 0) cannot_read(standard_input ? "standard input" : path, problem);
  return text;
}

ModelSource read_model_source(const std::string& model) {
  if (model == "-") return {make_source("<stdin>", read_text("-")), "."};
  std::error_code ignored;
  const bool is_there = fs::exists(model, ignored) && !fs::is_directory(model, ignored);
  const auto shipped = is_there ? std::nullopt : find_shipped(model);
  const bool names_a_path = model.find('/') != std::string::npos || model.ends_with(".toml");
  std::string path = model;
  if (!is_there && (shipped || !names_a_path)) {
    if (!shipped) fail(kExitUsage, unknown_model(model));
    path = shipped->path;
  }
  const std::string folder = fs::path(path).parent_path().string();
  return {make_source(path, read_text(path)), folder.empty() ? "." : folder};
}

}  // namespace dalembert::app
