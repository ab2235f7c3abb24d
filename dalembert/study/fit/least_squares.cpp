// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/least_squares.h"

#ifdef DALEMBERT_CERES
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>
#endif

namespace dalembert::fitting {
namespace {

#ifdef DALEMBERT_CERES

namespace fs = std::filesystem;

constexpr const char* kModule = "dalembert-ceres.so";

// Where the module may be: where DALEMBERT_MODULES says, beside the program or the Python module that this code is in, where it was installed,
// where it was built.
std::vector<fs::path> module_folders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("DALEMBERT_MODULES")) folders.emplace_back(named);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) folders.push_back((program.parent_path() / DALEMBERT_MODULES_FROM_BIN).lexically_normal());
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&find_least_squares), &about) != 0 && about.dli_fname != nullptr)
    if (const fs::path self(about.dli_fname); self.is_absolute()) folders.push_back(self.parent_path());
  folders.emplace_back(DALEMBERT_MODULES_DIR);
  folders.emplace_back(DALEMBERT_MODULES_BUILT);
  return folders;
}

Result<SolveLeastSquares> open_module() {
  Diagnostic problem = error("E0433", "the module of the least-squares solver, dalembert-ceres.so, cannot be opened");
  for (const fs::path& folder : module_folders()) {
    const std::string path = (folder / kModule).string();
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) continue;
    // It is never unloaded: libraries that it brings have state of their own.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr)
      if (void* function = dlsym(handle, kSolveLeastSquares)) return reinterpret_cast<SolveLeastSquares>(function);
    const char* why = dlerror();
    problem.notes.push_back(why != nullptr ? std::string(why) : path + " is of another version");
  }
  problem.help.emplace_back(problem.notes.empty()
                                ? "it belongs to the installation; DALEMBERT_MODULES=FOLDER says where else it is"
                                : "install Ceres Solver (Debian: libceres3)");
  return problem;
}

#else

Result<SolveLeastSquares> open_module() {
  return error("E0433", "this program was built without Ceres Solver, which finds least squares");
}

#endif

}  // namespace

Result<SolveLeastSquares> find_least_squares() {
  static const Result<SolveLeastSquares> found = open_module();
  return found;
}

}  // namespace dalembert::fitting
