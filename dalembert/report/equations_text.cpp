// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_text.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/derive/multiplier_system.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/expr/unicode.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equation_listing.h"
#include "dalembert/report/equation_phrases.h"
#include "dalembert/report/symbol_table.h"
#include "dalembert/report/unicode_layout.h"
#include "dalembert/tape/tape.h"

namespace dalembert {
namespace {

// Without being asked for, closed forms are tried only for at most kSmallSystem coordinates and rows together, and
// printed only if their cost (about their number of symbols and functions, algebra/gather.h) is at most kShortCost.
constexpr int kSmallSystem = 8, kShortCost = 70;
// Largest cost (algebra/gather.h) of kinematic formulas that are printed without being asked for.
constexpr int kShortKinematics = 400;
// Most operations of rates in closed form that are read.
constexpr std::size_t kMostReadRates = 100;

class Listing : public EquationListing {
 public:
  using EquationListing::EquationListing;

  std::string print() {
    collect();
    // A single part is meant to be pasted elsewhere and gets no heading.
    if (latex() && format_.only.size() == 1 && !format_.layout.standalone)
      for (EquationSheet::Block& block : sheet_.blocks) block.title.clear();
    const Graph& graph = *eq_.graph;
    if (latex()) return lay_out_latex(sheet_, graph, format_.layout);
    return plain() ? lay_out_text(sheet_, graph) : lay_out_unicode(sheet_, graph, format_.columns);
  }

  std::vector<LatexBlock> blocks() {
    collect();
    return lay_out_latex_blocks(sheet_, *eq_.graph, format_.layout);
  }

 private:
  void collect() {
    collect_blocks();
    count();
    sheet_.definitions = shared_.take_definitions();
    printer_.reset();  // frees the printer's caches, which take more memory than the sheet
  }

  void collect_blocks() {
    sheet_.notation = format_.notation;
    if (format_.only.empty() || !latex()) heading();
    if (format_.only.empty() && !eq_.v_is_qdot()) kinematics();
    if (format_.only.empty() && latex()) form_of_the_equations();
    if (format_.only.empty()) energies();
    if (wanted("M")) matrix("M", "Mass matrix", eq_.M, true);
    if (wanted("B")) vector("B", "Velocity-dependent terms", eq_.B);
    if (wanted("G")) vector("G", "Potential forces", eq_.G);
    if (wanted("F")) vector("F", "Other forces", whole_forces());
    if (eq_.m() > 0) {
      if (wanted("W")) matrix("W", "Constraint matrix", eq_.W, false);
      if (asked("Wdot")) matrix("Wdot", "Rate of the constraint matrix", eq_.Wdot, false);
      if (wanted("a"))
        rows("a", "Constraints at velocity level, $\\mathbf{W} \\dot{\\mathbf{q}} + \\mathbf{a} = \\mathbf{0}$", eq_.a,
             !asked("a"));
      if (wanted("gamma"))
        rows("gamma",
             "Constraints at acceleration level, $\\mathbf{W} \\ddot{\\mathbf{q}} + \\boldsymbol{\\gamma} = "
             "\\mathbf{0}$",
             eq_.gamma, false);
    }
    zeros();
    if (wanted("eom")) equations_of_motion();
    if (wanted("eom") && eq_.m() > 0) constraints();
    if (wanted("eom") && !eq_.frictions.empty()) frictions();
    if (!eq_.model->prescribed.empty()) {
      if (format_.only.empty()) prescribed();
      if (wanted("kinematic") && eq_.v_is_qdot()) kinematic();
    }
    if (wanted("lambda") && eq_.m() > 0) multipliers();
    if ((asked("D") || format_.multiplier_system) && eq_.m() > 0) multiplier_system();
    if (asked("qdd")) accelerations();
    if (asked("actuation")) actuations();
    if (asks_for_reduced(eq_, format_.only)) reduced();
    if (format_.only.empty()) conserved();
  }

  void heading() {
    const Model& model = *eq_.model;
    sheet_.name = model.name;
    sheet_.description = model.description;
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      const Coordinate& c = model.coordinates[i];
      const std::string unit = c.dimension && !is_of_attitude(eq_, i) ? unit_name(*c.dimension, Measure::kAngle) : "";
      sheet_.coordinates.push_back({coordinate(static_cast<int>(i)), unit});
    }
    if (latex() && format_.only.empty()) sheet_.symbols = symbol_rows(eq_, *printer_);
  }

  // Lists q̇ = N v + n₀.
  void kinematics() {
    begin(
        {"velocities v and the rates of the coordinates", "Velocities $\\mathbf{v}$ and the rates of the coordinates"});
    const std::unordered_map<SymbolId, Expr> rates = rates_of_state(eq_);
    for (std::size_t i = 0; i < eq_.q.size(); ++i)
      if (const Expr& rate = rates.at(eq_.q[i].symbol()); rate.op() != Op::kSymbol)
        line(printer_->symbol(eq_.qd[i]), write(rate));
  }

  void energies() {
    begin("energies");
    line("T", write(eq_.T));
    line("V", write(eq_.V));
  }

  // The general form M q̈ + B + G = F + Wᵀ λ, with a word below each term.
  void form_of_the_equations() { begin({"", "Form of the equations"}).displays = latex_form_of_equations(eq_); }

  void equations_of_motion() {
    if (eq_.v_is_qdot())
      begin({"equations of motion, M q'' + B + G = F + W^T lambda", "Equations of motion"});
    else
      begin({"equations of motion, M v' + B + G = F + W^T lambda", "Equations of motion"});
    for (int i = 0; i < eq_.nv(); ++i) {
      if (is_full()) continue;
      auto [left, right] = printer_->equation_of_motion(eq_, i);
      line(std::move(left), std::move(right));
    }
  }

  std::vector<Expr> whole_forces() const {
    std::vector<Expr> forces;
    for (int i = 0; i < eq_.nv(); ++i) forces.push_back(eq_.whole_force(i));
    return forces;
  }

  // Friction laws: |f| ≤ μ|N|, against the sliding.
  void frictions() {
    EquationSheet::Block& block =
        begin({"friction: f = mu*|N|*sign(v) + c*v where it slides, |f| <= mu_s*|N| where it sticks",
               "Friction: $f = \\mu |N| \\operatorname{sign} v + c v$ where it slides, "
               "$|f| \\le \\mu_s |N|$ where it sticks"});
    if (std::ranges::any_of(eq_.frictions, &FrictionLaw::second))
      block.remark =
          latex() ? "Of a friction in a plane, $f$ and $v$ are vectors with two components, and $v/|v|$ stands for "
                    "$\\operatorname{sign} v$."
                  : "of a friction in a plane f and v are vectors with two components, and v/|v| stands for sign(v)";
    for (const FrictionLaw& law : eq_.frictions) {
      const auto add = [&](const char* name, const char* in_latex, const Expr& value) {
        if (!writes_zero(value)) line(named(name, in_latex, law.name), write(value));
      };
      add("v", "v_{", law.velocity);
      if (law.second) continue;
      add("N", "N_{", law.normal);
      add("mu", "\\mu_{", law.mu);
      if (law.mu_s.id() != law.mu.id()) add("mu_s", "\\mu_{s,\\,", law.mu_s);
      add("c", "c_{", law.viscous);
    }
  }

  void constraints() {
    if (!eq_.unilateral.empty()) contacts();
    if (eq_.unilateral.size() == eq_.h.size()) return;
    begin("constraints");
    for (std::size_t j = 0; j < eq_.h.size(); ++j) {
      if (is_full() || eq_.is_unilateral(j)) continue;
      sheet_.blocks.back().lines.push_back({printer_->constraint(eq_, static_cast<int>(j)),
                                            number_formula(0, format_.notation),
                                            constraint_label(eq_, j, format_.notation)});
    }
  }

  // The gaps of one-sided rows.
  void contacts() {
    begin({"contacts: h >= 0, lambda >= 0, lambda*h = 0; the equations are those while all are closed",
           "Contacts: $h \\ge 0$, $\\lambda \\ge 0$, $\\lambda h = 0$; the equations are those while all are closed"});
    for (const UnilateralRow& one : eq_.unilateral)
      line(named("h", "h_{", eq_.rows[static_cast<std::size_t>(one.row)]),
           write(eq_.h[static_cast<std::size_t>(one.row)]));
  }

  // mu[block], μ_block or \mu_{block}; `in_latex` is the symbol up to the beginning of its subscript.
  std::string named(const char* symbol, const char* in_latex, const std::string& name) const {
    if (latex()) return fmt::format("{}\\mathrm{{{}}}}}", in_latex, latex_prose(name));
    return plain() ? fmt::format("{}[{}]", symbol, name) : indexed(unicode_name(symbol), name);
  }

  void multipliers() {
    EquationSheet::Block& block = begin(
        {"multipliers: lambda > 0 pushes towards larger h", "Multipliers, $\\lambda > 0$ pushes towards larger $h$"});
    const std::vector<MultiplierMeaning> meanings = explain_multipliers(eq_);
    for (std::size_t j = 0; j < meanings.size(); ++j)
      block.notes.push_back({printer_->symbol(eq_.lambda[j]), meanings[j].unit,
                             latex()   ? latex_prose(meanings[j].words)
                             : plain() ? meanings[j].words
                                       : with_multiplier_symbols(eq_, *printer_, meanings[j].words)});
    NoClosedForm why = NoClosedForm::kTooLarge;
    std::optional<ClosedForm> form;
    if (asked("lambda") || eq_.n() + eq_.m() <= kSmallSystem)
      form = solve_closed_form(eq_, asked("lambda") ? kAskedCost : kShortCost, &why);
    if (!form) {
      // Without being asked for, only short closed forms are tried. A LaTeX page does not mention commands.
      const bool tried = asked("lambda") || why != NoClosedForm::kTooLarge;
      if (tried || !latex()) block.remark = tried ? no_closed_form(why) : kLongClosedForm;
      const std::size_t here = sheet_.blocks.size() - 1;
      const bool by_names = asked("lambda") && !asked("D") && why == NoClosedForm::kTooLarge && multiplier_system();
      if (by_names) sheet_.blocks[here].remark = fmt::format("(no closed form: {}; by names:)", to_text(why));
      return;
    }
    begin(eq_.unilateral.empty() ? "multipliers in closed form, at any state"
                                 : "multipliers in closed form, while all contacts are closed");
    for (std::size_t j = 0; j < form->lambda.size(); ++j) line(printer_->symbol(eq_.lambda[j]), write(form->lambda[j]));
  }

  // The linear system of the multipliers, which is shorter than its solution, and the solution of at most two. False: there is none.
  bool multiplier_system() {
    NoClosedForm why{};
    const auto system = build_multiplier_system(eq_, kAskedCost, &why);
    if (!system) {
      if (asked("D"))
        begin({"D = W M^-1 W^T", "$\\mathbf{D} = \\mathbf{W} \\mathbf{M}^{-1} \\mathbf{W}^T$"}).remark =
            fmt::format("(none: {})", no_multiplier_system(eq_, why));
      return false;
    }
    if (!system->names.empty())
      begin({"names: P = M^-1, Q = F - B - G",
             "Names: $\\mathbf{P} = \\mathbf{M}^{-1}$, $\\mathbf{Q} = \\mathbf{F} - \\mathbf{B} - \\mathbf{G}$"});
    for (const auto& [name, value] : system->names) line(printer_->symbol(name), write(value));
    const Label by_row = [this](int j) { return row(static_cast<std::size_t>(j)); };
    matrix("D", "Matrix of the multipliers, $\\mathbf{D} = \\mathbf{W} \\mathbf{M}^{-1} \\mathbf{W}^T$", system->D,
           true, by_row, by_row);
    begin({"multipliers: D lambda + d = 0, D = W M^-1 W^T, d = gamma + W M^-1 (F - B - G)",
           "Multipliers: $\\mathbf{D} \\boldsymbol{\\lambda} + \\mathbf{d} = \\mathbf{0}$, $\\mathbf{d} = "
           "\\boldsymbol{\\gamma} + \\mathbf{W} \\mathbf{M}^{-1} (\\mathbf{F} - \\mathbf{B} - \\mathbf{G})$"});
    for (std::size_t j = 0; j < system->d.size(); ++j) line(indexed("d", row(j)), write(system->d[j]));
    if (!eq_.unilateral.empty()) sheet_.blocks.back().remark = "(while all contacts are closed)";
    if (system->D.value.size() == system->d.size() * system->d.size()) by_names("D", "d", by_row, eq_.lambda);
    return true;
  }

  void accelerations() {
    EquationSheet::Block& block = begin("accelerations in closed form");
    NoClosedForm why{};
    const std::optional<ClosedForm> form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) {
      block.remark = no_closed_form(why);
      return;
    }
    const std::vector<int> given = actuated_velocities(eq_);
    for (std::size_t i = 0; i < form->qdd.size(); ++i)
      if (std::ranges::find(given, static_cast<int>(i)) == given.end())
        line(printer_->symbol(eq_.accelerations()[i]), write(form->qdd[i]));
  }

  void actuations() {
    EquationSheet::Block& block = begin("actuation in closed form");
    NoClosedForm why{};
    const std::optional<ClosedForm> form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form || form->actuation.empty()) block.remark = form ? "(nothing is prescribed)" : no_closed_form(why);
    for (std::size_t k = 0; form && k < form->actuation.size(); ++k)
      line(printer_->symbol(eq_.graph->adopt(eq_.model->prescribed[k].actuation)), write(form->actuation[k]));
  }

  // Prescribed values, then the equations of theory (6.2) in blocks, with the unknowns on the left.
  void prescribed() {
    begin("prescribed coordinates");
    for (const Prescribed& one : eq_.model->prescribed)
      line(printer_->symbol(eq_.q[static_cast<std::size_t>(one.coordinate)]), write(eq_.graph->adopt(one.value)));
    const Partition parts = partition(eq_, actuated_velocities(eq_));
    if (!parts.passive.empty()) {
      begin({"passive coordinates: M_pp q_p'' - W_p^T lambda = F_p - M_pa q_a'' - B_p - G_p",
             "Passive coordinates, $\\mathbf{M}_{pp} \\ddot{\\mathbf{q}}_p - \\mathbf{W}_p^T \\boldsymbol{\\lambda} = "
             "\\mathbf{F}_p - \\mathbf{M}_{pa} \\ddot{\\mathbf{q}}_a - \\mathbf{B}_p - \\mathbf{G}_p$"});
      for (const int i : parts.passive) unknowns_on_the_left(parts, i);
    }
    begin({"actuated coordinates: M_pa^T q_p'' - F_a - W_a^T lambda = -M_aa q_a'' - B_a - G_a",
           "Actuated coordinates, $\\mathbf{M}_{pa}^T \\ddot{\\mathbf{q}}_p - \\mathbf{F}_a - \\mathbf{W}_a^T "
           "\\boldsymbol{\\lambda} = -\\mathbf{M}_{aa} \\ddot{\\mathbf{q}}_a - \\mathbf{B}_a - \\mathbf{G}_a$"});
    for (const int i : parts.actuated) unknowns_on_the_left(parts, i);
    if (eq_.m() == 0) return;
    begin({"constraints: W_p q_p'' = -W_a q_a'' - gamma",
           "Constraints, $\\mathbf{W}_p \\ddot{\\mathbf{q}}_p = -\\mathbf{W}_a \\ddot{\\mathbf{q}}_a - "
           "\\boldsymbol{\\gamma}$"});
    for (int j = 0; j < eq_.m(); ++j) {
      Sides sides;
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.row[k] == j) sides.add(parts, eq_.W.col[k], eq_.W.value[k], eq_.accelerations());
      line(printer_->linear(sides.left, {}), printer_->linear(sides.right, {-eq_.gamma[static_cast<std::size_t>(j)]}));
    }
  }

  // Terms with unknown accelerations on the left, terms with prescribed ones on the right.
  struct Sides {
    std::vector<std::pair<Expr, Expr>> left, right;
    void add(const Partition& parts, int column, const Expr& entry, const std::vector<Expr>& qdd) {
      const bool given = std::ranges::find(parts.actuated, column) != parts.actuated.end();
      (given ? right : left).emplace_back(given ? -entry : entry, qdd[static_cast<std::size_t>(column)]);
    }
  };

  void unknowns_on_the_left(const Partition& parts, int i) {
    Sides sides;
    for (std::size_t k = 0; k < eq_.M.value.size(); ++k)
      if (eq_.M.row[k] == i) sides.add(parts, eq_.M.col[k], eq_.M.value[k], eq_.accelerations());
    if (const Expr force = actuation_of(eq_, i)) sides.left.emplace_back(eq_.graph->constant(-1), force);
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      if (eq_.W.col[k] == i)
        sides.left.emplace_back(-eq_.W.value[k], eq_.lambda[static_cast<std::size_t>(eq_.W.row[k])]);
    for (std::size_t k = 0; k < eq_.Phi.value.size(); ++k)
      if (eq_.Phi.row[k] == i)
        sides.left.emplace_back(-eq_.Phi.value[k], eq_.lambda[static_cast<std::size_t>(eq_.Phi.col[k])]);
    for (std::size_t k = 0; k < eq_.C.value.size(); ++k)
      if (eq_.C.col[k] == i)
        sides.left.emplace_back(eq_.C.value[k], eq_.frictions[static_cast<std::size_t>(eq_.C.row[k])].force);
    const auto at = static_cast<std::size_t>(i);
    line(printer_->linear(sides.left, {}), printer_->linear(sides.right, {eq_.F[at], -eq_.B[at], -eq_.G[at]}));
  }

  // The motion that the constraints alone determine, also in body axes if the system has such axes.
  void kinematic() {
    const int cost = asked("kinematic") ? kAskedCost : kShortKinematics;
    const std::vector<int> given = eq_.model->actuated();
    NotKinematic why{};
    const auto form = build_kinematic(eq_, given, cost, &why);
    if (form) {
      begin({"kinematic: the constraints alone move the rest, q_p' = -W_p^-1 (W_a q_a' + a)",
             "Kinematic: $\\dot{\\mathbf{q}}_p = -\\mathbf{W}_p^{-1} (\\mathbf{W}_a \\dot{\\mathbf{q}}_a + "
             "\\mathbf{a})$"});
      for (std::size_t k = 0; k < form->qdot.size(); ++k)
        line(printer_->symbol(eq_.qd[static_cast<std::size_t>(form->parts.passive[k])]), write(form->qdot[k]));
      singular(form->singular);
    } else if (asked("kinematic")) {
      begin("kinematic").remark = fmt::format("(not kinematic: {})", to_text(why));
    }
    if (const auto local = build_local_connection(eq_, given, cost)) body_axes(*local, !form);
  }

  void singular(const std::vector<Expr>& factors) {
    if (factors.empty()) return;
    begin("singular where one of these is 0");
    for (std::size_t k = 0; k < factors.size(); ++k)
      line(factors.size() == 1 ? std::string("D") : indexed("D", std::to_string(k + 1)), write(factors[k]));
  }

  std::string passive_name(const LocalConnection& local, std::size_t i) const {
    return coordinate(local.parts.passive[i]);
  }

  void body_axes(const LocalConnection& local, bool with_singular) {
    const std::string axes =
        fmt::format("{}, {}, {}", eq_.model->coordinates[static_cast<std::size_t>(local.placement[0])].name,
                    eq_.model->coordinates[static_cast<std::size_t>(local.placement[1])].name,
                    eq_.model->coordinates[static_cast<std::size_t>(local.placement[2])].name);
    const std::string title =
        fmt::format("in the axes of the body at {}: xi = -A q_a'{}", axes, local.mixed() ? " + B p" : "");
    const std::string latex_title =
        fmt::format("In the axes of the body: $\\boldsymbol{{\\xi}} = -\\mathbf{{A}} \\dot{{\\mathbf{{q}}}}_a{}$",
                    local.mixed() ? " + \\mathbf{B} \\mathbf{p}" : "");
    begin({title.c_str(), latex_title.c_str()});
    for (std::size_t i = 0; i < local.A.size(); ++i)
      for (std::size_t j = 0; j < local.A[i].size(); ++j)
        line(indexed("A", passive_name(local, i) + "," + coordinate(local.parts.actuated[j])), write(local.A[i][j]));
    for (std::size_t i = 0; i < local.B.size(); ++i)
      for (std::size_t k = 0; k < local.B[i].size(); ++k)
        line(indexed("B", passive_name(local, i) + "," + printer_->symbol(local.p[k])), write(local.B[i][k]));
    if (with_singular) singular(local.singular);
    if (!local.curvature.empty()) {
      begin({"curvature of A: a small loop of shapes displaces by -area * curvature",
             "Curvature of $\\mathbf{A}$: a small loop of shapes displaces by minus its area times this"});
      std::size_t pair = 0;
      for (std::size_t i = 0; i < local.parts.actuated.size(); ++i)
        for (std::size_t j = i + 1; j < local.parts.actuated.size(); ++j, ++pair)
          for (std::size_t r = 0; r < 3; ++r)
            line(indexed("dA", fmt::format("{},{},{}", passive_name(local, r), coordinate(local.parts.actuated[i]),
                                           coordinate(local.parts.actuated[j]))),
                 write(local.curvature[pair][r]));
    }
    if (!local.mixed()) return;
    begin("momentum along what the constraints allow");
    for (std::size_t k = 0; k < local.p.size(); ++k) {
      const std::string p = printer_->symbol(local.p[k]);
      line(p, write(local.momentum[k]));
      line(latex()   ? "\\dot{" + p + "}"
           : plain() ? p + "'"
                     : unicode_name(local.p[k].graph().symbol_info(local.p[k].symbol()).name, 1),
           write(local.pdot[k]));
    }
  }

  // --- equations without multipliers (theory §4)

  void reduced() {
    // The velocities q̇ = S v + s₀ can be short even if the equations are not.
    const auto found =
        build_reduced(eq_, {.equations = wanted("reduced"), .or_velocities = wanted("S") || asked("hamel")});
    if (!found || found->no_equations)
      begin("equations without multipliers").remark =
          fmt::format("(none: {})", found ? found->no_equations->message : found.diagnostics().front().message);
    if (!found) return;
    const Reduced& r = *found;
    const Label by_velocity = [&](int k) { return velocity(r, k); };
    if (wanted("S") || wanted("reduced") || wanted("hamel")) quasi_velocities(r);
    if (wanted("S")) {
      const Label by_coordinate = [this](int i) { return motion(i); };
      matrix("S", "Velocities $\\dot{\\mathbf{q}} = \\mathbf{S} \\mathbf{v} + \\mathbf{s}_0$", r.S, false,
             by_coordinate, by_velocity);
      matrix("Sdot", "Rate of $\\mathbf{S}$", r.Sdot, false, by_coordinate, by_velocity);
      if (std::ranges::any_of(r.s0, [](const Expr& e) { return !e.is_zero(); })) vector("s0", "$\\mathbf{s}_0$", r.s0);
    }
    if (wanted("reduced") && !r.no_equations) reduced_equations(r, by_velocity);
    if (asked("hamel")) hamel(r);
  }

  std::string velocity(const Reduced& r, int k) const {
    const ReducedVelocity& v = r.velocities[static_cast<std::size_t>(k)];
    return plain() ? v.name : printer_->symbol(v.v);
  }

  void quasi_velocities(const Reduced& r) {
    begin(r.chosen ? Title{"quasi-velocities, chosen so that the equations are short, q' = S v + s0",
                           "Quasi-velocities, chosen so that the equations are short, $\\dot{\\mathbf{q}} = "
                           "\\mathbf{S} \\mathbf{v} + \\mathbf{s}_0$"}
                   : Title{"quasi-velocities, q' = S v + s0",
                           "Quasi-velocities, $\\dot{\\mathbf{q}} = \\mathbf{S} \\mathbf{v} + \\mathbf{s}_0$"});
    for (const ReducedVelocity& v : r.velocities) line(printer_->symbol(v.v), write(v.definition));
  }

  void reduced_equations(const Reduced& r, const Label& by_velocity) {
    if (asked("reduced")) {
      begin("energy in quasi-velocities");
      line("T", write(in_quasi_velocities(eq_, r, eq_.T)));
      matrix("Mr", "Reduced mass matrix $\\mathbf{M}_r = \\mathbf{S}^T \\mathbf{M} \\mathbf{S}$", r.M, true,
             by_velocity, by_velocity);
      vector("br", "Reduced velocity and force terms, $\\mathbf{M}_r \\dot{\\mathbf{v}} + \\mathbf{b}_r = \\mathbf{0}$",
             r.b, by_velocity);
    }
    begin({"equations without multipliers, Mr v' + br = 0",
           "Equations without multipliers, $\\mathbf{M}_r \\dot{\\mathbf{v}} + \\mathbf{b}_r = \\mathbf{0}$"});
    if (r.closed) sheet_.blocks.back().remark = "(The v-equations do not contain q: they stand alone.)";
    for (int k = 0; k < r.nv() && !is_full(); ++k) {
      auto [left, right] = printer_->reduced_equation(r, k);
      line(std::move(left), std::move(right));
    }
    rates(r, by_velocity);
    if (!r.actuation.empty()) begin("actuation in closed form");
    for (std::size_t k = 0; k < r.actuation.size(); ++k)
      line(printer_->symbol(r.graph->adopt(eq_.model->prescribed[k].actuation)), write(r.actuation[k]));
    if (eq_.m() == 0 || r.lambda.empty()) return;
    begin({"multipliers in q and v", "Multipliers in $\\mathbf{q}$ and $\\mathbf{v}$"});
    for (std::size_t j = 0; j < r.lambda.size(); ++j) line(printer_->symbol(eq_.lambda[j]), write(r.lambda[j]));
  }

  // Where the closed form of the rates v̇ is too long to be read, they are by the names of the entries of Mr and br, which are printed above.
  void rates(const Reduced& r, const Label& by_velocity) {
    std::vector<Expr> unknowns;
    for (const ReducedVelocity& velocity : r.velocities) unknowns.push_back(velocity.vdot);
    const bool too_long = r.vdot.empty() ? r.why == NoClosedForm::kTooLarge : count_operations(r.vdot) > kMostReadRates;
    if (too_long && asked("reduced") && unknowns.size() <= 2 && eq_.model->prescribed.empty() &&
        r.M.value.size() == unknowns.size() * unknowns.size() &&
        std::ranges::none_of(r.b, [&](const Expr& e) { return writes_zero(e); })) {
      begin({"rates with the entries of Mr and br by name",
             "Rates with the entries of $\\mathbf{M}_r$ and $\\mathbf{b}_r$ by name"});
      return by_names("Mr", "br", by_velocity, unknowns);
    }
    begin("rates in closed form");
    if (r.vdot.empty()) sheet_.blocks.back().remark = no_closed_form(r.why);
    for (std::size_t k = 0; k < r.vdot.size(); ++k)
      if (!r.vdot[k].same(unknowns[k])) line(printer_->symbol(unknowns[k]), write(r.vdot[k]));
  }

  // Hamel coefficients: Lie brackets of the columns of S.
  void hamel(const Reduced& r) {
    begin({"Hamel coefficients: [S_k, S_l] = sum over s of hamel[s,k,l] S_s, and along what the constraints forbid",
           "Hamel coefficients: $[\\mathbf{S}_k, \\mathbf{S}_l] = \\sum_s \\gamma^s_{kl} \\mathbf{S}_s$, and along "
           "what the constraints forbid"});
    const std::vector<HamelCoefficient> all = hamel_coefficients(eq_, r);
    if (all.empty()) sheet_.blocks.back().remark = "(all 0: the columns of S commute)";
    for (const HamelCoefficient& c : all) {
      const auto forbidden = static_cast<std::size_t>(std::max(0, c.s - r.nv()));
      const std::string of = c.s < r.nv() ? velocity(r, c.s) : row(static_cast<std::size_t>(r.rows[forbidden]));
      line(indexed(latex() ? "\\gamma" : "hamel", fmt::format("{},{},{}", of, velocity(r, c.k), velocity(r, c.l))),
           write(c.value));
    }
  }

  void conserved() {
    const std::vector<ConservedQuantity> quantities = conserved_quantities(eq_);
    if (quantities.empty()) return;
    begin(("conserved " + when_conserved(*eq_.model)).c_str());
    for (const ConservedQuantity& c : quantities) line(plain() ? c.name : conserved_name(c.name), write(c));
  }

  // The symbol of a conserved quantity, which is named "energy" or "p[theta]".
  std::string conserved_name(const std::string& name) const {
    for (std::size_t i = 0; i < eq_.q.size(); ++i)
      if (name == "p[" + eq_.model->coordinates[i].name + "]") return indexed("p", coordinate(static_cast<int>(i)));
    for (std::size_t j = 0; j < motion_names_.size() && j < eq_.v.size(); ++j)
      if (name == "p[" + motion_names_[j] + "]") return indexed("p", motion(static_cast<int>(j)));
    if (!latex()) return name;
    return name == "energy" ? "E" : "\\text{" + latex_prose(name) + "}";
  }
};

}  // namespace

std::vector<LatexBlock> equation_blocks(const Equations& equations, EquationsFormat format) {
  format.notation = Notation::kLatex;
  return Listing(equations, format).blocks();
}

std::string print_equations(const Equations& equations, const EquationsFormat& format) {
  return Listing(equations, format).print();
}

}  // namespace dalembert
