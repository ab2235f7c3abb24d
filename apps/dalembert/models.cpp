// SPDX-License-Identifier: Apache-2.0
// dalembert models: the reference models that come with the program.
#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/model_source.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/modelfile/load.h"

namespace dalembert::app {
namespace {

// The first sentence of a description, on one line. A full stop ends a sentence if a letter or bracket is before it
// (unlike `..`).
std::string first_sentence(const std::string& description) {
  std::string text;
  for (const char c : description) {
    const char plain = c == '\n' ? ' ' : c;
    if (plain == ' ' && (text.empty() || text.back() == ' ')) continue;
    text += plain;
  }
  for (std::size_t stop = text.find(". "); stop != std::string::npos; stop = text.find(". ", stop + 1)) {
    if (stop == 0 || text[stop - 1] == '.' || text[stop - 1] == ' ') continue;
    text.erase(stop);
    break;
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

std::string description_of(const ShippedModel& shipped) {
  const Result<Model> model = load_model_file(shipped.path);
  return model ? first_sentence(model->description) : "(cannot be read: dalembert check " + shipped.name + ")";
}

int list_models(const Arguments& arguments, Terminal& terminal) {
  const std::vector<ShippedModel> models = shipped_models();
  Json document = {{"models", Json::array()}};
  std::size_t width = 0;
  for (const ShippedModel& model : models) width = std::max(width, model.name.size());
  for (const ShippedModel& model : models) {
    if (terminal.quiet() && !arguments.json()) {
      terminal.out(model.name + "\n");
      continue;
    }
    const std::string description = description_of(model);
    if (arguments.json())
      document["models"].push_back({{"name", model.name}, {"path", model.path}, {"description", description}});
    else
      terminal.out(fmt::format("{:<{}}  {}\n", model.name, width, wrapped(description, 92, width + 2)));
  }
  if (arguments.json())
    terminal.out(document_text(document));
  else if (!terminal.quiet())
    terminal.out("\nnext: dalembert models show NAME    dalembert derive NAME    dalembert simulate NAME\n");
  return kExitOk;
}

int show_model(const std::string& name, const Arguments& arguments, Terminal& terminal) {
  const auto shipped = find_shipped(name);
  if (!shipped) fail(kExitUsage, unknown_model(name));
  const std::string text = read_text(shipped->path);
  if (arguments.json())
    terminal.out(document_text({{"name", shipped->name}, {"path", shipped->path}, {"text", text}}));
  else
    terminal.out(text);
  return kExitOk;
}

}  // namespace

int run_models(const Arguments& arguments, Terminal& terminal) {
  if (arguments.operands.empty()) return list_models(arguments, terminal);
  if (arguments.operands[0] != "show" || arguments.operands.size() != 2)
    fail(kExitUsage, "E0408",
         arguments.operands[0] == "show" ? std::string("`dalembert models show` needs NAME")
                                         : fmt::format("unexpected argument `{}`", arguments.operands[0]),
         {"usage: dalembert models [show NAME]"});
  return show_model(arguments.operands[1], arguments, terminal);
}

}  // namespace dalembert::app
