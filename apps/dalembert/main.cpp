// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "apps/dalembert/command.h"

int main(int argc, char** argv) {
  dalembert::app::prepare_process();
  return dalembert::app::run_command(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
