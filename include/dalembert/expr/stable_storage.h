// SPDX-License-Identifier: Apache-2.0
// Storage of a graph (expr.h). It grows, but its elements never move. One thread appends at a time; meanwhile other
// threads may read each element whose id they have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace dalembert {

/// Array in chunks of 2^kLog elements, with a table of pointers to the chunks.
template <class T, unsigned kLog>
class StableArray {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << kLog;

  StableArray() = default;
  StableArray(const StableArray&) = delete;
  StableArray& operator=(const StableArray&) = delete;

  const T& operator[](std::size_t i) const {
    return chunks_.load(std::memory_order_acquire)[i >> kLog][i & (kChunk - 1)];
  }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

  void push_back(T value) {
    const std::size_t size = size_.load(std::memory_order_relaxed), chunk = size >> kLog;
    if (chunk == known_) add_chunk();
    chunks_.load(std::memory_order_relaxed)[chunk][size & (kChunk - 1)] = std::move(value);
    size_.store(size + 1, std::memory_order_release);
  }

  /// Makes an empty array begin with the first `count` elements of `other`, which are shared and not copied. Only a last chunk that is not full is
  /// treated differently: if T is trivially copyable the chunk is copied, otherwise the next element is appended after it. `other` must outlive this
  /// array.
  void begin_with(const StableArray& other, std::size_t count) {
    if (count == 0) return;
    const std::size_t shared = (count + kChunk - 1) >> kLog;
    T* const* chunks = other.chunks_.load(std::memory_order_acquire);
    reserve_chunks(shared + 4);
    T** mine = chunks_.load(std::memory_order_relaxed);
    for (known_ = 0; known_ < shared; ++known_) mine[known_] = chunks[known_];
    std::size_t size = shared << kLog;
    if constexpr (std::is_trivially_copyable_v<T>) {
      size = count;
      if (const std::size_t rest = count & (kChunk - 1); rest != 0) {
        own_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
        for (std::size_t i = 0; i < rest; ++i) own_.back()[i] = chunks[shared - 1][i];
        mine[shared - 1] = own_.back().get();
      }
    }
    size_.store(size, std::memory_order_release);
  }

 private:
  void add_chunk() {
    if constexpr (std::is_trivially_copyable_v<T>)
      own_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    else
      own_.push_back(std::make_unique<T[]>(kChunk));
    if (known_ == capacity_) reserve_chunks(2 * capacity_ + 4);
    chunks_.load(std::memory_order_relaxed)[known_++] = own_.back().get();
  }
  // Readers may still use the old tables, so these are kept; together they are not longer than the new one.
  void reserve_chunks(std::size_t capacity) {
    T* const* old = chunks_.load(std::memory_order_relaxed);
    tables_.push_back(std::make_unique<T*[]>(capacity));
    for (std::size_t k = 0; k < known_; ++k) tables_.back()[k] = old[k];
    capacity_ = capacity;
    chunks_.store(tables_.back().get(), std::memory_order_release);
  }

  std::atomic<T**> chunks_{nullptr};
  std::atomic<std::size_t> size_{0};
  std::size_t known_ = 0, capacity_ = 0;  // chunks in the table, and its capacity
  std::vector<std::unique_ptr<T*[]>> tables_;
  std::vector<std::unique_ptr<T[]>> own_;
};

/// Storage of short lists; a list never moves.
template <class T>
class StableLists {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Memory for a list of `count` elements, contiguous.
  T* add(std::size_t count) {
    if (count > left_) {
      const std::size_t size = count > next_size_ ? count : next_size_;
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(size));
      free_ = blocks_.back().get();
      left_ = size;
      if (next_size_ < kLargest) next_size_ *= 2;
    }
    T* const place = free_;
    free_ += count;
    left_ -= count;
    return place;
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 16;
  std::vector<std::unique_ptr<T[]>> blocks_;
  T* free_ = nullptr;
  std::size_t left_ = 0, next_size_ = 512;
};

/// Hash table from hashes to ids, with open addressing.
class IdTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// `places`: number of slots, a power of two.
  explicit IdTable(std::size_t places) { make(places); }

  /// The id below `end` that has this hash and for which same(id) is true, or kNone.
  template <class Same>
  std::uint32_t find(std::uint32_t hash, std::uint32_t end, Same same) const {
    const Places* const places = places_.load(std::memory_order_acquire);
    for (std::size_t at = hash & places->mask;; at = (at + 1) & places->mask) {
      const std::uint64_t entry = places->entry[at].load(std::memory_order_acquire);
      if (entry == kFree) return kNone;
      const auto id = static_cast<std::uint32_t>(entry);
      if (entry >> 32 == hash && id < end && same(id)) return id;
    }
  }
  /// Inserts an id that is not in the table. `readers`: other threads may be reading, so that a replaced table must be kept.
  void insert(std::uint32_t hash, std::uint32_t id, bool readers) {
    if (2 * ++count_ > places_.load(std::memory_order_relaxed)->mask) grow(readers);
    put(*places_.load(std::memory_order_relaxed), std::uint64_t{hash} << 32 | id);
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Places {
    explicit Places(std::size_t size) : mask(size - 1), entry(std::make_unique_for_overwrite<Entry[]>(size)) {
      for (std::size_t i = 0; i < size; ++i) entry[i].store(kFree, std::memory_order_relaxed);
    }
    using Entry = std::atomic<std::uint64_t>;
    std::size_t mask;
    std::unique_ptr<Entry[]> entry;
  };

  static void put(Places& places, std::uint64_t entry) {
    std::size_t at = (entry >> 32) & places.mask;
    while (places.entry[at].load(std::memory_order_relaxed) != kFree) at = (at + 1) & places.mask;
    places.entry[at].store(entry, std::memory_order_release);
  }
  void make(std::size_t size) {
    all_.push_back(std::make_unique<Places>(size));
    places_.store(all_.back().get(), std::memory_order_release);
  }
  void grow(bool readers) {
    Places& old = *all_.back();
    auto larger = std::make_unique<Places>(2 * (old.mask + 1));
    for (std::size_t i = 0; i <= old.mask; ++i)
      if (const std::uint64_t entry = old.entry[i].load(std::memory_order_relaxed); entry != kFree) put(*larger, entry);
    if (!readers) all_.clear();
    all_.push_back(std::move(larger));
    places_.store(all_.back().get(), std::memory_order_release);
  }

  std::atomic<Places*> places_{nullptr};
  std::vector<std::unique_ptr<Places>> all_;  // the last table is in use
  std::size_t count_ = 0;
};

}  // namespace dalembert
