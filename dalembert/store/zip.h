// SPDX-License-Identifier: Apache-2.0
// Writes archives in the ZIP format (PKWARE APPNOTE 6.3.2), for packages that must be ZIP files. Files are stored
// without compression; the same files give the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct ZipEntry {
  std::string name;  ///< path of the file in the archive: UTF-8, with `/` between folders
  std::string bytes;
  bool executable = false;
};

/// The archive, with the entries in their order and all dated 1980-01-01. Empty if it exceeds the format's limits:
/// 65,535 entries, names of 65,535 bytes, 4 GB in total.
std::string zip_archive(const std::vector<ZipEntry>& entries);

/// The checksum of a file in the format, CRC-32 of ISO 3309.
std::uint32_t crc32(std::string_view bytes);

}  // namespace dalembert
