// SPDX-License-Identifier: Apache-2.0
// Steps during which modes change.
#include "dalembert/codegen/friction_support.h"

namespace dalembert {

const std::string_view kAdvanceWithFriction = R"(
# Brings what sticks to rest, by the least change of v in the mass metric along which the constraints hold.
routine stop(real t, in q[nq], inout v[nv], in u[nu], in mode[2*nf]) {
  real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, law[8*nf] = 0
  real A[nv*nl] = 0, tau[nl] = 0, scale[nv] = 0, row_scale[nl] = 0, K[nv*nv] = 0, fixed[nv] = 0, rates[nl] = 0, E[nv*nv] = 0, x[nv] = 0
  int rows[nl] = 0, pivot[nl] = 0
  int active, rank, moving, status
  for sweep = 0 to 3 {
    call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)
    moving = 0
    active = nr
    for r = 0 to nr {
      rows[r] = r
      rates[r] = 0.0
    }
    for j = 0 to nf {
      if mode[j] == 0.0 {
        rows[active] = nr + j
        rates[active] = law[j]
        active = active + 1
        if abs(law[j]) > 4.0 * 2.3e-16 * law[nf + j] {
          moving = 1
        }
      }
    }
    if moving == 0 {
      break
    }
    rank = factor_rows(M, W, C, rows, active, A, tau, pivot, scale, row_scale, K)
    # What rests on rows that contradict it comes to rest as far as it can.
    x[0] = fix_rows(A, pivot, row_scale, rates, rank, active, fixed)
    # The rest of the motion gets no impulse. Those of the rows are not asked for: one unknown each.
    for i = 0 to nv {
      x[i] = 0.0
      for j = 0 to rank {
        x[i] = x[i] - K[i * nv + j] * fixed[j]
      }
      for j = 0 to nv {
        E[i * nv + j] = 0.0
      }
      for j = rank to nv {
        E[i * nv + j - rank] = K[i * nv + j]
      }
      if i < rank {
        E[i * nv + nv - rank + i] = 1.0
      }
    }
    status = eliminate(E, x, nv - rank)
    if status != 0 {
      break
    }
    for i = nv - 1 down to rank {
      x[i] = x[i - rank]
    }
    for i = 0 to rank {
      x[i] = fixed[i]
    }
    call turn(A, nv, rank, tau, x, 0, 1, 1)
    for i = 0 to nv {
      v[i] = v[i] + x[i] * scale[i]
    }
  }
}

# One step of the classical Runge-Kutta method of order 4 during which every friction goes on with what it does, then back onto the
# constraints, and to rest what sticks.
routine advance_in_mode(real t, real h, in q[nq], in v[nv], in given[nu], int held, in mode[2*nf], out q_end[nq], out v_end[nv]) -> status {
  real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, law[8*nf] = 0
  real q_at[nq], v_at[nv], dq[nq], dv[nv], u[nu], y[nl], found[5*nf + nr]
  real at, weight, ahead
  int status
  for i = 0 to nq {
    q_end[i] = q[i]
    q_at[i] = q[i]
  }
  for i = 0 to nv {
    v_end[i] = v[i]
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
    call friction_system(at, q_at, v_at, u, M, W, Phi, C, dN, f, gamma, law)
    status = solve_mode(M, W, Phi, C, dN, f, gamma, law, mode, dv, y, found)
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
      q_end[i] = q_end[i] + weight * dq[i]
      q_at[i] = q[i] + ahead * dq[i]
    }
    for i = 0 to nv {
      v_end[i] = v_end[i] + weight * dv[i]
      v_at[i] = v[i] + ahead * dv[i]
    }
  }
  status = project(t + h, q_end, v_end, u)
  if status != 0 {
    return status
  }
  call stop(t + h, q_end, v_end, u, mode)
  return 0
}

# How far each friction is from leaving what it does, two numbers each, below -noise where it has: slides: its speed and N in
# the directions that are assumed; sticks: mu_s |N| - f and mu_s |N| + f.
routine friction_guards(real t, in q[nq], in v[nv], in given[nu], int held, in mode[2*nf], out guard[2*nf], out noise[2*nf]) -> status {
  real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, law[8*nf] = 0
  real u[nu], x[nv], y[nl], found[5*nf + nr]
  real most
  int status
  for i = 0 to nu {
    u[i] = given[i]
  }
  if held == 0 {
    call inputs(t, u)
  }
  call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)
  status = solve_mode(M, W, Phi, C, dN, f, gamma, law, mode, x, y, found)
  if status != 0 {
    return status
  }
  for j = 0 to nf {
    if mode[j] != 0.0 {
      guard[2 * j] = mode[j] * law[j]
      noise[2 * j] = law[nf + j]
      guard[2 * j + 1] = 1.0
      noise[2 * j + 1] = found[nf + j]
      if law[7 * nf + j] != 0.0 {
        guard[2 * j + 1] = mode[nf + j] * found[j]
      }
    } else {
      most = law[5 * nf + j] * abs(found[j])
      guard[2 * j] = most - y[nr + j]
      guard[2 * j + 1] = most + y[nr + j]
      noise[2 * j] = law[5 * nf + j] * found[nf + j] + abs(y[nr + j])
      noise[2 * j + 1] = noise[2 * j]
    }
    noise[2 * j] = 64.0 * 2.3e-16 * noise[2 * j]
    noise[2 * j + 1] = 64.0 * 2.3e-16 * noise[2 * j + 1]
  }
  return 0
}

# The first guard that has left, less what it was off by when its state was taken; -1: none.
routine which_left(in guard[2*nf], in noise[2*nf], in offset[2*nf]) -> status {
  for k = 0 to 2 * nf {
    if guard[k] - offset[k] < -noise[k] {
      return k
    }
  }
  return -1
}

# A step during which frictions may come to rest, break away and turn round: the instant at which one leaves what it does is
# found by bisection, and the step goes on from there. 6, 7: nothing, or more than one motion, is consistent there; 8: the friction
# changes again and again.
routine advance(real t, real h, inout q[nq], inout v[nv], in given[nu], int held) -> status {
  real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, law[8*nf] = 0
  real q_from[nq], v_from[nv], q_end[nq], v_end[nv], q_try[nq], v_try[nv], u[nu], x[nv], y[nl], found[5*nf + nr]
  real mode[2*nf] = 0, rest[nf], left[5] = 0, guard[2*nf], noise[2*nf], offset[2*nf]
  real begin, ahead, low, high, middle
  int status, which, before
  for i = 0 to nq {
    q_from[i] = q[i]
  }
  for i = 0 to nv {
    v_from[i] = v[i]
  }
  for i = 0 to nu {
    u[i] = given[i]
  }
  for j = 0 to nf {
    mode[j] = 0.0
    mode[nf + j] = 1.0
  }
  begin = t
  ahead = h
  left[0] = -1.0
  which = -1
  for change = 0 to 8 * nf + 16 {
    # What each goes on with. What stuck, and what has come to rest, is at rest.
    if held == 0 {
      call inputs(begin, u)
    }
    call friction_system(begin, q_from, v_from, u, M, W, Phi, C, dN, f, gamma, law)
    call find_rest(law, rest)
    for j = 0 to nf {
      if change > 0 and (mode[j] == 0.0 or left[0] == j and left[1] != 2.0) {
        rest[j] = 1.0
      }
    }
    status = decide(M, W, Phi, C, dN, f, gamma, law, rest, left, mode, x, y, found)
    if status != 0 {
      return status
    }
    call stop(begin, q_from, v_from, u, mode)
    if change > 0 and abs(ahead) <= 8.9e-16 * (abs(t) + abs(h)) {
      for i = 0 to nq {
        q[i] = q_from[i]
      }
      for i = 0 to nv {
        v[i] = v_from[i]
      }
      return 0
    }
    status = friction_guards(begin, q_from, v_from, given, held, mode, offset, noise)
    if status != 0 {
      return status
    }
    for k = 0 to 2 * nf {
      if offset[k] > 0.0 {
        offset[k] = 0.0
      }
    }
    status = advance_in_mode(begin, ahead, q_from, v_from, given, held, mode, q_end, v_end)
    if status != 0 {
      return status
    }
    status = friction_guards(begin + ahead, q_end, v_end, given, held, mode, guard, noise)
    if status != 0 {
      return status
    }
    which = which_left(guard, noise, offset)
    if which < 0 {
      for i = 0 to nq {
        q[i] = q_end[i]
      }
      for i = 0 to nv {
        v[i] = v_end[i]
      }
      return 0
    }
    low = 0.0
    high = 1.0
    for halving = 0 to 52 {
      middle = 0.5 * (low + high)
      status = advance_in_mode(begin, middle * ahead, q_from, v_from, given, held, mode, q_try, v_try)
      if status != 0 {
        return status
      }
      status = friction_guards(begin + middle * ahead, q_try, v_try, given, held, mode, guard, noise)
      if status != 0 {
        return status
      }
      before = which_left(guard, noise, offset)
      if before < 0 {
        low = middle
      } else {
        high = middle
        which = before
        for i = 0 to nq {
          q_end[i] = q_try[i]
        }
        for i = 0 to nv {
          v_end[i] = v_try[i]
        }
      }
    }
    for j = 0 to nf {
      if which == 2 * j or which == 2 * j + 1 {
        left[0] = j
        left[1] = 0.0
        left[2] = mode[j]
        left[3] = mode[nf + j]
        left[4] = 1.0
        if which == 2 * j + 1 {
          left[4] = -1.0
        }
        if mode[j] != 0.0 {
          left[1] = 1.0
          if which == 2 * j + 1 {
            left[1] = 2.0
          }
        }
      }
    }
    begin = begin + high * ahead
    ahead = t + h - begin
    for i = 0 to nq {
      q_from[i] = q_end[i]
    }
    for i = 0 to nv {
      v_from[i] = v_end[i]
    }
  }
  return 8
}
)";

}  // namespace dalembert
