// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_cache.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "dalembert/base/temporary_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__unix__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace dalembert {
namespace {

// An entry is a header, the request, the maker (code_maker.h) and the object.
struct Header {
  std::array<char, 8> magic{'d', 'a', 'l', 'k', 'e', 'r', 'n', '3'};
  CodeKey key{};
  std::uint64_t request_size = 0, maker_size = 0, object_size = 0;
  CodeKey checksum{};  // checksum of maker and object; find() compares the request byte by byte instead
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 64);

constexpr std::string_view kSuffix = ".kernel";

// Whether a file is an entry (32 digits and the suffix) or the temporary file of a writer that died (then a point and
// six letters follow). No other files in the folder are ours.
bool is_our_name(std::string_view name) {
  const bool left = name.size() == 32 + kSuffix.size() + 7;
  return (name.size() == 32 + kSuffix.size() || left) && name.substr(32).starts_with(kSuffix) &&
         name.substr(0, 32).find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         (!left || name[32 + kSuffix.size()] == '.');
}

}  // namespace

CodeKey hash_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::filesystem::path CodeCache::default_folder() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const auto own = variable("DALEMBERT_CACHE_DIR"); !own.empty()) return own;
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "dalembert" / "kernels";
  if (const auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "dalembert" / "kernels";
  return {};
}

std::filesystem::path CodeCache::file(const CodeKey& key) const {
  std::array<char, 33> name{};
  std::snprintf(name.data(), name.size(), "%016llx%016llx", static_cast<unsigned long long>(key[0]),
                static_cast<unsigned long long>(key[1]));
  return folder_ / (std::string(name.data()) + std::string(kSuffix));
}

#if defined(__unix__)

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

  bool read_all(void* to, std::size_t size) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = read(number_, at, size);
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  bool write_all(const void* from, std::size_t size) const {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t put = write(number_, at, size);
      if (put <= 0) return false;
      at += put;
      size -= static_cast<std::size_t>(put);
    }
    return true;
  }

 private:
  int number_;
};

// Whether nobody else can put a file into the folder. The folder must belong to this user, and nobody else may write to
// it. Each folder above it (on the path as given and on the path with links resolved) must belong to this user or to
// root, and nobody else may write to it, unless it is sticky (as /tmp), where others can change only their own files.
bool is_safe_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path written = std::filesystem::absolute(folder, error);
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto is_ours = [](const std::filesystem::path& place, bool innermost) {
    struct stat about {};
    if (stat(place.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return false;
    const bool shared = (about.st_mode & (S_IWGRP | S_IWOTH)) != 0, sticky = (about.st_mode & S_ISVTX) != 0;
    return (about.st_uid == geteuid() || (!innermost && about.st_uid == 0)) && (!shared || (sticky && !innermost));
  };
  for (const std::filesystem::path& path : {written, real})
    for (std::filesystem::path at = path;; at = at.parent_path()) {
      if (!is_ours(at, at == path)) return false;
      if (at == at.parent_path()) break;
    }
  return true;
}

}  // namespace

std::optional<CodeCache::Kept> CodeCache::find(const CodeKey& key, std::span<const std::byte> request) const {
  if (folder_.empty()) return std::nullopt;
  if (!is_safe_folder(folder_)) return std::nullopt;
  const Descriptor input(open(file(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (input.number() < 0) return std::nullopt;
  // The file is code that will run, so nobody else may have been able to write it.
  struct stat about {};
  if (fstat(input.number(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
      (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return std::nullopt;
  Header header;
  const auto length = static_cast<std::uint64_t>(about.st_size);
  if (length < sizeof header || length > kLimit || !input.read_all(&header, sizeof header)) return std::nullopt;
  const std::uint64_t rest = length - sizeof header;
  if (header.magic != Header{}.magic || header.key != key || header.request_size != request.size() ||
      header.request_size > rest || header.maker_size > rest - header.request_size ||
      header.object_size != rest - header.request_size - header.maker_size)
    return std::nullopt;
  std::vector<std::byte> made_from(header.request_size), made(header.maker_size + header.object_size);
  if (!input.read_all(made_from.data(), made_from.size()) || !std::ranges::equal(made_from, request))
    return std::nullopt;
  if (!input.read_all(made.data(), made.size()) || hash_of(made) != header.checksum) return std::nullopt;
  futimens(input.number(), nullptr);  // the file's time says when the entry was last used
  const auto object = made.begin() + static_cast<std::ptrdiff_t>(header.maker_size);
  return Kept{{object, made.end()}, {reinterpret_cast<const char*>(made.data()), header.maker_size}};
}

void CodeCache::store(const CodeKey& key, std::span<const std::byte> request, std::span<const std::byte> object,
                      std::string_view maker) const {
  if (folder_.empty()) return;
  std::error_code error;
  if (!std::filesystem::is_directory(folder_, error)) {
    std::filesystem::create_directories(folder_.parent_path(), error);
    if (mkdir(folder_.c_str(), S_IRWXU) != 0 && !std::filesystem::is_directory(folder_, error)) return;
  }
  if (!is_safe_folder(folder_)) return;
  const std::filesystem::path place = file(key);
  std::string temporary = place.string() + ".XXXXXX";
  {
    const Descriptor output(mkstemp(temporary.data()));
    if (output.number() < 0) return;
    const TemporaryFile unfinished(temporary);
    const auto maker_bytes = std::as_bytes(std::span(maker));
    std::vector<std::byte> made(maker_bytes.begin(), maker_bytes.end());
    made.insert(made.end(), object.begin(), object.end());
    const Header header{.key = key,
                        .request_size = request.size(),
                        .maker_size = maker.size(),
                        .object_size = object.size(),
                        .checksum = hash_of(made)};
    if (!output.write_all(&header, sizeof header) || !output.write_all(request.data(), request.size()) ||
        !output.write_all(made.data(), made.size())) {
      unlink(temporary.c_str());
      return;
    }
  }
  if (rename(temporary.c_str(), place.c_str()) != 0) unlink(temporary.c_str());
  if (key[0] % 16 == 0) trim();
}

#else

std::optional<CodeCache::Kept> CodeCache::find(const CodeKey&, std::span<const std::byte>) const {
  return std::nullopt;
}
void CodeCache::store(const CodeKey&, std::span<const std::byte>, std::span<const std::byte>, std::string_view) const {}

#endif

void CodeCache::trim(std::uintmax_t limit) const {
  struct Entry {
    std::filesystem::file_time_type used;
    std::uintmax_t size;
    std::filesystem::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  std::filesystem::directory_iterator each(folder_, error);
  for (; !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
    std::error_code gone;
    if (!is_our_name(each->path().filename().string()) || !std::filesystem::is_regular_file(each->symlink_status(gone)))
      continue;
    const std::uintmax_t size = each->file_size(gone);
    const auto used = each->last_write_time(gone);
    if (gone) continue;
    entries.push_back({used, size, each->path()});
    total += size;
  }
  if (total <= limit) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit) break;
    std::filesystem::remove(entry.path, error);
    total -= entry.size;
  }
}

}  // namespace dalembert
