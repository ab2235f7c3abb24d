// SPDX-License-Identifier: Apache-2.0
// Exported code in a folder of its own, compiled and run by the programs of this machine.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/derive/equations.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert::testing {

struct Ran {
  int status = -1;
  std::string out;  ///< standard output and error
};

inline Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) ran.out.append(block.data(), count);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
}

inline bool has_program(const std::string& test) { return shell(test).status == 0; }

inline Equations equations_of_text(const std::string& text, const std::vector<std::string>& set = {}) {
  LoadOptions options;
  for (const std::string& one : set) options.overrides.push_back(*parse_override(one));
  Result<Model> loaded = load_model(make_source("model.toml", text), options);
  EXPECT_TRUE(loaded) << render(loaded.diagnostics());
  Result<Equations> derived = derive(std::make_shared<const Model>(std::move(loaded).value()));
  EXPECT_TRUE(derived) << render(derived.diagnostics());
  return std::move(derived).value();
}

inline std::string shipped_text(const std::string& name) {
  std::ifstream file(source_tree() + "/models/" + name + ".toml");
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& chosen) {
  std::string name = chosen.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Why the library does not export this model, where it names what the language lacks (E0536); else empty.
inline std::string refusal(const Equations& equations, CodeLanguage language) {
  const Result<ExportedCode> code = export_code(equations, language);
  return !code && code.diagnostics().front().code == "E0536" ? render(code.diagnostics()) : "";
}

/// The files of one export; gone with it.
class Exported {
 public:
  Exported(const Equations& equations, CodeLanguage language, const CodeShape& shape = {})
      : Exported(language, export_code(equations, language, shape)) {}
  Exported(const Equations& equations, CodeLanguage language, const std::vector<std::string>& only)
      : Exported(language, export_code(equations, language, only)) {}
  Exported(CodeLanguage language, Result<ExportedCode> code) : language_(language) {
    std::string pattern = (std::filesystem::temp_directory_path() / "dalembert-code-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    EXPECT_TRUE(code) << render(code.diagnostics());
    if (code) code_ = std::move(code).value();
    write();
  }
  ~Exported() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  const std::string& name() const { return code_.identifier; }
  const std::string& folder() const { return folder_; }
  const std::vector<CodeFile>& files() const { return code_.files; }
  const std::string& text(std::size_t file) const { return code_.files.at(file).text; }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const CodeFile& file : code_.files) sum += file.text.size();
    return sum;
  }
  /// Everywhere in the file, which is written anew. How often.
  std::size_t replace(std::size_t file, const std::string& what, const std::string& by) {
    std::string& text = code_.files.at(file).text;
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()), ++count)
      text.replace(at, what.size(), by);
    write();
    return count;
  }

  /// Debian's, which has NumPy; another where there is none.
  static std::string python() { return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3"; }

  /// Whether what the self-test needs is installed.
  static bool can_run(CodeLanguage language) {
    switch (language) {
      case CodeLanguage::kC:
        return has_program("cc --version");
      case CodeLanguage::kCpp:
        return has_program("c++ --version");
      case CodeLanguage::kPython:
        return has_program(python() + " -c 'import numpy'");
      case CodeLanguage::kMatlab:
        return has_program("octave-cli --version");
      case CodeLanguage::kJs:
        return has_program("node --version");
    }
    return false;
  }

  /// Builds and runs it; `flags` are for the compiler.
  Ran self_test(const std::string& flags = "-O0") const {
    const std::string warn = " -Wall -Wextra -Wconversion -pedantic -Werror ";
    const std::string& n = name();
    const std::string in = "cd " + folder_ + " && ";
    switch (language_) {
      case CodeLanguage::kC:
        return shell(in + "cc -std=c99 " + flags + warn + n + ".c " + n + "_selftest.c -o run -lm && ./run");
      case CodeLanguage::kCpp:
        return shell(in + "cc -std=c99 " + flags + warn + "-c " + n + ".c && c++ -std=c++20 " + flags + warn + n +
                     "_selftest.cpp " + n + ".o -o run -lm && ./run");
      case CodeLanguage::kPython:
        return shell(in + "PYTHONDONTWRITEBYTECODE=1 " + python() + " " + n + "_selftest.py");
      case CodeLanguage::kMatlab:
        return shell(in + "octave-cli --norc --eval 'exit(" + n + "_selftest() > 0)'");
      case CodeLanguage::kJs:
        return shell(in + "node " + n + "_selftest.mjs");
    }
    return {};
  }

 private:
  void write() const {
    for (const CodeFile& file : code_.files) std::ofstream(folder_ + "/" + file.name, std::ios::binary) << file.text;
  }

  CodeLanguage language_;
  std::string folder_;
  ExportedCode code_;
};

}  // namespace dalembert::testing
