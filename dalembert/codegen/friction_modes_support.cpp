// SPDX-License-Identifier: Apache-2.0
// Which mode a state goes on with.
#include "dalembert/codegen/friction_support.h"

namespace dalembert {

const std::string_view kDecideMode = R"(
# What moves no faster than 1e-12 in SI, or than the round-off of its terms, is at rest.
routine find_rest(in law[8*nf], out rest[nf]) {
  real least
  for j = 0 to nf {
    least = 16.0 * 2.3e-16 * law[nf + j]
    if least < 1e-12 {
      least = 1e-12
    }
    rest[j] = 0.0
    if abs(law[j]) <= least {
      rest[j] = 1.0
    }
  }
}

# 1 where a solution bears out what its mode assumes, but for round-off. left: of the friction that left its state there its
# number (-1: none did), what it left (0: sticking, 1: its direction, 2: the sign of N), the state, and of sticking the direction.
routine is_consistent(in law[8*nf], in mode[2*nf], in rest[nf], in y[nl], in found[5*nf + nr], in left[5]) -> status {
  real N, noise, f
  int leaves
  for j = 0 to nf {
    N = found[j]
    noise = 1e-11 * found[nf + j]
    leaves = 0
    if left[0] == j {
      leaves = 1
    }
    if mode[j] == 0.0 {
      f = abs(y[nr + j])
      if not (f <= law[5 * nf + j] * abs(N) + law[5 * nf + j] * noise + 1e-11 * f) {
        return 0
      }
    } else {
      if not (leaves == 1 and left[1] == 2.0 and mode[nf + j] != left[3]) and not (mode[nf + j] * N >= -noise) {
        return 0
      }
      if rest[j] != 0.0 {
        if not (leaves == 1 and left[1] == 0.0 and mode[j] == left[4]) and not (mode[j] * found[2 * nf + j] >= -found[3 * nf + j]) {
          return 0
        }
        if found[4 * nf + j] != 0.0 {
          return 0
        }
      }
    }
  }
  return 1
}

# 1 where friction j sticks without any force to speak of.
routine hangs(in y[nl], in found[5*nf + nr], int j) -> status {
  if abs(found[j]) <= 1e-9 * found[nf + j] and abs(y[nr + j]) <= 1e-9 * found[nf + j] {
    return 1
  }
  return 0
}

# 1 where two solutions are not the same but for round-off.
routine differ(in x[nv], in y[nl], in x2[nv], in y2[nl], in found[5*nf + nr]) -> status {
  real size, most, of
  size = 0.0
  most = 0.0
  for i = 0 to nv {
    if abs(x[i]) > size {
      size = abs(x[i])
    }
    if abs(x2[i]) > size {
      size = abs(x2[i])
    }
    if abs(x[i] - x2[i]) > most {
      most = abs(x[i] - x2[i])
    }
  }
  if not (most <= 1e-8 * size) {
    return 1
  }
  for i = 0 to nl {
    if i < nr {
      of = found[5 * nf + i]
    } else {
      of = found[nf + i - nr]
    }
    if abs(y[i]) > of {
      of = abs(y[i])
    }
    if abs(y2[i]) > of {
      of = abs(y2[i])
    }
    if not (abs(y[i] - y2[i]) <= 1e-8 * of) {
      return 1
    }
  }
  return 0
}

# Where there are too many modes to try them all: from where all that may stick does, the first friction that is not consistent
# takes the state that its result asks for. 0: found, 6: none was.
routine find_by_pivots(in M[nv*nv], in W[nr*nv], in Phi[nv*nr], in C[nf*nv], in dN[nf*nr], in f[nv], in gamma[nr], in law[8*nf], in rest[nf], in left[5], inout mode[2*nf], out x[nv], out y[nl], out found[5*nf + nr]) -> status {
  real force, noise, limit
  int status, changed, leaves
  for j = 0 to nf {
    if rest[j] == 0.0 {
      mode[j] = 1.0
      if law[j] < 0.0 {
        mode[j] = -1.0
      }
    } else if left[0] != j {
      mode[j] = 0.0
    }
    if law[7 * nf + j] == 0.0 {
      mode[nf + j] = 1.0
      if law[3 * nf + j] < 0.0 {
        mode[nf + j] = -1.0
      }
    }
  }
  for attempt = 0 to 40 * (nf + 1) {
    status = solve_mode(M, W, Phi, C, dN, f, gamma, law, mode, x, y, found)
    if status != 0 {
      return 6
    }
    changed = 0
    for j = 0 to nf {
      if changed == 0 {
        force = y[nr + j]
        noise = 1e-11 * found[nf + j]
        leaves = 0
        if left[0] == j {
          leaves = 1
        }
        if mode[j] == 0.0 {
          limit = law[5 * nf + j] * (abs(found[j]) + noise) + 1e-11 * abs(force)
          if not (abs(force) <= limit) or leaves == 1 and left[1] == 0.0 and attempt == 0 {
            mode[j] = 1.0
            if force < 0.0 {
              mode[j] = -1.0
            }
            mode[nf + j] = 1.0
            if found[j] < 0.0 {
              mode[nf + j] = -1.0
            }
            changed = 1
          }
        } else if law[7 * nf + j] != 0.0 and not (mode[nf + j] * found[j] >= -noise) {
          mode[nf + j] = -mode[nf + j]
          changed = 1
        } else if rest[j] != 0.0 and not (mode[j] * found[2 * nf + j] >= -found[3 * nf + j]) {
          if leaves == 1 and left[1] == 0.0 {
            mode[j] = -mode[j]
          } else {
            mode[j] = 0.0
          }
          changed = 1
        }
      }
    }
    if changed == 0 {
      return 0
    }
  }
  return 6
}

# The mode that a state goes on with, and its solution: of those consistent the one in which most sticks; what was just left only
# where nothing else is. 0, 3: not finite, 6: none is consistent, 7: several are (paradoxes of Painleve).
routine decide(in M[nv*nv], in W[nr*nv], in Phi[nv*nr], in C[nf*nv], in dN[nf*nr], in f[nv], in gamma[nr], in law[8*nf], in rest[nf], in left[5], inout mode[2*nf], out x[nv], out y[nl], out found[5*nf + nr]) -> status {
  real directions[5*nf] = 0, loads[5*nf] = 0, tried[2*nf] = 0, x2[nv] = 0, y2[nl] = 0, found2[5*nf + nr] = 0
  real direction, load, modes, sum
  int options[nf] = 0, choice[nf] = 0
  int solutions, most, stuck, more, good, status, number
  # What each may do, sticking first.
  modes = 1.0
  for j = 0 to nf {
    number = 0
    if rest[j] != 0.0 {
      directions[5 * j] = 0.0
      loads[5 * j] = 1.0
      number = 1
    }
    for side = 0 to 2 {
      direction = 1.0
      if side == 1 {
        direction = -1.0
      }
      for face = 0 to 2 {
        load = 1.0
        if face == 1 {
          load = -1.0
        }
        good = 1
        if rest[j] == 0.0 and (direction < 0.0 and not (law[j] < 0.0) or direction > 0.0 and law[j] < 0.0) {
          good = 0
        }
        if law[7 * nf + j] == 0.0 and (load < 0.0 and not (law[3 * nf + j] < 0.0) or load > 0.0 and law[3 * nf + j] < 0.0) {
          good = 0
        }
        if good == 1 {
          directions[5 * j + number] = direction
          loads[5 * j + number] = load
          number = number + 1
        }
      }
    }
    options[j] = number
    modes = modes * number
  }
  if modes > 5000.0 {
    status = find_by_pivots(M, W, Phi, C, dN, f, gamma, law, rest, left, mode, x, y, found)
    return status
  }
  solutions = 0
  for again = 0 to 2 {
    if solutions == 0 and (again == 0 or left[0] >= 0.0) {
      most = 0
      for j = 0 to nf {
        choice[j] = 0
      }
      more = 1
      while more == 1 {
        stuck = 0
        for j = 0 to nf {
          tried[j] = directions[5 * j + choice[j]]
          tried[nf + j] = loads[5 * j + choice[j]]
          if tried[j] == 0.0 {
            stuck = stuck + 1
          }
        }
        good = 0
        if stuck >= most {
          status = solve_mode(M, W, Phi, C, dN, f, gamma, law, tried, x2, y2, found2)
          if status == 0 {
            good = is_consistent(law, tried, rest, y2, found2, left)
          }
        }
        if good == 1 and again == 0 {
          for j = 0 to nf {
            if left[0] == j {
              if left[1] == 0.0 and tried[j] == 0.0 {
                good = hangs(y2, found2, j)
              }
              if left[1] == 1.0 and tried[j] == left[2] {
                good = 0
              }
              if left[1] == 2.0 and tried[j] != 0.0 and tried[nf + j] == left[3] {
                good = 0
              }
            }
          }
        }
        if good == 1 {
          if stuck > most {
            solutions = 0
            most = stuck
          }
          if solutions > 0 {
            good = differ(x, y, x2, y2, found2)
          }
          if good == 1 and solutions == 0 {
            for i = 0 to nf {
              mode[i] = tried[i]
              mode[nf + i] = tried[nf + i]
            }
            for i = 0 to nv {
              x[i] = x2[i]
            }
            for i = 0 to nl {
              y[i] = y2[i]
            }
            for i = 0 to 5 * nf + nr {
              found[i] = found2[i]
            }
          }
          solutions = solutions + good
        }
        more = 0
        for j = 0 to nf {
          if more == 0 {
            choice[j] = choice[j] + 1
            if choice[j] < options[j] {
              more = 1
            } else {
              choice[j] = 0
            }
          }
        }
      }
    }
  }
  if solutions == 1 {
    return 0
  }
  for i = 0 to nv {
    x[i] = nan
  }
  for i = 0 to nl {
    y[i] = nan
  }
  for i = 0 to 5 * nf + nr {
    found[i] = nan
  }
  sum = 0.0
  for i = 0 to nv {
    sum = sum + f[i] * 0.0
  }
  if not (sum == 0.0) {
    return 3
  }
  if solutions == 0 {
    return 6
  }
  return 7
}
)";

}  // namespace dalembert
