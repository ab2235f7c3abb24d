#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py sees each violation that it promises to see, and nothing in a clean tree."""

import subprocess
import sys
import tempfile
import unittest

from checked_tree import TOOLS, CheckedTree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"

# Three layers: base below expr below derive, and integrate beside expr.
CLEAN = {
    "dalembert/base/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(base USES fmt::fmt)\n",
    "dalembert/expr/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(expr DEPENDS base USES fmt::fmt)\n",
    "dalembert/derive/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(derive\n  DEPENDS expr)  # x\n",
    "dalembert/integrate/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\n"
                                         "dalembert_library(integrate DEPENDS base USES Eigen3::Eigen)\n",
    "dalembert/base/text.h": HEADER,
    "dalembert/base/text.cpp": SPDX + '#include "dalembert/base/text.h"\n#include <fmt/core.h>\n',
    "dalembert/expr/expr.h": HEADER + '#include <vector>\n#include "dalembert/base/text.h"\n',
    "dalembert/derive/derive.cpp": SPDX + '#include "dalembert/expr/expr.h"\n#include "dalembert/base/text.h"\n',
    "dalembert/integrate/lu_factors.cpp": SPDX + "#include <Eigen/Dense>\n",
    "tools/a.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n",
}


class CheckLayers(CheckedTree):
    script = "check_layers.py"
    clean = CLEAN

    def test_clean_tree(self):
        status, output = self.report({})
        self.assertEqual(status, 0, output)
        self.assertIn("clean", output)

    def test_upward_include(self):
        self.expect({"dalembert/base/text.h": HEADER + '#include "dalembert/expr/expr.h"\n'},
                    "dalembert/base/text.h:3", "`base` includes `expr`")

    def test_headers_for_users(self):
        place = "include/dalembert/base/span.h"
        status, output = self.report({place: HEADER, "dalembert/expr/a.cpp": SPDX + '#include "dalembert/base/span.h"\n'})
        self.assertEqual(status, 0, output)
        self.expect({place: HEADER + '#include "dalembert/expr/expr.h"\n'}, place + ":3", "`base` includes `expr`")

    def test_sideways_include(self):
        self.expect({"dalembert/integrate/lu_factors.cpp": SPDX + '#  include  "dalembert/expr/expr.h"\n'},
                    "dalembert/integrate/lu_factors.cpp:2", "`integrate` includes `expr`")

    def test_umbrella_header_in_a_layer(self):
        self.expect({"dalembert/expr/a.cpp": SPDX + '#include "dalembert/dalembert.h"\n'},
                    "dalembert/expr/a.cpp:2", "umbrella")

    def test_program_texts(self):
        # They include what is beside them where they are exported to, and have no #pragma once.
        text = "dalembert/expr/texts/"
        status, output = self.report({text + "a.h": SPDX + '#include "NAME.h"\n#include <Eigen/Dense>\n'})
        self.assertEqual(status, 0, output)
        self.expect({text + "a.program": "# A routine.\n"}, text + "a.program:1", "no SPDX line")
        self.expect({text + "a.c": SPDX + "int a;\n" * 700}, text + "a.c:701", "701 lines")

    def test_missing_file(self):
        self.expect({"dalembert/expr/a.cpp": SPDX + '#include "dalembert/base/gone.h"\n'},
                    "dalembert/expr/a.cpp:2", "no such file")

    def test_tests_in_a_layer(self):
        self.expect({"dalembert/expr/a.cpp": SPDX + '#include "tests/oracles/pendulum.h"\n'},
                    "dalembert/expr/a.cpp:2", "may not include")

    def test_third_party_in_a_header(self):
        self.expect({"dalembert/integrate/lu_factors.h": HEADER + "#include <Eigen/Core>\n"},
                    "dalembert/integrate/lu_factors.h:3", "belongs in .cpp files")

    def test_third_party_in_a_private_header(self):
        status, output = self.report({"dalembert/integrate/lu_factors/kkt.h": HEADER + "#include <Eigen/Core>\n"})
        self.assertEqual(status, 0, output)
        self.expect({"dalembert/derive/kkt/kkt.h": HEADER + "#include <Eigen/Core>\n"},
                    "dalembert/derive/kkt/kkt.h:3", "may not use")

    def test_third_party_in_a_folder_by_subject(self):
        cmake = "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(integrate FOLDERS steps DEPENDS base)\n"
        self.expect({"dalembert/integrate/CMakeLists.txt": cmake, "dalembert/integrate/steps/a.h": HEADER + "#include <Eigen/Core>\n"},
                    "dalembert/integrate/steps/a.h:3", "belongs in .cpp files")

    def test_third_party_in_the_wrong_layer(self):
        for include in ["<Eigen/Dense>", "<toml++/toml.h>", "<CLI/CLI.hpp>", "<nlohmann/json.hpp>",
                        "<boost/multiprecision/cpp_int.hpp>", "<llvm/IR/Module.h>", "<flint/fmpq.h>",
                        "<gtest/gtest.h>"]:
            with self.subTest(include=include):
                self.expect({"dalembert/derive/a.cpp": SPDX + f"#include {include}\n"},
                            "dalembert/derive/a.cpp:2", "`derive` may not use")

    def test_cycle(self):
        cmake = "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(base DEPENDS derive)\n"
        status, output = self.report({"dalembert/base/CMakeLists.txt": cmake})
        self.assertEqual(status, 1)
        self.assertIn("cycle", output)

    def test_unknown_layer(self):
        cmake = "# SPDX-License-Identifier: Apache-2.0\ndalembert_library(derive DEPENDS expr algebra)\n"
        self.expect({"dalembert/derive/CMakeLists.txt": cmake}, "dalembert/derive/CMakeLists.txt:1", "`algebra`")

    def test_folder_without_library(self):
        self.expect({"dalembert/extra/a.h": HEADER}, "dalembert/extra:1", "dalembert_library(extra")

    def test_missing_spdx(self):
        self.expect({"dalembert/expr/expr.h": "#pragma once\n"}, "dalembert/expr/expr.h:1", "SPDX")
        self.expect({"tools/a.py": "#!/usr/bin/env python3\n"}, "tools/a.py:1", "SPDX")

    def test_missing_pragma_once(self):
        self.expect({"dalembert/expr/expr.h": SPDX}, "dalembert/expr/expr.h:1", "#pragma once")

    def test_length(self):
        self.expect({"dalembert/expr/a.cpp": SPDX + "\n" * 700}, "dalembert/expr/a.cpp:701", "701 lines")
        self.assertEqual(self.report({"dalembert/expr/a.cpp": SPDX + "\n" * 699})[0], 0)

    def test_no_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, str(TOOLS / self.script), "--root", folder], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
