// SPDX-License-Identifier: Apache-2.0
// Gains of state feedback and of a state estimator for a linearised motion, by quadratic cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dalembert/analyze/control/reach.h"
#include "dalembert/analyze/control/riccati.h"
#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/linearization.h"

namespace dalembert {
namespace {

Diagnostic control_problem(std::string message, const Span& span, std::string help) {
  Diagnostic problem = error("E0427", std::move(message), span);
  if (!help.empty()) problem.help.push_back(std::move(help));
  return problem;
}

// One weight as it is written: of a name, or of the k-th quantity.
struct Weight {
  std::string name;  // empty: in order
  double value = 0;
  Span place;
};
struct Weights {
  std::vector<Weight> Q, R;
};

constexpr const char* kWeightsExample =
    "write `Q = theta:10, x:1; R = f:0.1`, or numbers in order, `Q = 1, 1, 2, 2; R = 1`";

Result<Weights> read_weights(const MappedText& text) {
  Weights weights;
  for (const MappedText& part : text.split(';')) {
    if (part.text.empty()) continue;
    const std::size_t equals = part.text.find('=');
    const MappedText key = part.part(0, std::min(equals, part.text.size())).trimmed();
    if (equals == std::string::npos || (key.text != "Q" && key.text != "R"))
      return control_problem(fmt::format("`{}` is neither `Q = …` nor `R = …`", part.text), part.span(),
                             kWeightsExample);
    for (const MappedText& one : part.part(equals + 1, part.text.size()).split(',')) {
      const std::size_t colon = one.text.rfind(':');
      const MappedText number = colon == std::string::npos ? one : one.part(colon + 1, one.text.size()).trimmed();
      const auto value = parse_double(number.text);
      if (!value || !std::isfinite(*value) || *value < 0)
        return control_problem(fmt::format("`{}` is no weight", number.text), number.span(),
                               "a weight is a number, 0 or above");
      Weight weight{colon == std::string::npos ? "" : one.part(0, colon).trimmed().text, *value, one.span()};
      (key.text == "Q" ? weights.Q : weights.R).push_back(std::move(weight));
    }
  }
  return weights;
}

// Quantities that weights may name, each a row of the derivative by the states.
struct Rows {
  std::vector<std::string> names;
  Matrix rows;  // names × columns
  void add(const std::string& name, const Matrix& of, std::size_t row) {
    names.push_back(name);
    rows.cols = of.cols;
    ++rows.rows;
    for (std::size_t j = 0; j < of.cols; ++j) rows.entries.push_back(of(row, j));
  }
};

Matrix identity(std::size_t n) {
  Matrix made(n, n);
  for (std::size_t i = 0; i < n; ++i) made(i, i) = 1;
  return made;
}

std::string rate_name_of(const std::string& name) {
  return name.starts_with("dot(") && name.ends_with(")") ? name.substr(4, name.size() - 5) + "'" : name;
}

// The weight of each of `rows`: by name, or in order. `others`: what `rows` has after the first `ordered` may be named only.
Result<std::vector<double>> weigh(const std::vector<Weight>& given, const Rows& rows, std::size_t ordered,
                                  std::string_view what) {
  std::vector<double> weights(rows.names.size(), 0.0);
  const bool named = std::ranges::any_of(given, [](const Weight& one) { return !one.name.empty(); });
  if (!named && given.size() == 1) {
    std::fill_n(weights.begin(), ordered, given.front().value);
    return weights;
  }
  if (!named && given.size() != ordered)
    return control_problem(
        fmt::format("{} numbers for {}", given.size(),
                    counted(static_cast<int>(ordered), std::string(what), std::string(what) + "s")),
        given.empty() ? Span{} : given.front().place,
        fmt::format("in this order: {}",
                    fmt::join(rows.names.begin(), rows.names.begin() + static_cast<std::ptrdiff_t>(ordered), ", ")));
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!named) {
      weights[k] = given[k].value;
      continue;
    }
    const std::string name = rate_name_of(given[k].name);
    const auto found = std::ranges::find(rows.names, name);
    if (found == rows.names.end()) {
      const auto near = nearest(name, rows.names);
      return control_problem(given[k].name.empty() ? "a weight without a name among named ones"
                                                   : fmt::format("there is no {} `{}` to weigh", what, given[k].name),
                             given[k].place, near ? fmt::format("did you mean `{}`?", *near) : kWeightsExample);
    }
    weights[static_cast<std::size_t>(found - rows.names.begin())] = given[k].value;
  }
  return weights;
}

// Σ w_k a_k b_kᵀ of the rows of two matrices.
Matrix gram(const Matrix& a, const Matrix& b, const std::vector<double>& weights) {
  Matrix sum(a.cols, b.cols);
  for (std::size_t k = 0; k < a.rows; ++k)
    for (std::size_t i = 0; weights[k] != 0 && i < a.cols; ++i)
      for (std::size_t j = 0; j < b.cols; ++j) sum(i, j) += weights[k] * a(k, i) * b(k, j);
  return sum;
}

// z without a part that is round-off of the other.
std::complex<double> without_roundoff(const std::complex<double>& z) {
  constexpr double kPart = 1e-9;
  return {std::abs(z.real()) > kPart * std::abs(z) ? z.real() : 0,
          std::abs(z.imag()) > kPart * std::abs(z) ? z.imag() : 0};
}

// "theta - 0.5 phi + 2i x + (1 - 3i) y".
std::string combination(const std::vector<std::complex<double>>& direction, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    const std::complex<double> c = without_roundoff(direction[i]);
    if (std::abs(c) == 0) continue;
    const bool real = c.imag() == 0, imaginary = c.real() == 0;
    const bool negative = real ? c.real() < 0 : imaginary && c.imag() < 0;
    const double size = real ? std::abs(c.real()) : std::abs(c.imag());
    const std::string factor =
        real && std::abs(size - 1) <= 1e-9 ? ""
        : real                             ? to_text(size, 4) + " "
        : imaginary                        ? to_text(size, 4) + "i "
                    : fmt::format("({} {} {}i) ", to_text(c.real(), 4), c.imag() < 0 ? "-" : "+", to_text(size, 4));
    text += text.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    text += factor + names[i];
  }
  return text;
}

std::string unreached_text(const HiddenMode& mode, const std::vector<std::string>& states) {
  const std::string does = mode.eigenvalue != 0.0 ? fmt::format("follows a motion of its own, with the eigenvalue {}",
                                                                complex_text(without_roundoff(mode.eigenvalue)))
                           : mode.order == 1      ? "is constant"
                           : mode.order == 2      ? "changes at a constant rate"
                                                  : "follows a polynomial of time";
  return fmt::format("{} {}, {}", combination(mode.direction, states), does,
                     mode.exactly ? "whatever the inputs do" : "next to whatever the inputs do (to 1e-10)");
}
std::string unseen_text(const HiddenMode& mode, const std::vector<std::string>& states,
                        std::string_view where = "shows in none of the measured outputs") {
  return fmt::format("a motion along {}, with the eigenvalue {}, {}{}", combination(mode.direction, states),
                     complex_text(without_roundoff(mode.eigenvalue)), where, mode.exactly ? "" : " (to 1e-10)");
}

// An entry of a matrix of combinations is round-off below this fraction of the sum of its terms, one of a direction below that of its largest.
constexpr double kRoundoff = 1e-14, kOfDirection = 1e-9;

Diagnostic no_gains(const Span& place) {
  return control_problem("no gains make the closed loop stable at the least cost", place,
                         "give each state that does not come to rest by itself a weight in `Q`");
}

// Gains are shown with six digits.
constexpr double kAccurate = 1e-7;

// Why what the solver found is no answer, if it is none: it has fewer digits than are shown, or the system that it closes, A − B K, is not stable.
std::optional<Diagnostic> lost_in_roundoff(const Span& place, const std::optional<Gain>& gain, const Spectrum& closed,
                                           bool sampled) {
  const bool dies_out = std::ranges::all_of(
      closed, [&](const std::complex<double>& z) { return sampled ? std::abs(z) < 1 : z.real() < 0; });
  if (gain && gain->error <= kAccurate && dies_out) return std::nullopt;
  return control_problem(
      gain && gain->error > kAccurate
          ? fmt::format("round-off hides the gains: they would be wrong by {} of their size", to_text(gain->error, 2))
          : "round-off hides the gains: none were found that are sure to be stable",
      place,
      sampled ? "over a period an unstable motion grows, and what is fast dies out: perhaps a shorter period"
              : "what is very stiff or very fast may be left out");
}

// The gain of samples, which `gain_of` finds for an A with its system. Round-off of A and of exponentials grows with the turns of what is fast in a period; what several times as much
// changes of the gain tells how large the error is.
template <class GainOf>
std::optional<Gain> sampled_gain(const Matrix& A, const GainOf& gain_of, std::optional<SampledSystem>& sampled) {
  std::optional<Gain> gain = gain_of(A, sampled.emplace());
  if (!gain) return std::nullopt;
  SampledSystem other;
  const std::optional<Gain> beside = gain_of(with_more_roundoff(A), other);
  if (!beside) return std::nullopt;
  gain->error = std::max(gain->error, change_of(*gain, *beside) / kTimesRoundoff);
  return gain;
}

Diagnostic no_estimator(const Span& place) {
  return control_problem("no gains of an estimator were found", place,
                         "give each state or input that is disturbed its noise in `Q`");
}

bool is_at_rest_or_unstable(const HiddenMode& mode) { return mode.eigenvalue.real() >= -1e-12 * mode.size; }
bool is_on_axis(const HiddenMode& mode) { return std::abs(mode.eigenvalue.real()) <= mode.uncertainty; }

// In balanced units: slow motions beside fast ones keep their digits.
Spectrum spectrum_of(const Matrix& A) { return eigenpairs(scaled(A, balance(A))).value; }

Matrix magnitudes(Matrix a) {
  for (double& entry : a.entries) entry = std::abs(entry);
  return a;
}

Matrix minus(const Matrix& a, const Matrix& b) {
  Matrix made = a;
  for (std::size_t k = 0; k < made.entries.size(); ++k) made.entries[k] -= b.entries[k];
  return made;
}

class Designer {
 public:
  Designer(const LinearizedModel& model, const ControlRequest& request)
      : request_(request), motion_(model.motion), outputs_(own_outputs(model.given->system, model.motion)) {
    const Names& names = model.given->system.dynamics.names();
    control_.states = state_names(motion_);
    control_.inputs = names.inputs;
    control_.period = request.period;
    control_.A = motion_.A;
    control_.B = motion_.B;
    for (std::size_t i = 0; i < control_.states.size(); ++i)
      states_.add(control_.states[i], identity(control_.states.size()), i);
    all_ = states_;
    const auto add = [&](const std::string& name, const Matrix& of, std::size_t row) {
      if (std::ranges::find(all_.names, name) == all_.names.end()) all_.add(name, of, row);
    };
    for (std::size_t i = 0; i < names.coordinates.size(); ++i) add(names.coordinates[i], motion_.tangent, i);
    const std::vector<std::string> rates = names.velocity_names();
    for (std::size_t i = 0; i < rates.size(); ++i) add(rates[i], motion_.tangent, names.coordinates.size() + i);
    const std::size_t without = all_.names.size();
    for (std::size_t i = 0; i < outputs_.names.size(); ++i) add(outputs_.names[i], outputs_.C, i);
    all_by_inputs_ = Matrix(all_.names.size(), motion_.B.cols);
    for (std::size_t k = without; k < all_.names.size(); ++k) {
      const auto i =
          static_cast<std::size_t>(std::ranges::find(outputs_.names, all_.names[k]) - outputs_.names.begin());
      for (std::size_t j = 0; j < motion_.B.cols; ++j) all_by_inputs_(k, j) = outputs_.D(i, j);
    }
    for (std::size_t j = 0; j < names.inputs.size(); ++j)
      inputs_.add(names.inputs[j], identity(names.inputs.size()), j);
  }

  Result<Control> design() {
    if (control_.states.empty())
      for (const auto* weights : {&request_.lqr, &request_.kalman})
        if (*weights)
          return control_problem("the constraints leave no motion here, for which there could be gains",
                                 (*weights)->span(), "");
    if (request_.period && !(*request_.period > 0 && std::isfinite(*request_.period)))
      return control_problem(fmt::format("a period of {} s is not above 0", to_text(*request_.period, 9)), {}, "");
    std::optional<SampledSystem> sampled;
    if (request_.period) {
      sampled = sampled_by(*request_.period);
      if (!is_finite(*sampled)) return overflow(*request_.period);
    }
    if (request_.lqr)
      if (Diagnostics problems = regulate(); !problems.empty()) return problems;
    if (request_.kalman)
      if (Diagnostics problems = estimate(); !problems.empty()) return problems;
    if (sampled) {
      control_.A = sampled->A;
      control_.B = sampled->B;
    }
    if (control_.K.rows > 0) control_.closed_loop = spectrum_of(minus(control_.A, control_.B * control_.K));
    if (control_.L.cols > 0)
      control_.estimator = spectrum_of(request_.period ? minus(control_.A, control_.A * (control_.L * control_.C))
                                                       : minus(control_.A, control_.L * control_.C));
    return std::move(control_);
  }

 private:
  SampledSystem sampled_by(double period) const {
    const std::size_t n = control_.states.size(), m = control_.inputs.size();
    return sample_system(motion_.A, motion_.B, {Matrix(n, n), identity(m)}, period);
  }
  static bool is_finite(const SampledSystem& sampled) {
    return std::isfinite(largest(sampled.A)) && std::isfinite(largest(sampled.B));
  }

  // Names a power of ten for which the exponentials are numbers.
  Diagnostic overflow(double period) const {
    int exponent = static_cast<int>(std::floor(std::log10(period)));
    while (exponent > -300 && !is_finite(sampled_by(std::pow(10, exponent)))) --exponent;
    return control_problem(
        fmt::format("over a period of {} s the system's exponentials overflow", to_text(period, 9)), {},
        exponent > -300 ? fmt::format("a period of {} s or less can be computed", to_text(std::pow(10, exponent), 9))
                        : "");
  }

  Diagnostics regulate() {
    const Span place = request_.lqr->span();
    if (control_.inputs.empty())
      return {control_problem("the model has no inputs, by which something could be controlled", place,
                              "state them in [inputs]")};
    const Result<Weights> given = read_weights(*request_.lqr);
    if (!given) return given.diagnostics();
    if (given->Q.empty()) return {control_problem("the cost needs weights `Q`", place, kWeightsExample)};
    const Result<std::vector<double>> Q = weigh(given->Q, all_, states_.names.size(), "state");
    if (!Q) return Q.diagnostics();
    const Result<std::vector<double>> R =
        given->R.empty() ? Result<std::vector<double>>(std::vector<double>(inputs_.names.size(), 1.0))
                         : weigh(given->R, inputs_, inputs_.names.size(), "input");
    if (!R) return R.diagnostics();
    for (std::size_t j = 0; j < R->size(); ++j)
      if (!((*R)[j] > 0))
        return {control_problem(
            fmt::format("the input `{}` needs a weight in `R` above 0: without a cost it would be unlimited",
                        control_.inputs[j]),
            given->R.front().place,
            fmt::format("`R` has a weight for each of {}, or one number for all; without `R` each has 1",
                        join_words(control_.inputs, "`", "and")))};
    const Reach reach = find_reach(motion_.A, motion_.B);
    for (const HiddenMode& mode : reach.hidden) control_.unreached.push_back(unreached_text(mode, control_.states));
    for (const HiddenMode& mode : reach.hidden)
      if (is_at_rest_or_unstable(mode) && !is_on_axis(mode))
        return {control_problem((mode.exactly ? "no feedback makes this motion stable: "
                                              : "round-off hides what feedback would make this motion stable: ") +
                                    unreached_text(mode, control_.states),
                                place, "it needs another input")};
    // Modes that inputs cannot move and that do not die out by themselves stay as they are: the gains are those of what inputs reach.
    const bool some = std::ranges::any_of(reach.hidden, is_at_rest_or_unstable);
    if (reach.reached.cols == 0)
      return {control_problem("no input moves anything at this state", place,
                              "linearize at another state, or state another input")};
    const Matrix V = some ? reach.reached : identity(control_.states.size()), VT = transposed(V);
    const Matrix A = VT * (motion_.A * V), B = VT * motion_.B;
    // The cost of y = C z + D u contains u, too.
    Matrix inputs = gram(all_by_inputs_, all_by_inputs_, *Q);
    for (std::size_t j = 0; j < R->size(); ++j) inputs(j, j) += (*R)[j];
    const QuadraticCost cost{VT * (gram(all_.rows, all_.rows, *Q) * V), inputs,
                             VT * gram(all_.rows, all_by_inputs_, *Q)};
    if (std::vector<std::string> free = free_of_cost(A, V, *Q); !free.empty()) {
      Diagnostic problem = no_gains(place);
      problem.notes = std::move(free);
      return {problem};
    }
    std::optional<SampledSystem> sampled;
    const auto gain_of_samples = [&](const Matrix& a, SampledSystem& made) {
      made = sample_system(a, B, cost, *request_.period);
      return solve_discrete_riccati(made.change, made.B, made.cost);
    };
    const std::optional<Gain> gain =
        request_.period ? sampled_gain(A, gain_of_samples, sampled) : solve_continuous_riccati(A, B, cost);
    const Spectrum closed =
        gain ? spectrum_of(sampled ? minus(sampled->A, sampled->B * gain->K) : minus(A, B * gain->K)) : Spectrum{};
    if (std::optional<Diagnostic> problem = lost_in_roundoff(place, gain, closed, sampled.has_value()))
      return {*std::move(problem)};
    control_.K = gain->K * VT;
    return {};
  }

  // What neither grows nor dies out and costs nothing stays as it is at the least cost: the Riccati equation has no stabilising solution, and round-off
  // may hide that. `A`: of the combinations V of states that inputs reach. Source: Zhou, Doyle & Glover, ch. 13.
  std::vector<std::string> free_of_cost(Matrix A, const Matrix& V, const std::vector<double>& Q) const {
    std::vector<std::string> texts;
    Rows weighed;
    weighed.rows.cols = all_.rows.cols;
    for (std::size_t k = 0; k < Q.size(); ++k)
      if (Q[k] > 0) weighed.add(all_.names[k], all_.rows, k);
    // Round-off of the combinations is no coupling between them.
    const Matrix terms = magnitudes(transposed(V)) * (magnitudes(motion_.A) * magnitudes(V));
    for (std::size_t k = 0; k < A.entries.size(); ++k)
      if (std::abs(A.entries[k]) <= kRoundoff * terms.entries[k]) A.entries[k] = 0;
    for (HiddenMode mode : find_unseen(A, weighed.rows * V)) {
      if (!is_on_axis(mode)) continue;
      std::vector<std::complex<double>> along(V.rows);
      std::complex<double> most = 0;
      for (std::size_t i = 0; i < V.rows; ++i) {
        for (std::size_t k = 0; k < V.cols; ++k) along[i] += V(i, k) * mode.direction[k];
        if (std::abs(along[i]) > std::abs(most)) most = along[i];
      }
      for (std::complex<double>& entry : along)
        entry = std::abs(entry) > kOfDirection * std::abs(most) ? entry / most : 0;
      mode.direction = std::move(along);
      texts.push_back(unseen_text(mode, control_.states, "costs nothing"));
    }
    return texts;
  }

  // The same of an estimator: what neither grows nor dies out and is not disturbed.
  Diagnostics check_noise(const Rows& noisy, const std::vector<double>& Q) const {
    Rows disturbing;
    disturbing.rows.cols = noisy.rows.cols;
    for (std::size_t k = 0; k < Q.size(); ++k)
      if (Q[k] > 0) disturbing.add(noisy.names[k], noisy.rows, k);
    Diagnostic problem = no_estimator(request_.kalman->span());
    for (const HiddenMode& mode : find_reach(motion_.A, transposed(disturbing.rows)).hidden)
      if (is_on_axis(mode))
        problem.notes.push_back(fmt::format("nothing disturbs {}, which does not come to rest by itself",
                                            combination(mode.direction, control_.states)));
    return problem.notes.empty() ? Diagnostics{} : Diagnostics{problem};
  }

  Diagnostics estimate() {
    const Span place = request_.kalman->span();
    const Result<Weights> given = read_weights(*request_.kalman);
    if (!given) return given.diagnostics();
    if (given->Q.empty() || given->R.empty())
      return {control_problem(
          "an estimator needs `Q`, the noise that moves the system, and `R`, that of the measured outputs", place,
          "write `Q = f:1; R = y:1e-4`")};
    Rows measured;
    for (std::size_t i = 0; i < outputs_.names.size(); ++i) measured.add(outputs_.names[i], outputs_.C, i);
    const Result<std::vector<double>> R = weigh(given->R, measured, measured.names.size(), "output");
    if (!R) return R.diagnostics();
    Rows noisy;  // columns: what noise of 1 adds to dz/dt
    const Matrix BT = transposed(motion_.B);
    for (std::size_t i = 0; i < states_.names.size(); ++i) noisy.add(states_.names[i], states_.rows, i);
    for (std::size_t j = 0; j < control_.inputs.size(); ++j) noisy.add(control_.inputs[j], BT, j);
    const Result<std::vector<double>> Q = weigh(given->Q, noisy, states_.names.size(), "state or input");
    if (!Q) return Q.diagnostics();
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < R->size(); ++i)
      if ((*R)[i] > 0) rows.push_back(i);
    if (rows.empty())
      return {control_problem("no output is measured: each measured output has its noise in `R`, above 0", place, "")};
    Matrix C(rows.size(), motion_.C.cols), D(rows.size(), motion_.D.cols), noise(rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      control_.measured.push_back(outputs_.names[rows[i]]);
      for (std::size_t j = 0; j < C.cols; ++j) C(i, j) = outputs_.C(rows[i], j);
      for (std::size_t j = 0; j < D.cols; ++j) D(i, j) = outputs_.D(rows[i], j);
      noise(i, i) = (*R)[rows[i]] / request_.period.value_or(1);
      if (!std::isfinite(largest(C)))
        return {control_problem(fmt::format("the output `{}` has no derivative here", control_.measured.back()), place,
                                "")};
    }
    for (const HiddenMode& mode : find_unseen(motion_.A, C)) {
      control_.unseen.push_back(unseen_text(mode, control_.states));
      if (is_at_rest_or_unstable(mode))
        return {control_problem("no estimate comes near the motion: " + control_.unseen.back(), place,
                                "measure another output")};
    }
    if (Diagnostics problems = check_noise(noisy, *Q); !problems.empty()) return problems;
    const Matrix W = gram(noisy.rows, noisy.rows, *Q), AT = transposed(motion_.A), CT = transposed(C);
    std::optional<SampledSystem> sampled;
    // The gain of the update by a sample: P Cᵀ (C P Cᵀ + R)⁻¹.
    const auto gain_of_samples = [&](const Matrix& A, SampledSystem& made) {
      const double period = *request_.period;
      made = sample_system(A, motion_.B, {Matrix(W.rows, W.rows), identity(motion_.B.cols)}, period);
      return solve_filter_riccati(transposed(made.change), CT, {sampled_noise(A, W, period), noise});
    };
    const std::optional<Gain> gain = request_.period ? sampled_gain(motion_.A, gain_of_samples, sampled)
                                                     : solve_continuous_riccati(AT, CT, {W, noise});
    Spectrum closed;
    if (gain) {
      const Matrix L = transposed(gain->K);
      closed = spectrum_of(sampled ? minus(sampled->A, sampled->A * (L * C)) : minus(motion_.A, L * C));
    }
    if (std::optional<Diagnostic> problem = lost_in_roundoff(place, gain, closed, sampled.has_value()))
      return {*std::move(problem)};
    control_.L = transposed(gain->K);
    control_.C = std::move(C);
    control_.D = std::move(D);
    return {};
  }

  const ControlRequest& request_;
  const LinearMotion& motion_;
  const OutputRows outputs_;
  Rows states_, inputs_, all_;
  Matrix all_by_inputs_;  // derivatives of the quantities in all_ by the inputs
  Control control_;
};

Json spectrum_json(const Spectrum& spectrum) {
  Json all = Json::array();
  for (const std::complex<double>& z : spectrum) all.push_back(complex_json(z));
  return all;
}

}  // namespace

Result<Control> design_control(const LinearizedModel& model, const ControlRequest& request) {
  return Designer(model, request).design();
}

Json control_json(const Control& control) {
  Json json{{"states", control.states},
            {"inputs", control.inputs},
            {"period", control.period ? Json(*control.period) : Json()}};
  if (control.period) json.append("Ad", rows_json(control.A)), json.append("Bd", rows_json(control.B));
  json.append("K", control.K.rows > 0 ? rows_json(control.K) : Json());
  json.append("closed_loop", control.K.rows > 0 ? spectrum_json(control.closed_loop) : Json());
  json.append("measured", control.measured);
  json.append("L", control.L.cols > 0 ? rows_json(control.L) : Json());
  json.append("estimator", control.L.cols > 0 ? spectrum_json(control.estimator) : Json());
  json.append("unreached", control.unreached);
  json.append("unseen", control.unseen);
  return json;
}

}  // namespace dalembert
