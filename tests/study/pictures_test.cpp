// SPDX-License-Identifier: Apache-2.0
// Pictures and charts in one call, for those who keep neither scene nor chart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/figure/chart.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/run_files.h"
#include "dalembert/study/charts.h"
#include "dalembert/study/pictures.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

SystemAt at_start(const std::string& body) {
  const std::string text = R"(
name = "pendulum"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
L = "0.5 m"
g = "9.81 m/s^2"
[initial]
position = {theta = 0.3}
)" + body;
  Result<Model> model = load_model(make_source("<test>", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  auto shared = std::make_shared<const Model>(std::move(model).value());
  return system_at(build_model(std::move(shared), {}, {.machine_code = false}).value()).value();
}

// Truth: the same in two steps; a model of energies alone has nothing to be drawn.
TEST(PictureOf, IsSceneAndPictureAtOnce) {
  const SystemAt drawn =
      at_start("[[body]]\nname = \"bob\"\nmass = \"m\"\nposition = [\"L*sin(theta)\", \"-L*cos(theta)\"]\n");
  const Result<std::string> picture = picture_of(drawn.system, drawn.state);
  ASSERT_TRUE(picture) << render(picture.diagnostics());
  const Result<Scene> scene = drawable_scene(drawn.system, drawn.state);
  ASSERT_TRUE(scene);
  EXPECT_EQ(*picture, picture_at(drawn.system, *scene, drawn.state));
  EXPECT_THAT(*picture, testing::HasSubstr("<svg"));

  const SystemAt bare = at_start("[energy]\nkinetic = \"m/2*L^2*theta'^2\"\npotential = \"-m*g*L*cos(theta)\"\n");
  const Result<std::string> nothing = picture_of(bare.system, bare.state);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.diagnostics().front().code, "E0520");
}

// Truth: the same in two steps.
TEST(ChartSvg, IsChartAndDrawingAtOnce) {
  const SystemAt at = at_start("[energy]\nkinetic = \"m/2*L^2*theta'^2\"\npotential = \"-m*g*L*cos(theta)\"\n");
  const Trajectory run = integrate(at.system.dynamics, at.state, {.until = 1, .output_step = 0.1});
  const ChartRequest request{.y = {"theta"}};
  const Result<ChartSelection> selection = select_series({{"run", to_table(run)}}, request);
  ASSERT_TRUE(selection) << render(selection.diagnostics());
  EXPECT_EQ(chart_svg(*selection, request), draw_chart(make_chart(*selection, request, false)).svg);
}

}  // namespace
}  // namespace dalembert
