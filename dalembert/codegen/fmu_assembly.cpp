// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_assembly.h"

#include <fmt/format.h>

#include <vector>

#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// M and W without what is held: x_i = 0 is then the answer, since nothing pulls at it.
constexpr std::string_view kHold = R"(
    for i = 0 to nv {
      if held[i] != 0.0 {
        for k = 0 to nv {
          M[i * nv + k] = 0.0
          M[k * nv + i] = 0.0
        }
        M[i * nv + i] = 1.0
        for k = 0 to nr {
          W[k * nv + i] = 0.0
        }
      }
    }
)";

// The step, by the plain metric where the mass is none.
constexpr std::string_view kSolve = R"(
    status = solve_dense(M, W, ROWS, zero, c, 1e-10, delta, multipliers)
    if status == 1 {
      for i = 0 to nv * nv {
        M[i] = 0.0
      }
      for i = 0 to nv {
        M[i * nv + i] = 1.0
      }
      status = solve_dense(M, W, ROWS, zero, c, 1e-10, delta, multipliers)
    }
    if status == 3 {
      return 3
    }
)";

// Newton's method, shortened until the residual shrinks.
constexpr std::string_view kMove = R"(
    going = 1
    factor = 1.0
    while going == 1 {
      for i = 0 to nq {
        q[i] = before[i]
      }
      for i = 0 to nv {
        moved[i] = factor * delta[i]
      }
      call displace(t, q, moved, u)
      call kernel_position(t, q, u, levels)
      sum = 0.0
      for i = 0 to nh {
        sum = sum + levels[i] * levels[i]
      }
      if sum < size * (1.0 - 0.0001 * factor) {
        going = 0
      } else {
        factor = 0.5 * factor
        if factor < 0.0001 {
          going = 2
        }
      }
    }
    if going == 2 {
      for i = 0 to nq {
        q[i] = before[i]
      }
      break
    }
    size = sum
  }
  # What is left is brought to round-off by `project`.
  if size <= 1e-16 {
    return 0
  }
  return 5
}
)";

class Assembler {
 public:
  explicit Assembler(const CodeModel& code) : layout_(code.layout()) {}

  std::string position() const;
  std::string velocity() const;
  std::string whole() const;

 private:
  // The matrix `array` from the entries that a kernel gave.
  std::string spread(const Pattern& pattern, const std::string& array, const std::string& from) const {
    return fmt::format("for i = 0 to {} {{\n{}[i] = 0.0\n}}\n", pattern.rows * pattern.cols, array) +
           for_each_entry(pattern, [&](const std::string& entry, const std::string& row, const std::string& column) {
             return fmt::format("{}[({}) * nv + {}] = {}[{}]\n", array, row, column, from, entry);
           });
  }
  const Layout& layout_;
};

std::string Assembler::position() const {
  std::vector<int> level(as_size(layout_.m), -1);
  for (std::size_t k = 0; k < layout_.holonomic.size(); ++k) level[as_size(layout_.holonomic[k])] = static_cast<int>(k);
  std::string rows = "for i = 0 to nr * nv {\nW[i] = 0.0\n}\n";
  for (std::size_t k = 0; k < layout_.W.row.size(); ++k)
    if (const int row = level[as_size(layout_.W.row[k])]; row >= 0)
      rows += fmt::format("W[{}] = out[{}]\n", row * layout_.nv + layout_.W.col[k], k);
  return fmt::format(
             "routine assemble_position(real t, inout q[nq], in v[nv], in u[nu], in held[nv]) -> status {{\n"
             "real levels[{}], out[{}], entries[{}], M[nv*nv], W[nr*nv], c[nr], zero[nv], multipliers[nr], delta[nv], "
             "moved[nv], before[nq], size, sum, factor\nint status, going\n{}"
             "for i = 0 to nv {{\nzero[i] = 0.0\n}}\ncall kernel_position(t, q, u, levels)\nsize = 0.0\n"
             "for i = 0 to nh {{\nsize = size + levels[i] * levels[i]\n}}\nif not (size * 0.0 == 0.0) {{\nreturn "
             "3\n}}\n"
             "for turn = 0 to 100 {{\nif size <= 1e-24 {{\nbreak\n}}\nfor i = 0 to nq {{\nbefore[i] = q[i]\n}}\n"
             "for i = 0 to nh {{\nc[i] = -levels[i]\n}}\n"
             "call kernel_velocity(t, q, u, out)\ncall kernel_mass(t, q, v, u, entries)\n",
             PositionPlaces(layout_).end, VelocityPlaces(layout_).end, layout_.M.nonzeros(),
             layout_.v_is_qdot ? "" : "call normalize(q)\n") +
         spread(layout_.M, "M", "entries") + rows + std::string(kHold) + filled(kSolve, {{"ROWS", "nh"}}) +
         std::string(kMove);
}

std::string Assembler::velocity() const {
  const VelocityPlaces at(layout_);
  return fmt::format(
             "routine assemble_velocity(real t, in q[nq], inout v[nv], in u[nu], in held[nv]) -> status {{\n"
             "real out[{0}], entries[{1}], M[nv*nv], W[nr*nv], c[nr], terms[nr], zero[nv], multipliers[nr], delta[nv]\n"
             "int status\nfor i = 0 to nv {{\nzero[i] = 0.0\n}}\ncall kernel_velocity(t, q, u, out)\n"
             "for turn = 0 to 4 {{\ncall kernel_mass(t, q, v, u, entries)\n"
             "for i = 0 to nr {{\nc[i] = -out[{2} + i]\nterms[i] = 1.0 + abs(c[i])\n}}\n",
             at.end, layout_.M.nonzeros(), at.a) +
         for_each_entry(layout_.W,
                        [](const std::string& entry, const std::string& row, const std::string& column) {
                          return fmt::format(
                              "c[{0}] = c[{0}] - out[{1}] * v[{2}]\n"
                              "terms[{0}] = terms[{0}] + abs(out[{1}] * v[{2}])\n",
                              row, entry, column);
                        }) +
         "status = 0\nfor i = 0 to nr {\nif not (abs(c[i]) <= 1e-10 * terms[i]) {\nstatus = 5\n}\n}\n"
         "if status == 0 {\nreturn 0\n}\n" +
         spread(layout_.M, "M", "entries") + spread(layout_.W, "W", "out") + std::string(kHold) +
         filled(kSolve, {{"ROWS", "nr"}}) + "for i = 0 to nv {\nv[i] = v[i] + delta[i]\n}\n}\nreturn 5\n}\n";
}

std::string Assembler::whole() const {
  std::string body;
  if (!layout_.v_is_qdot) body += "call normalize(q)\n";
  if (!layout_.holonomic.empty())
    body += "status = assemble_position(t, q, v, u, held_q)\nif status != 0 {\nreturn status\n}\n";
  return "# Brings q and v onto the constraints by the least change in the mass metric, but for what is held: "
         "displacements\n"
         "# along the velocities whose held_q is not 0, velocities whose held_v is not. 0, 3: not finite, 5: there is "
         "none nearby.\n"
         "public routine assemble(real t, inout q[nq], inout v[nv], in u[nu], in held_q[nv], in held_v[nv]) -> status "
         "{\nint status\n" +
         body + "status = assemble_velocity(t, q, v, u, held_v)\nreturn status\n}\n";
}

}  // namespace

bool can_assemble(const CodeModel& code) { return code.solves_any_rank && code.layout().m > 0; }

std::string assembly_routines(const CodeModel& code) {
  const Assembler assembler(code);
  return (code.layout().holonomic.empty() ? std::string() : assembler.position()) + assembler.velocity() +
         assembler.whole();
}

}  // namespace dalembert
