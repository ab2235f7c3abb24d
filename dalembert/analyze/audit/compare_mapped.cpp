// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/compare_mapped.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/certain_rank.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/coordinate_map.h"
#include "dalembert/analyze/audit/counter_example.h"
#include "dalembert/analyze/audit/given_forces.h"
#include "dalembert/analyze/audit/identities.h"
#include "dalembert/analyze/audit/load_matches.h"
#include "dalembert/analyze/audit/mapped_claims.h"
#include "dalembert/analyze/audit/mapped_loads.h"
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/analyze/audit/same_equation.h"
#include "dalembert/analyze/audit/squared_rows.h"
#include "dalembert/analyze/audit/translation.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/kept_rows.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// One equation of motion along a velocity that the constraints of `here` leave free, by both models, before the conditions are put in.
struct Direction {
  std::size_t coordinate = 0;
  Expr here, there;
};

// Both models while every friction slides and every contact is open.
struct Sliding {
  Equations here, there;
  std::vector<Direction> directions;
};

class MappedComparison {
 public:
  MappedComparison(const Equations& here, const Equations& there, Notation notation)
      : given_(here.load_dependent() || there.load_dependent()),
        forces_here_(with_open_contacts(here, given_, given_)),
        forces_there_(with_open_contacts(there, false, given_)),
        here_(with_prescribed_rows(forces_here_.equations)),
        there_(with_prescribed_rows(forces_there_.equations)),
        notation_(notation),
        graph_(*here_.graph),
        zero_(graph_.constant(0)),
        signs_(known_signs(*here_.model)),
        canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(here_)),
        states_(canonicalizer_, signs_),
        motion_(states_),
        translation_(here_, there_),
        statements_(canonicalizer_, signs_, notation, there_.model->name),
        loads_(forces_here_, forces_there_, here_, there_, translation_, statements_, states_) {}

  Result<ModelComparison> run(const std::vector<StudyStatement::Named>& written) {
    Result<CoordinateMap> map = read_coordinate_map(here_, there_, written);
    if (!map) return map.diagnostics();
    set_symbols(map->q);
    judge_attitudes(map->q);
    result_.map = std::move(map->texts);
    result_.equations = !written.empty();
    if (Diagnostics problems = use_constraints(); !problems.empty()) return problems;
    if (!judge_rows() || !set_free_velocities()) return missing();
    const bool same_rows = all_proved();
    if (!loads_.judge_contacts(claims())) return missing();
    if (given_ && !judge_loads()) return missing();
    const bool same_loads = all_proved();
    auto directions = directions_of(here_, there_);
    if (!directions) return missing();
    directions_ = std::move(*directions);
    const Result<bool> same_freedoms = judge_freedoms(written.empty() ? Span{} : written.front().text.trimmed().span());
    if (!same_freedoms) return same_freedoms.diagnostics();
    if (*same_freedoms && same_loads)
      judge_equations();
    else if (*same_freedoms && same_rows)
      judge_sliding();
    result_.as_numbers = translation_.as_numbers();
    return std::move(result_);
  }

 private:
  std::vector<AuditedClaim>& claims() { return result_.report.claims; }
  bool all_proved() { return result_.report.count(ClaimVerdict::kProved) == static_cast<int>(claims().size()); }

  Diagnostics missing() const {
    return cannot_compare(
        fmt::format("`{}` of {} is not in {}", translation_.missing(), there_.model->name, here_.model->name),
        "the same thing must have the same name in both");
  }

  // --- the map and the constraints

  // The rate along a motion of `here` of an expression of its state and t.
  Expr rate_of(const Expr& e) {
    if (along_motion_.empty()) {
      along_motion_ = rates_of_state(here_);
      for (const auto& [symbol, rate] : here_.model->time_rates()) along_motion_.emplace(symbol, graph_.adopt(rate));
    }
    return directional_derivative(std::array{e}, along_motion_).front();
  }

  // The coordinates of `there` and its velocities by those of `here`. The multipliers of `there` are left out everywhere.
  void set_symbols(const std::vector<Expr>& q) {
    std::vector<Expr> rates;
    for (std::size_t i = 0; i < q.size(); ++i) {
      translation_.set(there_.q[i], q[i]);
      rates.push_back(rate_of(q[i]));
    }
    for (int i = 0; i < there_.nv(); ++i) {
      rates_.push_back(there_.v_is_qdot() ? rates[static_cast<std::size_t>(i)] : velocity_of_attitude(i, rates));
      translation_.set(there_.velocities()[static_cast<std::size_t>(i)], rates_.back());
      translation_.set(there_.accelerations()[static_cast<std::size_t>(i)], rate_of(rates_.back()));
    }
    for (const Expr& lambda : there_.lambda) translation_.set(lambda, zero_);
  }

  // Velocity i of `there` by the rates of its coordinates. Of an attitude q̇ = N ω with 4 NᵀN = 1, so ω = 4 Nᵀ q̇.
  Expr velocity_of_attitude(int i, const std::vector<Expr>& rates) {
    std::vector<Expr> terms;
    bool rate = false;
    for (std::size_t k = 0; k < there_.N.value.size(); ++k) {
      if (there_.N.col[k] != i) continue;
      rate = there_.N.value[k].is_constant();
      const Expr entry = translation_.moved(there_.N.value[k]);
      terms.push_back(entry * rates[static_cast<std::size_t>(there_.N.row[k])]);
    }
    return rate ? graph_.sum(terms) : graph_.constant(4) * graph_.sum(terms);
  }

  // Makes conditions of the constraints of `here`: of those on positions where they can be solved, and of their rates.
  Diagnostics use_constraints() {
    const std::vector<int> squared = squared_rows(here_);
    for (const int j : here_.holonomic) {
      const Expr& h = here_.h[static_cast<std::size_t>(j)];
      const Conditions::Outcome outcome = states_.add(h, zero_);
      if (outcome == Conditions::Outcome::kContradiction) return unsolvable(j);
      if (outcome == Conditions::Outcome::kUnsolvable || outcome == Conditions::Outcome::kDividesByZero) {
        if (std::ranges::find(squared, j) != squared.end()) return holds_nothing(j);
        open_rows_.push_back(j);
      }
      statements_.give(print_shortest(canonicalizer_, h, notation_) + " = 0");
    }
    states_.solve_last(all_but_velocities());
    const std::size_t before = states_.solved().size();
    int added = 0;
    for (int j = 0; j < here_.m(); ++j) {
      const Expr row = velocity_of_row(here_, j);
      const Conditions::Outcome outcome = states_.add(row, zero_);
      if (!is_used(outcome)) return unsolvable(j);
      const bool kept = outcome == Conditions::Outcome::kAdded || j >= here_.m() - here_.actuated;
      independent_.push_back(kept ? added++ : -1);
      if (std::ranges::find(here_.holonomic, j) == here_.holonomic.end())
        statements_.give(print_equation(canonicalizer_, row, notation_) + " = 0");
    }
    for (std::size_t k = before; k < states_.solved().size(); ++k)
      if (!is_velocity(graph_.symbol_info(states_.solved()[k].symbol).kind)) return unsolvable(0);
    motion_ = states_;
    for (int j = 0; j < here_.m(); ++j) {
      const Expr of_accelerations = row_times(here_.W, j, here_.accelerations());
      if (of_accelerations && !is_used(motion_.add(of_accelerations + here_.gamma[static_cast<std::size_t>(j)], zero_)))
        return unsolvable(j);
    }
    return {};
  }

  // Equations of `here` without rows that follow from those before them on the states, so that their multipliers are unique.
  Equations with_independent_rows(Equations equations) const {
    keep_rows(equations, independent_);
    return equations;
  }

  static bool is_used(Conditions::Outcome outcome) {
    return outcome == Conditions::Outcome::kAdded || outcome == Conditions::Outcome::kRedundant;
  }

  Diagnostics unsolvable(int row) const {
    return cannot_compare(fmt::format("the constraint `{}` of {} cannot be solved for a velocity",
                                      here_.rows[static_cast<std::size_t>(row)], here_.model->name));
  }

  Diagnostics holds_nothing(int row) const {
    return cannot_compare(fmt::format("the derivative of the constraint `{}` of {} is 0 wherever it holds",
                                      here_.rows[static_cast<std::size_t>(row)], here_.model->name),
                          "state what is squared in it");
  }

  std::vector<SymbolId> all_but_velocities() const {
    std::vector<SymbolId> symbols{here_.t.symbol()};
    for (const Expr& q : here_.q) symbols.push_back(q.symbol());
    for (const Parameter& p : here_.model->parameters) symbols.push_back(p.symbol.symbol());
    for (const Input& input : here_.model->inputs) symbols.push_back(input.symbol.symbol());
    return symbols;
  }

  std::string open_text() const {
    std::vector<std::string> names;
    for (const int j : open_rows_) names.push_back(here_.rows[static_cast<std::size_t>(j)]);
    return fmt::format("the positions that keep {} are not known in formulas", join_words(names));
  }

  // --- attitudes of `there` are attitudes

  // Whether the four formulas of each attitude of `there` are a quaternion of norm 1; nothing is said where they are by their form.
  void judge_attitudes(const std::vector<Expr>& q) {
    for (const int first : there_.quaternions) {
      std::vector<Expr> squares;
      for (std::size_t k = 0; k < 4; ++k) squares.push_back(graph_.power(q[static_cast<std::size_t>(first) + k], 2));
      if (proves_equal(canonicalizer_, graph_.sum(squares), graph_.constant(1))) continue;
      AuditedClaim claim =
          statements_.statement("attitude " + there_.model->coordinates[static_cast<std::size_t>(first)].name);
      claim.claimed = print_shortest(canonicalizer_, graph_.sum(squares), notation_) + " = 1";
      GivenPoints points(graph_, states_, squares);
      const Evidence found = look_at_points(points, graph_.constant(1), graph_.sum(squares), Search::kDifference);
      if (found.difference) {
        MappedClaims::decide(claim, ClaimVerdict::kDisproved, "its four formulas are no quaternion of norm 1");
        claim.point = counter_example(graph_, *found.difference, notation_);
      } else {
        MappedClaims::decide(claim, ClaimVerdict::kUndecided,
                             fmt::format("its norm is 1 at {} random states", found.points));
      }
      claims().push_back(std::move(claim));
    }
  }

  // --- the rows of `there` hold on the states of `here`

  bool judge_rows() {
    for (std::size_t j = 0; j < there_.rows.size(); ++j) {
      const Expr row = translation_.moved(value_of_row(there_, j));
      if (!row) return false;
      claims().push_back(judge_row(there_.rows[j], row, is_holonomic(there_, j)));
    }
    return true;
  }

  AuditedClaim judge_row(const std::string& name, const Expr& row, bool holonomic) {
    AuditedClaim claim = statements_.statement("constraint " + name);
    claim.claimed =
        (holonomic ? print_shortest(canonicalizer_, row, notation_) : print_equation(canonicalizer_, row, notation_)) +
        " = 0";
    if (statements_.proved_equal(claim, states_, row, zero_)) return claim;
    // A multiple of a row of `here` is 0 with it, also where that row cannot be solved.
    for (const int j : here_.holonomic)
      if (constant_factor(canonicalizer_, here_.h[static_cast<std::size_t>(j)], row)) {
        MappedClaims::decide(claim, ClaimVerdict::kProved);
        return claim;
      }
    GivenPoints points(graph_, states_, std::array{row});
    const Evidence evidence = look_at_points(points, zero_, row, Search::kDifference);
    if (!evidence.difference) {
      MappedClaims::decide(claim, ClaimVerdict::kUndecided,
                           fmt::format("it holds at {} random states", evidence.points));
    } else if (!open_rows_.empty()) {
      MappedClaims::decide(claim, ClaimVerdict::kUndecided, open_text());
    } else {
      MappedClaims::decide(claim, ClaimVerdict::kDisproved,
                           "a state that keeps the constraints here does not keep this one");
      claim.difference = print_shortest(canonicalizer_, -states_.apply(row), notation_);
      claim.point = counter_example(graph_, *evidence.difference, notation_);
    }
    return claim;
  }

  // --- forces that depend on multipliers (mapped_loads.h)

  bool judge_loads() {
    const std::optional<std::vector<std::vector<Expr>>> mine = masses(here_, Z_, false),
                                                        others = masses(there_, JZ_, true);
    if (!mine || !others) return false;
    ratio_ = ratio_of(*mine, *others);
    return loads_.judge(free_, ratio_, open_rows_.empty() && is_smooth(here_.F) && is_smooth(there_.F), claims());
  }

  // Forces that jump by themselves may make up for what a law of friction lacks.
  static bool is_smooth(const std::vector<Expr>& forces) {
    static constexpr std::array kMayJump{Op::kAbs, Op::kSign, Op::kFloor, Op::kAtan2, Op::kMin, Op::kMax, Op::kSelect};
    return std::ranges::none_of(reachable(forces), [&](NodeId id) {
      return std::ranges::find(kMayJump, forces.front().graph().op(id)) != kMayJump.end();
    });
  }

  // The masses along the free velocities, Zᵀ M Z; null where a symbol is missing.
  std::optional<std::vector<std::vector<Expr>>> masses(const Equations& eq, const std::vector<std::vector<Expr>>& along,
                                                       bool moved) {
    const std::size_t n = free_.size();
    std::vector<std::vector<Expr>> result(n, std::vector<Expr>(n, zero_));
    for (std::size_t k = 0; k < eq.M.value.size(); ++k) {
      const Expr entry = moved ? translation_.moved(eq.M.value[k]) : eq.M.value[k];
      if (!entry) return std::nullopt;
      const auto &left = along[static_cast<std::size_t>(eq.M.row[k])],
                 &right = along[static_cast<std::size_t>(eq.M.col[k])];
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t d = 0; d < n; ++d)
          if (!left[c].is_zero() && !right[d].is_zero()) result[c][d] = result[c][d] + left[c] * entry * right[d];
    }
    for (auto& row : result)
      for (Expr& entry : row) entry = states_.apply(entry);
    return result;
  }

  // σ > 0 where `there` is σ times `here`, proved; else null.
  Expr ratio_of(const std::vector<std::vector<Expr>>& here, const std::vector<std::vector<Expr>>& there) {
    std::optional<Expr> ratio;
    for (std::size_t c = 0; c < here.size() && !ratio; ++c)
      ratio = constant_factor(canonicalizer_, here[c][c], there[c][c]);
    if (!ratio || !always_positive(*ratio, signs_)) return {};
    for (std::size_t c = 0; c < here.size(); ++c)
      for (std::size_t d = 0; d < here.size(); ++d)
        if (!proves_equal(canonicalizer_, there[c][d], *ratio * here[c][d])) return {};
    return *ratio;
  }

  // --- freedoms

  // The free velocities of `here`, and what the others and those of `there` are by them; false where a symbol is missing.
  bool set_free_velocities() {
    const auto n = static_cast<std::size_t>(here_.nv());
    for (std::size_t c = 0; c < n; ++c)
      if (const Expr& velocity = here_.velocities()[c]; !states_.replacements().contains(velocity.symbol())) {
        free_coordinates_.push_back(c);
        free_.push_back(velocity);
      }
    for (std::size_t d = 0; d < n; ++d) Z_.push_back(gradient(states_.apply(here_.velocities()[d]), free_));
    for (const Expr& rate : rates_) JZ_.push_back(gradient(states_.apply(rate), free_));
    W_there_.assign(there_.rows.size(), std::vector<Expr>(rates_.size(), zero_));
    for (std::size_t k = 0; k < there_.W.value.size(); ++k) {
      const Expr entry = translation_.moved(there_.W.value[k]);
      if (!entry) return false;
      W_there_[static_cast<std::size_t>(there_.W.row[k])][static_cast<std::size_t>(there_.W.col[k])] = entry;
    }
    return true;
  }

  // The equations of both along the free velocities; no value where a symbol is missing.
  std::optional<std::vector<Direction>> directions_of(const Equations& here, const Equations& there) {
    std::vector<Direction> directions;
    for (const std::size_t c : free_coordinates_) directions.push_back({c, zero_, zero_});
    std::unordered_map<SymbolId, Expr> no_multipliers;
    for (const Expr& lambda : here.lambda) no_multipliers.emplace(lambda.symbol(), zero_);
    for (std::size_t d = 0; d < Z_.size(); ++d) {
      const Expr eom = substitute(equation_of_motion(here, static_cast<int>(d)), no_multipliers);
      for (std::size_t c = 0; c < free_.size(); ++c) directions[c].here = directions[c].here + Z_[d][c] * eom;
    }
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      const Expr eom = translation_.moved(equation_of_motion(there, static_cast<int>(i)));
      if (!eom) return std::nullopt;
      for (std::size_t c = 0; c < free_.size(); ++c) directions[c].there = directions[c].there + JZ_[i][c] * eom;
    }
    return directions;
  }

  int rank(const std::vector<std::vector<Expr>>& rows, int enough) {
    std::vector<Expr> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    GivenPoints points(graph_, states_, all);
    return certain_rank(rows, points, enough);
  }

  // Whether both have the same number of freedoms, proved; a statement where they need not.
  Result<bool> judge_freedoms(const Span& place) {
    const int here = static_cast<int>(directions_.size());
    if (const int kept = rank(JZ_, here); kept < here) return not_of_full_rank(here, kept, place);
    const int n = there_.nv();
    const int at_most = n - rank(W_there_, n - here), at_least = n - there_.m();
    AuditedClaim claim = statements_.statement("freedoms");
    claim.correct = std::to_string(here);
    claim.claimed = std::to_string(at_most);
    if (at_most == here) {
      if (here_.m() == 0 && there_.m() == 0) return true;
      MappedClaims::decide(claim, ClaimVerdict::kProved);
    } else if (at_least > here) {
      claim.claimed = at_least == at_most ? claim.claimed : fmt::format("{} or more", at_least);
      MappedClaims::decide(claim, ClaimVerdict::kDisproved, "there the system can move in more ways");
    } else {
      MappedClaims::decide(claim, ClaimVerdict::kUndecided,
                           "how many of the constraints there are independent was not decided");
    }
    claims().push_back(claim);
    return claim.verdict == ClaimVerdict::kProved;
  }

  Diagnostics not_of_full_rank(int here, int kept, const Span& place) const {
    Diagnostic problem = error(
        "E0437",
        fmt::format(
            "no state was found at which the map has full rank: motions of {} that differ may have the same image",
            here_.model->name),
        place);
    problem.notes.push_back(
        fmt::format("its constraints leave {} free, and at none of some random states the map keeps "
                    "more than {} of them",
                    here == 1 ? "1 velocity" : fmt::format("{} velocities", here), kept));
    problem.help.push_back(
        "if the other model has fewer coordinates by its nature, exchange the two and state its map");
    return {std::move(problem)};
  }

  // --- equations

  AuditedClaim equation_along(const Direction& along) {
    const std::string name = motion_names(here_)[along.coordinate];
    const bool rate = here_.model->coordinate_index(name) >= 0;
    AuditedClaim claim = statements_.statement(here_.m() == 0 ? fmt::format("eom[{}]", name)
                                                              : fmt::format("eom along {}{}", name, rate ? "'" : ""));
    claim.correct = print_equation(canonicalizer_, motion_.apply(along.here), notation_) + " = 0";
    claim.claimed = print_equation(canonicalizer_, motion_.apply(along.there), notation_) + " = 0";
    return claim;
  }

  void judge_equations() {
    std::vector<std::pair<std::size_t, const Direction*>> open;
    for (const Direction& along : directions_) {
      AuditedClaim claim = equation_along(along);
      if (!same_along(claim, along)) open.emplace_back(claims().size(), &along);
      claims().push_back(std::move(claim));
    }
    for (const auto& [index, along] : open) {
      if (!given_ || !differs_while_sliding(claims()[index], static_cast<std::size_t>(along - directions_.data())))
        judge_on_motions(claims()[index], *along);
      // Equations that have the same motions without contacts may answer the forces of contacts in another way.
      if (claims()[index].verdict == ClaimVerdict::kProved && !forces_here_.contacts.empty())
        MappedClaims::decide(
            claims()[index], ClaimVerdict::kUndecided,
            "the motions without contacts are the same, but not the equations: what contacts do is not decided");
    }
  }

  // Whether both are the same equation along this direction, proved.
  bool same_along(AuditedClaim& claim, const Direction& along) {
    if (statements_.proved_equal(claim, motion_, along.here, along.there))
      return same_with_contacts(claim, graph_.constant(1));
    const std::array original{along.here, along.there};
    const EquationVerdict same =
        same_equation(canonicalizer_, motion_, motion_.apply(along.here), motion_.apply(along.there), original);
    if (same.kind != EquationVerdict::Kind::kSame) return false;
    const std::string factor = print_shortest(canonicalizer_, same.factor, notation_);
    MappedClaims::decide(claim, ClaimVerdict::kProved, fmt::format("the same equation times {}", factor));
    statements_.assume(claim, motion_.divisors(), motion_.positive());
    statements_.assume(claim, {same.factor, graph_.power(same.factor, Rational(-1))}, {});
    statements_.assume(claim, same.nonzero, same.signs_used);
    return same_with_contacts(claim, same.factor);
  }

  // Contacts act the same where the equations along all directions are multiples by one positive number, or where the equations contain their forces.
  bool same_with_contacts(AuditedClaim& claim, const Expr& factor) {
    if (forces_here_.contacts.empty() || given_) return true;
    if (!factor_) factor_ = factor;
    if (!factor_->same(factor) || !always_positive(factor, signs_))
      MappedClaims::decide(
          claim, ClaimVerdict::kUndecided,
          fmt::format(
              "the same equation times {}, and not all of them times one positive number: what contacts do is not "
              "decided",
              print_shortest(canonicalizer_, factor, notation_)));
    return true;
  }

  // Decides whether the motion of `here` satisfies an equation of `there`, which is not one equation of `here` alone.
  void judge_on_motions(AuditedClaim& claim, const Direction& along) {
    const MotionComparison evidence = compare_motion(with_independent_rows(here_), states_, zero_, along.there);
    if (!evidence.difference) return judge_by_formulas(claim, along, evidence.points);
    if (!open_rows_.empty()) return MappedClaims::decide(claim, ClaimVerdict::kUndecided, open_text());
    if (differs_by_given_forces(along))
      return MappedClaims::decide(
          claim, ClaimVerdict::kUndecided,
          "it differs for some forces that depend on multipliers, and was not proved to for those of the model");
    MappedClaims::decide(claim, ClaimVerdict::kDisproved, differing_parts(here_.F, there_.F));
    claim.difference = print_shortest(canonicalizer_, motion_.apply(along.here - along.there), notation_);
    claim.point = counter_example(graph_, *evidence.difference, notation_);
  }

  // Whether the difference depends on forces that are taken for given, by themselves or by what they accelerate.
  bool differs_by_given_forces(const Direction& along) {
    if (!given_) return false;
    const Expr difference = motion_.apply((ratio_ ? ratio_ : graph_.constant(1)) * along.here - along.there);
    const auto form = canonicalizer_.canonical(difference);
    const Expr clean = form ? canonicalizer_.expression(*form) : difference;
    return std::ranges::any_of(symbols_in(std::array{clean}),
                               [&](SymbolId s) { return is_result(graph_.symbol_info(s).kind); });
  }

  void judge_by_formulas(AuditedClaim& claim, const Direction& along, int points) {
    if (points == 0)
      return MappedClaims::decide(claim, ClaimVerdict::kUndecided,
                                  "no state was found that determines all accelerations and multipliers");
    if (const auto solved = build_closed_form(with_independent_rows(here_)); solved && regular_there()) {
      std::unordered_map<SymbolId, Expr> accelerations;
      for (std::size_t i = 0; i < solved->qdd.size(); ++i)
        accelerations.emplace(here_.accelerations()[i].symbol(), solved->qdd[i]);
      if (statements_.proved_equal(claim, states_, substitute(along.there, accelerations), zero_)) {
        claim.note = "every motion here satisfies it";
        return;
      }
    }
    MappedClaims::decide(claim, ClaimVerdict::kUndecided,
                         fmt::format("every motion here satisfies it at {} random states", points));
  }

  // Whether the equations of `there` determine its accelerations along all directions.
  bool regular_there() {
    std::vector<Expr> free;
    for (const Expr& qdd : here_.accelerations())
      if (!motion_.replacements().contains(qdd.symbol())) free.push_back(qdd);
    std::vector<std::vector<Expr>> rows;
    for (const Direction& along : directions_) rows.push_back(gradient(motion_.apply(along.there), free));
    const int all = static_cast<int>(directions_.size());
    return rank(rows, all) == all;
  }

  // --- while every friction slides and every contact is open

  // Adds an equation for each direction in which the motions then certainly differ.
  void judge_sliding() {
    for (std::size_t c = 0; c < directions_.size(); ++c) {
      AuditedClaim claim = equation_along(directions_[c]);
      if (differs_while_sliding(claim, c)) claims().push_back(std::move(claim));
    }
  }

  // Disproves that the motions are the same along direction c, at a state with all contacts of both open, where every friction slides.
  bool differs_while_sliding(AuditedClaim& claim, std::size_t c) {
    if (!open_rows_.empty() || !set_sliding()) return false;
    const Direction& along = sliding_->directions[c];
    Conditions open = states_;
    for (const GivenContact& one : forces_here_.contacts) open.require_value(sqrt(one.h));
    for (const GivenContact& one : forces_there_.contacts) open.require_value(sqrt(translation_.moved(one.h)));
    const MotionComparison evidence = compare_motion(with_independent_rows(sliding_->here), open, zero_, along.there);
    if (!evidence.difference) return false;
    MappedClaims::decide(claim, ClaimVerdict::kDisproved, differing_parts(sliding_->here.F, sliding_->there.F));
    claim.correct = print_equation(canonicalizer_, motion_.apply(along.here), notation_) + " = 0";
    claim.claimed = print_equation(canonicalizer_, motion_.apply(along.there), notation_) + " = 0";
    claim.difference = print_shortest(canonicalizer_, motion_.apply(along.here - along.there), notation_);
    claim.point = counter_example(graph_, *evidence.difference, notation_);
    return true;
  }

  bool set_sliding() {
    if (sliding_tried_) return sliding_.has_value();
    sliding_tried_ = true;
    Canonicalizer of_there(*there_.graph, Canonicalizer::kMaxTerms, state_relations(there_));
    auto here = while_sliding(forces_here_, here_, canonicalizer_);
    auto there = while_sliding(forces_there_, there_, of_there);
    if (!here || !there) return false;
    auto directions = directions_of(*here, *there);
    if (directions) sliding_ = Sliding{*std::move(here), *std::move(there), *std::move(directions)};
    return sliding_.has_value();
  }

  // --- what differs

  // Which of the parts of the equations certainly differ, with these forces: "the potential energies differ".
  std::string differing_parts(const std::vector<Expr>& here, const std::vector<Expr>& there) {
    std::vector<std::string> names = parts_times(graph_.constant(1), here, there);
    std::string relative;
    if (ratio_ && !ratio_.same(graph_.constant(1)))
      if (auto scaled = parts_times(ratio_, here, there); scaled.size() < names.size() && !scaled.empty()) {
        names = std::move(scaled);
        relative = fmt::format(", beside masses that are {} times those here", statements_.text(ratio_));
      }
    return names.empty() ? std::string() : fmt::format("the {} differ{}", join_words(names, ""), relative);
  }

  // The parts of `there` that certainly are not `scale` times those here.
  std::vector<std::string> parts_times(const Expr& scale, const std::vector<Expr>& here,
                                       const std::vector<Expr>& there) {
    std::vector<std::string> names;
    const Expr T = translation_.moved(there_.T), V = translation_.moved(there_.V);
    if (T && differ(T - scale * here_.T)) names.emplace_back("kinetic energies");
    if (V && changes(V - scale * here_.V)) names.emplace_back("potential energies");
    const std::vector<Expr> mine = without_given(here_.F), others = without_given(there_.F);
    if (forces_differ(scale, mine, others)) names.emplace_back("forces");
    std::vector<Expr> rub, rub_there;
    for (std::size_t i = 0; i < here.size(); ++i) rub.push_back(here[i] - mine[i]);
    for (std::size_t i = 0; i < there.size(); ++i) rub_there.push_back(there[i] - others[i]);
    if (forces_differ(scale, rub, rub_there)) names.emplace_back("forces of friction");
    return names;
  }

  // Forces without those that depend on multipliers.
  static std::vector<Expr> without_given(const std::vector<Expr>& forces) {
    std::unordered_map<SymbolId, Expr> none;
    for (const SymbolId s : symbols_in(forces))
      if (forces.front().graph().symbol_info(s).kind == SymbolKind::kMultiplier)
        none.emplace(s, forces.front().graph().constant(0));
    std::vector<Expr> rest;
    for (const Expr& force : forces) rest.push_back(substitute(force, none));
    return rest;
  }

  bool differ(const Expr& zero) {
    GivenPoints points(graph_, states_, std::array{zero});
    return look_at_points(points, zero, zero_, Search::kDifference).difference.has_value();
  }

  // Whether a function of positions certainly changes along one of the free velocities.
  bool changes(const Expr& of_positions) {
    for (const Expr& slope : gradient(states_.apply(rate_of(of_positions)), free_))
      if (differ(slope)) return true;
    return false;
  }

  bool forces_differ(const Expr& scale, const std::vector<Expr>& here, const std::vector<Expr>& there) {
    for (std::size_t c = 0; c < free_.size(); ++c) {
      Expr difference = zero_;
      for (std::size_t d = 0; d < Z_.size(); ++d) difference = difference + scale * Z_[d][c] * here[d];
      for (std::size_t i = 0; i < JZ_.size(); ++i)
        if (const Expr force = translation_.moved(there[i])) difference = difference - JZ_[i][c] * force;
      if (differ(difference)) return true;
    }
    return false;
  }

  const bool given_;  // whether forces of one of the two depend on multipliers
  const GivenForces forces_here_, forces_there_;
  const Equations here_, there_;  // without one-sided constraints, with given forces
  Notation notation_;
  Graph& graph_;
  Expr zero_;
  KnownSigns signs_;
  Canonicalizer canonicalizer_;
  Conditions states_, motion_;  // the constraints of `here` on positions and velocities; on accelerations too
  Translation translation_;
  MappedClaims statements_;
  MappedLoads loads_;
  std::unordered_map<SymbolId, Expr> along_motion_;  // the rate of each symbol of the state of `here`, and of t
  std::vector<Expr> rates_;                          // the velocities of `there` by those of `here`
  std::vector<Expr> free_;                           // the free velocities of `here`
  std::vector<Direction> directions_;                // one for each free velocity of `here`
  std::vector<std::vector<Expr>> Z_, JZ_;  // rates of the coordinates of `here` and of `there` by the free velocities
  std::vector<std::vector<Expr>> W_there_;
  std::vector<int>
      independent_;  // by row of `here`: its place among those that do not follow from others on the states, or −1
  std::vector<int> open_rows_;                 // rows of `here` on positions that no condition could be made of
  std::vector<std::size_t> free_coordinates_;  // their indices
  Expr
      ratio_;  // the masses of `there` along them by those of `here`, where that is a positive number and forces depend on multipliers
  std::optional<Sliding> sliding_;
  bool sliding_tried_ = false;
  std::optional<Expr> factor_;  // of the first equation along a direction, with contacts
  ModelComparison result_;
};

}  // namespace

Diagnostics cannot_compare(std::string why, std::string help) {
  Diagnostic d = error("E0243", "these models cannot be compared");
  d.notes.push_back(std::move(why));
  if (!help.empty()) d.help.push_back(std::move(help));
  return {std::move(d)};
}

Result<ModelComparison> compare_mapped(const Equations& here, const Equations& there,
                                       const std::vector<StudyStatement::Named>& map, Notation notation) {
  return MappedComparison(here, there, notation).run(map);
}

}  // namespace dalembert
