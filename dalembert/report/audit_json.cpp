// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/json_documents.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/store/json_value.h"

namespace dalembert {
namespace {

Json point_json(const std::optional<CounterExample>& point) {
  if (!point) return nullptr;
  Json at = Json::object();
  for (const auto& [name, value] : point->at) at[name] = value.to_double();
  Json follows = Json::object();
  for (const CounterExample::Follower& one : point->follows) follows[one.name] = one.value;
  return {{"at", at},
          {"follows", follows},
          {"correct", point->correct},
          {"claimed", point->claimed},
          {"difference", point->difference},
          {"correct_digits", text_or_null(point->correct_digits)},
          {"claimed_digits", text_or_null(point->claimed_digits)}};
}

std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "; " + b; }

Json claim_json(const AuditedClaim& claim) {
  Json constants = Json::object();
  for (const auto& [name, value] : claim.constants) constants[name] = value;
  return {{"source", claim.source},
          {"entry", claim.entry},
          {"claimed", claim.claimed},
          {"given", claim.given},
          {"constants", constants},
          {"line", claim.span ? Json(claim.span.source->position(claim.span.begin).line) : Json(nullptr)},
          {"verdict", to_text(claim.verdict)},
          {"method", claim.exact ? "exact" : "random points"},
          {"correct", text_or_null(claim.correct)},
          {"difference", text_or_null(claim.difference)},
          {"point", point_json(claim.point)},
          {"assuming", claim.assuming},
          {"refused", claim.refusal ? Json(claim.refusal->code) : Json(nullptr)},
          {"note", text_or_null(claim.verdict == ClaimVerdict::kProved ? joined(describe_conditions(claim), claim.note)
                                                                       : claim.note)}};
}

}  // namespace

std::string describe_conditions(const AuditedClaim& claim) {
  std::vector<std::string> texts;
  for (const std::string& text : claim.assuming)
    if (text.find("!=") != std::string::npos) texts.push_back(text);
  return texts.empty() ? "" : fmt::format("where {}", fmt::join(texts, " and "));
}

Json audit_json(const std::string& model, const AuditReport& report) {
  Json claims = Json::array();
  for (const AuditedClaim& claim : report.claims) claims.push_back(claim_json(claim));
  return {{"model", model},
          {"proved", report.count(ClaimVerdict::kProved)},
          {"disproved", report.count(ClaimVerdict::kDisproved)},
          {"undecided", report.count(ClaimVerdict::kUndecided)},
          {"claims", std::move(claims)}};
}

Json comparison_json(const std::string& model, const std::string& other, const ModelComparison& comparison) {
  Json json = audit_json(model, comparison.report);
  json["against"] = other;
  json["compared"] = comparison.equations ? "equations" : "motion";
  json["claims_of"] = comparison.swapped ? model : other;
  json["in_one_only"] = comparison.without;
  json["taken_as_numbers"] = comparison.as_numbers;
  for (const auto& [name, formula] : comparison.map) json["map"][name] = formula;
  json["same"] = comparison.report.count(ClaimVerdict::kProved) == static_cast<int>(comparison.report.claims.size());
  return json;
}

}  // namespace dalembert
