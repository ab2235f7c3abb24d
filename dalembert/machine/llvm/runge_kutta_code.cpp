// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/runge_kutta_code.h"

#include <array>
#include <vector>

#include "dalembert/machine/llvm/tape_code.h"

namespace dalembert {
namespace {

class RungeKutta {
 public:
  RungeKutta(IrModule& module, const CodeFunction& wanted, const std::string& name, std::size_t part)
      : module_(module),
        api_(module.api),
        wanted_(wanted),
        n_(static_cast<std::size_t>(wanted.coordinates)),
        calls_(calls_tapes(wanted)) {
    if (calls_) {
      accelerations_ = emit_tape_function(module, *wanted.tape, wanted.lanes, {}, part);
      if (wanted.inputs != nullptr) inputs_ = emit_tape_function(module, *wanted.inputs, wanted.lanes, {}, part);
    }
    const std::array<LLVMTypeRef, 6> parameters{module.pointer, module.pointer, module.pointer,
                                                module.real,    module.real,    module.integer};
    function_ = module.function(name, module.integer, parameters);
    for (const unsigned index : {1u, 2u, 3u}) module.attribute(function_, index, "noalias");
  }

  Value emit() {
    Ir ir(module_, function_, wanted_.lanes);
    const Value state = api_.GetParam(function_, 0), steps = api_.GetParam(function_, 5);
    const Value h = api_.GetParam(function_, 4);
    LLVMBuilderRef build = module_.builder;
    const auto scaled_step = [&](double factor) {
      return api_.BuildFMul(build, h, api_.ConstReal(module_.real, factor), "");
    };
    half_ = scaled_step(0.5);
    sixth_ = scaled_step(1.0 / 6);
    third_ = scaled_step(1.0 / 3);
    if (calls_) prepare_calls();
    if (loops_over_state(wanted_)) return emit_looped(ir);

    std::vector<Value> start;
    for (std::size_t i = 0; i < 2 * n_; ++i) start.push_back(ir.load(entry(ir, state, i)));

    // Emits the loop for (step = 0; step < steps; ++step).
    LLVMBasicBlockRef before = api_.GetInsertBlock(build), body = module_.block(function_),
                      end = module_.block(function_);
    const Value none = api_.ConstNull(ir.mask_type);
    const Value any = api_.BuildICmp(build, LLVMIntNE, steps, ir.index(0), "");
    api_.BuildCondBr(build, any, body, end);
    api_.PositionBuilderAtEnd(build, body);
    const Value step = api_.BuildPhi(build, module_.integer, "");
    const std::vector<Value> y = phis(ir, 2 * n_);
    const Value failed = api_.BuildPhi(build, ir.mask_type, "");
    ir.failed = failed;
    const std::vector<Value> next_y = one_step(ir, step, y);
    const Value next_step = api_.BuildAdd(build, step, ir.index(1), "");
    const Value next_failed = ir.failed;
    LLVMBasicBlockRef last = api_.GetInsertBlock(build);
    api_.BuildCondBr(build, api_.BuildICmp(build, LLVMIntULT, next_step, steps, ""), body, end);
    incoming(step, {{before, ir.index(0)}, {last, next_step}});
    incoming(failed, {{before, none}, {last, next_failed}});
    for (std::size_t i = 0; i < 2 * n_; ++i) incoming(y[i], {{before, start[i]}, {last, next_y[i]}});

    // A lane that failed keeps the state that it had before all steps.
    api_.PositionBuilderAtEnd(build, end);
    std::vector<Value> result = phis(ir, 2 * n_);
    ir.failed = api_.BuildPhi(build, ir.mask_type, "");
    incoming(ir.failed, {{before, none}, {last, next_failed}});
    for (std::size_t i = 0; i < 2 * n_; ++i) incoming(result[i], {{before, start[i]}, {last, next_y[i]}});
    for (const Value value : result) ir.fail(ir.is_nan(ir.subtract(value, value)));
    for (std::size_t i = 0; i < 2 * n_; ++i) {
      const Value at = entry(ir, state, i);
      ir.store(ir.select(ir.failed, ir.load(at), result[i]), at);
    }
    api_.BuildRet(build, ir.failed_bits());
    return function_;
  }

 private:
  Value entry(Ir& ir, Value base, std::size_t i) {
    return ir.place(base, ir.index(i * static_cast<std::size_t>(wanted_.lanes)));
  }
  std::vector<Value> phis(Ir& ir, std::size_t count) {
    std::vector<Value> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(api_.BuildPhi(module_.builder, ir.number_type, ""));
    return made;
  }
  void incoming(Value phi, std::initializer_list<std::pair<LLVMBasicBlockRef, Value>> from) {
    for (const auto& [block, value] : from) {
      LLVMBasicBlockRef the_block = block;
      Value the_value = value;
      api_.AddIncoming(phi, &the_value, &the_block, 1);
    }
  }
  Value scalar(double value) { return api_.ConstReal(module_.real, value); }

  struct Stage {
    // In all lanes: the factor of the stage's slope in Σ weight · slope (h/6 or h/3), and its factor in the state of
    // the next stage (h/2 or h).
    Value weight, reach;
    Value part_of_step, last;
  };
  Stage stage_at(Ir& ir, Value stage) {
    LLVMBuilderRef build = module_.builder;
    const Value h = api_.GetParam(function_, 4);
    const auto stage_is = [&](std::uint64_t which) {
      return api_.BuildICmp(build, LLVMIntEQ, stage, ir.index(which), "");
    };
    const Value first = stage_is(0), last = stage_is(3);
    const Value at_an_end = api_.BuildOr(build, first, last, "");
    const auto choose = [&](Value which, Value a, Value b) { return api_.BuildSelect(build, which, a, b, ""); };
    const Value weight = ir.broadcast(choose(at_an_end, sixth_, third_));
    const Value reach = ir.broadcast(choose(stage_is(2), h, half_));
    return {weight, reach, choose(first, scalar(0), choose(last, scalar(1), scalar(0.5))), last};
  }

  // The form for many coordinates: the state is in memory, and loops work on it, because with 2n values in registers
  // LLVM would take minutes. The operations and their order are those of the form in registers.
  Value emit_looped(Ir& ir) {
    LLVMBuilderRef build = module_.builder;
    const Value state = api_.GetParam(function_, 0), steps = api_.GetParam(function_, 5);
    const Value many = ir.index(2 * n_);
    repeat(ir, many, [&](Value i) { ir.store(ir.load(at(ir, state, i)), at(ir, y_at_, i)); });
    ir.failed = api_.ConstNull(ir.mask_type);
    repeat(ir, steps, [&](Value step) {
      repeat(ir, many, [&](Value i) {
        const Value y = ir.load(at(ir, y_at_, i));
        ir.store(y, at(ir, z_at_, i));
        ir.store(y, at(ir, sum_at_, i));
      });
      repeat(ir, ir.index(4), [&](Value number) {
        const Stage stage = stage_at(ir, number);
        ir.store(ir.broadcast(time(step, stage.part_of_step)), t_at_);
        call_tapes(ir);
        fail_untrusted(ir, ir.load(entry(ir, out_at_, wanted_.tape->outputs - 2)),
                       ir.load(entry(ir, out_at_, wanted_.tape->outputs - 1)));
        const auto move = [&](Value i, Value slope) {
          ir.store(ir.multiply_add(stage.reach, slope, ir.load(at(ir, y_at_, i))), at(ir, z_at_, i));
          ir.store(ir.multiply_add(stage.weight, slope, ir.load(at(ir, sum_at_, i))), at(ir, sum_at_, i));
        };
        repeat(ir, ir.index(n_), [&](Value i) {
          const Value velocity = api_.BuildAdd(build, i, ir.index(n_), "");
          const Value v = ir.load(at(ir, z_at_, velocity)), qdd = ir.load(at(ir, out_at_, i));
          move(i, v);
          move(velocity, qdd);
        });
      });
      repeat(ir, many, [&](Value i) { ir.store(ir.load(at(ir, sum_at_, i)), at(ir, y_at_, i)); });
    });
    // A lane that failed keeps the state that it had before all steps.
    repeat(ir, many, [&](Value i) {
      const Value y = ir.load(at(ir, y_at_, i));
      ir.fail(ir.is_nan(ir.subtract(y, y)));
    });
    repeat(ir, many, [&](Value i) {
      const Value kept = at(ir, state, i);
      ir.store(ir.select(ir.failed, ir.load(kept), ir.load(at(ir, y_at_, i))), kept);
    });
    api_.BuildRet(build, ir.failed_bits());
    return function_;
  }

  // Emits for (i = 0; i < count; ++i) body(i), and carries the mask of failed lanes through the loop.
  template <class Body>
  void repeat(Ir& ir, Value count, const Body& body) {
    LLVMBuilderRef build = module_.builder;
    LLVMBasicBlockRef before = api_.GetInsertBlock(build), inside = module_.block(function_),
                      end = module_.block(function_);
    const Value failed_before = ir.failed_or_none();
    api_.BuildCondBr(build, api_.BuildICmp(build, LLVMIntNE, count, ir.index(0), ""), inside, end);
    api_.PositionBuilderAtEnd(build, inside);
    const Value i = api_.BuildPhi(build, module_.integer, ""), failed = api_.BuildPhi(build, ir.mask_type, "");
    ir.failed = failed;
    body(i);
    const Value next = api_.BuildAdd(build, i, ir.index(1), ""), failed_now = ir.failed;
    LLVMBasicBlockRef last = api_.GetInsertBlock(build);
    api_.BuildCondBr(build, api_.BuildICmp(build, LLVMIntULT, next, count, ""), inside, end);
    incoming(i, {{before, ir.index(0)}, {last, next}});
    incoming(failed, {{before, failed_before}, {last, failed_now}});
    api_.PositionBuilderAtEnd(build, end);
    ir.failed = api_.BuildPhi(build, ir.mask_type, "");
    incoming(ir.failed, {{before, failed_before}, {last, failed_now}});
  }
  Value at(Ir& ir, Value base, Value i) {
    const auto lanes = static_cast<std::uint64_t>(wanted_.lanes);
    return ir.place(base, api_.BuildMul(module_.builder, i, ir.index(lanes), ""));
  }

  // Emits one step. The four stages are rounds of a loop, so that the code of the accelerations exists only once: it
  // compiles faster and stays in the processor's cache.
  std::vector<Value> one_step(Ir& ir, Value step, const std::vector<Value>& y) {
    LLVMBuilderRef build = module_.builder;
    LLVMBasicBlockRef before = api_.GetInsertBlock(build), body = module_.block(function_),
                      end = module_.block(function_);
    const Value failed_before = ir.failed;
    api_.BuildBr(build, body);
    api_.PositionBuilderAtEnd(build, body);
    const Value stage = api_.BuildPhi(build, module_.integer, "");
    const std::vector<Value> z = phis(ir, 2 * n_), sum = phis(ir, 2 * n_);
    const Value failed = api_.BuildPhi(build, ir.mask_type, "");
    ir.failed = failed;

    const Stage at = stage_at(ir, stage);
    const Value weight = at.weight, reach = at.reach, last = at.last;
    const std::vector<Value> qdd = accelerations(ir, time(step, at.part_of_step), z);
    std::vector<Value> next_z, next_sum;
    for (std::size_t i = 0; i < 2 * n_; ++i) {
      const Value slope = i < n_ ? z[n_ + i] : qdd[i - n_];
      next_z.push_back(ir.multiply_add(reach, slope, y[i]));
      next_sum.push_back(ir.multiply_add(weight, slope, sum[i]));
    }
    const Value next_stage = api_.BuildAdd(build, stage, ir.index(1), "");
    LLVMBasicBlockRef from = api_.GetInsertBlock(build);
    api_.BuildCondBr(build, last, end, body);
    incoming(stage, {{before, ir.index(0)}, {from, next_stage}});
    incoming(failed, {{before, failed_before}, {from, ir.failed}});
    for (std::size_t i = 0; i < 2 * n_; ++i) {
      incoming(z[i], {{before, y[i]}, {from, next_z[i]}});
      incoming(sum[i], {{before, y[i]}, {from, next_sum[i]}});
    }
    api_.PositionBuilderAtEnd(build, end);
    return next_sum;
  }

  // The time t + (step + part) h, the same for all lanes.
  Value time(Value step, Value part) {
    LLVMBuilderRef build = module_.builder;
    const Value steps = api_.BuildFAdd(build, api_.BuildUIToFP(build, step, module_.real, ""), part, "");
    return api_.BuildFAdd(build, api_.GetParam(function_, 3),
                          api_.BuildFMul(build, steps, api_.GetParam(function_, 4), ""), "");
  }

  std::vector<Value> accelerations(Ir& ir, Value t, const std::vector<Value>& z) {
    std::vector<Value> out = calls_ ? called(ir, t, z) : inlined_code(ir, t, z);
    fail_untrusted(ir, out[out.size() - 2], out.back());
    out.resize(n_);
    return out;
  }

  std::vector<Value> inlined_code(Ir& ir, Value t, const std::vector<Value>& z) {
    std::vector<Value> u, out(wanted_.tape->outputs, nullptr);
    Value lane_time = nullptr;
    const auto argument = [&](TapeArray array, std::uint32_t index) -> Value {
      switch (array) {
        case TapeArray::kTime:
          if (lane_time == nullptr) lane_time = ir.broadcast(t);
          return lane_time;
        case TapeArray::kCoordinate:
          return z[index];
        case TapeArray::kVelocity:
          return z[n_ + index];
        case TapeArray::kInput:
          return index < u.size() ? u[index] : nullptr;
        default:
          return nullptr;
      }
    };
    const auto run = [&](const Tape& tape, std::vector<Value>& into) {
      TapeCode code(ir, tape, {api_.GetParam(function_, 1), api_.GetParam(function_, 2), nullptr});
      code.argument = argument;
      code.output = [&](std::uint32_t index, Value value) { into[index] = value; };
      code.emit(0, tape.instructions.size());
    };
    if (wanted_.inputs != nullptr) {
      std::vector<Value> values(wanted_.inputs->outputs, nullptr);
      run(*wanted_.inputs, values);
      u = std::move(values);
    }
    run(*wanted_.tape, out);
    return out;
  }

  // Reserves memory after that of the tapes for t, the state, inputs and outputs, and makes the array of pointers to
  // the arguments.
  void prepare_calls() {
    LLVMBuilderRef build = module_.builder;
    const std::size_t lanes = static_cast<std::size_t>(wanted_.lanes);
    std::size_t end = wanted_.tape->registers;
    if (wanted_.inputs != nullptr) end = std::max(end, wanted_.inputs->registers);
    const Value work = api_.GetParam(function_, 2);
    const auto take = [&](std::size_t count) {
      Value at = api_.ConstInt(module_.integer, end * lanes, 0);
      end += count;
      return api_.BuildGEP2(build, module_.real, work, &at, 1, "");
    };
    t_at_ = take(1);
    z_at_ = take(n_);
    v_at_ = take(n_);
    u_at_ = take(wanted_.inputs != nullptr ? wanted_.inputs->outputs : 0);
    out_at_ = take(wanted_.tape->outputs);
    if (loops_over_state(wanted_)) {
      y_at_ = take(2 * n_);
      sum_at_ = take(2 * n_);
    }

    list_ = api_.BuildAlloca(build, api_.ArrayType(module_.pointer, kTapeArrays), "");
    const auto element = [&](Value base, TapeArray array) {
      Value at = api_.ConstInt(module_.integer, static_cast<std::uint64_t>(array), 0);
      return api_.BuildGEP2(build, module_.pointer, base, &at, 1, "");
    };
    for (std::size_t array = 0; array < kTapeArrays; ++array) {
      const auto which = static_cast<TapeArray>(array);
      Value from = api_.BuildLoad2(build, module_.pointer, element(api_.GetParam(function_, 1), which), "");
      if (which == TapeArray::kTime) from = t_at_;
      if (which == TapeArray::kCoordinate) from = z_at_;
      if (which == TapeArray::kVelocity) from = v_at_;
      if (which == TapeArray::kInput && wanted_.inputs != nullptr) from = u_at_;
      api_.BuildStore(build, from, element(list_, which));
    }
  }

  std::vector<Value> called(Ir& ir, Value t, const std::vector<Value>& z) {
    ir.store(ir.broadcast(t), t_at_);
    for (std::size_t i = 0; i < n_; ++i) {
      ir.store(z[i], entry(ir, z_at_, i));
      ir.store(z[n_ + i], entry(ir, v_at_, i));
    }
    call_tapes(ir);
    std::vector<Value> out;
    const std::size_t count = wanted_.tape->outputs;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(i < n_ || i + 2 >= count ? ir.load(entry(ir, out_at_, i)) : nullptr);
    return out;
  }
  void call_tapes(Ir& ir) {
    const Value work = api_.GetParam(function_, 2);
    if (inputs_ != nullptr) ir.fail_bits(module_.call(inputs_, std::array<Value, 3>{list_, work, u_at_}));
    ir.fail_bits(module_.call(accelerations_, std::array<Value, 3>{list_, work, out_at_}));
  }

  IrModule& module_;
  const LlvmApi& api_;
  const CodeFunction& wanted_;
  std::size_t n_;
  bool calls_;
  Value accelerations_ = nullptr, inputs_ = nullptr, function_ = nullptr;
  Value half_ = nullptr, sixth_ = nullptr, third_ = nullptr;
  Value t_at_ = nullptr, z_at_ = nullptr, v_at_ = nullptr, u_at_ = nullptr, out_at_ = nullptr, list_ = nullptr;
  Value y_at_ = nullptr, sum_at_ = nullptr;  // in memory: state at the step's start, and Σ weight · slope
};

}  // namespace

Value emit_runge_kutta(IrModule& module, const CodeFunction& wanted, const std::string& name, std::size_t part) {
  return RungeKutta(module, wanted, name, part).emit();
}

}  // namespace dalembert
