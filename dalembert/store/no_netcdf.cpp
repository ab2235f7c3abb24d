// SPDX-License-Identifier: Apache-2.0
// What stands for netcdf.cpp where this program was built without the header of libnetcdf.
#include <fmt/format.h>

#include "dalembert/store/netcdf.h"

namespace dalembert {

Diagnostics require_netcdf(const std::string& path, const std::string& instead) {
  Diagnostic problem = error("E0510", fmt::format("`{}`: this program was built without NetCDF", path));
  if (!instead.empty()) problem.help.push_back(instead);
  return {problem};
}

Result<std::unique_ptr<NetcdfWriter>> NetcdfWriter::create(const std::string&, const std::string& named,
                                                           const NetcdfHead&) {
  return require_netcdf(named, "");
}
Result<std::unique_ptr<NetcdfReader>> NetcdfReader::open(const std::string& path) { return require_netcdf(path, ""); }

}  // namespace dalembert
