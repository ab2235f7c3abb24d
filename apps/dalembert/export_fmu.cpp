// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/export_fmu.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <list>
#include <ostream>
#include <system_error>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/other_program.h"
#include "dalembert/base/file.h"
#include "dalembert/base/temporary_file.h"
#include "dalembert/codegen/fmu.h"
#include "dalembert/store/file.h"
#include "dalembert/store/zip.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

#if defined(__linux__) && defined(__x86_64__)
constexpr const char* kPlatform = "linux64";
#else
constexpr const char* kPlatform = "";
#endif

std::string find_compiler() {
  std::vector<std::string> names{"cc", "gcc", "clang"};
  if (const char* chosen = ::getenv("CC"); chosen != nullptr && *chosen != '\0') {
    if (::strchr(chosen, '/') != nullptr && ::access(chosen, X_OK) == 0) return chosen;
    names.insert(names.begin(), chosen);
  }
  for (const std::string& name : names)
    if (std::string program = find_program(name); !program.empty()) return program;
  return {};
}

// A temporary folder for compiling. The destructor removes it; if a signal ends the program, its files are removed too.
class Workshop {
 public:
  Workshop() {
    std::string pattern = (fs::temp_directory_path() / "dalembert-fmu-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      fail(kExitIo, "E0501", fmt::format("cannot write `{}`: {}", pattern, std::strerror(errno)));
    folder_ = pattern;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string place(const std::string& name) {
    std::string path = folder_ + "/" + fs::path(name).filename().string();
    files_.emplace_back(path);
    return path;
  }

 private:
  std::string folder_;
  std::list<TemporaryFile> files_;
};

// gcc 12 compiles kMostOptimized bytes of C in about 5 s with -O2, or kLittleOptimized bytes with -O1. Without
// optimisation it takes a sixth of the time.
constexpr std::size_t kMostOptimized = 400'000, kLittleOptimized = 700'000;
// Without optimisation, 200 to 600 kB take a second. Above kSoonCompiled bytes the duration is announced beforehand.
constexpr std::size_t kFewInSecond = 200'000, kManyInSecond = 600'000, kSoonCompiled = 2'000'000;

std::string compile(const ExportedFmu& fmu, const std::string& compiler, Terminal& terminal) {
  Workshop workshop;
  std::vector<std::string> words = ExportedFmu::compiler_options();
  std::size_t size = 0, tables = 0;
  for (const CodeFile& file : fmu.files) {
    if (!file.name.ends_with(".c")) continue;
    size += file.text.size() - file.tables;
    tables += file.tables;
  }
  if (tables > 0)
    terminal.note(
        fmt::format("{} kB of formulas are in the FMU as tables of instructions that a loop interprets: as statements, "
                    "which `--to c` writes, they would take a minute or more to compile\n",
                    tables / 1000));
  if (size > kMostOptimized && size <= kLittleOptimized)
    std::ranges::replace(words, std::string("-O2"), std::string("-O1"));
  if (size > kLittleOptimized) {
    std::ranges::replace(words, std::string("-O2"), std::string("-O0"));
    const std::string duration = size > kSoonCompiled
                                     ? fmt::format(", in {} to {} s", size / kManyInSecond, size / kFewInSecond)
                                     : std::string();
    terminal.note(
        fmt::format("{} kB of C are compiled without optimisation{}: the FMU runs several times slower; its sources "
                    "can be compiled with optimisation\n",
                    size / 1000, duration));
  }
  const std::string library = workshop.place(fmu.identifier + ".so");
  words.insert(words.end(), {"-o", library});
  for (const CodeFile& file : fmu.files) {
    if (!file.name.starts_with("sources/")) continue;
    const std::string path = workshop.place(file.name);
    if (const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << file.text; }); !problems.empty())
      fail(kExitIo, problems);
    if (file.name.ends_with(".c")) words.push_back(path);
  }
  words.emplace_back("-lm");
  const ProgramEnd end = run_program(compiler, words);
  if (!end.ok())
    fail(kExitIo, "E0508",
         fmt::format("the C compiler `{}` failed to build the library of the FMU: {}", compiler, end.said),
         {"another one can be named: `CC=clang dalembert export …`",
          "`--to c` writes the same model as C, to be compiled by hand"});
  auto bytes = dalembert::read_text(library, "E0502");
  if (!bytes) fail(kExitIo, bytes.diagnostics());
  return std::move(bytes).value();
}

}  // namespace

WrittenFmu write_fmu(const Equations& equations, const std::string& output, Terminal& terminal) {
  Result<ExportedFmu> made = export_fmu(equations, "dalembert " DALEMBERT_VERSION);
  if (!made) fail(kExitModel, made.diagnostics());
  const ExportedFmu& fmu = *made;
  const bool is_file = fs::path(output).extension() == ".fmu";
  WrittenFmu written{
      (is_file ? fs::path(output) : fs::path(output) / (fmu.identifier + ".fmu")).lexically_normal().string(),
      kPlatform};

  std::vector<ZipEntry> entries;
  for (const CodeFile& file : fmu.files) entries.push_back({file.name, file.text});
  const std::string compiler = written.platform.empty() ? std::string() : find_compiler();
  if (compiler.empty()) {
    Diagnostic missing = warning(
        "W0505",
        written.platform.empty()
            ? fmt::format("`{}` holds sources only: FMI 2.0 has no name for this kind of machine", written.path)
            : fmt::format("`{}` holds sources only: there is no C compiler (cc, gcc, clang) here", written.path));
    missing.help.push_back("most simulators need a library: `apt-get install gcc`, or `CC=PROGRAM`, and export again");
    missing.help.push_back(
        fmt::format("or compile it where it is used; how is said in sources/{}_fmi2.c", fmu.identifier));
    written.platform.clear();
    terminal.report({missing});
    terminal.stop_if_denied();
  } else {
    entries.push_back({fmt::format("binaries/{}/{}.so", kPlatform, fmu.identifier), compile(fmu, compiler, terminal),
                       /*executable=*/true});
  }
  const std::string archive = zip_archive(entries);
  if (archive.empty()) fail(kExitIo, "E0501", fmt::format("cannot write `{}`: it is larger than 4 GB", written.path));
  if (const fs::path folder = fs::path(written.path).parent_path(); !folder.empty() && !is_file) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder, error))
      fail(kExitIo, "E0501",
           fmt::format("`{}` cannot be written: {}", folder.string(), error ? error.message() : "it is not a folder"));
  }
  if (const Diagnostics problems = write_file(written.path, [&](std::ostream& out) { out << archive; });
      !problems.empty())
    fail(kExitIo, problems);
  return written;
}

}  // namespace dalembert::app
