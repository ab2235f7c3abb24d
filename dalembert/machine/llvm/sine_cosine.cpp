// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/sine_cosine.h"

#include <span>
#include <utility>
#include <vector>

namespace dalembert {
namespace {

// The polynomial c[0] + x c[1] + x² c[2] + ...
Value polynomial(Ir& ir, Value x, std::span<const double> c, Waiting waiting) {
  if (waiting == Waiting::kOne) {
    std::vector<Value> part;
    for (const double value : c) part.push_back(ir.number(value));
    for (Value power = x; part.size() > 1; power = ir.multiply(power, power)) {
      std::vector<Value> halves;
      for (std::size_t i = 0; i < part.size(); i += 2)
        halves.push_back(i + 1 < part.size() ? ir.multiply_add(part[i + 1], power, part[i]) : part[i]);
      part = std::move(halves);
      if (part.size() == 1) break;
    }
    return part[0];
  }
  Value sum = ir.number(c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = ir.multiply_add(sum, x, ir.number(c[i]));
  return sum;
}

constexpr double kSine[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,  -1.98412698298579493134e-04,
                            2.75573137070700676789e-06,  -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double kCosine[] = {-0.5,
                              4.16666666666666019037e-02,
                              -1.38888888888741095749e-03,
                              2.48015872894767294178e-05,
                              -2.75573143513906633035e-07,
                              2.08757232129817482790e-09,
                              -1.13596475577881948265e-11};

}  // namespace

SineCosine emit_sine_cosine(Ir& ir, Value x, Waiting waiting) {
  const LlvmApi& api = ir.api;
  LLVMBuilderRef build = ir.module.builder;
  ir.fail(ir.compare(LLVMRealUGT, ir.absolute(x), ir.number(1073741824.0)));  // the angle is beyond 2³⁰ or NaN

  // After adding 3·2⁵¹ the low bits hold k, the integer nearest to x·2/π.
  const Value magic = ir.number(6755399441055744.0);
  const Value shifted = ir.multiply_add(x, ir.number(0.63661977236758134308), magic);
  const Value quadrant = api.BuildBitCast(build, shifted, ir.bits_type, "");
  const Value k = ir.subtract(magic, shifted);  // minus the nearest integer, so that r = x + k·π/2
  Value r = ir.multiply_add(k, ir.number(1.57079632679489655800e+00), x);
  r = ir.multiply_add(k, ir.number(6.12323399573676603587e-17), r);
  r = ir.multiply_add(k, ir.number(-1.49738490485916983e-33), r);

  const Value z = ir.multiply(r, r);
  const Value s = ir.multiply_add(ir.multiply(r, z), polynomial(ir, z, kSine, waiting), r);
  const Value c = ir.multiply_add(z, polynomial(ir, z, kCosine, waiting), ir.number(1));

  // With s = sin r and c = cos r, (sin x, cos x) in quadrant 0 is (s, c), in 1: (c, −s), in 2: (−s, −c), in 3: (−c, s).
  const Value odd = api.BuildICmp(build, LLVMIntNE, api.BuildAnd(build, quadrant, ir.bits(1), ""), ir.bits(0), "");
  const Value sign = ir.bits(std::uint64_t{1} << 63), to_the_sign = ir.bits(62);
  const auto flip = [&](Value value, Value q) {
    const Value flips = api.BuildAnd(build, api.BuildShl(build, q, to_the_sign, ""), sign, "");
    const Value flipped = api.BuildXor(build, api.BuildBitCast(build, value, ir.bits_type, ""), flips, "");
    return api.BuildBitCast(build, flipped, ir.number_type, "");
  };
  return {.sine = flip(ir.select(odd, c, s), quadrant),
          .cosine = flip(ir.select(odd, s, c), api.BuildAdd(build, quadrant, ir.bits(1), ""))};
}

}  // namespace dalembert
