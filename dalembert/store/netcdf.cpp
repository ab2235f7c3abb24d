// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/netcdf.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <netcdf.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>

namespace dalembert {
namespace {

// Functions of libnetcdf without their prefix. All of them are in every version from 4.0 on.
#define DALEMBERT_NETCDF_FUNCTIONS(use)                                                                           \
  use(create) use(open) use(close) use(enddef) use(set_fill) use(def_dim) use(def_var) use(put_att_text) use(inq) \
      use(inq_dim) use(inq_var) use(inq_attname) use(inq_att) use(get_att_text) use(put_vara_double)              \
          use(put_vara_schar) use(put_vara_text) use(put_vara_string) use(get_vara_double) use(get_vara_schar)    \
              use(get_vara_text) use(get_vara_string) use(free_string) use(strerror)

struct NetcdfApi {
#define DALEMBERT_NETCDF_MEMBER(name) decltype(&nc_##name) name = nullptr;
  DALEMBERT_NETCDF_FUNCTIONS(DALEMBERT_NETCDF_MEMBER)
#undef DALEMBERT_NETCDF_MEMBER
  std::string why_not;
};

NetcdfApi load_netcdf() {
  NetcdfApi api;
  void* handle = nullptr;
  // The library is never unloaded: HDF5, which it uses, has state of its own.
  for (const char* name : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so"})
    if (handle == nullptr) handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    api.why_not = "the library libnetcdf, which reads and writes NetCDF files, is not there";
    return api;
  }
  // At the end of the program HDF5 would close what could not be closed, a file on a full disk, and crash. Every file is closed by close().
  if (const auto leave = reinterpret_cast<int (*)()>(dlsym(handle, "H5dont_atexit"))) leave();
#define DALEMBERT_NETCDF_LOOK_UP(name)                                         \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, "nc_" #name)); \
  if (api.name == nullptr) api.why_not = "the library libnetcdf has no function nc_" #name;
  DALEMBERT_NETCDF_FUNCTIONS(DALEMBERT_NETCDF_LOOK_UP)
#undef DALEMBERT_NETCDF_LOOK_UP
  return api;
}

const NetcdfApi& netcdf_api() {
  static const NetcdfApi api = load_netcdf();
  return api;
}

nc_type netcdf_type(NetcdfType type) {
  constexpr std::array<nc_type, 4> kTypes{NC_DOUBLE, NC_BYTE, NC_CHAR, NC_STRING};
  return kTypes[static_cast<std::size_t>(type)];
}
std::optional<NetcdfType> known_type(nc_type type) {
  for (const NetcdfType known : {NetcdfType::kNumber, NetcdfType::kByte, NetcdfType::kCharacter, NetcdfType::kText})
    if (netcdf_type(known) == type) return known;
  return std::nullopt;
}

// A file that is open, alone in the process: neither libnetcdf nor HDF5 below it may be called by two threads at once.
class OpenNetcdf {
 public:
  OpenNetcdf() : api_(netcdf_api()), alone_(mutex()) {}
  ~OpenNetcdf() {
    if (file_ >= 0) api_.close(file_);
  }
  OpenNetcdf(const OpenNetcdf&) = delete;
  OpenNetcdf& operator=(const OpenNetcdf&) = delete;

  /// Notes the first failure.
  bool check(int status) {
    if (status == NC_NOERR) return true;
    // HDF5 says only that something failed; a full disk leaves its number behind.
    const int system = status == NC_EHDFERR ? errno : 0;
    if (why_.empty()) why_ = api_.strerror(status) + (system != 0 ? fmt::format(" ({})", std::strerror(system)) : "");
    return false;
  }
  void close() {
    errno = 0;
    if (file_ >= 0) check(api_.close(file_));
    file_ = -1;
  }

  const NetcdfApi& api_;
  int file_ = -1;
  std::string why_;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex one;
    return one;
  }
  std::unique_lock<std::recursive_mutex> alone_;
};

class LibraryWriter final : public NetcdfWriter {
 public:
  bool create(const std::string& path, const NetcdfHead& head) {
    const NetcdfApi& nc = to_.api_;
    if (!to_.check(nc.create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &to_.file_))) return false;
    int before = 0;
    to_.check(nc.set_fill(to_.file_, NC_NOFILL, &before));
    std::vector<int> dimensions;
    for (const NetcdfHead::Dimension& dimension : head.dimensions)
      to_.check(nc.def_dim(to_.file_, dimension.name.c_str(), dimension.length, &dimensions.emplace_back()));
    add_attributes(NC_GLOBAL, head.attributes);
    for (const NetcdfHead::Variable& variable : head.variables) {
      std::vector<int> of;
      for (const std::size_t k : variable.dimensions) of.push_back(dimensions[k]);
      const int status = nc.def_var(to_.file_, variable.name.c_str(), netcdf_type(variable.type),
                                    static_cast<int>(of.size()), of.data(), &variables_.emplace_back());
      if (!to_.check(status)) to_.why_ = fmt::format("a variable `{}`: {}", variable.name, nc.strerror(status));
      if (status != NC_NOERR) return false;
      add_attributes(variables_.back(), variable.attributes);
    }
    to_.check(nc.enddef(to_.file_));
    return to_.why_.empty();
  }

  std::string put(std::size_t variable, const NetcdfBlock& block, const NetcdfValues& values) override {
    const NetcdfApi& nc = to_.api_;
    const int id = variables_[variable];
    errno = 0;
    const std::size_t *const start = block.start.data(), *const count = block.count.data();
    if (const auto* numbers = std::get_if<std::vector<double>>(&values)) {
      to_.check(nc.put_vara_double(to_.file_, id, start, count, numbers->data()));
    } else if (const auto* bytes = std::get_if<std::vector<signed char>>(&values)) {
      to_.check(nc.put_vara_schar(to_.file_, id, start, count, bytes->data()));
    } else if (const auto* characters = std::get_if<std::string>(&values)) {
      to_.check(nc.put_vara_text(to_.file_, id, start, count, characters->data()));
    } else {
      std::vector<const char*> texts;
      for (const std::string& text : std::get<std::vector<std::string>>(values)) texts.push_back(text.c_str());
      to_.check(nc.put_vara_string(to_.file_, id, start, count, texts.data()));
    }
    return to_.why_;
  }

  std::string close() override {
    to_.close();
    return to_.why_;
  }
  const std::string& why() const { return to_.why_; }

 private:
  void add_attributes(int variable, const NetcdfHead::Attributes& attributes) {
    for (const auto& [name, text] : attributes)
      to_.check(to_.api_.put_att_text(to_.file_, variable, name.c_str(), text.size(), text.data()));
  }

  OpenNetcdf to_;
  std::vector<int> variables_;
};

class LibraryReader final : public NetcdfReader {
 public:
  bool open(const std::string& path) {
    const NetcdfApi& nc = from_.api_;
    if (!from_.check(nc.open(path.c_str(), NC_NOWRITE, &from_.file_))) return false;
    int dimensions = 0, variables = 0, attributes = 0, unlimited = 0;
    if (!from_.check(nc.inq(from_.file_, &dimensions, &variables, &attributes, &unlimited))) return false;
    std::array<char, NC_MAX_NAME + 1> name{};
    for (int k = 0; k < dimensions; ++k) {
      std::size_t length = 0;
      if (from_.check(nc.inq_dim(from_.file_, k, name.data(), &length)))
        head_.dimensions.push_back({name.data(), length});
    }
    head_.attributes = attributes_of(NC_GLOBAL, attributes);
    for (int k = 0; k < variables; ++k) {
      nc_type type = NC_NAT;
      int count = 0;
      std::vector<int> of(NC_MAX_VAR_DIMS);
      if (!from_.check(nc.inq_var(from_.file_, k, name.data(), &type, &count, of.data(), &attributes))) return false;
      const std::optional<NetcdfType> known = known_type(type);
      if (!known) continue;
      head_.variables.push_back({name.data(), *known, {of.begin(), of.begin() + count}, attributes_of(k, attributes)});
      variables_.push_back(k);
    }
    return from_.why_.empty();
  }

  const NetcdfHead& head() const override { return head_; }

  std::string get(std::size_t variable, const NetcdfBlock& block, NetcdfValues& values) override {
    const NetcdfApi& nc = from_.api_;
    const int id = variables_[variable];
    errno = 0;
    const std::size_t *const start = block.start.data(), *const count = block.count.data();
    std::size_t size = 1;
    for (const std::size_t length : block.count) size *= length;
    switch (head_.variables[variable].type) {
      case NetcdfType::kNumber: {
        auto& numbers = values.emplace<std::vector<double>>(size);
        from_.check(nc.get_vara_double(from_.file_, id, start, count, numbers.data()));
        break;
      }
      case NetcdfType::kByte: {
        auto& bytes = values.emplace<std::vector<signed char>>(size);
        from_.check(nc.get_vara_schar(from_.file_, id, start, count, bytes.data()));
        break;
      }
      case NetcdfType::kCharacter: {
        auto& characters = values.emplace<std::string>(size, '\0');
        from_.check(nc.get_vara_text(from_.file_, id, start, count, characters.data()));
        break;
      }
      case NetcdfType::kText: {
        auto& texts = values.emplace<std::vector<std::string>>(size);
        std::vector<char*> given(size, nullptr);
        if (!from_.check(nc.get_vara_string(from_.file_, id, start, count, given.data()))) break;
        for (std::size_t k = 0; k < size; ++k)
          if (given[k] != nullptr) texts[k] = given[k];
        from_.check(nc.free_string(size, given.data()));
        break;
      }
    }
    return from_.why_;
  }
  const std::string& why() const { return from_.why_; }

 private:
  NetcdfHead::Attributes attributes_of(int variable, int count) {
    const NetcdfApi& nc = from_.api_;
    NetcdfHead::Attributes texts;
    std::array<char, NC_MAX_NAME + 1> name{};
    for (int k = 0; k < count; ++k) {
      nc_type type = NC_NAT;
      std::size_t length = 0;
      if (!from_.check(nc.inq_attname(from_.file_, variable, k, name.data())) ||
          !from_.check(nc.inq_att(from_.file_, variable, name.data(), &type, &length)) || type != NC_CHAR)
        continue;
      std::string text(length, '\0');
      if (from_.check(nc.get_att_text(from_.file_, variable, name.data(), text.data())))
        texts.emplace_back(name.data(), std::move(text));
    }
    return texts;
  }

  OpenNetcdf from_;
  NetcdfHead head_;
  std::vector<int> variables_;
};

}  // namespace

Diagnostics require_netcdf(const std::string& path, const std::string& instead) {
  if (netcdf_api().why_not.empty()) return {};
  Diagnostic problem = error("E0510", fmt::format("`{}`: {}", path, netcdf_api().why_not));
  problem.help.emplace_back("apt-get install libnetcdf19");
  if (!instead.empty()) problem.help.push_back(instead);
  return {problem};
}

Result<std::unique_ptr<NetcdfWriter>> NetcdfWriter::create(const std::string& path, const std::string& named,
                                                           const NetcdfHead& head) {
  if (Diagnostics missing = require_netcdf(named, ""); !missing.empty()) return missing;
  auto writer = std::make_unique<LibraryWriter>();
  if (!writer->create(path, head)) return error("E0501", fmt::format("cannot write `{}`: {}", named, writer->why()));
  return std::unique_ptr<NetcdfWriter>(std::move(writer));
}

Result<std::unique_ptr<NetcdfReader>> NetcdfReader::open(const std::string& path) {
  if (Diagnostics missing = require_netcdf(path, ""); !missing.empty()) return missing;
  auto reader = std::make_unique<LibraryReader>();
  if (!reader->open(path)) return error("E0502", fmt::format("cannot read `{}`: {}", path, reader->why()));
  return std::unique_ptr<NetcdfReader>(std::move(reader));
}

}  // namespace dalembert
