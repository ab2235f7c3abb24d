// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/derive/affine.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/frame_momenta.h"
#include "dalembert/derive/jumps.h"
#include "dalembert/derive/momenta.h"
#include "dalembert/derive/quasi_velocities.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/energy_place.h"

namespace dalembert {
namespace {

// The largest number of nodes and operands that the graph of the derived equations may have: some 150 MB and a second
// or two of work. A chain of 10,000 links in the coordinates of each link has 1,330,000 of them once derived, a chain
// of 500 links in the links' angles 3,000,000.
constexpr std::size_t kMostGraphParts = 5'000'000;
// The largest number of entries of M: that of 500 velocities that are all coupled, whose compilation takes some seconds and 300 MB.
constexpr std::size_t kMostCoupled = 250'000;

class Derivation {
 public:
  explicit Derivation(std::shared_ptr<const Model> model)
      : model_(*model),
        graph_(*model->graph),
        canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(model_)) {
    eq_.model = std::move(model);
    eq_.graph = eq_.model->graph;
    eq_.t = model_.t;
    for (const Coordinate& c : model_.coordinates) {
      eq_.q.push_back(c.q);
      eq_.qd.push_back(c.qd);
      eq_.qdd.push_back(c.qdd);
      along_motion_.emplace(c.q.symbol(), c.qd);
      at_rest_.emplace(c.qd.symbol(), graph_.constant(0));
    }
    if (!model_.quaternions.empty()) use_angular_velocities();
    in_time_ = model_.time_rates();
    along_motion_.insert(in_time_.begin(), in_time_.end());
    positions_ = Variables(eq_.q);
    velocities_ = Variables(eq_.velocities());
  }

  Result<Equations> run() {
    const std::size_t before = graph_.most_parts();
    graph_.limit_parts(std::min(before, kMostGraphParts));
    Result<Equations> result = derive_all();
    graph_.limit_parts(before);
    return result;
  }

 private:
  Result<Equations> derive_all() {
    problems_ = model_.diagnostics();
    if (is_too_large() || has_errors(problems_)) return problems_;
    energies();
    if (is_too_large() || has_errors(problems_)) return problems_;
    equations_of_motion();
    if (is_too_large()) return problems_;
    forces();
    constraints();
    if (is_too_large() || has_errors(problems_)) return problems_;
    const Diagnostics of_velocities = check_quasi_velocities(eq_);
    problems_.insert(problems_.end(), of_velocities.begin(), of_velocities.end());
    split_forces();
    find_jumps_in_time();
    frictions();
    if (has_errors(problems_)) return problems_;
    find_conserved();
    if (is_too_large()) return too_large_;
    name_energies();
    eq_.nodes = graph_.size();
    graph_.share();
    return {std::move(eq_), std::move(problems_)};
  }

  // Outputs, events and claims that read an energy by name read T and V as they are in the equations.
  void name_energies() {
    const auto energy = [&](const char* which) { return model_.lambda(fmt::format("energy({})", which)); };
    const Expr kinetic = energy("kinetic"), potential = energy("potential"), total = energy("total");
    if (!kinetic && !potential && !total) return;
    std::unordered_map<SymbolId, Expr> values;
    if (kinetic) values.emplace(kinetic.symbol(), eq_.T);
    if (potential) values.emplace(potential.symbol(), eq_.V);
    if (total) values.emplace(total.symbol(), eq_.T + eq_.V);
    auto model = std::make_shared<Model>(model_);
    substitute_results(*model, graph_, values);
    const auto name_in = [&](Expr& e) {
      if (e) e = substitute(e, values);
    };
    for (Claim& claim : model->claims) {
      name_in(claim.value);
      name_in(claim.parts);
      for (ClaimCondition& given : claim.given)
        for (Expr* e : {&given.left, &given.right, &given.parts}) name_in(*e);
    }
    eq_.model = std::move(model);
  }

  Expr zero() { return graph_.constant(0); }

  // Once the graph is full, expressions built in it have no meaning. So every step of the derivation ends with this check.
  bool is_too_large() {
    if (too_large_.empty() && graph_.exhausted()) refuse_size(false);
    return !too_large_.empty();
  }
  void refuse_size(bool by_coupling) {
    Diagnostic d = error("E0904", fmt::format("the equations of motion of these {} are too large",
                                              counted(eq_.nv(), "velocity", "velocities")));
    if (by_coupling) {
      d.notes.push_back(fmt::format(
          "the kinetic energy couples more than {} pairs of velocities, each an entry of M; {} velocities may all be "
          "coupled with each other",
          kMostCoupled, static_cast<int>(std::sqrt(static_cast<double>(kMostCoupled)))));
    } else {
      d.notes.push_back(fmt::format(
          "written as a graph they have more than {} symbols, numbers, operations and operands", kMostGraphParts));
    }
    d.help.push_back(
        "coordinates of each body, with constraints between neighbours, give sparse equations: a chain of 10000 links "
        "is "
        "derived and simulated, see `dalembert models show n-link-chain-maximal`");
    problems_ = too_large_ = {std::move(d)};
  }

  // The velocities v are the rates of the coordinates, except for four coordinates that form a unit quaternion e: their
  // velocities are the angular velocity ω, with ė = ½ e ∘ (0, ω).
  void use_angular_velocities() {
    const std::vector<VelocityPlace> places = model_.velocity_places();
    eq_.N.rows = eq_.n(), eq_.N.cols = static_cast<int>(places.size());
    for (int j = 0; j < eq_.N.cols; ++j) {
      const VelocityPlace& place = places[at(j)];
      const std::string name = model_.velocity_name(place);
      const std::string latex =
          place.quaternion < 0
              ? print_symbol(graph_.symbol_info(eq_.qd[at(place.coordinate)].symbol()), Notation::kLatex)
              : fmt::format("\\omega_{{\\mathrm{{{}}},{}}}", model_.quaternions[at(place.quaternion)].frame,
                            "xyz"[place.axis]);
      eq_.v.push_back(graph_.add_symbol({name, SymbolKind::kQuasiVelocity, j, latex}));
      eq_.vdot.push_back(graph_.add_symbol({name, SymbolKind::kQuasiAcceleration, j, latex}));
      at_rest_.emplace(eq_.v.back().symbol(), zero());
    }
    // The entries of N, row by row.
    first_column_.assign(eq_.q.size(), -1);
    std::vector<std::array<Expr, 3>> half(eq_.q.size());  // per coordinate of a quaternion: its row of ½ E, ė = ½ E ω
    for (int j = 0; j < eq_.N.cols; ++j) {
      const VelocityPlace& place = places[at(j)];
      if (place.axis > 0) continue;
      if (place.quaternion < 0) {
        first_column_[at(place.coordinate)] = j;
        continue;
      }
      eq_.quaternions.push_back(place.coordinate);
      const auto e = [&](int k) { return eq_.q[at(place.coordinate + k)] / 2; };
      const std::array<Expr, 3> rows[4] = {
          {-e(1), -e(2), -e(3)}, {e(0), -e(3), e(2)}, {e(3), e(0), -e(1)}, {-e(2), e(1), e(0)}};
      for (int k = 0; k < 4; ++k) {
        first_column_[at(place.coordinate + k)] = j;
        half[at(place.coordinate + k)] = rows[k];
      }
      for (int axis = 0; axis < 3; ++axis)
        in_v_.emplace(model_.quaternions[at(place.quaternion)].omega[at(axis)].symbol(), eq_.v[at(j + axis)]);
    }
    for (int i = 0; i < eq_.n(); ++i) {
      const int j = first_column_[at(i)];
      if (!half[at(i)][0]) {
        add_entry(eq_.N, i, j, graph_.constant(1));
        in_v_.emplace(eq_.qd[at(i)].symbol(), eq_.v[at(j)]);
      } else {
        std::vector<Graph::Term> rate;
        for (int axis = 0; axis < 3; ++axis) {
          add_entry(eq_.N, i, j + axis, half[at(i)][at(axis)]);
          rate.push_back({half[at(i)][at(axis)] * eq_.v[at(j + axis)], 1});
        }
        in_v_.emplace(eq_.qd[at(i)].symbol(), graph_.sum(rate));
      }
      along_motion_[eq_.q[at(i)].symbol()] = in_v_.at(eq_.qd[at(i)].symbol());
    }
    eq_.n0.assign(eq_.q.size(), zero());
    half_ = std::move(half);
  }

  // Replaces the model's velocities in `e` by the velocities of the equations.
  Expr in_v(const Expr& e) { return in_v_.empty() || !e ? e : substitute(e, in_v_); }

  // Turns a gradient ∂/∂q into the gradient along the velocities, Nᵀ ∂/∂q; entries that are zero are left out.
  std::vector<std::pair<int, Expr>> along_velocities(std::vector<std::pair<int, Expr>> by_q) {
    if (eq_.v_is_qdot()) return by_q;
    std::map<int, std::vector<Graph::Term>> terms;
    for (const auto& [i, slope] : by_q) {
      const int j = first_column_[at(i)];
      if (!half_[at(i)][0])
        terms[j].push_back({slope, 1});
      else
        for (int axis = 0; axis < 3; ++axis) terms[j + axis].push_back({half_[at(i)][at(axis)] * slope, 1});
    }
    std::vector<std::pair<int, Expr>> by_v;
    for (const auto& [j, sum] : terms)
      if (const Expr slope = graph_.sum(sum); !slope.is_zero()) by_v.emplace_back(j, slope);
    return by_v;
  }
  std::vector<Expr> gradient_along_velocities(const Expr& e) {
    if (eq_.v_is_qdot()) return gradient(e, eq_.q);
    std::vector<Expr> slopes(eq_.v.size(), zero());
    for (const auto& [j, slope] : along_velocities(sparse_gradient(e, positions_))) slopes[at(j)] = slope;
    return slopes;
  }
  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }
  // The total time derivative at q̈ = 0.
  Expr rate(const Expr& e) { return directional_derivative(std::array{e}, along_motion_).front(); }
  // ∂/∂t at fixed q and q̇. Inputs that are known functions of t are differentiated as well.
  Expr explicit_rate(const Expr& e) { return directional_derivative(std::array{e}, in_time_).front(); }

  // `e` without terms that cancel; `e` itself where its canonical form would be too large.
  Expr cancelled(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  // A velocity on which `e` still depends once terms that cancel are removed, or null.
  Expr velocity_in(const Expr& e) {
    for (const int i : velocities_.in(e))
      if (const Expr& qd = eq_.velocities()[at(i)]; !vanishes(gradient(e, std::array{qd}).front())) return qd;
    return {};
  }

  // Whether M would have too many entries, found before any of them is built. A sample of the momenta comes first: it
  // decides clear cases without a visit to every momentum.
  bool couples_too_many() {
    const std::size_t n = eq_.p.size(), samples = 16;
    if (n * n <= kMostCoupled) return false;
    std::size_t coupled = 0;
    for (std::size_t k = 0; n > samples && k < samples; ++k) coupled += velocities_.in(eq_.p[k * n / samples]).size();
    if (coupled * (n / samples) > 2 * kMostCoupled) return true;
    coupled = 0;
    for (const Expr& p : eq_.p)
      if ((coupled += velocities_.in(p).size()) > kMostCoupled) return true;
    return false;
  }

  void energies() {
    if (model_.L) {
      eq_.L = in_v(model_.L);
      eq_.V = -substitute(eq_.L, at_rest_);
      eq_.T = eq_.L + eq_.V;
    } else {
      eq_.T = in_v(model_.T);
      eq_.V = model_.V;
      eq_.L = eq_.T - eq_.V;
    }
    eq_.p = gradient(eq_.T, eq_.velocities());
    if (couples_too_many()) return refuse_size(true);
    // For a large energy the rates of the momenta take most of the graph. They are built before M, so that equations
    // that are too large are refused early.
    if (graph_.parts() > kMostGraphParts / 4) differentiate_momenta();
    if (is_too_large()) return;
    eq_.M = hessian(eq_.T, eq_.velocities());
    if (model_.L) return;
    for (Expr& entry : eq_.M.value) {
      if (!kinds_.contains(entry, SymbolKind::kVelocity) && !kinds_.contains(entry, SymbolKind::kQuasiVelocity))
        continue;
      // A derivative of 0 does not prove independence: sign(q̇) has derivative 0 and still depends on q̇.
      entry = cancelled(entry);
      if (const std::vector<int> left = velocities_.in(entry); !left.empty()) {
        const Expr qd = eq_.velocities()[at(left.front())];
        Diagnostic d = error("E0220", "the kinetic energy is not quadratic in the velocities", model_.T_span,
                             fmt::format("its second derivatives depend on `{}`", to_text(qd)));
        d.help.push_back(
            "give such an energy as a whole: `lagrangian = \"...\"` in [energy], alone, may depend on velocities in "
            "any way");
        problems_.push_back(std::move(d));
        return;
      }
    }
  }

  void differentiate_momenta() {
    if (momentum_rate_.empty()) momentum_rate_ = directional_derivative(eq_.p, along_motion_);
  }

  void equations_of_motion() {
    differentiate_momenta();
    if (is_too_large()) return;
    const std::vector<Expr> T_q = gradient_along_velocities(eq_.T);
    for (int i = 0; i < eq_.nv(); ++i) eq_.B.push_back(momentum_rate_[at(i)] - T_q[at(i)]);
    add_gyroscopic();
    eq_.G = gradient_along_velocities(eq_.V);
    std::vector<Graph::Term> energy{{eq_.L, -1}};
    for (int i = 0; i < eq_.nv(); ++i) energy.push_back({eq_.velocities()[at(i)] * eq_.p[at(i)], 1});
    eq_.E = graph_.sum(energy);
    eq_.dLdt = explicit_rate(eq_.L);
  }

  // Adds ω × ∂T/∂ω for every frame whose attitude is a quaternion, because its axes turn with it (Poincaré; Greenwood, §4.5).
  void add_gyroscopic() {
    for (const int first : eq_.quaternions) {
      const std::size_t j = at(first_column_[at(first)]);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t a = j + (i + 1) % 3, b = j + (i + 2) % 3;
        eq_.B[j + i] = eq_.B[j + i] + eq_.v[a] * eq_.p[b];
        eq_.B[j + i] = eq_.B[j + i] - eq_.v[b] * eq_.p[a];
      }
    }
  }

  void forces() {
    for (const ConstraintRow* row : model_.rows()) multiplier_list_.push_back(row->lambda);
    multipliers_ = Variables(multiplier_list_);
    for (const Force& force : model_.forces)
      for (const Contribution& part : force.parts)
        with_multipliers_ = with_multipliers_ || kinds_.contains(part.along, SymbolKind::kMultiplier) ||
                            (part.factor && kinds_.contains(part.factor, SymbolKind::kMultiplier));
    std::vector<std::vector<Graph::Term>> F(at(eq_.nv()));
    const auto add_gradient = [&](const Expr& e, bool by_rate, const Expr& factor, const Rational& sign) {
      const auto slopes =
          by_rate ? sparse_gradient(in_v(e), velocities_) : along_velocities(sparse_gradient(e, positions_));
      for (const auto& [i, slope] : slopes) F[at(i)].push_back({factor ? slope * in_v(factor) : slope, sign});
    };
    for (const Force& force : model_.forces) {
      for (const Contribution& part : force.parts) {
        if (part.rate && !part.factor) require_linear_power(in_v(part.along), force.span);
        if (with_multipliers_)
          require_linear_in_multipliers(part.factor ? part.factor : part.along, "force", force.span);
        add_gradient(part.along, part.rate, part.factor, 1);
      }
    }
    if (!model_.R.is_zero()) add_gradient(model_.R, true, {}, -1);
    std::vector<Graph::Term> power;
    for (int i = 0; i < eq_.nv(); ++i) {
      eq_.F.push_back(graph_.sum(F[at(i)]));
      power.push_back({eq_.F.back() * eq_.velocities()[at(i)], 1});
    }
    eq_.power = graph_.sum(power);
  }

  void require_linear_power(const Expr& power, const Span& span) {
    for (const auto& [i, slope] : sparse_gradient(power, velocities_)) {
      const Expr qd = velocity_in(slope);
      if (!qd) continue;
      Diagnostic d = error(
          "E0221",
          fmt::format("this power is not linear in the velocities: its derivative depends on `{}`", to_text(qd)), span);
      d.notes.push_back("the derivative of a quadratic power is twice the damper's force");
      d.help.push_back(
          "write a damper as [[damper]] or as `dissipation = \"c/2*theta'^2\"` in [energy]; "
          "any other force that depends on velocities as [[force]] with coordinate and value");
      problems_.push_back(std::move(d));
      return;
    }
  }

  // Reports a multiplier in which `e` is not linear, and a multiplier that belongs to no constraint row.
  bool require_linear_in_multipliers(const Expr& e, std::string_view what, const Span& span) {
    if (!kinds_.contains(e, SymbolKind::kMultiplier)) return true;
    Expr used = e;
    Expr bad = not_affine_in(used, multipliers_);
    if (bad) bad = not_affine_in(cancelled(used), multipliers_);
    if (!bad) {
      for (const SymbolId id : symbols_in(std::array{e})) {
        if (graph_.symbol_info(id).kind != SymbolKind::kMultiplier) continue;
        const bool of_row = std::ranges::any_of(multiplier_list_, [&](const Expr& l) { return l.symbol() == id; });
        if (of_row) continue;
        problems_.push_back(
            error("E0213", fmt::format("a {} cannot depend on `{}`", what, to_text(graph_.symbol(id))), span));
        return false;
      }
      return true;
    }
    Diagnostic d = error("E0270", fmt::format("this {} is not linear in the multipliers", what), span,
                         fmt::format("`{}` occurs nonlinearly", to_text(bad)));
    d.help.push_back(what == "force"
                         ? "dry friction, mu*|N|, is a [[friction]]: it finds the sign of N and of the sliding"
                         : "write a normal force as w1(q,t)*lambda(row1) + ... + w0: its sign is found, no "
                           "abs() is needed");
    problems_.push_back(std::move(d));
    return false;
  }

  // Splits the forces into F₀, which is free of multipliers, and Φ λ.
  void split_forces() {
    eq_.Phi.rows = eq_.nv();
    eq_.Phi.cols = eq_.m();
    if (!with_multipliers_) return;
    std::unordered_map<SymbolId, Expr> none;
    for (const Expr& l : multiplier_list_) none.emplace(l.symbol(), zero());
    std::vector<Graph::Term> power;
    for (int i = 0; i < eq_.nv(); ++i) {
      const Expr whole = eq_.F[at(i)];
      for (const auto& [j, slope] : sparse_gradient(whole, multipliers_))
        add_entry(eq_.Phi, i, j, without(slope, none));
      eq_.F[at(i)] = substitute(whole, none);
      power.push_back({eq_.F[at(i)] * eq_.velocities()[at(i)], 1});
    }
    eq_.power = graph_.sum(power);
  }
  // `e` without multipliers, which it may contain only in terms that cancel. `none` maps every multiplier to 0.
  Expr without(const Expr& e, const std::unordered_map<SymbolId, Expr>& none) {
    return kinds_.contains(e, SymbolKind::kMultiplier) ? substitute(cancelled(e), none) : e;
  }

  void frictions() {
    eq_.C.rows = eq_.load.rows = static_cast<int>(model_.frictions.size());
    eq_.C.cols = eq_.nv();
    eq_.load.cols = eq_.m();
    std::unordered_map<SymbolId, Expr> none;
    for (const Expr& l : multiplier_list_) none.emplace(l.symbol(), zero());
    for (const Friction& stated : model_.frictions) {
      const int j = static_cast<int>(eq_.frictions.size());
      FrictionLaw law;
      law.name = stated.name;
      law.second = stated.second;
      law.normal = in_v(stated.normal);
      law.velocity = in_v(stated.velocity);
      if (not_affine_in(law.velocity, velocities_)) law.velocity = cancelled(law.velocity);
      if (const Expr qd = not_affine_in(law.velocity, velocities_)) {
        Diagnostic d = error(
            "E0271", fmt::format("the sliding speed of the friction `{}` is not affine in the velocities", stated.name),
            stated.velocity_span, fmt::format("`{}` occurs nonlinearly", to_text(qd)));
        d.help.push_back("a sliding speed has the form w1(q,t)*q1' + w2(q,t)*q2' + ... + w0(q,t)");
        problems_.push_back(std::move(d));
        continue;
      }
      if (!require_linear_in_multipliers(stated.normal, "normal force", stated.normal_span)) continue;
      law.mu = in_v(stated.coefficient);
      law.mu_s = in_v(stated.static_coefficient);
      law.viscous = in_v(stated.viscous);
      if (std::ranges::any_of(std::array{law.mu, law.mu_s, law.viscous},
                              [&](const Expr& e) { return kinds_.contains(e, SymbolKind::kMultiplier); })) {
        problems_.push_back(
            error("E0270", fmt::format("a coefficient of the friction `{}` depends on a multiplier", stated.name),
                  stated.span));
        continue;
      }
      for (const auto& [i, slope] : sparse_gradient(law.velocity, velocities_)) add_entry(eq_.C, j, i, slope);
      law.c0 = substitute(law.velocity, at_rest_);
      law.gamma = rate(law.velocity);
      for (const auto& [r, slope] : sparse_gradient(law.normal, multipliers_))
        add_entry(eq_.load, j, r, without(slope, none));
      law.N0 = substitute(law.normal, none);
      const int place = eq_.m() + j;
      const Symbol& symbol = graph_.symbol_info(stated.force.symbol());
      law.force = symbol.index == place
                      ? stated.force
                      : graph_.add_symbol({symbol.name, SymbolKind::kMultiplier, place, symbol.latex});
      eq_.frictions.push_back(std::move(law));
    }
  }

  void constraints() {
    for (const Constraint& constraint : model_.constraints)
      for (const ConstraintRow& row : constraint.rows) {
        if (constraint.unilateral) eq_.unilateral.push_back({eq_.m(), constraint.restitution});
        add_row(constraint.kind->velocity, row);
      }
    eq_.W.rows = eq_.Wdot.rows = eq_.m();
    eq_.W.cols = eq_.Wdot.cols = eq_.nv();
    if (!eq_.unilateral.empty()) refuse_beside_contacts();
  }

  // Reports what does not work beside one-sided constraints.
  void refuse_beside_contacts() {
    if (model_.quasi_velocities.empty()) return;
    const QuasiVelocity& first = model_.quasi_velocities.front();
    Diagnostic d =
        error("E0286", fmt::format("the quasi-velocity `{}` cannot stand beside one-sided constraints", first.name),
              first.span);
    d.help.emplace_back(
        "their number changes as contacts open and close: leave them out, or make the constraints bilateral");
    problems_.push_back(std::move(d));
  }

  void add_row(bool velocity_row, const ConstraintRow& row) {
    const int j = eq_.m();
    const bool holonomic = !velocity_row;
    // W and a are evaluated before velocities are known, so they must not contain velocities, not even in terms that cancel.
    Expr eta = holonomic ? row.expression : in_v(row.expression);
    if (!holonomic && not_affine_in(eta, velocities_)) {
      eta = cancelled(eta);
      if (const Expr qd = not_affine_in(eta, velocities_)) refuse_row(row, qd);
    }
    eq_.rows.push_back(row.name);
    eq_.lambda.push_back(row.lambda);
    eq_.h.push_back(holonomic ? row.expression : in_v(row.expression));
    std::vector<Graph::Term> velocity;
    const auto slopes =
        holonomic ? along_velocities(sparse_gradient(eta, positions_)) : sparse_gradient(eta, velocities_);
    for (const auto& [i, slope] : slopes) {
      add_entry(eq_.W, j, i, slope);
      if (const Expr d = rate(slope); !d.is_zero()) add_entry(eq_.Wdot, j, i, d);
      velocity.push_back({slope * eq_.velocities()[at(i)], 1});
    }
    if (holonomic) {
      eq_.holonomic.push_back(j);
      eq_.a.push_back(explicit_rate(row.expression));
      velocity.push_back({eq_.a.back(), 1});
      eq_.gamma.push_back(rate(graph_.sum(velocity)));
    } else {
      eq_.a.push_back(substitute(eta, at_rest_));
      eq_.gamma.push_back(rate(eta));
    }
  }

  void refuse_row(const ConstraintRow& row, const Expr& qd) {
    // Rows that one `for` of the model file generates share a place in it, and are reported once.
    for (const Diagnostic& d : problems_)
      if (d.code == "E0222" && d.primary.span.begin == row.span.begin && d.primary.span.source == row.span.source)
        return;
    Diagnostic d = error("E0222", fmt::format("the Pfaffian constraint `{}` is not affine in the velocities", row.name),
                         row.span, fmt::format("`{}` occurs nonlinearly", to_text(qd)));
    d.help.push_back("a Pfaffian constraint has the form w1(q,t)*q1' + w2(q,t)*q2' + ... + a(q,t) = 0");
    problems_.push_back(std::move(d));
  }

  // Replaces constant inputs by their values, so that a torque input of 0 does not spoil a conservation law.
  Expr with_constant_inputs(const Expr& e) {
    std::unordered_map<SymbolId, Expr> values;
    for (const Input& input : model_.inputs)
      if (input.value && input.value.is_constant()) values.emplace(input.symbol.symbol(), input.value);
    return values.empty() ? e : substitute(e, values);
  }

  // Reports prescribed coordinates that jump, or whose velocity jumps: the system cannot follow them.
  void find_jumps_in_time() {
    const double from = model_.initial.t;
    for (const Prescribed& one : model_.prescribed) {
      const auto jump = find_time_jump(graph_.adopt(one.value), model_, from,
                                       model_.simulation.until.value_or(std::numeric_limits<double>::infinity()));
      if (!jump) continue;
      const Coordinate& coordinate = model_.coordinates[at(one.coordinate)];
      Diagnostic d = error("E0323", fmt::format("the {}prescribed `{}` jumps at t = {:.8g} s, from {:.6g} to {:.6g}",
                                                jump->of_rate ? "velocity of the " : "", coordinate.name, jump->t,
                                                jump->before + 0.0, jump->after + 0.0));
      d.primary.span = one.span;
      d.notes.push_back(jump->of_rate
                            ? "its actuation would be an impulse, which the equations of motion do not contain"
                            : "a coordinate cannot jump");
      d.help.push_back(
          "a change over a short time can be followed, as `0.5*(1 + tanh((t - 1)/0.05))`, and so can samples from a "
          "file, which are read as a smooth spline");
      problems_.push_back(std::move(d));
    }
  }

  // Finds what the motion conserves. Prescribed coordinates count as further constraint rows.
  void find_conserved() {
    const Equations closed = with_prescribed_rows(eq_);
    std::vector<Expr> F;
    for (const Expr& e : eq_.F) F.push_back(with_constant_inputs(e));
    const auto all_vanish = [&](const std::vector<Expr>& list) {
      for (const Expr& e : list)
        if (!vanishes(e)) return false;
      return true;
    };
    const bool continuous = add_jumps(F);
    for (int i = 0; eq_.load_dependent() && i < eq_.nv(); ++i) F[at(i)] = F[at(i)] + eq_.whole_force(i) - eq_.F[at(i)];
    std::vector<Expr> a;
    for (const Expr& e : closed.a) a.push_back(with_constant_inputs(e));
    eq_.conservative = continuous && !eq_.load_dependent() && all_vanish(F) && all_vanish(a) &&
                       vanishes(with_constant_inputs(eq_.dLdt));
    eq_.momenta =
        eq_.v_is_qdot() ? find_momenta(closed, F, canonicalizer_) : find_frame_momenta(closed, F, canonicalizer_);
  }

  // A jump of the energy exerts an impulsive force that no derivative shows. Its size is unknown, so it may change every
  // momentum along the direction of the jump: it is added to F as an unknown force. Returns whether there is no jump.
  bool add_jumps(std::vector<Expr>& F) {
    const std::vector<Expr> in_T = find_jumps(eq_.T, model_);
    std::vector<Expr> jumps = find_jumps(eq_.V, model_);
    const std::size_t of_V = jumps.size();
    jumps.insert(jumps.end(), in_T.begin(), in_T.end());
    for (std::size_t k = 0; k < jumps.size(); ++k) {
      const Expr any = graph_.add_symbol(
          {fmt::format("jump{}", k + 1), SymbolKind::kInput, static_cast<int>(model_.inputs.size() + k), {}});
      const auto across = along_velocities(sparse_gradient(jumps[k], positions_));
      for (const auto& [i, slope] : across) F[at(i)] = F[at(i)] + any * slope;
      // A potential that switches at an instant does work, but its force is right before and after the switch: no warning.
      if (k < of_V && across.empty()) continue;
      const bool potential = k < of_V;
      Diagnostic d =
          warning("W0220", fmt::format("the {} energy is not continuous where `{}` changes its {}",
                                       potential ? "potential" : "kinetic", to_text(jumps[k]),
                                       is_floor(jumps[k], potential ? eq_.V : eq_.T) ? "integer part" : "sign"));
      d.primary.span = energy_place(model_, potential);
      d.notes.push_back("the jump means an impulsive force, which the equations of motion do not contain");
      d.help.push_back("a ramp over a short distance, as `max(0, min(1, x/0.001))`, has a force");
      problems_.push_back(std::move(d));
    }
    return jumps.empty();
  }
  bool is_floor(const Expr& guard, const Expr& energy) {
    for (const NodeId id : reachable(std::array{energy}))
      if (graph_.op(id) == Op::kFloor && graph_.items(id)[0].node == guard.id()) return true;
    return false;
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Model& model_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  Equations eq_;
  Diagnostics problems_, too_large_;
  std::vector<Expr> momentum_rate_;  // ṗ at q̈ = 0: rates of the momenta
  std::unordered_map<SymbolId, Expr> along_motion_, in_time_, at_rest_;
  Variables positions_{{}}, velocities_{{}}, multipliers_{{}};
  std::vector<Expr> multiplier_list_;  // the λ of every constraint row
  bool with_multipliers_ = false;      // some force depends on a multiplier
  // Used only where v is not q̇: the model's velocities in terms of v; for each row of N the column of its first entry;
  // for each coordinate of a quaternion its row of ½ E.
  std::unordered_map<SymbolId, Expr> in_v_;
  std::vector<int> first_column_;
  std::vector<std::array<Expr, 3>> half_;
  KindMasks kinds_;
};

}  // namespace

Result<Equations> derive(std::shared_ptr<const Model> model) { return Derivation(std::move(model)).run(); }

std::vector<ConservedQuantity> conserved_quantities(const Equations& equations) {
  std::vector<ConservedQuantity> all = equations.momenta;
  if (equations.conservative) all.insert(all.begin(), {"energy", equations.E});
  return all;
}

std::optional<Dimension> lambda_dimension(const Model& model, const Constraint& constraint, const ConstraintRow& row) {
  if (!model.has_units || !row.dimension) return std::nullopt;
  return (constraint.kind->velocity ? Dimension::power_unit() : Dimension::energy()) / *row.dimension;
}

}  // namespace dalembert
