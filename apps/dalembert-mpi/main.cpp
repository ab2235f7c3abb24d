// SPDX-License-Identifier: Apache-2.0
// dalembert-mpi: `dalembert sweep` by all processes that mpirun starts. Process 0 is the command, the others make runs for it.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "apps/dalembert-mpi/mpi_post.h"
#include "apps/dalembert/command.h"
#include "apps/dalembert/crew_of_process.h"
#include "apps/dalembert/exit_codes.h"
#include "apps/dalembert/help.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/base/diagnostic.h"

namespace dalembert::app {
namespace {

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What is no sweep of runs is for one process.
bool makes_runs(const std::vector<std::string>& words) {
  return has(words, "sweep") && !has(words, "--merge") && !has(words, "--help") && !has(words, "-h");
}

int run_first(const std::vector<std::string>& words, MpiPost& post) {
  sweeping::Crew crew(post);
  crew_of_process().first = &crew;
  const int status = run_command(words);
  // Where no run was made, the others have not been told yet.
  crew.end();
  return status;
}

int run_member(const std::vector<std::string>& words, MpiPost& post) {
  sweeping::CrewMember member(post);
  crew_of_process().member = &member;
  std::string messages;
  const int status = run_command(words, &messages);
  if (!member.took_part()) {
    // Process 0 reports it, unless it has the same reason to end.
    member.refuse(messages.substr(0, messages.find('\n')), [] { return true; });
    return kExitOk;
  }
  if (status != kExitOk) std::fputs(messages.c_str(), stderr);
  return status;
}

int run(const std::vector<std::string>& words) {
  MpiPost post;
  int status = kExitOk;
  if (words == std::vector<std::string>{"--help"} || words == std::vector<std::string>{"-h"}) {
    if (post.number() == 0) std::fputs(mpi_help(Terminal({})).c_str(), stdout);
    return kExitOk;
  }
  if (!has(words, "sweep") && !has(words, "--help") && !has(words, "-h") && !has(words, "--version")) {
    Diagnostic other = error("E0448", "dalembert-mpi makes sweeps");
    other.help.emplace_back("mpirun -n 4 dalembert-mpi sweep MODEL …; for everything else there is `dalembert`");
    if (post.number() == 0) std::fputs(render({other}).c_str(), stderr);
    return kExitUsage;
  }
  if (post.number() == 0)
    status = makes_runs(words) || post.count() == 1 ? run_first(words, post) : run_command(words);
  else if (makes_runs(words))
    status = run_member(words, post);
  for (int k = 0; k < 1000 && !post.sent(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return status;
}

}  // namespace
}  // namespace dalembert::app

int main(int argc, char** argv) {
  dalembert::app::prepare_process();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  // While packages are made there may be no MPI that starts.
  if (words == std::vector<std::string>{"explain", "man"})
    return std::fputs(dalembert::app::mpi_man_page().c_str(), stdout) < 0 ? dalembert::app::kExitIo
                                                                          : dalembert::app::kExitOk;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = dalembert::app::run(words);
  MPI_Finalize();
  return status;
}
