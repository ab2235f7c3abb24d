// SPDX-License-Identifier: Apache-2.0
// A model as a unit for system simulators: FMI 2.0, model exchange and co-simulation in one, as sources. Whoever writes it
// compiles them, and packs all of it (store/zip.h).
#pragma once

#include <string>
#include <vector>

#include "dalembert/codegen/export_code.h"

namespace dalembert {

struct ExportedFmu {
  std::string identifier;  ///< of the model; the shared library is IDENTIFIER.so, .dll or .dylib
  std::string guid;
  std::vector<CodeFile> files = {};  ///< names with folders, as in the FMU: modelDescription.xml first, sources/…
  std::vector<std::string> sources = {};  ///< which of the files are to be compiled

  /// What a C compiler is told, before `-o LIBRARY SOURCES -lm`, to make the shared library.
  static std::vector<std::string> compiler_options();
};

/// Formulas of more operations become tables (tape_table.h): as statements 700 kB of C, which take gcc 12 some 5 s.
inline constexpr std::size_t kMostStatementsOfFmu = 25'000;

/// `tool`: what made it, for the description. Errors: those of make_code_model; E0535 of what an FMU cannot hold although code
/// can.
Result<ExportedFmu> export_fmu(const Equations& equations, const std::string& tool = "dalembert",
                               std::size_t most_statements = kMostStatementsOfFmu);

}  // namespace dalembert
