// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/file.h"
#include "dalembert/base/file.h"
#include "dalembert/base/sha256.h"

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

// An output stream buffer over a C file, because C++ libraries without a file system (WASI) have no file streams.
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

// Writes the file. Returns an empty text on success, else the reason of the failure.
std::string write_contents(const std::string& place, const std::function<void(std::ostream&)>& write) {
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

// Longest file name in common file systems, in bytes.
constexpr std::size_t kLongestName = 255;

std::size_t name_begins(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? 0 : slash + 1;
}

// The path with its file name cut to at most `most` bytes, at a character boundary.
std::string cut_name(const std::string& path, std::size_t most) {
  const std::size_t begin = name_begins(path);
  if (path.size() - begin <= most) return path;
  std::size_t end = begin + most;
  while (end > begin && (static_cast<unsigned char>(path[end]) & 0xC0) == 0x80) --end;
  return path.substr(0, end);
}

bool make_new_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

constexpr std::string_view kUnfinished = ".part";
constexpr std::size_t kNumber = 8;  // bytes reserved for -2, -3, …

std::string unfinished_name(const std::string& path) {
  const std::string process = fmt::format(".{}", ::getpid());
  return free_name(cut_name(path, kLongestName - kUnfinished.size() - process.size() - kNumber) + process, kUnfinished);
}

}  // namespace

std::string free_name(const std::string& stem, std::string_view ending) {
  struct stat about {};
  const std::string beginning = cut_name(stem, kLongestName - ending.size() - kNumber);
  std::string name =
      fmt::format("{}{}", stem.size() - name_begins(stem) + ending.size() <= kLongestName ? stem : beginning, ending);
  for (int number = 2; ::lstat(name.c_str(), &about) == 0; ++number)
    name = fmt::format("{}-{}{}", beginning, number, ending);
  return name;
}

std::string name_with_ending(const std::string& path, std::string_view ending) {
  const std::string name = path.substr(name_begins(path));
  if (name.size() + ending.size() <= kLongestName) return fmt::format("{}{}", path, ending);
  const std::string hash = "-" + sha256(name).substr(0, 8);
  return fmt::format("{}{}{}", cut_name(path, kLongestName - hash.size() - ending.size()), hash, ending);
}

UnfinishedFile::UnfinishedFile(const std::string& path)
    : path_(path), place_(unfinished_name(path)), temporary_(place_), made_(make_new_file(place_)) {
  if (!made_) problem_ = last_error();
}

UnfinishedFile::~UnfinishedFile() {
  if (made_) ::unlink(place_.c_str());
}

std::string UnfinishedFile::become_final() {
  if (std::rename(place_.c_str(), path_.c_str()) != 0) return last_error();
  made_ = false;
  return {};
}

Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  struct stat about {};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return cannot_write(path, "it is a folder");
  if (exists && !S_ISREG(about.st_mode)) {
    const std::string why = write_contents(path, write);
    return why.empty() ? Diagnostics{} : cannot_write(path, why);
  }
  UnfinishedFile file(path);
  std::string why = file.problem();
  if (why.empty()) why = write_contents(file.place(), write);
  if (why.empty()) why = file.become_final();
  return why.empty() ? Diagnostics{} : cannot_write(path, why);
}

Result<SourcePtr> read_file(const std::string& path) {
  auto text = read_text(path, "E0502");
  if (!text) return text.diagnostics();
  return make_source(path, std::move(text).value());
}

}  // namespace dalembert
