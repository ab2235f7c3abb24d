// SPDX-License-Identifier: Apache-2.0
#if !defined(__wasi__)  // WebAssembly has neither threads nor folders here: a Sweep::Worker makes runs one by one
#include "dalembert/study/sweep/sweep_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/csv.h"
#include "dalembert/base/sha256.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/store/netcdf.h"
#include "dalembert/store/number_text.h"
#include "dalembert/study/sweep/kept_rows.h"
#include "dalembert/study/sweep/row_files.h"
#include "dalembert/study/sweep/study_output.h"
#include "dalembert/study/threads.h"

namespace dalembert {

using sweeping::KeptRows;
using sweeping::RowFile;
using sweeping::StudyColumn;
using sweeping::StudyHead;
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

// What each thread of a sweep does: runs, until there is no next one. `next` gives the index of the next run, or a negative number.
template <typename Next, typename Take>
auto making_runs(const Sweep& sweep, Next next, Take take) {
  return [&sweep, next, take](int thread, const std::atomic<bool>& stopped) {
    Sweep::Worker(sweep).run_all([&] { return stopped ? -1 : next(); },
                                 [&](StudyRun run) { take(thread, std::move(run)); }, [&] { return !stopped; });
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
Result<std::optional<SweepOutcome>> finished_before(const SweepJob& job, const StudyMark& mark) {
  struct stat about {};
  if (::stat(job.output.c_str(), &about) != 0 || job.restart) return std::optional<SweepOutcome>();
  const StudyMark before = sweeping::read_head(job.output).mark;
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
  Diagnostics problems = sweeping::visit_study(
      job.output, [](const StudyHead&) {},
      [&](const sweeping::StudyLine& line) {
        sweeping::count_row(line.holds, line.status, outcome.count);
        return true;
      });
  if (!problems.empty()) return problems;
  outcome.count.runs = outcome.count.earlier = outcome.count.made();
  return std::optional(outcome);
}

// The files of rows of several threads. Any thread may add, one thread flushes.
class RowWriters {
 public:
  RowWriters(KeptRows& kept, int threads, bool mixed) {
    for (int k = 0; k < threads; ++k) writers_.push_back(kept.new_writer(mixed));
  }
  int count() const { return static_cast<int>(writers_.size()); }
  void add(int thread, const StudyRun& run, const std::string& machine) {
    writers_[static_cast<std::size_t>(thread)]->add(
        fmt::format("{}\t{}\t{}", study_row(run), to_text(run.seconds, 4), machine));
  }
  /// False from the first failure on; why() says what it was.
  bool flush() {
    for (const auto& writer : writers_)
      if (why_.empty()) why_ = writer->flush();
    return why_.empty();
  }
  const std::string& why() const { return why_; }

 private:
  std::vector<std::unique_ptr<KeptRows::Writer>> writers_;
  std::string why_;
};

Diagnostic not_kept(const std::string& output, const std::string& why) {
  Diagnostic full = error("E0501", fmt::format("cannot write the rows of `{}`: {}", output, why));
  full.help.emplace_back("what was written is kept: the same command goes on from there");
  return full;
}

// Runs that other processes make, too: what they send goes to `take`. False once all runs are made.
class WithCrew {
 public:
  WithCrew(const Sweep& sweep, const SweepJob& job, std::function<bool(std::int64_t)> has, std::int64_t left,
           sweeping::Crew::Take take)
      : crew_(job.crew), take_(std::move(take)) {
    if (crew_ == nullptr) return;
    auto deal = std::make_unique<sweeping::Deal>(job.shard - 1, job.shards, sweep.runs(), std::move(has), left,
                                                 crew_->processes());
    crew_->begin(sweep, study_head(sweep, job).mark.identity, std::move(deal));
  }
  bool there() const { return crew_ != nullptr; }
  std::int64_t next() { return crew_->next(); }
  /// Whether a run of this process is the first of its index.
  bool is_first(std::int64_t index) { return crew_ == nullptr || crew_->made_here(index); }
  bool look() { return crew_ == nullptr || crew_->look(take_); }
  std::chrono::milliseconds pause() const { return std::chrono::milliseconds(crew_ == nullptr ? 100 : 5); }
  Diagnostics end() { return crew_ == nullptr ? Diagnostics{} : crew_->end(); }

 private:
  sweeping::Crew* crew_;
  sweeping::Crew::Take take_;
};

}  // namespace

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

StudyHead study_head(const Sweep& sweep, const SweepJob& job) {
  StudyHead head{{sha256(job.program + "\n" + sweep.description()), sweep.runs(), job.shard, job.shards},
                 sweep.model(),
                 job.program,
                 {}};
  const std::vector<std::int64_t> grid = sweep.grid();
  const StudyColumn::Kind other = sweep.samples() > 0 ? StudyColumn::Kind::kSampled : StudyColumn::Kind::kGiven;
  for (std::size_t k = 0; k < sweep.quantities().size(); ++k) {
    const bool varied = k < grid.size();
    head.columns.push_back({sweep.quantities()[k], sweep.quantity_units()[k],
                            varied ? StudyColumn::Kind::kVaried : other, varied ? grid[k] : 0});
  }
  for (std::size_t k = 0; k < sweep.measures().size(); ++k)
    head.columns.push_back({sweep.measures()[k], sweep.measure_units()[k], StudyColumn::Kind::kMeasure, 0});
  return head;
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

Diagnostics save_study(const std::string& path, const StudyHead& head, const std::vector<StudyRun>& rows) {
  Diagnostics problems = sweeping::write_study(path, head, [&](const sweeping::TakeRow& take) {
    for (const StudyRun& run : rows)
      if (!take(study_row(run))) break;
    return true;
  });
  if (!problems.empty()) return problems;
  return write_file(name_with_ending(path, ".log"),
                    [&](std::ostream& out) { out << head.text() << sweeping::kLogHeader << '\n'; });
}

Result<SweepOutcome> run_sweep(const Sweep& sweep, const SweepJob& job) {
  const StudyHead head = study_head(sweep, job);
  const StudyMark& mark = head.mark;
  if (Diagnostics problems = sweeping::check_output(job.output, head); !problems.empty()) return problems;
  Result<std::optional<SweepOutcome>> before = finished_before(job, mark);
  if (!before) return before.diagnostics();
  if (*before) {
    KeptRows::forget_left(job.output, mark, sweep.description(), columns_of(sweep));
    return **before;
  }
  if (job.restart) KeptRows::forget(job.output);
  Result<std::unique_ptr<KeptRows>> opened = KeptRows::open(job.output, mark, sweep.description(), columns_of(sweep));
  if (!opened) return opened.diagnostics();
  KeptRows& kept = **opened;

  const std::int64_t left = kept.count().runs - kept.count().earlier;
  RowWriters writers(kept, threads_for(job.threads, left), job.crew != nullptr);
  const std::string machine = machine_name();
  const Clock::time_point begin = Clock::now();
  Counters counters;
  std::atomic<std::int64_t> place = job.shard - 1;
  const auto add = [&](int thread, const StudyRun& run, const std::string& where) {
    writers.add(thread, run, where);
    counters.add(run);
  };
  WithCrew crew(
      sweep, job, [&](std::int64_t index) { return kept.has(index); }, left,
      [&](const StudyRun& run, const std::string& where) { add(0, run, where); });
  SweepOutcome outcome;
  {
    Threads threads(writers.count(), making_runs(
                                         sweep,
                                         [&] {
                                           if (crew.there()) return crew.next();
                                           std::int64_t index = place.fetch_add(job.shards);
                                           while (index < mark.runs && kept.has(index))
                                             index = place.fetch_add(job.shards);
                                           return index < mark.runs ? index : -1;
                                         },
                                         [&](int thread, const StudyRun& run) {
                                           if (crew.is_first(run.index)) add(thread, run, machine);
                                         }));
    outcome.interrupted = threads.wait(
        [&] {
          return crew.look() && writers.flush() &&
                 (!job.progress || job.progress(counters.and_earlier(kept.count(), begin)));
        },
        crew.pause());
  }
  outcome.warnings = crew.end();
  if (!writers.flush()) return not_kept(job.output, writers.why());
  outcome.count = counters.and_earlier(kept.count(), begin);
  outcome.interrupted = outcome.interrupted && outcome.count.made() < outcome.count.runs;
  if (outcome.interrupted) return outcome;
  if (Diagnostics problems = kept.finish(head); !problems.empty()) return problems;
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
  const auto put = [&](StudyRun run) {
    counters.add(run);
    StudyRun& row = rows[static_cast<std::size_t>((run.index - job.shard + 1) / job.shards)];
    row = std::move(run);
  };
  WithCrew crew(
      sweep, job, [](std::int64_t) { return false; }, none.runs,
      [&](StudyRun run, const std::string&) { put(std::move(run)); });
  {
    Threads threads(threads_for(job.threads, none.runs), making_runs(
                                                             sweep,
                                                             [&] {
                                                               if (crew.there()) return crew.next();
                                                               const std::int64_t row = place++;
                                                               return row < none.runs ? job.shard - 1 + row * job.shards
                                                                                      : -1;
                                                             },
                                                             [&](int, StudyRun run) {
                                                               if (crew.is_first(run.index)) put(std::move(run));
                                                             }));
    outcome.interrupted =
        threads.wait([&] { return crew.look() && (!job.progress || job.progress(counters.and_earlier(none, begin))); },
                     crew.pause());
  }
  outcome.warnings = crew.end();
  outcome.count = counters.and_earlier(none, begin);
  outcome.interrupted = outcome.interrupted && outcome.count.made() < none.runs;
  return outcome;
}

namespace {

Diagnostic no_merge(std::string message, std::string help) {
  Diagnostic problem = error("E0425", std::move(message));
  problem.help.push_back(std::move(help));
  return problem;
}

// Visits the lines of files in order of their index, and checks that each index is there once. False if not all were taken.
bool take_in_order(std::vector<RowFile>& files, std::int64_t runs, Diagnostics& problems,
                   const sweeping::TakeRow& take) {
  std::int64_t next = 0;
  bool taken = true;
  std::string last;
  const auto missing = [&] {
    problems.push_back(no_merge(fmt::format("run {} is in none of the files", next),
                                "is the file of a shard missing, or a shard not finished?"));
  };
  merge_rows(files, [&](const RowFile& row) {
    if (row.index() < next)
      problems.push_back(no_merge(fmt::format("run {} is in `{}` and in `{}`", row.index(), last, row.path()),
                                  "give each shard once"));
    else if (row.index() > next)
      missing();
    if (!problems.empty()) return false;
    last = row.path();
    ++next;
    return taken = take(row.line());
  });
  if (problems.empty() && taken && next < runs) missing();
  return problems.empty();
}

// Of files whose logs are absent the header of the columns alone was compared, and the number of runs is not known.
Diagnostic not_compared(const std::vector<std::string>& files) {
  const std::string alike = files.size() > 1 ? "whether the files are of one study, and " : "";
  Diagnostic doubt = warning(
      "W0329",
      fmt::format("{}whether runs are missing after the last one{} not known: no `{}` says what study the rows are of",
                  alike, alike.empty() ? " is" : ", is", name_with_ending(files.front(), ".log")));
  doubt.help.emplace_back("bring the logs, which `sweep` wrote beside the files");
  return doubt;
}

}  // namespace

Result<SweepOutcome> merge_sweeps(const std::vector<std::string>& files, const std::string& output) {
  std::vector<RowFile> rows, logs;
  std::string header;
  StudyHead head;
  for (const std::string& path : files) {
    rows.emplace_back(path);
    if (!rows.back().open()) return error("E0502", fmt::format("cannot read `{}`", path));
    if (!rows.back().next_line() || !sweeping::is_study_header(rows.back().line()))
      return no_merge(fmt::format("`{}` is no output of a sweep", path),
                      "it begins with `index`, and its columns end with holds, status, error, reason");
    if (header.empty()) {
      header = rows.back().line();
      head = sweeping::head_of_csv(path, header);
    }
    const StudyMark own = sweeping::read_head(path).mark;
    const bool known = !own.identity.empty();
    if (header == rows.back().line() && known == head.mark.identity.empty())
      return no_merge(
          fmt::format("whether `{}` is of the study of `{}` is not known: no `{}` says what study its rows are of",
                      path, files.front(), name_with_ending(known ? files.front() : path, ".log")),
          "bring the log, which `sweep` wrote beside it");
    if (header != rows.back().line() || own.identity != head.mark.identity || own.runs != head.mark.runs)
      return no_merge(fmt::format("`{}` is of another study than `{}`", path, files.front()),
                      "shards have the same model, options and study");
    logs.emplace_back(name_with_ending(path, ".log"));
    for (bool header_next = true; header_next && logs.back().next_line();)
      header_next = logs.back().line() != sweeping::kLogHeader;
  }
  head.mark.shard = head.mark.shards = 1;
  if (head.mark.identity.empty() && sweeping::is_netcdf_path(output))
    return no_merge(fmt::format("no `{}.log` says which columns of `{}` are varied", files.front(), files.front()),
                    "bring the logs of the shards, which `sweep` wrote beside them, or write FILE.csv");
  if (Diagnostics wrong = sweeping::check_output(output, head); !wrong.empty()) return wrong;
  SweepOutcome outcome;
  Diagnostics problems;
  sweeping::StudyLine line;
  Diagnostics written = sweeping::write_study(output, head, [&](const sweeping::TakeRow& take) {
    return take_in_order(rows, head.mark.runs, problems, [&](std::string_view row) {
      if (!sweeping::read_study_line(row, head.columns.size(), line)) {
        problems.push_back(no_merge(fmt::format("`{}` is no row of a sweep", row), "make its shard again"));
        return false;
      }
      sweeping::count_row(line.holds, line.status, outcome.count);
      return take(row);
    });
  });
  if (!problems.empty()) return problems;
  if (!written.empty()) return written;
  outcome.count.runs = outcome.count.made();
  if (head.mark.identity.empty()) {
    outcome.warnings.push_back(not_compared(files));
    // A log that an earlier study left there is none of these rows.
    const std::string log = name_with_ending(output, ".log");
    std::error_code ignored;
    if (!sweeping::read_head(output).mark.identity.empty()) std::filesystem::remove(log, ignored);
    return outcome;
  }
  written = write_file(name_with_ending(output, ".log"), [&](std::ostream& out) {
    out << head.text() << sweeping::kLogHeader << '\n';
    take_in_order(logs, head.mark.runs, problems,
                  [&](std::string_view row) { return static_cast<bool>(out << row << '\n'); });
  });
  if (!written.empty()) return written;
  return outcome;
}

}  // namespace dalembert
#endif
