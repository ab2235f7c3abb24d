// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/partial_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/run_files.h"

namespace dalembert {
namespace {

constexpr std::size_t kManyRows = 20'000;
// Rows that are formatted as one block, whose text stays in the processor's cache.
constexpr std::size_t kRowsAtOnce = 1'000;
constexpr std::chrono::seconds kBetweenWrites{1};

Diagnostic cannot_keep(const std::string& path, const std::string& why) {
  return error("E0501", fmt::format("cannot write `{}`: {}", path, why));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// Counts the rows below the header and reads the time of the last complete line. `whole`: end of that line in bytes; an
// incomplete line after it is to be cut off.
LeftRows examine(int descriptor, std::uint64_t& whole) {
  LeftRows left;
  std::string line, last;  // current line, at most kTime characters (enough for its time); last complete line
  constexpr std::size_t kTime = 64;
  std::size_t lines = 0;
  std::uint64_t at = 0;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      const char c = buffer[static_cast<std::size_t>(i)];
      if (c != '\n') {
        if (line.size() < kTime) line += c;
        continue;
      }
      whole = at + static_cast<std::uint64_t>(i) + 1;
      ++lines;
      last.swap(line);
      line.clear();
    }
    at += static_cast<std::uint64_t>(got);
  }
  left.rows = lines > 1 ? lines - 1 : 0;
  left.until = parse_double(std::string_view(last).substr(0, last.find(','))).value_or(0);
  return left;
}

bool is_file(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

// Locks the file; false if another process holds it. WASI has a single process and no locks.
bool lock(int descriptor) {
#if defined(__wasi__)
  static_cast<void>(descriptor);
  return true;
#else
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
#endif
}

// Opens `path`, creating it if necessary, and locks it for this process; an error if that fails.
Result<int> open_locked(const std::string& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return cannot_keep(path, std::strerror(errno));
    if (!lock(descriptor)) {
      ::close(descriptor);
      Diagnostic d = cannot_keep(path, "another run is still writing it");
      d.help.push_back("give this run another output file");
      return d;
    }
    // If the owner renamed the file between opening and locking, try again.
    if (is_file(descriptor, path)) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

PartialRun::PartialRun(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), unused_(path_) {}

PartialRun::~PartialRun() {
  // A run without rows leaves no file.
  if (!over_ && written_ == 0 && !failed_) discard();
  ::close(descriptor_);
}

Result<std::unique_ptr<PartialRun>> PartialRun::begin(const std::string& output) {
  const std::string path = name_with_ending(output, ".partial");
  Result<int> descriptor = open_locked(path);
  if (!descriptor) return descriptor.diagnostics();
  std::uint64_t whole = 0;
  LeftRows left = examine(*descriptor, whole);
  std::optional<LeftRows> kept;
  if (left.rows > 0) {
    left.path = free_name(std::filesystem::path(output).replace_extension().string() + ".partial", ".csv");
    const bool moved =
        ::ftruncate(*descriptor, static_cast<off_t>(whole)) == 0 && ::rename(path.c_str(), left.path.c_str()) == 0;
    const int why = errno;
    ::close(*descriptor);
    if (!moved) return cannot_keep(left.path, std::strerror(why));
    kept = std::move(left);
    descriptor = open_locked(path);
    if (!descriptor) return descriptor.diagnostics();
  } else if (::ftruncate(*descriptor, 0) != 0) {
    const int why = errno;
    ::close(*descriptor);
    return cannot_keep(path, std::strerror(why));
  }
  std::unique_ptr<PartialRun> run(new PartialRun(path, *descriptor));
  run->left_ = std::move(kept);
  return run;
}

bool PartialRun::add(const Trajectory& trajectory) {
  const std::size_t rows = trajectory.rows_of_run();
  if (failed_ || rows <= written_) return false;
  if (rows - written_ < kManyRows && Clock::now() - last_ < kBetweenWrites) return false;
  write_new_rows(trajectory);
  last_ = Clock::now();
  return !failed_;
}

void PartialRun::write_new_rows(const Trajectory& trajectory) {
  const std::vector<Trajectory::Column> columns = trajectory.columns();
  text_.clear();
  if (written_ == 0) append_csv_header(columns, text_);
  // Rows that the trajectory has forgotten are written already.
  const std::size_t first = written_ == 0 ? 0 : written_ - trajectory.forgotten;
  for (std::size_t row = first; row < trajectory.size() && !failed_; row += kRowsAtOnce) {
    append_csv_rows(columns, row, std::min(row + kRowsAtOnce, trajectory.size()), text_);
    failed_ = !write_all(descriptor_, text_);
    if (failed_) why_failed_ = errno;
    text_.clear();
  }
  if (failed_ || trajectory.size() == 0) return;
  unused_.reset();  // from now on the file must survive a signal
  written_ = trajectory.rows_of_run();
  until_ = trajectory.time.back();
}

Diagnostics PartialRun::become(const std::string& output, const Trajectory& trajectory) {
  if (!failed_) write_new_rows(trajectory);
  over_ = true;
  if (!failed_ && ::rename(path_.c_str(), output.c_str()) == 0) return {};
  Diagnostics problems = trajectory.forgotten == 0 ? write_csv(trajectory, output)
                                                   : Diagnostics{cannot_keep(output, std::strerror(why_failed_))};
  if (problems.empty()) {
    discard();
  } else if (written_ > 0) {
    problems.back().notes.push_back(fmt::format("the run up to t = {} s is in `{}`", to_text(until_, 6), path_));
  }
  return problems;
}

void PartialRun::discard() {
  unused_.reset();
  over_ = true;
  ::unlink(path_.c_str());
}

}  // namespace dalembert
