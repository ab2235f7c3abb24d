// SPDX-License-Identifier: Apache-2.0
// Files of rows that each begin with an index, in ascending order.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::sweeping {

/// Reads a file line by line. A last line without a line end, which a process that was killed left, is not read.
class RowFile {
 public:
  explicit RowFile(const std::string& path);
  bool open() const { return file_ != nullptr; }
  /// Reads a line that need not begin with an index.
  bool next_line();
  /// Reads the next row; false at the end of the file, and at a line that is no row.
  bool next();
  /// Valid until the next line is read, without the line end.
  std::string_view line() const { return line_; }
  std::int64_t index() const { return index_; }
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<char, Free> buffer_;
  std::size_t size_ = 0;
  std::string_view line_;
  std::int64_t index_ = -1;
};

/// Visits the rows of all files in ascending order of their index. The files stand before their first row. Stops where `visit` returns false.
void merge_rows(std::vector<RowFile>& files, const std::function<bool(const RowFile& row)>& visit);

/// Field k of a row without quotes before it.
std::string_view field_of(std::string_view row, std::size_t k);

}  // namespace dalembert::sweeping
