// SPDX-License-Identifier: Apache-2.0
// The steps from the document to the model, in the order in which they run. Private to modelfile.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dalembert/model/argument_description.h"
#include "dalembert/modelfile/csv.h"
#include "dalembert/modelfile/document.h"
#include "dalembert/modelfile/names.h"

namespace dalembert {
struct LoadOptions;
struct Override;
}  // namespace dalembert

namespace dalembert::modelfile {

/// One entry of an array of tables, for one value of its `for` index.
struct Instance {
  const Node* node = nullptr;
  Indices indices;
};

/// The node that holds a parameter's quantity: the node itself or, if it is a table, its `value`.
const Node& value_of_parameter(const Node& node);

class Loader {
 public:
  Loader(Document document, const LoadOptions& options);
  Result<Model> run();

 private:
  // Implemented in load_values.cpp: everything that is not an expression.
  void read_texts();
  void silence_unknown_sections();
  void read_structure();
  void read_parameters();
  void read_coordinates();
  std::optional<Dimension> read_coordinate_unit(const Node& unit);
  void read_coordinate(const Node& item, const Instance& instance);
  void declare_inputs();
  bool is_spline(const Node& table);
  void read_simulation();
  void read_study();
  // Implemented in load_geometry.cpp.
  void declare_definitions();
  void declare_definitions(std::string_view in, std::string_view what, bool quasi_velocities);
  void declare_frames();
  void declare_points();
  bool place_on_rim(const Instance& instance, const Node& rim, Definition& point);
  bool read_quaternion(const Instance& instance, Definition& frame);
  void read_gravity();
  void read_bodies();
  std::optional<Body> read_body(const Instance& instance, const std::string& name);
  bool places_body_well(const Instance& instance, const std::string& name);
  std::optional<Place> place_in_frame(const Instance& instance, Body& body);
  std::optional<Place> place_on_ground(const Instance& instance, Body& body);
  std::optional<Vector> read_inertia(const Instance& instance);
  // Implemented in load_physics.cpp.
  /// The two ends of a spring, damper or constraint; null if an error was reported.
  struct Ends {
    const Definition *a = nullptr, *b = nullptr;
    explicit operator bool() const { return a && b; }
  };
  void read_energy();
  void read_springs();
  void read_dampers();
  void read_outputs();
  void read_quasi_velocities();
  Ends ends_of(const Node* between, const Indices& indices);
  bool exactly_one(const Instance& instance, const std::vector<std::string>& keys, std::string_view what);
  // Implemented in load_kinds.cpp.
  struct ReadArgument;
  ReadArgument read_argument(const ArgumentDescription& description, const Node* node, const Indices& indices);
  void read_named(ArgumentType type, const Node& node, const Indices& indices, ReadArgument& given);
  std::optional<Arguments> read_arguments(std::span<const ArgumentDescription> descriptions,
                                          const std::function<const Node*(const ArgumentDescription&)>& find,
                                          const Indices& indices);
  void read_constraints();
  const ConstraintKind* kind_stated(const Instance& instance, const std::string& key);
  void read_constraint(const Instance& instance, const std::string& name, const ConstraintKind& kind);
  void read_unilateral(const Instance& instance, const std::string& name);
  void read_contact_friction(const Instance& instance, const std::string& name);
  bool is_possible(double coefficient, const std::string& friction, const Written& written);
  void add_friction(const std::string& name, const FrictionDescription& description, const DimensionTerm& force);
  bool goes_with(const Instance& instance, const ConstraintKind& kind);
  void read_forces();
  void read_force(const Instance& instance);
  // Implemented in load_friction.cpp.
  void read_frictions();
  void read_friction(const Instance& instance, const std::string& name);
  bool has_possible_coefficients(const Instance& instance, const std::string& name, const Expr& sliding,
                                 const Expr& sticking);
  // Implemented in load_events.cpp.
  void read_events();
  void read_event(const Instance& instance, const std::string& name);
  std::optional<Event::Direction> direction_of(const Instance& instance);
  bool read_setting(const Instance& instance, const std::string& event, const Entry& entry,
                    EventDescription& description);
  // Implemented in load_kinds.cpp.
  const Body* body_named(const Node* node, const Indices& indices);
  // Implemented in load_draw.cpp.
  void read_draw();
  std::vector<int> points_named(const Node& list);
  std::optional<Drawing::Circle> read_circle(const Instance& instance);
  // Implemented in load_claims.cpp.
  void read_claims();
  bool add_constants(const Instance& instance, Claim& claim);
  void finish_constants(Claim& claim);
  void read_claim(const Instance& instance);
  std::string shown(const MappedText& text, const Indices& indices);
  std::optional<ClaimCondition> read_condition(const Node& node, const Indices& indices);
  // Implemented in load_run.cpp.
  void read_inputs();
  void check_given_inputs();
  void read_input(const Entry& entry, Input& input);
  std::optional<Samples> samples_of(const Entry& entry);
  // Implemented in load_prescribed.cpp.
  void read_prescribed();
  void prescribe_from(const Entry& entry, const Coordinate& coordinate, const DimensionTerm& unit);
  void prescribe_samples(const Entry& entry, const Coordinate& coordinate, const DimensionTerm& unit);
  void warn_of_driven_coordinates();
  void warn_of_doubtful_quantities();
  // Implemented in load_run.cpp as well.
  void read_initial();
  struct Given {
    std::unordered_set<int> positions, rates;  // coordinates that have a value
    std::unordered_set<int> quasi_velocities;  // quasi-velocities that have a value
  };
  std::vector<Instance> initial_tables(const Node& node);
  void read_initial_table(const char* key, std::vector<InitialValue>& position, std::vector<InitialValue>& velocity);
  void read_initial_value(std::string_view table, const Entry& entry, const Indices& indices,
                          std::vector<InitialValue>& position, std::vector<InitialValue>& velocity, Given& given);
  struct GivenInput {  // with a quantity from an override
    std::string name;
    DimensionTerm unit;
    Dimension given;
    Span place;
  };
  struct InitialNumber {
    double value = 0;
    Expr formula;  // null if the value is a number
  };
  std::optional<InitialNumber> initial_value(const Entry& entry, const std::string& key, const Indices& indices,
                                             const DimensionTerm& wanted, const std::optional<Dimension>& known);
  bool read_initial_quasi_velocity(std::string_view table, const Entry& entry, const std::string& key,
                                   const Indices& indices, Given& given);
  bool read_angular_velocity(std::string_view table, const Entry& entry, const std::string& key,
                             const Indices& indices);
  bool refuse_rate_of_quaternion(int coordinate, const Span& place);
  void check_quaternions();
  void refuse_held_guesses(const std::vector<InitialValue>& position, const std::vector<InitialValue>& velocity);
  std::optional<std::string> key_text(const Entry& entry, const Indices& indices);
  double value_of(const Expr& constant);
  void apply_initial_overrides();
  void fill_dimensions();
  // Implemented in load_suspicions.cpp.
  void warn_of_missing_unit(const Override& set, const Node& written, const Quantity& quantity);
  void warn_of_large_angles();
  Span place_of(const Parameter& parameter);
  void warn_of_masses();
  void warn_of_subnormals();
  void warn_of_idle_statements();

  // Helpers for all steps.
  const Node* section(std::string_view name) const { return document_.root.find(name); }
  std::vector<Instance> expand(std::string_view array);
  std::vector<Instance> expand(const Node& item);
  std::optional<std::string> text_of(const Node* node, const Indices& indices);
  /// The entry's name; "" if an error was reported.
  std::string name_of(const Instance& instance, std::string_view key = "name");
  Written written(const Instance& instance, std::string_view key) const {
    return {instance.node->find(key), instance.indices};
  }
  /// The items of a list, or the one item that stands there without a list.
  std::vector<Written> vector_of(const Instance& instance, std::string_view key) const;
  bool has(const Instance& instance, std::string_view key) const { return instance.node->find_entry(key) != nullptr; }
  Span span(const Instance& instance) const { return {document_.source, instance.node->begin, instance.node->end}; }
  Span key_span(const Instance& instance, std::string_view key) const;
  void report(Diagnostic problem) { diagnostics_.push_back(std::move(problem)); }
  void report_all(const Diagnostics& problems) {
    diagnostics_.insert(diagnostics_.end(), problems.begin(), problems.end());
  }
  bool is_body(const std::string& name);
  const Definition* point_named(const Node* node, const Indices& indices);
  /// The frame with that name; null if an error was reported.
  const Definition* frame_named(const Node* node, const Indices& indices);
  // Up to so many coordinates are named where one is unknown.
  static constexpr std::size_t kMostNamed = 8;
  const Coordinate* coordinate_named(const Node* node, const Indices& indices);
  const Override* override_for(std::string_view name);
  void report_unused_overrides();
  void report_unused_parameters();
  std::vector<const Vector*> all_vectors() const;
  const DimensionTerm& dimension_of(const Coordinate& coordinate) const {
    return coordinate_dimensions_[static_cast<std::size_t>(model_.coordinate_index(coordinate.name))];
  }
  bool usable_name(const std::string& name, const Span& span, std::string_view what);
  /// States that `given` has the dimension `wanted`; `what` is its name in an error message.
  void expect(const Lowered& given, const DimensionTerm& wanted, std::string_view what, const Written& place,
              Measure measure = Measure::kAny);
  std::optional<Quantity> quantity(const MappedText& text, const std::optional<Dimension>& wanted,
                                   std::string_view what, Measure measure = Measure::kAny);
  Result<Model> finish();

  Document document_;
  const LoadOptions& options_;
  Model model_;
  Diagnostics diagnostics_;
  ModelFileScope names_;
  std::unordered_set<std::string> used_overrides_;
  std::unordered_set<const Node*> reported_entries_;
  std::vector<GivenInput> given_inputs_;
  std::vector<DimensionTerm> coordinate_dimensions_, parameter_dimensions_, input_dimensions_, output_dimensions_;
  std::vector<DimensionTerm> row_dimensions_;  // dimension of each row, in the order of Model::rows()
  std::vector<DimensionTerm> quasi_velocity_dimensions_;
  std::vector<DimensionTerm> friction_dimensions_;
  std::unordered_set<std::string> failed_bodies_;
  std::vector<std::pair<int, std::string>> quaternions_;   // by quaternion: first coordinate, and name of its frame
  std::unordered_map<SymbolId, double> parameter_values_;  // cache of value_of()
  SampleFiles sample_files_;                               // the files of all inputs
  std::unordered_map<std::string, int> drawn_points_;      // index of the model's points by name, for [draw]
  Lowered gravity_;                                        // the first component of gravity, with its dimension
};

}  // namespace dalembert::modelfile
