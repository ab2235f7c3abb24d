// SPDX-License-Identifier: Apache-2.0
// dalembert new: writes a commented starter model.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/model_source.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"

namespace dalembert::app {
namespace {

// A pendulum with its rod as a constraint: a small model that shows every section that a first model needs.
constexpr const char* kStarter = R"toml(#:schema {2}
# A model for dalembert: everything that the system is, and how to run it.
#   dalembert check {1}        symbols, units, freedoms, a consistent start
#   dalembert derive {1}       the equations of motion
#   dalembert simulate {1}     the motion
#   dalembert explain format   every section and key (docs/model-format.md)
name = {0}
description = "A ball on a massless rod that hangs from a pin; the rod is a constraint, so that its tension comes out."

# The generalized coordinates, in this order in every matrix. y points up.
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}]

# A field that acts on every body.
gravity = ["0", "-g"]

# Numbers with units. `--set "L=80 cm"` overrides one for a run.
[parameters]
g = "9.81 m/s^2"
m = "0.5 kg"
L = "1 m"
c = "0.02 N*s/m"       # drag of the air

# Bodies give the kinetic energy and their potential in the field. A body that turns has `angle` and `inertia` as well;
# energies can also be written by hand: [energy] kinetic = "m/2*(x'^2 + y'^2)", potential = "m*g*y".
[[body]]
name = "ball"
mass = "m"
position = ["x", "y"]

# Equations that always hold. `holonomic` is one among positions; `pfaffian` one that is linear in velocities (x' is dx/dt).
# Written as a length, its multiplier lambda(rod) is a force in newtons: negative where the rod pulls.
[[constraint]]
name = "rod"
holonomic = "sqrt(x^2 + y^2) - L"

# Forces that no potential gives: here by their power, linear in the velocities. `push` is an input, a function of time t.
[[force]]
power = "push*x'"

[inputs]
push = 0               # try  --set "push=0.5*sin(3*t)"

[energy]
dissipation = "c/2*(x'^2 + y'^2)"    # Rayleigh's function: drag -c v

# `position` and `velocity` are kept exactly; what is a `guess` may move until every constraint holds.
[initial]
position = {{x = "0.6 m"}}
guess = {{y = "-0.8 m"}}
velocity = {{x = "0 m/s"}}

# Recorded with every run.
[outputs]
tension = "-lambda(rod)"
height = "y + L"

[simulation]
until = "10 s"
rtol = 1e-9
output_step = "0.02 s"
)toml";

// The name as a TOML string.
std::string toml_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

[[noreturn]] void cannot_write(const std::string& path, int code) {
  if (code == EEXIST)
    fail(kExitIo, "E0501", fmt::format("`{}` exists, and is not overwritten", path),
         {"give another NAME, or --output FILE"});
  fail(kExitIo, "E0501", fmt::format("cannot write `{}`: {}", path, std::strerror(code)));
}

void write_new_file(const std::string& path, const std::string& text) {
  // O_EXCL makes the system refuse an existing file; checking beforehand would be a race.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_write(path, errno);
  const int problem = write_all(descriptor, text);
  const int closed = ::close(descriptor) == 0 ? 0 : errno;
  if (problem != 0 || closed != 0) {
    ::unlink(path.c_str());
    cannot_write(path, problem != 0 ? problem : closed);
  }
}

}  // namespace

int run_new(const Arguments& arguments, Terminal& terminal) {
  std::string file = arguments.operands[0];
  if (!file.ends_with(".toml")) file += ".toml";
  const std::string name = std::filesystem::path(file).stem().string();
  if (name.empty() || name == ".toml")
    fail(kExitUsage, "E0403", fmt::format("`{}` is no name for a model", arguments.operands[0]));
  const std::string path = arguments.value("--output").value_or(file);
  const std::string text =
      fmt::format(kStarter, toml_string(name), path == "-" ? "FILE.toml" : shell_word(path), page("model.schema.json"));
  if (path == "-") {
    terminal.out(arguments.json() ? document_text({{"name", name}, {"path", nullptr}, {"text", text}}) : text);
    return kExitOk;
  }
  write_new_file(path, text);
  if (arguments.json())
    terminal.out(document_text({{"name", name}, {"path", path}}));
  else
    terminal.note(
        fmt::format("wrote {0}\nnext: dalembert check {1}    dalembert simulate {1}\n", path, shell_word(path)));
  return kExitOk;
}

}  // namespace dalembert::app
