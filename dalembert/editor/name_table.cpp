// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/name_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "dalembert/editor/cursor.h"
#include "dalembert/editor/expression_names.h"
#include "dalembert/editor/schema_at.h"

namespace dalembert::editor {
namespace {

using modelfile::Entry;
using modelfile::Key;
using modelfile::Kind;
using modelfile::Node;
using modelfile::Section;
using modelfile::Shape;

// --- a tree of what is TOML

// Fewer lines than this are left out one by one before nothing is read.
constexpr int kMostLinesLeftOut = 60;

// Replaces the line at `at`, or if it is blank the one above that is not, by blanks. False if there is none.
bool blank_line(std::string& text, std::size_t at) {
  at = std::min(at, text.size());
  for (;;) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.find_first_not_of(" \t\r", begin) < end) {
      for (std::size_t i = begin; i < end; ++i)
        if (text[i] != '\r') text[i] = ' ';
      return true;
    }
    if (begin == 0) return false;
    at = begin - 1;
  }
}

// Reads the text without the lines that keep it from being TOML.
void read_tree(NameTable& table) {
  auto whole = modelfile::read_document(table.source);
  table.is_toml = whole.ok();
  table.problems = whole.diagnostics();
  if (whole) {
    table.document = std::move(whole).value();
    return;
  }
  std::string text = without_unclosed(table.source->text());
  for (int left_out = 0; left_out < kMostLinesLeftOut; ++left_out) {
    auto rest = modelfile::read_document(make_source(table.source->name(), text));
    if (rest) {
      table.document = std::move(rest).value();
      return;
    }
    const Span& place = rest.diagnostics().front().primary.span;
    if (!blank_line(text, place.begin)) break;
  }
  table.document = {table.source, {}};
}

// --- names in the tree

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

class TableReader {
 public:
  explicit TableReader(NameTable& table) : table_(table), text_(table.source->text()) {}

  void read() {
    for (const Entry& entry : table_.document.root.entries)
      if (const Section* section = modelfile::find_section(entry.key)) read_section(*section, entry);
  }

 private:
  void read_section(const Section& section, const Entry& entry) {
    section_ = section.name;
    local_.clear();
    switch (section.shape) {
      case Shape::kValue:
        return read_value(section.keys[0], entry.key, entry.node);
      case Shape::kTable:
        return read_keys(section.keys, entry.node);
      case Shape::kNamed:
        for (const Entry& inner : entry.node.entries) read_named(section, inner);
        return;
      case Shape::kArray:
        for (const Node& item : entry.node.items) read_item(section, item);
    }
  }

  // --- declarations

  // What the keys of a section declare; nothing if they name what is declared elsewhere.
  static std::optional<NameKind> declared_by(std::string_view section) {
    struct Row {
      std::string_view section;
      NameKind kind;
    };
    constexpr std::array<Row, 12> kRows{{{"parameters", NameKind::kParameter},
                                         {"structure", NameKind::kInteger},
                                         {"define", NameKind::kDefinition},
                                         {"inputs", NameKind::kInput},
                                         {"quasi_velocities", NameKind::kQuasiVelocity},
                                         {"outputs", NameKind::kOutput},
                                         {"point", NameKind::kPoint},
                                         {"frame", NameKind::kFrame},
                                         {"body", NameKind::kBody},
                                         {"constraint", NameKind::kConstraint},
                                         {"friction", NameKind::kFriction},
                                         {"event", NameKind::kEvent}}};
    const auto row = std::ranges::find(kRows, section, &Row::section);
    if (row == kRows.end()) return std::nullopt;
    return row->kind;
  }

  // The comment behind an entry that ends at `end`, if only brackets and commas are between them.
  std::string comment_behind(std::uint32_t end) const {
    const std::size_t sign = text_.find_first_not_of(" \t,}]", end);
    if (sign == std::string_view::npos || text_[sign] != '#') return {};
    const std::size_t line_end = std::min(text_.find('\n', sign), text_.size());
    return trimmed(text_.substr(sign + 1, line_end - sign - 1));
  }

  static std::string string_at(const Node& table, std::string_view key) {
    const Node* node = table.find(key);
    return node && node->is(Node::Type::kString) ? node->text.text : std::string();
  }

  void declare(NameKind kind, const MappedText& name, Range whole, const Node& value, std::uint32_t end) {
    const Span place = name.span();
    DeclaredName made{kind, name.text, {place.begin, place.end}, whole, {}, {}, {}};
    made.meaning = string_at(value, "meaning");
    if (made.meaning.empty()) made.meaning = comment_behind(end);
    const Node* written = value.is(Node::Type::kTable) ? value.find("value") : &value;
    const bool has_text = written && (written->is_number() || written->is(Node::Type::kString));
    if (has_text && modelfile::find_section(section_)->shape == Shape::kNamed) made.written = written->text.text;
    if (kind == NameKind::kCoordinate) made.unit = string_at(value, "unit");
    table_.declared.push_back(std::move(made));
  }

  // The text of a key without its quotes.
  MappedText text_of_key(const Entry& entry) const {
    std::uint32_t begin = entry.key_begin, end = entry.key_end;
    if (end > begin + 1 && (text_[begin] == '"' || text_[begin] == '\'') && text_[end - 1] == text_[begin])
      ++begin, --end;
    return MappedText::verbatim(table_.source, begin, std::max(begin, end));
  }

  // An entry of a section whose keys the user chooses.
  void read_named(const Section& section, const Entry& entry) {
    const auto kind = declared_by(section.name);
    const MappedText name = text_of_key(entry);
    if (kind)
      declare(*kind, name, {entry.key_begin, entry.node.end}, entry.node, entry.node.end);
    else
      find_names(name, kValues, {}, table_.used);  // [prescribed]
    read_value(section.keys[0], entry.key, entry.node);
  }

  // One table of [[…]].
  void read_item(const Section& section, const Node& item) {
    local_ = index_of(item);
    const Node* name = item.find("name");
    const auto kind = declared_by(section.name);
    if (kind && name && name->is(Node::Type::kString)) {
      declare(*kind, name->text, {item.begin, std::max(item.end, name->end)}, *name, name->end);
      find_groups(name->text);
    }
    read_keys(section.keys, item);
    local_.clear();
  }

  void read_coordinate(const Node& item) {
    const Node* name = item.is(Node::Type::kTable) ? item.find("name") : &item;
    if (!name || !name->is(Node::Type::kString)) return;
    local_ = index_of(item);
    declare(NameKind::kCoordinate, name->text, {item.begin, item.end}, item, item.end);
    find_groups(name->text);
    read_keys(modelfile::coordinate_keys(), item);
    local_.clear();
  }

  // --- uses

  // The index that the key `for` of a table names.
  static std::vector<std::string> index_of(const Node& table) {
    const std::string range = string_at(table, "for");
    std::string name = trimmed(std::string_view(range).substr(0, std::min(range.find(" in "), range.size())));
    if (name.empty()) return {};
    return {std::move(name)};
  }

  void find_in(const MappedText& text, NameKinds values) { find_names(text, values, local_, table_.used); }

  // The names in the groups {…} of a text.
  void find_groups(const MappedText& text) {
    for (std::size_t open = text.text.find('{'); open != std::string::npos; open = text.text.find('{', open + 1)) {
      const std::size_t closed = std::min(text.text.find('}', open), text.text.size());
      find_in(text.part(open + 1, closed), set_of(NameKind::kInteger));
    }
  }

  void use(const Node& node, NameKinds kinds) {
    if (!node.is(Node::Type::kString)) return;
    find_groups(node.text);
    const Span place = node.text.span();
    if (kinds != 0 && node.text.text != "ground")
      table_.used.push_back({kinds, node.text.text, {place.begin, place.end}});
  }

  void read_keys(std::span<const Key> keys, const Node& table) {
    for (const Entry& entry : table.entries) {
      const auto key = std::ranges::find(keys, entry.key, &Key::name);
      if (key != keys.end()) read_value(*key, entry.key, entry.node);
    }
  }

  // Every string in a node, however deep in lists, as an expression.
  void read_expressions(const Node& node) {
    if (node.is(Node::Type::kString))
      find_in(node.text, section_ == "study" ? kValues | set_of(NameKind::kOutput) : kValues);
    for (const Node& item : node.items) read_expressions(item);
  }

  // Every string in a node as a name.
  void read_uses(const Node& node, NameKinds kinds) {
    use(node, kinds);
    for (const Node& item : node.items) read_uses(item, kinds);
  }

  // A table whose keys are quantities of the model.
  void read_quantities(std::string_view key, const Node& node) {
    if (node.is(Node::Type::kArray)) {
      for (const Node& item : node.items) {
        local_ = index_of(item);
        read_quantities(key, item);
        local_.clear();
      }
      return;
    }
    const bool measures = section_ == "study" && key == "measure";
    for (const Entry& entry : node.entries) {
      if (!measures && entry.key != "for") find_in(text_of_key(entry), kValues);
      if (entry.key == "for")
        read_range(entry.node);
      else if (section_ != "study" || measures)
        read_expressions(entry.node);
    }
  }

  void read_range(const Node& node) {
    if (node.is(Node::Type::kString)) find_names(node.text, set_of(NameKind::kInteger), index_in(node), table_.used);
  }
  static std::vector<std::string> index_in(const Node& range) {
    const std::string& text = range.text.text;
    return {trimmed(std::string_view(text).substr(0, std::min(text.find(" in "), text.size())))};
  }

  void read_value(const Key& key, std::string_view written, const Node& node) {
    switch (key.kind) {
      case Kind::kRange:
        return read_range(node);
      case Kind::kName:
        if (section_ == "claim" && written == "entry") return read_entry(node);
        [[fallthrough]];
      case Kind::kNames:
      case Kind::kFourNames:
      case Kind::kLines:
      case Kind::kNameList:
      case Kind::kOneOrMoreNames:
        if (written != "name" && written != "unit" && written != "latex") read_uses(node, kinds_at(section_, written));
        return;
      case Kind::kExpression:
      case Kind::kExpressions:
      case Kind::kVector:
      case Kind::kMoment:
      case Kind::kInertia:
      case Kind::kQuantity:
        return read_expressions(node);
      case Kind::kInput:
        if (!node.is(Node::Type::kTable)) read_expressions(node);
        return;
      case Kind::kRotation:
        return read_rotation(node);
      case Kind::kParts:
        return read_keys(key.parts, node);
      case Kind::kCircles:
        for (const Node& item : node.items) read_item_of_parts(key, item);
        return;
      case Kind::kQuantities:
      case Kind::kSettings:
      case Kind::kTexts:
        return read_quantities(written, node);
      case Kind::kCoordinates:
        for (const Node& item : node.items) read_coordinate(item);
        return;
      default:
        return;
    }
  }

  void read_item_of_parts(const Key& key, const Node& item) {
    local_ = index_of(item);
    read_keys(key.parts, item);
    local_.clear();
  }

  // An angle, or [[axis, angle], …] with letters or vectors as axes.
  void read_rotation(const Node& node) {
    if (!node.is(Node::Type::kArray)) return read_expressions(node);
    for (const Node& turn : node.items) {
      if (turn.items.size() != 2) continue;
      if (turn.items[0].is(Node::Type::kArray)) read_expressions(turn.items[0]);
      read_expressions(turn.items[1]);
    }
  }

  // An entry of the equations, "B[phi]": the names in its brackets.
  void read_entry(const Node& node) {
    if (!node.is(Node::Type::kString)) return;
    const std::size_t open = node.text.text.find('[');
    if (open != std::string::npos)
      find_in(node.text.part(open, node.text.text.size()), kValues | set_of(NameKind::kConstraint));
  }

  NameTable& table_;
  std::string_view text_;
  std::string_view section_;
  std::vector<std::string> local_;
};

}  // namespace

std::string_view word(NameKind kind) {
  constexpr std::array<std::string_view, 13> kWords{
      "coordinate", "parameter", "integer",    "definition", "input", "quasi-velocity", "point",
      "frame",      "body",      "constraint", "friction",   "event", "output"};
  return kWords[static_cast<std::size_t>(kind)];
}

bool stands_for(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    if (pattern[0] == '{') {
      pattern.remove_prefix(std::min(pattern.find('}'), pattern.size() - 1) + 1);
      std::size_t taken = 0;
      if (!name.empty() && name[0] == '{')
        taken = std::min(name.find('}'), name.size() - 1) + 1;
      else
        while (taken < name.size() && std::isdigit(static_cast<unsigned char>(name[taken])) != 0) ++taken;
      if (taken == 0) return false;
      name.remove_prefix(taken);
    } else {
      if (name.empty() || name[0] != pattern[0]) return false;
      pattern.remove_prefix(1);
      name.remove_prefix(1);
    }
  }
  return name.empty();
}

const DeclaredName* NameTable::find(NameKinds kinds, std::string_view name) const {
  // friction(corner) is that of the [[friction]], where a constraint has the same name; so too an event's time.
  constexpr NameKinds kFirst = set_of(NameKind::kFriction) | set_of(NameKind::kEvent);
  if ((kinds & kFirst) != 0 && (kinds & ~kFirst) != 0)
    if (const DeclaredName* first = find(kinds & kFirst, name)) return first;
  for (const DeclaredName& one : declared)
    if ((kinds & set_of(one.kind)) != 0 && one.name == name) return &one;
  for (const DeclaredName& one : declared)
    if ((kinds & set_of(one.kind)) != 0 && one.repeated() && stands_for(one.name, name)) return &one;
  if (name.find('{') != std::string_view::npos)
    for (const DeclaredName& one : declared)
      if ((kinds & set_of(one.kind)) != 0 && stands_for(name, one.name)) return &one;
  return nullptr;
}

const UsedName* NameTable::use_at(std::uint32_t offset) const {
  const UsedName* found = nullptr;
  for (const UsedName& use : used)
    if (use.place.has(offset) && (!found || use.place.begin >= found->place.begin)) found = &use;
  return found;
}

const DeclaredName* NameTable::at(std::uint32_t offset) const {
  const UsedName* use = use_at(offset);
  if (use)
    if (const DeclaredName* meant = declaration_of(*use)) return meant;
  for (const DeclaredName& one : declared)
    if (one.place.has(offset)) return &one;
  return nullptr;
}

NameTable read_names(SourcePtr source) {
  NameTable table;
  table.source = std::move(source);
  read_tree(table);
  TableReader(table).read();
  return table;
}

}  // namespace dalembert::editor
