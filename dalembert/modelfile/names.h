// SPDX-License-Identifier: Apache-2.0
// The meaning of names in a model file. Coordinates, parameters and inputs are known from the start. Definitions, frames and points may use
// each other in any order, so each is read when it is needed first; no recursion is used, and cycles are detected.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dalembert/expr/lower.h"
#include "dalembert/model/model.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/document.h"

namespace dalembert::modelfile {

/// An expression in the file. It is parsed once, and lowered once for each value of a `for` index.
struct Written {
  const Node* node = nullptr;
  Indices indices;
};

/// A vector with its dimension.
struct Place {
  Vector position;
  DimensionTerm dimension;
};

/// A definition, a frame or a point, before and after it is read.
struct Definition {
  enum class Kind { kDefine, kFrame, kPoint };
  enum class State { kWaiting, kActive, kDone, kFailed };
  Kind kind = Kind::kDefine;
  State state = State::kWaiting;
  std::string name;
  Span span;                    // place of the name in the file
  Written value;                // kDefine: the expression
  bool quasi_velocity = false;  // kDefine: it is a quasi-velocity, so it has a rate
  std::vector<Written> at;      // kPoint: components; kFrame: origin (may be empty)
  Written rotate;               // kFrame, in the plane: its angle
  struct WrittenTurn {
    char axis = 'z';
    std::vector<Written> about;  // components of the axis, if it is not x, y or z; else empty
    Written angle;
  };
  std::vector<WrittenTurn> turns;  // kFrame, in space: its turns in order
  int quaternion = -1;             // kFrame, in space: index of the first of its four coordinates; -1: none
  std::vector<Written> rim_axis;  // kPoint on a rim: normal to the disk, whose frame is `base`, along that frame's axes
  Written rim_radius;
  std::string base;  // name of the frame that a point is fixed in, or of a frame's parent; empty: the ground
  Span base_span;

  Lowered result;                     // kDefine: its value and dimension
  Place place;                        // kPoint: position; kFrame: origin
  std::shared_ptr<const Frame> disk;  // kPoint: the disk on whose rim it is
  Frame frame;                        // kFrame: the frame once it is placed

  // Parts that may be undefined, as they were before simplification, and the definitions that are used.
  struct Parts {
    std::vector<Expr> own;
    std::vector<const Definition*> of;
  };
  Parts parts;
};

class ModelFileScope : public Scope {
 public:
  ModelFileScope(Model& model, const Document& document, Diagnostics& diagnostics)
      : model_(model), document_(document), diagnostics_(diagnostics) {}

  /// Whether dimensions are compared from now on (if the model has units).
  void use_dimensions(bool on) { solver_ = DimensionSolver(on); }

  void add_known(const std::string& name, Meaning meaning, const Span& span);
  void add_integer(const std::string& name, std::int64_t value) { integers_[name] = value; }
  void add_row(const std::string& row, const Expr& lambda, DimensionTerm dimension) {
    rows_[row] = Meaning::known(lambda, std::move(dimension));
  }
  void remove_known(const std::string& name) { known_.erase(name); }
  /// Adds a name with an erroneous declaration: its uses give no further errors.
  void add_silent(const std::string& name) { known_[name] = Meaning::silent(); }
  /// Adds a constraint with an error: uses of its rows give no further errors.
  void add_silent_row(const std::string& constraint) { silent_rows_.insert(constraint); }
  void add_definition(Definition definition);
  /// Reads all definitions that were added. Errors, including cycles, go to the diagnostics.
  void resolve_all();

  const Definition* find(Definition::Kind kind, const std::string& name) const;
  std::vector<const Definition*> all(Definition::Kind kind) const;

  /// The expression at `written`, checked for its role. The value is null if an error was reported.
  Lowered lower(const Written& written, Role role, bool equation = false);
  /// Lowers a text that is not in the file, or is a part of a text there.
  Lowered lower(const MappedText& text, Role role, const Indices& indices = {}, bool equation = false);
  /// A vector whose components have the same dimension; empty if an error was reported.
  Place lower_vector(const std::vector<Written>& components, Role role);
  /// Warnings W0328 of the expression at `written`, which was lowered.
  Diagnostics doubts(const Written& written);
  /// Definitions whose dimension a formula outside outputs and claims has compared, by their own or as parts of others.
  std::unordered_set<const Definition*> compared() const;
  Span span(const Written& written) const { return document_.span(*written.node); }
  /// The place of the expression without its quotes.
  Span text_span(const Written& written) const { return written.node->text.span(); }
  /// The dimension of Model::integrals[i].
  const DimensionTerm& dimension_of_integral(std::size_t i) const { return integral_dimensions_[i]; }

  // The interface Scope (expr/scope.h).
  Graph& graph() override { return *model_.graph; }
  DimensionSolver& dimensions() override { return solver_; }
  Meaning name(std::string_view name) override;
  Meaning component(std::string_view point, int axis) override;
  Meaning angular_velocity(std::string_view frame, int axis) override;
  Meaning frame_entry(std::string_view frame, std::int64_t i, std::int64_t j) override;
  Meaning multiplier(std::string_view row) override;
  Meaning of_run(OfRun function, const Meaning& expression, const Expr& time) override;
  std::optional<std::int64_t> integer(std::string_view name) override;
  Expr dot(const Expr& expression) override { return model_.dot(expression, rates_); }
  std::optional<Diagnostic> refuse(SymbolKind kind, std::string_view name, const Span& span) override;
  std::vector<std::string> candidates(Candidates which) override;
  /// Help for an unknown frame: the nearest name, which may be `ground`, or all names.
  std::string say_frames(const std::string& meant);
  bool declares(std::string_view name) override;
  Span declared(std::string_view name) override;
  std::string help_for_undeclared(std::string_view name) const override;
  void partial(const Expr& part) override { parts_->own.push_back(part); }

  /// Starts a new formula; everything read from now on belongs to it.
  void begin_parts() { formula_ = {}; }
  /// An expression that has a value exactly where every part of the current formula has one, including the definitions that it uses.
  Expr parts();

 private:
  using Key = std::pair<Definition::Kind, std::string>;
  const Ast* ast_of(const Node& node, bool equation);
  Definition* look_up(Definition::Kind kind, std::string_view name);
  /// The definition after it was read; null if that is not possible, and `state` says why.
  const Definition* need(Definition::Kind kind, std::string_view name, Meaning::State& state);
  void resolve(Definition& definition);
  void compute(Definition& definition, Diagnostics& problems);
  void compute_place(Definition& definition, Diagnostics& problems);
  bool lower_angle(const Written& written, Diagnostics& problems, Expr& angle);
  bool lower_turn(const Definition::WrittenTurn& written, Diagnostics& problems, Turn& turn);
  bool lower_axis(const std::vector<Written>& written, Diagnostics& problems, Vector& axis);
  void compute_rim(Definition& definition, const Definition* disk, Diagnostics& problems);
  const Definition* base_of(Definition& definition, Diagnostics& problems, bool& good);
  void report_cycle(const std::vector<Definition*>& stack, const Definition* again);
  Lowered lower_into(const Written& written, Role role, bool equation, Diagnostics& problems);
  Place lower_vector_into(const std::vector<Written>& components, Role role, Diagnostics& problems);

  Model& model_;
  const Document& document_;
  Diagnostics& diagnostics_;
  DimensionSolver solver_{false};
  Role role_ = Role::kDefinition;
  Span lowered_;  // place of the expression that is being lowered
  std::vector<DimensionTerm> integral_dimensions_;
  std::unordered_map<std::string, Meaning> known_;
  std::unordered_map<std::string, Span> spans_;
  std::map<std::string, std::int64_t, std::less<>> integers_;
  std::unordered_map<std::string, Meaning> rows_;
  std::unordered_set<std::string> silent_rows_;
  std::map<Definition::Kind, std::unordered_map<std::string, Definition*>> index_;
  std::vector<std::unique_ptr<Definition>> definitions_;
  std::unordered_map<const Node*, std::unique_ptr<Ast>> asts_;
  std::vector<Definition*> needed_;
  std::unordered_set<const Definition*> compared_;  // named where something states a dimension
  KnownDerivatives rates_;                          // cache of dot()
  Definition::Parts formula_;                       // parts read outside definitions
  Definition::Parts* parts_ = &formula_;            // the parts that are being collected now
  WorkMeter suggestions_{1'000'000};                // limits the comparisons of misspelt names
  std::unordered_set<const Node*> failed_;  // failed for one value of a `for` index; other values would fail alike
};

}  // namespace dalembert::modelfile
