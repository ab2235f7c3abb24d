// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/elf_object.h"

#if defined(__linux__)
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdint>
#include <cstring>
#include <limits>

namespace dalembert {

const std::byte* LoadedObject::find(std::string_view name) const {
  for (const auto& [known, address] : functions)
    if (known == name) return address;
  return nullptr;
}

#if defined(__linux__)

CodePages::CodePages(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(memory);
  size_ = size;
}

CodePages::~CodePages() {
  if (data_ != nullptr) munmap(data_, size_);
}

bool CodePages::make_executable() { return mprotect(data_, size_, PROT_READ | PROT_EXEC) == 0; }

namespace {

constexpr std::size_t kStubSize = 16;
constexpr std::size_t kLargest = std::size_t{1} << 30;  // largest size of the code, so that near jumps reach all of it
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

class Loader {
 public:
  Loader(std::span<const std::byte> object, const std::function<const void*(std::string_view)>& resolve)
      : object_(object), resolve_(resolve) {}

  // What is wrong with the object, or an empty text.
  std::string load() {
    std::string problem = read_sections();
    if (problem.empty()) problem = place_sections();
    if (problem.empty()) problem = bind_symbols();
    for (std::size_t s = 0; problem.empty() && s < sections_.size(); ++s)
      if (sections_[s].sh_type == SHT_RELA) problem = relocate(sections_[s]);
    if (problem.empty() && !loaded_.pages.make_executable()) problem = "the system refuses executable memory";
    return problem;
  }
  LoadedObject take() { return std::move(loaded_); }

 private:
  bool inside(std::size_t offset, std::size_t size) const {
    return offset <= object_.size() && size <= object_.size() - offset;
  }
  template <class T>
  T read(std::size_t offset) const {
    T value{};
    std::memcpy(&value, object_.data() + offset, sizeof value);
    return value;
  }

  std::string read_sections() {
    if (!inside(0, sizeof(Elf64_Ehdr))) return "shorter than its header";
    const auto header = read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64 || header.e_type != ET_REL)
      return "not an x86-64 object file";
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        !inside(header.e_shoff, std::size_t{header.e_shnum} * sizeof(Elf64_Shdr)))
      return "its section table is out of bounds";
    for (std::size_t s = 0; s < header.e_shnum; ++s) {
      const auto section = read<Elf64_Shdr>(header.e_shoff + s * sizeof(Elf64_Shdr));
      if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL && !inside(section.sh_offset, section.sh_size))
        return "a section is out of bounds";
      sections_.push_back(section);
    }
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_SYMTAB) {
        if (symbols_ != nullptr) return "two symbol tables";
        symbols_ = &section;
      }
    if (symbols_ == nullptr || symbols_->sh_entsize != sizeof(Elf64_Sym) || symbols_->sh_link >= sections_.size())
      return "no symbol table";
    names_ = &sections_[symbols_->sh_link];
    if (names_->sh_type != SHT_STRTAB || names_->sh_size == 0 ||
        object_[names_->sh_offset + names_->sh_size - 1] != std::byte{0})
      return "no table of names";
    return {};
  }

  // Gives each section that is part of the program its place in memory; the stubs of external functions follow.
  std::string place_sections() {
    std::size_t end = 0;
    place_.assign(sections_.size(), kNowhere);
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const Elf64_Shdr& section = sections_[s];
      if ((section.sh_flags & SHF_ALLOC) == 0) continue;
      if (section.sh_type != SHT_PROGBITS || (section.sh_flags & (SHF_WRITE | SHF_TLS)) != 0)
        return "a section of an unsupported kind";
      const std::size_t alignment = section.sh_addralign == 0 ? 1 : section.sh_addralign;
      if ((alignment & (alignment - 1)) != 0 || alignment > 4096) return "a section with an unsupported alignment";
      end = (end + alignment - 1) & ~(alignment - 1);
      place_[s] = end;
      end += section.sh_size;
      if (end > kLargest) return "too large";
    }
    if (end == 0) return "no code";
    stubs_ = (end + kStubSize - 1) & ~(kStubSize - 1);
    const std::size_t undefined = count_undefined();
    if (undefined > kLargest / kStubSize) return "too many symbols";
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t size = (stubs_ + undefined * kStubSize + page - 1) / page * page;
    loaded_.pages = CodePages(size);
    if (loaded_.pages.data() == nullptr) return "out of memory";
    for (std::size_t s = 0; s < sections_.size(); ++s)
      if (place_[s] != kNowhere && sections_[s].sh_size > 0)
        std::memcpy(loaded_.pages.data() + place_[s], object_.data() + sections_[s].sh_offset, sections_[s].sh_size);
    return {};
  }

  std::size_t symbol_count() const { return symbols_->sh_size / sizeof(Elf64_Sym); }
  Elf64_Sym symbol(std::size_t i) const { return read<Elf64_Sym>(symbols_->sh_offset + i * sizeof(Elf64_Sym)); }
  std::size_t count_undefined() const {
    std::size_t count = 0;
    for (std::size_t i = 1; i < symbol_count(); ++i) count += symbol(i).st_shndx == SHN_UNDEF ? 1 : 0;
    return count;
  }

  // Finds each symbol's place in memory. For an external function it is a stub that jumps there, because the function
  // may be out of reach of a near jump.
  std::string bind_symbols() {
    values_.assign(symbol_count(), kNowhere);
    std::size_t stub = stubs_;
    for (std::size_t i = 1; i < symbol_count(); ++i) {
      const Elf64_Sym s = symbol(i);
      if (s.st_name >= names_->sh_size) return "a name is out of bounds";
      const std::string_view name(reinterpret_cast<const char*>(object_.data()) + names_->sh_offset + s.st_name);
      if (s.st_shndx == SHN_UNDEF) {
        const void* address = resolve_(name);
        if (address == nullptr) return "it needs `" + std::string(name) + "`, which is not there";
        static constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp [rip], the address follows
        std::memcpy(loaded_.pages.data() + stub, kJump, sizeof kJump);
        std::memcpy(loaded_.pages.data() + stub + sizeof kJump, static_cast<const void*>(&address), sizeof address);
        values_[i] = stub;
        stub += kStubSize;
      } else if (s.st_shndx < sections_.size()) {
        if (place_[s.st_shndx] == kNowhere) continue;  // belongs to a section that is not loaded
        if (s.st_value > sections_[s.st_shndx].sh_size) return "a symbol is out of bounds";
        values_[i] = place_[s.st_shndx] + s.st_value;
        if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && ELF64_ST_BIND(s.st_info) == STB_GLOBAL)
          loaded_.functions.emplace_back(name, loaded_.pages.data() + values_[i]);
      } else if (s.st_shndx != SHN_ABS) {
        return "a symbol of an unknown kind";
      }
    }
    return {};
  }

  std::string relocate(const Elf64_Shdr& table) {
    if (table.sh_info >= sections_.size() || place_[table.sh_info] == kNowhere) return {};  // of a section not loaded
    if (table.sh_entsize != sizeof(Elf64_Rela) || table.sh_link >= sections_.size() ||
        &sections_[table.sh_link] != symbols_)
      return "a relocation table that belongs to no symbols";
    const std::size_t size = sections_[table.sh_info].sh_size, start = place_[table.sh_info];
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto entry = read<Elf64_Rela>(table.sh_offset + i * sizeof(Elf64_Rela));
      const std::size_t which = ELF64_R_SYM(entry.r_info), type = ELF64_R_TYPE(entry.r_info);
      if (which >= values_.size() || values_[which] == kNowhere) return "a relocation against an undefined symbol";
      const std::size_t width = type == R_X86_64_64 ? 8 : 4;
      if (entry.r_offset > size || width > size - entry.r_offset) return "a relocation is out of bounds";
      // The addend may point to before the symbol, since a displacement counts from the end of its instruction, but not
      // out of the code.
      if (entry.r_addend < -64 || entry.r_addend > static_cast<std::int64_t>(kLargest))
        return "a relocation addend out of range";
      std::byte* base = loaded_.pages.data();
      std::byte* at = base + start + entry.r_offset;
      const std::int64_t to = static_cast<std::int64_t>(values_[which]) + entry.r_addend;
      if (to > static_cast<std::int64_t>(loaded_.pages.size())) return "a relocation out of the code";
      switch (type) {
        case R_X86_64_PC32:
        case R_X86_64_PLT32: {
          const auto distance = static_cast<std::int32_t>(to - (at - base));
          std::memcpy(at, &distance, sizeof distance);
          break;
        }
        case R_X86_64_64: {
          const std::uint64_t address = reinterpret_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(to);
          std::memcpy(at, &address, sizeof address);
          break;
        }
        default:
          return "a relocation of the unsupported type " + std::to_string(type);
      }
    }
    return {};
  }

  std::span<const std::byte> object_;
  const std::function<const void*(std::string_view)>& resolve_;
  std::vector<Elf64_Shdr> sections_;
  const Elf64_Shdr *symbols_ = nullptr, *names_ = nullptr;
  std::vector<std::size_t> place_;   // by section: where it is in memory
  std::vector<std::size_t> values_;  // by symbol: where it is in memory
  std::size_t stubs_ = 0;
  LoadedObject loaded_;
};

}  // namespace

std::optional<LoadedObject> load_object(std::span<const std::byte> object,
                                        const std::function<const void*(std::string_view)>& resolve, std::string& why) {
  Loader loader(object, resolve);
  why = loader.load();
  if (!why.empty()) return std::nullopt;
  return loader.take();
}

#else

CodePages::CodePages(std::size_t) {}
CodePages::~CodePages() = default;
bool CodePages::make_executable() { return false; }

std::optional<LoadedObject> load_object(std::span<const std::byte>, const std::function<const void*(std::string_view)>&,
                                        std::string& why) {
  why = "machine code is loaded under Linux only";
  return std::nullopt;
}

#endif

}  // namespace dalembert
