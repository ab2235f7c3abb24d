// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/entry.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

struct Part {
  std::size_t begin, end;
};

// The parts of `inner` between commas that no bracket encloses, without surrounding spaces; offsets into the whole text.
std::vector<Part> split(const std::string& text, std::size_t begin, std::size_t end) {
  std::vector<Part> parts;
  int depth = 0;
  std::size_t from = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i < end && text[i] == '[') ++depth;
    if (i < end && text[i] == ']') --depth;
    if (i < end && (text[i] != ',' || depth > 0)) continue;
    std::size_t a = from, b = i;
    while (a < b && text[a] == ' ') ++a;
    while (b > a && text[b - 1] == ' ') --b;
    parts.push_back({a, b});
    from = i + 1;
  }
  return parts;
}

class Finder {
 public:
  Finder(const Equations& eq, const MappedText& name) : eq_(eq), name_(name) {
    for (const Coordinate& c : eq.model->coordinates) coordinates_.push_back(c.name);
  }

  Result<Expr> find() {
    const std::string& text = name_.text;
    const std::size_t open = text.find('[');
    const std::string head = text.substr(0, open);
    std::vector<Part> parts;
    if (open != std::string::npos) {
      if (text.back() != ']') return no_entry("the bracket is not closed");
      parts = split(text, open + 1, text.size() - 1);
    }
    if (parts.empty()) {
      if (head == "T") return eq_.T;
      if (head == "V") return eq_.V;
      if (head == "L") return eq_.L;
      if (head == "E") return eq_.E;
      return no_entry("energies are `T`, `V`, `L`, `E`; every other entry names its row");
    }
    const std::vector<Expr>* column = head == "B" ? &eq_.B : head == "G" ? &eq_.G : head == "F" ? &eq_.F : head == "p" ? &eq_.p : nullptr;
    if (column != nullptr || head == "eom") {
      const auto i = index(parts, 1, 0, coordinates_, "coordinate");
      if (!i) return i.diagnostics();
      return column != nullptr ? (*column)[static_cast<std::size_t>(*i)] : equation_of_motion(eq_, *i);
    }
    const std::vector<Expr>* rows = head == "a" ? &eq_.a : head == "gamma" ? &eq_.gamma : head == "h" ? &eq_.h : nullptr;
    if (rows != nullptr) {
      const auto j = index(parts, 1, 0, eq_.rows, "constraint row");
      if (!j) return j.diagnostics();
      return (*rows)[static_cast<std::size_t>(*j)];
    }
    const SparseMatrix* matrix = head == "M" ? &eq_.M : head == "W" ? &eq_.W : head == "Wdot" ? &eq_.Wdot : nullptr;
    if (matrix == nullptr) return no_entry("entries are T V L E, B G F p eom by coordinate, a gamma h by constraint, M W Wdot by both");
    const auto r = head == "M" ? index(parts, 2, 0, coordinates_, "coordinate") : index(parts, 2, 0, eq_.rows, "constraint row");
    if (!r) return r.diagnostics();
    const auto c = index(parts, 2, 1, coordinates_, "coordinate");
    if (!c) return c.diagnostics();
    const Expr value = matrix->find(*r, *c);
    return value ? value : eq_.model->graph->constant(0);
  }

 private:
  Diagnostic no_entry(std::string help) const {
    Diagnostic d = error("E0230", fmt::format("there is no entry `{}`", name_.text), name_.span());
    d.help.push_back(std::move(help));
    return d;
  }

  Result<int> index(const std::vector<Part>& parts, std::size_t wanted, std::size_t which, const std::vector<std::string>& names, std::string_view what) const {
    if (parts.size() != wanted) return no_entry(wanted == 1 ? "one name should stand in the bracket" : "two names should stand in the bracket, row and column");
    const Part& part = parts[which];
    const std::string word = name_.text.substr(part.begin, part.end - part.begin);
    const auto found = std::ranges::find(names, word);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    Diagnostic d = error("E0230", fmt::format("there is no {} `{}`", what, word), name_.span(part.begin, part.end));
    if (const auto similar = nearest(word, names)) d.help.push_back(fmt::format("did you mean `{}`?", *similar));
    else d.help.push_back(fmt::format("there are {}", join_words(names)));
    return d;
  }

  const Equations& eq_;
  const MappedText& name_;
  std::vector<std::string> coordinates_;
};

}  // namespace

Expr equation_of_motion(const Equations& eq, int i) {
  const auto at = static_cast<std::size_t>(i);
  std::vector<Graph::Term> terms{{eq.B[at], 1}, {eq.G[at], 1}, {eq.F[at], -1}};
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    if (eq.M.row[k] == i) terms.push_back({eq.M.value[k] * eq.qdd[static_cast<std::size_t>(eq.M.col[k])], 1});
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (eq.W.col[k] == i) terms.push_back({eq.W.value[k] * eq.lambda[static_cast<std::size_t>(eq.W.row[k])], -1});
  return eq.model->graph->sum(terms);
}

Result<Expr> find_entry(const Equations& equations, const MappedText& name) { return Finder(equations, name).find(); }

}  // namespace dalembert
