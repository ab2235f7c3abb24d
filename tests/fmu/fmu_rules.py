#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What FMI 2.0 demands of an FMU, as rules written from the text of the standard (2.0.5, chapters 2.2, 3.3, 4.3): what
modelDescription.xml may hold and in which order, which variables must have a start, how the model structure refers to them.

    fmu_rules.py FILE.fmu ...

says what is wrong, and ends with 1 where something is. `problems_of` is what the tests use.
"""

import math
import re
import sys
import xml.etree.ElementTree as ET
import zipfile

BOOLEANS = {"true", "false", "0", "1"}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
NAME = r"[A-Za-z_][A-Za-z_0-9]*(\[[1-9][0-9]*(,[1-9][0-9]*)*\])?"
STRUCTURED = re.compile(rf"{NAME}(\.{NAME})*\Z")
DERIVATIVE = re.compile(rf"der\({NAME}(\.{NAME})*(,[1-9][0-9]*)?\)\Z")

# Elements with their attributes (True: must be there) and their children, in this order.
ROOT = {"fmiVersion": True, "modelName": True, "guid": True, "description": False, "author": False, "version": False,
        "copyright": False, "license": False, "generationTool": False, "generationDateAndTime": False,
        "variableNamingConvention": False, "numberOfEventIndicators": False}
ROOT_ORDER = ["ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment",
              "VendorAnnotations", "ModelVariables", "ModelStructure"]
COMMON = {"modelIdentifier": True, "needsExecutionTool": False, "canBeInstantiatedOnlyOncePerProcess": False,
          "canNotUseMemoryManagementFunctions": False, "canGetAndSetFMUstate": False, "canSerializeFMUstate": False,
          "providesDirectionalDerivative": False}
KINDS = {"ModelExchange": {**COMMON, "completedIntegratorStepNotNeeded": False},
         "CoSimulation": {**COMMON, "canHandleVariableCommunicationStepSize": False, "canInterpolateInputs": False,
                          "maxOutputDerivativeOrder": False, "canRunAsynchronuously": False}}
NUMBERS = {"quantity": False, "unit": False, "displayUnit": False, "relativeQuantity": False, "min": False, "max": False,
           "nominal": False, "unbounded": False}
REAL = {"declaredType": False, **NUMBERS, "start": False, "derivative": False, "reinit": False}
INTEGER = {"declaredType": False, "quantity": False, "min": False, "max": False, "start": False}
VARIABLE = {"name": True, "valueReference": True, "description": False, "causality": False, "variability": False,
            "initial": False, "canHandleMultipleSetPerTimeInstant": False}
BASE_UNITS = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"]

# Which variability goes with which causality, and what `initial` may then be, the default first (table of section 2.2.7).
INITIAL = {
    "parameter": {"fixed": ["exact"], "tunable": ["exact"]},
    "calculatedParameter": {"fixed": ["calculated", "approx"], "tunable": ["calculated", "approx"]},
    "input": {"discrete": [None], "continuous": [None]},
    "output": {"constant": ["exact"], "discrete": ["calculated", "exact", "approx"],
               "continuous": ["calculated", "exact", "approx"]},
    "local": {"constant": ["exact"], "fixed": ["calculated", "approx"], "tunable": ["calculated", "approx"],
              "discrete": ["calculated", "exact", "approx"], "continuous": ["calculated", "exact", "approx"]},
    "independent": {"continuous": [None]},
}


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []

    def say(self, text):
        self.problems.append(text)

    def attributes(self, element, known):
        for name in element.attrib:
            if name not in known:
                self.say(f"<{element.tag}> has an attribute {name}, which is none")
        for name, must in known.items():
            if must and name not in element.attrib:
                self.say(f"<{element.tag}> has no {name}")
        if element.text and element.text.strip():
            self.say(f"<{element.tag}> holds text")
        for name in element.attrib:
            if name.startswith(("can", "needs", "provides", "completed", "reinit", "relative", "unbounded")) and name != "canHandleX":
                if element.attrib[name] not in BOOLEANS:
                    self.say(f"<{element.tag}> {name}=\"{element.attrib[name]}\" is not true or false")

    def children(self, element, order, once=True):
        places = []
        for child in element:
            if child.tag not in order:
                self.say(f"<{element.tag}> holds <{child.tag}>, which it may not")
                continue
            places.append(order.index(child.tag))
        if places != sorted(places) or (once and len(set(places)) != len(places)):
            self.say(f"the elements of <{element.tag}> are not in the order {', '.join(order)}, each once")

    def unique(self, names, what):
        seen = set()
        for name in names:
            if name in seen:
                self.say(f"{what} {name} is there twice")
            seen.add(name)
        return seen

    def run(self, files):
        root = self.root
        if root.tag != "fmiModelDescription":
            self.say(f"the root is <{root.tag}>")
            return
        self.attributes(root, ROOT)
        self.children(root, ROOT_ORDER)
        if root.get("fmiVersion") != "2.0":
            self.say("fmiVersion is not 2.0")
        if not (root.get("numberOfEventIndicators") or "0").isdigit():
            self.say("numberOfEventIndicators is no number")
        self.kinds(files)
        self.units()
        self.types()
        self.categories()
        self.experiment()
        self.variables()
        self.structure()

    def kinds(self, files):
        found = [child for child in self.root if child.tag in KINDS]
        if not found:
            self.say("there is neither ModelExchange nor CoSimulation")
        for kind in found:
            self.attributes(kind, KINDS[kind.tag])
            self.children(kind, ["SourceFiles"])
            if not IDENTIFIER.match(kind.get("modelIdentifier", "")):
                self.say(f"the modelIdentifier of {kind.tag} is no name of C")
            if kind.get("canSerializeFMUstate") == "true" and kind.get("canGetAndSetFMUstate") != "true":
                self.say(f"{kind.tag}: states that are not got cannot be serialized")
            sources = [f.get("name") for f in kind.iter("File")]
            self.unique(sources, "the source")
            if files is None:
                continue
            for source in sources:
                if f"sources/{source}" not in files:
                    self.say(f"there is no sources/{source}")
            libraries = [f for f in files if f.startswith("binaries/") and not f.endswith("/")]
            if not sources and not libraries:
                self.say("there are neither sources nor binaries")
            for library in libraries:
                if not re.fullmatch(rf"binaries/(win32|win64|linux32|linux64|darwin32|darwin64)/"
                                    rf"{re.escape(kind.get('modelIdentifier', ''))}\.(so|dll|dylib)", library):
                    self.say(f"{library} is not where a library of this FMU is")

    def units(self):
        self.unit_names = {}
        for section in self.root.findall("UnitDefinitions"):
            self.attributes(section, {})
            self.children(section, ["Unit"], once=False)
            if len(section) == 0:
                self.say("UnitDefinitions is empty")
            self.unique([u.get("name") for u in section], "the unit")
            for unit in section:
                self.attributes(unit, {"name": True})
                self.children(unit, ["BaseUnit", "DisplayUnit"], once=False)
                if len(unit.findall("BaseUnit")) > 1:
                    self.say(f"the unit {unit.get('name')} has two BaseUnits")
                for base in unit.findall("BaseUnit"):
                    self.attributes(base, {**{b: False for b in BASE_UNITS}, "factor": False, "offset": False})
                    for name in BASE_UNITS:
                        if not re.fullmatch(r"-?\d+", base.get(name, "0")):
                            self.say(f"the exponent of {name} in {unit.get('name')} is not whole")
                shown = unit.findall("DisplayUnit")
                self.unique([d.get("name") for d in shown], "the display unit")
                for display in shown:
                    self.attributes(display, {"name": True, "factor": False, "offset": False})
                self.unit_names[unit.get("name")] = {d.get("name") for d in shown}

    def number_attributes(self, element, where):
        unit = element.get("unit")
        if unit is not None and unit not in self.unit_names:
            self.say(f"{where}: the unit {unit} is not defined")
        display = element.get("displayUnit")
        if display is not None and display not in self.unit_names.get(unit, set()):
            self.say(f"{where}: the display unit {display} is not defined")
        for name in ("min", "max", "nominal", "start"):
            if element.get(name) is not None and not is_number(element.get(name)):
                self.say(f"{where}: {name}=\"{element.get(name)}\" is no number")
        if element.get("nominal") is not None and float(element.get("nominal")) <= 0:
            self.say(f"{where}: nominal is not positive")

    def types(self):
        self.type_units = {}
        for section in self.root.findall("TypeDefinitions"):
            self.children(section, ["SimpleType"], once=False)
            if len(section) == 0:
                self.say("TypeDefinitions is empty")
            self.unique([t.get("name") for t in section], "the type")
            for kind in section:
                self.attributes(kind, {"name": True, "description": False})
                self.children(kind, ["Real", "Integer", "Boolean", "String", "Enumeration"])
                if len(kind) != 1:
                    self.say(f"the type {kind.get('name')} is not of one kind")
                    continue
                self.type_units[kind.get("name")] = (kind[0].tag, kind[0].get("unit"))
                if kind[0].tag == "Real":
                    self.attributes(kind[0], NUMBERS)
                    self.number_attributes(kind[0], f"type {kind.get('name')}")

    def categories(self):
        standard = {"logEvents", "logSingularLinearSystems", "logNonlinearSystems", "logDynamicStateSelection",
                    "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logStatusPending", "logAll"}
        for section in self.root.findall("LogCategories"):
            self.children(section, ["Category"], once=False)
            names = [c.get("name") for c in section]
            self.unique(names, "the category")
            for category in section:
                self.attributes(category, {"name": True, "description": False})
            for name in names:
                if name not in standard:
                    self.say(f"the category {name} is none of the standard")

    def experiment(self):
        for element in self.root.findall("DefaultExperiment"):
            self.attributes(element, {"startTime": False, "stopTime": False, "tolerance": False, "stepSize": False})
            for name, value in element.attrib.items():
                if not is_number(value):
                    self.say(f"{name} of the experiment is no number")
            if float(element.get("stopTime", "inf")) <= float(element.get("startTime", "0")):
                self.say("the experiment ends before it begins")
            if float(element.get("tolerance", "1")) <= 0 or float(element.get("stepSize", "1")) <= 0:
                self.say("tolerance and stepSize of the experiment are positive")

    def variables(self):
        section = self.root.find("ModelVariables")
        self.list = [] if section is None else list(section)
        if not self.list:
            self.say("there are no variables")
        names = self.unique([v.get("name") for v in self.list], "the variable")
        if names & set(self.type_units):
            self.say(f"a type and a variable have the same name: {names & set(self.type_units)}")
        references = {}
        structured = self.root.get("variableNamingConvention", "flat") == "structured"
        for index, variable in enumerate(self.list, 1):
            name = variable.get("name", "")
            self.attributes(variable, VARIABLE)
            self.children(variable, ["Real", "Integer", "Boolean", "String", "Enumeration", "Annotations"])
            if structured and not STRUCTURED.match(name) and not DERIVATIVE.match(name):
                self.say(f"{name} is no structured name")
            if not re.fullmatch(r"\d+", variable.get("valueReference", "")):
                self.say(f"{name}: the valueReference is no number")
            kind = variable[0]
            before = references.setdefault((kind.tag, variable.get("valueReference")), name)
            if before != name:
                self.say(f"{name} has the valueReference of {before}")
            self.one_variable(index, variable, kind)

    def one_variable(self, index, variable, kind):
        name = variable.get("name")
        causality, variability = variable.get("causality", "local"), variable.get("variability", "continuous")
        allowed = INITIAL.get(causality, {}).get(variability)
        if allowed is None:
            self.say(f"{name}: a {variability} {causality} cannot be")
            return
        if kind.tag != "Real" and variability == "continuous":
            self.say(f"{name}: only reals are continuous")
        initial = variable.get("initial")
        if allowed == [None]:
            if initial is not None:
                self.say(f"{name}: {causality} has no `initial`")
        elif initial is not None and initial not in allowed:
            self.say(f"{name}: initial=\"{initial}\" of a {variability} {causality}")
        means = initial if initial is not None else allowed[0]
        has_start = kind.get("start") is not None
        needs_start = means in ("exact", "approx") or causality == "input" or variability == "constant"
        if has_start != needs_start:
            self.say(f"{name}: {'a start that it may not have' if has_start else 'there is no start'}")
        self.attributes(kind, REAL if kind.tag == "Real" else INTEGER if kind.tag == "Integer" else
                        {"declaredType": False, "start": False})
        self.number_attributes(kind, name)
        declared = kind.get("declaredType")
        if declared is not None:
            if declared not in self.type_units:
                self.say(f"{name}: the type {declared} is not defined")
            elif self.type_units[declared] != (kind.tag, kind.get("unit", self.type_units[declared][1])):
                self.say(f"{name}: is not of its type {declared}")
        derivative = kind.get("derivative")
        if derivative is not None and not (derivative.isdigit() and 1 <= int(derivative) <= len(self.list) and
                                           int(derivative) != index):
            self.say(f"{name}: is the derivative of nothing")

    def structure(self):
        section = self.root.find("ModelStructure")
        if section is None:
            self.say("there is no ModelStructure")
            return
        self.attributes(section, {})
        self.children(section, ["Outputs", "Derivatives", "InitialUnknowns"])

        def variable(index):
            return self.list[index - 1]

        def initial_of(v):
            causality, variability = v.get("causality", "local"), v.get("variability", "continuous")
            return v.get("initial") or INITIAL.get(causality, {}).get(variability, [None])[0]

        lists = {}
        for part in ("Outputs", "Derivatives", "InitialUnknowns"):
            lists[part] = []
            element = section.find(part)
            if element is None:
                continue
            if len(element) == 0:
                self.say(f"{part} is empty")
            for unknown in element:
                self.attributes(unknown, {"index": True, "dependencies": False, "dependenciesKind": False})
                index = int(unknown.get("index"))
                if not 1 <= index <= len(self.list):
                    self.say(f"{part}: there is no variable {index}")
                    continue
                lists[part].append(index)
                self.dependencies(part, unknown, initial_of)
            self.unique(lists[part], part)
        outputs = [i for i, v in enumerate(self.list, 1) if v.get("causality") == "output"]
        if sorted(lists["Outputs"]) != outputs:
            self.say("Outputs are not the variables that are outputs")
        states = []
        for index in lists["Derivatives"]:
            of = variable(index)[0].get("derivative")
            if of is None:
                self.say(f"{variable(index).get('name')} is in Derivatives, and is the derivative of nothing")
            else:
                states.append(int(of))
                if variable(int(of)).get("variability", "continuous") != "continuous":
                    self.say(f"{variable(int(of)).get('name')} is a state, and not continuous")
                if variable(int(of)).get("causality", "local") not in ("local", "output"):
                    self.say(f"{variable(int(of)).get('name')} is a state, and neither local nor an output")
        self.unique(states, "the state")
        for index, v in enumerate(self.list, 1):
            if v[0].get("reinit") == "true" and index not in states:
                self.say(f"{v.get('name')}: only states have reinit")
        expected = {i for i in outputs if initial_of(variable(i)) in ("approx", "calculated")}
        expected |= {i for i, v in enumerate(self.list, 1) if v.get("causality") == "calculatedParameter"}
        expected |= {i for i in states + lists["Derivatives"] if initial_of(variable(i)) in ("approx", "calculated")}
        if lists["InitialUnknowns"] != sorted(expected):
            self.say("InitialUnknowns are not the outputs, states and derivatives that are not given, in their order")

    def dependencies(self, part, unknown, initial_of):
        dependencies, kinds = unknown.get("dependencies"), unknown.get("dependenciesKind")
        if dependencies is None:
            if kinds is not None:
                self.say(f"{part}: dependenciesKind without dependencies")
            return
        indices = [int(i) for i in dependencies.split()]
        if indices != sorted(set(indices)):
            self.say(f"{part}: the dependencies of {unknown.get('index')} are not in order")
        states = {int(v[0].get("derivative")) for v in self.list if v[0].get("derivative")}
        for index in indices:
            if not 1 <= index <= len(self.list):
                self.say(f"{part}: {unknown.get('index')} depends on {index}, which is no variable")
                continue
            v = self.list[index - 1]
            known = v.get("causality") in ("input", "independent")
            if part == "InitialUnknowns":
                known = known or initial_of(v) == "exact"
            else:
                known = known or index in states
            if not known:
                self.say(f"{part}: {unknown.get('index')} depends on {v.get('name')}, which is not given")
        if kinds is not None:
            kinds = kinds.split()
            if len(kinds) != len(indices) or set(kinds) - {"dependent", "constant", "fixed", "tunable", "discrete"}:
                self.say(f"{part}: the kinds of the dependencies of {unknown.get('index')}")


def problems_of(xml, files=None):
    """What is wrong with a modelDescription.xml; `files` are the names in the FMU."""
    try:
        root = ET.fromstring(xml)
    except ET.ParseError as error:
        return [f"modelDescription.xml is no XML: {error}"]
    checker = Checker(root)
    checker.run(files)
    return checker.problems


def problems_of_file(path):
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
        if bad is not None:
            return [f"the checksum of {bad} is wrong"]
        return problems_of(archive.read("modelDescription.xml"), set(archive.namelist()))


def main():
    status = 0
    for path in sys.argv[1:]:
        for problem in problems_of_file(path):
            print(f"{path}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
