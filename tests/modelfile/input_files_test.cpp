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

}  // namespace
}  // namespace dalembert
