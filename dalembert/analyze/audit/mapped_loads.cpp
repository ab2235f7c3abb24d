// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/mapped_loads.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/audit/certain_rank.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/counter_example.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

void undecided(AuditedClaim& claim, std::string note) {
  MappedClaims::decide(claim, ClaimVerdict::kUndecided, std::move(note));
}

void not_same(AuditedClaim& claim, const std::string& what) {
  undecided(claim, fmt::format("the {} were not proved to be the same", what));
}

// "rub" of the two directions rub[1] and rub[2].
std::string name_of_friction(const GivenForces& forces, std::size_t i) {
  const std::string& name = forces.frictions[i].name;
  return in_plane(forces, i) ? name.substr(0, name.rfind('[')) : name;
}

}  // namespace

MappedLoads::MappedLoads(const GivenForces& here, const GivenForces& there, const Equations& of_here,
                         const Equations& of_there, Translation& translation, MappedClaims& claims,
                         const Conditions& states)
    : here_(here),
      there_(there),
      of_here_(of_here),
      of_there_(of_there),
      translation_(translation),
      claims_(claims),
      states_(states) {}

// --- one-sided constraints

bool MappedLoads::judge_contacts(std::vector<AuditedClaim>& claims) {
  for (const GivenContact& one : there_.contacts) {
    const Expr h = translation_.moved(one.h);
    const Expr restitution = one.restitution ? translation_.moved(one.restitution) : number(0);
    if (!h || !restitution) return false;
    AuditedClaim claim = claims_.statement("contact " + one.name);
    claim.claimed = claims_.text(h) + " >= 0";
    ContactMatch match;
    judge_contact(claim, h, restitution, match);
    contacts_.push_back(match);
    claims.push_back(std::move(claim));
  }
  for (std::size_t k = 0; k < here_.contacts.size(); ++k) {
    if (std::ranges::any_of(contacts_, [&](const ContactMatch& m) { return m.factor && m.index == k; })) continue;
    AuditedClaim claim = claims_.statement("contact " + here_.contacts[k].name);
    claim.correct = claims_.text(here_.contacts[k].h) + " >= 0";
    undecided(claim, "no contact there was proved to be this one");
    claims.push_back(std::move(claim));
  }
  return true;
}

void MappedLoads::judge_contact(AuditedClaim& claim, const Expr& h, const Expr& restitution, ContactMatch& match) {
  Canonicalizer& canonicalizer = claims_.canonicalizer();
  for (std::size_t k = 0; k < here_.contacts.size(); ++k) {
    if (std::ranges::any_of(contacts_, [&](const ContactMatch& m) { return m.factor && m.index == k; })) continue;
    const GivenContact& here = here_.contacts[k];
    const Expr mine = states_.apply(here.h), other = states_.apply(h);
    const std::optional<Expr> factor = proves_equal(canonicalizer, other, mine)
                                           ? std::optional(number(1))
                                           : constant_factor(canonicalizer, mine, other);
    if (!factor || !always_positive(*factor, claims_.signs())) continue;
    match = {k, *factor};
    claim.correct = claims_.text(here.h) + " >= 0";
    if (!proves_equal(canonicalizer, here.restitution ? here.restitution : number(0), restitution))
      return not_same(claim, "restitutions");
    MappedClaims::decide(claim, ClaimVerdict::kProved,
                         claim.entry == "contact " + here.name ? "" : "it is the contact " + here.name + " here");
    return claims_.assume(claim, states_.divisors(), states_.positive());
  }
  undecided(claim, "it was not proved to be a contact of the other model");
}

// --- forces that depend on multipliers

bool MappedLoads::judge(const std::vector<Expr>& free, const Expr& ratio, bool may_disprove,
                        std::vector<AuditedClaim>& claims) {
  may_disprove = may_disprove && ratio;
  free_ = free;
  const auto all_proved = [](const std::vector<AuditedClaim>& some) {
    return std::ranges::all_of(some, [](const AuditedClaim& c) { return c.verdict == ClaimVerdict::kProved; });
  };
  auto found = judged(free, ratio ? ratio : number(1), may_disprove);
  if (!found) return false;
  // Where masses scale and forces do not, the laws may still be the same as they are written.
  if (!all_proved(*found) && ratio && !ratio.same(number(1))) {
    auto unscaled = judged(free, number(1), false);
    if (!all_proved(*unscaled)) unscaled = judged(free, ratio, may_disprove);
    found = std::move(unscaled);
  }
  claims.insert(claims.end(), found->begin(), found->end());
  return true;
}

std::optional<std::vector<AuditedClaim>> MappedLoads::judged(const std::vector<Expr>& free, const Expr& scale,
                                                             bool may_disprove) {
  for (std::size_t k = 0; k < there_.contacts.size(); ++k) {
    const ContactMatch& match = contacts_[k];
    if (const Expr& force = there_.contacts[k].force)
      translation_.set(force, match.factor ? scale * here_.contacts[match.index].force / match.factor : number(0));
  }
  LoadMatches matches{translation_, claims_.canonicalizer(), scale};
  if (!matches.of_rows(here_, there_) || !matches.of_frictions(here_, there_, states_, free)) return std::nullopt;
  std::vector<AuditedClaim> claims;
  judge_multipliers(matches, scale, claims);
  judge_frictions(matches, scale, may_disprove, claims);
  return claims;
}

void MappedLoads::judge_multipliers(const LoadMatches& matches, const Expr& scale, std::vector<AuditedClaim>& claims) {
  for (const auto& [j, match] : matches.rows()) {
    AuditedClaim claim = claims_.statement("lambda " + of_there_.rows[j]);
    if (match.factor) {
      const Expr here = scale * of_here_.lambda[match.index] / match.factor;
      claim.correct = claims_.text(here);
      const Expr mine = solved_here_.of(here), other = solved_there(of_there_.lambda[j]);
      if (!mine || !other || !claims_.proved_equal(claim, states_, mine, other)) not_same(claim, "multipliers");
    } else {
      undecided(claim, "it was not proved to be a multiple of a row of the other model");
    }
    claims.push_back(std::move(claim));
  }
  for (std::size_t i = 0; i < here_.loads.size(); ++i) {
    if (!here_.acts[i] || is_matched(matches.rows(), i)) continue;
    AuditedClaim claim = claims_.statement("lambda " + of_here_.rows[i]);
    undecided(claim, "forces here depend on it, and none there");
    claims.push_back(std::move(claim));
  }
}

void MappedLoads::judge_frictions(const LoadMatches& matches, const Expr& scale, bool may_disprove,
                                  std::vector<AuditedClaim>& claims) {
  for (const auto& [j, match] : matches.frictions()) {
    AuditedClaim claim = claims_.statement("friction " + name_of_friction(there_, j));
    if (match.factor)
      judge_friction(claim, j, match, scale, may_disprove);
    else
      judge_alone(claim, there_, j, may_disprove);
    claims.push_back(std::move(claim));
  }
  for (std::size_t i = 0; i < here_.frictions.size(); ++i) {
    if (here_.frictions[i].second || is_matched(matches.frictions(), i)) continue;
    AuditedClaim claim = claims_.statement("friction " + name_of_friction(here_, i));
    judge_alone(claim, here_, i, may_disprove);
    claims.push_back(std::move(claim));
  }
}

// A friction that is none of the other model: certainly something else where it is the only one of both, rubs at some state and slides at some.
void MappedLoads::judge_alone(AuditedClaim& claim, const GivenForces& forces, std::size_t i, bool may_disprove) {
  const bool there = &forces == &there_;
  undecided(claim, there ? "no friction of the other model was proved to have its sliding speed"
                         : "no friction there was proved to be this one");
  const FrictionLaw& law = forces.frictions[i];
  const auto count = here_.frictions.size() + there_.frictions.size();
  const Expr speed = there ? translation_.moved(law.velocity) : law.velocity;
  if (!may_disprove || !law.mu || count != (in_plane(forces, i) ? 2 : 1) ||
      decide_zero(claims_.canonicalizer(), states_.apply(speed)) != ZeroTest::kNonzero)
    return;
  const Expr size = law.mu * law.normal;
  if (there)
    disprove_size(claim, speeds_of(forces, i), number(0), size, "no friction here rubs with this force");
  else
    disprove_size(claim, speeds_of(forces, i), size, there_.equations.graph->constant(0),
                  "no friction there rubs with this force");
}

void MappedLoads::judge_friction(AuditedClaim& claim, std::size_t j, const LoadMatch& match, const Expr& scale,
                                 bool may_disprove) {
  const FrictionLaw &mine = here_.frictions[match.index], &other = there_.frictions[j];
  claim.correct = claims_.text(mine.velocity);
  const Expr size = match.factor / scale;
  if (in_plane(here_, match.index)) claim.correct += ", " + claims_.text(here_.frictions[match.index + 1].velocity);
  if (!same_viscous(claim, mine, other, match.factor * size)) return not_same(claim, "viscous forces");
  const auto limit = [&](const FrictionLaw& law, const Expr& mu) { return mu ? mu * law.normal : number(0); };
  struct Limit {
    Expr FrictionLaw::*mu;
    const char *what, *note;
  };
  static constexpr const char* kSlides = "it rubs with another force there, where it slides";
  static constexpr const char* kHolds = "it can hold another force there";
  std::vector<Limit> open;
  for (const Limit& one : {Limit{&FrictionLaw::mu, "forces of sliding friction", kSlides},
                           Limit{&FrictionLaw::mu_s, "limits of static friction", kHolds}})
    if (!same_size(claim, limit(mine, mine.*one.mu) / size, limit(other, other.*one.mu))) open.push_back(one);
  if (open.empty()) {
    claims_.assume(claim, {match.factor}, {});
    const std::string name = name_of_friction(here_, match.index);
    if (claim.entry != "friction " + name) claim.note = fmt::format("it is the friction {} here", name);
    if (!scale.same(number(1)))
      claim.note += fmt::format("{}its force is {} times that here, as all forces and masses are",
                                claim.note.empty() ? "" : "; ", claims_.text(scale));
    return;
  }
  not_same(claim, open.front().what);
  for (const Limit& one : open)
    if (may_disprove && match.only && claim.verdict != ClaimVerdict::kDisproved)
      disprove_size(claim, speeds_of(here_, match.index), limit(mine, mine.*one.mu) / size, limit(other, other.*one.mu),
                    one.note);
}

// Of a friction that contacts alone press nothing is left while these are open, neither of its viscous part.
bool MappedLoads::same_viscous(AuditedClaim& claim, const FrictionLaw& mine, const FrictionLaw& other,
                               const Expr& squared) {
  const Expr viscous = other.viscous ? translation_.moved(other.viscous) : number(0);
  const Expr here = mine.viscous ? mine.viscous : number(0);
  if (!viscous || !claims_.proved_equal(claim, states_, here, squared * viscous)) return false;
  return here.is_zero() || pressed_by_the_same(mine, other);
}

bool MappedLoads::pressed_by_the_same(const FrictionLaw& mine, const FrictionLaw& other) {
  const auto contacts_of = [](const GivenForces& forces, const Expr& normal) {
    std::unordered_map<SymbolId, Expr> open;
    std::vector<std::size_t> pressing;
    const std::vector<SymbolId> symbols = symbols_in(std::array{normal});
    for (std::size_t k = 0; k < forces.contacts.size(); ++k)
      if (const Expr& force = forces.contacts[k].force; force && std::ranges::binary_search(symbols, force.symbol())) {
        open.emplace(force.symbol(), normal.graph().constant(0));
        pressing.push_back(k);
      }
    return substitute(normal, open).is_zero() ? pressing : std::vector<std::size_t>{};
  };
  std::vector<std::size_t> here = contacts_of(here_, mine.normal), there;
  for (const std::size_t k : contacts_of(there_, other.normal)) {
    if (!contacts_[k].factor) return false;
    there.push_back(contacts_[k].index);
  }
  std::ranges::sort(there);
  return here == there;
}

Expr MappedLoads::solved_there(const Expr& of_multipliers) {
  const Expr solved = solved_there_.of(of_multipliers);
  return solved ? translation_.moved(solved) : Expr();
}

// Whether two forces, linear in the multipliers of their models, have the same size on all states, for all given forces.
bool MappedLoads::same_size(AuditedClaim& claim, const Expr& here, const Expr& there) {
  const Expr mine = solved_here_.of(here), other = solved_there(there);
  if (!mine || !other) return false;
  return claims_.proved_equal(claim, states_, mine, other) || claims_.proved_equal(claim, states_, -mine, other) ||
         claims_.proved_equal(claim, states_, mine * mine, other * other);
}

// The contact of whose force both are multiples; null where there is none.
const GivenContact* MappedLoads::only_contact_of(const Expr& mine, const Expr& other) {
  std::vector<SymbolId> given;
  for (const SymbolId s : symbols_in(std::array{mine, other}))
    if (claims_.graph().symbol_info(s).kind == SymbolKind::kMultiplier) given.push_back(s);
  if (given.size() != 1) return nullptr;
  const auto found = std::ranges::find_if(
      here_.contacts, [&](const GivenContact& one) { return one.force && one.force.symbol() == given.front(); });
  const std::unordered_map<SymbolId, Expr> open{{given.front(), number(0)}};
  const bool linear = std::ranges::all_of(std::array{mine, other}, [&](const Expr& e) {
    return proves_equal(claims_.canonicalizer(), substitute(e, open), number(0));
  });
  return linear && found != here_.contacts.end() ? &*found : nullptr;
}

// Whether the speeds can differ while the gap's rate is given: what slides at an impact of the contact is then slowed by its friction.
bool MappedLoads::slides_along(const GivenContact& contact, const std::vector<Expr>& speeds) {
  std::vector<std::vector<Expr>> rows{gradient(states_.apply(contact.rate), free_)};
  for (const Expr& speed : speeds) rows.push_back(gradient(speed, free_));
  std::vector<Expr> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  GivenPoints points(claims_.graph(), states_, all);
  return certain_rank(rows, points, 2) >= 2;
}

std::vector<Expr> MappedLoads::speeds_of(const GivenForces& forces, std::size_t i) {
  std::vector<Expr> speeds;
  for (std::size_t k = i; k < i + (in_plane(forces, i) ? 2 : 1); ++k) {
    const Expr& speed = forces.frictions[k].velocity;
    speeds.push_back(states_.apply(&forces == &there_ ? translation_.moved(speed) : speed));
  }
  return speeds;
}

// Disproves that two forces have the same size, at a state, where they do not depend on the given forces but for that of one contact.
void MappedLoads::disprove_size(AuditedClaim& claim, const std::vector<Expr>& speeds, const Expr& here,
                                const Expr& there, const std::string& note) {
  const Expr first = solved_here_.of(here), second = solved_there(there);
  if (!first || !second) return;
  const auto cleaned = [&](const Expr& e) {
    const auto form = claims_.canonicalizer().canonical(states_.apply(e));
    return form ? claims_.canonicalizer().expression(*form) : e;
  };
  const Expr mine = cleaned(first), other = cleaned(second);
  const bool given = depends_on_kind(mine, SymbolKind::kMultiplier) || depends_on_kind(other, SymbolKind::kMultiplier);
  if (given) {
    const GivenContact* contact = only_contact_of(mine, other);
    if (contact == nullptr || !slides_along(*contact, speeds)) return;
  }
  const std::array sizes{abs(mine), abs(other)};
  Conditions states = states_;
  for (const GivenContact& one : here_.contacts)
    if (given) states.require_value(log(one.force));  // contacts press
  GivenPoints points(claims_.graph(), states, sizes);
  const Evidence found = look_at_points(points, sizes[0], sizes[1], Search::kDifference);
  if (!found.difference) return;
  MappedClaims::decide(claim, ClaimVerdict::kDisproved, note);
  claim.point = counter_example(claims_.graph(), *found.difference, claims_.notation());
}

}  // namespace dalembert
