// SPDX-License-Identifier: Apache-2.0
// The schema is the one source of truth: the reference page must speak of every section and key.
#include "dalembert/modelfile/schema.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "dalembert/modelfile/json_schema.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert::modelfile {
namespace {

std::string reference_page() {
  std::ifstream file(source_tree() + "/docs/model-format.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Schema, IsDocumented) {
  const std::string page = reference_page();
  ASSERT_FALSE(page.empty());
  const auto mentions = [&](std::string_view word) {
    return page.find("`" + std::string(word)) != std::string::npos ||
           page.find("{" + std::string(word)) != std::string::npos ||
           page.find(", " + std::string(word)) != std::string::npos ||
           page.find("[" + std::string(word) + "]") != std::string::npos;
  };
  for (const Section& section : schema()) {
    EXPECT_TRUE(mentions(section.name)) << section.name;
    for (const Key& key : section.keys) {
      if (key.name.empty()) continue;
      EXPECT_TRUE(mentions(key.name)) << section.name << "." << key.name;
      for (const Key& part : key.parts) EXPECT_TRUE(mentions(part.name)) << key.name << "." << part.name;
    }
  }
  for (const auto keys : {coordinate_keys(), input_keys()})
    for (const Key& key : keys) EXPECT_TRUE(mentions(key.name)) << key.name;
}

TEST(Schema, TheFileForEditorsIsUpToDate) {
  std::ifstream file(source_tree() + "/docs/model.schema.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, model_json_schema()) << "dalembert explain schema > docs/model.schema.json";
}

TEST(Schema, ThePagesExampleLoads) {
  const std::string page = reference_page();
  const std::size_t begin = page.find("```toml\n") + 8;
  const auto model =
      load_model(make_source("docs/model-format.md", page.substr(begin, page.find("```", begin) - begin)));
  EXPECT_TRUE(model.ok()) << render(model.diagnostics());
  EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
}

TEST(Explain, CodesAreInOrderAndHaveTexts) {
  const auto codes = diagnostic_codes();
  EXPECT_TRUE(std::is_sorted(codes.begin(), codes.end()));
  for (const std::string& code : codes) EXPECT_GT(explain(code).size(), 20u) << code;
  EXPECT_TRUE(explain("E9999").empty());
}

}  // namespace
}  // namespace dalembert::modelfile
