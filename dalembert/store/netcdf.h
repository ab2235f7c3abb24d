// SPDX-License-Identifier: Apache-2.0
// Arrays with names, dimensions and attributes in NetCDF-4 files. Debian's libnetcdf reads and writes them; it is opened
// when the first such file is created or opened, so that a program starts without it. The library is for one thread at a time: a
// file belongs to the thread that made it, and other threads wait until it is closed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

enum class NetcdfType { kNumber, kByte, kCharacter, kText };

struct NetcdfHead {
  using Attributes = std::vector<std::pair<std::string, std::string>>;  ///< names and texts
  struct Dimension {
    std::string name;
    std::size_t length = 0;
  };
  struct Variable {
    std::string name;
    NetcdfType type = NetcdfType::kNumber;
    std::vector<std::size_t> dimensions;  ///< indices in NetcdfHead::dimensions
    Attributes attributes = {};
  };
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;
  Attributes attributes = {};
};

/// The text of an attribute, or an empty text.
std::string attribute_of(const NetcdfHead::Attributes& attributes, std::string_view name);

/// Values of a block of a variable, the last dimension fastest: numbers, bytes, characters or texts, as the variable's type says.
using NetcdfValues = std::variant<std::vector<double>, std::vector<signed char>, std::string, std::vector<std::string>>;

/// A block of a variable: its first index and its length in each dimension.
struct NetcdfBlock {
  std::vector<std::size_t> start, count;
};

/// Error E0510 if NetCDF files cannot be read or written here. `instead`: what to do without them.
Diagnostics require_netcdf(const std::string& path, const std::string& instead);

class NetcdfWriter {
 public:
  /// Replaces what is at `path`; messages call it `named`. Errors: E0501, E0510.
  static Result<std::unique_ptr<NetcdfWriter>> create(const std::string& path, const std::string& named,
                                                      const NetcdfHead& head);
  virtual ~NetcdfWriter() = default;
  /// Why the block could not be written; empty on success.
  virtual std::string put(std::size_t variable, const NetcdfBlock& block, const NetcdfValues& values) = 0;
  /// Why the file could not be completed; empty on success.
  virtual std::string close() = 0;
};

class NetcdfReader {
 public:
  /// Variables of other types than those of NetcdfType, and attributes that are no texts, are left out of head(). Errors: E0502, E0510.
  static Result<std::unique_ptr<NetcdfReader>> open(const std::string& path);
  virtual ~NetcdfReader() = default;
  virtual const NetcdfHead& head() const = 0;
  /// Why the block could not be read; empty on success.
  virtual std::string get(std::size_t variable, const NetcdfBlock& block, NetcdfValues& values) = 0;
};

}  // namespace dalembert
