// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the adjoint of a run, for the gradient of a few numbers at its end by many quantities (IntegrateOptions::gradient_of).
//
// The tangent s of a run at its end is a product of linear maps of the tangent at its start and of the parameters: of steps, of projections onto the
// constraints, and of changes (saltation matrices). Tangents records these maps while the run is made: of a step its continuous extension, of a projection its
// point, of a change its matrix. sweep() applies their transposes from the last one to the first, to the derivative w = ∂f/∂s of each number f:
//   step:        w' = −Aᵀw − (∂e/∂y)ᵀ μ,   ∂f/∂p += ∫ (bᵀw + (∂e/∂p)ᵀ μ) dt                                     (1)
// with A and b of tangents.h, the integrands e and the derivatives μ of f by the integrals over the run. Collocation with the adjoint coefficients integrates
// (1); it is the exact adjoint of the step of collocation that carries tangents over the same interval.
// Memory is bounded: of a run that is too long only the last part is kept. rest() then says how to go on with a run that ends where this part begins.
// Sources: Hairer, Lubich & Wanner, VI.4; Griewank & Walther, ch. 12.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/integrate/collocation.h"
#include "dalembert/integrate/exact_derivatives.h"
#include "dalembert/integrate/one_step_method.h"

namespace dalembert::integration {

/// Of each number f: its derivatives by the state, by the parameters that RunDerivatives differentiate by, and by the integrals.
struct AdjointWeights {
  std::vector<double> state, parameters, integrals;
  bool known = true;  ///< false: f depends on an integral whose integrand may have corners or jumps
};
/// What a sweep leaves to an earlier part of the run, which ends at t.
struct AdjointRest {
  double t = 0;
  std::vector<AdjointWeights> weights;
};

class Adjoint {
 public:
  /// `system` is evaluated by `exact` and `workspace`; sweep() changes its parameters. All arguments must outlive this object. `memory`: in bytes.
  Adjoint(Dynamics& system, Workspace& workspace, ExactDerivatives& exact, double rtol, std::size_t memory);

  // The maps of the run, in the order of the run.
  void add_step(const OneStepMethod& method, double t, double t1, const double* y, const double* y1);
  void add_projection(double t, const double* y);
  /// tangents[k] and integrals[k] are what the k-th entry of (s, p) becomes; integrals[k]: the changes of integrals.
  void add_change(const std::vector<std::vector<double>>& tangents, const std::vector<std::vector<double>>& integrals);

  /// The weights of the outputs at the last state of the run. False where they cannot be computed.
  bool begin(double t, const double* y, std::span<const int> outputs, const double* integrals);
  void begin(const AdjointRest& rest) { weights_ = rest.weights; }
  /// Carries the weights back. `go_on` is called now and then; false ends the sweep. False where the sweep failed.
  bool sweep(const std::function<bool()>& go_on);
  const std::vector<AdjointWeights>& weights() const { return weights_; }
  /// After sweep(): what is left, if the run did not fit.
  std::optional<AdjointRest> rest() const;

 private:
  static constexpr std::size_t kSamples = 8;
  enum class Kind { kStep, kProjection, kChange, kMode };
  // `numbers` of kStep: the state at kSamples points. Of kProjection: the state. Of kChange: the matrix, by columns. Of kMode: mode() before.
  struct Map {
    Kind kind = Kind::kStep;
    bool implicit = false;
    double t = 0, t1 = 0;
    std::vector<double> numbers;
  };
  static std::size_t bytes_of(const Map& map) { return sizeof(Map) + map.numbers.size() * sizeof(double); }
  void add(Map map);
  std::vector<double> mode() const;
  void note_mode();
  void use(std::span<const double> mode);
  void interpolate(const Map& map, double t, double* y) const;
  void prepare();
  bool carry_over(const Map& step);
  bool linearize(const Map& step, double t, double h, Collocation& use);
  bool find_sources(Collocation& use);
  double error_of(const Collocation& made, double h) const;
  void keep(const Collocation& made, double h);
  bool carry_through_projection(const Map& projection);
  void carry_through_change(const Map& change);

  Dynamics& system_;
  Workspace& workspace_;
  ExactDerivatives& exact_;
  const Layout& layout_;
  const double rtol_;
  const std::size_t n_, nq_, nv_, m_, parameters_, integrals_, memory_;
  std::deque<Map> maps_;
  std::size_t kept_ = 0;  // bytes
  bool dropped_ = false;
  std::vector<double> mode_;  // mode() at the last map
  std::vector<AdjointWeights> weights_;
  std::vector<std::vector<double>> states_;  // the weights of the states, for collocation
  std::vector<double> largest_;              // by number f: the largest weight of q, and of v, so far
  Collocation explicit_, implicit_;
  std::vector<Collocation::Entry> entries_;      // of Aᵀ
  std::vector<std::vector<double>> of_sources_;  // by number and node: (∂e/∂p)ᵀμ
  std::vector<double> point_, direction_, row_;
};

}  // namespace dalembert::integration
