// SPDX-License-Identifier: Apache-2.0
// Object files of machine code on disk, found by the key of the request that they were made from (code_request.h). An
// entry also holds its request, which must equal the one asked for: two requests with the same key are a miss and never
// give the wrong code. A folder that cannot be written is no error, but keeps nothing. Entries that are damaged, of
// another user or of another version are not used.
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

/// XXH3, 128 bits. Not secure against an adversary, who would have to be able to write to the user's cache folder
/// anyway.
CodeKey hash_of(std::span<const std::byte> bytes);

class CodeCache {
 public:
  static constexpr std::uintmax_t kLimit = 256u << 20;  ///< bytes that the folder may hold

  /// An empty `folder` means no cache.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// $DALEMBERT_CACHE_DIR, $XDG_CACHE_HOME/dalembert/kernels or ~/.cache/dalembert/kernels, the first of these that is
  /// set.
  static std::filesystem::path default_folder();

  struct Kept {
    std::vector<std::byte> object;
    std::string maker;  ///< the LLVM library that made the object (code_maker.h)
  };
  /// The entry that was stored under this key for exactly this request.
  std::optional<Kept> find(const CodeKey& key, std::span<const std::byte> request) const;
  /// The entry is written to a temporary file and then moved to its place, so that nobody ever reads half of it.
  void store(const CodeKey& key, std::span<const std::byte> request, std::span<const std::byte> object,
             std::string_view maker = {}) const;
  /// Removes the least recently used entries until at most `limit` bytes are left. store() calls this now and then.
  void trim(std::uintmax_t limit = kLimit) const;
  std::filesystem::path file(const CodeKey& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace dalembert
