// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/zip.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace dalembert::testing {
namespace {

// The check value that catalogues of checksums give for CRC-32.
TEST(Zip, ChecksumOfTheCatalogue) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32(""), 0u);
}

// Oracle: Python's zipfile, which reads back names, bytes and permissions, and compares checksums.
TEST(Zip, AnotherProgramReadsIt) {
  if (std::system("python3 -c pass 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  std::string every;
  for (int i = 0; i < 1000; ++i) every += static_cast<char>(i * 7);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("dalembert-zip-" + std::to_string(::getpid()) + ".zip")).string();
  std::ofstream(path, std::ios::binary) << zip_archive({{"a.txt", "hello\n"},
                                                        {"folder/θ.bin", every},
                                                        {"empty", ""},
                                                        {"folder/run", "#!/bin/sh\n", /*executable=*/true}});
  const std::string script =
      "import sys, zipfile\n"
      "z = zipfile.ZipFile(sys.argv[1])\n"
      "assert z.testzip() is None\n"
      "assert z.namelist() == ['a.txt', 'folder/\\u03b8.bin', 'empty', 'folder/run'], z.namelist()\n"
      "assert z.read('a.txt') == b'hello\\n' and z.read('empty') == b''\n"
      "assert z.read('folder/\\u03b8.bin') == bytes(7 * i % 256 for i in range(1000))\n"
      "assert [i.external_attr >> 16 for i in z.infolist()] == [0o100644] * 3 + [0o100755]\n"
      "assert {i.date_time for i in z.infolist()} == {(1980, 1, 1, 0, 0, 0)}\n";
  EXPECT_EQ(std::system(("python3 -c \"" + script + "\" " + path).c_str()), 0);
  std::filesystem::remove(path);
}

// What the format cannot hold is no archive.
TEST(Zip, TooLongNamesAreRefused) {
  EXPECT_TRUE(zip_archive({{std::string(70'000, 'x'), ""}}).empty());
  EXPECT_EQ(zip_archive({}).size(), 22u);
}

}  // namespace
}  // namespace dalembert::testing
