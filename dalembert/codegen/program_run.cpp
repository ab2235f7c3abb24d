// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/program_run.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/codegen/single_precision.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

enum class Kind : std::uint8_t {
  kNumber,
  kScalar,
  kEntry,
  kNegate,
  kNot,
  kAnd,
  kOr,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kUnequal,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kAbs,
  kSquareRoot,
  kUnary,
  kBinary
};

constexpr std::pair<std::string_view, Kind> kOperators[] = {
    {"and", Kind::kAnd},         {"or", Kind::kOr},      {"<", Kind::kLess},     {"<=", Kind::kLessEqual},
    {">", Kind::kGreater},       {"==", Kind::kEqual},   {"!=", Kind::kUnequal}, {"+", Kind::kAdd},
    {">=", Kind::kGreaterEqual}, {"-", Kind::kSubtract}, {"*", Kind::kMultiply}, {"/", Kind::kDivide}};

// An operation of an expression.
struct Operation {
  Kind kind = Kind::kNumber;
  std::size_t slot = 0;  // slot of the scalar or array that the operation reads
  // Indices in Translated::operations: the operands of the operation. For an entry of an array, a computes the entry's
  // index.
  std::size_t a = 0, b = 0;
  double number = 0;
  const LibraryFunction* function = nullptr;
};

struct Translated;

struct Line {
  Step::Kind kind = Step::kAssign;
  // Indices in Translated::operations: what the statement assigns to, and the value that it computes.
  std::size_t target = 0, second = 0, value = 0;
  std::size_t variable = 0;  // of kFor: slot of the loop variable
  bool down = false;
  Translated* called = nullptr;
  // Of kCall: for each argument the index in Translated::operations that computes it or, for an array, names it.
  std::vector<std::size_t> arguments;
  std::vector<Line> body, otherwise;
};

// A routine in which the names of variables have become numbers (slots), with the values of these variables: one set is
// enough, since no routine calls itself.
struct Translated {
  const Routine* routine = nullptr;
  std::vector<Operation> operations;
  std::vector<Line> lines;
  std::vector<double> scalars, memory;
  std::vector<double*> arrays;
  // For each local array its slot, and the index in `memory` where it begins.
  std::vector<std::pair<std::size_t, std::size_t>> locals;
  double returned = 0;
};

enum class Flow { kOn, kBreak, kReturn };

const LibraryFunction* library_function(std::string_view name) {
  const auto all = functions();
  const auto found = std::ranges::find(all, name, [](const FunctionInfo& one) { return one.library.name; });
  return found == all.end() ? nullptr : &found->library;
}

}  // namespace

class ProgramRun::Machine {
 public:
  Machine(const Program& program, std::size_t prepared) : program_(program), prepared_(prepared) {
    for (const auto& [name, values] : program.tables)
      for (const double value : values) tables_[name].push_back(held(value));
  }

  Result call(const std::string& name, std::span<const double> parameters, const Arrays& given, std::uint64_t seed);

 private:
  Translated& translated(const std::string& name);

  double value(Translated& in, std::size_t operation);
  double held(double value) const { return program_.single ? to_single(value) : value; }
  double given(double value) { return program_.single ? rounded(value, true) : value; }
  double rounded(double value, bool exact);
  double function(double value, double x, double y);
  void store(Translated& in, std::size_t operation, double value);
  double enter(Translated& in);
  Flow run(Translated& in, const std::vector<Line>& lines);
  Flow run(Translated& in, const Line& line);
  void call(Translated& in, const Line& line);

  const Program& program_;
  std::map<std::string, std::vector<double>, std::less<>> tables_;
  std::map<std::string, Translated*, std::less<>> by_name_;
  std::deque<Translated> routines_;
  std::vector<double> p_, prepared_;
  const double coarser_ = program_.single ? kSingleEpsilon / kEps : 1;  // ratio of the units in the last place
  std::uint64_t random_ = 0;  // state of the random number generator; 0: results are not moved at random
  std::size_t work_ = 0;

  class Translator;
};

// ------------------------------------------------------------------------------------------------------ names to slots

class ProgramRun::Machine::Translator {
 public:
  Translator(Machine& machine, Translated& out) : machine_(machine), out_(out) {}

  void translate() {
    std::size_t memory = 0;
    for (const std::vector<Variable>* list : {&out_.routine->parameters, &out_.routine->locals})
      for (const Variable& one : *list) {
        if (!one.array) {
          scalar(one.name);
          continue;
        }
        arrays_[one.name] = out_.arrays.size();
        if (one.passing == Variable::kLocal) {
          out_.locals.emplace_back(out_.arrays.size(), memory);
          memory += one.size;
        }
        out_.arrays.push_back(nullptr);
      }
    out_.memory.resize(memory);
    out_.lines = lines(out_.routine->body);
  }

 private:
  std::size_t scalar(const std::string& name) {
    const auto [place, added] = scalars_.emplace(name, out_.scalars.size());
    if (added) out_.scalars.push_back(0);
    return place->second;
  }
  // The slot of an array of the routine, of the state or of a table.
  std::size_t array(const std::string& name) {
    const auto [place, added] = arrays_.emplace(name, out_.arrays.size());
    if (added) {
      const auto table = machine_.tables_.find(name);
      out_.arrays.push_back(table != machine_.tables_.end() ? table->second.data()
                            : name == "prepared"            ? machine_.prepared_.data()
                                                            : machine_.p_.data());
      assert(table != machine_.tables_.end() || name == "prepared" || name == "p");
    }
    return place->second;
  }
  bool is_array(const std::string& name) const {
    return arrays_.contains(name) || machine_.program_.is_table(name) || name == "p" || name == "prepared";
  }

  std::size_t add(const Operation& operation) {
    out_.operations.push_back(operation);
    return out_.operations.size() - 1;
  }
  // The operation that reads the scalar in this slot. All statements that name the scalar share it, because a long
  // routine has few scalars and many statements.
  std::size_t scalar_operation(std::size_t slot) {
    constexpr std::size_t kNone = ~std::size_t{0};
    if (slot >= of_scalar_.size()) of_scalar_.resize(slot + 1, kNone);
    if (of_scalar_[slot] == kNone) of_scalar_[slot] = add({.kind = Kind::kScalar, .slot = slot});
    return of_scalar_[slot];
  }
  std::size_t number(double value) { return add({.kind = Kind::kNumber, .number = value}); }

  std::size_t operation(const Term& term) {
    const auto argument = [&](std::size_t k) { return operation(term.arguments[k]); };
    switch (term.kind) {
      case Term::kNumber:
        return number(machine_.held(parse_double(term.text).value_or(0)));
      case Term::kName:
        return name(term.text);
      case Term::kEntry: {
        const std::size_t slot = array(term.text);
        return add({.kind = Kind::kEntry, .slot = slot, .a = argument(0)});
      }
      case Term::kNegate:
        return add({.kind = Kind::kNegate, .a = argument(0)});
      case Term::kNot:
        return add({.kind = Kind::kNot, .a = argument(0)});
      case Term::kBinary: {
        const auto sign = std::ranges::find(kOperators, term.text, [](const auto& one) { return one.first; });
        assert(sign != std::end(kOperators));
        const std::size_t a = argument(0), b = argument(1);
        return add({.kind = sign->second, .a = a, .b = b});
      }
      case Term::kCall:
        break;
    }
    const std::size_t a = argument(0), b = term.arguments.size() > 1 ? argument(1) : a;
    if (term.text == "abs") return add({.kind = Kind::kAbs, .a = a});
    if (term.text == "sqrt") return add({.kind = Kind::kSquareRoot, .a = a});
    const LibraryFunction* function = library_function(term.text);
    assert(function != nullptr);
    return add({.kind = function->unary ? Kind::kUnary : Kind::kBinary, .a = a, .b = b, .function = function});
  }

  std::size_t name(const std::string& name) {
    if (const auto known = scalars_.find(name); known != scalars_.end()) return scalar_operation(known->second);
    if (is_array(name)) return add({.kind = Kind::kEntry, .slot = array(name)});
    if (name == "nan") return number(std::numeric_limits<double>::quiet_NaN());
    if (name == "inf") return number(std::numeric_limits<double>::infinity());
    const long* constant = machine_.program_.constant(name);
    assert(constant != nullptr);
    return number(static_cast<double>(*constant));
  }

  std::vector<Line> lines(const std::vector<Step>& steps) {
    std::vector<Line> list;
    for (const Step& step : steps)
      if (step.kind != Step::kComment) list.push_back(line(step));
    return list;
  }

  Line line(const Step& step) {
    Line line;
    line.kind = step.kind;
    line.down = step.down;
    if (step.kind == Step::kFor) line.variable = scalar(step.name);
    const bool calls = step.value.kind == Term::kCall && machine_.program_.find(step.value.text) != nullptr;
    if (calls) {
      line.called = &machine_.translated(step.value.text);
      for (const Term& argument : step.value.arguments) line.arguments.push_back(operation(argument));
    } else if (step.kind != Step::kFor && step.kind != Step::kBreak) {
      line.value = operation(step.value);
    }
    if (step.kind == Step::kFor || step.kind == Step::kSineCosine) {
      line.target = operation(step.target);
      line.second = operation(step.second);
    } else if (step.kind == Step::kAssign) {
      line.target = operation(step.target);
    }
    line.body = lines(step.body);
    line.otherwise = lines(step.otherwise);
    return line;
  }

  Machine& machine_;
  Translated& out_;
  std::unordered_map<std::string, std::size_t> scalars_, arrays_;
  std::vector<std::size_t> of_scalar_;  // by slot of a scalar: index of the operation that reads it
};

Translated& ProgramRun::Machine::translated(const std::string& name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return *known->second;
  Translated& made = routines_.emplace_back();
  made.routine = program_.find(name);
  assert(made.routine != nullptr);
  by_name_[name] = &made;
  Translator(*this, made).translate();
  return made;
}

// ------------------------------------------------------------------------------------------------------------ arithmetic

double ProgramRun::Machine::rounded(double value, bool exact) {
  if (program_.single) {
    // Rounding a result of double precision once more gives that of single precision, since 53 bits are at least 2·24 + 2.
    const double single = to_single(value);
    exact = exact && single == value;
    value = single;
  }
  if (random_ == 0 || exact || !std::isfinite(value)) return value;
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  // The result changes by a random part of itself, between kMovedBy / 2 and kMovedBy, up or down.
  const double part = 0.5 + 0.5 * static_cast<double>(random_ >> 12) / 4503599627370496.0;
  return held(value + value * ((random_ & 2048) != 0 ? part : -part) * kMovedBy * coarser_);
}

// Values such as exp(0), which every library computes exactly, are not changed at random.
double ProgramRun::Machine::function(double value, double x, double y) {
  const bool is_whole = value == 0 || std::abs(value) == 1;
  return rounded(value, is_whole && (x == 0 || x == 1 || y == 0 || y == 1));
}

double ProgramRun::Machine::value(Translated& in, std::size_t operation) {
  const Operation& o = in.operations[operation];
  ++work_;
  switch (o.kind) {
    case Kind::kNumber:
      return o.number;
    case Kind::kScalar:
      return in.scalars[o.slot];
    case Kind::kEntry:
      return in.arrays[o.slot][static_cast<std::size_t>(value(in, o.a))];
    case Kind::kNegate:
      return -value(in, o.a);
    case Kind::kAbs:
      return std::abs(value(in, o.a));
    case Kind::kNot:
      return value(in, o.a) == 0 ? 1 : 0;
    case Kind::kAnd:
      return value(in, o.a) != 0 && value(in, o.b) != 0 ? 1 : 0;
    case Kind::kOr:
      return value(in, o.a) != 0 || value(in, o.b) != 0 ? 1 : 0;
    case Kind::kUnary: {
      const double x = value(in, o.a), y = o.function->unary(x);
      return o.function->name == "floor" ? y : function(y, x, x);
    }
    default:
      break;
  }
  const double x = value(in, o.a);
  if (o.kind == Kind::kSquareRoot) {
    const double root = std::sqrt(x);
    return rounded(root, std::fma(root, root, -x) == 0);
  }
  const double y = value(in, o.b);
  switch (o.kind) {
    case Kind::kLess:
      return x < y ? 1 : 0;
    case Kind::kLessEqual:
      return x <= y ? 1 : 0;
    case Kind::kGreater:
      return x > y ? 1 : 0;
    case Kind::kGreaterEqual:
      return x >= y ? 1 : 0;
    case Kind::kEqual:
      return x == y ? 1 : 0;
    case Kind::kUnequal:
      return x != y ? 1 : 0;
    case Kind::kAdd:
    case Kind::kSubtract: {
      const double b = o.kind == Kind::kAdd ? y : -y, sum = x + b, part = sum - x;
      return rounded(sum, (x - (sum - part)) + (b - part) == 0);
    }
    case Kind::kMultiply: {
      const double product = x * y;
      return rounded(product, std::fma(x, y, -product) == 0);
    }
    case Kind::kDivide: {
      const double quotient = x / y;
      return rounded(quotient, std::fma(quotient, y, -x) == 0);
    }
    default:
      return function(o.function->binary(x, y), x, y);
  }
}

// ------------------------------------------------------------------------------------------------------------ statements

void ProgramRun::Machine::store(Translated& in, std::size_t operation, double number) {
  const Operation& o = in.operations[operation];
  if (o.kind == Kind::kScalar)
    in.scalars[o.slot] = number;
  else
    in.arrays[o.slot][static_cast<std::size_t>(value(in, o.a))] = number;
}

void ProgramRun::Machine::call(Translated& in, const Line& line) {
  Translated& to = *line.called;
  std::size_t scalars = 0, arrays = 0;
  for (std::size_t k = 0; k < line.arguments.size(); ++k) {
    if (to.routine->parameters[k].array)
      to.arrays[arrays++] = in.arrays[in.operations[line.arguments[k]].slot];
    else
      to.scalars[scalars++] = value(in, line.arguments[k]);
  }
  const double returned = enter(to);
  if (line.kind == Step::kAssign) store(in, line.target, returned);
}

// Runs a routine whose arguments have been written to its scalars and arrays.
double ProgramRun::Machine::enter(Translated& in) {
  std::ranges::fill(in.memory, 0.0);
  work_ += in.memory.size() / 8;
  for (const auto& [array, first] : in.locals) in.arrays[array] = in.memory.data() + first;
  in.returned = 0;
  run(in, in.lines);
  return in.returned;
}

Flow ProgramRun::Machine::run(Translated& in, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (work_ > kMostWork) return Flow::kReturn;
    if (const Flow flow = run(in, line); flow != Flow::kOn) return flow;
  }
  return Flow::kOn;
}

Flow ProgramRun::Machine::run(Translated& in, const Line& line) {
  switch (line.kind) {
    case Step::kComment:
      return Flow::kOn;
    case Step::kAssign:
      if (line.called != nullptr)
        call(in, line);
      else
        store(in, line.target, value(in, line.value));
      return Flow::kOn;
    case Step::kCall:
      call(in, line);
      return Flow::kOn;
    case Step::kSineCosine: {
      const double angle = value(in, line.value);
      store(in, line.target, function(std::sin(angle), angle, angle));
      store(in, line.second, function(std::cos(angle), angle, angle));
      return Flow::kOn;
    }
    case Step::kReturn:
      in.returned = value(in, line.value);
      return Flow::kReturn;
    case Step::kBreak:
      return Flow::kBreak;
    case Step::kIf:
      return run(in, value(in, line.value) != 0 ? line.body : line.otherwise);
    case Step::kWhile:
      while (value(in, line.value) != 0)
        if (const Flow flow = run(in, line.body); flow != Flow::kOn) return flow == Flow::kBreak ? Flow::kOn : flow;
      return Flow::kOn;
    case Step::kFor: {
      const double first = value(in, line.target), end = value(in, line.second), by = line.down ? -1 : 1;
      for (double k = first; line.down ? k >= end : k < end; k += by) {
        in.scalars[line.variable] = k;
        if (const Flow flow = run(in, line.body); flow != Flow::kOn) return flow == Flow::kBreak ? Flow::kOn : flow;
      }
      return Flow::kOn;
    }
  }
  return Flow::kOn;
}

ProgramRun::Result ProgramRun::Machine::call(const std::string& name, std::span<const double> parameters,
                                             const Arrays& given, std::uint64_t seed) {
  // Translated routines hold the address of p_, so it is resized only if the number of parameters changes.
  if (p_.size() != parameters.size()) p_.resize(parameters.size());
  random_ = seed;
  std::ranges::transform(parameters, p_.begin(), [&](double value) { return this->given(value); });
  work_ = 0;
  if (name != "prepare") enter(translated("prepare"));
  Translated& to = translated(name);
  Arrays all;
  std::size_t scalars = 0, arrays = 0;
  for (const Variable& parameter : to.routine->parameters) {
    const auto found = std::ranges::find(given, parameter.name, [](const auto& one) { return one.first; });
    if (!parameter.array) {
      to.scalars[scalars++] = found == given.end() ? 0 : this->given(found->second.at(0));
      continue;
    }
    all.emplace_back(parameter.name, found == given.end() ? std::vector<double>(parameter.size) : found->second);
    all.back().second.resize(std::max<std::size_t>(1, parameter.size));
    for (double& value : all.back().second) value = this->given(value);
  }
  for (auto& [of, values] : all) to.arrays[arrays++] = values.data();
  Result result;
  const double returned = enter(to);
  if (to.routine->result == Routine::kStatus) result.status = static_cast<int>(returned);
  if (work_ > kMostWork) result.status = kTooLong;
  result.work = work_;
  if (to.routine->result == Routine::kReal) result.arrays.emplace_back("", std::vector<double>{returned});
  for (auto& [of, values] : all) {
    const auto parameter = std::ranges::find(to.routine->parameters, of, &Variable::name);
    values.resize(parameter->size);
    if (parameter->passing != Variable::kIn) result.arrays.emplace_back(of, std::move(values));
  }
  return result;
}

const std::vector<double>& ProgramRun::Result::array(const std::string& name) const {
  static const std::vector<double> nothing;
  const auto found = std::ranges::find(arrays, name, [](const auto& one) { return one.first; });
  return found == arrays.end() ? nothing : found->second;
}

ProgramRun::ProgramRun(const Program& program, std::size_t prepared)
    : machine_(std::make_unique<Machine>(program, prepared)) {}
ProgramRun::~ProgramRun() = default;

ProgramRun::Result ProgramRun::call(const std::string& routine, std::span<const double> parameters, const Arrays& given,
                                    std::uint64_t seed) {
  return machine_->call(routine, parameters, given, seed);
}

}  // namespace dalembert
