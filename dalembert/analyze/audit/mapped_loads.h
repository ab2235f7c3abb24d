// SPDX-License-Identifier: Apache-2.0
// Contacts, frictions and multipliers in forces of two models in different coordinates: which is which, and whether their laws are the same. Inside analyze only.
//
// A contact h' = k h, k > 0, is closed and open together with h, and (J Z)ᵀ W'ᵀ = k Zᵀ Wᵀ: λ' = σ λ/k acts as λ does. Where forces depend on multipliers both contacts have given forces
// (given_forces.h), and the equations and laws that are the same for all of them are so in every mode and at impacts.
//
// A friction |f'| ≤ μ'|N'| with f' = σ f/κ is |f| ≤ |κ| μ'|N'|/σ; viscous friction c' v' is κ² c' v/σ. In a plane f' = σ K f/κ² has the length σ |f|/|κ|, and slides along v' = K v as f
// along v. Here σ is the factor of all equations of `there`: masses and forces of both scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/audit/given_forces.h"
#include "dalembert/analyze/audit/load_matches.h"
#include "dalembert/analyze/audit/mapped_claims.h"

namespace dalembert {

class MappedLoads {
 public:
  /// Forces, and the equations with them and without contacts, of both models. All arguments must outlive this.
  MappedLoads(const GivenForces& here, const GivenForces& there, const Equations& of_here, const Equations& of_there,
              Translation& translation, MappedClaims& claims, const Conditions& states);

  /// One statement for each contact; false where a symbol is missing.
  bool judge_contacts(std::vector<AuditedClaim>& claims);
  /// One statement for each friction, and for each multiplier in a force; false where a symbol is missing. Afterwards the translation writes the given forces of `there` by those of
  /// `here`. `free`: the free velocities. `ratio`: σ where the masses of `there` along them are proved to be σ times those here, else null: no law is disproved then, nor without
  /// `may_disprove`.
  bool judge(const std::vector<Expr>& free, const Expr& ratio, bool may_disprove, std::vector<AuditedClaim>& claims);

 private:
  struct ContactMatch {
    std::size_t index = 0;
    Expr factor;  // null: none
  };
  std::optional<std::vector<AuditedClaim>> judged(const std::vector<Expr>& free, const Expr& scale, bool may_disprove);
  void judge_contact(AuditedClaim& claim, const Expr& h, const Expr& restitution, ContactMatch& match);
  void judge_multipliers(const LoadMatches& matches, const Expr& scale, std::vector<AuditedClaim>& claims);
  void judge_frictions(const LoadMatches& matches, const Expr& scale, bool may_disprove,
                       std::vector<AuditedClaim>& claims);
  void judge_alone(AuditedClaim& claim, const GivenForces& forces, std::size_t i, bool may_disprove);
  void judge_friction(AuditedClaim& claim, std::size_t j, const LoadMatch& match, const Expr& scale, bool may_disprove);
  bool same_viscous(AuditedClaim& claim, const FrictionLaw& mine, const FrictionLaw& other, const Expr& squared);
  bool pressed_by_the_same(const FrictionLaw& mine, const FrictionLaw& other);
  bool same_size(AuditedClaim& claim, const Expr& mine, const Expr& other);
  void disprove_size(AuditedClaim& claim, const std::vector<Expr>& speeds, const Expr& mine, const Expr& other,
                     const std::string& note);
  const GivenContact* only_contact_of(const Expr& mine, const Expr& other);
  bool slides_along(const GivenContact& contact, const std::vector<Expr>& speeds);
  std::vector<Expr> speeds_of(const GivenForces& forces, std::size_t i);
  Expr solved_there(const Expr& of_multipliers);
  Expr number(int value) { return claims_.graph().constant(value); }

  const GivenForces &here_, &there_;
  const Equations &of_here_, &of_there_;
  SolvedLoads solved_here_{of_here_}, solved_there_{of_there_};
  Translation& translation_;
  MappedClaims& claims_;
  const Conditions& states_;
  std::vector<ContactMatch> contacts_;  // for each contact of `there`
  std::vector<Expr> free_;              // the free velocities
};

}  // namespace dalembert
