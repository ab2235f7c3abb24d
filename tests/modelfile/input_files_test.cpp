// SPDX-License-Identifier: Apache-2.0
// Which files a model may read.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

// A pipe that nobody writes to never begins: opening it would wait for ever.
TEST(InputFiles, DoNotComeFromPipes) {
  const std::string pipe = (std::filesystem::temp_directory_path() / "dalembert-load-test-pipe").string();
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Result<Model> model = load_model(
      make_source("m.toml", "coordinates = [\"x\"]\n[inputs]\nu = {file = \"" + pipe + "\", column = \"u\"}\n"));
  std::filesystem::remove(pipe);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.diagnostics().front().code, "E0502");
}

// What a model that someone else wrote may read: its folder and what is below it, wherever links lead; any file where that is allowed.
TEST(InputFiles, LieBelowTheModel) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "dalembert-load-test-below";
  fs::remove_all(folder);
  fs::create_directories(folder / "model" / "inner");
  for (const char* name : {"model/a.csv", "model/inner/a.csv", "secret.csv"})
    std::ofstream(folder / name) << "time,u\n0,1\n1,2\n";
  fs::create_symlink("../secret.csv", folder / "model" / "link.csv");
  fs::create_symlink("inner", folder / "model" / "door");
  const auto read = [&](const std::string& name, bool allow) {
    LoadOptions options;
    options.directory = (folder / "model").string();
    options.allow_files = allow;
    return load_model(
        make_source("m.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[inputs]\nu = {file = \"" + name +
                                  "\", column = \"u\"}\n[[force]]\ncoordinate = \"x\"\nvalue = \"u\"\n"),
        options);
  };
  const std::string absolute = (folder / "model" / "a.csv").string();
  for (const std::string& inside : {std::string("a.csv"), std::string("inner/a.csv"), std::string("door/../a.csv"),
                                    std::string("inner/../a.csv"), std::string("door/a.csv"), absolute})
    EXPECT_TRUE(read(inside, false)) << inside;
  for (const std::string& outside :
       {std::string("../secret.csv"), std::string("link.csv"), std::string("inner/../../secret.csv"),
        (folder / "secret.csv").string(), std::string("/etc/passwd")}) {
    const Result<Model> refused = read(outside, false);
    ASSERT_FALSE(refused) << outside;
    EXPECT_EQ(refused.diagnostics().front().code, "E0509") << outside;
    EXPECT_EQ(static_cast<bool>(read(outside, true)), outside != "/etc/passwd") << outside;
  }
  // What is no CSV file is not shown, not even where any file may be read.
  const std::string said = render(read("/etc/passwd", true).diagnostics());
  EXPECT_NE(said.find("E0503"), std::string::npos);
  EXPECT_EQ(said.find("root"), std::string::npos) << said;
  fs::remove_all(folder);
}

// A file counts once towards the 512 MB, however many of its columns are inputs: here 400 columns of 1.6 MB.
TEST(InputFiles, CountOnceForAllTheirColumns) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "dalembert-load-test-columns";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const int columns = 400, rows = 500;
  std::ofstream table(folder / "u.csv");
  table << "time";
  for (int i = 0; i < columns; ++i) table << ",c" << i;
  for (int row = 0; row < rows; ++row) {
    table << '\n' << row;
    for (int i = 0; i < columns; ++i) table << ',' << 1000 * i + row << ".25";
  }
  table.close();
  ASSERT_GT(static_cast<double>(fs::file_size(folder / "u.csv")) * columns, 512.0 * 1024 * 1024);
  std::string text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[inputs]\n", force;
  for (int i = 0; i < columns; ++i) {
    text += "u" + std::to_string(i) + " = {file = \"u.csv\", column = \"c" + std::to_string(i) + "\"}\n";
    force += (i > 0 ? " + u" : "u") + std::to_string(i);
  }
  text += "[[force]]\ncoordinate = \"x\"\nvalue = \"" + force + "\"\n";
  LoadOptions options;
  options.directory = folder.string();
  const Result<Model> model = load_model(make_source("m.toml", text), options);
  fs::remove_all(folder);
  ASSERT_TRUE(model) << render(model.diagnostics());
  ASSERT_EQ(model->inputs.size(), static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    const Input& input = model->inputs[static_cast<std::size_t>(i)];
    ASSERT_EQ(input.time.size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(input.time[7], 7);
    EXPECT_EQ(input.sample[7], 1000 * i + 7.25);
  }
}

// What is wrong with one column is said of that one, with its place, and the others are read.
TEST(InputFiles, SayWhatIsWrongWithOneOfManyColumns) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "dalembert-load-test-wrong";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "u.csv") << "a,time,b,c\n1,0,2,3\n4,1,oops,5\n\n6,2,7\n";
  const auto codes = [&](const std::vector<std::string>& asked) {
    std::string text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[inputs]\n", force;
    for (const std::string& column : asked) {
      text += "u" + std::to_string(force.size()) + " = {file = \"u.csv\", column = \"" + column + "\"}\n";
      force += (force.empty() ? "u" : "+u") + std::to_string(force.size());
    }
    LoadOptions options;
    options.directory = folder.string();
    const Result<Model> model = load_model(make_source("m.toml", text), options);
    std::string found;
    if (model) return found;
    for (const Diagnostic& problem : model.diagnostics()) {
      const Span& place = problem.primary.span;
      found += problem.code + "@" + std::to_string(place.source->position(place.begin).line) + " ";
    }
    return found;
  };
  EXPECT_EQ(codes({"a", "a", "a"}), "");
  EXPECT_EQ(codes({"b"}), "E0505@3 ");
  EXPECT_EQ(codes({"a", "a", "b"}), "E0505@3 ");
  EXPECT_EQ(codes({"c"}), "E0505@5 ");
  EXPECT_EQ(codes({"a", "b", "c", "a"}), "E0505@3 E0505@5 ");
  EXPECT_EQ(codes({"a", "a", "d"}), "E0503@7 ");
  fs::remove_all(folder);
}

// Units in headers are those of the model, by column with its unit or without; those that do not fit are refused where they stand, whether the
// file is read for one column or for many.
TEST(InputFiles, AreInTheUnitsOfTheirHeaders) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "dalembert-load-test-units";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "u.csv") << "t [ms],f [kN],g [lbfoo],h [mm],s [N]\n0,1,2,3,4\n250,5,6,7,8\n";
  const auto load = [&](const std::vector<std::string>& asked, const std::string& prescribed = {}) {
    std::string
        text =
            "coordinates = [{name = \"x\", unit = \"m\"}, {name = \"y\", unit = \"m\"}]\n[parameters]\nm = \"1 kg\"\n"
            "[energy]\nkinetic = \"m*(x'^2+y'^2)/2\"\n[inputs]\n",
        force;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      text += "u" + std::to_string(i) + " = {file = \"u.csv\", column = \"" + asked[i] + "\"}\n";
      force += (i == 0 ? "u" : "+u") + std::to_string(i);
    }
    if (!prescribed.empty()) text += "[prescribed]\ny = {file = \"u.csv\", column = \"" + prescribed + "\"}\n";
    if (!force.empty()) text += "[[force]]\ncoordinate = \"x\"\nvalue = \"" + force + "\"\n";
    LoadOptions options;
    options.directory = folder.string();
    return load_model(make_source("m.toml", text), options);
  };
  const auto refused = [&](const Result<Model>& model) -> std::string {
    if (model) return "nothing";
    const Span& place = model.diagnostics().front().primary.span;
    const auto at = place.source->position(place.begin);
    return model.diagnostics().front().code + "@" + place.source->name().substr(place.source->name().rfind('/') + 1) +
           ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  };
  const Result<Model> good = load({"f [kN]", "s", "f"});
  ASSERT_TRUE(good) << render(good.diagnostics());
  for (const Input& input : good->inputs) EXPECT_EQ(input.time, (std::vector<double>{0, 250 * 1e-3})) << input.name;
  EXPECT_EQ(good->inputs[0].sample, (std::vector<double>{1000, 5000}));
  EXPECT_EQ(good->inputs[1].sample, (std::vector<double>{4, 8}));
  EXPECT_EQ(good->inputs[2].sample, (std::vector<double>{1000, 5000}));
  const Result<Model> driven = load({}, "h");
  ASSERT_TRUE(driven) << render(driven.diagnostics());
  EXPECT_EQ(driven->inputs[0].sample, (std::vector<double>{3e-3, 7e-3}));
  EXPECT_EQ(refused(load({"h"})), "E0203@u.csv:1:25");
  EXPECT_EQ(refused(load({"f", "s", "h"})), "E0203@u.csv:1:25");
  EXPECT_EQ(refused(load({}, "s")), "E0203@u.csv:1:32");
  EXPECT_EQ(refused(load({"f", "s", "g"})).substr(5), "@u.csv:1:15");
  // What is wrong with a file is said wherever it is read.
  const auto both = [&](const std::string& text) {
    std::ofstream(folder / "u.csv") << text;
    const std::string once = refused(load({"f"}));
    EXPECT_EQ(refused(load({"f", "f"})), once);
    return once;
  };
  EXPECT_EQ(both("t,f,h\n0,1,2\n1,2,3,4\n"), "E0505@u.csv:3:7");
  EXPECT_EQ(both("t,f,f\n0,1,2\n"), "E0503@u.csv:1:5");
  EXPECT_EQ(both("t,f [N],f [kN]\n0,1,2\n"), "E0503@u.csv:1:9");
  EXPECT_EQ(both("time,time,f\n0,1,2\n"), "E0503@u.csv:1:6");
  EXPECT_EQ(both("t [kg],f\n0,1\n"), "E0203@u.csv:1:1");
  EXPECT_EQ(both("t,f [kN]\n0,1e308\n"), "E0505@u.csv:2:3");
  // A comma at the end of a line is no cell, a name that is written so is meant, and a unit may be none.
  EXPECT_EQ(both("t,f\n0,1,\n1,2,\n"), "nothing");
  EXPECT_EQ(both("time,time [ms],f,f [kN]\n0,0,1,2\n"), "nothing");
  EXPECT_EQ(both("t,n [-],f\n0,1,2\n"), "nothing");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace dalembert
