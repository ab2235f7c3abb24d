// SPDX-License-Identifier: Apache-2.0
// A TOML document as a tree of nodes in the order of the file, each with its place. Only document.cpp uses the TOML library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"

namespace dalembert::modelfile {

struct Entry;

struct Node {
  enum class Type { kString, kInteger, kFloat, kBoolean, kDate, kArray, kTable };
  Type type = Type::kTable;
  std::uint32_t begin = 0, end = 0;  ///< byte range in the file: of a value with its quotes, of a table its header
  MappedText text;                   ///< text of a string: decoded; of a number: as an expression would write it
  std::int64_t integer = 0;
  double number = 0;  ///< the value of integers and floats; may be nan or inf
  bool boolean = false;
  std::vector<Node> items;     ///< elements of an array
  std::vector<Entry> entries;  ///< entries of a table
  bool bad = false;            ///< an error was reported: readers skip this node

  bool is(Type wanted) const { return type == wanted; }
  bool is_number() const { return type == Type::kInteger || type == Type::kFloat; }
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
};

struct Entry {
  std::string key;
  std::uint32_t key_begin = 0, key_end = 0;
  Node node;
};

struct Document {
  SourcePtr source;
  Node root;
  Span span(const Node& node) const { return {source, node.begin, node.end}; }
  Span key_span(const Entry& entry) const { return {source, entry.key_begin, entry.key_end}; }
};

/// Errors: E0002 (not TOML; only the first error is reported), E0003 (not UTF-8), E0106 (keys nested too deeply).
Result<Document> read_document(SourcePtr source);

/// The end of the string that opens at byte `at`: behind its closing quotes, or the end of its line or of the text if it is not closed.
std::size_t string_end(std::string_view text, std::size_t at);

/// The name of a type in messages: "a string", "an integer", …
std::string_view type_name(Node::Type type);

}  // namespace dalembert::modelfile
