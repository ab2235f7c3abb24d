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
/// kShort: with as few divisions as possible that wait for each other, at the price of some products.
enum class Elimination { kPlain, kShort };

/// One evaluation: q, v = q̇ → q̈ and λ, in the order and with the signs of the model file.
using Kernel = void (*)(const double* q, const double* v, double* qdd, double* lambda);
/// 3 coordinates, 2 rows: models/slider-crank.toml
Kernel slider_crank(Trigonometry trigonometry, Elimination elimination = Elimination::kShort);
/// 7 coordinates, 6 rows: models/andrews-squeezer.toml
Kernel andrews(Trigonometry trigonometry);
/// 4 or 8 systems at once, polynomials as sine and cosine: entry i of lane l at [lanes · i + l].
Kernel slider_crank_lanes(int lanes, Elimination elimination);
Kernel andrews_lanes(int lanes);

/// Slider-crank by forming the 5×5 KKT matrix and Gaussian elimination with pivoting: no knowledge of structure.
void slider_crank_dense(const double* q, const double* v, double* qdd, double* lambda);

struct ChainMotion {
  double *alpha, *ax, *ay;  ///< N each: accelerations of the angle and the centre of each rod
  double* force;            ///< 2N: x, y of the force of joint i on rod i
};
/// models/n-link-chain-maximal.toml with m = 1 kg and l = 1 m; memory for one evaluation of N links.
class Chain {
 public:
  explicit Chain(int n) : n_(n), sine_(size(1)), cosine_(size(1)), coupling_(size(4)), free_(size(2)) {}
  /// Angles and their rates [N]. kPlain: from the bearing to the free end; kShort: from both ends to the middle.
  void evaluate(Trigonometry trigonometry, const double* theta, const double* omega, const ChainMotion& out,
                Elimination elimination = Elimination::kShort);

 private:
  static constexpr double h = 0.5, inverse_m = 1, inverse_I = 12, g = 9.81;  // h: half a rod
  struct Joint;                                                              // its block row while it is reduced
  std::size_t size(int each) const { return static_cast<std::size_t>(n_ * each); }
  Joint joint(int i, const double* omega) const;
  void reduce(Joint& next, const Joint& gone, int i, int rod);
  void step_back(int i, double& x, double& y) const;
  void accelerate(int rod, double x, double y, double next_x, double next_y, const ChainMotion& out) const;
  template <class SinCos>
  void evaluate_with(const double* theta, const double* omega, const ChainMotion& out, Elimination elimination);

  int n_;
  std::vector<double> sine_, cosine_;
  std::vector<double> coupling_;  // of each joint that has gone: D⁻¹ times its block beside the diagonal
  std::vector<double> free_;      // and D⁻¹ times its right-hand side
};

/// Steps of the classical Runge–Kutta method on `count` systems (a multiple of 16), polynomials as sine and cosine.
/// Entry i of system j is at [i · count + j]: q, then v. `lanes`: 1 (the C library's sine), 4, 8 or 16.
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
