// SPDX-License-Identifier: Apache-2.0
// A model as a unit for system simulators (FMU): FMI 2.0, model exchange and co-simulation in one, as source files. The
// caller compiles these and packs everything into an archive (store/zip.h).
#pragma once

#include <string>
#include <vector>

#include "dalembert/codegen/export_code.h"

namespace dalembert {

struct ExportedFmu {
  std::string identifier;  ///< model's name as an identifier; the shared library is IDENTIFIER.so, .dll or .dylib
  std::string guid;
  std::vector<CodeFile> files = {};  ///< names with folders, as in the FMU: modelDescription.xml first, sources/…
  std::vector<std::string> sources = {};  ///< which of the files are to be compiled

  /// The options of a C compiler that make the shared library, before `-o LIBRARY SOURCES -lm`.
  static std::vector<std::string> compiler_options();
};

/// Formulas with more operations than this become tables (tape_table.h). This many statements are 700 kB of C, which
/// gcc 12 compiles in some 5 s.
inline constexpr std::size_t kMostStatementsOfFmu = 25'000;

/// `tool`: the program that made the FMU, for its description. Errors: those of make_code_model(), and E0535 for parts
/// of a model that other exported code can contain but an FMU cannot (frictions, sampled inputs).
Result<ExportedFmu> export_fmu(const Equations& equations, const std::string& tool = "dalembert",
                               std::size_t most_statements = kMostStatementsOfFmu);

}  // namespace dalembert
