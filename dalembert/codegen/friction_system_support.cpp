// SPDX-License-Identifier: Apache-2.0
// The system of one mode.
#include "dalembert/codegen/friction_support.h"

namespace dalembert {

const std::string_view kFactorMode = R"(
# QR of the first `count` columns of A, each of `length` numbers, the longest of what is left first. Ends when none is longer than
# tolerance times the first one, or after `most`; returns the rank.
routine factor_pivoted(inout A[nv*nl], int length, int count, real tolerance, int most, inout tau[nl], inout int pivot[nl]) -> status {
  real sum, largest, norm, first, entry
  int rank, best, limit, other, going
  for j = 0 to count {
    pivot[j] = j
    tau[j] = 0.0
  }
  limit = most
  if length < limit {
    limit = length
  }
  if count < limit {
    limit = count
  }
  rank = 0
  first = 0.0
  going = 1
  while going == 1 and rank < limit {
    best = rank
    largest = -1.0
    for j = rank to count {
      sum = 0.0
      for i = rank to length {
        sum = sum + A[j * length + i] * A[j * length + i]
      }
      if sum > largest {
        largest = sum
        best = j
      }
    }
    norm = sqrt(largest)
    if rank == 0 {
      first = norm
    }
    if norm > tolerance * first and norm > 0.0 {
      if best != rank {
        for i = 0 to length {
          entry = A[best * length + i]
          A[best * length + i] = A[rank * length + i]
          A[rank * length + i] = entry
        }
        other = pivot[best]
        pivot[best] = pivot[rank]
        pivot[rank] = other
      }
      call make_reflection(A, length, rank, tau)
      for j = rank + 1 to count {
        call reflect(A, length, rank, tau[rank], A, j * length, 1)
      }
      rank = rank + 1
    } else {
      going = 0
    }
  }
  return rank
}

# b[first], b[first + stride], ... times Q', or Q where `back` is 1.
routine turn(in A[nv*nl], int length, int rank, in tau[nl], inout b[nv*nl], int first, int stride, int back) {
  if back == 0 {
    for k = 0 to rank {
      call reflect(A, length, k, tau[k], b, first, stride)
    }
  } else {
    for k = rank - 1 down to 0 {
      call reflect(A, length, k, tau[k], b, first, stride)
    }
  }
}

# The rows at work, of W and then of C, as QR of their scaled transpose: Ruiz's scaling of M and these rows to entries of size 1,
# the largest inertia 1, rows of norm 1. K = Q'MQ. Returns the rank.
routine factor_rows(in M[nv*nv], in W[nr*nv], in C[nf*nv], in int rows[nl], int active, inout A[nv*nl], inout tau[nl], inout int pivot[nl], out scale[nv], out row_scale[nl], out K[nv*nv]) -> status {
  real by[nv] = 0, row_by[nl] = 0
  real largest, sum, entry
  int rank
  for p = 0 to active {
    row_scale[p] = 1.0
    for i = 0 to nv {
      if rows[p] < nr {
        A[p * nv + i] = W[rows[p] * nv + i]
      } else {
        A[p * nv + i] = C[(rows[p] - nr) * nv + i]
      }
    }
  }
  for i = 0 to nv {
    scale[i] = 1.0
  }
  for sweep = 0 to 4 {
    for i = 0 to nv {
      largest = 0.0
      for j = 0 to nv {
        entry = abs(M[i * nv + j]) * scale[i] * scale[j]
        if entry > largest {
          largest = entry
        }
      }
      for p = 0 to active {
        entry = abs(A[p * nv + i]) * row_scale[p] * scale[i]
        if entry > largest {
          largest = entry
        }
      }
      by[i] = balance(largest)
    }
    for p = 0 to active {
      largest = 0.0
      for i = 0 to nv {
        entry = abs(A[p * nv + i]) * row_scale[p] * scale[i]
        if entry > largest {
          largest = entry
        }
      }
      row_by[p] = balance(largest)
    }
    for i = 0 to nv {
      scale[i] = scale[i] * by[i]
    }
    for p = 0 to active {
      row_scale[p] = row_scale[p] * row_by[p]
    }
  }
  largest = 0.0
  for i = 0 to nv {
    entry = M[i * nv + i] * scale[i] * scale[i]
    if entry > largest {
      largest = entry
    }
  }
  entry = balance(largest)
  for i = 0 to nv {
    scale[i] = scale[i] * entry
  }
  for p = 0 to active {
    sum = 0.0
    for i = 0 to nv {
      A[p * nv + i] = A[p * nv + i] * scale[i]
      sum = sum + A[p * nv + i] * A[p * nv + i]
    }
    row_scale[p] = 1.0
    if sum > 0.0 {
      row_scale[p] = 1.0 / sqrt(sum)
    }
    for i = 0 to nv {
      A[p * nv + i] = A[p * nv + i] * row_scale[p]
    }
  }
  rank = factor_pivoted(A, nv, active, 1e-10, active, tau, pivot)
  for i = 0 to nv {
    for j = 0 to nv {
      K[i * nv + j] = M[i * nv + j] * scale[i] * scale[j]
    }
  }
  for j = 0 to nv {
    call turn(A, nv, rank, tau, K, j * nv, 1, 0)
  }
  for j = 0 to nv {
    call turn(A, nv, rank, tau, K, j, nv, 0)
  }
  return rank
}

# The part of Q'x that the rows fix when their rates are to be -rates. The most by which rows that depend on others contradict
# them; 0 where they do not, but for round-off.
routine fix_rows(in A[nv*nl], in int pivot[nl], in row_scale[nl], in rates[nl], int rank, int active, out fixed[nv]) -> real {
  real sum, size, contradiction
  for p = 0 to rank {
    sum = -rates[pivot[p]] * row_scale[pivot[p]]
    for i = 0 to p {
      sum = sum - A[p * nv + i] * fixed[i]
    }
    fixed[p] = sum / A[p * nv + p]
  }
  contradiction = 0.0
  for p = rank to active {
    sum = rates[pivot[p]] * row_scale[pivot[p]]
    size = abs(sum)
    for i = 0 to rank {
      sum = sum + A[p * nv + i] * fixed[i]
      size = size + abs(A[p * nv + i] * fixed[i])
    }
    if not (abs(sum) <= 1e-8 * size) and not (abs(sum) <= contradiction) {
      contradiction = abs(sum)
    }
  }
  return contradiction
}

# b becomes x of E x = b, by elimination. Columns are scaled to size 1, motions without multipliers (the first `free`) and
# multipliers each beside their kind; pivots are chosen by the sizes of rows. 1: E is singular, or not finite.
routine eliminate(inout E[nv*nv], inout b[nv], int free) -> status {
  real size[nv] = 0, column_scale[nv] = 0
  real entry, sum, motions, forces
  int pivot
  sum = 0.0
  motions = 1.0
  forces = 0.0
  for j = 0 to nv {
    for i = 0 to nv {
      sum = sum + E[i * nv + j] * 0.0
      if abs(E[i * nv + j]) > column_scale[j] {
        column_scale[j] = abs(E[i * nv + j])
      }
    }
    if j < free and column_scale[j] > motions {
      motions = column_scale[j]
    }
    if j >= free and column_scale[j] > forces {
      forces = column_scale[j]
    }
  }
  if not (sum == 0.0) {
    return 1
  }
  for j = 0 to nv {
    entry = forces
    if j < free {
      entry = motions
    }
    if not (column_scale[j] > 1e-13 * entry) {
      return 1
    }
    column_scale[j] = balance(column_scale[j] * column_scale[j])
    for i = 0 to nv {
      E[i * nv + j] = E[i * nv + j] * column_scale[j]
      if abs(E[i * nv + j]) > size[i] {
        size[i] = abs(E[i * nv + j])
      }
    }
  }
  for k = 0 to nv {
    pivot = k
    for i = k + 1 to nv {
      if abs(E[i * nv + k]) * size[pivot] > abs(E[pivot * nv + k]) * size[i] {
        pivot = i
      }
    }
    if not (abs(E[pivot * nv + k]) > 1e-13 * size[pivot]) {
      return 1
    }
    if pivot != k {
      for j = 0 to nv {
        entry = E[k * nv + j]
        E[k * nv + j] = E[pivot * nv + j]
        E[pivot * nv + j] = entry
      }
      entry = b[k]
      b[k] = b[pivot]
      b[pivot] = entry
      entry = size[k]
      size[k] = size[pivot]
      size[pivot] = entry
    }
    for i = k + 1 to nv {
      entry = E[i * nv + k] / E[k * nv + k]
      if entry != 0.0 {
        for j = k + 1 to nv {
          E[i * nv + j] = E[i * nv + j] - entry * E[k * nv + j]
        }
        b[i] = b[i] - entry * b[k]
      }
    }
  }
  for k = nv - 1 down to 0 {
    for j = k + 1 to nv {
      b[k] = b[k] - E[k * nv + j] * b[j]
    }
    b[k] = b[k] / E[k * nv + k]
  }
  for k = 0 to nv {
    b[k] = b[k] * column_scale[k]
  }
  return 0
}
)";

const std::string_view kSolveMode = R"(
# v' and the multipliers y, those of the rows and then the forces of friction, while each friction does what the mode says:
# M v' - (W' + Phi) lambda + C'f = forces, W v' = -gamma; slides: f = direction mu |N| + c v_s, sticks: C v' = -gamma_c. Rows first,
# so what they fix is exact. 0, 1: singular, 2: rows contradict each other, 3: not finite.
routine solve_mode(in M[nv*nv], in W[nr*nv], in Phi[nv*nr], in C[nf*nv], in dN[nf*nr], in f[nv], in gamma[nr], in law[8*nf], in mode[2*nf], out x[nv], out y[nl], out found[5*nf + nr]) -> status {
  real A[nv*nl] = 0, tau[nl] = 0, scale[nv] = 0, row_scale[nl] = 0, K[nv*nv] = 0, fixed[nv] = 0, rates[nl] = 0, applied[nv] = 0
  real E[nv*nv] = 0, unknown[nv] = 0, force[nv] = 0, columns[nv*nl] = 0, R[nl*nv] = 0, R_tau[nv] = 0, open[nl] = 0, space[nl*nl] = 0
  int rows[nl] = 0, pivot[nl] = 0, R_pivot[nv] = 0
  real sum, share, size, largest, inertia, entry, contradiction
  int active, rank, free, state, sticking, place, status
  for i = 0 to nv {
    x[i] = 0.0
  }
  for i = 0 to nl {
    y[i] = 0.0
  }
  for i = 0 to 5 * nf + nr {
    found[i] = 0.0
  }
  sum = 0.0
  for i = 0 to nv * nv {
    sum = sum + M[i] * 0.0
  }
  for i = 0 to nr * nv {
    sum = sum + W[i] * 0.0 + Phi[i] * 0.0
  }
  for i = 0 to nf * nv {
    sum = sum + C[i] * 0.0
  }
  for i = 0 to nf * nr {
    sum = sum + dN[i] * 0.0
  }
  for i = 0 to nv {
    sum = sum + f[i] * 0.0
  }
  for i = 0 to nr {
    sum = sum + gamma[i] * 0.0
  }
  for i = 0 to 8 * nf {
    sum = sum + law[i] * 0.0
  }
  if not (sum == 0.0) {
    return 3
  }
  active = nr
  for r = 0 to nr {
    rows[r] = r
    rates[r] = gamma[r]
  }
  sticking = 0
  for j = 0 to nf {
    if mode[j] == 0.0 {
      rows[active] = nr + j
      rates[active] = law[2 * nf + j]
      active = active + 1
      sticking = 1
    }
  }
  rank = factor_rows(M, W, C, rows, active, A, tau, pivot, scale, row_scale, K)
  free = nv - rank
  contradiction = fix_rows(A, pivot, row_scale, rates, rank, active, fixed)
  # What of the forces does not depend on multipliers.
  for i = 0 to nv {
    applied[i] = f[i]
  }
  for j = 0 to nf {
    if mode[j] != 0.0 {
      share = mode[j] * mode[nf + j] * law[4 * nf + j] * law[3 * nf + j] + law[6 * nf + j] * law[j]
      for i = 0 to nv {
        applied[i] = applied[i] - C[j * nv + i] * share
      }
    }
  }
  for i = 0 to nv {
    unknown[i] = applied[i] * scale[i]
  }
  call turn(A, nv, rank, tau, unknown, 0, 1, 0)
  for i = 0 to nv {
    for j = 0 to rank {
      unknown[i] = unknown[i] - K[i * nv + j] * fixed[j]
    }
    for j = 0 to free {
      E[i * nv + j] = K[i * nv + rank + j]
    }
  }
  # What one unit of each multiplier does, but for what it does through the rows.
  for p = 0 to active {
    for i = 0 to nv {
      if rows[p] < nr {
        force[i] = -(W[rows[p] * nv + i] + Phi[i * nr + rows[p]])
      } else {
        force[i] = -C[(rows[p] - nr) * nv + i]
      }
    }
    if rows[p] < nr {
      for j = 0 to nf {
        share = mode[j] * mode[nf + j] * law[4 * nf + j] * dN[j * nr + rows[p]]
        if share != 0.0 {
          for i = 0 to nv {
            force[i] = force[i] + C[j * nv + i] * share
          }
        }
      }
    }
    share = 1.0
    if rank == active {
      share = row_scale[p]
    }
    for i = 0 to nv {
      force[i] = force[i] * scale[i] * share
    }
    call turn(A, nv, rank, tau, force, 0, 1, 0)
    for i = 0 to nv {
      columns[i * active + p] = force[i]
    }
  }
  if rank == active {
    for p = 0 to rank {
      for i = 0 to nv {
        E[i * nv + free + p] = columns[i * active + pivot[p]]
      }
    }
  } else {
    # Multipliers of least norm: in a basis of the range of the rows.
    for i = 0 to nv {
      for p = 0 to active {
        if rows[p] < nr {
          entry = W[rows[p] * nv + i]
        } else {
          entry = C[(rows[p] - nr) * nv + i]
        }
        R[i * active + p] = entry * scale[i]
      }
    }
    place = factor_pivoted(R, active, nv, 0.0, rank, R_tau, R_pivot)
    for i = 0 to nv {
      call turn(R, active, place, R_tau, columns, i * active, 1, 0)
      for p = 0 to rank {
        E[i * nv + free + p] = columns[i * active + p]
      }
    }
  }
  status = eliminate(E, unknown, free)
  if status != 0 {
    return 1
  }
  for i = 0 to rank {
    x[i] = fixed[i]
  }
  for i = 0 to free {
    x[rank + i] = unknown[i]
  }
  call turn(A, nv, rank, tau, x, 0, 1, 1)
  for i = 0 to nv {
    x[i] = x[i] * scale[i]
  }
  if rank == active {
    for p = 0 to rank {
      place = pivot[p]
      y[rows[place]] = unknown[free + p] * row_scale[place]
    }
  } else {
    for p = 0 to nl {
      open[p] = 0.0
    }
    for p = 0 to rank {
      open[p] = unknown[free + p]
    }
    call turn(R, active, rank, R_tau, open, 0, 1, 1)
    for p = 0 to active {
      y[rows[p]] = open[p]
    }
  }
  sum = 0.0
  for i = 0 to nv {
    sum = sum + x[i] * 0.0
  }
  for i = 0 to nl {
    sum = sum + y[i] * 0.0
  }
  if not (sum == 0.0) {
    return 1
  }
  # Multipliers are differences of forces of this size.
  largest = 0.0
  for i = 0 to nv {
    if abs(f[i] * scale[i]) > largest {
      largest = abs(f[i] * scale[i])
    }
  }
  for r = 0 to nr {
    if abs(gamma[r] * row_scale[r]) > largest {
      largest = abs(gamma[r] * row_scale[r])
    }
  }
  for r = 0 to nr {
    found[5 * nf + r] = largest * row_scale[r]
  }
  # What is round-off beside the forces contradicts nothing.
  state = 0
  if not (contradiction <= 1e-14 * largest) {
    state = 2
  }
  # Forces of what slides; a row that sticks bears -f.
  for j = 0 to nf {
    if mode[j] == 0.0 {
      y[nr + j] = -y[nr + j]
    } else {
      sum = law[3 * nf + j]
      for r = 0 to nr {
        sum = sum + dN[j * nr + r] * y[r]
      }
      y[nr + j] = mode[j] * mode[nf + j] * law[4 * nf + j] * sum + law[6 * nf + j] * law[j]
    }
  }
  if rank < active and sticking == 1 {
    share = find_open(R, R_tau, rows, active, rank, Phi, dN, mode, space)
    if share > 0.0 {
      call relieve(dN, law, mode, space, share, y)
    }
  }
  for j = 0 to nf {
    sum = law[3 * nf + j]
    size = abs(sum)
    for r = 0 to nr {
      sum = sum + dN[j * nr + r] * y[r]
      size = size + abs(dN[j * nr + r]) * found[5 * nf + r]
    }
    found[j] = sum
    found[nf + j] = size
    # The rate is a difference of what all forces do to the speed.
    sum = law[2 * nf + j]
    size = abs(sum)
    for i = 0 to nv {
      inertia = 0.0
      for l = 0 to nv {
        inertia = inertia + abs(M[i * nv + l] * x[l])
      }
      if abs(f[i]) > inertia {
        inertia = abs(f[i])
      }
      entry = abs(x[i])
      # Next to no mass of its own: it goes with what it is tied to, whose inertia the scale stands for.
      if M[i * nv + i] > 0.0 {
        share = 4.0 * scale[i] * scale[i]
        if 1.0 / M[i * nv + i] < share {
          share = 1.0 / M[i * nv + i]
        }
        if inertia * share > entry {
          entry = inertia * share
        }
      }
      sum = sum + C[j * nv + i] * x[i]
      size = size + abs(C[j * nv + i]) * entry
    }
    if mode[j] != 0.0 {
      found[2 * nf + j] = sum
    }
    found[3 * nf + j] = 1e-11 * size
    # Whether rows and what sticks say how fast it slides.
    sum = 0.0
    for i = 0 to nv {
      force[i] = C[j * nv + i] * scale[i]
      sum = sum + force[i] * force[i]
    }
    call turn(A, nv, rank, tau, force, 0, 1, 0)
    size = 0.0
    for i = rank to nv {
      size = size + force[i] * force[i]
    }
    if not (size > 1e-16 * sum) {
      found[4 * nf + j] = 1.0
    }
  }
  return state
}
)";

}  // namespace dalembert
