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
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/analyze/audit/same_equation.h"
#include "dalembert/analyze/audit/translation.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/equation_of_motion.h"
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

class MappedComparison {
 public:
  MappedComparison(const Equations& here, const Equations& there, Notation notation)
      : forces_here_(with_given_forces(here, here.load_dependent() || there.load_dependent())),
        forces_there_(with_given_forces(there, false)),
        here_(with_prescribed_rows(while_open(forces_here_.equations))),
        there_(with_prescribed_rows(while_open(forces_there_.equations))),
        contacts_here_(contacts_of(here)),
        contacts_there_(contacts_of(there)),
        notation_(notation),
        graph_(*here_.graph),
        zero_(graph_.constant(0)),
        signs_(known_signs(*here_.model)),
        canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(here_)),
        states_(canonicalizer_, signs_),
        motion_(states_),
        translation_(here_, there_) {}

  Result<ModelComparison> run(const std::vector<StudyStatement::Named>& written) {
    Result<CoordinateMap> map = read_coordinate_map(here_, there_, written);
    if (!map) return map.diagnostics();
    set_symbols(map->q);
    judge_attitudes(map->q);
    result_.map = std::move(map->texts);
    result_.equations = !written.empty();
    if (Diagnostics problems = use_constraints(); !problems.empty()) return problems;
    if (!judge_rows() || !judge_contacts() || !judge_loads() || !set_directions()) return missing();
    const Result<bool> same_freedoms = judge_freedoms(written.empty() ? Span{} : written.front().text.trimmed().span());
    if (!same_freedoms) return same_freedoms.diagnostics();
    if (*same_freedoms && result_.report.count(ClaimVerdict::kProved) == static_cast<int>(claims().size()))
      judge_equations();
    result_.as_numbers = translation_.as_numbers();
    return std::move(result_);
  }

 private:
  std::vector<AuditedClaim>& claims() { return result_.report.claims; }

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
    for (const int j : here_.holonomic) {
      const Expr& h = here_.h[static_cast<std::size_t>(j)];
      const Conditions::Outcome outcome = states_.add(h, zero_);
      if (outcome == Conditions::Outcome::kContradiction) return unsolvable(j);
      if (outcome == Conditions::Outcome::kUnsolvable || outcome == Conditions::Outcome::kDividesByZero)
        open_rows_.push_back(j);
      given_.push_back(print_shortest(canonicalizer_, h, notation_) + " = 0");
    }
    states_.solve_last(all_but_velocities());
    const std::size_t before = states_.solved().size();
    for (int j = 0; j < here_.m(); ++j) {
      const Expr row = velocity_of_row(here_, j);
      if (!is_used(states_.add(row, zero_))) return unsolvable(j);
      if (std::ranges::find(here_.holonomic, j) == here_.holonomic.end())
        given_.push_back(print_equation(canonicalizer_, row, notation_) + " = 0");
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

  static bool is_used(Conditions::Outcome outcome) {
    return outcome == Conditions::Outcome::kAdded || outcome == Conditions::Outcome::kRedundant;
  }

  Diagnostics unsolvable(int row) const {
    return cannot_compare(fmt::format("the constraint `{}` of {} cannot be solved for a velocity",
                                      here_.rows[static_cast<std::size_t>(row)], here_.model->name));
  }

  std::vector<SymbolId> all_but_velocities() const {
    std::vector<SymbolId> symbols{here_.t.symbol()};
    for (const Expr& q : here_.q) symbols.push_back(q.symbol());
    for (const Parameter& p : here_.model->parameters) symbols.push_back(p.symbol.symbol());
    for (const Input& input : here_.model->inputs) symbols.push_back(input.symbol.symbol());
    return symbols;
  }

  // --- statements

  AuditedClaim statement(std::string entry) {
    AuditedClaim claim;
    claim.source = there_.model->name;
    claim.entry = std::move(entry);
    claim.given = given_;
    return claim;
  }

  static void decide(AuditedClaim& claim, ClaimVerdict verdict, std::string note = {}) {
    claim.verdict = verdict;
    claim.exact = verdict != ClaimVerdict::kUndecided;
    claim.note = std::move(note);
  }

  // What a proof on states takes for granted: that nothing by which it divided is 0.
  void assume(AuditedClaim& claim, const std::vector<Expr>& nonzero, const std::vector<SymbolId>& with_sign) {
    const auto add = [&](const std::string& text) {
      if (std::ranges::find(claim.assuming, text) == claim.assuming.end()) claim.assuming.push_back(text);
    };
    for (const Expr& e : nonzero)
      for (const std::string& text : must_not_vanish(canonicalizer_, e, signs_, notation_)) add(text);
    for (const SymbolId s : with_sign) add(sign_text(graph_, s, signs_, notation_));
  }

  // Whether the two are equal where the conditions hold, and have a value somewhere there.
  bool proved_equal(AuditedClaim& claim, const Conditions& conditions, const Expr& a, const Expr& b) {
    const Expr left = conditions.apply(a), right = conditions.apply(b);
    Identities identities(canonicalizer_, signs_);
    const bool by_form = proves_equal(canonicalizer_, left, right);
    if (!by_form && !proves_equal(canonicalizer_, identities.normalized(left), identities.normalized(right)))
      return false;
    GivenPoints points(graph_, conditions, std::array{a, b});
    if (look_at_points(points, a, b, Search::kAnyValue).points == 0) return false;
    decide(claim, ClaimVerdict::kProved);
    if (proves_equal(canonicalizer_, a, b)) return true;
    assume(claim, conditions.divisors(), conditions.positive());
    if (!by_form) assume(claim, identities.nonzero(), identities.signs_used());
    return true;
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
      AuditedClaim claim = statement("attitude " + there_.model->coordinates[static_cast<std::size_t>(first)].name);
      claim.claimed = print_shortest(canonicalizer_, graph_.sum(squares), notation_) + " = 1";
      GivenPoints points(graph_, states_, squares);
      const Evidence found = look_at_points(points, graph_.constant(1), graph_.sum(squares), Search::kDifference);
      if (found.difference) {
        decide(claim, ClaimVerdict::kDisproved, "its four formulas are no quaternion of norm 1");
        claim.point = counter_example(graph_, *found.difference, notation_);
      } else {
        decide(claim, ClaimVerdict::kUndecided, fmt::format("its norm is 1 at {} random states", found.points));
      }
      claims().push_back(std::move(claim));
    }
  }

  // --- one-sided constraints
  //
  // With h' = k h and k > 0 both are closed and open together, and (J Z)ᵀ W'ᵀ = k Zᵀ Wᵀ: a multiplier λ' = λ/k acts as λ does. So the
  // two move the same in every mode if they do while all contacts are open, by equations that are multiples of each other by one
  // positive number, and if the restitutions are the same.

  struct Contact {
    std::string name;
    Expr h, restitution;
  };
  static std::vector<Contact> contacts_of(const Equations& eq) {
    std::vector<Contact> contacts;
    for (const UnilateralRow& one : eq.unilateral)
      contacts.push_back(
          {eq.rows[static_cast<std::size_t>(one.row)], eq.h[static_cast<std::size_t>(one.row)], one.restitution});
    return contacts;
  }
  static Equations while_open(const Equations& equations) {
    const Equations eq = on_overlay(equations);
    return eq.unilateral.empty() ? eq : hold_contacts(eq, std::vector<char>(eq.unilateral.size(), 0));
  }

  // Whether each contact of `there` is one of `here`; false where a symbol is missing.
  bool judge_contacts() {
    std::vector<bool> used(contacts_here_.size());
    for (const Contact& one : contacts_there_) {
      const Expr h = translation_.moved(one.h);
      const Expr restitution = one.restitution ? translation_.moved(one.restitution) : zero_;
      if (!h || !restitution) return false;
      AuditedClaim claim = statement("contact " + one.name);
      claim.claimed = print_shortest(canonicalizer_, h, notation_) + " >= 0";
      judge_contact(claim, h, restitution, used);
      claims().push_back(std::move(claim));
    }
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (used[k]) continue;
      AuditedClaim claim = statement("contact " + contacts_here_[k].name);
      claim.correct = print_shortest(canonicalizer_, graph_.adopt(contacts_here_[k].h), notation_) + " >= 0";
      decide(claim, ClaimVerdict::kUndecided, "no contact there was proved to be this one");
      claims().push_back(std::move(claim));
    }
    return true;
  }

  void judge_contact(AuditedClaim& claim, const Expr& h, const Expr& restitution, std::vector<bool>& used) {
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (used[k]) continue;
      const Contact& here = contacts_here_[k];
      const Expr h_here = graph_.adopt(here.h);
      const std::optional<Expr> factor = proves_equal(canonicalizer_, states_.apply(h), states_.apply(h_here))
                                             ? std::optional(graph_.constant(1))
                                             : constant_factor(canonicalizer_, states_.apply(h_here), states_.apply(h));
      if (!factor || !always_positive(*factor, signs_)) continue;
      used[k] = true;
      claim.correct = print_shortest(canonicalizer_, h_here, notation_) + " >= 0";
      const Expr bounce = here.restitution ? graph_.adopt(here.restitution) : zero_;
      if (!proves_equal(canonicalizer_, bounce, restitution))
        return decide(claim, ClaimVerdict::kUndecided, "the restitutions were not proved to be the same");
      decide(claim, ClaimVerdict::kProved,
             claim.entry == "contact " + here.name ? "" : "it is the contact " + here.name + " here");
      return assume(claim, states_.divisors(), states_.positive());
    }
    decide(claim, ClaimVerdict::kUndecided, "it was not proved to be a contact of the other model");
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
    AuditedClaim claim = statement("constraint " + name);
    claim.claimed =
        (holonomic ? print_shortest(canonicalizer_, row, notation_) : print_equation(canonicalizer_, row, notation_)) +
        " = 0";
    if (proved_equal(claim, states_, row, zero_)) return claim;
    // A multiple of a row of `here` is 0 with it, also where that row cannot be solved.
    for (const int j : here_.holonomic)
      if (constant_factor(canonicalizer_, here_.h[static_cast<std::size_t>(j)], row)) {
        decide(claim, ClaimVerdict::kProved);
        return claim;
      }
    GivenPoints points(graph_, states_, std::array{row});
    const Evidence evidence = look_at_points(points, zero_, row, Search::kDifference);
    if (!evidence.difference) {
      decide(claim, ClaimVerdict::kUndecided, fmt::format("it holds at {} random states", evidence.points));
    } else if (!open_rows_.empty()) {
      decide(claim, ClaimVerdict::kUndecided, open_text());
    } else {
      decide(claim, ClaimVerdict::kDisproved, "a state that keeps the constraints here does not keep this one");
      claim.difference = print_shortest(canonicalizer_, -states_.apply(row), notation_);
      claim.point = counter_example(graph_, *evidence.difference, notation_);
    }
    return claim;
  }

  // --- forces that depend on multipliers (given_forces.h)

  // Proves that every friction, and every multiplier in a force, of `there` is one of `here`; false where a symbol is missing. Equations are compared
  // with the same given forces in both.
  bool judge_loads() {
    LoadMatches matches{translation_, canonicalizer_};
    if (!matches.of_rows(forces_here_, forces_there_) || !matches.of_frictions(forces_here_, forces_there_, states_))
      return false;
    for (const auto& [j, match] : matches.rows()) {
      const Expr& there = there_.lambda[j];
      AuditedClaim claim = statement("lambda " + there_.rows[j]);
      if (match.factor) {
        claim.correct = print_shortest(canonicalizer_, here_.lambda[match.index] / match.factor, notation_);
        if (!proved_load(claim, here_.lambda[match.index] / match.factor, there)) not_same(claim, "multipliers");
      } else {
        decide(claim, ClaimVerdict::kUndecided, "it was not proved to be a multiple of a row of the other model");
      }
      claims().push_back(std::move(claim));
    }
    for (std::size_t i = 0; i < forces_here_.loads.size(); ++i) {
      if (!forces_here_.acts[i] || is_matched(matches.rows(), i)) continue;
      AuditedClaim claim = statement("lambda " + here_.rows[i]);
      decide(claim, ClaimVerdict::kUndecided, "forces here depend on it, and none there");
      claims().push_back(std::move(claim));
    }
    for (const auto& [j, match] : matches.frictions()) {
      AuditedClaim claim = statement("friction " + forces_there_.frictions[j].name);
      if (match.factor)
        judge_friction(claim, forces_here_.frictions[match.index], forces_there_.frictions[j], match);
      else
        decide(claim, ClaimVerdict::kUndecided, "no friction of the other model was proved to have its sliding speed");
      claims().push_back(std::move(claim));
    }
    for (std::size_t i = 0; i < forces_here_.frictions.size(); ++i) {
      if (is_matched(matches.frictions(), i)) continue;
      AuditedClaim claim = statement("friction " + forces_here_.frictions[i].name);
      decide(claim, ClaimVerdict::kUndecided, "no friction there was proved to be this one");
      claims().push_back(std::move(claim));
    }
    return true;
  }

  // |f'| ≤ μ'|N'| with f' = f/κ is |f| ≤ |κ| μ'|N'|; viscous friction c' v' is κ² c' v.
  void judge_friction(AuditedClaim& claim, const FrictionLaw& here, const FrictionLaw& there, const LoadMatch& match) {
    const Expr& factor = match.factor;
    const auto limit = [&](const FrictionLaw& law, const Expr& mu) { return mu ? mu * law.normal : zero_; };
    const Expr viscous = there.viscous ? translation_.moved(there.viscous) : zero_;
    claim.correct = print_shortest(canonicalizer_, here.velocity, notation_);
    bool same =
        viscous && proved_equal(claim, states_, here.viscous ? here.viscous : zero_, graph_.power(factor, 2) * viscous);
    for (const auto mu : {&FrictionLaw::mu, &FrictionLaw::mu_s}) {
      const Expr mine = limit(here, here.*mu), other = limit(there, there.*mu);
      same = same && (proved_load(claim, mine / factor, other) || proved_load(claim, -mine / factor, other));
    }
    if (same) return assume(claim, {factor}, {});
    not_same(claim, "laws of friction");
    if (!match.only) return;
    for (const auto mu : {&FrictionLaw::mu, &FrictionLaw::mu_s})
      disprove_load(claim, limit(here, here.*mu) / factor, limit(there, there.*mu));
  }

  void not_same(AuditedClaim& claim, const std::string& what) {
    decide(claim, ClaimVerdict::kUndecided, fmt::format("the {} were not proved to be the same", what));
  }

  // Whether two forces, linear in the multipliers of their models, are the same on all states, for all given forces.
  bool proved_load(AuditedClaim& claim, const Expr& here, const Expr& there) {
    const Expr mine = solved_here_.of(here), other = solved_there_.of(there);
    const Expr moved = other ? translation_.moved(other) : Expr();
    return mine && moved && proved_equal(claim, states_, mine, moved);
  }

  // Disproves that two forces have the same size, at a state, where they do not depend on the given forces.
  void disprove_load(AuditedClaim& claim, const Expr& here, const Expr& there) {
    const Expr mine = solved_here_.of(here), other = solved_there_.of(there);
    const Expr moved = other ? translation_.moved(other) : Expr();
    if (!mine || !moved || depends_on_kind(mine, SymbolKind::kMultiplier) ||
        depends_on_kind(moved, SymbolKind::kMultiplier))
      return;
    const std::array sizes{abs(mine), abs(moved)};
    GivenPoints points(graph_, states_, sizes);
    const Evidence found = look_at_points(points, sizes[0], sizes[1], Search::kDifference);
    if (!found.difference || !open_rows_.empty()) return;
    decide(claim, ClaimVerdict::kDisproved, "it can hold another force there");
    claim.point = counter_example(graph_, *found.difference, notation_);
  }

  // --- freedoms

  // The free velocities of `here` and the equations along them; false where a symbol is missing.
  bool set_directions() {
    const auto n = static_cast<std::size_t>(here_.nv());
    for (std::size_t c = 0; c < n; ++c)
      if (const Expr& velocity = here_.velocities()[c]; !states_.replacements().contains(velocity.symbol())) {
        directions_.push_back({c, zero_, zero_});
        free_.push_back(velocity);
      }
    std::unordered_map<SymbolId, Expr> no_multipliers;
    for (const Expr& lambda : here_.lambda) no_multipliers.emplace(lambda.symbol(), zero_);
    for (std::size_t d = 0; d < n; ++d) {
      Z_.push_back(gradient(states_.apply(here_.velocities()[d]), free_));
      const Expr eom = substitute(equation_of_motion(here_, static_cast<int>(d)), no_multipliers);
      for (std::size_t c = 0; c < free_.size(); ++c) directions_[c].here = directions_[c].here + Z_[d][c] * eom;
    }
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      const Expr eom = translation_.moved(equation_of_motion(there_, static_cast<int>(i)));
      if (!eom) return false;
      JZ_.push_back(gradient(states_.apply(rates_[i]), free_));
      for (std::size_t c = 0; c < free_.size(); ++c) directions_[c].there = directions_[c].there + JZ_[i][c] * eom;
    }
    W_there_.assign(there_.rows.size(), std::vector<Expr>(rates_.size(), zero_));
    for (std::size_t k = 0; k < there_.W.value.size(); ++k) {
      const Expr entry = translation_.moved(there_.W.value[k]);
      if (!entry) return false;
      W_there_[static_cast<std::size_t>(there_.W.row[k])][static_cast<std::size_t>(there_.W.col[k])] = entry;
    }
    return true;
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
    AuditedClaim claim = statement("freedoms");
    claim.correct = std::to_string(here);
    claim.claimed = std::to_string(at_most);
    if (at_most == here) {
      if (here_.m() == 0 && there_.m() == 0) return true;
      decide(claim, ClaimVerdict::kProved);
    } else if (at_least > here) {
      claim.claimed = at_least == at_most ? claim.claimed : fmt::format("{} or more", at_least);
      decide(claim, ClaimVerdict::kDisproved, "there the system can move in more ways");
    } else {
      decide(claim, ClaimVerdict::kUndecided, "how many of the constraints there are independent was not decided");
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

  void judge_equations() {
    std::vector<std::pair<std::size_t, const Direction*>> open;
    for (const Direction& along : directions_) {
      const std::string name = motion_names(here_)[along.coordinate];
      const bool rate = here_.model->coordinate_index(name) >= 0;
      AuditedClaim claim = statement(here_.m() == 0 ? fmt::format("eom[{}]", name)
                                                    : fmt::format("eom along {}{}", name, rate ? "'" : ""));
      claim.correct = print_equation(canonicalizer_, motion_.apply(along.here), notation_) + " = 0";
      claim.claimed = print_equation(canonicalizer_, motion_.apply(along.there), notation_) + " = 0";
      if (!same_along(claim, along)) open.emplace_back(claims().size(), &along);
      claims().push_back(std::move(claim));
    }
    for (const auto& [index, along] : open) {
      judge_on_motions(claims()[index], *along);
      // Equations that have the same motions without contacts may answer the forces of contacts in another way.
      if (claims()[index].verdict == ClaimVerdict::kProved && !contacts_here_.empty())
        decide(claims()[index], ClaimVerdict::kUndecided,
               "the motions without contacts are the same, but not the equations: what contacts do is not decided");
    }
  }

  // Whether both are the same equation along this direction, proved.
  bool same_along(AuditedClaim& claim, const Direction& along) {
    if (proved_equal(claim, motion_, along.here, along.there)) return same_with_contacts(claim, graph_.constant(1));
    const std::array original{along.here, along.there};
    const EquationVerdict same =
        same_equation(canonicalizer_, motion_, motion_.apply(along.here), motion_.apply(along.there), original);
    if (same.kind != EquationVerdict::Kind::kSame) return false;
    const std::string factor = print_shortest(canonicalizer_, same.factor, notation_);
    decide(claim, ClaimVerdict::kProved, fmt::format("the same equation times {}", factor));
    assume(claim, motion_.divisors(), motion_.positive());
    assume(claim, {same.factor, graph_.power(same.factor, Rational(-1))}, {});
    assume(claim, same.nonzero, same.signs_used);
    return same_with_contacts(claim, same.factor);
  }

  // Contacts act the same where the equations along all directions are multiples by one positive number.
  bool same_with_contacts(AuditedClaim& claim, const Expr& factor) {
    if (contacts_here_.empty()) return true;
    if (!factor_) factor_ = factor;
    if (!factor_->same(factor) || !always_positive(factor, signs_))
      decide(claim, ClaimVerdict::kUndecided,
             fmt::format(
                 "the same equation times {}, and not all of them times one positive number: what contacts do is not "
                 "decided",
                 print_shortest(canonicalizer_, factor, notation_)));
    return true;
  }

  // Decides whether the motion of `here` satisfies an equation of `there`, which is not one equation of `here` alone.
  void judge_on_motions(AuditedClaim& claim, const Direction& along) {
    const MotionComparison evidence = compare_motion(here_, states_, zero_, along.there);
    if (!evidence.difference) return judge_by_formulas(claim, along, evidence.points);
    if (!open_rows_.empty()) return decide(claim, ClaimVerdict::kUndecided, open_text());
    if (differs_by_given_forces(along))
      return decide(
          claim, ClaimVerdict::kUndecided,
          "it differs for some forces that depend on multipliers, and was not proved to for those of the model");
    decide(claim, ClaimVerdict::kDisproved, differing_parts());
    claim.difference = print_shortest(canonicalizer_, motion_.apply(along.here - along.there), notation_);
    claim.point = counter_example(graph_, *evidence.difference, notation_);
  }

  // Whether the difference depends on forces that are taken for given, by themselves or by what they accelerate.
  bool differs_by_given_forces(const Direction& along) {
    if (forces_here_.frictions.empty() && std::ranges::find(forces_here_.acts, true) == forces_here_.acts.end())
      return false;
    const Expr difference = motion_.apply(along.here - along.there);
    const auto form = canonicalizer_.canonical(difference);
    const Expr clean = form ? canonicalizer_.expression(*form) : difference;
    return std::ranges::any_of(symbols_in(std::array{clean}),
                               [&](SymbolId s) { return is_result(graph_.symbol_info(s).kind); });
  }

  void judge_by_formulas(AuditedClaim& claim, const Direction& along, int points) {
    if (points == 0)
      return decide(claim, ClaimVerdict::kUndecided,
                    "no state was found that determines all accelerations and multipliers");
    if (const auto solved = build_closed_form(here_); solved && regular_there()) {
      std::unordered_map<SymbolId, Expr> accelerations;
      for (std::size_t i = 0; i < solved->qdd.size(); ++i)
        accelerations.emplace(here_.accelerations()[i].symbol(), solved->qdd[i]);
      if (proved_equal(claim, states_, substitute(along.there, accelerations), zero_)) {
        claim.note = "every motion here satisfies it";
        return;
      }
    }
    decide(claim, ClaimVerdict::kUndecided, fmt::format("every motion here satisfies it at {} random states", points));
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

  // Which of the parts of the equations certainly differ: "the potential energies differ".
  std::string differing_parts() {
    if (!parts_) {
      std::vector<std::string> names;
      const Expr T = translation_.moved(there_.T), V = translation_.moved(there_.V);
      if (T && differ(T - here_.T)) names.emplace_back("kinetic energies");
      if (V && changes(V - here_.V)) names.emplace_back("potential energies");
      if (forces_differ()) names.emplace_back("forces");
      parts_ = names.empty() ? std::string() : fmt::format("the {} differ", join_words(names, ""));
    }
    return *parts_;
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

  bool forces_differ() {
    for (std::size_t c = 0; c < directions_.size(); ++c) {
      Expr difference = zero_;
      for (std::size_t d = 0; d < Z_.size(); ++d) difference = difference + Z_[d][c] * here_.F[d];
      for (std::size_t i = 0; i < JZ_.size(); ++i)
        if (const Expr force = translation_.moved(there_.F[i])) difference = difference - JZ_[i][c] * force;
      if (differ(difference)) return true;
    }
    return false;
  }

  const GivenForces forces_here_, forces_there_;
  const Equations here_, there_;  // without one-sided constraints, with given forces
  SolvedLoads solved_here_{here_}, solved_there_{there_};
  const std::vector<Contact> contacts_here_, contacts_there_;
  Notation notation_;
  Graph& graph_;
  Expr zero_;
  KnownSigns signs_;
  Canonicalizer canonicalizer_;
  Conditions states_, motion_;  // the constraints of `here` on positions and velocities; on accelerations too
  Translation translation_;
  std::unordered_map<SymbolId, Expr> along_motion_;  // the rate of each symbol of the state of `here`, and of t
  std::vector<Expr> rates_;                          // the velocities of `there` by those of `here`
  std::vector<Expr> free_;                           // the free velocities of `here`
  std::vector<Direction> directions_;                // one for each free velocity of `here`
  std::vector<std::vector<Expr>> Z_, JZ_;  // rates of the coordinates of `here` and of `there` by the free velocities
  std::vector<std::vector<Expr>> W_there_;
  std::vector<int> open_rows_;  // rows of `here` on positions that no condition could be made of
  std::vector<std::string> given_;
  std::optional<std::string> parts_;
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
  for (const Equations* equations : {&here, &there}) {
    if (equations->load_dependent() && !(here.unilateral.empty() && there.unilateral.empty()))
      return cannot_compare(fmt::format("forces of {} depend on multipliers, and there are one-sided constraints",
                                        equations->model->name),
                            "leave them out of both to compare the rest");
  }
  return MappedComparison(here, there, notation).run(map);
}

}  // namespace dalembert
