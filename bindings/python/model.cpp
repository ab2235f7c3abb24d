// SPDX-License-Identifier: Apache-2.0
// Models, loaded or stated in Python. The position of a statement is its line in the script.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bindings/python/core.h"
#include "dalembert/base/constant.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/scope.h"
#include "dalembert/model/same_statements.h"
#include "dalembert/study/quantities.h"

namespace dalembert::python {
namespace {

using Name = const std::string&;
using Object = const py::object&;

// The frame of an argument; None is the ground.
Frame frame_of(const py::object& frame) { return frame.is_none() ? Frame{} : frame.cast<Frame>(); }

LoadOptions options_of(const std::vector<std::string>& set) {
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(or_throw(parse_override(assignment)));
  return options;
}

std::shared_ptr<PyModel> load(const std::string& path, const std::vector<std::string>& set, bool allow_files) {
  LoadOptions options = options_of(set);
  options.allow_files = allow_files;
  return std::make_shared<PyModel>(load_model_file(path, options));
}

// `name`: how messages call the text. `directory`: where its tables are.
std::shared_ptr<PyModel> parse(const std::string& text, const std::vector<std::string>& set, const std::string& name,
                               const std::string& directory, bool allow_files) {
  LoadOptions options = options_of(set);
  options.allow_files = allow_files;
  options.directory = directory;
  return std::make_shared<PyModel>(load_model(make_source(name, text), options));
}

// Parses what str() prints for an expression of this model.
PyExpr read(PyModel& m, const std::string& text) {
  SymbolScope scope(*m.model->graph);
  return m.expression(or_throw(dalembert::parse(MappedText::of(text, "<expression>"), scope)));
}

// While it exists, the sums of a model's energies have no formulas, so that a statement adds to the other terms.
class WithoutFormulas {
 public:
  explicit WithoutFormulas(PyModel& m) : m_(m) {
    for (PyModel::Energy* energy : all())
      if (energy->formula) (*m_.model).*energy->sum = energy->others;
  }
  ~WithoutFormulas() {
    for (PyModel::Energy* energy : all()) {
      if (!energy->formula) continue;
      Expr& sum = (*m_.model).*energy->sum;
      energy->others = sum;
      sum = sum + energy->formula;
    }
  }
  WithoutFormulas(const WithoutFormulas&) = delete;
  WithoutFormulas& operator=(const WithoutFormulas&) = delete;

 private:
  std::array<PyModel::Energy*, 3> all() { return {&m_.kinetic, &m_.potential, &m_.dissipation}; }
  PyModel& m_;
};

// The value of a text such as "20 mm", in SI, for the parameter, initial value or input of that name, or for a time ("t").
double in_si(PyModel& m, Name name, const std::string& text) {
  StudyQuantity quantity;
  quantity.name = name;
  const auto input = std::ranges::find(m.model->inputs, name, &Input::name);
  if (name == "t")
    quantity.dimension = Dimension::time();
  else if (input != m.model->inputs.end())
    quantity.dimension = input->dimension;
  else if (const auto known = quantity_of(*m.model, name))
    quantity = *known;
  if (quantity.dimension && quantity.unit.empty())
    quantity.unit = unit_name(*quantity.dimension, input != m.model->inputs.end() ? Measure::kForce : Measure::kAngle);
  const Result<double> value = read_value(MappedText::of(text, "<text>"), quantity);
  if (value) return *value;
  Diagnostics wrong = value.diagnostics();
  for (Diagnostic& one : wrong) one.primary = {caller(), "`" + text + "`"};
  throw ModelError(std::move(wrong));
}

// The constant value of an input from a text such as "2 N*m".
Quantity constant_of(const std::string& text) {
  const Result<Quantity> value = parse_constant(MappedText::of(text, "<text>"));
  if (value) return *value;
  Diagnostics wrong = value.diagnostics();
  for (Diagnostic& one : wrong) {
    one.primary = {caller(), "`" + text + "`"};
    one.help = {
        "a text is a number with its unit, \"2 N*m\"; a function of time is made with operators: "
        "2*dalembert.sin(model.t)"};
  }
  throw ModelError(std::move(wrong));
}

// Replaces the formula of an energy; on failure the old one stays.
void set_formula(PyModel& m, PyModel::Energy& energy, void (Model::*add)(const Expr&), const py::object& value) {
  Model& model = m.stating();
  Expr& sum = model.*energy.sum;
  const Expr before = sum, others = energy.formula ? energy.others : sum;
  sum = others;
  try {
    const Expr formula = expression_in(model, value);
    (model.*add)(formula);
    m.check();
    energy.formula = formula;
    energy.others = others;
  } catch (...) {
    sum = before;
    throw;
  }
}

// A property for the formula of an energy.
template <class Class>
void bind_energy(Class& type, const char* name, PyModel::Energy PyModel::*energy, void (Model::*add)(const Expr&)) {
  type.def_property(
      name,
      [energy](const PyModel& m) {
        const Expr& formula = (m.*energy).formula;
        return m.expression(formula ? formula : m.model->constant(0));
      },
      [energy, add](PyModel& m, const py::object& value) { set_formula(m, m.*energy, add, value); });
}

// Runs a statement between the checks that each statement needs.
template <class Statement>
auto state(PyModel& m, const Statement& statement) {
  Model& model = m.stating();
  const WithoutFormulas others(m);
  if constexpr (std::is_void_v<decltype(statement(model))>) {
    statement(model);
    m.check();
  } else {
    auto made = statement(model);
    m.check();
    return made;
  }
}

// A statement about two points and a number: a distance, or a limit of it.
auto between_points(void (Model::*stated)(Name, const Components&, const Components&, const Component&, Name)) {
  return [stated](PyModel& m, Name name, Object a, Object b, Object value) {
    state(m, [&](Model& model) { (model.*stated)(name, components_of(a), components_of(b), component_of(value), {}); });
  };
}

Rotation rotation_of(Model& model, const py::object& rotate) {
  if (rotate.is_none()) return {};
  if (py::isinstance<PyExpr>(rotate)) return Rotation(rotate.cast<const PyExpr&>().e);
  std::vector<Turn> turns;
  for (const py::handle turn : py::reinterpret_borrow<py::iterable>(rotate)) {
    const auto pair = turn.cast<py::tuple>();
    if (pair.size() != 2) throw py::value_error("a turn is (axis, angle): ('z', theta)");
    Turn one;
    one.angle = expression_in(model, pair[1]);
    if (py::isinstance<py::str>(pair[0])) {
      const auto axis = pair[0].cast<std::string>();
      if (axis != "x" && axis != "y" && axis != "z")
        throw py::value_error("an axis is 'x', 'y', 'z' or three components");
      one.axis = axis[0];
    } else {
      one.about = expressions_in(model, pair[0]);
    }
    turns.push_back(std::move(one));
  }
  return Rotation(std::move(turns));
}

// An inertia: a moment, three principal moments, or the rows of a tensor.
Inertia inertia_of(Model& model, const py::object& inertia) {
  if (inertia.is_none()) return {};
  if (!py::hasattr(inertia, "__len__")) return component_of(inertia);
  Vector entries;
  for (const py::handle entry : inertia) {
    if (py::hasattr(entry, "__len__"))
      for (Expr& e : expressions_in(model, entry)) entries.push_back(std::move(e));
    else
      entries.push_back(expression_in(model, entry));
  }
  return entries;
}

std::string text_of(const PyModel& m) { return m.model->source ? m.model->source->text() : std::string(); }

// The text of a script, shared by all its statements: linecache returns the same list while the file is unchanged.
SourcePtr script(const std::string& file) {
  struct Known {
    py::object lines;
    SourcePtr source;
  };
  static auto* const known = new std::map<std::string, Known>;  // never destroyed: Python may have ended before
  py::object lines = py::module_::import("linecache").attr("getlines")(file);
  Known& script = (*known)[file];
  if (script.lines.is(lines)) return script.source;
  std::string text;
  for (const py::handle line : lines) text += line.cast<std::string>();
  script = {std::move(lines), text.empty() ? nullptr : make_source(file, std::move(text))};
  return script.source;
}

}  // namespace

Span caller() {
  PyFrameObject* frame = PyEval_GetFrame();  // a borrowed reference
  py::object at = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(frame));
  const auto package = py::module_::import("dalembert").attr("__path__").cast<py::list>()[0].cast<std::string>();
  while (at && !at.is_none()) {
    const auto file = at.attr("f_code").attr("co_filename").cast<std::string>();
    if (!file.starts_with(package)) {
      const auto line = at.attr("f_lineno").cast<int>();
      const SourcePtr source = script(file);
      if (source == nullptr) return {};
      std::uint32_t begin = source->offset(line, 1);
      const std::string_view written = source->line(line);
      const std::size_t first = written.find_first_not_of(" \t");
      if (first == std::string_view::npos) return {};
      const std::size_t last = written.find_last_not_of(" \t\r");
      return {source, begin + static_cast<std::uint32_t>(first), begin + static_cast<std::uint32_t>(last) + 1};
    }
    at = at.attr("f_back");
  }
  return {};
}

const Equations& PyModel::equations() {
  if (!equations_ && before_deriving) before_deriving();
  if (!equations_) {
    Result<Equations> derived = derive(std::shared_ptr<const Model>(model));
    derived_with_ = is_stated() ? in_words_of_python(derived.diagnostics()) : derived.diagnostics();
    if (!derived) throw ModelError(derived_with_);
    equations_ = std::move(derived).value();
  }
  return *equations_;
}

const BuiltModel& PyModel::built() {
  if (!built_) {
    const Equations& derived = equations();
    Diagnostics doubts = model->diagnostics();
    append_new(doubts, loaded_with);
    append_new(doubts, derived_with_);
    built_ = or_throw(build_model(derived, std::move(doubts)));
  }
  return *built_;
}

BuiltModel PyModel::built_with(const py::dict& parameters) {
  const BuiltModel& made = built();
  return parameters.empty() ? made : with_parameters(made, parameters_of(made.dynamics, parameters));
}

Model& PyModel::stating() {
  if (equations_)
    throw ModelError({[] {
      Diagnostic late = error("E0113", "the model's equations are derived already, and it stays as it is", caller());
      late.help.push_back("state everything before you look at equations, compile or simulate");
      return late;
    }()});
  said_ = model->diagnostics().size();
  model->here = caller();
  return *model;
}

void PyModel::check() {
  const Diagnostics& all = model->diagnostics();
  Diagnostics now(all.begin() + static_cast<std::ptrdiff_t>(said_), all.end());
  said_ = all.size();
  if (has_errors(now)) throw ModelError(in_words_of_python(std::move(now)));
}

void bind_model(py::module_& module) {
  py::class_<Point>(module, "Point", "A named point of a model.").def_readonly("name", &Point::name);
  py::class_<Frame>(module, "Frame", "Axes that move.").def_readonly("name", &Frame::name);
  py::class_<Body>(module, "Body", "A rigid body or a point mass.").def_readonly("name", &Body::name);

  py::class_<PyModel, std::shared_ptr<PyModel>> type(module, "Model");
  bind_energy(type, "kinetic", &PyModel::kinetic, &Model::kinetic);
  bind_energy(type, "potential", &PyModel::potential, &Model::potential);
  bind_energy(type, "dissipation", &PyModel::dissipation, &Model::dissipation);
  type.def(py::init<std::string>(), py::arg("name") = "model")
      .def_static("load", &load, py::arg("path"), py::arg("set"), py::arg("allow_files"))
      .def_static("parse", &parse, py::arg("text"), py::arg("set"), py::arg("name"), py::arg("directory"),
                  py::arg("allow_files"))
      .def("read", &read, py::arg("text"))
      .def_property_readonly("name", [](const PyModel& m) { return m.model->name; })
      .def_property_readonly("description", [](const PyModel& m) { return m.model->description; })
      .def_property_readonly("text", &text_of)
      .def_property_readonly("diagnostics", [](const PyModel& m) { return m.model->diagnostics(); })
      .def_readonly("loaded_with", &PyModel::loaded_with)
      .def("in_si", &in_si, py::arg("name"), py::arg("text"))
      .def_property_readonly(
          "here", [](const PyModel& m) { return m.model->here; }, "the place of the last statement")
      .def_property_readonly("space", [](const PyModel& m) { return m.model->space(); })
      .def_readwrite("before_deriving", &PyModel::before_deriving)
      .def_property_readonly("t", [](const PyModel& m) { return m.expression(m.model->t); })
      .def_property_readonly("coordinate_names",
                             [](const PyModel& m) {
                               std::vector<std::string> names;
                               for (const Coordinate& c : m.model->coordinates) names.push_back(c.name);
                               return names;
                             })
      .def_property_readonly("parameter_values",
                             [](const PyModel& m) {
                               py::dict values;
                               for (const Parameter& p : m.model->parameters) values[py::str(p.name)] = p.value;
                               return values;
                             })
      .def_property_readonly("row_names",
                             [](const PyModel& m) {
                               std::vector<std::string> names;
                               for (const ConstraintRow* row : m.model->rows()) names.push_back(row->name);
                               return names;
                             })
      .def_property_readonly(
          "symbol_names",
          [](const PyModel& m) {
            std::vector<std::string> names;
            for (const Coordinate& c : m.model->coordinates) names.push_back(c.name);
            for (const Parameter& p : m.model->parameters) names.push_back(p.name);
            for (const Input& input : m.model->inputs) names.push_back(input.name);
            return names;
          },
          "What symbol() takes.")
      .def(
          "symbol",
          [](PyModel& m, Name name) -> py::object {
            for (const Coordinate& c : m.model->coordinates)
              if (c.name == name) return py::cast(PyCoordinate{m.expression(c.q), c});
            for (const Parameter& p : m.model->parameters)
              if (p.name == name) return py::cast(m.expression(p.symbol));
            for (const Input& input : m.model->inputs)
              if (input.name == name) return py::cast(m.expression(input.symbol));
            return py::none();
          },
          py::arg("name"))

      .def(
          "coordinate",
          [](PyModel& m, Name name, Name unit, Name latex) {
            const Coordinate made = state(m, [&](Model& model) { return model.coordinate(name, unit, latex); });
            return PyCoordinate{m.expression(made.q), made};
          },
          py::arg("name"), py::arg("unit"), py::arg("latex"))
      .def(
          "parameter",
          [](PyModel& m, Name name, double value, Name unit, Name latex) {
            return m.expression(state(m, [&](Model& model) { return model.parameter(name, value, unit, latex); }));
          },
          py::arg("name"), py::arg("value"), py::arg("unit"), py::arg("latex"))
      .def(
          "input",
          [](PyModel& m, Name name, Object value) {
            std::optional<Quantity> quantity;
            if (py::isinstance<py::str>(value)) quantity = constant_of(value.cast<std::string>());
            const Expr made = state(m, [&](Model& model) { return model.input(name); });
            if (quantity)
              state(m, [&](Model& model) {
                model.set_input(name, model.graph->constant(Rational::from_double(quantity->value)));
                model.inputs.back().dimension = quantity->dimension;
              });
            else if (!value.is_none())
              state(m, [&](Model& model) { model.set_input(name, expression_in(model, value)); });
            return m.expression(made);
          },
          py::arg("name"), py::arg("value"))
      .def(
          "spline_input",
          [](PyModel& m, Name name, std::vector<double> time, std::vector<double> value) {
            const Expr made = state(m, [&](Model& model) { return model.spline_input(name); });
            state(m, [&](Model& model) { model.set_samples(name, time, value); });
            return m.expression(made);
          },
          py::arg("name"), py::arg("time"), py::arg("value"))
      .def(
          "prescribe",
          [](PyModel& m, const PyCoordinate& coordinate, Object value) {
            state(m, [&](Model& model) { model.prescribe(coordinate.coordinate, expression_in(model, value)); });
          },
          py::arg("coordinate"), py::arg("value"))
      .def(
          "energy",
          [](PyModel& m, Name which) {
            const Expr energy = state(m, [&](Model& model) { return model.energy(which); });
            if (!energy) throw py::value_error("an energy is \"kinetic\", \"potential\" or \"total\"");
            return m.expression(energy);
          },
          py::arg("which"))
      .def(
          "integral",
          [](PyModel& m, Object integrand) {
            return m.expression(
                state(m, [&](Model& model) { return model.integral(expression_in(model, integrand)); }));
          },
          py::arg("integrand"))
      .def("actuation", [](PyModel& m, Name coordinate) { return m.expression(m.model->actuation(coordinate)); })

      .def_property(
          "lagrangian",
          [](const PyModel& m) -> py::object { return m.model->L ? py::cast(m.expression(m.model->L)) : py::none(); },
          [](PyModel& m, Object L) { state(m, [&](Model& model) { model.lagrangian(expression_in(model, L)); }); })
      .def(
          "gravity", [](PyModel& m, Object g) { state(m, [&](Model& model) { model.gravity(components_of(g)); }); },
          py::arg("g"))

      .def(
          "frame",
          [](PyModel& m, Name name, Object parent, Object origin, Object rotate, Object quaternion) {
            return state(m, [&](Model& model) {
              FrameDescription description{.parent = frame_of(parent), .rotate = rotation_of(model, rotate)};
              if (!origin.is_none()) description.origin = components_of(origin);
              if (!quaternion.is_none())
                for (const py::handle e : py::reinterpret_borrow<py::iterable>(quaternion))
                  description.quaternion.push_back(e.cast<const PyCoordinate&>().coordinate);
              return model.frame(name, description);
            });
          },
          py::arg("name"), py::arg("parent"), py::arg("origin"), py::arg("rotate"), py::arg("quaternion"))
      .def(
          "point",
          [](PyModel& m, Name name, Object at, Object frame) {
            return state(m, [&](Model& model) {
              return frame.is_none() ? model.point(name, components_of(at))
                                     : model.point(name, frame_of(frame), components_of(at));
            });
          },
          py::arg("name"), py::arg("at"), py::arg("frame"))
      .def(
          "rim",
          [](PyModel& m, Name name, const Frame& disk, Object axis, Object radius) {
            return state(
                m, [&](Model& model) { return model.rim(name, disk, components_of(axis), component_of(radius)); });
          },
          py::arg("name"), py::arg("disk"), py::arg("axis"), py::arg("radius"))
      .def(
          "body",
          [](PyModel& m, Name name, Object mass, Object inertia, Object frame, Object com, Object position,
             Object angle) {
            return state(m, [&](Model& model) {
              BodyDescription description{.mass = component_of(mass), .inertia = inertia_of(model, inertia)};
              if (!frame.is_none()) description.frame = frame.cast<Frame>();
              if (!com.is_none()) description.com = components_of(com);
              if (!position.is_none()) description.position = components_of(position);
              if (!angle.is_none()) description.angle = expression_in(model, angle);
              return model.body(name, description);
            });
          },
          py::arg("name"), py::arg("mass"), py::arg("inertia"), py::arg("frame"), py::arg("com"), py::arg("position"),
          py::arg("angle"))
      .def(
          "spring",
          [](PyModel& m, Object a, Object b, Object stiffness, Object rest) {
            state(m, [&](Model& model) {
              if (py::isinstance<PyCoordinate>(a))
                model.spring(a.cast<const PyCoordinate&>().coordinate, component_of(stiffness), component_of(rest));
              else
                model.spring(components_of(a), components_of(b), component_of(stiffness), component_of(rest));
            });
          },
          py::arg("a"), py::arg("b"), py::arg("stiffness"), py::arg("rest"))
      .def(
          "damper",
          [](PyModel& m, Object a, Object b, Object damping) {
            state(m, [&](Model& model) {
              if (py::isinstance<PyCoordinate>(a))
                model.damper(a.cast<const PyCoordinate&>().coordinate, component_of(damping));
              else
                model.damper(components_of(a), components_of(b), component_of(damping));
            });
          },
          py::arg("a"), py::arg("b"), py::arg("damping"))

      .def(
          "holonomic",
          [](PyModel& m, Name name, Object h, Name latex) {
            state(m, [&](Model& model) { model.holonomic(name, expressions_in(model, h), latex); });
          },
          py::arg("name"), py::arg("h"), py::arg("latex"))
      .def(
          "pfaffian",
          [](PyModel& m, Name name, Object eta, Name latex) {
            state(m, [&](Model& model) { model.pfaffian(name, expressions_in(model, eta), latex); });
          },
          py::arg("name"), py::arg("eta"), py::arg("latex"))
      .def(
          "coincide",
          [](PyModel& m, Name name, Object a, Object b) {
            state(m, [&](Model& model) { model.coincide(name, components_of(a), components_of(b)); });
          },
          py::arg("name"), py::arg("a"), py::arg("b"))
      .def("distance", between_points(&Model::distance), py::arg("name"), py::arg("a"), py::arg("b"), py::arg("value"))
      .def("at_most", between_points(&Model::at_most), py::arg("name"), py::arg("a"), py::arg("b"), py::arg("value"))
      .def("at_least", between_points(&Model::at_least), py::arg("name"), py::arg("a"), py::arg("b"), py::arg("value"))
      .def(
          "contact",
          [](PyModel& m, Name name, Object point, Object above, Object normal, Object radius, Object frame) {
            state(m, [&](Model& model) {
              model.contact(name, components_of(point), components_of(above), components_of(normal),
                            component_of(radius), frame_of(frame));
            });
          },
          py::arg("name"), py::arg("point"), py::arg("above"), py::arg("normal"), py::arg("radius"), py::arg("frame"))
      .def(
          "sliding_speed",
          [](PyModel& m, Name contact) {
            py::list speeds;
            for (const Expr& speed : state(m, [&](Model& model) { return model.sliding_speed(contact); }))
              speeds.append(m.expression(speed));
            return speeds;
          },
          py::arg("contact"))
      .def(
          "unilateral",
          [](PyModel& m, Name name, Object restitution) {
            state(m, [&](Model& model) { model.unilateral(name, component_of(restitution)); });
          },
          py::arg("name"), py::arg("restitution"))
      .def(
          "no_slip",
          [](PyModel& m, Name name, Object point, Object frame) {
            state(m, [&](Model& model) { model.no_slip(name, components_of(point), frame_of(frame)); });
          },
          py::arg("name"), py::arg("point"), py::arg("frame"))
      .def(
          "no_skid",
          [](PyModel& m, Name name, Object point, Object direction, Object frame) {
            state(m, [&](Model& model) {
              model.no_skid(name, components_of(point), components_of(direction), frame_of(frame));
            });
          },
          py::arg("name"), py::arg("point"), py::arg("direction"), py::arg("frame"))

      .def(
          "force",
          [](PyModel& m, Object at, Object vector) {
            state(m, [&](Model& model) { model.force(components_of(at), components_of(vector)); });
          },
          py::arg("at"), py::arg("vector"))
      .def(
          "torque",
          [](PyModel& m, Object on, Object value) {
            state(m, [&](Model& model) {
              const bool vector = py::hasattr(value, "__len__");
              if (py::isinstance<Body>(on))
                vector ? model.torque(on.cast<const Body&>(), components_of(value))
                       : model.torque(on.cast<const Body&>(), component_of(value));
              else
                model.torque(expression_in(model, on), component_of(value));
            });
          },
          py::arg("on"), py::arg("value"))
      .def(
          "generalized_force",
          [](PyModel& m, const PyCoordinate& coordinate, Object value) {
            state(m, [&](Model& model) { model.generalized_force(coordinate.coordinate, component_of(value)); });
          },
          py::arg("coordinate"), py::arg("value"))
      .def(
          "power",
          [](PyModel& m, Object power) { state(m, [&](Model& model) { model.power(expression_in(model, power)); }); },
          py::arg("power"))
      .def(
          "friction",
          [](PyModel& m, Name name, Object normal, Object velocity, Object coefficient, Object at_rest,
             Object viscous) {
            return m.expression(state(m, [&](Model& model) {
              FrictionDescription description{component_of(normal), Component(0), component_of(coefficient)};
              if (py::hasattr(velocity, "__len__"))
                description.velocity = components_of(velocity);
              else
                description.velocity = component_of(velocity);
              if (!at_rest.is_none()) description.static_coefficient = component_of(at_rest);
              description.viscous = component_of(viscous);
              return model.friction(name, description);
            }));
          },
          py::arg("name"), py::arg("normal"), py::arg("velocity"), py::arg("coefficient"), py::arg("static"),
          py::arg("viscous"))
      .def(
          "event",
          [](PyModel& m, Name name, Object when, const std::string& direction, bool stop, const py::dict& set,
             Object where) {
            state(m, [&](Model& model) {
              EventDescription description{expression_in(model, when)};
              description.direction = direction == "up"     ? Event::Direction::kUp
                                      : direction == "down" ? Event::Direction::kDown
                                                            : Event::Direction::kAny;
              description.stop = stop;
              if (!where.is_none()) description.where = expression_in(model, where);
              for (const auto& [what, value] : set)
                description.set.emplace_back(py::str(what), component_of(py::reinterpret_borrow<py::object>(value)));
              model.event(name, description);
            });
          },
          py::arg("name"), py::arg("when"), py::arg("direction"), py::arg("stop"), py::arg("set"), py::arg("where"))
      .def(
          "multiplier",
          [](const PyModel& m, Name row) {
            const Expr found = m.model->lambda(row);
            if (found) return m.expression(found);
            std::vector<std::string> rows;
            for (const ConstraintRow* one : m.model->rows()) rows.push_back(one->name);
            face::find(rows, row, "constraint row");  // throws, naming the nearest
            throw py::key_error(row);
          },
          py::arg("row"))
      .def(
          "quasi_velocity",
          [](PyModel& m, Name name, Object definition, Name unit, Name latex) {
            return m.expression(state(m, [&](Model& model) {
              return model.quasi_velocity(name, expression_in(model, definition), unit, latex);
            }));
          },
          py::arg("name"), py::arg("definition"), py::arg("unit"), py::arg("latex"))
      .def(
          "output",
          [](PyModel& m, Name name, Object value) {
            state(m, [&](Model& model) { model.output(name, expression_in(model, value)); });
          },
          py::arg("name"), py::arg("value"))
      .def(
          "dot", [](const PyModel& m, const PyExpr& e) { return m.expression(m.model->dot(e.e)); },
          py::arg("expression"))
      .def(
          "initial",
          [](PyModel& m, Name coordinate, std::optional<double> position, std::optional<double> velocity, bool held) {
            state(m, [&](Model& model) {
              std::vector<std::string> names;
              for (const Coordinate& c : model.coordinates) names.push_back(c.name);
              const auto i = static_cast<int>(
                  find_coordinate(names, coordinate, "coordinate", "`{}_dot=…` is its initial velocity"));
              Initial& initial = model.initial;
              if (position) (held ? initial.position : initial.position_guess).push_back({i, *position, model.here});
              if (velocity) (held ? initial.velocity : initial.velocity_guess).push_back({i, *velocity, model.here});
            });
          },
          py::arg("coordinate"), py::arg("position"), py::arg("velocity"), py::arg("held"))
      .def("__eq__",
           [](const PyModel& a, const py::object& b) -> py::object {
             if (!py::isinstance<PyModel>(b)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
             return py::bool_(same_statements(*a.model, *b.cast<const PyModel&>().model));
           })
      .def("__hash__", [](const PyModel& m) { return hash_of_statements(*m.model); });
}

}  // namespace dalembert::python
