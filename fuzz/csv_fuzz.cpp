// SPDX-License-Identifier: Apache-2.0
// Result files in CSV: any bytes give a table with columns of one length, or diagnostics that can be shown.
#include "dalembert/store/run_files.h"
#include "fuzz.h"

using namespace dalembert;

FUZZ(const std::string& text) {
  const Result<Table> table = parse_csv(make_source("fuzz.csv", text));
  use(render(table.diagnostics()));
  require(table.ok() || has_errors(table.diagnostics()), "no table and no reason");
  if (!table) return;
  require(table->names.size() == table->columns.size(), "names and columns");
  for (const auto& column : table->columns) require(column.size() == table->rows(), "a column of another length");
  for (const auto& name : table->names) (void)table->series(name);
}
