// SPDX-License-Identifier: Apache-2.0
// Objects of machine code on disk, by the key of the request that they were made from (code_request.h). An entry holds
// its request, too, which must be the one asked for: two requests with one key are a miss, never the wrong code. A
// folder that cannot be written is no cache and no error; entries that are damaged, of another user or of another
// version are not used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

using CodeKey = std::array<std::uint64_t, 2>;

/// XXH3, 128 bits. Not proof against an adversary, who could write to the user's cache folder as well.
CodeKey hash_of(std::span<const std::byte> bytes);

class CodeCache {
 public:
  static constexpr std::uintmax_t kLimit = 256u << 20;  ///< bytes that the folder may hold

  /// Empty: no cache.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// $DALEMBERT_CACHE_DIR, $XDG_CACHE_HOME/dalembert/kernels or ~/.cache/dalembert/kernels, the first that there is.
  static std::filesystem::path default_folder();

  struct Kept {
    std::vector<std::byte> object;
    std::string maker;  ///< code_maker.h
  };
  /// What was stored under this key for this very request.
  std::optional<Kept> find(const CodeKey& key, std::span<const std::byte> request) const;
  /// Written beside its place and moved there, so that no one ever sees half of it.
  void store(const CodeKey& key, std::span<const std::byte> request, std::span<const std::byte> object,
             std::string_view maker = {}) const;
  /// Removes what has not been used for longest until `limit` bytes are left. store() does it now and then.
  void trim(std::uintmax_t limit = kLimit) const;
  std::filesystem::path file(const CodeKey& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace dalembert
