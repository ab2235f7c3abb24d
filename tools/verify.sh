#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev verify`: what takes too long for every change (CONTRIBUTING.md says when it is run). `--seed N` chooses what is random;
# `./dev verify STAGE...` runs only those stages. The last line counts tests and stages: `N passed, N failed`.
set -euo pipefail
export LC_ALL=C.UTF-8
unset DESTDIR CDPATH

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd -- "$root"
# shellcheck source=tools/stages.sh
source tools/stages.sh

stages=(slow judge asan-ubsan gcc minimal wasm tsan fuzz mutate bench clean-copy package)
limit=3600 # seconds a stage may take
export DALEMBERT_TEST_SEED=${DALEMBERT_TEST_SEED:-1}

# ----------------------------------------------------------------------------------------------------------- stages

#: slow        the slow tests: every shipped model's page, FMU, LaTeX, code and formulas; random systems against SymPy; sweeps by GNU parallel, Slurm, Dask and MPI
stage_slow() {
  ./dev setup
  DALEMBERT_TEST_ALL=1 ./dev test -L slow
}

#: judge       what is said of random models, DALEMBERT_JUDGE_CASES of each kind (200), against what is known of them otherwise
stage_judge() {
  ./dev setup
  ./dev build dalembert-cli dalembert-python
  local script status=0 cases
  for script in tests/judge/judge_*.py; do
    printf '\n%s\n' "$script"
    cases=${DALEMBERT_JUDGE_CASES:-200}
    # Each of its models is compiled and run in three languages.
    [[ $script != */judge_exports.py ]] || cases=$(((cases + 7) / 8))
    /usr/bin/python3 "$script" --program build/release/bin/dalembert --cases "$cases" --seed "$DALEMBERT_TEST_SEED" || status=1
  done
  return "$status"
}

#: asan-ubsan  every layer, whole systems, the command and the Python package with all checks of both sanitizers
stage_asan-ubsan() {
  ./dev test --preset asan-ubsan -L '^(core|codegen|figure|scene|report|study|systems|threads|face|cli|python|slow)$' \
    -E '^(slow|web|fmu)\.|^python.test_(cheat_sheet|notebooks|pages|pictures|studies|stubs)$'
}

#: gcc         by g++ instead of clang: the tests of every layer; each public header compiles alone; what is derived and exported is the same to the byte
stage_gcc() {
  ./dev test --preset gcc -LE 'slow|tools|docs|fmu'
  make_scratch
  cmake --install build/gcc --prefix "$scratch/prefix" >/dev/null
  python3 tools/check_public_headers.py --installed "$scratch/prefix" --alone
  ./dev build dalembert-cli
  local build model name
  for build in release gcc; do
    mkdir -- "$scratch/$build"
    for model in models/*.toml models/audits/*.toml; do
      name=$(basename "$model" .toml)
      "build/$build/bin/dalembert" derive "$model" --format json >"$scratch/$build/$name.json"
      # What exports do not support is refused by name.
      "build/$build/bin/dalembert" export "$model" --to c -o "$scratch/$build/$name" --quiet 2>"$scratch/refused" || grep -q E0536 "$scratch/refused"
    done
  done
  diff -r -- "$scratch/release" "$scratch/gcc" | head -50
}

#: minimal     build without optional third parties, and test what may depend on them
stage_minimal() {
  ./dev build --preset minimal dalembert-cli {algebra,derive,compile,analyze}_test
  ctest --preset minimal --parallel "$(nproc)" -L '^(algebra|derive|compile|analyze)$'
}

#: wasm        the library as WebAssembly, run by Node: the same digits as here
stage_wasm() { ./dev test --preset wasm; }

#: tsan        one system used from many threads at once, under the thread sanitizer
stage_tsan() { ./dev test --preset tsan; }

#: fuzz        every harness runs for half a minute without a finding
stage_fuzz() { ./dev fuzz 30; }

#: mutate      two minutes of mutated models through every verb: no crash, no hang, a place in every message
stage_mutate() { ./dev mutate 120 --seed "$DALEMBERT_TEST_SEED"; }

#: bench       the benchmarks are built, and each runs once
stage_bench() { ./dev bench --benchmark_repetitions=1 --benchmark_min_time=0.001; }

#: clean-copy  the demo alone, from a copy in which nothing is built
stage_clean-copy() {
  make_scratch
  copy_tree "$scratch"
  (cd / && time "$scratch/dev" demo)
}

#: package     the packages: that of Debian, installed in a bare Debian 12, runs README's lines; the sources build without git (needs root)
stage_package() {
  ./dev package
  tools/try_packages.sh out/package
}

# ----------------------------------------------------------------------------------------------------------- runner

take_stage "$root/tools/verify.sh" "$@"
chosen=()
while (($#)); do
  case $1 in
    --seed) (($# >= 2)) || { echo "verify: --seed needs a number" >&2; exit 2; }; DALEMBERT_TEST_SEED=$2; shift 2 ;;
    *) chosen+=("$1"); shift ;;
  esac
done
[[ $DALEMBERT_TEST_SEED =~ ^[0-9]+$ ]] || { printf 'verify: --seed needs a number, not %s\n' "$DALEMBERT_TEST_SEED" >&2; exit 2; }
((${#chosen[@]} == 0)) || stages=("${chosen[@]}")
run_stages "$root/tools/verify.sh" "$root/build/verify" "$limit" "${stages[@]}"
