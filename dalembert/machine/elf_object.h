// SPDX-License-Identifier: Apache-2.0
// Loads the machine code of an object file (ELF, x86-64, relocatable) into memory and binds the functions that it
// calls: a small linker for the output of the LLVM back end. Anything it does not know (a kind of relocation, writable
// data, thread-local storage) and anything out of bounds is refused, so that a damaged file is never run.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalembert {

/// Pages of memory for code, unmapped by the destructor.
class CodePages {
 public:
  CodePages() = default;
  explicit CodePages(std::size_t size);  ///< the pages are writable at first; data() is null if there is no memory
  CodePages(CodePages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CodePages& operator=(CodePages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CodePages();
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool make_executable();  ///< makes the pages executable, and no longer writable

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

struct LoadedObject {
  CodePages pages;
  std::vector<std::pair<std::string, const std::byte*>> functions;  ///< name and address of each global function
  const std::byte* find(std::string_view name) const;
};

/// `resolve` gives the address of a function that the object does not define, or null. On failure `why` says what was
/// wrong. Time O(size of the object).
std::optional<LoadedObject> load_object(std::span<const std::byte> object,
                                        const std::function<const void*(std::string_view)>& resolve, std::string& why);

}  // namespace dalembert
