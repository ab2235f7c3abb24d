// SPDX-License-Identifier: Apache-2.0
// The answers of the command's verbs, as functions for C++ programs. Most programs need only dalembert.h. Example:
//
//   const BuiltModel built = or_throw(build_model(std::make_shared<const Model>(std::move(model))));
//   const LinearizedModel linear = or_throw(linearize_at(or_throw(system_at(built)), true));   // linear.motion.A
//   const Result<Reaction> force = reaction_along(built, run, "knife", "sleigh");
//
// The functions return a Result; or_throw() (model_error.h) turns its diagnostics into an exception.
#pragma once

#include "dalembert/model_error.h"
#include "dalembert/study/analysis.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/charts.h"
#include "dalembert/study/cycle.h"
#include "dalembert/study/export_model.h"
#include "dalembert/study/gait_study.h"
#include "dalembert/study/linearization.h"
#include "dalembert/study/pictures.h"
#include "dalembert/study/reactions.h"
#include "dalembert/study/report_page.h"
#include "dalembert/study/system_at.h"
