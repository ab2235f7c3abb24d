// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/temporary_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

namespace dalembert {
namespace {

std::string make_file(const std::string& name) {
  std::string path = (std::filesystem::temp_directory_path() / ("dalembert-temporary-" + name)).string();
  std::ofstream(path) << "x";
  return path;
}

// What the header promises: those that live are removed, those that were complete are not.
TEST(TemporaryFile, OnlyLivingOnesAreRemoved) {
  const std::string finished = make_file("finished"), unfinished = make_file("unfinished");
  { const TemporaryFile done(finished); }
  const TemporaryFile writing(unfinished);
  remove_temporary_files();
  EXPECT_TRUE(std::filesystem::exists(finished));
  EXPECT_FALSE(std::filesystem::exists(unfinished));
  std::filesystem::remove(finished);
}

// More at once than there is room for: the others are not remembered, and nothing else happens.
TEST(TemporaryFile, TooManyOrTooLongAreForgotten) {
  std::vector<std::unique_ptr<TemporaryFile>> many;
  for (int i = 0; i < 40; ++i) many.push_back(std::make_unique<TemporaryFile>("/nowhere/" + std::to_string(i)));
  const TemporaryFile long_one(std::string(5000, 'x'));
  remove_temporary_files();
  many.clear();
  const std::string path = make_file("after");
  const TemporaryFile again(path);
  remove_temporary_files();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace dalembert
