// SPDX-License-Identifier: Apache-2.0
// What the names of a model file mean. Coordinates, parameters and inputs are known at once; definitions, frames and
// points may use each other in any order, so they are read when they are needed, without recursion, and cycles are
// found.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dalembert/expr/parse.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/document.h"

namespace dalembert::modelfile {

/// An expression as it stands in the file, read once, and lowered once for each entry of a `for`.
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
  Span span;                    // of the name
  Written value;                // kDefine: the expression
  bool quasi_velocity = false;  // kDefine: it has a rate
  std::vector<Written> at;      // kPoint: components; kFrame: origin (may be empty)
  Written rotate;               // kFrame, in the plane: its angle
  struct WrittenTurn {
    char axis = 'z';
    std::vector<Written> about;  // its components, where it is none of the three
    Written angle;
  };
  std::vector<WrittenTurn> turns;  // kFrame, in space
  int quaternion = -1;             // kFrame, in space: the first of four coordinates
  std::vector<Written> rim_axis;   // kPoint: normal to the disk on whose rim it is the lowest point; `base` is the disk
  Written rim_radius;
  std::string base;  // the frame that a point is fixed in, or a frame's parent; empty: the ground
  Span base_span;

  Lowered result;                     // kDefine
  Place place;                        // kPoint: position; kFrame: origin
  std::shared_ptr<const Frame> disk;  // kPoint: on whose rim it is
  Frame frame;                        // kFrame

  // What may have no value in it, before anything cancels, and what it is made of.
  struct Parts {
    std::vector<Expr> own;
    std::vector<const Definition*> of;
  };
  Parts parts;
};

class Names : public Scope {
 public:
  Names(Model& model, const Document& document, Diagnostics& diagnostics)
      : model_(model), document_(document), diagnostics_(diagnostics) {}

  /// Dimensions are compared from now on (the model has units), or not.
  void use_dimensions(bool on) { solver_ = DimensionSolver(on); }

  void add_known(const std::string& name, Meaning meaning, const Span& span);
  void add_integer(const std::string& name, std::int64_t value) { integers_[name] = value; }
  void add_row(const std::string& row, const Expr& lambda, DimensionTerm dimension) {
    rows_[row] = Meaning::known(lambda, std::move(dimension));
  }
  /// A name that is declared, but wrongly: what uses it stays silent.
  void add_silent(const std::string& name) { known_[name] = Meaning::silent(); }
  /// A constraint that was reported: its rows stay silent.
  void add_silent_row(const std::string& constraint) { silent_rows_.insert(constraint); }
  void add_definition(Definition definition);
  /// Reads everything that was added; what is wrong, cycles included, goes to the diagnostics.
  void resolve_all();

  const Definition* find(Definition::Kind kind, const std::string& name) const;
  std::vector<const Definition*> all(Definition::Kind kind) const;

  /// The expression at `written`, checked for its role. A null value means that it was reported.
  Lowered lower(const Written& written, Role role, bool equation = false);
  /// The same, for text that is not in the file, or part of what is.
  Lowered lower(const MappedText& text, Role role, const Indices& indices = {}, bool equation = false);
  /// A vector whose components share a dimension; empty when it was reported.
  Place lower_vector(const std::vector<Written>& components, Role role);
  Span span(const Written& written) const { return document_.span(*written.node); }
  /// The place of the expression without its quotes.
  Span text_span(const Written& written) const { return written.node->text.span(); }

  // Scope
  Graph& graph() override { return *model_.graph; }
  DimensionSolver& dimensions() override { return solver_; }
  Meaning name(std::string_view name) override;
  Meaning component(std::string_view point, int axis) override;
  Meaning frame_entry(std::string_view frame, std::int64_t i, std::int64_t j) override;
  Meaning multiplier(std::string_view row) override;
  std::optional<std::int64_t> integer(std::string_view name) override;
  Expr dot(const Expr& expression) override { return model_.dot(expression, rates_); }
  std::optional<Diagnostic> refuse(SymbolKind kind, std::string_view name, const Span& span) override;
  std::vector<std::string> candidates(Candidates which) override;
  /// Help for a frame that is not there: the nearest name, `ground` among them, or all of them.
  std::string say_frames(const std::string& meant);
  bool declares(std::string_view name) override;
  Span declared(std::string_view name) override;
  void partial(const Expr& part) override { parts_->own.push_back(part); }

  /// From here on, what is read is one formula...
  void begin_parts() { formula_ = {}; }
  /// ...and this has a value exactly where all that was read since has one, with the definitions that it uses.
  Expr parts();

 private:
  using Key = std::pair<Definition::Kind, std::string>;
  const Ast* ast_of(const Node& node, bool equation);
  Definition* look_up(Definition::Kind kind, std::string_view name);
  /// The definition once it is read; null with a `state` that says why not.
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
  std::unordered_map<std::string, Meaning> known_;
  std::unordered_map<std::string, Span> spans_;
  std::map<std::string, std::int64_t, std::less<>> integers_;
  std::unordered_map<std::string, Meaning> rows_;
  std::unordered_set<std::string> silent_rows_;
  std::map<Definition::Kind, std::unordered_map<std::string, Definition*>> index_;
  std::vector<std::unique_ptr<Definition>> definitions_;
  std::unordered_map<const Node*, std::unique_ptr<Ast>> asts_;
  std::vector<Definition*> needed_;
  KnownDerivatives rates_;                  // of all that was dotted
  Definition::Parts formula_;               // of what is read outside definitions
  Definition::Parts* parts_ = &formula_;    // of what is read now
  WorkMeter suggestions_{1'000'000};        // names compared with misspelled ones
  std::unordered_set<const Node*> failed_;  // reported for one value of a `for` index: the others would say the same
};

}  // namespace dalembert::modelfile
