// SPDX-License-Identifier: Apache-2.0
// Kernels that a specialist would write by hand for one mechanism each: the limit that compiled ones are measured
// against. Parameters are constants of the code, the structure of the equations is used to the full, eight systems at
// once are in explicit vectors. Only these files are compiled for the processor at hand (-O3 -march=native).
//
// Each comes with the C library's sine and cosine, and with polynomials of its own (PolynomialSinCos).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dalembert::bench::reference {

enum class Trigonometry { kLibrary, kPolynomial };

/// One evaluation: q, v = q̇ → q̈ and λ, in the order and with the signs of the model file.
using Kernel = void (*)(const double* q, const double* v, double* qdd, double* lambda);
Kernel slider_crank(Trigonometry trigonometry);  ///< 3 coordinates, 2 rows: models/slider-crank.toml
Kernel andrews(Trigonometry trigonometry);       ///< 7 coordinates, 6 rows: models/andrews-squeezer.toml
/// Eight systems at once: entry i of lane l at [8 i + l].
void slider_crank_eight(const double* q, const double* v, double* qdd, double* lambda);
void andrews_eight(const double* q, const double* v, double* qdd, double* lambda);

/// Slider-crank by forming the 5×5 KKT matrix and Gaussian elimination with pivoting: no knowledge of structure.
void slider_crank_dense(const double* q, const double* v, double* qdd, double* lambda);

struct ChainMotion {
  double *alpha, *ax, *ay;  ///< N each: accelerations of the angle and the centre of each rod
  double* force;            ///< 2N: x, y of the force of joint i on rod i
};
/// models/n-link-chain-maximal.toml with m = 1 kg and l = 1 m; memory for one evaluation of N links.
class Chain {
 public:
  explicit Chain(int n)
      : n_(n), sine_(size(1)), cosine_(size(1)), diagonal_(size(3)), above_(size(4)), right_(size(2)) {}
  /// Angles and their rates [N].
  void evaluate(Trigonometry trigonometry, const double* theta, const double* omega, const ChainMotion& out);

 private:
  static constexpr double h = 0.5, inverse_m = 1, inverse_I = 12, g = 9.81;  // h: half a rod
  std::size_t size(int each) const { return static_cast<std::size_t>(n_ * each); }
  template <class SinCos>
  void evaluate_with(const double* theta, const double* omega, const ChainMotion& out);

  int n_;
  std::vector<double> sine_, cosine_;
  std::vector<double> diagonal_;  // 11, 12, 22 of each reduced diagonal block
  std::vector<double> above_;     // D⁻¹ times the block above the diagonal
  std::vector<double> right_;     // reduced right-hand side
};

/// Steps of the classical Runge–Kutta method on `count` systems (a multiple of 16), polynomials as sine and cosine.
/// Entry i of system j is at [i · count + j]: q, then v. `lanes`: 1 (the C library's sine), 8 or 16.
void double_pendulum_steps(double* state, int count, int steps, double h, int lanes);  ///< 4 entries
void slider_crank_steps(double* state, int count, int steps, double h, int lanes);     ///< 6 entries, index 1

/// Coefficients of Dormand–Prince 8(5,3) without its continuous extension.
struct Dop853 {
  double c[12], a[12][12], b[12], e[12], e_low[12];
};
struct Dop853Run {
  double t_end, rtol, atol;
};
struct Dop853Counts {
  std::int64_t steps = 0, rejected = 0, evaluations = 0;
};
/// Whole runs of the index-1 equations from t = 0, no projection: y = (q, v) in place. Step control as in the code
/// dop853 (Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., II.10).
Dop853Counts slider_crank_run(const Dop853& method, Trigonometry trigonometry, double* y, const Dop853Run& run);
Dop853Counts andrews_run(const Dop853& method, Trigonometry trigonometry, double* y, const Dop853Run& run);

}  // namespace dalembert::bench::reference
