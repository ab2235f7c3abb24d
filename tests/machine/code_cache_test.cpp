// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <random>

#include "dalembert/machine/code_maker.h"
#include "dalembert/machine/elf_object.h"
#include "dalembert/machine/math_symbols.h"
#include "machine/lane_arguments.h"

namespace dalembert {
namespace {

using testing::code_of;
using testing::run_code;

using Bytes = std::vector<std::byte>;

Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Bytes object_of(const std::optional<CodeCache::Kept>& kept) { return kept ? kept->object : Bytes(); }

// A folder that is gone at the end.
class CodeCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "dalembert cache XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // exp(sin(q₀)) + 2
  static Tape tape() {
    Tape tape;
    tape.instructions = {
        {.op = TapeOp::kArgument, .dst = 0, .a = static_cast<std::uint32_t>(TapeArray::kCoordinate), .b = 0},
        {.op = TapeOp::kCall, .function = Op::kSin, .dst = 0, .a = 0},
        {.op = TapeOp::kCall, .function = Op::kExp, .dst = 0, .a = 0},
        {.op = TapeOp::kAddConstant, .dst = 0, .a = 0, .b = 0},
        {.op = TapeOp::kOutput, .dst = 0, .a = 0}};
    tape.constants = {2};
    tape.registers = 1;
    tape.outputs = 1;
    return tape;
  }
  std::shared_ptr<const MachineCode> make(const Tape& tape) const {
    CodeOptions options;
    options.cache_folder = folder_ / "kernels";
    auto code = code_of(tape, 1, options);
    EXPECT_TRUE(code);
    if (code) {
      const double q = 0.7;
      std::vector<const double*> arguments(kTapeArrays, &q);
      EXPECT_NEAR(run_code(*code, tape, arguments.data(), 1).out[0], std::exp(std::sin(q)) + tape.constants[0], 4e-15);
    }
    return code;
  }
  std::filesystem::path only_file() const {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "kernels")) {
      EXPECT_TRUE(found.empty());
      found = entry.path();
    }
    return found;
  }

  std::filesystem::path folder_;
};

TEST_F(CodeCacheTest, CodeIsMadeOnce) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  EXPECT_FALSE(make(tape())->from_cache());
  EXPECT_TRUE(make(tape())->from_cache());
  Tape other = tape();
  other.constants[0] = 3;
  EXPECT_FALSE(make(other)->from_cache());
  EXPECT_TRUE(make(tape())->from_cache());
}

// What is kept is used without LLVM.
TEST_F(CodeCacheTest, NeedsNoLlvm) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  CodeOptions options;
  options.cache_folder = folder_ / "kernels";
  options.llvm_library = "/nowhere/libLLVM.so";
  const Tape known = tape();
  EXPECT_TRUE(code_of(known, 1, options));
  EXPECT_FALSE(code_of(known, 8, options));
}

// An entry is of the library that made it: where that is another now, or gone, the code is made anew. Here the file's time is changed in what
// the entry says, as a new version of the package would change that of the file.
TEST_F(CodeCacheTest, CodeOfAnotherLibraryIsNotUsed) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  EXPECT_THAT(make(tape())->maker(), ::testing::MatchesRegex("LLVM 19\\.[0-9]+\\.[0-9]+"));
  const Bytes entry = read_bytes(only_file());
  const std::string text(reinterpret_cast<const char*>(entry.data()), entry.size());
  const std::size_t begin = text.find("\n/") - 6, end = text.find("\177ELF");
  const std::string maker = text.substr(begin, end - begin);
  ASSERT_TRUE(version_of(maker)) << maker;
  EXPECT_EQ("LLVM " + *version_of(maker), make(tape())->maker());
  EXPECT_FALSE(version_of(""));
  EXPECT_FALSE(version_of(maker.substr(0, maker.size() - 1)));
  EXPECT_FALSE(version_of("19.1.7\n/nowhere/libLLVM.so\n1 2.000000003"));
  const std::filesystem::path library = folder_ / "libLLVM.so";
  write_bytes(library, entry);
  const std::string ours = describe_maker("19.1.0", library);
  EXPECT_EQ(version_of(ours), "19.1.0");
  std::filesystem::last_write_time(library, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(version_of(ours));
}

// make() checks the value each time: damaged code is never run.
TEST_F(CodeCacheTest, DamagedFilesAreMadeAnew) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  const std::filesystem::path file = only_file();
  const Bytes good = read_bytes(file);
  std::vector<Bytes> damaged{{}, Bytes(good.begin(), good.begin() + 20), Bytes(good.begin(), good.end() - 1)};
  damaged.emplace_back(Bytes(good.size(), std::byte{0x90}));
  damaged.push_back(good);
  damaged.back().push_back(std::byte{0});
  for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 40) {
    damaged.push_back(good);
    damaged.back()[i] ^= std::byte{0x10};
  }
  for (const Bytes& bytes : damaged) {
    write_bytes(file, bytes);
    EXPECT_FALSE(make(tape())->from_cache());
    EXPECT_EQ(read_bytes(file).size(), good.size());
    EXPECT_TRUE(make(tape())->from_cache());
  }
}

// A file that another user could have written is not run.
TEST_F(CodeCacheTest, FilesThatOthersMayWriteAreNotUsed) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  std::filesystem::permissions(only_file(), std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  EXPECT_FALSE(make(tape())->from_cache());
  EXPECT_TRUE(make(tape())->from_cache());  // written anew, with better permissions
}

// Nor is one in a folder that another user could have written, or in one below such a folder; a sticky one above it is as good as its
// owner.
TEST_F(CodeCacheTest, FoldersThatOthersMayWriteAreNotUsed) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  using std::filesystem::perms;
  make(tape());
  const perms before = std::filesystem::status(folder_ / "kernels").permissions();
  for (const std::filesystem::path& open : {folder_ / "kernels", folder_}) {
    EXPECT_TRUE(make(tape())->from_cache());
    std::filesystem::permissions(open, before | perms::others_write);
    EXPECT_FALSE(make(tape())->from_cache());
    EXPECT_FALSE(make(tape())->from_cache());  // nothing was kept
    std::filesystem::permissions(open, before | perms::others_write | perms::sticky_bit);
    EXPECT_EQ(make(tape())->from_cache(), open == folder_);
    std::filesystem::permissions(open, before);
  }
}

// A FIFO in place of an entry is not waited for.
TEST_F(CodeCacheTest, AFifoIsNoEntry) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  const std::filesystem::path file = only_file();
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(make(tape())->from_cache());
  EXPECT_TRUE(make(tape())->from_cache());
}

// The loader itself, without the checksum before it: whatever the bytes, it refuses or loads, and reads nothing that is
// not there (the sanitizers watch). What it loads here is not run.
TEST_F(CodeCacheTest, LoaderSurvivesAnyBytes) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  const Bytes file = read_bytes(only_file());
  // The object is the last part of the entry, and an ELF file.
  constexpr std::array magic{std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  const Bytes object(std::ranges::search(file, magic).begin(), file.end());
  std::string why;
  const auto whole = load_object(object, math_symbol, why);
  ASSERT_TRUE(whole) << why;
  EXPECT_NE(whole->find("f0"), nullptr);
  EXPECT_EQ(whole->find("f1"), nullptr);
  EXPECT_FALSE(load_object(
      object, [](std::string_view) -> const void* { return nullptr; }, why));
  EXPECT_NE(why.find("`exp`"), std::string::npos) << why;

  int refused = 0;
  for (std::size_t size = 0; size < object.size(); size += 7)
    refused += load_object(std::span(object).first(size), math_symbol, why) ? 0 : 1;
  EXPECT_GT(refused, static_cast<int>(object.size() / 7) - 2);  // the section table comes last
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    Bytes changed = object;
    for (int i = 0; i < 1 + round % 4; ++i) changed[random() % changed.size()] = static_cast<std::byte>(random());
    load_object(changed, math_symbol, why);
  }
}

// Two requests with one key: the entry of the one is not the other's, whichever was stored last.
TEST_F(CodeCacheTest, AnEntryIsOfOneRequest) {
  const CodeCache cache(folder_ / "kernels");
  const CodeKey key{3, 4};
  const Bytes one(40, std::byte{1}), other(40, std::byte{2}), longer(41, std::byte{1});
  cache.store(key, one, Bytes(7, std::byte{10}));
  EXPECT_EQ(object_of(cache.find(key, one)), Bytes(7, std::byte{10}));
  EXPECT_FALSE(cache.find(key, other));
  EXPECT_FALSE(cache.find(key, longer));
  EXPECT_FALSE(cache.find(key, {}));
  cache.store(key, other, Bytes(9, std::byte{20}));
  EXPECT_FALSE(cache.find(key, one));
  EXPECT_EQ(object_of(cache.find(key, other)), Bytes(9, std::byte{20}));
  EXPECT_EQ(cache.find(key, other)->maker, "");
}

// The code of another tape, put in this one's place under this one's key: the value that make() checks would be 3
// for 2.
TEST_F(CodeCacheTest, CodeOfAnotherTapeIsNotRun) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  const std::filesystem::path mine = only_file();
  const Bytes good = read_bytes(mine);
  std::filesystem::remove(mine);
  Tape other = tape();
  other.constants[0] = 3;
  make(other);
  const std::filesystem::path theirs = only_file();
  Bytes planted = read_bytes(theirs);
  std::filesystem::remove(theirs);
  std::copy_n(good.begin() + 8, sizeof(CodeKey), planted.begin() + 8);  // the key, after the header's magic
  write_bytes(mine, planted);
  EXPECT_FALSE(make(tape())->from_cache());
  EXPECT_EQ(read_bytes(mine), good);
}

// Entries of an earlier version, which held no request: a miss, and evicted like any other.
TEST_F(CodeCacheTest, EntriesOfEarlierVersionsAreNotUsed) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  make(tape());
  const std::filesystem::path file = only_file();
  Bytes old = read_bytes(file);
  ASSERT_EQ(std::to_integer<char>(old[7]), '3');
  old[7] = std::byte{'2'};
  write_bytes(file, old);
  EXPECT_FALSE(make(tape())->from_cache());
  write_bytes(folder_ / "kernels" / "00000000000000010000000000000002.kernel", old);
  CodeCache(folder_ / "kernels").trim(0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "kernels"));
}

TEST_F(CodeCacheTest, OldestGoFirst) {
  const CodeCache cache(folder_ / "kernels");
  const Bytes content(1000, std::byte{1});
  const auto now = std::filesystem::file_time_type::clock::now();
  const Bytes request(50, std::byte{2});
  for (std::uint64_t i = 0; i < 10; ++i) {
    const CodeKey key{16 * i + 1, i};
    cache.store(key, request, content);
    std::filesystem::last_write_time(cache.file(key), now - std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(cache.find({1, 0}, request));  // used now
  cache.trim(5000);
  int left = 0;
  for (std::uint64_t i = 0; i < 10; ++i) left += cache.find({16 * i + 1, i}, request) ? 1 : 0;
  EXPECT_EQ(left, 4);  // a file has a header, too
  EXPECT_TRUE(cache.find({1, 0}, request));
  EXPECT_TRUE(cache.find({16 * 9 + 1, 9}, request));
  EXPECT_FALSE(cache.find({16 * 1 + 1, 1}, request));
}

// What has another name is not ours, whatever its name looks like; nor is what is no file.
TEST_F(CodeCacheTest, OtherFilesStay) {
  const std::filesystem::path kernels = folder_ / "kernels";
  const Bytes content(1000, std::byte{1});
  const CodeCache cache(kernels);
  cache.store({1, 2}, content, content);
  const std::string digits(32, 'a');
  for (const std::string& name :
       {std::string("linux-6.1.kernel.tar"), std::string("notes.kernel"), digits, digits + ".kernel.tar",
        digits + "a.kernel", digits + ".kernels", std::string(32, 'A') + ".kernel"})
    write_bytes(kernels / name, content);
  write_bytes(kernels / (digits + ".kernel.aB3dEf"), content);
  std::filesystem::create_directory(kernels / (std::string(32, 'b') + ".kernel"));
  cache.trim(0);
  EXPECT_FALSE(std::filesystem::exists(cache.file({1, 2})));
  EXPECT_FALSE(std::filesystem::exists(kernels / (digits + ".kernel.aB3dEf")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kernels), {}), 8);
}

// No folder, and a folder that cannot be: no cache, and nothing else.
TEST_F(CodeCacheTest, WithoutAFolderNothingIsKept) {
  const Bytes content(10, std::byte{1});
  write_bytes(folder_ / "file", content);
  for (const std::filesystem::path& folder : {std::filesystem::path(), folder_ / "file" / "kernels"}) {
    const CodeCache cache(folder);
    cache.store({1, 2}, content, content);
    EXPECT_FALSE(cache.find({1, 2}, content));
    cache.trim(0);
  }
}

}  // namespace
}  // namespace dalembert
