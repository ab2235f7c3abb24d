// SPDX-License-Identifier: Apache-2.0
// Forces that frictions at rest and redundant rows leave open.
#include "dalembert/codegen/friction_support.h"

namespace dalembert {

const std::string_view kOpenForces = R"(
# The least of mu_s |N| - |f| over what sticks and depends on the direction, at y + share * open.
routine margin(in dN[nf*nr], in law[8*nf], in mode[2*nf], in y[nl], real share, in open[nl]) -> real {
  real least, N, change
  least = inf
  for j = 0 to nf {
    if mode[j] == 0.0 {
      N = law[3 * nf + j]
      change = 0.0
      for r = 0 to nr {
        N = N + dN[j * nr + r] * (y[r] + share * open[r])
        change = change + dN[j * nr + r] * open[r]
      }
      N = law[5 * nf + j] * abs(N) - abs(y[nr + j] + share * open[nr + j])
      if N < least and law[5 * nf + j] * abs(change) + abs(open[nr + j]) > 1e-14 {
        least = N
      }
    }
  }
  return least
}

# The projector on the directions in which multipliers are open and move nothing; how many there are.
routine find_open(in R[nl*nv], in R_tau[nv], in int rows[nl], int active, int rank, in Phi[nv*nr], in dN[nf*nr], in mode[2*nf], out space[nl*nl]) -> real {
  real row[nl] = 0, open[nl] = 0
  real directions, part, size
  for p = 0 to nl * nl {
    space[p] = 0.0
  }
  directions = 0.0
  for column = rank to active {
    for p = 0 to nl {
      row[p] = 0.0
      open[p] = 0.0
    }
    row[column] = 1.0
    call turn(R, active, rank, R_tau, row, 0, 1, 1)
    for p = 0 to active {
      open[rows[p]] = row[p]
      if rows[p] >= nr {
        open[rows[p]] = -row[p]
      }
    }
    for p = 0 to nl {
      for l = 0 to nl {
        space[p * nl + l] = space[p * nl + l] + open[p] * open[l]
      }
    }
    directions = directions + 1.0
  }
  # Forces that slide, and others that depend on multipliers, would change the motion.
  for i = 0 to nv + nf {
    size = 0.0
    for r = 0 to nr {
      row[r] = 0.0
      if i < nv {
        row[r] = Phi[i * nr + r]
      } else {
        if mode[i - nv] != 0.0 {
          row[r] = dN[(i - nv) * nr + r]
        }
      }
      size = size + row[r] * row[r]
    }
    part = 0.0
    for p = 0 to nl {
      open[p] = 0.0
      for r = 0 to nr {
        open[p] = open[p] + space[p * nl + r] * row[r]
      }
      part = part + open[p] * open[p]
    }
    if part > 1e-20 * size {
      for p = 0 to nl {
        for l = 0 to nl {
          space[p * nl + l] = space[p * nl + l] - open[p] * open[l] / part
        }
      }
      directions = directions - 1.0
    }
  }
  return directions
}

# Where forces are open: where the least margin is largest, along the directions that change one multiplier with as little of the
# others as possible. Margins are piecewise linear, so it is at a corner of one or where two are equal.
routine relieve(in dN[nf*nr], in law[8*nf], in mode[2*nf], in space[nl*nl], real directions, inout y[nl]) {
  real line[4*nf] = 0, slope[4*nf] = 0, open[nl] = 0
  real moved, N, change, best, most, share, here, part
  int count, widest, good
  widest = 0
  for p = 0 to nl {
    if space[p * nl + p] > space[widest * nl + widest] {
      widest = p
    }
  }
  for sweep = 0 to 20 {
    moved = 0.0
    for p = 0 to nl {
      part = space[p * nl + p]
      good = 0
      if directions > 1.0 and part > 1e-8 {
        good = 1
      }
      if directions == 1.0 and p == widest {
        good = 1
      }
      if good == 1 {
        for i = 0 to nl {
          open[i] = space[p * nl + i] / sqrt(part)
        }
        count = 0
        for j = 0 to nf {
          if mode[j] == 0.0 {
            N = law[3 * nf + j]
            change = 0.0
            for r = 0 to nr {
              N = N + dN[j * nr + r] * y[r]
              change = change + dN[j * nr + r] * open[r]
            }
            N = law[5 * nf + j] * N
            change = law[5 * nf + j] * change
            line[count] = N + y[nr + j]
            slope[count] = change + open[nr + j]
            line[count + 1] = N - y[nr + j]
            slope[count + 1] = change - open[nr + j]
            line[count + 2] = -N + y[nr + j]
            slope[count + 2] = -change + open[nr + j]
            line[count + 3] = -N - y[nr + j]
            slope[count + 3] = -change - open[nr + j]
            count = count + 4
          }
        }
        best = 0.0
        most = margin(dN, law, mode, y, 0.0, open)
        for a = 0 to count {
          for b = 0 to a {
            if abs(slope[a] - slope[b]) > 1e-14 {
              share = (line[b] - line[a]) / (slope[a] - slope[b])
              here = margin(dN, law, mode, y, share, open)
              if here > most {
                most = here
                best = share
              }
            }
          }
        }
        if best != 0.0 {
          moved = 1.0
        }
        for i = 0 to nl {
          y[i] = y[i] + best * open[i]
        }
      }
    }
    # One direction is exact at once.
    if moved == 0.0 or directions == 1.0 {
      break
    }
  }
}
)";

}  // namespace dalembert
