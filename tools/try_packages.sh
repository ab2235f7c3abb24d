#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try_packages.sh FOLDER: installs the Debian package of FOLDER in a bare Debian 12, runs README's lines there, builds a program that uses the library, and removes
# the package; imports the wheel from an empty
# environment; builds the command from the archive of the sources, without git. Needs root, debootstrap and Debian's archive.
set -euo pipefail
export LC_ALL=C.UTF-8

folder=$(cd -- "$1" && pwd -P)
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
work=$(mktemp -d)
trap 'umount -q "$work/debian/proc" || true; rm -rf -- "$work"' EXIT
if ! command -v debootstrap >/dev/null; then apt-get install -q -y --no-install-recommends debootstrap >/dev/null; fi

echo "== a bare Debian 12"
debian=$work/debian
debootstrap --variant=minbase bookworm "$debian" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log" ||
  { tail -20 "$work/debootstrap.log"; exit 1; }
mount -t proc proc "$debian/proc" || echo "(without /proc)"
cp -- "$folder"/dalembert_*.deb "$debian/tmp/"
in_debian() { chroot "$debian" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -ec "$1"; }
echo 'Dpkg::Use-Pty "0";' >"$debian/etc/apt/apt.conf.d/99dalembert"
in_debian 'apt-get update -q >/dev/null; apt-get install -q -y /tmp/dalembert_*.deb >/dev/null 2>&1'

echo "== README's lines there"
# The commands of "Try it" that need no other program, with their notes taken off.
# shellcheck disable=SC2016  # backquotes of Markdown
{
  sed -n '/^## Try it/,/^## What else/p' "$root/README.md" | sed -n 's/^    \(dalembert .*\)/\1/p' | sed 's/  *# .*//' >"$debian/root/lines"
  sed -n '/^```toml/,/^```/p' "$root/README.md" | sed '/^```/d' >"$debian/root/pendulum.toml"
  sed -n '/^```python/,/^```/p' "$root/README.md" | sed '/^```/d' >"$debian/root/readme.py"
}
# shellcheck disable=SC2016  # $line is of the inner shell
in_debian 'cd /root; while read -r line; do echo "\$ $line"; bash -c "$line" >out 2>&1 </dev/null || [[ $? == 4 ]] || { cat out; exit 1; }; done <lines
  dalembert audit pendulum.toml >out || [[ $? == 4 ]]
  dalembert --version; apt-get install -q -y --no-install-recommends man-db >/dev/null 2>&1
  man dalembert 2>said >page; grep -q "simulate MODEL" page; [[ ! -s said ]] || { cat said; exit 1; }; test -s /usr/share/doc/dalembert/copyright; test -s /usr/share/dalembert/editors/vscode/extension.js; python3 readme.py | tail -3'

echo "== a program that uses the library"
cp -r -- "$root/tests/consumer" "$debian/root/"
in_debian 'apt-get install -q -y --no-install-recommends g++ cmake make libfmt-dev libflint-dev libflint-arb-dev >/dev/null 2>&1
  cd ~/consumer; cmake -S . -B built >/dev/null; cmake --build built >/dev/null; built/consumer'

echo "== removed, it leaves nothing"
# shellcheck disable=SC2016  # $left is of the inner shell
in_debian 'apt-get purge -q -y dalembert >/dev/null; left=$(find /usr /etc /opt -iname "*dalembert*" -not -path "/etc/apt/*"); [[ -z $left ]] || { echo "left behind: $left"; exit 1; }'

echo "== the wheel"
/usr/bin/python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index --no-deps "$folder"/dalembert-*.whl
(cd "$work" && venv/bin/python -c 'import dalembert; run = dalembert.load("slider-crank").simulate(t=0.1); assert run.verdict, run.verdict; print(dalembert.__file__)')
# The solver of fits is in the wheel; Ceres Solver itself is that of the system.
(cd "$work" && venv/bin/python -c 'import dalembert
found = dalembert.load("mass-spring").fit({"time": [0, 0.1, 0.2], "x": [0.1, 0.09, 0.06]}, free="k", measure={"x": "x"})
modules = [line for line in open("/proc/self/maps") if "dalembert-ceres" in line]
assert found.success and all("site-packages" in line for line in modules), (found, modules)')

echo "== the sources, without git"
tar -xf "$folder"/dalembert-*.tar.gz -C "$work"
(cd "$work"/dalembert-*/ && ./dev build dalembert-cli && build/release/bin/dalembert --version && build/release/bin/dalembert check slider-crank >/dev/null)
