// SPDX-License-Identifier: Apache-2.0
// Messages between processes by MPI.
#pragma once

#include <list>
#include <string>

#include "dalembert/study/sweep/post.h"

namespace dalembert::app {

/// Between MPI_Init and MPI_Finalize, all calls by the thread that called MPI_Init_thread(). Errors of MPI are not reported: a process that
/// died gives no answer, which is how its death is noticed.
class MpiPost final : public sweeping::Post {
 public:
  MpiPost();
  ~MpiPost() override;
  int number() const override { return number_; }
  int count() const override { return count_; }
  void send(int to, std::string text) override;
  std::optional<sweeping::Letter> receive() override;
  /// Whether all that was sent has left.
  bool sent();

 private:
  struct Passage;
  int number_ = 0, count_ = 1;
  std::list<Passage> leaving_, coming_;
};

}  // namespace dalembert::app
