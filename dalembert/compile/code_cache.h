// SPDX-License-Identifier: Apache-2.0
// Objects of machine code on disk, by the key of what they were made from. A folder that cannot be written is no cache
// and no error; entries that are damaged, of another user or of another version are not used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dalembert {

using CodeKey = std::array<std::uint64_t, 2>;

/// Two 64-bit hashes of what is added, of different kinds. Not proof against an adversary.
class CodeHash {
 public:
  void add(std::uint64_t word);
  void add(double number);
  void add(std::string_view text);
  void add(std::span<const std::byte> bytes);
  CodeKey key() const;

 private:
  std::uint64_t first_ = 0x9e3779b97f4a7c15u, second_ = 0xcbf29ce484222325u;
};

class CodeCache {
 public:
  static constexpr std::uintmax_t kLimit = 256u << 20;  ///< bytes that the folder may hold

  /// Empty: no cache.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// $DALEMBERT_CACHE_DIR, $XDG_CACHE_HOME/dalembert/kernels or ~/.cache/dalembert/kernels, the first that there is.
  static std::filesystem::path default_folder();

  std::optional<std::vector<std::byte>> find(const CodeKey& key) const;
  /// Written beside its place and moved there, so that no one ever sees half of it.
  void store(const CodeKey& key, std::span<const std::byte> object) const;
  /// Removes what has not been used for longest until `limit` bytes are left. store() does it now and then.
  void trim(std::uintmax_t limit = kLimit) const;
  std::filesystem::path file(const CodeKey& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace dalembert
