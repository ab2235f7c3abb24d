// SPDX-License-Identifier: Apache-2.0
// dalembert explain: the full explanation of an error or warning.
#include <fmt/format.h>

#include <cctype>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/help.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/model_source.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/modelfile/json_schema.h"

namespace dalembert::app {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int list_codes(const Arguments& arguments, Terminal& terminal) {
  Json document = {{"codes", Json::array()}};
  for (const std::string& code : diagnostic_codes()) {
    document["codes"].push_back({{"code", code}, {"text", explain(code)}});
    if (!arguments.json()) terminal.out(fmt::format("{}  {}\n", code, first_line(explain(code))));
  }
  if (arguments.json()) terminal.out(document_text(document));
  return kExitOk;
}

}  // namespace

int run_explain(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--all")) return list_codes(arguments, terminal);
  if (arguments.operands.empty())
    fail(kExitUsage, "E0408", "`dalembert explain` needs CODE",
         {"usage: dalembert explain CODE", "dalembert explain --all lists the codes"});
  if (arguments.operands[0] == "format") {
    const std::string text = read_text(page("model-format.md"));
    terminal.out(arguments.json() ? document_text({{"code", "format"}, {"text", text}}) : text);
    return kExitOk;
  }
  if (arguments.operands[0] == "schema" || arguments.operands[0] == "man") {
    terminal.out(arguments.operands[0] == "man" ? man_page() : model_json_schema());
    return kExitOk;
  }
  std::string code = arguments.operands[0];
  for (char& c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = explain(code);
  if (text.empty()) {
    std::vector<std::string> help;
    if (const auto near = nearest(code, diagnostic_codes())) help.push_back(fmt::format("did you mean `{}`?", *near));
    help.push_back("dalembert explain --all lists the codes");
    fail(kExitUsage, "E0409", fmt::format("there is no error or warning `{}`", arguments.operands[0]), help);
  }
  if (arguments.json()) text = document_text({{"code", code}, {"text", text}});
  if (text.back() != '\n') text += '\n';
  terminal.out(text);
  return kExitOk;
}

}  // namespace dalembert::app
