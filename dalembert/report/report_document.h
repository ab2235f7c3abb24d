// SPDX-License-Identifier: Apache-2.0
// The report document: everything that a page shows of a model and a run of it, as JSON. The page is a function of it
// alone; web/report-document.schema.json describes it.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/table.h"

namespace dalembert {

/// `level`: "error", "warning" or "note".
struct ReportNotice {
  std::string level, text;
};
/// A short fact in the page's head; `level`: "ok", "warning", "error", "neutral".
struct ReportChip {
  std::string label, value, level = "neutral";
};
struct ReportFact {
  std::string label, value;
};

struct ReportContent {
  std::string generator, command;     ///< the program; how the page is made again
  std::vector<ReportNotice> notices;  ///< shown before everything else
  std::vector<ReportChip> chips;
  std::vector<ReportFact> structure;
  EquationsFormat equations;  ///< which parts, in which form; the notation is the page's
  bool motion_only = false;   ///< without what explains the model: symbols, constraints, equations
  Json equilibria = Json::array();
  const State* start = nullptr;     ///< values of coordinates in the table of symbols
  const Trajectory* run = nullptr;  ///< what is known of how it ran
  const Table* rows = nullptr;      ///< of a run, this one or one that was read
  const Scene* scene = nullptr;
  std::string scene_note;  ///< why nothing is drawn
};

Json report_document(const Equations& equations, const Dynamics& dynamics, const ReportContent& content);

}  // namespace dalembert
