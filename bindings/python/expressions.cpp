// SPDX-License-Identifier: Apache-2.0
// Expressions with Python's operators. Integers and fractions are exact; a float means its shortest decimal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "bindings/python/core.h"
#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"

namespace dalembert::python {
namespace {

[[noreturn]] void refuse(const char* code, const std::string& message, const std::string& help = {}) {
  Diagnostic wrong = error(code, message, caller());
  if (!help.empty()) wrong.help.push_back(help);
  throw ModelError({std::move(wrong)});
}

std::optional<Rational> number_of(const py::handle& value) {
  if (PyBool_Check(value.ptr())) return std::nullopt;
  if (PyLong_Check(value.ptr())) return Rational::parse(py::str(value).cast<std::string>());
  if (PyFloat_Check(value.ptr())) {
    const double x = PyFloat_AS_DOUBLE(value.ptr());
    if (!std::isfinite(x)) refuse("E0108", fmt::format("`{}` is not a finite number", x));
    return Rational::from_double(x);
  }
  if (py::hasattr(value, "numerator") && py::hasattr(value, "denominator")) {
    const auto above = number_of(py::int_(value.attr("numerator"))),
               below = number_of(py::int_(value.attr("denominator")));
    return above && below ? std::optional(*above / *below) : std::nullopt;
  }
  if (PyIndex_Check(value.ptr())) {
    // Every array claims to support __index__, but for most it fails.
    if (const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()))) return number_of(index);
    PyErr_Clear();
    return std::nullopt;
  }
  if (py::hasattr(value, "__float__") && !py::hasattr(value, "__len__"))
    return number_of(py::float_(py::reinterpret_borrow<py::object>(value)));
  return std::nullopt;
}

// Operations on valid expressions give a valid result unless they come from two models.
PyExpr made(const PyExpr& a, const Expr& result) {
  if (result) return {a.graph, result};
  if (result.misuse() == Misuse::kTwoGraphs) refuse("E0112", "this expression is made of expressions of two models");
  refuse("E0111", "this expression is empty");
}

struct Pair {
  PyExpr a, b;
};

// Both operands of an operator; nothing if the second is neither a number nor an expression.
std::optional<Pair> both(const PyExpr& a, const py::handle& other) {
  if (py::isinstance<PyExpr>(other)) {
    const auto& b = other.cast<const PyExpr&>();
    // If one graph is an overlay of the other, the result belongs to the overlay.
    return b.e.graph().knows(a.e) && !a.e.graph().knows(b.e) ? Pair{{b.graph, a.e}, b} : Pair{a, b};
  }
  if (const auto number = number_of(other)) return Pair{a, {a.graph, a.graph->constant(*number)}};
  return std::nullopt;
}

[[noreturn]] void refuse_operand(const py::handle& value) {
  const std::string shown = py::repr(value).cast<std::string>();
  if (py::isinstance<py::bool_>(value))
    throw py::type_error(
        fmt::format("an expression or a number is needed, not {}: == tells whether two expressions are the same; an "
                    "equation is the "
                    "difference of its sides, which is 0: x - r*cos(theta), not x == r*cos(theta)",
                    shown));
  if (!py::isinstance<py::str>(value))
    throw py::type_error(fmt::format("an expression or a number is needed, not {}", shown));
  const Result<Quantity> quantity = parse_constant(MappedText::of(value.cast<std::string>(), "<text>"));
  if (quantity && quantity->dimension)
    throw py::type_error(fmt::format(
        "an expression or a number is needed, not the text {0}: formulas are made with operators, numbers in them "
        "are in SI, here {1}, and a quantity with its unit is a parameter: a = model.parameter(\"a\", {0})",
        shown, to_text(quantity->value)));
  throw py::type_error(fmt::format(
      "an expression or a number is needed, not the text {}: formulas are made with operators, m*x.dot**2, "
      "numbers in them are in SI, and a quantity with a unit is a parameter: k = model.parameter(\"k\", \"20 N/m\")",
      shown));
}

template <class Operation>
py::object combine(const PyExpr& a, const py::handle& other, const Operation& operation) {
  const auto pair = both(a, other);
  // Python's own words for a text beside an operator do not say what to write.
  if (!pair && py::isinstance<py::str>(other)) refuse_operand(other);
  if (!pair) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  return py::cast(made(pair->a, operation(pair->a.e, pair->b.e)));
}

// Binds an operator and its reflected form.
template <class Operation>
void bind_operator(py::class_<PyExpr>& expression, const char* name, const char* reflected,
                   const Operation& operation) {
  expression.def(name, [=](const PyExpr& a, const py::object& b) { return combine(a, b, operation); });
  expression.def(reflected, [=](const PyExpr& a, const py::object& b) {
    return combine(a, b, [&](const Expr& x, const Expr& y) { return operation(y, x); });
  });
}

double number_operand(const py::handle& value) {
  try {
    return value.cast<double>();
  } catch (const py::cast_error&) {
    refuse_operand(value);
  }
}

// A number or an expression as an expression beside another one.
PyExpr operand(const py::handle& value, const PyExpr& beside) {
  if (const auto pair = both(beside, value)) return {pair->a.graph, pair->b.e};
  refuse_operand(value);
}

// A condition may be known to be true or false already.
bool is_condition(const Expr& e) { return function_info(e.op()).truth || e.is_constant(); }

// Binds a comparison, or a connective of conditions.
void bind_condition(py::class_<PyExpr>& expression, const char* name, Op op, bool turned = false) {
  expression.def(name, [=](const PyExpr& a, const py::object& b) {
    return combine(a, b, [&](const Expr& x, const Expr& y) {
      const bool connects = op == Op::kAnd || op == Op::kOr;
      for (const Expr& one : {x, y})
        if (connects ? !is_condition(one) : function_info(one.op()).truth)
          throw py::type_error(connects ? "& and | connect conditions: (x > 0) & (y > 0)"
                                        : "a condition is compared with nothing: write (0 < x) & (x < 1)");
      return x.graph().function(op, turned ? std::array{y, x} : std::array{x, y});
    });
  });
}

// The docstring of a function of one argument: what its argument and value are, and an example.
std::string doc_of(const std::string& name) {
  const std::string_view short_name = name == "abs_" ? "abs" : std::string_view(name);
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, short_name) != names.end();
  };
  const std::string_view units = is_one_of({"sin", "cos", "tan"})      ? "x in rad, the value without a unit"
                                 : is_one_of({"asin", "acos", "atan"}) ? "x without a unit, the value in rad"
                                 : is_one_of({"abs", "floor"})         ? "the value has the unit of x"
                                 : is_one_of({"sqrt"})                 ? "the value has the root of the unit of x"
                                 : is_one_of({"sign"})                 ? "x in any unit, the value -1, 0 or 1"
                                                                       : "x and the value without a unit";
  return fmt::format("Of an expression or a number: {0}(x); {1}.", short_name, units);
}

// Binds a function that accepts an expression or a number.
void bind_function(py::module_& module, const FunctionInfo& function, const char* name) {
  module.def(
      name,
      [&function](const py::object& x) -> py::object {
        if (py::isinstance<PyExpr>(x)) {
          const auto& argument = x.cast<const PyExpr&>();
          return py::cast(made(argument, call(function, std::span(&argument.e, 1))));
        }
        const double number = number_operand(x);
        return py::float_(function.value != nullptr ? function.value(&number) : std::sqrt(number));
      },
      py::arg("x"), doc_of(name).c_str());
}

// Binds a function of several arguments, each an expression or a number; of numbers alone its value is a number.
template <class Operation>
void bind_function_of_several(py::module_& module, const char* name, std::size_t least, std::size_t most,
                              const Operation& operation, double (*value)(double, double), const char* doc) {
  module.def(
      name,
      [=](const py::args& arguments) -> py::object {
        if (arguments.size() < least || arguments.size() > most)
          throw py::type_error(fmt::format("{}() takes {}{} arguments", name, least == most ? "" : "at least ", least));
        const auto is_expression = [](const py::handle& one) { return py::isinstance<PyExpr>(one); };
        const auto known = std::find_if(arguments.begin(), arguments.end(), is_expression);
        if (known == arguments.end()) {
          double number = number_operand(arguments[0]);
          for (std::size_t i = 1; i < arguments.size(); ++i) number = value(number, number_operand(arguments[i]));
          return py::float_(number);
        }
        PyExpr all = operand(arguments[0], (*known).template cast<const PyExpr&>());
        for (std::size_t i = 1; i < arguments.size(); ++i) {
          const PyExpr next = operand(arguments[i], all);
          all = made(all, operation(all.e, next.e));
        }
        return py::cast(all);
      },
      doc);
}

PyExpr choice(const py::object& condition, const py::object& value, const py::object& otherwise) {
  if (!py::isinstance<PyExpr>(condition) || !is_condition(condition.cast<const PyExpr&>().e))
    throw py::type_error("if_() takes a condition first: if_(x > 0, value, otherwise)");
  const auto& when = condition.cast<const PyExpr&>();
  const std::array parts{when.e, operand(value, when).e, operand(otherwise, when).e};
  return made(when, when.e.graph().function(Op::kSelect, parts));
}

// NumPy's functions of an expression: operators with NumPy's numbers are those of the expression, others are refused.
py::object numpy_function(const py::object&, const py::object& function, const std::string& method,
                          const py::args& inputs, const py::kwargs& settings) {
  static const std::map<std::string, const char*> operators = {{"add", "add"},
                                                               {"subtract", "sub"},
                                                               {"multiply", "mul"},
                                                               {"divide", "truediv"},
                                                               {"true_divide", "truediv"},
                                                               {"power", "pow"},
                                                               {"negative", "neg"},
                                                               {"less", "lt"},
                                                               {"less_equal", "le"},
                                                               {"greater", "gt"},
                                                               {"greater_equal", "ge"},
                                                               {"equal", "eq"},
                                                               {"not_equal", "ne"},
                                                               {"float_power", "pow"}};
  const auto name = function.attr("__name__").cast<std::string>();
  const auto found = operators.find(name);
  if (found == operators.end() || method != "__call__" || !settings.empty()) {
    std::string ours = name.starts_with("arc") ? "a" + name.substr(3) : name == "absolute" ? "abs" : name;
    const bool known = py::hasattr(py::module_::import("dalembert"), ours.c_str());
    throw py::type_error(known ? fmt::format("np.{0} is a function of numbers: write dalembert.{1}(…)", name, ours)
                               : fmt::format("np.{} is a function of numbers, not of expressions", name));
  }
  py::list operands;
  for (const py::handle input : inputs) {
    if (py::isinstance<PyExpr>(input)) {
      operands.append(input);
    } else if (py::hasattr(input, "item") && input.attr("ndim").cast<int>() == 0) {
      operands.append(input.attr("item")());
    } else if (number_of(input)) {
      operands.append(input);
    } else {
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
  }
  return py::module_::import("operator").attr(found->second)(*operands);
}

// The topmost node, for walking over expressions: its kind, its number, and its operands with their numbers.
py::tuple parts_of(const PyExpr& x) {
  Graph& graph = x.e.graph();
  const NodeId id = x.e.id();
  const auto part = [&](const Graph::Item& item) { return py::cast(PyExpr{x.graph, Expr(&graph, item.node)}); };
  py::list parts;
  switch (x.e.op()) {
    case Op::kConstant:
      return py::make_tuple("number", x.e.constant().to_string(), parts);
    case Op::kPi:
      return py::make_tuple("pi", "", parts);
    case Op::kSymbol: {
      const Symbol& symbol = graph.symbol_info(x.e.symbol());
      const int rate = symbol.kind == SymbolKind::kCoordinate     ? 0
                       : symbol.kind == SymbolKind::kVelocity     ? 1
                       : symbol.kind == SymbolKind::kAcceleration ? 2
                                                                  : -1;
      return py::make_tuple(symbol.kind == SymbolKind::kTime ? "time" : "symbol", symbol.name, rate);
    }
    case Op::kSum:
    case Op::kProduct:
      for (const Graph::Item& item : graph.items(id))
        parts.append(py::make_tuple(part(item), graph.number(item).to_string()));
      return py::make_tuple(x.e.op() == Op::kSum ? "sum" : "product", graph.number(id).to_string(), parts);
    default:
      for (const Graph::Item& item : graph.items(id)) parts.append(part(item));
      return py::make_tuple("function", std::string(function_info(x.e.op()).name), parts);
  }
}

}  // namespace

Component component_of(const py::handle& value) {
  if (py::isinstance<PyExpr>(value)) return value.cast<const PyExpr&>().e;
  if (const auto number = number_of(value)) return *number;
  refuse_operand(value);
}

Components components_of(const py::handle& values) {
  if (py::isinstance<Point>(values)) return values.cast<const Point&>();
  std::vector<Component> components;
  for (const py::handle value : py::reinterpret_borrow<py::iterable>(values)) {
    components.push_back(component_of(value));
  }
  switch (components.size()) {
    case 0:
      return {};
    case 1:
      return {components[0]};
    case 2:
      return {components[0], components[1]};
    case 3:
      return {components[0], components[1], components[2]};
    case 9:
      return {components[0], components[1], components[2], components[3], components[4],
              components[5], components[6], components[7], components[8]};
    default:
      throw py::value_error("a vector has two or three components");
  }
}

Expr expression_in(Model& model, const py::handle& value) {
  const Component component = component_of(value);
  return component.in(*model.graph);
}

std::vector<Expr> expressions_in(Model& model, const py::handle& values) {
  std::vector<Expr> all;
  if (py::isinstance<PyExpr>(values)) return {values.cast<const PyExpr&>().e};
  for (const py::handle value : py::reinterpret_borrow<py::iterable>(values))
    all.push_back(expression_in(model, value));
  return all;
}

void bind_expressions(py::module_& module) {
  py::class_<PyExpr> expression(
      module, "Expr", "An expression of a model's symbols. Immutable; it keeps its model's symbols: m/2*x.dot**2.");
  bind_operator(expression, "__add__", "__radd__", [](const Expr& x, const Expr& y) { return x + y; });
  bind_operator(expression, "__sub__", "__rsub__", [](const Expr& x, const Expr& y) { return x - y; });
  bind_operator(expression, "__mul__", "__rmul__", [](const Expr& x, const Expr& y) { return x * y; });
  bind_operator(expression, "__truediv__", "__rtruediv__", [](const Expr& x, const Expr& y) { return x / y; });
  expression
      .def("__rpow__",
           [](const PyExpr& a, const py::object& b) {
             return combine(a, b, [](const Expr& x, const Expr& y) { return pow(y, x); });
           })
      .def("__pow__",
           [](const PyExpr& a, const py::object& b) -> py::object {
             if (const auto exponent = py::isinstance<PyExpr>(b) ? std::nullopt : number_of(b))
               return py::cast(made(a, pow(a.e, *exponent)));
             return combine(a, b, [](const Expr& x, const Expr& y) { return pow(x, y); });
           })
      .def("__neg__", [](const PyExpr& a) { return made(a, -a.e); })
      .def("__pos__", [](const PyExpr& a) { return a; })
      .def("__eq__",
           [](const PyExpr& a, const py::object& b) -> py::object {
             const auto pair = both(a, b);
             if (!pair) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
             return py::bool_(pair->a.e.same(pair->b.e));
           })
      .def("__hash__",
           [](const PyExpr& a) {
             return py::hash(py::make_tuple(reinterpret_cast<std::uintptr_t>(a.graph.get()), a.e.id()));
           })
      .def("__bool__",
           [](const PyExpr& a) -> bool {
             throw py::type_error(
                 is_condition(a.e)
                     ? "a condition is true or false only during a run: write if_(x > 0, value, otherwise), and & | ~ "
                       "for and, or, not"
                     : "an expression is neither true nor false");
           })
      .def("__invert__",
           [](const PyExpr& a) {
             if (!is_condition(a.e)) throw py::type_error("~ is the opposite of a condition: ~(x > 0)");
             return made(a, a.e.graph().function(Op::kNot, std::array{a.e}));
           })
      .def("__xor__",
           [](const PyExpr&, const py::object&) -> PyExpr {
             throw py::type_error("`^` is no power in Python, `**` is: x.dot**2");
           })
      .def("__abs__", [](const PyExpr& a) { return made(a, abs(a.e)); })
      .def("__float__",
           [](const PyExpr& a) {
             if (!a.e.is_constant())
               throw py::type_error(fmt::format(
                   "`{}` has no value of its own; functions of expressions are dalembert.sin(…), not math.sin(…)",
                   to_text(a.e)));
             return a.e.constant().to_double();
           })
      .def("__getattr__",
           [](const PyExpr& a, const std::string& name) -> py::object {
             throw py::attribute_error(
                 name == "dot" || name == "ddot"
                     ? fmt::format("`{0}` is no coordinate, so it has no `{1}`: its rate is model.dot(…)", to_text(a.e),
                                   name)
                     : fmt::format("an expression has no `{}`", name));
           })
      .def("__str__", [](const PyExpr& a) { return to_text(a.e); })
      .def("__repr__", [](const PyExpr& a) { return fmt::format("<Expr {}>", to_text(a.e)); })
      .def("_repr_latex_", [](const PyExpr& a) { return fmt::format("${}$", to_latex(a.e)); })
      .def_property_readonly(
          "latex", [](const PyExpr& a) { return to_latex(a.e); }, "For a paper: theta.dot.latex.")
      .def("parts", &parts_of, "(kind, number or name, parts) of the topmost node: x.parts().");
  bind_condition(expression, "__lt__", Op::kLess);
  bind_condition(expression, "__le__", Op::kLessEqual);
  bind_condition(expression, "__gt__", Op::kLess, true);
  bind_condition(expression, "__ge__", Op::kLessEqual, true);
  bind_condition(expression, "__and__", Op::kAnd);
  bind_condition(expression, "__or__", Op::kOr);
  bind_operator(expression, "__mod__", "__rmod__", [](const Expr& x, const Expr& y) { return mod(x, y); });
  expression.def("__array_ufunc__", &numpy_function);

  py::class_<PyCoordinate, PyExpr>(
      module, "Coordinate",
      "A coordinate in its unit: x, = model.coordinates(\"x\", units=\"m\"); `dot` is its rate, `ddot` its "
      "acceleration.")
      .def_property_readonly(
          "dot",
          [](const PyCoordinate& c) {
            return PyExpr{c.graph, c.coordinate.qd};
          },
          "Its rate, in its unit per s: m/2*x.dot**2.")
      .def_property_readonly(
          "ddot",
          [](const PyCoordinate& c) {
            return PyExpr{c.graph, c.coordinate.qdd};
          },
          "Its acceleration, in its unit per s^2, for outputs: model.output(\"load\", m*x.ddot).")
      .def_property_readonly(
          "name", [](const PyCoordinate& c) { return c.coordinate.name; }, "As it was stated: run[x.name].");

  py::list names;
  for (const FunctionInfo& function : functions()) {
    // Of the functions that are composed of others, only sqrt is offered.
    if (!function.called || function.arguments != 1 || (function.value == nullptr && function.name != "sqrt")) continue;
    const std::string name = function.name == "abs" ? "abs_" : std::string(function.name);
    bind_function(module, function, name.c_str());
    names.append(name);
  }
  module.attr("__all__") = names;
  const auto of_several = [&](const char* name, std::size_t most, auto operation, double (*value)(double, double),
                              const char* doc) {
    bind_function_of_several(module, name, 2, most, operation, value, doc);
  };
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  of_several(
      "atan2", 2, &dalembert::atan2, [](double y, double x) { return std::atan2(y, x); },
      "The angle of (x, y), rad; both in one unit: atan2(y, x).");
  of_several(
      "hypot", 2, &dalembert::hypot, [](double x, double y) { return std::hypot(x, y); },
      "sqrt(x**2 + y**2), in the unit of both: hypot(x, y).");
  of_several(
      "mod", 2, &dalembert::mod, [](double x, double y) { return x - y * std::floor(x / y); },
      "x - y*floor(x/y), with the sign of y and the unit of both: mod(theta, 2*pi).");
  of_several(
      "minimum", kAny, &dalembert::min, [](double x, double y) { return std::fmin(x, y); },
      "The least of two or more, which have one unit: minimum(x, 0).");
  of_several(
      "maximum", kAny, &dalembert::max, [](double x, double y) { return std::fmax(x, y); },
      "The largest of two or more, which have one unit: maximum(x, 0).");
  module.def("if_", &choice, py::arg("condition"), py::arg("value"), py::arg("otherwise"),
             "value where the condition holds, else otherwise, both in one unit: if_(x > 0, k*x, 0).");
}

}  // namespace dalembert::python
