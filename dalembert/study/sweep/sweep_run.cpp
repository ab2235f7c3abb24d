// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/sweep_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/sha256.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/number_text.h"
#include "dalembert/study/sweep/kept_rows.h"
#include "dalembert/study/sweep/row_files.h"
#include "dalembert/study/threads.h"

namespace dalembert {

using sweeping::KeptRows;
using sweeping::RowFile;
using sweeping::StudyMark;

namespace {

using Clock = std::chrono::steady_clock;

std::size_t columns_of(const Sweep& sweep) { return sweep.quantities().size() + sweep.measures().size(); }

void append_number(std::string& text, double value) {
  std::array<char, kLongestNumber + 8> digits;
  if (std::isfinite(value))
    text.append(digits.data(), write_number(digits.data(), value));
  else
    text += std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string machine_name() {
  std::array<char, 256> name{};
#if !defined(__wasi__)
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
#endif
  return name.data();
}

// What each thread of a sweep does: runs, until there is no next one. `next` gives the index of the next run, or a negative number.
template <typename Next, typename Take>
auto making_runs(const Sweep& sweep, Next next, Take take) {
  return [&sweep, next, take](int thread, const std::atomic<bool>& stopped) {
    Sweep::Worker worker(sweep);
    for (std::int64_t index = next(); index >= 0 && !stopped; index = next())
      if (std::optional<StudyRun> run = worker.run(index, [&] { return !stopped; })) take(thread, *std::move(run));
  };
}

// Counts of runs that several threads make.
struct Counters {
  std::atomic<std::int64_t> ok = 0, failed = 0, holds = 0;
  void add(const StudyRun& run) {
    ++(run.status == RunStatus::kOk ? ok : failed);
    if (run.holds) ++holds;
  }
  SweepCount and_earlier(SweepCount count, Clock::time_point begin) const {
    count.ok += ok;
    count.failed += failed;
    count.holds += holds;
    count.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return count;
  }
};

// The output exists already: how it was made.
Result<std::optional<SweepOutcome>> finished_before(const Sweep& sweep, const SweepJob& job, const StudyMark& mark) {
  struct stat about {};
  if (::stat(job.output.c_str(), &about) != 0 || job.restart) return std::optional<SweepOutcome>();
  const StudyMark before = sweeping::read_mark(job.output);
  if (before.text() != mark.text()) {
    Diagnostic other = error(
        "E0423", before.identity.empty()
                     ? fmt::format("`{}` exists, and no `{}.log` says of which study it is", job.output, job.output)
                     : fmt::format("`{}` holds another study: the model, the program, an option or the shard differs",
                                   job.output));
    other.help.emplace_back("`--restart` replaces it; another --output keeps it");
    return other;
  }
  SweepOutcome outcome;
  RowFile rows(job.output);
  rows.next_line();
  while (rows.next()) sweeping::count_row(rows.line(), columns_of(sweep), outcome.count);
  outcome.count.runs = outcome.count.earlier = outcome.count.made();
  return std::optional(outcome);
}

}  // namespace

std::string study_header(const Sweep& sweep) {
  std::string text = "index";
  for (const auto* list : {&sweep.quantities(), &sweep.measures()})
    for (const std::string& name : *list) text += "," + csv_quote(name);
  return text + ",holds,status,error,reason";
}

std::string study_row(const StudyRun& run) {
  std::string text = std::to_string(run.index);
  for (const auto* list : {&run.values, &run.measures})
    for (const double value : *list) {
      text += ',';
      append_number(text, value);
    }
  text += run.holds ? ",1," : ",0,";
  text += to_text(run.status);
  text += ',';
  append_number(text, run.error);
  std::string reason = run.reason;
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text + "," + csv_quote(reason);
}

Result<SweepOutcome> run_sweep(const Sweep& sweep, const SweepJob& job) {
  const StudyMark mark{sha256(job.program + "\n" + sweep.description()), sweep.runs(), job.shard, job.shards};
  Result<std::optional<SweepOutcome>> before = finished_before(sweep, job, mark);
  if (!before) return before.diagnostics();
  if (*before) return **before;
  if (job.restart) KeptRows::forget(job.output);
  Result<std::unique_ptr<KeptRows>> opened = KeptRows::open(job.output, mark, sweep.description(), columns_of(sweep));
  if (!opened) return opened.diagnostics();
  KeptRows& kept = **opened;

  const int count = threads_for(job.threads, kept.count().runs - kept.count().earlier);
  std::vector<std::unique_ptr<KeptRows::Writer>> writers;
  for (int k = 0; k < count; ++k) writers.push_back(kept.new_writer());
  const std::string machine = machine_name();
  const Clock::time_point begin = Clock::now();
  Counters counters;
  std::atomic<std::int64_t> place = job.shard - 1;
  std::string why;
  const auto flush = [&] {
    for (const auto& writer : writers)
      if (why.empty()) why = writer->flush();
    return why.empty();
  };
  SweepOutcome outcome;
  {
    Threads threads(count, making_runs(
                               sweep,
                               [&] {
                                 std::int64_t index = place.fetch_add(job.shards);
                                 while (index < mark.runs && kept.has(index)) index = place.fetch_add(job.shards);
                                 return index < mark.runs ? index : -1;
                               },
                               [&](int thread, StudyRun run) {
                                 writers[static_cast<std::size_t>(thread)]->add(
                                     fmt::format("{}\t{}\t{}", study_row(run), to_text(run.seconds, 4), machine));
                                 counters.add(run);
                               }));
    outcome.interrupted = threads.wait(
        [&] { return flush() && (!job.progress || job.progress(counters.and_earlier(kept.count(), begin))); });
  }
  flush();
  if (!why.empty()) {
    Diagnostic full = error("E0501", fmt::format("cannot write the rows of `{}`: {}", job.output, why));
    full.help.emplace_back("what was written is kept: the same command goes on from there");
    return full;
  }
  outcome.count = counters.and_earlier(kept.count(), begin);
  outcome.interrupted = outcome.interrupted && outcome.count.made() < outcome.count.runs;
  if (outcome.interrupted) return outcome;
  if (Diagnostics problems = kept.finish(study_header(sweep)); !problems.empty()) return problems;
  return outcome;
}

SweepOutcome run_sweep(const Sweep& sweep, const SweepJob& job, std::vector<StudyRun>& rows) {
  const Clock::time_point begin = Clock::now();
  SweepCount none;
  none.runs = runs_of(sweep.runs(), job.shard, job.shards);
  rows.assign(static_cast<std::size_t>(none.runs), {});
  std::atomic<std::int64_t> place = 0;
  Counters counters;
  SweepOutcome outcome;
  {
    Threads threads(threads_for(job.threads, none.runs),
                    making_runs(
                        sweep,
                        [&] {
                          const std::int64_t row = place++;
                          return row < none.runs ? job.shard - 1 + row * job.shards : -1;
                        },
                        [&](int, StudyRun run) {
                          counters.add(run);
                          StudyRun& row = rows[static_cast<std::size_t>((run.index - job.shard + 1) / job.shards)];
                          row = std::move(run);
                        }));
    outcome.interrupted =
        threads.wait([&] { return !job.progress || job.progress(counters.and_earlier(none, begin)); });
  }
  outcome.count = counters.and_earlier(none, begin);
  outcome.interrupted = outcome.interrupted && outcome.count.made() < none.runs;
  return outcome;
}

namespace {

// The columns between the index and `holds` of a header; none if it is no header of a study.
std::optional<std::size_t> columns_in(std::string_view header) {
  const std::string_view end = ",holds,status,error,reason";
  if (!header.starts_with("index,") || !header.ends_with(end)) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::count(header.substr(0, header.size() - end.size()), ','));
}

Diagnostic no_merge(std::string message, std::string help) {
  Diagnostic problem = error("E0425", std::move(message));
  problem.help.push_back(std::move(help));
  return problem;
}

// Copies the lines of files in order of their index, and checks that each index is there once.
Diagnostics copy_in_order(std::vector<RowFile>& files, const std::string& header, std::int64_t runs, std::ostream& out,
                          const std::function<void(std::string_view)>& note) {
  out << header << '\n';
  std::int64_t next = 0;
  Diagnostics problems;
  std::string last;
  merge_rows(files, [&](const RowFile& row) {
    if (row.index() < next)
      problems.push_back(no_merge(fmt::format("run {} is in `{}` and in `{}`", row.index(), last, row.path()),
                                  "give each shard once"));
    else if (row.index() > next)
      problems.push_back(no_merge(fmt::format("run {} is in none of the files", next),
                                  "is the file of a shard missing, or a shard not finished?"));
    if (!problems.empty()) return false;
    last = row.path();
    ++next;
    note(row.line());
    out << row.line() << '\n';
    return static_cast<bool>(out);
  });
  if (problems.empty() && out && next < runs)
    problems.push_back(no_merge(fmt::format("run {} is in none of the files", next),
                                "is the file of a shard missing, or a shard not finished?"));
  return problems;
}

}  // namespace

Result<SweepOutcome> merge_sweeps(const std::vector<std::string>& files, const std::string& output) {
  std::vector<RowFile> rows, logs;
  std::string header;
  StudyMark mark;
  for (const std::string& path : files) {
    rows.emplace_back(path);
    if (!rows.back().open()) return error("E0502", fmt::format("cannot read `{}`", path));
    if (!rows.back().next_line() || !columns_in(rows.back().line()))
      return no_merge(fmt::format("`{}` is no output of a sweep", path),
                      "it begins with `index`, and its columns end with holds, status, error, reason");
    if (header.empty()) header = rows.back().line();
    const StudyMark own = sweeping::read_mark(path);
    if (header != rows.back().line() || (rows.size() > 1 && (own.identity != mark.identity || own.runs != mark.runs)))
      return no_merge(fmt::format("`{}` is of another study than `{}`", path, files.front()),
                      "shards have the same model, options and study");
    mark = own;
    logs.emplace_back(name_with_ending(path, ".log"));
    logs.back().next_line();
    logs.back().next_line();
  }
  mark.shard = mark.shards = 1;
  SweepOutcome outcome;
  Diagnostics problems;
  const std::size_t columns = columns_in(header).value_or(0);
  Diagnostics written = write_file(output, [&](std::ostream& out) {
    problems = copy_in_order(rows, header, mark.runs, out,
                             [&](std::string_view row) { sweeping::count_row(row, columns, outcome.count); });
    if (!problems.empty()) out.setstate(std::ios::failbit);
  });
  if (!problems.empty()) return problems;
  if (!written.empty()) return written;
  outcome.count.runs = outcome.count.made();
  if (mark.identity.empty()) return outcome;
  written = write_file(name_with_ending(output, ".log"), [&](std::ostream& out) {
    out << mark.text() << '\n';
    problems = copy_in_order(logs, "index,seconds,machine", mark.runs, out, [](std::string_view) {});
  });
  if (!written.empty()) return written;
  return outcome;
}

}  // namespace dalembert
