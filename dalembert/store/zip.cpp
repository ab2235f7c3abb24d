// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/zip.h"

#include <array>
#include <cstddef>

namespace dalembert {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  return table;
}

// Appends a number as `bytes` bytes, little-endian.
void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// The fields that the header of a file and its directory entry have in common.
void put_common(std::string& out, const ZipEntry& entry, std::uint32_t sum) {
  put(out, 10, 2);            // needs version 1.0 to extract
  put(out, 0x0800, 2);        // names are UTF-8
  put(out, 0, 2);             // method: stored
  put(out, 0, 2);             // time: midnight
  put(out, (1 << 5) | 1, 2);  // date: 1980-01-01
  put(out, sum, 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);  // no extra fields
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_table();
  std::uint32_t sum = 0xffffffffu;
  for (const char c : bytes) sum = (sum >> 8) ^ kTable[(sum ^ static_cast<unsigned char>(c)) & 0xff];
  return ~sum;
}

std::string zip_archive(const std::vector<ZipEntry>& entries) {
  constexpr std::uint64_t kMost = 0xffffffffu - 1;
  std::uint64_t size = 22;
  for (const ZipEntry& entry : entries) {
    if (entry.name.size() > 0xffff) return {};
    size += 76 + 2 * entry.name.size() + entry.bytes.size();
  }
  if (entries.size() > 0xffff - 1 || size > kMost) return {};

  std::string out, directory;
  out.reserve(static_cast<std::size_t>(size));
  for (const ZipEntry& entry : entries) {
    const std::uint32_t sum = crc32(entry.bytes);
    const std::size_t place = out.size();
    put(out, 0x04034b50, 4);
    put_common(out, entry, sum);
    out += entry.name;
    out += entry.bytes;

    put(directory, 0x02014b50, 4);
    put(directory, (3 << 8) | 20, 2);  // made by Unix, so permissions are given below
    put_common(directory, entry, sum);
    put(directory, 0, 2);  // no comment
    put(directory, 0, 2);  // on the first and only disk
    put(directory, 0, 2);  // no internal attributes
    put(directory, std::uint64_t{entry.executable ? 0100755u : 0100644u} << 16, 4);
    put(directory, place, 4);
    directory += entry.name;
  }
  const std::size_t place = out.size();
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, 0, 2);
  put(out, 0, 2);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, place, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace dalembert
