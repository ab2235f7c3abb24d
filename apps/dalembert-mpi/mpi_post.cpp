// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert-mpi/mpi_post.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <utility>

namespace dalembert::app {
namespace {

constexpr int kTag = 26;

}  // namespace

/// A message on its way. Its text stays where it is until the way is done.
struct MpiPost::Passage {
  int from = 0;
  std::string text;
  MPI_Request request = MPI_REQUEST_NULL;
  bool done() {
    int flag = 0;
    return MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
  }
};

MpiPost::MpiPost() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &number_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
}

MpiPost::~MpiPost() {
  // What never left or never came in whole is of processes that are dead. MPI may still look at it, so that it stays.
  if (!sent() || !coming_.empty()) {
    new std::list<Passage>(std::move(leaving_));
    new std::list<Passage>(std::move(coming_));
  }
}

void MpiPost::send(int to, std::string text) {
  sent();
  leaving_.emplace_back();
  Passage& passage = leaving_.back();
  passage.text = std::move(text);
  if (MPI_Isend(passage.text.data(), static_cast<int>(passage.text.size()), MPI_CHAR, to, kTag, MPI_COMM_WORLD,
                &passage.request) != MPI_SUCCESS)
    leaving_.pop_back();
}

bool MpiPost::sent() {
  std::erase_if(leaving_, [](Passage& passage) { return passage.done(); });
  return leaving_.empty();
}

std::optional<sweeping::Letter> MpiPost::receive() {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &message, &status) == MPI_SUCCESS && there != 0) {
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    coming_.emplace_back();
    Passage& passage = coming_.back();
    passage.from = status.MPI_SOURCE;
    passage.text.resize(static_cast<std::size_t>(std::max(size, 0)));
    if (MPI_Imrecv(passage.text.data(), size, MPI_CHAR, &message, &passage.request) != MPI_SUCCESS) coming_.pop_back();
  }
  // Those of one process stay in their order: a later one is not looked at before an earlier one has come.
  for (auto at = coming_.begin(); at != coming_.end(); ++at) {
    const bool first = std::none_of(coming_.begin(), at, [&](const Passage& other) { return other.from == at->from; });
    if (!first || !at->done()) continue;
    sweeping::Letter letter{at->from, std::move(at->text)};
    coming_.erase(at);
    return letter;
  }
  return std::nullopt;
}

}  // namespace dalembert::app
