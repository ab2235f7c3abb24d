// SPDX-License-Identifier: Apache-2.0
// Object files and the cache that keeps them: any bytes are loaded or refused, never run here. What loads has its
// functions within its pages; an entry of the cache is found as it was stored, and not at all after it was damaged.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dalembert/machine/code_cache.h"
#include "dalembert/machine/elf_object.h"
#include "dalembert/machine/math_symbols.h"
#include "fuzz.h"

using namespace dalembert;

namespace {

// A folder that is gone when the process ends.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dalembert-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "no temporary folder");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void check_loader(std::span<const std::byte> object) {
  std::string why;
  const auto loaded = load_object(object, math_symbol, why);
  require(loaded.has_value() == why.empty(), "refused without a reason");
  use(why);
  if (!loaded) return;
  const std::byte* const begin = loaded->pages.data();
  for (const auto& [name, address] : loaded->functions)
    require(address >= begin && address <= begin + loaded->pages.size(), "a function outside of its pages: " + name);
}

void check_cache(std::span<const std::byte> bytes) {
  static const Folder folder;
  const CodeCache cache(folder.path);
  const CodeKey key{1, 2};
  const std::filesystem::path path = cache.file(key);
  // The first half stands for the request, all of it for the object.
  const std::span<const std::byte> request = bytes.first(bytes.size() / 2);

  // The bytes as an entry: no one knows their checksum by chance.
  std::filesystem::remove(path);
  write(path, bytes);
  require(!cache.find(key, request), "an entry that was not stored");

  cache.store(key, request, bytes);
  const auto found = cache.find(key, request);
  require(found && std::ranges::equal(found->object, bytes), "an entry is not what was stored");
  require(!cache.find({2, 1}, request), "an entry of another key");
  if (!bytes.empty()) require(!cache.find(key, bytes), "an entry of another request");

  // A byte that differs, at a place that the input names.
  std::ifstream file(path, std::ios::binary);
  std::string entry{std::istreambuf_iterator<char>(file), {}};
  std::size_t place = bytes.size();
  if (bytes.size() >= 4)
    place = std::size_t{std::to_integer<std::size_t>(bytes[2])} << 8 | std::to_integer<std::size_t>(bytes[3]);
  entry[place % entry.size()] ^= 1;
  write(path, std::as_bytes(std::span(entry)));
  require(!cache.find(key, request), "a damaged entry");
}

}  // namespace

FUZZ(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  check_loader(bytes);
  if (std::hash<std::string>{}(text) % 16 == 0) check_cache(bytes);
}
