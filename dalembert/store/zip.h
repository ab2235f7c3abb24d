// SPDX-License-Identifier: Apache-2.0
// Archives of files in the ZIP format (PKWARE APPNOTE 6.3.2), for packages that have to be one: stored without compression, the
// same bytes for the same files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct ZipEntry {
  std::string name;  ///< UTF-8, with `/` between folders
  std::string bytes;
  bool executable = false;
};

/// The archive, entries in their order, all dated 1980-01-01. Empty where it would not fit the format: 65,535 entries of names
/// up to 65,535 bytes, 4 GB in all.
std::string zip_archive(const std::vector<ZipEntry>& entries);

/// The checksum of ISO 3309 (CRC-32) that the format has for each file.
std::uint32_t crc32(std::string_view bytes);

}  // namespace dalembert
