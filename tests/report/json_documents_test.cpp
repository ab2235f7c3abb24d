// SPDX-License-Identifier: Apache-2.0
// The documents that the command prints, made without the command.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dalembert/analyze/run_options.h"
#include "dalembert/compile/compile.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/report/json_documents.h"
#include "source_tree.h"

namespace dalembert {
namespace {

Equations equations_of(const std::string& model) {
  auto loaded = load_model_file(source_tree() + "/models/" + model + ".toml");
  EXPECT_TRUE(loaded);
  auto equations = derive(std::make_shared<const Model>(std::move(loaded).value()));
  EXPECT_TRUE(equations);
  return std::move(equations).value();
}

// Truth: the slider-crank by hand (tests/oracles): M is diagonal but for the two rods' coupling, W is the Jacobian of the
// closure; docs/command-line.md names the members.
TEST(JsonDocuments, EquationsHaveTheirParts) {
  const Equations equations = equations_of("slider-crank");
  const auto json = nlohmann::ordered_json::parse(equations_json(equations).text());
  EXPECT_EQ(json["model"], "slider-crank");
  EXPECT_EQ(json["coordinates"], nlohmann::json({"theta", "phi", "x"}));
  EXPECT_EQ(json["M"][2], nlohmann::json({"0", "0", "m3"}));
  EXPECT_EQ(json["W"][0][2], "-1");
  EXPECT_EQ(json["eom"].size(), 3u);
  EXPECT_EQ(json["multipliers"].size(), 2u);
  EXPECT_FALSE(json.contains("qdd"));
  const auto part = nlohmann::ordered_json::parse(equations_json(equations, Form::kCanonical, {"M"}).text());
  EXPECT_EQ(part["M"], json["M"]);
  EXPECT_FALSE(part.contains("eom"));
}

// Truth: models/audits/slider-crank-misprints.toml repeats published misprints, its twin their corrections.
TEST(JsonDocuments, AuditsCountTheirVerdicts) {
  for (const bool corrected : {false, true}) {
    const Equations equations =
        equations_of(corrected ? "audits/slider-crank-corrected" : "audits/slider-crank-misprints");
    const auto report = audit(equations);
    ASSERT_TRUE(report);
    const auto json = nlohmann::json::parse(audit_json(equations.model->name, *report).text());
    EXPECT_EQ(json["claims"].size(), report->claims.size());
    EXPECT_EQ(json["disproved"] == 0, corrected);
    for (const auto& claim : json["claims"]) EXPECT_EQ(claim["correct"].is_null(), false) << claim;
  }
}

// Truth: a mass on a spring, x'' = −k x / m, whose start is as the model says and moves nothing.
TEST(JsonDocuments, RunsAndTermsAreThoseOfTheMotion) {
  const Equations equations = equations_of("mass-spring");
  const Model& model = *equations.model;
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const Assembly start = assemble(dynamics, initial_state(model));
  ASSERT_TRUE(start.ok());
  const auto options = run_options(model);
  ASSERT_TRUE(options);
  const Trajectory path = integrate(dynamics, start.state, *options);
  const auto run = nlohmann::json::parse(run_json(path, start, dynamics.names(), 0).text());
  EXPECT_EQ(run["status"], "ok");
  EXPECT_EQ(run["t_end"], options->until);
  EXPECT_EQ(run["verdict"]["holds"], true);
  EXPECT_EQ(run["final"]["q"]["x"], path.q[0].back());
  EXPECT_TRUE(run["initial"]["moved"]["q"].empty());

  const Terms terms = evaluate_terms(dynamics, start.state);
  const auto json = nlohmann::json::parse(terms_json(model, dynamics, start.state, terms).text());
  const double m = json["M"][0][0], force = json["G"][0], qdd = json["qdd"]["x"];
  EXPECT_NEAR(m * qdd, json["F"][0].get<double>() - force - json["B"][0].get<double>(), 1e-12 * (1 + std::abs(force)));
  EXPECT_THAT(not_finite(dynamics, terms), testing::IsEmpty());
}

}  // namespace
}  // namespace dalembert
