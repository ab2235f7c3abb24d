// SPDX-License-Identifier: Apache-2.0
// Scenes: what is drawn of shipped models, where it is, and that no text of a model becomes markup.
#include "dalembert/scene/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/scene/picture.h"
#include "dalembert/scene/structure.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Drawn {
  Equations equations;
  Dynamics dynamics;
  State start;
  Scene scene;
  int count(ShapeKind kind) const {
    return static_cast<int>(std::ranges::count(scene.shapes, kind, &SceneShape::kind));
  }
  int track(const std::string& name) const {
    for (std::size_t i = 0; i < scene.tracks.size(); ++i)
      if (scene.tracks[i].name == name) return static_cast<int>(i);
    ADD_FAILURE() << "no track " << name;
    return 0;
  }
  ScenePoint at(const std::string& name, const State& state) const {
    return SceneEvaluator(scene, dynamics).at(state).at[static_cast<std::size_t>(track(name))];
  }
};

Drawn draw(std::shared_ptr<const Model> model) {
  Equations equations = derive(std::move(model)).value();
  Dynamics dynamics = compile(equations, {.machine_code = false});
  const Assembly assembly = assemble_start(equations, dynamics);
  EXPECT_TRUE(assembly.ok());
  Scene scene = scene_of(equations, dynamics, assembly.state);
  return {std::move(equations), std::move(dynamics), assembly.state, std::move(scene)};
}
Drawn draw_shipped(const std::string& name) {
  return draw(std::make_shared<const Model>(load_model_file(source_tree() + "/models/" + name + ".toml").value()));
}
Drawn draw_text(const std::string& text) {
  return draw(std::make_shared<const Model>(load_model(make_source("m.toml", text)).value()));
}

// Every tag is closed by its own kind, attributes are quoted, and no text holds a bare `<` or `&`.
::testing::AssertionResult is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 6) return ::testing::AssertionFailure() << "& at " << i;
    }
    if (xml[i] != '<') continue;
    std::size_t end = i + 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return ::testing::AssertionFailure() << "< at " << end;
    }
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return ::testing::AssertionFailure() << "</" << name << "> at " << i;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << open.back() << " is open";
}

// What a textbook draws of these mechanisms, counted by hand.
TEST(Scene, DrawsTheMechanismsThatModelsState) {
  const Drawn crank = draw_shipped("slider-crank");
  EXPECT_EQ(crank.count(ShapeKind::kBar), 2);
  EXPECT_EQ(crank.count(ShapeKind::kSupport), 1);
  EXPECT_EQ(crank.count(ShapeKind::kPin), 2);  // crank pin, and that of the slider
  EXPECT_EQ(crank.count(ShapeKind::kBlock), 1);
  EXPECT_EQ(crank.count(ShapeKind::kRail), 1);
  EXPECT_EQ(crank.count(ShapeKind::kCenter), 2);

  const Drawn four = draw_shipped("four-bar");
  EXPECT_EQ(four.count(ShapeKind::kBar), 3);
  EXPECT_EQ(four.count(ShapeKind::kSupport), 2);
  EXPECT_EQ(four.count(ShapeKind::kPin), 2);

  const Drawn andrews = draw_shipped("andrews-squeezer");
  EXPECT_EQ(andrews.count(ShapeKind::kBar) + andrews.count(ShapeKind::kPlate), 7);
  EXPECT_EQ(andrews.count(ShapeKind::kSpring), 1);
  EXPECT_EQ(andrews.count(ShapeKind::kSupport), 3);

  EXPECT_EQ(draw_shipped("mass-spring").count(ShapeKind::kSpring), 1);
  EXPECT_EQ(draw_shipped("trailer").count(ShapeKind::kBlade), 5);
  EXPECT_EQ(draw_shipped("rolling-disk").count(ShapeKind::kDisk), 1);
  EXPECT_EQ(draw_shipped("ball-in-cylinder").count(ShapeKind::kEllipsoid), 1);
  EXPECT_EQ(draw_shipped("whipple-bicycle").count(ShapeKind::kDisk), 2);
  // A joint about whose axis a body turns: distances alone would not tell its two bars from one.
  EXPECT_EQ(draw_shipped("furuta-pendulum").count(ShapeKind::kBar), 2);
}

// A formula that is the sideways velocity of a point is a blade, and its multiplier a force there. At rest along x the
// blade's direction is y.
TEST(Scene, FindsBladesInFormulas) {
  Drawn sleigh = draw_shipped("chaplygin-sleigh");
  ASSERT_EQ(sleigh.count(ShapeKind::kBlade), 1);
  ASSERT_EQ(sleigh.scene.forces.size(), 1U);
  const SceneInstant now = SceneEvaluator(sleigh.scene, sleigh.dynamics).at(sleigh.start, std::vector{2.5});
  EXPECT_NEAR(now.force[0][0], 0, 1e-14);
  EXPECT_NEAR(now.force[0][1], 2.5, 1e-14);
  EXPECT_EQ(draw_shipped("chaplygin-sleigh-contact").scene.forces.size(), 0U);  // λ is the force times cos θ there
}

// Closed forms of the positions: a few roundings of numbers of size 1.
TEST(Scene, TracksAreWhereFormulasSay) {
  const Drawn crank = draw_shipped("slider-crank");
  const Drawn pendulum = draw_shipped("polar-pendulum");
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int k = 0; k < 20; ++k) {
    State state = crank.start;
    for (double& q : state.q) q = uniform(random);
    const ScenePoint A = crank.at("A", state), P = crank.at("P", state);
    EXPECT_NEAR(A[0], 0.3 * std::cos(state.q[0]), 1e-15);
    EXPECT_NEAR(A[1], 0.3 * std::sin(state.q[0]), 1e-15);
    EXPECT_EQ(P, (ScenePoint{state.q[2], 0, 0}));
    state.q = {std::abs(uniform(random)), uniform(random)};
    const ScenePoint bob = pendulum.at("bob", state);
    EXPECT_NEAR(bob[0], state.q[0] * std::sin(state.q[1]), 2e-15);
    EXPECT_NEAR(bob[1], -state.q[0] * std::cos(state.q[1]), 2e-15);
  }
}

// Below the pivot at speed v the rod pulls with m (g + v²/L), on the pivot downwards.
TEST(Scene, ReactionsAreMultipliersTimesDirections) {
  const Drawn pendulum = draw_shipped("cartesian-pendulum");
  const State below{0, {0, -1}, {2, 0}};
  const KktSolution now = solve_kkt(pendulum.dynamics, below);
  const SceneInstant instant = SceneEvaluator(pendulum.scene, pendulum.dynamics).at(below, now.lambda);
  ASSERT_EQ(instant.force.size(), 1U);
  EXPECT_EQ(pendulum.scene.tracks[static_cast<std::size_t>(pendulum.scene.forces[0].track)].name, "O");
  EXPECT_EQ(pendulum.scene.forces[0].unit, "N");
  EXPECT_NEAR(instant.force[0][0], 0, 1e-13);
  EXPECT_NEAR(instant.force[0][1], -(9.81 + 4), 1e-13);
}

// Two rods of a double pendulum, placed by hand in three configurations: O and A, A and B keep their distances; two tracks
// at one place are one node.
TEST(Scene, StructureFollowsFromDistances) {
  SampledTracks samples;
  for (const auto& [a, b] : {std::pair(0.1, 0.7), std::pair(-1.0, 0.4), std::pair(2.0, -2.5)}) {
    const ScenePoint A{std::sin(a), -std::cos(a), 0}, B{A[0] + 2 * std::sin(b), A[1] - 2 * std::cos(b), 0};
    samples.push_back({{0, 0, 0}, A, B, A});
  }
  const SceneStructure found = find_structure(samples, 3);
  ASSERT_EQ(found.nodes.size(), 3U);
  EXPECT_TRUE(found.nodes[0].fixed);
  EXPECT_EQ(found.node_of, (std::vector<int>{0, 1, 2, 1}));
  EXPECT_EQ(found.bodies, (std::vector<std::vector<int>>{{0, 1}, {1, 2}}));
}

TEST(Scene, SaysWhatItCannotDraw) {
  const Drawn nothing = draw_text("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n");
  EXPECT_TRUE(nothing.scene.empty());
  ASSERT_FALSE(nothing.scene.doubts.empty());
  EXPECT_EQ(nothing.scene.doubts[0].code, "E0520");
}

// [draw] replaces the bars that are found; names and texts stay text.
TEST(Scene, DrawSectionAndHostileNames) {
  std::string text =
      "name = \"</title><script>alert('x')</script>\\u202e& \\\"\"\ndescription = \"]]><svg onload=1>\"\n"
      "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\n";
  for (const char* point : {"P", "Q", "R"})
    text += std::string("[[point]]\nname = \"") + point + "\"\nat = [\"x" + (*point == 'Q' ? " + 1" : "") + "\", \"y" +
            (*point == 'R' ? " + 1" : "") + "\"]\n";
  const Drawn found = draw_text(text);
  EXPECT_EQ(found.count(ShapeKind::kPlate), 1);
  const Drawn drawn = draw_text(
      text +
      "[draw]\nlines = [[\"P\", \"Q\"]]\ncircles = [{at = \"R\", radius = 0.25}]\ntrace = [\"R\"]\nlabels = [\"Q\"]\n");
  EXPECT_EQ(drawn.count(ShapeKind::kPlate), 0);
  EXPECT_EQ(drawn.count(ShapeKind::kBar), 1);
  EXPECT_EQ(drawn.count(ShapeKind::kCircle), 1);
  EXPECT_EQ(drawn.scene.traces.size(), 1U);
  EXPECT_EQ(std::ranges::count_if(drawn.scene.tracks, &SceneTrack::label), 1);
  const std::vector<SceneInstant> two(2, SceneEvaluator(drawn.scene, drawn.dynamics).at(drawn.start));
  for (const std::string& svg : {scene_svg(drawn.scene, two[0]), animated_svg(drawn.scene, two, 1)}) {
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  }
}

// As many values as there are instants, for what moves; what does not move has none. Nothing leaves the picture.
TEST(Scene, FilmsPlayEveryInstant) {
  const Drawn pendulum = draw_shipped("polar-pendulum");
  SceneEvaluator evaluator(pendulum.scene, pendulum.dynamics);
  std::vector<SceneInstant> instants;
  for (int k = 0; k < 5; ++k) instants.push_back(evaluator.at({0.1 * k, {0.8, 0.5 - 0.2 * k}, {0, 0}}));
  const std::string svg = animated_svg(pendulum.scene, instants, 2);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("prefers-reduced-motion"));
  EXPECT_THAT(svg, HasSubstr("repeatCount=\"indefinite\""));
  const std::size_t values = svg.find("values=\"");
  ASSERT_NE(values, std::string::npos);
  const std::string list = svg.substr(values + 8, svg.find('"', values + 8) - values - 8);
  EXPECT_EQ(std::ranges::count(list, ';'), 4);
  const PictureView view = view_of(pendulum.scene, instants, {});
  for (const SceneInstant& instant : instants)
    for (const ScenePoint& p : instant.at) {
      EXPECT_GT(view.left + view.scale * p[0], 0);
      EXPECT_LT(view.left + view.scale * p[0], view.width);
      EXPECT_GT(view.top - view.scale * p[1], 0);
      EXPECT_LT(view.top - view.scale * p[1], view.height);
    }
}

// Elements of pictures of one scene correspond, whatever the camera sees in front.
TEST(Scene, SpatialPicturesKeepTheirElements) {
  const Drawn disk = draw_shipped("rolling-disk");
  SceneEvaluator evaluator(disk.scene, disk.dynamics);
  State turned = disk.start;
  turned.q[2] = 2.5;
  const std::vector<SceneInstant> two{evaluator.at(disk.start), evaluator.at(turned)};
  const PictureView view = view_of(disk.scene, two, {});
  const auto a = paint(disk.scene, two[0], view, {}), b = paint(disk.scene, two[1], view, {});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(std::ranges::count(a[i].path, 'C'), std::ranges::count(b[i].path, 'C'));
    EXPECT_EQ(std::ranges::count(a[i].path, 'L'), std::ranges::count(b[i].path, 'L'));
  }
}

}  // namespace
}  // namespace dalembert
