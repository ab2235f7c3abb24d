# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs stages one after the other: sourced by .ci/run and tools/verify.sh, which define a function stage_NAME and a line `#: NAME  what it
# does` for each. A stage has its own shell and a time limit; a failed one does not stop the next. The last lines say how long each stage
# took, which tests were slowest and what failed, and count tests and stages: `N passed, N failed`.

# A folder of this stage's own, removed when it ends. Its name has a space: paths with spaces must work.
make_scratch() {
  scratch="$(mktemp -d)/a copy"
  mkdir -- "$scratch"
  trap 'rm -rf -- "$(dirname -- "$scratch")"' EXIT
}

# What git would give someone else (without git, everything that is not built) -> the folder $1, whose build/ stays: what was built
# there before is built again only where a file changed.
copy_tree() {
  mkdir -p -- "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf -- {} +
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      [[ ! -e $file ]] || printf '%s\0' "$file"
    done | tar -c --null -T - | tar -x -C "$1"
  else
    tar -c --exclude=./build --exclude=./out . | tar -x -C "$1"
  fi
}

# One finished test of ctest a line, as "SECONDS NAME", from the logs named.
test_seconds() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (.*[^. ]) \.\.+ *(Passed|\*\*\*[A-Za-z() ]+[A-Za-z)]) +([0-9.]+) sec.*/\3 \1/p' "$@"
}

# take_stage SCRIPT ARGS...: `--stage NAME`, by which the runner runs one, and `--help`; returns where ARGS are neither.
take_stage() {
  local script=$1
  case ${2:-} in
    --stage) "stage_$3"; exit ;;
    -h | --help)
      printf 'usage: %s [ARGS] [STAGE...]\n\n' "$script"
      sed -n 's/^#: /  /p' "$script"
      exit
      ;;
  esac
}

# run_stages SCRIPT LOGS LIMIT STAGE...: SCRIPT --stage NAME runs one; its output goes to LOGS/NAME.log too; LIMIT is in seconds.
run_stages() {
  local script=$1 logs=$2 limit=$3 stage started status reason bad all passed=0 failed=0
  local -a failures=() times=() files=()
  shift 3
  for stage in "$@"; do
    declare -F "stage_$stage" >/dev/null || { printf '%s: there is no stage `%s`; --help lists them\n' "$script" "$stage" >&2; exit 2; }
  done
  mkdir -p -- "$logs"
  for stage in "$@"; do
    printf '\n======== %s: %s\n' "$stage" "$(sed -n "s/^#: $stage  *//p" "$script")"
    started=$SECONDS
    status=0
    timeout --kill-after=20 "$limit" bash "$script" --stage "$stage" </dev/null 2>&1 | tee -- "$logs/$stage.log" || status=$?
    files+=("$logs/$stage.log")
    times+=("$(printf '%6d s  %s' $((SECONDS - started)) "$stage")")

    # ctest: "97% tests passed, 3 tests failed out of 100"
    while read -r bad all; do
      passed=$((passed + all - bad))
      failed=$((failed + bad))
    done < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/p' "$logs/$stage.log")

    if ((status == 0)); then
      passed=$((passed + 1))
      printf -- '-------- %s: passed (%d s)\n' "$stage" $((SECONDS - started))
    else
      failed=$((failed + 1))
      failures+=("$stage")
      reason="status $status"
      ((status != 124 && status != 137)) || reason="took longer than $limit s"
      printf -- '-------- %s: FAILED (%s, %d s); its output: %s\n' "$stage" "$reason" $((SECONDS - started)) "$logs/$stage.log"
    fi
  done

  # What failed is said again at the end, where it is read first.
  printf '\n'
  {
    printf 'the slowest tests:\n'
    test_seconds "${files[@]}" | sort -rn | sed -nE '1,10s/^([^ ]*)/  \1 s/p'
    printf 'the stages:\n'
    printf '%s\n' "${times[@]}"
    printf '%d s in all\n' "$SECONDS"
  } | tee -- "$logs/times.txt"
  for stage in "${failures[@]}"; do
    printf 'failed: %s\n' "$stage"
    grep -hE '^\[  FAILED  \] |^[[:space:]]+[0-9]+ - .*\((Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)|error: ' "$logs/$stage.log" |
      cut -c1-160 | sort -u | head -30 || true
  done
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}
