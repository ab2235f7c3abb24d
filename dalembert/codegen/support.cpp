// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/support.h"

#include <utility>

namespace dalembert {

const std::string_view kReflections = R"(
# The power of two nearest to 1/sqrt(x): scaling by it costs no accuracy.
routine balance(real x) -> real {
  real factor
  factor = 1.0
  if x > 0.0 {
    while x * factor * factor > 2.0 {
      factor = factor * 0.5
    }
    while x * factor * factor < 0.5 {
      factor = factor * 2.0
    }
  }
  return factor
}

# Column k of A, of `length` rows, becomes (R_0k ... R_kk, tail of w) with the reflection 1 - tau w w', w = (1, tail).
routine make_reflection(inout A[nv*nr], int length, int k, inout tau[nr]) {
  real tail, alpha, beta, scale
  tail = 0.0
  for i = k + 1 to length {
    tail = tail + A[k * length + i] * A[k * length + i]
  }
  tau[k] = 0.0
  if tail > 0.0 {
    alpha = A[k * length + k]
    beta = sqrt(alpha * alpha + tail)
    if alpha > 0.0 {
      beta = -beta
    }
    scale = 1.0 / (alpha - beta)
    for i = k + 1 to length {
      A[k * length + i] = A[k * length + i] * scale
    }
    tau[k] = (beta - alpha) / beta
    A[k * length + k] = beta
  }
}

# Applies reflection k to b[first], b[first + stride], ...
routine reflect(in A[nv*nr], int length, int k, real tau, inout b[nv*nv], int first, int stride) {
  real sum
  sum = b[first + k * stride]
  for i = k + 1 to length {
    sum = sum + A[k * length + i] * b[first + i * stride]
  }
  sum = sum * tau
  b[first + k * stride] = b[first + k * stride] - sum
  for i = k + 1 to length {
    b[first + i * stride] = b[first + i * stride] - sum * A[k * length + i]
  }
}
)";

const std::string_view kSolveDense = R"(
# x and y of M x - W'y = f and W x = c for the first rows of W, by orthogonal elimination: M may be singular where W forbids to
# move, rows may depend on each other; then y is the one of least norm. 0, 1: M is singular on what W allows, 2: rows
# contradict each other (x is a least-squares answer), 3: not finite.
routine solve_dense(in M[nv*nv], in W[nr*nv], int rows, in f[nv], in c[nr], real tolerance, out x[nv], out y[nr]) -> status {
  real A[nv*nr + nv] = 0, tau[nr] = 0, C[nr*nr] = 0, c_tau[nr] = 0, K[nv*nv] = 0, scale[nv] = 0, most[nv] = 0, row_scale[nr] = 0, row_most[nr] = 0, keep[nr] = 0
  real g[nv] = 0, b[nr] = 0, w[nr] = 0, z[nv] = 0, diagonal[nv] = 0
  int pivot[nr] = 0
  real sum, entry, largest, massive, reference, plain, metric, longest, first, norm, left, size
  int rank, best, other, limit, going
  sum = 0.0
  for i = 0 to nv * nv {
    sum = sum + M[i] * 0.0
  }
  for i = 0 to rows * nv {
    sum = sum + W[i] * 0.0
  }
  for i = 0 to nv {
    sum = sum + f[i] * 0.0
    x[i] = 0.0
    z[i] = 0.0
  }
  for i = 0 to rows {
    sum = sum + c[i] * 0.0
    y[i] = 0.0
    w[i] = 0.0
  }
  if not (sum == 0.0) {
    return 3
  }
  # Rows that are round-off, in SI units and in the mass metric alike, count as zero.
  largest = 0.0
  massive = 0.0
  for j = 0 to nv {
    scale[j] = 0.0
    if M[j * nv + j] > 0.0 {
      scale[j] = 1.0 / sqrt(M[j * nv + j])
    }
    most[j] = 0.0
    for r = 0 to rows {
      entry = abs(W[r * nv + j])
      if entry > most[j] {
        most[j] = entry
      }
    }
    if most[j] > largest {
      largest = most[j]
    }
    if most[j] * scale[j] > massive {
      massive = most[j] * scale[j]
    }
  }
  reference = 1.0
  if massive > 0.0 {
    reference = massive
  }
  for j = 0 to nv {
    if scale[j] == 0.0 and most[j] > 0.0 {
      scale[j] = reference / most[j]
    }
  }
  for r = 0 to rows {
    plain = 0.0
    metric = 0.0
    for j = 0 to nv {
      entry = abs(W[r * nv + j])
      if entry > plain {
        plain = entry
      }
      if entry * scale[j] > metric {
        metric = entry * scale[j]
      }
    }
    keep[r] = 1.0
    if plain <= 1e-14 * largest and metric <= 1e-14 * reference {
      keep[r] = 0.0
    }
  }
  # The whole matrix scaled to entries of size 1, then rows of W to norm 1.
  for j = 0 to nv {
    scale[j] = 1.0
  }
  for r = 0 to rows {
    row_scale[r] = 1.0
  }
  for turn = 0 to 4 {
    for j = 0 to nv {
      most[j] = 0.0
      for i = 0 to nv {
        entry = abs(M[i * nv + j]) * scale[i] * scale[j]
        if entry > most[j] {
          most[j] = entry
        }
      }
    }
    for r = 0 to rows {
      row_most[r] = 0.0
      for j = 0 to nv {
        entry = keep[r] * abs(W[r * nv + j]) * row_scale[r] * scale[j]
        if entry > most[j] {
          most[j] = entry
        }
        if entry > row_most[r] {
          row_most[r] = entry
        }
      }
    }
    for j = 0 to nv {
      entry = balance(most[j])
      scale[j] = scale[j] * entry
    }
    for r = 0 to rows {
      entry = balance(row_most[r])
      row_scale[r] = row_scale[r] * entry
    }
  }
  longest = 0.0
  for r = 0 to rows {
    sum = 0.0
    for j = 0 to nv {
      entry = keep[r] * W[r * nv + j] * scale[j]
      sum = sum + entry * entry
    }
    row_scale[r] = 1.0
    if sum > 0.0 {
      row_scale[r] = 1.0 / sqrt(sum)
    }
    if sqrt(sum) > longest {
      longest = sqrt(sum)
    }
  }
  for r = 0 to rows {
    if keep[r] == 0.0 and longest > 0.0 {
      row_scale[r] = 1.0 / longest
    }
  }
  # The scaled W' with its columns in order of what they add: W'P = QR.
  for r = 0 to rows {
    pivot[r] = r
    for j = 0 to nv {
      A[r * nv + j] = keep[r] * W[r * nv + j] * row_scale[r] * scale[j]
    }
  }
  rank = 0
  first = 0.0
  going = 1
  limit = nv
  if rows < limit {
    limit = rows
  }
  while going == 1 and rank < limit {
    best = rank
    largest = -1.0
    for r = rank to rows {
      sum = 0.0
      for i = rank to nv {
        sum = sum + A[r * nv + i] * A[r * nv + i]
      }
      if sum > largest {
        largest = sum
        best = r
      }
    }
    norm = sqrt(largest)
    if rank == 0 {
      first = norm
    }
    if norm > tolerance * first and norm > 0.0 {
      if best != rank {
        for i = 0 to nv {
          entry = A[best * nv + i]
          A[best * nv + i] = A[rank * nv + i]
          A[rank * nv + i] = entry
        }
        other = pivot[best]
        pivot[best] = pivot[rank]
        pivot[rank] = other
      }
      call make_reflection(A, nv, rank, tau)
      for r = rank + 1 to rows {
        call reflect(A, nv, rank, tau[rank], A, r * nv, 1)
      }
      rank = rank + 1
    } else {
      going = 0
    }
  }
  # K = Q'MQ; its last block is the inertia of what W allows, and must be positive definite.
  largest = 0.0
  for i = 0 to nv {
    for j = 0 to nv {
      K[i * nv + j] = M[i * nv + j] * scale[i] * scale[j]
      if abs(K[i * nv + j]) > largest {
        largest = abs(K[i * nv + j])
      }
    }
  }
  for k = 0 to rank {
    for j = 0 to nv {
      call reflect(A, nv, k, tau[k], K, j * nv, 1)
    }
    for j = 0 to nv {
      call reflect(A, nv, k, tau[k], K, j, nv)
    }
  }
  for k = rank to nv {
    diagonal[k] = K[k * nv + k]
  }
  for k = rank to nv {
    if not (diagonal[k] > 1e-13 * largest) or not (K[k * nv + k] > 1e-13 * diagonal[k]) {
      return 1
    }
    for i = k + 1 to nv {
      entry = K[k * nv + i] / K[k * nv + k]
      for j = i to nv {
        K[i * nv + j] = K[i * nv + j] - entry * K[k * nv + j]
      }
    }
  }
  # The part of x that W fixes.
  for j = 0 to rows {
    b[j] = c[pivot[j]] * row_scale[pivot[j]]
  }
  if rank == rows {
    for j = 0 to rank {
      sum = b[j]
      for k = 0 to j {
        sum = sum - A[j * nv + k] * z[k]
      }
      z[j] = sum / A[j * nv + j]
    }
  } else {
    for k = 0 to rank {
      for j = 0 to rows {
        C[k * rows + j] = 0.0
        if j >= k {
          C[k * rows + j] = A[j * nv + k]
        }
      }
    }
    for k = 0 to rank {
      call make_reflection(C, rows, k, c_tau)
      for j = k + 1 to rank {
        call reflect(C, rows, k, c_tau[k], C, j * rows, 1)
      }
      call reflect(C, rows, k, c_tau[k], b, 0, 1)
    }
    for j = rank - 1 down to 0 {
      sum = b[j]
      for k = j + 1 to rank {
        sum = sum - C[k * rows + j] * z[k]
      }
      z[j] = sum / C[j * rows + j]
    }
  }
  # The part that is free.
  for i = 0 to nv {
    g[i] = f[i] * scale[i]
  }
  for k = 0 to rank {
    call reflect(A, nv, k, tau[k], g, 0, 1)
  }
  for i = rank to nv {
    sum = g[i]
    for k = 0 to rank {
      sum = sum - K[i * nv + k] * z[k]
    }
    z[i] = sum
  }
  for k = rank to nv {
    for i = k + 1 to nv {
      z[i] = z[i] - z[k] / K[k * nv + k] * K[k * nv + i]
    }
  }
  for k = nv - 1 down to rank {
    sum = z[k]
    for i = k + 1 to nv {
      sum = sum - K[k * nv + i] * z[i]
    }
    z[k] = sum / K[k * nv + k]
  }
  # y from the first rows of Q'(M x - f) = R P'y.
  for i = 0 to rank {
    sum = -g[i]
    for k = 0 to nv {
      sum = sum + K[i * nv + k] * z[k]
    }
    b[i] = sum
  }
  if rank == rows {
    for i = rank - 1 down to 0 {
      sum = b[i]
      for k = i + 1 to rank {
        sum = sum - A[k * nv + i] * w[k]
      }
      w[i] = sum / A[i * nv + i]
    }
    for j = 0 to rows {
      y[pivot[j]] = w[j] * row_scale[pivot[j]]
    }
  } else {
    for k = 0 to rank {
      for j = 0 to rows {
        entry = 0.0
        if j >= k {
          entry = A[j * nv + k]
        }
        C[k * rows + pivot[j]] = entry / row_scale[pivot[j]]
      }
    }
    for k = 0 to rank {
      call make_reflection(C, rows, k, c_tau)
      for j = k + 1 to rank {
        call reflect(C, rows, k, c_tau[k], C, j * rows, 1)
      }
    }
    for i = 0 to rank {
      sum = b[i]
      for k = 0 to i {
        sum = sum - C[i * rows + k] * y[k]
      }
      y[i] = sum / C[i * rows + i]
    }
    for i = rank to rows {
      y[i] = 0.0
    }
    for k = rank - 1 down to 0 {
      call reflect(C, rows, k, c_tau[k], y, 0, 1)
    }
  }
  norm = 0.0
  for i = 0 to nv {
    norm = norm + z[i] * z[i]
  }
  for k = rank - 1 down to 0 {
    call reflect(A, nv, k, tau[k], z, 0, 1)
  }
  sum = 0.0
  for i = 0 to nv {
    x[i] = z[i] * scale[i]
    sum = sum + x[i] * 0.0
  }
  for j = 0 to rows {
    sum = sum + y[j] * 0.0
  }
  if not (sum == 0.0) {
    return 3
  }
  left = 0.0
  size = 0.0
  for j = 0 to rows {
    sum = -c[j]
    for i = 0 to nv {
      sum = sum + W[j * nv + i] * x[i]
    }
    left = left + sum * sum * row_scale[j] * row_scale[j]
    size = size + c[j] * c[j] * row_scale[j] * row_scale[j]
  }
  if rank < rows and sqrt(left) > 1e-8 * (sqrt(norm) + sqrt(size)) {
    return 2
  }
  return 0
}
)";

namespace {

// Terms of a row may be 0 at rest and are not beside it: what arithmetic leaves is measured by the largest that they have been.
constexpr std::string_view kProjectLevel = R"(
# Brings X onto the LEVEL constraints by the least change in the mass metric. 0, 3: not finite, 4: see accelerations,
# 5: too far away.
public routine project_LEVEL(real t, STATE, in u[nu]) -> status {
  real residual[ROWS], terms[ROWS], scale[ROWS], delta[nv], before[nX]
  real size, last, ratio, sum, largest, left, most
  int status
  for i = 0 to nX {
    before[i] = X[i]
  }
  for i = 0 to ROWS {
    scale[i] = 0.0
  }
  last = inf
  left = inf
  most = 0.0
  for turn = 0 to TURNS {
    status = LEVEL_step(t, q, v, u, residual, terms, delta)
    # In units of arithmetic; 2 is as good as it gets.
    size = 0.0
    sum = 0.0
    largest = 0.0
    for i = 0 to ROWS {
      if terms[i] > scale[i] {
        scale[i] = terms[i]
      }
      if scale[i] > most {
        most = scale[i]
      }
      if abs(residual[i]) > largest {
        largest = abs(residual[i])
      }
      sum = sum + residual[i] * 0.0
      ratio = abs(residual[i]) / (2.220446049250313e-16 * scale[i] + 2.2250738585072014e-308)
      if ratio > size {
        size = ratio
      }
    }
    if turn > 0 and not (sum == 0.0 and (size < last or largest < 0.5 * left)) {
      for i = 0 to nX {
        X[i] = before[i]
      }
      break
    }
    if not (sum == 0.0) {
      return 3
    }
    last = size
    left = largest
    if size <= 2.0 {
      return 0
    }
    if status != 0 {
      return status
    }
    for i = 0 to nX {
      before[i] = X[i]
    }
    MOVE
  }
  # Beside the terms of other rows those of a row may be round-off.
  if last > 10000.0 and left > 2.22e-12 * most {
    return 5
  }
  return 0
}
)";

// Of X on a level.
std::string project_routine(std::string_view level, std::string_view x, std::string_view state, std::string_view rows,
                            std::string_view turns, std::string_view move) {
  std::string text(kProjectLevel);
  for (const auto& [what, by] :
       {std::pair{"STATE", state}, {"MOVE", move}, {"LEVEL", level}, {"TURNS", turns}, {"ROWS", rows}, {"X", x}})
    text = replaced(text, what, by);
  return text;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result(text);
  for (std::size_t at = result.find(what); at != result.npos; at = result.find(what, at + by.size()))
    result.replace(at, what.size(), by);
  return result;
}

std::string project_position_routine() {
  return project_routine("position", "q", "inout q[nq], in v[nv]", "nh", "10", "call displace(t, q, delta, u)");
}

std::string project_velocity_routine() {
  return project_routine("velocity", "v", "in q[nq], inout v[nv]", "nr", "4",
                         "for i = 0 to nv {\n      v[i] = v[i] + delta[i]\n    }");
}

const std::string_view kAdvance = R"(
routine advance(real t, real h, inout q[nq], inout v[nv], in given[nu], int held) -> status {
  real q_sum[nq], v_sum[nv], q_at[nq], v_at[nv], dq[nq], dv[nv], u[nu], multipliers[nr]
  real at, weight, ahead
  int status
  for i = 0 to nq {
    q_sum[i] = q[i]
    q_at[i] = q[i]
  }
  for i = 0 to nv {
    v_sum[i] = v[i]
    v_at[i] = v[i]
  }
  for i = 0 to nu {
    u[i] = given[i]
  }
  at = t
  for stage = 0 to 4 {
    if held == 0 {
      call inputs(at, u)
    }
    call coordinate_rates(at, q_at, v_at, u, dq)
    status = accelerations(at, q_at, v_at, u, dv, multipliers)
    if status != 0 {
      return status
    }
    weight = h / 3.0
    if stage == 0 or stage == 3 {
      weight = h / 6.0
    }
    ahead = h
    if stage < 2 {
      ahead = 0.5 * h
    }
    at = t + ahead
    for i = 0 to nq {
      q_sum[i] = q_sum[i] + weight * dq[i]
      q_at[i] = q[i] + ahead * dq[i]
    }
    for i = 0 to nv {
      v_sum[i] = v_sum[i] + weight * dv[i]
      v_at[i] = v[i] + ahead * dv[i]
    }
  }
  status = project(t + h, q_sum, v_sum, u)
  if status != 0 {
    return status
  }
  for i = 0 to nq {
    q[i] = q_sum[i]
  }
  for i = 0 to nv {
    v[i] = v_sum[i]
  }
  return 0
}
)";

const std::string_view kStep = R"(
# One step of length h of the classical Runge-Kutta method of order 4 with the model's own inputs, then back onto the
# constraints. Unless it returns 0, q and v are as before.
public routine step(real t, real h, inout q[nq], inout v[nv]) -> status {
  real u[nu]
  int status
  call inputs(t, u)
  status = advance(t, h, q, v, u, 0)
  return status
}
)";

const std::string_view kStepHeld = R"(
# The same with inputs that stay as they are during the step.
public routine step_held(real t, real h, inout q[nq], inout v[nv], in u[nu]) -> status {
  int status
  status = advance(t, h, q, v, u, 1)
  return status
}
)";

}  // namespace dalembert
