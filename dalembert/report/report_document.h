// SPDX-License-Identifier: Apache-2.0
// The report document: everything that a report page shows of a model and its run, as JSON. The page depends on this
// document alone; web/report-document.schema.json describes it.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"

namespace dalembert {

/// A message on the page. `level`: "error", "warning" or "note".
struct ReportNotice {
  std::string level, text;
};
/// A short fact at the head of the page. `level`: "ok", "warning", "error" or "neutral".
struct ReportChip {
  std::string label, value, level = "neutral";
};
struct ReportFact {
  std::string label, value;
};

struct ReportContent {
  std::string generator, command;     ///< program and version; command that makes the page again
  std::vector<ReportNotice> notices;  ///< shown before all other content
  std::vector<ReportChip> chips;
  std::vector<ReportFact> structure;
  EquationsFormat equations;  ///< parts and form to print; `notation` is ignored
  bool degrees = false;       ///< angles are shown in degrees until the reader chooses otherwise
  bool motion_only = false;   ///< leave out the model's symbols, constraints and equations
  Json equilibria = Json::array();
  const State* start = nullptr;     ///< values of the coordinates in the table of symbols
  AssembleOptions held = {};        ///< what of the start is held when it is assembled anew; empty: as the model says
  const Trajectory* run = nullptr;  ///< how the run went; may be null
  const Table* rows = nullptr;      ///< series of a run, of `run` or read from a file
  const Scene* scene = nullptr;
  std::string scene_note;  ///< why no picture is shown
};

Json report_document(const Equations& equations, const Dynamics& dynamics, const ReportContent& content);

}  // namespace dalembert
