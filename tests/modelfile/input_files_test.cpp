// SPDX-License-Identifier: Apache-2.0
// Which files a model may read.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

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

}  // namespace
}  // namespace dalembert
