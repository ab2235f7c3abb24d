// SPDX-License-Identifier: Apache-2.0
// What was stated in Python, checked as the model file that says the same. What is wrong is shown in the script.
#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/python/core.h"
#include "dalembert/model/same_statements.h"

namespace dalembert::python {
namespace {

// A longer part of a statement is not repeated in a label.
constexpr std::size_t kLongestPart = 60;

// The first line of each statement in the text, ascending, and its place in the script.
using Places = std::vector<std::pair<int, Span>>;

class ToScript {
 public:
  ToScript(SourcePtr text, const Places& places) : text_(std::move(text)), places_(places) {}

  void replace(Diagnostics& all) const {
    for (Diagnostic& one : all) {
      replace(one.primary);
      for (Label& label : one.secondary) replace(label);
    }
  }

 private:
  void replace(Label& label) const {
    if (label.span.source != text_) return;
    const int line = text_->position(label.span.begin).line;
    // The part of the statement that the label is about.
    const std::string part = text_->text().substr(label.span.begin, label.span.end - label.span.begin);
    if (part.find('\n') == std::string::npos && part.size() <= kLongestPart)
      label.text = "`" + part + "`" + (label.text.empty() ? "" : ": " + label.text);
    const auto after = std::ranges::upper_bound(places_, line, {}, &Places::value_type::first);
    label.span = after == places_.begin() ? Span{} : std::prev(after)->second;
  }

  SourcePtr text_;
  const Places& places_;
};

// Checks the model as `text`, gives it the units that are deduced, and returns the warnings.
Diagnostics check_as_file(PyModel& m, const std::string& text, const std::string& directory, const Places& places) {
  LoadOptions options;
  options.directory = directory;
  const SourcePtr source = make_source("<model>", text);
  const Result<Model> loaded = load_model(source, options);
  Diagnostics said = in_words_of_python(loaded.diagnostics());
  ToScript(source, places).replace(said);
  if (!loaded) throw ModelError(std::move(said));
  if (loaded->has_units) adopt_dimensions(*m.model, *loaded);
  return said;
}

}  // namespace

void bind_checks(py::module_& module) {
  py::class_<Span>(module, "Place", "Where something was stated.");
  module.def("check_as_file", &check_as_file, py::arg("model"), py::arg("text"), py::arg("directory"),
             py::arg("places"));
}

}  // namespace dalembert::python
