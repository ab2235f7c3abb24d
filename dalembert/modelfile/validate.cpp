// SPDX-License-Identifier: Apache-2.0
// Checks the document against the schema: all keys must be known, and all values must have the right type.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/modelfile/schema.h"

namespace dalembert::modelfile {
namespace {

// Section names that people use in other formats.
struct Habit {
  std::string_view written, here;
};
constexpr std::array<Habit, 12> kHabits = {{{"params", "parameters"},
                                            {"constants", "parameters"},
                                            {"bodies", "body"},
                                            {"energies", "energy"},
                                            {"definitions", "define"},
                                            {"variables", "coordinates"},
                                            {"init", "initial"},
                                            {"initials", "initial"},
                                            {"claims", "claim"},
                                            {"dampers", "damper"},
                                            {"options", "simulation"},
                                            {"masses", "body"}}};

// Keys that people write for those of a section: the symbol of a textbook, the word of another program.
struct KeyHabit {
  std::string_view where, written, here;
};
constexpr KeyHabit kKeyHabits[] = {{"[energy]", "T", "kinetic"},
                                   {"[energy]", "V", "potential"},
                                   {"[energy]", "U", "potential"},
                                   {"[energy]", "R", "dissipation"},
                                   {"[energy]", "L", "lagrangian"},
                                   {"[[constraint]]", "nonholonomic", "pfaffian"},
                                   {"[[constraint]]", "non_holonomic", "pfaffian"},
                                   {"[[constraint]]", "velocity", "pfaffian"},
                                   {"[[force]]", "force", "value"},
                                   {"[[force]]", "point", "at"},
                                   {"[[body]]", "m", "mass"},
                                   {"[[body]]", "I", "inertia"},
                                   {"[[body]]", "J", "inertia"},
                                   {"[[spring]]", "k", "stiffness"},
                                   {"[[spring]]", "length", "rest"},
                                   {"[[spring]]", "rest_length", "rest"},
                                   {"[[damper]]", "c", "damping"},
                                   {"[[damper]]", "d", "damping"},
                                   {"[simulation]", "tend", "until"},
                                   {"[simulation]", "t_end", "until"},
                                   {"[simulation]", "tmax", "until"},
                                   {"[simulation]", "end", "until"},
                                   {"[simulation]", "duration", "until"},
                                   {"[simulation]", "dt", "output_step"},
                                   {"[simulation]", "step", "output_step"},
                                   {"[simulation]", "every", "output_step"},
                                   {"[simulation]", "tolerance", "rtol"},
                                   {"[simulation]", "tol", "rtol"},
                                   {"[simulation]", "solver", "method"},
                                   {"[simulation]", "integrator", "method"}};

class Validator {
 public:
  Validator(Document& document, Diagnostics& diagnostics) : document_(document), diagnostics_(diagnostics) {}

  void run() {
    repair_sections();
    for (Entry& entry : document_.root.entries) {
      const Section* section = find_section(entry.key);
      if (!section || entry.node.bad) continue;
      check_section(*section, entry);
    }
  }

 private:
  Span place(const Node& node) const {
    // A table that only headers such as [a.b] imply has the place of the header.
    return document_.span(node);
  }

  // A section with a misspelt name is reported, and then read as the intended section, so that names it declares are not reported as missing.
  void repair_sections() {
    std::vector<Entry>& entries = document_.root.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (find_section(entries[i].key)) continue;
      const std::string meant = unknown_section(entries[i]);
      if (meant.empty()) {
        entries[i].node.bad = true;
        continue;
      }
      const auto same = std::ranges::find(entries, meant, &Entry::key);
      if (same == entries.end()) {
        entries[i].key = meant;
        continue;
      }
      std::ranges::move(entries[i].node.entries, std::back_inserter(same->node.entries));
      std::ranges::move(entries[i].node.items, std::back_inserter(same->node.items));
      entries[i].node.bad = true;
    }
  }

  // Reports an unknown section. Returns the intended section if that is clear, else "".
  std::string unknown_section(Entry& entry) {
    const bool section =
        entry.node.is(Node::Type::kTable) ||
        (entry.node.is(Node::Type::kArray) && !entry.node.items.empty() && entry.node.items[0].is(Node::Type::kTable));
    Diagnostic problem = section
                             ? error("E0010", fmt::format("unknown section `{}`", entry.key), document_.key_span(entry))
                             : error("E0005", fmt::format("unknown key `{}` at the top of the file", entry.key),
                                     document_.key_span(entry));
    std::vector<std::string> names, holders;
    for (const Section& known : schema()) {
      names.emplace_back(known.name);
      if (known.shape == Shape::kNamed) continue;
      for (const Key& key : known.keys)
        if (key.name == entry.key)
          holders.push_back(known.shape == Shape::kArray ? fmt::format("[[{}]]", known.name)
                                                         : fmt::format("[{}]", known.name));
    }
    std::string meant = nearest(entry.key, names).value_or("");
    for (const auto& [word, here] : kHabits)
      if (entry.key == word) meant = here;
    if (!meant.empty())
      problem.help.push_back(fmt::format("did you mean `{}`?", meant));
    else if (!holders.empty())
      problem.help.push_back(fmt::format("it is a key of {}", join_words(holders, "`", "or")));
    else if (!section)
      problem.help.push_back("parameters belong in `[parameters]`, named expressions in `[define]`");
    diagnostics_.push_back(std::move(problem));
    const Section* known = find_section(meant);
    const bool fits = known && (entry.node.is(Node::Type::kTable) ==
                                (known->shape == Shape::kTable || known->shape == Shape::kNamed));
    return fits ? meant : std::string();
  }

  void check_section(const Section& section, Entry& entry) {
    Node& node = entry.node;
    switch (section.shape) {
      case Shape::kValue:
        check_value(section.keys[0], node, entry.key);
        break;
      case Shape::kTable:
        if (expect_table(section, node))
          check_keys(section.keys, node, fmt::format("[{}]", section.name), document_.key_span(entry));
        break;
      case Shape::kNamed:
        if (!expect_table(section, node)) break;
        for (Entry& inner : node.entries) check_value(section.keys[0], inner.node, inner.key);
        break;
      case Shape::kArray:
        check_array(section, entry);
        break;
    }
  }

  bool expect_table(const Section& section, Node& node) {
    if (node.is(Node::Type::kTable)) return true;
    wrong_type(node, section.name, fmt::format("a table: write `[{}]` and its keys below", section.name));
    return false;
  }

  void check_array(const Section& section, Entry& entry) {
    Node& node = entry.node;
    if (node.is(Node::Type::kTable)) {
      node.bad = true;
      Diagnostic problem = error("E0006", fmt::format("`{}` should be an array of tables, not a table", section.name),
                                 document_.key_span(entry));
      problem.help.push_back(fmt::format("write `[[{}]]`, once for each", section.name));
      diagnostics_.push_back(std::move(problem));
      return;
    }
    if (!node.is(Node::Type::kArray))
      return wrong_type(node, section.name, fmt::format("an array of tables: write `[[{}]]`", section.name));
    for (Node& item : node.items) {
      if (!item.is(Node::Type::kTable))
        wrong_type(item, section.name, "a table");
      else
        check_keys(section.keys, item, fmt::format("[[{}]]", section.name), {document_.source, item.begin, item.end});
    }
  }

  void check_keys(std::span<const Key> keys, Node& table, const std::string& where, const Span& header) {
    for (Entry& entry : table.entries) {
      auto key = std::ranges::find(keys, entry.key, &Key::name);
      if (key == keys.end()) {
        const std::string meant = unknown_key(keys, table, entry, where);
        key = std::ranges::find(keys, meant, &Key::name);
        if (key == keys.end()) {
          entry.node.bad = true;
          continue;
        }
        entry.key = meant;
      }
      check_value(*key, entry.node, entry.key);
    }
    for (const Key& key : keys) {
      if (!key.required || table.find_entry(key.name)) continue;
      Diagnostic problem = error("E0007", fmt::format("the key `{}` is missing", key.name), header);
      problem.help.push_back(fmt::format("`{}` of `{}` is {}", key.name, where, key.meaning));
      diagnostics_.push_back(std::move(problem));
      table.bad = true;
    }
  }

  // `theta = 30` in [initial], as it should be: `position = {theta = 30}`.
  static std::string example_of_initial(const Entry& entry) {
    const std::string& text = entry.node.text.text;
    const std::string value = entry.node.is_number() ? text : "\"" + text + "\"";
    const bool rate = entry.key.ends_with('\'');
    const std::string name = entry.key.substr(0, entry.key.find('\''));
    return fmt::format("write `{} = {{{} = {}}}`, which is held, or `guess = {{{} = {}}}`, which assembly may move{}",
                       rate ? "velocity" : "position", name, value, rate ? "\"" + entry.key + "\"" : name, value,
                       std::abs(entry.node.number) > 2 * std::numbers::pi
                           ? fmt::format("; degrees are `\"{} deg\"`", value)
                           : std::string());
  }

  // Reports an unknown key. Returns the intended key if that is clear and the table does not have it already, else "".
  std::string unknown_key(std::span<const Key> keys, const Node& table, const Entry& entry, const std::string& where) {
    std::string meant;
    Diagnostic problem =
        error("E0005", fmt::format("unknown key `{}` in `{}`", entry.key, where), document_.key_span(entry));
    std::vector<std::string> names;
    for (const Key& key : keys) names.emplace_back(key.name);
    const auto habit = std::ranges::find_if(
        kKeyHabits, [&](const KeyHabit& one) { return one.where == where && one.written == entry.key; });
    if (habit != std::end(kKeyHabits)) {
      problem.help.push_back(
          fmt::format("write `{}`{}", habit->here,
                      habit->here == "output_step" ? ": the steps themselves follow from `rtol`" : ""));
      if (!table.find_entry(habit->here)) meant = habit->here;
    } else if (const auto similar = nearest(entry.key, names)) {
      problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
      if (!table.find_entry(*similar)) meant = *similar;
    } else if (const Section* section = find_section(entry.key); section && section->shape == Shape::kValue) {
      problem.help.push_back(
          fmt::format("`{}` belongs at the top of the file, before the first `[section]`", entry.key));
    } else {
      problem.help.push_back(fmt::format("known are {}", join_words(names)));
      // A value at once, without saying whether it is held or guessed.
      if (where == "[initial]" && (entry.node.is_number() || entry.node.is(Node::Type::kString)))
        problem.help.push_back(example_of_initial(entry));
      if (where == "[[friction]]" && entry.key == "constraint" && entry.node.is(Node::Type::kString))
        problem.help.push_back(
            fmt::format("the load of `{0}` is its multiplier: `normal = \"lambda({0})\"`", entry.node.text.text));
    }
    diagnostics_.push_back(std::move(problem));
    return meant;
  }

  void wrong_type(Node& node, std::string_view key, const std::string& wanted) {
    node.bad = true;
    diagnostics_.push_back(error("E0006", fmt::format("`{}` should be {}", key, wanted), place(node),
                                 fmt::format("this is {}", type_name(node.type))));
  }

  bool is_expression(const Node& node) const { return node.is(Node::Type::kString) || node.is_number(); }

  bool finite(Node& node, std::string_view key) {
    if (!node.is_number() || std::isfinite(node.number)) return true;
    node.bad = true;
    diagnostics_.push_back(error("E0108", fmt::format("`{}` should be a finite number", key), place(node)));
    return false;
  }

  void expression(Node& node, std::string_view key) {
    if (!is_expression(node))
      wrong_type(node, key, "an expression: a string or a number");
    else
      finite(node, key);
  }

  void list(Node& node, std::string_view key, std::size_t least, std::size_t most, const std::string& wanted) {
    if (!node.is(Node::Type::kArray)) return wrong_type(node, key, wanted);
    if (node.items.size() < least || node.items.size() > most) {
      node.bad = true;
      diagnostics_.push_back(
          error("E0006", fmt::format("`{}` should be {}", key, wanted), place(node),
                fmt::format("this has {} element{}", node.items.size(), node.items.size() == 1 ? "" : "s")));
      return;
    }
    for (Node& item : node.items) {
      expression(item, key);
      node.bad = node.bad || item.bad;
    }
  }

  void quantity(Node& node, std::string_view key, bool positive) {
    if (!is_expression(node)) return wrong_type(node, key, "a number, or a string with a number and a unit");
    if (finite(node, key) && positive && node.is_number() && node.number <= 0) {
      node.bad = true;
      diagnostics_.push_back(error("E0006", fmt::format("`{}` should be above zero", key), place(node)));
    }
  }

  void table_of(std::span<const Key> keys, Node& node, std::string_view key, const std::string& wanted) {
    if (!node.is(Node::Type::kTable)) return wrong_type(node, key, wanted);
    check_keys(keys, node, std::string(key), place(node));
    for (const Entry& entry : node.entries) node.bad = node.bad || entry.node.bad;
  }

  // TOML reads `ball.omega.x = 1` as a table `ball`: says how such a name is written.
  void named_quantity(Entry& entry) {
    quantity(entry.node, entry.key, false);
    std::string name = entry.key;
    const Node* value = &entry.node;
    for (; value->is(Node::Type::kTable) && value->entries.size() == 1; value = &value->entries.front().node)
      name += "." + value->entries.front().key;
    if (value != &entry.node && is_expression(*value))
      diagnostics_.back().help.push_back(fmt::format("a name with dots is quoted: write `\"{}\" = …`", name));
  }

  // Checks a table of quantities, or an array of such tables, which `for` may repeat.
  bool quantities(Node& node) {
    if (node.is(Node::Type::kArray)) {
      const auto is_table = [](const Node& item) { return item.is(Node::Type::kTable); };
      if (!std::ranges::all_of(node.items, is_table)) return false;
      for (Node& item : node.items) {
        for (Entry& entry : item.entries) {
          if (entry.key != "for")
            named_quantity(entry);
          else
            check_value({"for", Kind::kRange, {}}, entry.node, entry.key);
        }
      }
      return true;
    }
    if (!node.is(Node::Type::kTable)) return false;
    for (Entry& entry : node.entries) named_quantity(entry);
    return true;
  }

  void names(Node& node, std::string_view key, std::size_t count, const char* wanted) {
    const bool fits = node.is(Node::Type::kArray) && node.items.size() == count &&
                      std::ranges::all_of(node.items, [](const Node& item) { return item.is(Node::Type::kString); });
    if (!fits) wrong_type(node, key, wanted);
  }

  void name_list(Node& node, std::string_view key, std::size_t least) {
    const bool fits = node.is(Node::Type::kArray) && node.items.size() >= least &&
                      std::ranges::all_of(node.items, [](const Node& item) { return item.is(Node::Type::kString); });
    if (!fits)
      wrong_type(node, key,
                 least == 0   ? "a list of names of points"
                 : least == 1 ? "a name or a list of names"
                              : "lists of two names of points or more");
  }

  void inertia(Node& node, std::string_view key) {
    const std::string wanted = "a moment, a list of 3, or 3 lists of 3";
    if (!node.is(Node::Type::kArray)) return expression(node, key);
    const bool rows = std::ranges::any_of(node.items, [](const Node& item) { return item.is(Node::Type::kArray); });
    if (!rows) return list(node, key, 3, 3, wanted);
    if (node.items.size() != 3) return wrong_type(node, key, wanted);
    for (Node& row : node.items) {
      list(row, key, 3, 3, wanted);
      node.bad = node.bad || row.bad;
    }
  }

  void rotation(Node& node, std::string_view key) {
    if (!node.is(Node::Type::kArray)) return expression(node, key);
    for (Node& turn : node.items) {
      const bool pair = turn.is(Node::Type::kArray) && turn.items.size() == 2;
      const bool named = pair && turn.items[0].is(Node::Type::kString);
      const std::string_view axis = named ? std::string_view(turn.items[0].text.text) : "";
      if (pair && turn.items[0].is(Node::Type::kArray)) {
        list(turn.items[0], key, 3, 3, "an axis: `\"x\"`, `\"y\"`, `\"z\"` or a list of 3 components");
        node.bad = node.bad || turn.items[0].bad;
      } else if (axis != "x" && axis != "y" && axis != "z") {
        node.bad = true;
        return wrong_type(turn, key, "an angle, or turns about axes: write `[[\"z\", \"psi\"], [\"x\", \"theta\"]]`");
      }
      expression(turn.items[1], key);
      node.bad = node.bad || turn.items[1].bad;
    }
  }

  void check_value(const Key& rule, Node& node, std::string_view key) {
    const Kind kind = rule.kind;
    switch (kind) {
      case Kind::kText:
      case Kind::kName:
      case Kind::kRange:
        if (!node.is(Node::Type::kString))
          wrong_type(node, key, kind == Kind::kRange ? "a string: write `\"i in 1..N\"`" : "a string");
        break;
      case Kind::kNames:
        names(node, key, 2, "a list of two names of points");
        break;
      case Kind::kFourNames:
        names(node, key, 4, "a list of four names of coordinates");
        break;
      case Kind::kExpression:
        expression(node, key);
        break;
      case Kind::kExpressions:
        if (node.is(Node::Type::kArray))
          list(node, key, 1, 100000, "an expression, or a list of them");
        else
          expression(node, key);
        break;
      case Kind::kVector:
        list(node, key, 2, 3,
             key == "gravity" ? "a list of 2 or 3 expressions: write `gravity = [\"0\", \"-g\"]`"
                              : "a list of 2 or 3 expressions");
        break;
      case Kind::kMoment:
        if (node.is(Node::Type::kArray))
          list(node, key, 3, 3, "an expression, or a list of 3");
        else
          expression(node, key);
        break;
      case Kind::kInertia:
        inertia(node, key);
        break;
      case Kind::kRotation:
        rotation(node, key);
        break;
      case Kind::kQuantity:
        quantity(node, key, false);
        break;
      case Kind::kPositive:
        quantity(node, key, true);
        break;
      case Kind::kInteger:
        if (!node.is(Node::Type::kInteger)) wrong_type(node, key, "an integer");
        break;
      case Kind::kBoolean:
        if (!node.is(Node::Type::kBoolean)) wrong_type(node, key, "true or false");
        break;
      case Kind::kAnything:
        break;
      default:
        check_collection(rule, node, key);
    }
  }

  // Checks tables, and lists of tables or names.
  void check_collection(const Key& rule, Node& node, std::string_view key) {
    switch (rule.kind) {
      case Kind::kParts:
        table_of(rule.parts, node, key, fmt::format("a table: write `{}`", rule.sample));
        break;
      case Kind::kQuantities:
        if (!quantities(node)) return wrong_type(node, key, "a table: write `{theta = \"30 deg\"}`");
        break;
      case Kind::kSettings:
        if (!node.is(Node::Type::kTable)) return wrong_type(node, key, "a table: write `{\"x'\" = \"-e*x'\"}`");
        for (Entry& entry : node.entries) expression(entry.node, entry.key);
        break;
      case Kind::kTexts:
        if (!node.is(Node::Type::kTable)) return wrong_type(node, key, "a table: write `{k = \"1 : 2 : 11\"}`");
        for (Entry& entry : node.entries)
          if (!entry.node.is(Node::Type::kString)) wrong_type(entry.node, entry.key, "a text in quotes");
        break;
      case Kind::kParameter:
        if (node.is(Node::Type::kTable))
          table_of(parameter_keys(), node, key, "a table");
        else
          quantity(node, key, false);
        break;
      case Kind::kInput:
        if (node.is(Node::Type::kTable))
          table_of(input_keys(), node, key, "a table");
        else
          expression(node, key);
        break;
      case Kind::kCoordinates:
        coordinates(node);
        break;
      case Kind::kNameList:
        name_list(node, key, 0);
        break;
      case Kind::kOneOrMoreNames:
        if (!node.is(Node::Type::kString)) name_list(node, key, 1);
        break;
      case Kind::kLines:
        if (!node.is(Node::Type::kArray))
          return wrong_type(node, key, "a list of lists of points: write `[[\"O\", \"A\"], [\"A\", \"B\"]]`");
        for (Node& line : node.items) {
          name_list(line, key, 2);
          node.bad = node.bad || line.bad;
        }
        break;
      case Kind::kCircles:
        if (!node.is(Node::Type::kArray))
          return wrong_type(node, key, fmt::format("a list of tables: write `[{}]`", rule.sample));
        for (Node& circle : node.items)
          table_of(rule.parts, circle, key, fmt::format("tables: write `[{}]`", rule.sample));
        break;
      default:
        break;
    }
  }

  void coordinates(Node& node) {
    if (!node.is(Node::Type::kArray))
      return wrong_type(node, "coordinates",
                        "a list: write `coordinates = [\"x\", {name = \"theta\", unit = \"rad\"}]`");
    for (Node& item : node.items) {
      if (item.is(Node::Type::kString)) continue;
      if (item.is(Node::Type::kTable))
        check_keys(coordinate_keys(), item, "coordinates", place(item));
      else
        wrong_type(item, "a coordinate", "a name, or a table with `name` and `unit`");
    }
  }

  Document& document_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate(Document& document, Diagnostics& diagnostics) { Validator(document, diagnostics).run(); }

}  // namespace dalembert::modelfile
