// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_request.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "dalembert/machine/code_cache.h"

namespace dalembert {
namespace {

constexpr int kEnumerators = 256;  // of a one-byte enumeration, used or not

// f(q₀), as a call.
Tape call_of(Op function) {
  Tape tape;
  tape.instructions = {
      {.op = TapeOp::kArgument, .dst = 0, .a = static_cast<std::uint32_t>(TapeArray::kCoordinate), .b = 0},
      {.op = TapeOp::kCall, .function = function, .dst = 0, .a = 0},
      {.op = TapeOp::kOutput, .dst = 0, .a = 0}};
  tape.registers = 1;
  tape.outputs = 1;
  return tape;
}

std::string request_of(const CodeFunction& function, const CodeOptions& options = {},
                       std::string_view headers = "19.1") {
  const std::vector<std::byte> bytes = describe_request({&function, 1}, options, headers);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string request_of(const Tape& tape) { return request_of({.tape = &tape}); }

CodeKey key_of(const std::string& request) { return hash_of(std::as_bytes(std::span(request))); }

// By definition: a name stands for one operation. A missing name is a compiler warning, or a row that the table of functions lacks.
template <class Enumeration>
void expect_distinct_names(int at_least) {
  std::set<std::string_view> names;
  int named = 0;
  for (int i = 0; i < kEnumerators; ++i) {
    const std::string_view name = name_of(static_cast<Enumeration>(i));
    if (name.empty()) continue;
    ++named;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GE(named, at_least);
}
TEST(CodeRequest, OperationsHaveDistinctNames) {
  expect_distinct_names<TapeOp>(static_cast<int>(TapeOp::kCall) + 1);
  expect_distinct_names<Op>(static_cast<int>(Op::kSelect) + 1);
  expect_distinct_names<CodeKind>(static_cast<int>(CodeKind::kRungeKutta4) + 1);
}

// What a tape computes is in the request by name, so a renumbered enumeration makes the same request, and another
// function another one.
TEST(CodeRequest, NamesOperations) {
  const std::string exp = request_of(call_of(Op::kExp)), log = request_of(call_of(Op::kLog));
  EXPECT_THAT(exp, ::testing::HasSubstr("exp"));
  EXPECT_THAT(exp, ::testing::Not(::testing::HasSubstr("log")));
  EXPECT_NE(key_of(exp), key_of(log));
  // Nothing else tells the two apart: their bytes are the same once the names are.
  std::string renamed = log;
  renamed.replace(renamed.find("log"), 3, "exp");
  EXPECT_EQ(renamed, exp);
}

// The order of names follows the tape, not the enumeration: exp(log) and log(exp) use the same operations.
TEST(CodeRequest, TellsOrdersApart) {
  Tape one = call_of(Op::kExp), other = call_of(Op::kLog);
  one.instructions.insert(one.instructions.begin() + 2, other.instructions[1]);
  other.instructions.insert(other.instructions.begin() + 2, one.instructions[1]);
  EXPECT_NE(request_of(one), request_of(other));
}

// Whatever changes the code changes the request: each field of a tape, of a function and of the options, LLVM.
TEST(CodeRequest, HoldsEverythingThatChangesCode) {
  Tape tape = call_of(Op::kExp);
  tape.instructions.insert(tape.instructions.end() - 1, {.op = TapeOp::kAddConstant, .dst = 0, .a = 0, .b = 0});
  tape.constants = {0.0};
  tape.loops = {{1, 2, 3}};
  tape.strides.resize(tape.instructions.size());
  std::set<std::string> requests{request_of(tape)};
  const auto expect_new = [&](const std::string& request, const char* what) {
    EXPECT_TRUE(requests.insert(request).second) << what;
  };
  const auto changed = [&](auto&& change, const char* what) {
    Tape copy = tape;
    change(copy);
    expect_new(request_of(copy), what);
  };
  changed([](Tape& t) { t.instructions[2].dst = 1; }, "dst");
  changed([](Tape& t) { t.instructions[2].a = 1; }, "a");
  changed([](Tape& t) { t.instructions[2].b = 1; }, "b");
  changed([](Tape& t) { t.instructions[2].c = 1; }, "c");
  changed([](Tape& t) { t.instructions[2].op = TapeOp::kScale; }, "operation");
  changed([](Tape& t) { t.constants[0] = -0.0; }, "sign of zero");
  changed([](Tape& t) { t.constants.push_back(0); }, "number of constants");
  changed([](Tape& t) { ++t.registers; }, "registers");
  changed([](Tape& t) { ++t.outputs; }, "outputs");
  changed([](Tape& t) { ++t.temporaries; }, "temporaries");
  changed([](Tape& t) { ++t.loops[0].rounds; }, "rounds");
  changed([](Tape& t) { t.strides[1].dst = -1; }, "stride");

  expect_new(request_of({.kind = CodeKind::kSolve, .tape = &tape}), "kind");
  expect_new(request_of({.tape = &tape, .lanes = 4}), "lanes");
  expect_new(request_of({.tape = &tape, .inputs = &tape}), "inputs");
  expect_new(request_of({.tape = &tape, .coordinates = 2}), "coordinates");
  expect_new(request_of({.tape = &tape}, {}, "19.2"), "LLVM");
  const auto with = [&](auto&& change, const char* what) {
    CodeOptions options;
    change(options);
    expect_new(request_of({.tape = &tape}, options), what);
  };
  with([](CodeOptions& o) { o.effort = CodeEffort::kQuick; }, "effort");
  with([](CodeOptions& o) { o.part = 100; }, "part");
  if (host_vector_unit() > VectorUnit::kSse2) with([](CodeOptions& o) { o.widest = VectorUnit::kSse2; }, "vector unit");

  // Neither where code is kept nor which file LLVM is in: the same code comes of it.
  CodeOptions elsewhere;
  elsewhere.cache_folder = "/nowhere";
  elsewhere.llvm_library = "/nowhere/libLLVM.so";
  EXPECT_EQ(request_of({.tape = &tape}, elsewhere), request_of(tape));
}

// 64 hexadecimal digits of SHA-256; tests/tools/hash_sources_test.py has how they come about.
TEST(CodeRequest, HoldsTheHashOfTheSources) {
  EXPECT_THAT(std::string(back_end_sources()), ::testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_THAT(request_of(call_of(Op::kExp)), ::testing::HasSubstr(std::string(back_end_sources())));
}

// Truth: the vectors of the empty input (xxHash's specification) and of "ClickHouse" (that data base's tests of
// xxh3_128).
TEST(CodeRequest, KeysAreXxh3Of128Bits) {
  EXPECT_EQ(key_of(""), (CodeKey{0x99aa06d3014798d8u, 0x6001c324468d497fu}));
  EXPECT_EQ(key_of("ClickHouse"), (CodeKey{0x14c27b7bef95d36fu, 0xecf5520ca2daf030u}));
}

}  // namespace
}  // namespace dalembert
