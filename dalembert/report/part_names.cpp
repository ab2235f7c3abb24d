// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/part_names.h"

namespace dalembert {

std::string part_name(const std::string& name, Notation notation) {
  if (notation == Notation::kText) return name;
  if (notation != Notation::kLatex)
    return name == "Wdot"    ? "Ẇ"
           : name == "gamma" ? "γ"
           : name == "Sdot"  ? "Ṡ"
           : name == "s0"    ? "s₀"
           : name == "Mr"    ? "M_r"
           : name == "br"    ? "b_r"
                             : name;
  return name == "Wdot"    ? "\\dot{W}"
         : name == "gamma" ? "\\gamma"
         : name == "Sdot"  ? "\\dot{S}"
         : name == "s0"    ? "s_0"
         : name == "Mr"    ? "M_r"
         : name == "br"    ? "b_r"
                           : name;
}

std::string whole_part_name(const std::string& name, Notation notation) {
  if (notation != Notation::kLatex) return part_name(name, notation);
  return name == "Wdot"    ? "\\dot{\\mathbf{W}}"
         : name == "gamma" ? "\\boldsymbol{\\gamma}"
         : name == "Sdot"  ? "\\dot{\\mathbf{S}}"
         : name == "s0"    ? "\\mathbf{s}_0"
         : name == "Mr"    ? "\\mathbf{M}_r"
         : name == "br"    ? "\\mathbf{b}_r"
                           : "\\mathbf{" + name + "}";
}

}  // namespace dalembert
