// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/row_files.h"

#include <charconv>
#include <queue>
#include <system_error>
#include <utility>

namespace dalembert::sweeping {

RowFile::RowFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {}

bool RowFile::next_line() {
  if (!file_) return false;
  char* text = buffer_.release();
  const auto length = ::getline(&text, &size_, file_.get());
  buffer_.reset(text);
  if (length <= 0 || text[length - 1] != '\n') return false;
  line_ = std::string_view(text, static_cast<std::size_t>(length - 1));
  return true;
}

bool RowFile::next() {
  if (!next_line()) return false;
  const char* const end = line_.data() + line_.size();
  const auto read = std::from_chars(line_.data(), end, index_);
  return read.ec == std::errc() && read.ptr < end && *read.ptr == ',' && index_ >= 0;
}

void merge_rows(std::vector<RowFile>& files, const std::function<bool(const RowFile& row)>& visit) {
  using Entry = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  for (std::size_t k = 0; k < files.size(); ++k)
    if (files[k].next()) waiting.emplace(files[k].index(), k);
  while (!waiting.empty()) {
    RowFile& first = files[waiting.top().second];
    const std::size_t which = waiting.top().second;
    waiting.pop();
    if (!visit(first)) return;
    if (first.next()) waiting.emplace(first.index(), which);
  }
}

std::string_view field_of(std::string_view row, std::size_t k) {
  std::size_t begin = 0;
  for (; k > 0; --k) {
    begin = row.find(',', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  return row.substr(begin, row.find(',', begin) - begin);
}

}  // namespace dalembert::sweeping
