// SPDX-License-Identifier: Apache-2.0
// What an editor offers to mend. Diagnostics say how in their help, for people (base/diagnostic.h); here is the one place that takes an edit
// from it, and the text with the edit decides whether it mends anything.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/editor/positions.h"
#include "dalembert/modelfile/load.h"

namespace dalembert::editor {

struct Fix {
  std::string title;  ///< "write `theta`"
  Range place;        ///< what of the diagnostic's source is replaced
  std::string text;   ///< by what
};

/// The edits that the help of a diagnostic names: what stands between backquotes after "did you mean" and "write", in place of what the
/// diagnostic points at.
std::vector<Fix> proposed_fixes(const Diagnostic& diagnostic);

/// Those of the proposed edits that mend the text: with one of them it has no more errors than before, and this one no longer.
/// `all`: the diagnostics of the text as it is. Loads the model once for each edit.
std::vector<Fix> fixes_that_mend(const Diagnostic& diagnostic, const Diagnostics& all, const LoadOptions& options);

}  // namespace dalembert::editor
