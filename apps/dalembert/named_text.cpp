// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/named_text.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/dalembert/failure.h"

namespace dalembert::app {

StudyStatement::Named read_named(const std::string& option, const std::string& text, char sign, const char* example) {
  const std::size_t at = text.find(sign);
  if (at == std::string::npos || at == 0)
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`: it needs a name and `{}`", option, text, sign),
         {fmt::format("write {} \"{}\"", option, example)});
  const SourcePtr source = make_source(option, text);
  std::size_t end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  return {text.substr(0, end),
          MappedText::verbatim(source, static_cast<std::uint32_t>(at + 1), static_cast<std::uint32_t>(text.size())),
          Span{source, 0, static_cast<std::uint32_t>(end)}};
}

std::vector<std::string> texts_of(const std::vector<StudyStatement::Named>& named) {
  std::vector<std::string> texts;
  for (const StudyStatement::Named& one : named) texts.push_back(one.text.text);
  return texts;
}

std::optional<std::int64_t> read_seed(const Arguments& arguments) {
  const std::optional<double> seed = arguments.quantity("--seed", Dimension::none(), -1);
  if (!seed) return std::nullopt;
  if (*seed != std::floor(*seed) || *seed > 9e15)
    fail(kExitUsage, "E0403", fmt::format("`--seed` does not take `{}`", *arguments.value("--seed")),
         {"it takes a whole number from 0 on"});
  return static_cast<std::int64_t>(*seed);
}

}  // namespace dalembert::app
