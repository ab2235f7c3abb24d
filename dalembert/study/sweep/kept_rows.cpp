// SPDX-License-Identifier: Apache-2.0
#if !defined(__wasi__)  // WebAssembly has neither threads nor folders here: a Sweep::Worker makes runs one by one
#include "dalembert/study/sweep/kept_rows.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/sweep/row_files.h"
#include "dalembert/study/sweep/study_output.h"

namespace dalembert::sweeping {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kManyFiles = 64;
constexpr std::string_view kRows = ".rows", kMixed = ".mixed";
constexpr std::size_t kMostMixed = std::size_t{1} << 28;  // bytes of a file that is sorted in memory

Diagnostic not_written(const std::string& path, const std::string& why) {
  return error("E0501", fmt::format("cannot write `{}`: {}", path, why));
}

std::string folder_of(const std::string& output) { return name_with_ending(output, ".parts"); }

bool put(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

// What differs between two descriptions: the first words of their first different lines.
std::string difference(std::string_view before, std::string_view now) {
  while (!before.empty() || !now.empty()) {
    const std::string_view a = before.substr(0, before.find('\n')), b = now.substr(0, now.find('\n'));
    if (a != b) {
      const std::string_view line = b.empty() ? a : b;
      const std::size_t word = line.find(' ');
      const std::string_view what = line.substr(0, word);
      if (what == "vary" || what == "sample" || what == "measure")
        return fmt::format("`{}`", line.substr(0, line.find(' ', word + 1)));
      return what == "model" ? "the model" : what == "run" ? "an option of the run" : fmt::format("the {}", what);
    }
    before.remove_prefix(std::min(a.size() + 1, before.size()));
    now.remove_prefix(std::min(b.size() + 1, now.size()));
  }
  return "the program";
}

}  // namespace

void count_row(bool holds, std::string_view status, SweepCount& count) {
  if (holds) ++count.holds;
  ++(status == "ok" ? count.ok : status == "stopped" ? count.stopped : count.failed);
}

KeptRows::KeptRows(const std::string& output, const StudyMark& mark)
    : output_(output), folder_(folder_of(output)), kept_(static_cast<std::size_t>(mark.runs)) {
  count_.runs = runs_of(mark.runs, mark.shard, mark.shards);
}

KeptRows::~KeptRows() {
  if (lock_ >= 0) ::close(lock_);
}

Result<std::unique_ptr<KeptRows>> KeptRows::open(const std::string& output, const StudyMark& mark,
                                                 const std::string& description, std::size_t columns) {
  std::unique_ptr<KeptRows> rows(new KeptRows(output, mark));
  std::error_code failed;
  fs::create_directory(rows->folder_, failed);
  if (failed) return not_written(rows->folder_, failed.message());
  const std::string path = rows->folder_ + "/study", text = mark.text() + "\n" + description;
  rows->lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (rows->lock_ < 0) return not_written(path, std::strerror(errno));
  if (!lock(rows->lock_)) {
    Diagnostic busy = error("E0424", fmt::format("another sweep is writing `{}`", output));
    busy.help.emplace_back("wait for it, or name another --output");
    return busy;
  }
  const Result<SourcePtr> before = read_file(path);
  if (!before) return before.diagnostics();
  if ((*before)->text().empty()) {
    if (!put(rows->lock_, text)) return not_written(path, std::strerror(errno));
  } else if ((*before)->text() != text) {
    const std::string_view old = (*before)->text();
    Diagnostic other = error("E0423", fmt::format("`{}` holds rows of another study: {} differs", rows->folder_,
                                                  difference(old.substr(old.find('\n') + 1), description)));
    other.help.emplace_back("`--restart` forgets them; another --output keeps them");
    return other;
  }
  if (Diagnostics problems = rows->read_rows(columns); !problems.empty()) return problems;
  return rows;
}

std::vector<std::string> KeptRows::files_with(std::string_view ending) const {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ending) files.push_back(at->path().string());
  std::ranges::sort(files);
  return files;
}

Diagnostics KeptRows::sort_files() {
  for (const std::string& path : files_with(kMixed)) {
    std::vector<std::pair<std::int64_t, std::string>> lines;
    for (RowFile rows(path); rows.next();) lines.emplace_back(rows.index(), rows.line());
    std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first; });
    const Diagnostics problems =
        write_file(path.substr(0, path.size() - kMixed.size()) + std::string(kRows), [&](std::ostream& out) {
          for (const auto& line : lines) out << line.second << '\n';
        });
    if (!problems.empty()) return problems;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  return {};
}

Diagnostics KeptRows::read_rows(std::size_t columns) {
  if (Diagnostics problems = sort_files(); !problems.empty()) return problems;
  const std::vector<std::string> files = files_with(kRows);
  for (const std::string& path : files) {
    RowFile rows(path);
    while (rows.next()) {
      const auto index = static_cast<std::size_t>(rows.index());
      if (index >= kept_.size() || kept_[index]) continue;
      kept_[index] = true;
      count_row(field_of(rows.line(), columns + 1) == "1", field_of(rows.line(), columns + 2), count_);
    }
    const std::string name = fs::path(path).stem().string();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    next_ = std::max(next_, number + 1);
  }
  count_.earlier = count_.made();
  return files.size() > kManyFiles ? join_files() : Diagnostics{};
}

// Calls that were stopped again and again leave many files: they become one.
Diagnostics KeptRows::join_files() {
  const std::vector<std::string> files = files_with(kRows);
  const std::string joined = fmt::format("{}/{}{}", folder_, next_++, kRows);
  Diagnostics problems = write_file(joined, [&](std::ostream& out) {
    std::vector<RowFile> rows;
    for (const std::string& path : files) rows.emplace_back(path);
    merge_rows(rows, [&](const RowFile& row) { return static_cast<bool>(out << row.line() << '\n'); });
  });
  std::error_code ignored;
  if (problems.empty())
    for (const std::string& path : files) fs::remove(path, ignored);
  return problems;
}

KeptRows::Writer::Writer(std::function<std::string()> next_path, bool mixed)
    : next_path_(std::move(next_path)), mixed_(mixed) {}

KeptRows::Writer::~Writer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void KeptRows::Writer::add(std::string_view line) {
  const std::lock_guard<std::mutex> hold(mutex_);
  text_ += line;
  text_ += '\n';
}

std::string KeptRows::Writer::flush() {
  std::string text;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    text.swap(text_);
  }
  if (text.empty()) return {};
  if (mixed_ && written_ > kMostMixed) {
    ::close(std::exchange(descriptor_, -1));
    written_ = 0;
  }
  if (descriptor_ < 0)
    descriptor_ = ::open(next_path_().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0 || !put(descriptor_, text)) return std::strerror(errno);
  written_ += text.size();
  return {};
}

std::unique_ptr<KeptRows::Writer> KeptRows::new_writer(bool mixed) {
  return std::make_unique<Writer>(
      [this, mixed] { return fmt::format("{}/{}{}", folder_, next_++, mixed ? kMixed : kRows); }, mixed);
}

Diagnostics KeptRows::finish(const StudyHead& head) {
  // Each row is followed by seconds and machine, which go to the log. Two calls may have made the same row.
  const auto each = [&](const std::function<bool(const RowFile& row, std::string_view line, std::size_t tab)>& visit) {
    std::vector<RowFile> rows;
    for (const std::string& file : files_with(kRows)) rows.emplace_back(file);
    std::int64_t last = -1;
    merge_rows(rows, [&](const RowFile& row) {
      if (row.index() == last) return true;
      last = row.index();
      const std::string_view line = row.line();
      return visit(row, line, std::min(line.rfind('\t', line.rfind('\t') - 1), line.size()));
    });
  };
  if (Diagnostics unsorted = sort_files(); !unsorted.empty()) return unsorted;
  Diagnostics problems = write_file(name_with_ending(output_, ".log"), [&](std::ostream& out) {
    out << head.text() << kLogHeader << '\n';
    each([&](const RowFile& row, std::string_view line, std::size_t tab) {
      const std::size_t second = line.rfind('\t');
      out << row.index() << ',' << line.substr(tab + 1, second - tab - 1) << ',' << line.substr(second + 1) << '\n';
      return static_cast<bool>(out);
    });
  });
  if (problems.empty())
    problems = write_study(output_, head, [&](const TakeRow& take) {
      each([&](const RowFile&, std::string_view line, std::size_t tab) { return take(line.substr(0, tab)); });
      return true;
    });
  if (problems.empty()) forget(output_);
  return problems;
}

void KeptRows::forget_left(const std::string& output, const StudyMark& mark, const std::string& description,
                           std::size_t columns) {
  std::error_code failed;
  if (fs::exists(folder_of(output), failed) && open(output, mark, description, columns)) forget(output);
}

void KeptRows::forget(const std::string& output) {
  std::error_code ignored;
  fs::remove_all(folder_of(output), ignored);
}

}  // namespace dalembert::sweeping
#endif
