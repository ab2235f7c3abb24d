// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/tape_code.h"

#include <algorithm>
#include <array>
#include <limits>

#include "dalembert/base/kernel_code.h"
#include "dalembert/machine/code_function.h"
#include "dalembert/machine/math_symbols.h"
#include "dalembert/tape/independent_rounds.h"

namespace dalembert {
namespace {

constexpr int kRoundsAtOnce = 4;
constexpr std::size_t kSinesAtOnce = 4;

}  // namespace

TapeCode::TapeCode(Ir& ir, const Tape& tape, Places places)
    : ir_(ir),
      tape_(tape),
      places_(places),
      arrays_(kTapeArrays, nullptr),
      first_in_memory_(tape.loops.empty() ? std::numeric_limits<std::uint32_t>::max()
                                          : static_cast<std::uint32_t>(tape.temporaries)),
      held_(tape.registers) {}

Value TapeCode::address(Value base, Entry entry, int lanes) {
  const Value start = ir_.place(base, ir_.index(std::uint64_t{entry.field} * static_cast<std::uint64_t>(lanes)));
  if (round_ == nullptr || entry.stride == 0) return start;
  const std::int64_t step = std::int64_t{entry.stride} * lanes;
  auto known = std::ranges::find(offsets_, step, &std::pair<std::int64_t, Value>::first);
  if (known == offsets_.end()) {
    const Value offset = ir_.api.BuildMul(ir_.module.builder, round_, ir_.index(static_cast<std::uint64_t>(step)), "");
    known = offsets_.insert(offsets_.end(), {step, offset});
  }
  return ir_.place(start, known->second);
}

// Loads an entry of an array that holds the numbers of all lanes. If several rounds run as lanes, the array holds
// numbers of one system, and each lane loads the entry of its round.
Value TapeCode::load(Value base, Entry entry) {
  if (outside_ == nullptr) return ir_.load(address(base, entry, ir_.lanes));
  const Value first = address(base, entry, 1);
  if (entry.stride == 0) return ir_.load_shared(first);
  if (entry.stride == 1) return ir_.load(first);
  Value all = ir_.api.GetUndef(ir_.number_type);
  for (int k = 0; k < ir_.lanes; ++k) {
    const Value place = ir_.place(first, ir_.index(static_cast<std::uint64_t>(std::int64_t{entry.stride} * k)));
    const Value one = ir_.api.BuildLoad2(ir_.module.builder, ir_.module.real, place, "");
    all = ir_.api.BuildInsertElement(ir_.module.builder, all, one, ir_.index(static_cast<std::uint64_t>(k)), "");
  }
  return all;
}

void TapeCode::store(Value number, Value base, Entry entry) {
  if (outside_ == nullptr) return ir_.store(number, address(base, entry, ir_.lanes));
  const Value first = address(base, entry, 1);
  if (entry.stride == 1) return ir_.store(number, first);
  for (int k = 0; k < ir_.lanes; ++k) {
    const Value place = ir_.place(first, ir_.index(static_cast<std::uint64_t>(std::int64_t{entry.stride} * k)));
    const Value lane = ir_.index(static_cast<std::uint64_t>(k));
    ir_.api.BuildStore(ir_.module.builder, ir_.api.BuildExtractElement(ir_.module.builder, number, lane, ""), place);
  }
}

Value TapeCode::read(Entry entry) {
  const bool memory = in_memory(entry.field);
  if (memory && round_ != nullptr) {
    const auto [known, is_new] = in_round_.try_emplace(entry, nullptr);
    if (is_new) known->second = load(places_.work, entry);
    return known->second;
  }
  if (outside_ != nullptr && held_[entry.field].number == nullptr)
    return ir_.broadcast(outside_->held_[entry.field].number);
  Held& held = held_[entry.field];
  if (held.number == nullptr) held.number = ir_.load(address(places_.work, {entry.field, 0}, ir_.lanes));
  return held.number;
}

Value TapeCode::truth(Entry entry) {
  const bool memory = in_memory(entry.field) && round_ != nullptr;
  if (!memory && held_[entry.field].mask != nullptr) return held_[entry.field].mask;
  return ir_.compare(LLVMRealUNE, read(entry), ir_.number(0));
}

void TapeCode::write(Entry entry, Value number, Value mask) {
  const bool memory = in_memory(entry.field);
  if (memory && round_ != nullptr) in_round_[entry] = number;
  const bool carried = memory && round_ != nullptr && entry.stride == 0;  // stored only after the loop
  if (memory && !carried) store(number, places_.work, entry);
  if (!memory || round_ == nullptr) held_[entry.field] = {number, mask, !memory};
}

Value TapeCode::read_argument(const Instruction& instruction, const Stride& stride) {
  const auto array = static_cast<TapeArray>(instruction.a);
  if (argument && round_ == nullptr)
    if (const Value given = argument(array, instruction.b)) return given;
  const bool shared = shared_by_lanes(array) && !apart;
  if (outside_ != nullptr) return load(arrays_[instruction.a], {instruction.b, stride.b});
  const Value from = address(arrays_[instruction.a], {instruction.b, stride.b}, shared ? 1 : ir_.lanes);
  return shared ? ir_.load_shared(from) : ir_.load(from);
}

void TapeCode::emit(std::size_t begin, std::size_t end) {
  // The addresses of argument arrays are loaded here, in the block before all loops.
  for (std::size_t i = begin; i < end; ++i) {
    const Instruction& instruction = tape_.instructions[i];
    if (instruction.op != TapeOp::kArgument || arrays_[instruction.a] != nullptr) continue;
    const Value at = ir_.index(instruction.a);
    std::array<Value, 1> offset{at};
    const Value place =
        ir_.api.BuildGEP2(ir_.module.builder, ir_.module.pointer, places_.arguments, offset.data(), 1, "");
    arrays_[instruction.a] = ir_.api.BuildLoad2(ir_.module.builder, ir_.module.pointer, place, "");
  }
  if (ir_.lanes == 1 && ir_.fuses()) find_sines(begin, end);
  static constexpr Stride kStill{};
  auto loop = std::ranges::find_if(tape_.loops, [&](const Loop& candidate) { return candidate.begin >= begin; });
  for (std::size_t i = begin; i < end; ++i) {
    // A loop that begins at `end` belongs to the next part.
    while (i < end && loop != tape_.loops.end() && loop->begin == i && loop->end > i) {
      emit_loop(*loop);
      i = loop->end;
      ++loop;
    }
    if (i < end && !emit_sines_at_once(i)) emit(tape_.instructions[i], kStill);
  }
}

void TapeCode::find_sines(std::size_t begin, std::size_t end) {
  std::map<std::uint32_t, Angle> known;  // angles, by the register that holds them
  const auto loads = [&](std::uint32_t reg) -> const Instruction* {
    const auto found = known.find(reg);
    return found != known.end() && found->second.a == nullptr ? found->second.how : nullptr;
  };
  const auto angle_of = [&](const Instruction& at) -> Angle {
    switch (at.op) {
      case TapeOp::kArgument:
        return {&at};
      case TapeOp::kNegate:
      case TapeOp::kAddConstant:
      case TapeOp::kSubtractFrom:
      case TapeOp::kScale:
        if (const Instruction* a = loads(at.a)) return {&at, a};
        return {};
      case TapeOp::kAdd:
      case TapeOp::kSubtract: {
        const Instruction *a = loads(at.a), *b = loads(at.b);
        return a != nullptr && b != nullptr ? Angle{&at, a, b} : Angle{};
      }
      default:
        return {};
    }
  };
  auto loop = tape_.loops.begin();
  for (std::size_t i = begin; i < end; ++i) {
    while (loop != tape_.loops.end() && loop->end <= i) ++loop;
    if (loop != tape_.loops.end() && loop->begin <= i) {
      i = loop->end - 1;
      known.clear();
      continue;
    }
    const Instruction& at = tape_.instructions[i];
    if (is_sine(at))
      if (const auto angle = known.find(at.a); angle != known.end()) sines_.push_back({i, angle->second});
    const Angle angle = angle_of(at);
    const RegisterUse use = register_use(at);
    if (use.writes_dst) known.erase(at.dst);
    if (use.writes_b) known.erase(at.b);
    if (angle.how != nullptr) known[at.dst] = angle;
  }
}

Value TapeCode::emit_angle(const Angle& angle) {
  const Instruction& how = *angle.how;
  if (angle.a == nullptr) return read_argument(how, {});
  const Value a = read_argument(*angle.a, {});
  switch (how.op) {
    case TapeOp::kNegate:
      return ir_.negate(a);
    case TapeOp::kAddConstant:
      return ir_.add(a, ir_.number(tape_.constants[how.b]));
    case TapeOp::kSubtractFrom:
      return ir_.subtract(ir_.number(tape_.constants[how.b]), a);
    case TapeOp::kScale:
      return ir_.multiply(ir_.number(tape_.constants[how.b]), a);
    case TapeOp::kAdd:
      return ir_.add(a, read_argument(*angle.b, {}));
    default:
      return ir_.subtract(a, read_argument(*angle.b, {}));
  }
}

// If instruction i is a sine: computes it together with the next sines, as the lanes of one vector. Returns false if no
// sine follows; the caller then emits i like any other instruction.
bool TapeCode::emit_sines_at_once(std::size_t i) {
  if (!is_sine(tape_.instructions[i])) return false;
  const auto due = std::ranges::lower_bound(sines_, i, {}, &Sine::at);
  const auto count = std::min<std::size_t>(kSinesAtOnce, static_cast<std::size_t>(sines_.end() - due));
  if (!early_.contains(i) && due != sines_.end() && due->at == i && count > 1) {
    const LlvmApi& api = ir_.api;
    LLVMBuilderRef build = ir_.module.builder;
    Ir wide(ir_.module, ir_.function, count == 2 ? 2 : static_cast<int>(kSinesAtOnce));
    const auto lane = [&](std::size_t k) { return ir_.index(k); };
    Value angles = api.GetUndef(wide.number_type), first = nullptr;
    for (std::size_t k = 0; k < static_cast<std::size_t>(wide.lanes); ++k) {
      const Value angle = k < count ? emit_angle(due[static_cast<std::ptrdiff_t>(k)].angle) : first;
      if (k == 0) first = angle;
      angles = api.BuildInsertElement(build, angles, angle, lane(k), "");
    }
    const SineCosine all = emit_sine_cosine(wide, angles, Waiting::kOne);
    ir_.fail(api.BuildICmp(build, LLVMIntNE, wide.failed_bits(), ir_.index(0), ""));
    for (std::size_t k = 0; k < count; ++k)
      early_[due[static_cast<std::ptrdiff_t>(k)].at] = {api.BuildExtractElement(build, all.sine, lane(k), ""),
                                                        api.BuildExtractElement(build, all.cosine, lane(k), "")};
  }
  const auto known = early_.find(i);
  if (known == early_.end()) return false;
  const Instruction& at = tape_.instructions[i];
  const auto [sine, cosine] = known->second;
  write({at.dst, 0}, at.op == TapeOp::kSinCos || at.function == Op::kSin ? sine : cosine);
  if (at.op == TapeOp::kSinCos) write({at.b, 0}, cosine);
  return true;
}

// The registers in memory that the loop reads or writes at the same place in every round.
std::vector<TapeCode::Still> TapeCode::still_memory(const Loop& loop) const {
  std::map<std::uint32_t, bool> written;
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    const Instruction& at = tape_.instructions[i];
    const Stride& stride = tape_.strides[i];
    const RegisterUse use = register_use(at);
    const auto note = [&](bool used, std::uint32_t field, std::int32_t by, bool writes) {
      if (used && by == 0 && in_memory(field)) written[field] = written[field] || writes;
    };
    note(use.reads_a, at.a, stride.a, false);
    note(use.reads_b, at.b, stride.b, false);
    note(use.reads_c, at.c, stride.c, false);
    note(use.writes_dst, at.dst, stride.dst, true);
    note(use.writes_b, at.b, stride.b, true);
  }
  std::vector<Still> still;
  for (const auto& [field, is_written] : written) still.push_back({field, is_written});
  return still;
}

void TapeCode::emit_loop(const Loop& loop) {
  if (loop.rounds == 0) return;
  if (ir_.lanes == 1 && ir_.fuses() && loop.rounds >= kRoundsAtOnce && has_independent_rounds(tape_, loop))
    return emit_wide_loop(loop);
  const LlvmApi& api = ir_.api;
  LLVMBuilderRef build = ir_.module.builder;
  const LLVMBasicBlockRef before = api.GetInsertBlock(build), body = ir_.module.block(ir_.function),
                          after = ir_.module.block(ir_.function);
  const Value failed_before = ir_.failed_or_none();
  const std::vector<Still> still = still_memory(loop);
  for (const Still& entry : still) read({entry.field, 0});
  api.BuildBr(build, body);
  api.PositionBuilderAtEnd(build, body);
  round_ = api.BuildPhi(build, ir_.module.integer, "");
  ir_.failed = api.BuildPhi(build, ir_.mask_type, "");
  const Value failed_phi = ir_.failed;
  for (const Still& entry : still)
    in_round_[{entry.field, 0}] = entry.written ? api.BuildPhi(build, ir_.number_type, "") : held_[entry.field].number;
  const auto phis = in_round_;
  for (std::size_t i = loop.begin; i < loop.end; ++i) emit(tape_.instructions[i], tape_.strides[i]);

  const Value next = api.BuildAdd(build, round_, ir_.index(1), "");
  const Value more = api.BuildICmp(build, LLVMIntULT, next, ir_.index(loop.rounds), "");
  LLVMBasicBlockRef last = api.GetInsertBlock(build);
  api.BuildCondBr(build, more, body, after);
  std::array<Value, 2> rounds{ir_.index(0), next}, failures{failed_before, ir_.failed};
  std::array<LLVMBasicBlockRef, 2> from{before, last};
  api.AddIncoming(round_, rounds.data(), from.data(), 2);
  api.AddIncoming(failed_phi, failures.data(), from.data(), 2);
  for (const Still& entry : still) {
    if (!entry.written) continue;
    std::array<Value, 2> numbers{held_[entry.field].number, in_round_.at({entry.field, 0})};
    api.AddIncoming(phis.at({entry.field, 0}), numbers.data(), from.data(), 2);
  }
  api.PositionBuilderAtEnd(build, after);

  round_ = nullptr;
  offsets_.clear();
  for (const Still& entry : still)
    if (entry.written) ir_.store(in_round_.at({entry.field, 0}), address(places_.work, {entry.field, 0}, ir_.lanes));
  in_round_.clear();
  forget_loop(loop);
}

// For one system: runs several independent rounds at once, as lanes. The last group of rounds ends with the loop's last
// round, so some rounds may be run twice.
void TapeCode::emit_wide_loop(const Loop& loop) {
  const LlvmApi& api = ir_.api;
  LLVMBuilderRef build = ir_.module.builder;
  const LLVMBasicBlockRef before = api.GetInsertBlock(build), body = ir_.module.block(ir_.function),
                          after = ir_.module.block(ir_.function);
  // Temporaries from the code before the loop are read here: those that the loop reads before it writes them.
  std::vector<std::uint32_t> written;
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    Instruction instruction = tape_.instructions[i];
    for_each_read(instruction, [&](std::uint32_t field) {
      if (!in_memory(field) && std::ranges::find(written, field) == written.end()) read({field, 0});
    });
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst) written.push_back(instruction.dst);
    if (use.writes_b) written.push_back(instruction.b);
  }
  const Value failed_before = ir_.failed_or_none();
  api.BuildBr(build, body);
  api.PositionBuilderAtEnd(build, body);
  const Value round = api.BuildPhi(build, ir_.module.integer, "");
  ir_.failed = api.BuildPhi(build, ir_.mask_type, "");
  const Value failed_phi = ir_.failed;

  Ir wide(ir_.module, ir_.function, kRoundsAtOnce);
  TapeCode rounds(wide, tape_, places_);
  rounds.outside_ = this;
  rounds.arrays_ = arrays_;
  rounds.round_ = round;
  for (std::size_t i = loop.begin; i < loop.end; ++i) rounds.emit(tape_.instructions[i], tape_.strides[i]);
  if (wide.failed != nullptr) ir_.fail(api.BuildICmp(build, LLVMIntNE, wide.failed_bits(), ir_.index(0), ""));

  const Value next = api.BuildAdd(build, round, ir_.index(kRoundsAtOnce), ""),
              last = ir_.index(loop.rounds - kRoundsAtOnce);
  const Value start = api.BuildSelect(build, api.BuildICmp(build, LLVMIntULT, next, last, ""), next, last, "");
  const Value more = api.BuildICmp(build, LLVMIntULT, next, ir_.index(loop.rounds), "");
  LLVMBasicBlockRef end = api.GetInsertBlock(build);
  api.BuildCondBr(build, more, body, after);
  std::array<Value, 2> starts{ir_.index(0), start}, failures{failed_before, ir_.failed};
  std::array<LLVMBasicBlockRef, 2> from{before, end};
  api.AddIncoming(round, starts.data(), from.data(), 2);
  api.AddIncoming(failed_phi, failures.data(), from.data(), 2);
  api.PositionBuilderAtEnd(build, after);
  forget_loop(loop);
}

void TapeCode::forget_loop(const Loop& loop) {
  // The loop may have written any register in memory, and its temporaries are not valid any more.
  for (std::size_t reg = first_in_memory_; reg < held_.size(); ++reg) held_[reg] = {};
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    const Instruction& instruction = tape_.instructions[i];
    const RegisterUse use = register_use(instruction);
    if (use.writes_dst && !in_memory(instruction.dst)) held_[instruction.dst] = {};
    if (use.writes_b && !in_memory(instruction.b)) held_[instruction.b] = {};
  }
}

void TapeCode::emit(const Instruction& i, const Stride& stride) {
  const Entry dst{i.dst, stride.dst};
  const auto a = [&] { return read({i.a, stride.a}); };
  const auto b = [&] { return read({i.b, stride.b}); };
  const auto c = [&] { return read({i.c, stride.c}); };
  const auto constant = [&](std::uint32_t which) { return ir_.number(tape_.constants[which]); };
  switch (i.op) {
    case TapeOp::kConstant:
      return write(dst, constant(i.a));
    case TapeOp::kArgument:
      return write(dst, read_argument(i, stride));
    case TapeOp::kOutput:
      if (output && round_ == nullptr) return output(i.dst, a());
      return store(a(), places_.out, dst);
    case TapeOp::kAdd:
      return write(dst, ir_.add(a(), b()));
    case TapeOp::kSubtract:
      return write(dst, ir_.subtract(a(), b()));
    case TapeOp::kMultiply:
      return write(dst, ir_.multiply(a(), b()));
    case TapeOp::kDivide:
      return write(dst, ir_.divide(a(), b()));
    case TapeOp::kNegate:
      return write(dst, ir_.negate(a()));
    case TapeOp::kSquare:
      return write(dst, ir_.multiply(a(), a()));
    case TapeOp::kSquareRoot:
      return write(dst, ir_.square_root(a()));
    case TapeOp::kAddConstant:
      return write(dst, ir_.add(a(), constant(i.b)));
    case TapeOp::kSubtractFrom:
      return write(dst, ir_.subtract(constant(i.b), a()));
    case TapeOp::kScale:
      return write(dst, ir_.multiply(constant(i.b), a()));
    case TapeOp::kDivideInto:
      return write(dst, ir_.divide(constant(i.b), a()));
    case TapeOp::kMultiplyAdd:
      return write(dst, ir_.multiply_add(a(), b(), c()));
    case TapeOp::kMultiplySubtract:
      return write(dst, ir_.multiply_add(a(), b(), ir_.negate(c())));
    case TapeOp::kSubtractProduct:
      return write(dst, ir_.multiply_add(ir_.negate(a()), b(), c()));
    case TapeOp::kScaleAdd:
      return write(dst, ir_.multiply_add(constant(i.b), a(), c()));
    case TapeOp::kScaleSubtract:
      return write(dst, ir_.multiply_add(constant(i.b), a(), ir_.negate(c())));
    case TapeOp::kSinCos: {
      const Value angle = a();
      SineCosine both;
      if (ir_.fuses())
        both = emit_sine_cosine(ir_, angle, waiting());
      else
        both = {library_call(Op::kSin, {angle}), library_call(Op::kCos, {angle})};
      write(dst, both.sine);
      return write({i.b, stride.b}, both.cosine);
    }
    case TapeOp::kCall:
      return emit_call(i, stride);
  }
}

void TapeCode::emit_call(const Instruction& i, const Stride& stride) {
  const Entry dst{i.dst, stride.dst}, a{i.a, stride.a}, b{i.b, stride.b}, c{i.c, stride.c};
  const auto write_truth = [&](Value mask) { write(dst, ir_.as_number(mask), mask); };
  const auto compare = [&](LLVMRealPredicate predicate) { write_truth(ir_.compare(predicate, read(a), read(b))); };
  // The first operand where it is less (or greater) or NaN, otherwise the second.
  const auto first_if = [&](LLVMRealPredicate predicate) {
    const Value x = read(a), y = read(b);
    write(dst, ir_.select(ir_.either(ir_.compare(predicate, x, y), ir_.is_nan(x)), x, y));
  };
  switch (i.function) {
    case Op::kSin:
    case Op::kCos:
      if (ir_.fuses()) {
        const SineCosine both = emit_sine_cosine(ir_, read(a), waiting());
        return write(dst, i.function == Op::kSin ? both.sine : both.cosine);
      }
      return write(dst, library_call(i.function, {read(a)}));
    case Op::kAbs:
      return write(dst, ir_.absolute(read(a)));
    case Op::kSign: {
      const Value x = read(a), zero = ir_.number(0);
      const Value negative = ir_.select(ir_.compare(LLVMRealOLT, x, zero), ir_.number(-1), zero);
      const Value sign = ir_.select(ir_.compare(LLVMRealOGT, x, zero), ir_.number(1), negative);
      return write(dst, ir_.select(ir_.is_nan(x), x, sign));
    }
    case Op::kMin:
      return first_if(LLVMRealOLT);
    case Op::kMax:
      return first_if(LLVMRealOGT);
    case Op::kLess:
      return compare(LLVMRealOLT);
    case Op::kLessEqual:
      return compare(LLVMRealOLE);
    case Op::kEqual:
      return compare(LLVMRealOEQ);
    case Op::kAnd:
      return write_truth(ir_.both(truth(a), truth(b)));
    case Op::kOr:
      return write_truth(ir_.either(truth(a), truth(b)));
    case Op::kNot:
      return write_truth(ir_.opposite(truth(a)));
    case Op::kSelect:
      return write(dst, ir_.select(truth(a), read(b), read(c)));
    default: {
      if (libm_name(i.function).empty()) return write(dst, ir_.number(std::numeric_limits<double>::quiet_NaN()));
      std::vector<Value> arguments{read(a)};
      if (arity(i.function) > 1) arguments.push_back(read(b));
      return write(dst, library_call(i.function, std::move(arguments)));
    }
  }
}

Value TapeCode::library_call(Op function, std::vector<Value> arguments) {
  IrModule& module = ir_.module;
  const std::vector<LLVMTypeRef> numbers(arguments.size(), ir_.number_type), reals(arguments.size(), module.real);
  const std::string vector = module.use_sleef && !apart ? sleef_name(function, ir_.lanes, module.unit) : std::string();
  if (!vector.empty()) return module.call(module.external(vector, ir_.number_type, numbers), arguments);
  const Value scalar = module.external(libm_name(function), module.real, reals);
  if (ir_.lanes == 1) return module.call(scalar, arguments);
  Value result = ir_.api.GetUndef(ir_.number_type);
  for (int lane = 0; lane < ir_.lanes; ++lane) {
    const Value which = ir_.index(static_cast<std::uint64_t>(lane));
    std::vector<Value> each;
    for (const Value argument_value : arguments)
      each.push_back(ir_.api.BuildExtractElement(module.builder, argument_value, which, ""));
    result = ir_.api.BuildInsertElement(module.builder, result, module.call(scalar, each), which, "");
  }
  return result;
}

void TapeCode::store_registers(const std::vector<bool>& live) {
  for (std::uint32_t reg = 0; reg < held_.size(); ++reg)
    if (live[reg] && held_[reg].written) ir_.store(held_[reg].number, address(places_.work, {reg, 0}, ir_.lanes));
}

namespace {

// The positions where a tape is cut into parts of about `part` instructions, never within a loop.
std::vector<std::size_t> cut(const Tape& tape, std::size_t part) {
  std::vector<std::size_t> cuts{0};
  auto loop = tape.loops.begin();
  const std::size_t size = tape.instructions.size();
  while (size - cuts.back() > part + part / 2) {
    std::size_t next = cuts.back() + part;
    while (loop != tape.loops.end() && loop->end <= next) ++loop;
    if (loop != tape.loops.end() && loop->begin < next) next = loop->end;
    if (next >= size) break;
    cuts.push_back(next);
  }
  cuts.push_back(size);
  return cuts;
}

// For each cut: the registers whose values are read after it.
std::vector<std::vector<bool>> live_at(const Tape& tape, const std::vector<std::size_t>& cuts) {
  std::vector<std::vector<bool>> live(cuts.size());
  std::vector<bool> now(tape.registers, false);
  std::size_t i = tape.instructions.size();
  for (std::size_t k = cuts.size(); k-- > 0;) {
    for (; i > cuts[k]; --i) {
      Instruction instruction = tape.instructions[i - 1];
      const RegisterUse use = register_use(instruction);
      if (use.writes_dst) now[instruction.dst] = false;
      if (use.writes_b) now[instruction.b] = false;
      for_each_read(instruction, [&](std::uint32_t reg) { now[reg] = true; });
    }
    live[k] = now;
  }
  return live;
}

}  // namespace

namespace {

// Emits the whole tape and checks its outputs: a lane fails if it is not trusted() or an output is not finite. The sum
// of the outputs is checked, which is finite where its terms are.
void emit_watched(Ir& ir, TapeCode& code, const Tape& tape, Value out) {
  std::vector<Value> value(tape.outputs, nullptr);
  code.output = [&](std::uint32_t index, Value number) {
    value[index] = number;
    ir.store(number, ir.place(out, ir.index(std::size_t{index} * static_cast<std::size_t>(ir.lanes))));
  };
  code.emit(0, tape.instructions.size());
  fail_untrusted(ir, value[tape.outputs - 2], value[tape.outputs - 1]);
  Value sum = value[0];
  for (std::size_t i = 1; i + 2 < tape.outputs; ++i) sum = ir.add(sum, value[i]);
  ir.fail(ir.is_nan(ir.subtract(sum, sum)));
}

}  // namespace

void fail_untrusted(Ir& ir, Value least, Value largest) {
  ir.fail(ir.compare(LLVMRealULE, least, ir.number(0)));  // also fails for NaN
  ir.fail(ir.compare(LLVMRealUGE, largest, ir.number(kLargestTrustedLoss)));
}

Value emit_tape_function(IrModule& module, const Tape& tape, int lanes, const std::string& name, std::size_t part,
                         bool watched, bool apart) {
  const LlvmApi& api = module.api;
  const std::array<LLVMTypeRef, 3> parameters{module.pointer, module.pointer, module.pointer};
  const auto open = [&](const std::string& function_name) {
    const Value function = module.function(function_name, module.integer, parameters);
    for (const unsigned index : {1u, 2u, 3u}) module.attribute(function, index, "noalias");
    return function;
  };
  const auto places = [&](Value function) {
    return TapeCode::Places{api.GetParam(function, 0), api.GetParam(function, 1), api.GetParam(function, 2)};
  };
  const std::vector<std::size_t> cuts = cut(tape, part);
  if (cuts.size() == 2) {
    const Value function = open(name);
    Ir ir(module, function, lanes);
    TapeCode code(ir, tape, places(function));
    code.apart = apart;
    if (watched && watches_outputs(tape, part))
      emit_watched(ir, code, tape, places(function).out);
    else
      code.emit(0, tape.instructions.size());
    api.BuildRet(module.builder, ir.failed_bits());
    return function;
  }
  const std::vector<std::vector<bool>> live = live_at(tape, cuts);
  std::vector<Value> parts;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const Value function = open({});
    Ir ir(module, function, lanes);
    TapeCode code(ir, tape, places(function));
    code.apart = apart;
    code.emit(cuts[k], cuts[k + 1]);
    code.store_registers(live[k + 1]);
    api.BuildRet(module.builder, ir.failed_bits());
    parts.push_back(function);
  }
  const Value whole = open(name);
  const TapeCode::Places all = places(whole);
  const std::array<Value, 3> arguments{all.arguments, all.work, all.out};
  Value failed = api.ConstInt(module.integer, 0, 0);
  for (const Value function : parts) failed = api.BuildOr(module.builder, failed, module.call(function, arguments), "");
  api.BuildRet(module.builder, failed);
  return whole;
}

}  // namespace dalembert
