// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/file.h"
#include "dalembert/base/file.h"
#include "dalembert/base/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <streambuf>

#include <fmt/format.h>

namespace dalembert {
namespace {

Diagnostics cannot_write(const std::string& path, const std::string& why) {
  return {error("E0501", fmt::format("cannot write `{}`: {}", path, why))};
}

std::string last_error() { return errno != 0 ? std::strerror(errno) : "unknown reason"; }

// A stream to a file of C: C++ libraries without a file system (WASI) have no file streams.
class FileBuffer final : public std::streambuf {
 public:
  explicit FileBuffer(std::FILE* file) : file_(file) {}

 private:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(count), file_));
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return std::fputc(traits_type::to_char_type(c), file_) == EOF ? traits_type::eof() : c;
  }
  int sync() override { return std::fflush(file_); }

  std::FILE* file_;
};

// Empty, or what went wrong.
std::string fill(const std::string& place, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::FILE* const file = std::fopen(place.c_str(), "wb");
  if (file == nullptr) return last_error();
  FileBuffer buffer(file);
  std::ostream out(&buffer);
  write(out);
  std::string why;
  if (!out) why = last_error();
  if (std::fclose(file) != 0 && why.empty()) why = last_error();
  return why;
}

}  // namespace

std::string free_name(const std::string& stem, std::string_view ending) {
  struct stat about {};
  std::string name = fmt::format("{}{}", stem, ending);
  for (int number = 2; ::lstat(name.c_str(), &about) == 0; ++number)
    name = fmt::format("{}-{}{}", stem, number, ending);
  return name;
}

bool make_new_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

std::string name_beside(const std::string& path, std::string_view ending) {
  return free_name(fmt::format("{}.{}", path, ::getpid()), ending);
}

Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  struct stat about {};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return cannot_write(path, "it is a folder");
  if (exists && !S_ISREG(about.st_mode)) {
    const std::string why = fill(path, write);
    return why.empty() ? Diagnostics{} : cannot_write(path, why);
  }
  const std::string place = name_beside(path, ".part");
  // Registered first, so that no signal finds it unknown.
  const TemporaryFile temporary(place);
  std::string why = make_new_file(place) ? fill(place, write) : last_error();
  if (why.empty() && std::rename(place.c_str(), path.c_str()) != 0) why = last_error();
  if (why.empty()) return {};
  ::unlink(place.c_str());
  return cannot_write(path, why);
}

Result<SourcePtr> read_file(const std::string& path) {
  auto text = read_text(path, "E0502");
  if (!text) {
    Diagnostics problems = text.diagnostics();
    problems.front().help.push_back("runs are written by `dalembert simulate MODEL --output FILE.csv`, or FILE.json");
    return problems;
  }
  return make_source(path, std::move(text).value());
}

}  // namespace dalembert
