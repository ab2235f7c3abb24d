// SPDX-License-Identifier: Apache-2.0
// The report document: packed numbers against RFC 4648 and IEEE 754, series of long runs against their rows, frames
// against the scene's own evaluation. The documents of all shipped models are held against the schema in tests/web.
#include "dalembert/report/report_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "dalembert/base/sha256.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/packed_numbers.h"
#include "dalembert/report/report_live.h"
#include "dalembert/report/report_scene.h"
#include "dalembert/report/report_series.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Base64 by its definition, six bits a digit.
std::vector<float> unpacked(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> count & 0xff));
  }
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

TEST(PackedNumbers, AreBase64OfFloat32) {
  EXPECT_EQ(packed({}), "");
  EXPECT_EQ(packed({1}), "AACAPw==");                  // 00 00 80 3f
  EXPECT_EQ(packed({1, -2}), "AACAPwAAAMA=");          // 00 00 00 c0
  EXPECT_EQ(packed({0.5, 1, 0}), "AAAAPwAAgD8AAAAA");  // 00 00 00 3f
  const std::vector<float> read = unpacked(packed({1e300, -0.0, 1.0 / 3, std::nan("")}));
  ASSERT_EQ(read.size(), 4u);
  EXPECT_TRUE(std::isnan(read[0]));  // beyond Float32: a gap, not infinity
  EXPECT_EQ(read[2], 1.0F / 3);
  EXPECT_TRUE(std::isnan(read[3]));
}

class ReportDocument : public ::testing::Test {
 protected:
  ReportDocument()
      : equations_(derive_shipped("slider-crank")), dynamics_(compile(equations_, {.machine_code = false})) {
    const Assembly start = assemble_start(equations_, dynamics_);
    IntegrateOptions options;
    options.until = 1;
    for (int k = 0; k <= 50; ++k) options.output_times.push_back(0.02 * k);
    run_ = integrate(dynamics_, start.state, options);
    rows_ = to_table(run_);
    start_ = start.state;
  }
  json document(ReportContent content) {
    content.rows = &rows_;
    return json::parse(report_document(equations_, dynamics_, content).text());
  }

  Equations equations_;
  Dynamics dynamics_;
  State start_;
  Trajectory run_;
  Table rows_;
};

TEST_F(ReportDocument, KeepsAllRowsOfAShortRun) {
  const json series = document({})["series"];
  EXPECT_EQ(series["rows"], 51);
  EXPECT_EQ(series["kept"], 51);
  EXPECT_FALSE(series["decimated"]);
  for (const json& column : series["columns"]) {
    const std::span<const double> values = rows_.series(column["name"].get<std::string>());
    const std::vector<float> kept = unpacked(column["data"]);
    ASSERT_EQ(kept.size(), values.size()) << column["name"];
    for (std::size_t row = 0; row < kept.size(); ++row) EXPECT_EQ(kept[row], static_cast<float>(values[row]));
  }
  EXPECT_EQ(series["columns"][3]["name"], "v/theta");
  EXPECT_EQ(series["columns"][3]["latex"], "\\dot{\\theta}");
}

// Smallest and largest of each stretch are kept, so those of the whole are: here one row in 200,000 sticks out.
TEST_F(ReportDocument, KeepsTheExtremesOfALongRun) {
  Table table;
  table.names = {"time", "q/theta", "lambda/pin[1]"};
  table.columns.resize(3);
  for (int row = 0; row < 200'000; ++row) {
    const double t = 1e-3 * row;
    table.columns[0].push_back(t);
    table.columns[1].push_back(row == 123'457 ? 77 : std::sin(t));
    table.columns[2].push_back(row == 5 ? std::nan("") : row == 177'771 ? -9 : std::cos(t));
  }
  const json series = json::parse(series_json(table, equations_).text());
  EXPECT_TRUE(series["decimated"]);
  EXPECT_EQ(series["rows"], 200'000);
  EXPECT_LE(series["kept"].get<std::size_t>() * 2, kReportNumbers);
  EXPECT_THAT(series["note"].get<std::string>(), HasSubstr("200000 rows"));
  const std::vector<float> times = unpacked(series["time"]), q = unpacked(series["columns"][0]["data"]),
                           lambda = unpacked(series["columns"][1]["data"]);
  ASSERT_EQ(times.size(), series["kept"].get<std::size_t>());
  ASSERT_EQ(q.size(), times.size());
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(times.front(), 0);
  EXPECT_EQ(times.back(), static_cast<float>(table.columns[0].back()));
  EXPECT_EQ(*std::ranges::max_element(q), 77);
  EXPECT_EQ(*std::ranges::min_element(lambda), -9);

  const json peaks = json::parse(peaks_json(table).text());
  ASSERT_EQ(peaks.size(), 1u);  // multipliers and outputs, not coordinates
  EXPECT_EQ(peaks[0]["series"], "lambda/pin[1]");
  EXPECT_EQ(peaks[0]["min"], -9);
  EXPECT_EQ(peaks[0]["t_min"], table.columns[0][177'771]);
}

// A page of a million rows is below 4 MB, with its scripts and fonts (720 kB, web/build.mjs), its scene, and the smallest
// and largest value of every curve. Oracle: the rows themselves.
TEST_F(ReportDocument, OfAMillionRowsIsSmall) {
  constexpr int kRows = 1'000'000;
  Table table{rows_.names, {}, rows_.units};
  table.columns.resize(table.names.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::vector<double>& values = rows_.columns[c];
    for (int row = 0; row < kRows; ++row)
      table.columns[c].push_back(c == 0 ? 1e-3 * row : values[static_cast<std::size_t>(row) % values.size()]);
    if (c > 0)
      table.columns[c][static_cast<std::size_t>(kRows / 3 + 17 * static_cast<int>(c))] = 1000 + static_cast<double>(c);
  }
  const Scene scene = scene_of(equations_, dynamics_, start_);
  ReportContent content;
  content.scene = &scene;
  content.rows = &table;
  const std::string text = report_document(equations_, dynamics_, content).text();
  EXPECT_LT(text.size() + 720'000, 4'000'000u);
  const json series = json::parse(text)["series"];
  ASSERT_EQ(series["columns"].size(), table.columns.size() - 1);
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const std::vector<float> kept = unpacked(series["columns"][c - 1]["data"]);
    EXPECT_EQ(*std::ranges::max_element(kept), static_cast<float>(std::ranges::max(table.columns[c])))
        << table.names[c];
    EXPECT_EQ(*std::ranges::min_element(kept), static_cast<float>(std::ranges::min(table.columns[c])))
        << table.names[c];
  }
}

// However many series there are, and whatever the scene is made of: base64 of as many Float32 as there may be.
TEST_F(ReportDocument, StaysSmallWithManySeries) {
  Table table{{"time"}, {{}}, {}};
  for (int row = 0; row < 3'000; ++row) table.columns[0].push_back(row);
  for (int c = 0; c < 500; ++c) {
    table.names.push_back("output/o" + std::to_string(c));
    table.columns.push_back(table.columns[0]);
  }
  constexpr std::size_t kFrames = 240'000 * 16 / 3;  // of the largest scene
  EXPECT_LT(series_json(table, equations_).text().size() + kFrames + 720'000, 4'000'000u);
}

TEST_F(ReportDocument, FramesAreWhereTheSceneIs) {
  const Scene scene = scene_of(equations_, dynamics_, start_);
  ReportContent content;
  content.scene = &scene;
  const json shown = document(content)["scene"];
  const std::vector<float> positions = unpacked(shown["frames"]["positions"]),
                           forces = unpacked(shown["frames"]["forces"]);
  const std::size_t tracks = scene.tracks.size(), count = shown["frames"]["count"];
  ASSERT_EQ(count, 51u);
  ASSERT_EQ(positions.size(), count * tracks * 2);
  ASSERT_EQ(forces.size(), count * scene.forces.size() * 2);
  SceneEvaluator evaluator(scene, dynamics_);
  const std::size_t row = 20;
  const std::vector<double> lambda{run_.lambda[0][row], run_.lambda[1][row]};
  const SceneInstant instant = evaluator.at(run_.state(row), lambda);
  for (std::size_t k = 0; k < tracks; ++k)
    for (std::size_t axis = 0; axis < 2; ++axis)
      EXPECT_EQ(positions[(row * tracks + k) * 2 + axis], static_cast<float>(instant.at[k][axis]));
  std::size_t pin = 0;
  while (pin < scene.forces.size() && scene.forces[pin].rows.empty()) ++pin;
  ASSERT_LT(pin, scene.forces.size());
  EXPECT_EQ(shown["forces"][pin]["series"], (json{"lambda/pin[1]", "lambda/pin[2]"}));
  EXPECT_EQ(shown["forces"][pin]["turns"], false);
  EXPECT_EQ(shown["forces"][pin]["opposite"], nullptr);
  EXPECT_EQ(forces[(row * scene.forces.size() + pin) * 2], static_cast<float>(lambda[0]));
  EXPECT_EQ(forces[(row * scene.forces.size() + pin) * 2 + 1], static_cast<float>(lambda[1]));
}

// The coordinate with the largest part of its motion, with its own error.
TEST_F(ReportDocument, NamesTheErrorOfTheCoordinateThatItNames) {
  Trajectory run = run_;
  FinalError& error = run.verdict.error;
  error.estimated = true;
  error.q = {error.largest = 1e-5, 2e-9, 1e-8};
  error.worst = 1;
  error.worst_name = "phi";
  ReportContent content;
  content.run = &run;
  EXPECT_THAT(document(content)["run"]["verdict"].dump(), HasSubstr("below 2e-09 rad in phi"));
}

TEST_F(ReportDocument, SaysWhatIsKnownAndNoMore) {
  const json of_rows = document({});
  EXPECT_TRUE(of_rows["run"]["verdict"]["holds"].is_null());
  EXPECT_TRUE(of_rows["scene"].is_null());
  ReportContent content;
  content.run = &run_;
  const json whole = document(content);
  EXPECT_EQ(whole["run"]["verdict"]["holds"], true);
  EXPECT_EQ(whole["constraints"].size(), 2u);
  EXPECT_EQ(whole["equations_text"], print_equations(equations_, {}));
  EXPECT_EQ(whole["source"]["name"], "slider-crank.toml");
  bool torque = false;
  for (const json& symbol : whole["symbols"]) torque = torque || (symbol["name"] == "tau" && symbol["unit"] == "N*m");
  EXPECT_TRUE(torque);
  for (const json& block : whole["equations"])
    for (const json& display : block["latex"]) {
      EXPECT_FALSE(display.get<std::string>().starts_with("\\["));
      EXPECT_EQ(display.get<std::string>().find("\n\\]"), std::string::npos);  // one formula each, without brackets
    }
  content.motion_only = true;
  EXPECT_EQ(document(content)["equations"].size(), 0u);
}

// Rows of a file that lacks velocities are shown all the same; every state is one of the rows.
TEST_F(ReportDocument, StatesAreRows) {
  Table table = rows_;
  table.names[4] = "something else";  // v/theta
  const RunStates states = states_of_run(table, dynamics_.names(), 11);
  ASSERT_EQ(states.states.size(), 11u);
  EXPECT_EQ(states.states.back().t, 1);
  for (const State& state : states.states) {
    const auto row = static_cast<std::size_t>(std::lround(state.t / 0.02));
    EXPECT_EQ(state.q[1], run_.q[1][row]);
    EXPECT_EQ(state.v[0], 0);
    EXPECT_EQ(state.v[1], run_.v[1][row]);
  }
}

TEST_F(ReportDocument, SaysHowItWasMade) {
  ReportContent content;
  content.run = &run_;
  const json whole = document(content);
  // Oracle: `sha256sum models/slider-crank.toml`, which the text is checked with elsewhere (tests/base).
  EXPECT_EQ(whole["source"]["sha256"], sha256(equations_.model->source->text()));
  EXPECT_EQ(whole["bodies"].size(), equations_.model->bodies.size());
  std::map<std::string, std::string> summary;
  for (const json& fact : whole["run"]["summary"]) summary[fact["label"]] = fact["value"];
  EXPECT_EQ(summary["method"], "dop853");
  EXPECT_EQ(summary["tolerances"], "1e-09 relative, 1e-12 absolute");
  // Steps follow each other from the start to the end.
  const json& steps = whole["run"]["steps"];
  const std::vector<float> from = unpacked(steps["from"]), to = unpacked(steps["to"]),
                           longest = unpacked(steps["longest"]);
  ASSERT_EQ(steps["each"], 1);
  ASSERT_EQ(from.size(), static_cast<std::size_t>(run_.steps));
  EXPECT_EQ(from.front(), 0);
  EXPECT_EQ(to.back(), 1);
  for (std::size_t k = 0; k < from.size(); ++k) {
    EXPECT_NEAR(to[k] - from[k], longest[k], 1e-6);
    EXPECT_EQ(from[k], k > 0 ? to[k - 1] : 0);
  }
  EXPECT_EQ(whole["run"]["singular"].size(), 0u);
  const json& mass = whole["equations"][2];  // after the form and the energies
  EXPECT_EQ(mass["title"], "Mass matrix");
  EXPECT_EQ(mass["operations"], count_operations(equations_.M.value));
}

// Where the rank of W falls, once each time.
TEST_F(ReportDocument, NamesSingularPositionsOnce) {
  Trajectory run = run_;
  run.rank[10] = run.rank[11] = run.rank[30] = 1;
  ReportContent content;
  content.run = &run;
  const json singular = document(content)["run"]["singular"];
  ASSERT_EQ(singular.size(), 2u);
  EXPECT_EQ(singular[0], (json{{"t", run.time[10]}, {"rank", 1}, {"of", 2}}));
  EXPECT_EQ(singular[1]["t"], run.time[30]);
}

// Oracle: E − E₀ of the rows; the mechanism is conservative.
TEST_F(ReportDocument, BalancesAreDistancesFromTheStart) {
  const Table with = with_balances(rows_, &run_);
  const std::span<const double> balance = with.series("balance/energy");
  ASSERT_EQ(balance.size(), rows_.rows());
  for (std::size_t row = 0; row < balance.size(); ++row)
    EXPECT_NEAR(balance[row], std::abs(run_.total[row] - run_.total[0]), 1e-14);
  EXPECT_EQ(with_balances(rows_, nullptr).names, rows_.names);
  Trajectory other = run_;
  other.forget_rows();
  EXPECT_EQ(with_balances(rows_, &other).names, rows_.names);  // not of these rows
}

// D λ + d = 0 as `derive --only D` prints it, with the names of the entries of M⁻¹ that it is written by.
TEST_F(ReportDocument, HasTheSystemOfTheMultipliers) {
  const json blocks = document({})["equations"];
  std::vector<std::string> shown;
  for (const json& block : blocks)
    for (const json& display : block["latex"]) shown.push_back(display);
  EquationsFormat asked;
  asked.only = {"D"};
  std::size_t displays = 0;
  for (const LatexBlock& block : equation_blocks(equations_, asked))
    for (const std::string& display : block.displays) {
      ++displays;
      EXPECT_TRUE(std::ranges::any_of(shown, [&](const std::string& one) { return display.find(one) != display.npos; }))
          << display;
    }
  EXPECT_GE(displays, 3u);  // names, D, d
}

TEST_F(ReportDocument, CanBeRunAgain) {
  const Scene scene = scene_of(equations_, dynamics_, start_);
  ReportContent content;
  content.scene = &scene;
  const json live = document(content)["live"];
  ASSERT_TRUE(live.is_object());
  EXPECT_EQ(live["start"]["q"][0], run_.q[0][0]);
  ASSERT_EQ(live["parameters"].size(), equations_.model->parameters.size());
  EXPECT_EQ(live["parameters"][0]["value"], equations_.model->parameters[0].value);
  ASSERT_EQ(live["columns"].size(), rows_.names.size() - 1);
  const auto source = [&](const char* series) {
    const auto at = std::ranges::find(rows_.names, series) - rows_.names.begin();
    return live["columns"][static_cast<std::size_t>(at - 1)];
  };
  EXPECT_EQ(source("v/phi"), (json{"v", 1}));
  EXPECT_EQ(source("a/x"), (json{"a", 2}));
  EXPECT_EQ(source("lambda/pin[2]"), (json{"lambda", 1}));
  EXPECT_EQ(source("residual/pin[2]"), (json{"level", 1}));
  EXPECT_EQ(source("energy/total"), (json{"energy", 2}));
  ASSERT_EQ(live["forces"].size(), scene.forces.size());
  const std::string code = live["code"];
  EXPECT_THAT(code, HasSubstr("function _scene(s, t, q, v, lambda, u, out)"));
  EXPECT_THAT(code, HasSubstr(", assemble: _assemble, prepare: _prepare, "));
  EXPECT_THAT(code, HasSubstr("scene: _scene, limits: null, power_balance: _power_balance, "));
  EXPECT_THAT(code, ::testing::EndsWith("velocity_residual: _velocity_residual, initial_values: null};\n"));
  EXPECT_EQ(document(content)["live_note"], "");
}

// What the model holds at its start, what it guesses, and the inputs that can be given.
TEST_F(ReportDocument, SaysWhatCanBeChanged) {
  const json live = document({})["live"];
  ASSERT_EQ(live["coordinates"].size(), 3u);
  const std::vector<bool> held{true, false, false};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(live["coordinates"][i]["held"], held[i]);
    EXPECT_EQ(live["velocities"][i]["held"], held[i]);
    EXPECT_EQ(live["coordinates"][i]["along"], json::array({i}));
    EXPECT_EQ(live["coordinates"][i]["follows"], false);
  }
  EXPECT_TRUE(live["coordinates"][0]["guess"].is_null());
  EXPECT_EQ(live["coordinates"][2]["guess"], 0.8);
  EXPECT_EQ(live["guess"]["q"][2], 0.8);
  EXPECT_EQ(live["velocities"][1]["name"], "phi'");
  EXPECT_EQ(live["velocities"][1]["latex"], "\\dot{\\phi}");
  ASSERT_EQ(live["inputs"].size(), 2u);
  EXPECT_EQ(live["inputs"][1]["name"], "f");
  EXPECT_EQ(live["inputs"][1]["unit"], "N");
  EXPECT_EQ(live["inputs"][1]["place"], 1);
  EXPECT_EQ(live["parameters"][3]["mass"], true);
  EXPECT_EQ(live["parameters"][1]["mass"], false);
  ReportContent content;
  content.held.hold_position = {false, true, false};
  EXPECT_EQ(document(content)["live"]["coordinates"][1]["held"], true);
  EXPECT_EQ(document(content)["live"]["coordinates"][0]["held"], false);
}

json live_of(const std::string& name) {
  const Equations equations = derive_shipped(name);
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const State start = assemble_start(equations, dynamics).state;
  IntegrateOptions options;
  options.until = 0.01;
  const Table rows = to_table(integrate(dynamics, start, options));
  return json::parse(live_json(equations, dynamics, nullptr, rows, held_values(*equations.model)).text());
}

// Steps of exported code end where contacts change. Of an open contact the gap is no residual.
TEST(ReportLive, RunsContactsAgain) {
  std::string refused;
  const auto live_of_ball = [&refused](const std::string& more) {
    const Equations equations = derive_loaded(load_model(make_source("ball.toml", R"toml(name = "ball"
coordinates = ["y"]
parameters = {m = 1, g = 10, e = 0.5}
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
)toml" + more),
                                                         {}));
    const Dynamics dynamics = compile(equations, {.machine_code = false});
    IntegrateOptions options;
    options.until = 1;
    const Table rows = to_table(integrate(dynamics, {0, {1}, {0}}, options));
    std::vector<std::string> names(rows.names.begin() + 1, rows.names.end());
    const Json live = live_json(equations, dynamics, nullptr, rows, held_values(*equations.model), &refused);
    return std::pair(json::parse(live.text()), names);
  };
  const auto [live, names] = live_of_ball("");
  ASSERT_TRUE(live.is_object());
  const auto source = [&, &live = live, &names = names](const char* series) {
    return live["columns"].at(static_cast<std::size_t>(std::ranges::find(names, series) - names.begin()));
  };
  EXPECT_EQ(source("gap/ground"), (json{"gap", 0}));
  EXPECT_EQ(source("contact/ground"), (json{"closed", 0}));
  EXPECT_EQ(source("residual/ground"), (json{"held", 0}));
  EXPECT_EQ(source("lambda/ground"), (json{"lambda", 0}));
  EXPECT_THAT(live["code"].get<std::string>(), ::testing::EndsWith("contact_states: _contact_states};\n"));
  EXPECT_THAT(live["code"].get<std::string>(),
              HasSubstr(", nc: NC, contact_levels: [0], uncounted: [0], assemble: assemble_contacts, "));
  EXPECT_EQ(live["parameters"].size(), 3u);
  ASSERT_EQ(live["limits"].size(), 1u);
  EXPECT_EQ(live["limits"][0]["rule"], "share");
  EXPECT_EQ(live["limits"][0]["words"], "the restitution of `ground` is {}, not in [0, 1]");
  // Code that cannot be made says why.
  const std::string pressed = "[[force]]\ncoordinate = \"y\"\nvalue = \"-0.1*lambda(ground)\"\n";
  EXPECT_TRUE(live_of_ball(pressed).first.is_null());
  EXPECT_THAT(refused, HasSubstr("one-sided constraints together with forces that depend on multipliers"));
  // Integrals over the run follow the coordinates, and begin at 0.
  const auto [sums, series] = live_of_ball("[outputs]\nw = \"integral(y)\"\n");
  EXPECT_THAT(sums["code"].get<std::string>(), HasSubstr(", nz: NZ, assemble: assemble_contacts, "));
  EXPECT_EQ(sums["start"]["q"], (json{1, 0}));
  EXPECT_EQ(sums["guess"]["q"], (json{0, 0}));
  EXPECT_EQ(sums["coordinates"].size(), 1u);
  // So do those of friction and events; what events are is in tables.
  const auto [rubs, columns] = live_of_ball(
      "[[friction]]\nname = \"rub\"\nnormal = \"lambda(ground)\"\nvelocity = \"y'\"\ncoefficient = 0.1\n"
      "[[event]]\nname = \"high\"\nwhen = \"y - 0.9\"\nstop = true\n");
  ASSERT_TRUE(rubs.is_object());
  const std::string code = rubs["code"];
  EXPECT_THAT(code, HasSubstr("const _event_stops = [1.0];\n"));
  EXPECT_THAT(code, HasSubstr(", nf: NF, nk: NK, assemble: assemble_contacts, prepare: _prepare, "));
  EXPECT_THAT(code, ::testing::EndsWith("step_events: _step_events};\n"));
  const auto place = std::ranges::find(columns, "friction/rub") - columns.begin();
  EXPECT_EQ(rubs["limits"].size(), 3u);
  EXPECT_EQ(rubs["columns"].at(static_cast<std::size_t>(place)), (json{"friction", 0}));
}

// Steps of a page are controlled by their error, at kinks, conditions and samples too.
TEST(ReportLive, RunsWhatSwitches) {
  EXPECT_FALSE(live_of("block-on-incline").is_null());
  EXPECT_FALSE(live_of("rod-on-corner-friction").is_null());
  EXPECT_FALSE(live_of("heavy-top").is_null());
  const Equations equations = derive_loaded(load_model(make_source("kink.toml", R"toml(name = "kink"
coordinates = ["x"]
parameters = {k = 1}
[energy]
kinetic = "x'^2/2"
potential = "k*abs(x)"
)toml"),
                                                       {}));
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const Table rows{{"time", "q/x", "v/x"}, {{0, 1}, {1, 1}, {0, 0}}, {}};
  const json live = json::parse(live_json(equations, dynamics, nullptr, rows, held_values(*equations.model)).text());
  ASSERT_TRUE(live.is_object());
  EXPECT_THAT(live["code"].get<std::string>(), HasSubstr(", assemble: null, "));
}

// Samples are an input with two derivatives if they are a spline; formulas of initial values are code; a prescribed coordinate follows.
TEST(ReportLive, GivesInputsAndFormulasOfTheStart) {
  const Equations equations = derive_loaded(load_model(make_source("driven.toml", R"toml(name = "driven"
coordinates = ["x", "y"]
parameters = {m = 1, a = 2}
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "y^2/2"
[inputs]
f = "sin(t)"
[[force]]
coordinate = "y"
value = "f"
[prescribed]
x = "a*t"
[initial]
position = {y = "a/4"}
velocity = {y = "3*a"}
)toml"),
                                                       {}));
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const Table rows{{"time", "q/x", "q/y", "v/x", "v/y"}, {{0, 1}, {0, 2}, {0.5, 0.5}, {2, 2}, {6, 6}}, {}};
  const json live = json::parse(live_json(equations, dynamics, nullptr, rows, held_values(*equations.model)).text());
  ASSERT_TRUE(live.is_object());
  EXPECT_EQ(live["inputs"][0]["stated"], "sin(t)");
  EXPECT_EQ(live["coordinates"][0]["follows"], true);
  EXPECT_EQ(live["coordinates"][0]["held"], false);
  EXPECT_EQ(live["velocities"][0]["follows"], true);
  EXPECT_EQ(live["coordinates"][1]["held"], true);
  EXPECT_EQ(live["guess"]["formulas"], json::array({json::array({"q", 1}), json::array({"v", 1})}));
  const std::string code = live["code"];
  EXPECT_THAT(code, HasSubstr("function _initial_values(s, t, out)"));
  EXPECT_THAT(code, HasSubstr("const stated_inputs = _inputs;"));
}

// A page says in words why nothing can be changed on it.
TEST(ReportLive, SaysWhyNothingCanBeChanged) {
  const Equations equations = derive_shipped("slider-crank");
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  std::string why;
  const auto none = [&](const Table& rows) {
    return live_json(equations, dynamics, nullptr, rows, {}, &why).text() == "null\n";
  };
  EXPECT_TRUE(none({{"time", "q/theta"}, {{0}, {1}}, {}}));
  EXPECT_EQ(why, "the run has no rows after its start");
  EXPECT_TRUE(none({{"time", "q/theta"}, {{0, 1}, {1, 1}}, {}}));
  EXPECT_EQ(why, "the run begins without all coordinates and velocities");
  EXPECT_TRUE(none({{"time", "q/theta"}, {{1, 0}, {1, 1}}, {}}));
  EXPECT_EQ(why, "the run does not go forwards in time");
}

// Names, descriptions and comments of a model are not in its code.
TEST(ReportLive, CodeHasNoTextOfTheModel) {
  Result<Model> model = load_model(make_source("evil.toml", R"toml(
name = "*/ alert(1) </script>"
description = "evil\n*/ evil()"
coordinates = [{name = "x", unit = "m"}]
parameters = {evil_mass = {value = "1 kg", meaning = "evil\n evil()"}, evil_k = "4 N/m"}
[energy]
kinetic = "evil_mass/2*x'^2"
potential = "evil_k/2*x^2"
[outputs]
evil_force = "-evil_k*x"
[initial]
position = {x = 1}
)toml"),
                                   {});
  const Equations equations = derive_loaded(std::move(model));
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const Table rows{{"time", "q/x", "v/x"}, {{0, 1}, {1, 1}, {0, 0}}, {}};
  const json live = json::parse(live_json(equations, dynamics, nullptr, rows, held_values(*equations.model)).text());
  const std::string code = live["code"];
  for (const char* text : {"evil", "alert", "//", "/*", "*/", "script"}) EXPECT_THAT(code, Not(HasSubstr(text)));
  EXPECT_EQ(live["columns"], json::array({json::array({"q", 0}), json::array({"v", 0})}));
  // Without a second row, or a whole state, there is nothing to run.
  EXPECT_EQ(live_json(equations, dynamics, nullptr, {{"time", "q/x", "v/x"}, {{0}, {1}, {0}}, {}}, {}).text(),
            "null\n");
  EXPECT_EQ(live_json(equations, dynamics, nullptr, {{"time", "q/x"}, {{0, 1}, {1, 1}}, {}}, {}).text(), "null\n");
}

}  // namespace
}  // namespace dalembert
