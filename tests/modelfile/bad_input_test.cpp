// SPDX-License-Identifier: Apache-2.0
// Wrong model files: for each the code and the place of the first error. The truth is the mark ¦ that a person put
// where the fault is; it is taken out before the text is read. No input may crash, throw or be accepted silently.

#include <gtest/gtest.h>

#include "dalembert/expr/functions.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

struct Case {
  std::string name, code, text;
};

// Names that the cases below may use.
const std::string kHead = R"(coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = "2 kg"
L = "1 m"
k = "3 N/m"
[energy]
kinetic = "m/2*x'^2 + m*L^2/2*theta'^2"
)";
const std::string kTop = "coordinates = [\"x\"]\n";

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, std::string code, std::string text) {
    all.push_back({std::move(name), std::move(code), std::move(text)});
  };
  // An expression as potential energy, after the head.
  const auto potential = [&](std::string name, std::string code, const std::string& text) {
    add(std::move(name), std::move(code), kHead + "potential = \"" + text + "\"\n");
  };
  const auto below = [&](std::string name, std::string code, const std::string& text) {
    add(std::move(name), std::move(code), kHead + text);
  };

  // --- files and TOML
  add("empty_file", "E0004", "¦");
  add("only_comments", "E0004", "¦# nothing\n# at all\n");
  add("only_a_name", "E0004", "¦name = \"x\"\n");
  add("empty_coordinates", "E0004", "coordinates = ¦[]\n");
  add("no_coordinate_left", "E0004", "coordinates = ¦[{name = \"x{i}\", for = \"i in 1..0\"}]\n");
  add("value_missing", "E0002", "name = ¦");
  add("array_not_closed", "E0002", "coordinates = [\"x\"¦");
  add("string_not_closed", "E0002", "name = \"x¦\ncoordinates = [\"x\"]\n");
  add("header_not_closed", "E0002", "coordinates = [\"x\"]\n[parameters¦\nm = 1\n");
  add("key_twice", "E0002", "name = \"a\"\nname = ¦\"b\"\n");
  add("two_values", "E0002", "name = \"a\" ¦\"b\"\n");
  add("greek_key", "E0002", "¦θ = 1\n");
  add("comma_before_brace", "E0002", "coordinates = [{name = \"x\",¦}]\n");
  add("table_twice", "E0002", "coordinates = [\"x\"]\n[parameters]\nm = 1\n¦[parameters]\nn = 1\n");
  add("control_character", "E0002", "¦\x01\n");
  add("binary_zeros", "E0002", "¦" + std::string(5, '\0'));
  add("not_utf8", "E0003", "name = \"caf¦\xE9\"\n");
  add("utf8_surrogate", "E0003", "name = \"¦\xED\xA0\x80\"\n");
  add("utf8_overlong", "E0003", "name = \"¦\xC0\xAF\"\n");
  add("utf8_cut", "E0003", "name = \"¦\xE2\x82");
  add("elf_header", "E0003",
      "\x7F"
      "ELF\x02\x01\x01¦\xFF\xFE");
  add("unknown_key_at_top", "E0005", kTop + "¦nmae = \"x\"\n");
  add("unknown_key_after_bom", "E0005", "\xEF\xBB\xBF¦nmae = \"x\"\ncoordinates = [\"x\"]\n");
  add("unknown_key_in_body", "E0005", kTop + "[[body]]\nname = \"b\"\nmass = 1\nposition = [\"x\", 0]\n¦inerta = 1\n");
  add("unknown_key_in_coordinate", "E0005", "coordinates = [{name = \"x\", ¦units = \"m\"}]\n");
  add("unknown_key_in_distance", "E0005",
      kTop + "[[constraint]]\nname = \"c\"\ndistance = {between = [\"P\", \"Q\"], value = 1, ¦slack = 2}\n");
  add("gravity_in_a_section", "E0005", kTop + "[energy]\nkinetic = \"x'^2/2\"\n¦gravity = [0, 1]\n");
  add("unknown_section", "E0010", kTop + "[¦paramters]\nm = 1\n");
  add("unknown_array", "E0010", kTop + "[[¦bodies]]\nname = \"b\"\n");
  add("windows_lines", "E0005", "coordinates = [\"x\"]\r\n\r\n¦nmae = \"x\"\r\n");

  // --- types
  add("coordinates_not_a_list", "E0006", "coordinates = ¦\"x\"\n");
  add("coordinate_is_a_number", "E0006", "coordinates = [¦1]\n");
  add("coordinate_name_is_a_list", "E0006", "coordinates = [{name = ¦[\"x\"]}]\n");
  add("parameter_is_a_boolean", "E0006", kTop + "[parameters]\nm = ¦true\n");
  add("parameter_is_a_date", "E0006", kTop + "[parameters]\nm = ¦1979-05-27\n");
  add("parameter_is_a_list", "E0006", kTop + "[parameters]\nm = ¦[1]\n");
  add("parameter_is_nan", "E0108", kTop + "[parameters]\nm = ¦nan\n");
  add("parameter_is_infinite", "E0108", kTop + "[parameters]\nm = ¦-inf\n");
  add("parameter_overflows", "E0202", kTop + "[parameters]\nm = \"¦1e999 kg\"\n");
  add("structure_is_not_an_integer", "E0006", kTop + "[structure]\nN = ¦1.5\n");
  add("body_is_a_table", "E0006", kTop + "[¦body]\nname = \"b\"\n");
  add("energy_is_a_string", "E0006", "energy = ¦\"x\"\ncoordinates = [\"x\"]\n");
  add("kinetic_is_a_list", "E0006", kTop + "[energy]\nkinetic = ¦[\"x'^2\"]\n");
  add("kinetic_is_nan", "E0108", kTop + "[energy]\nkinetic = ¦nan\n");
  add("position_is_one_expression", "E0006", kTop + "[[body]]\nname = \"b\"\nmass = 1\nposition = ¦\"x\"\n");
  add("position_has_four", "E0006", kTop + "[[body]]\nname = \"b\"\nmass = 1\nposition = ¦[0, 0, 0, 0]\n");
  add("between_has_three", "E0006", kTop + "[[spring]]\nbetween = ¦[\"P\", \"Q\", \"R\"]\nstiffness = 1\n");
  add("initial_position_is_a_list", "E0006", kTop + "[initial]\nposition = ¦[1, 2]\n");
  add("rtol_is_negative", "E0006", kTop + "[simulation]\nrtol = ¦-1e-6\n");
  add("until_in_metres", "E0203", kTop + "[simulation]\nuntil = \"¦10 m\"\n");
  add("name_is_a_number", "E0006", "name = ¦3\ncoordinates = [\"x\"]\n");
  add("for_is_a_number", "E0006", kTop + "[[point]]\nname = \"P\"\nat = [0, 0]\nfor = ¦3\n");
  add("name_missing", "E0007", kTop + "¦[[body]]\nmass = 1\nposition = [\"x\", 0]\n");
  add("mass_missing", "E0007", kTop + "¦[[body]]\nname = \"b\"\nposition = [\"x\", 0]\n");
  add("at_missing", "E0007", kTop + "¦[[point]]\nname = \"P\"\n");
  add("angle_missing", "E0007", kTop + "¦[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\nposition = [\"x\", 0]\n");
  add("vector_missing", "E0007", kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[force]]\n¦at = \"P\"\n");

  // --- names
  add("coordinate_twice", "E0008", "coordinates = [\"x\", \"¦x\"]\n");
  add("coordinate_and_parameter", "E0008", "coordinates = [\"¦x\"]\n[parameters]\nx = 1\n");
  add("definition_and_parameter", "E0008", kTop + "[parameters]\nm = 1\n[define]\n¦m = \"2\"\n");
  add("point_twice", "E0008", kTop + "[[point]]\nname = \"P\"\nat = [0, 0]\n[[point]]\nname = \"¦P\"\nat = [1, 0]\n");
  add("frame_twice", "E0008", kTop + "[[frame]]\nname = \"A\"\n[[frame]]\nname = \"¦A\"\n");
  add("body_twice_by_for", "E0008",
      kTop + "[[body]]\nfor = \"i in 1..2\"\nname = \"¦b\"\nmass = 1\nposition = [\"x\", 0]\n");
  add("constraint_twice", "E0008",
      kTop + "[[constraint]]\nname = \"c\"\nholonomic = \"x\"\n[[constraint]]\nname = \"c\"\nholonomic = ¦\"x - 1\"\n");
  add("reserved_coordinate", "E0011", "coordinates = [\"¦t\"]\n");
  add("reserved_parameter", "E0011", kTop + "[parameters]\n¦pi = 3\n");
  add("empty_name", "E0011", "coordinates = [\"¦\"]\n");
  add("greek_coordinate", "E0011", "coordinates = [\"¦θ\"]\n");
  add("name_with_space", "E0011", kTop + "[[point]]\nname = \"¦P 1\"\nat = [0, 0]\n");
  add("two_kinds_of_constraint", "E0012",
      kTop + "[[constraint]]\nname = \"c\"\nholonomic = \"x\"\n¦pfaffian = \"x'\"\n");
  add("no_kind_of_constraint", "E0012", kTop + "¦[[constraint]]\nname = \"c\"\n");
  add("no_kind_of_force", "E0012", kTop + "¦[[force]]\nname = \"c\"\n");
  add("torque_on_coordinate", "E0012", kTop + "[[force]]\ncoordinate = \"x\"\nvalue = 1\n¦torque = 1\n");
  add("torque_of_a_coordinate", "E0012", kTop + "[[force]]\ncoordinate = \"x\"\n¦torque = \"1 N*m\"\n");
  add("body_nowhere", "E0012", kTop + "¦[[body]]\nname = \"b\"\nmass = 1\n");
  add("held_and_guessed", "E0008", kTop + "[initial]\nposition = {x = 1}\nguess = {x = ¦2}\n");

  // --- expressions
  potential("empty_expression", "E0101", "¦");
  potential("blank_expression", "E0101", "¦   ");
  potential("trailing_operator", "E0101", "m*L ¦+");
  potential("missing_operand", "E0101", "m*¦/L");
  potential("missing_star", "E0101", "2¦x");
  potential("missing_star_before_parenthesis", "E0101", "2¦(x + 1)");
  potential("double_star", "E0101", "x¦**2");
  potential("unclosed_parenthesis", "E0101", "m*¦(x + 1");
  potential("unopened_parenthesis", "E0101", "m*x¦)");
  potential("wrong_parentheses", "E0101", "m*¦]x[");
  potential("greek_letter", "E0101", "L*¦θ");
  potential("minus_sign", "E0101", "k ¦− x");
  potential("middle_dot", "E0101", "k¦·x");
  potential("superscript", "E0101", "x¦²");
  potential("semicolon", "E0101", "x¦; x");
  potential("equation", "E0101", "x ¦= 0");
  potential("ampersands", "E0101", "if(x > 1 ¦&& x < 2, 1, 2)");
  potential("chained_comparison", "E0101", "if(0 < x ¦< 1, 1, 2)");
  potential("condition_as_number", "E0101", "k*(¦x > 1)");
  potential("number_as_condition", "E0101", "if(¦x, 1, 2)");
  potential("function_without_call", "E0101", "m*¦sin");
  potential("third_derivative", "E0101", "¦x'''");
  potential("sum_without_in", "E0101", "sum(i ¦1..3, x)");
  potential("unknown_symbol", "E0102", "m*9.81*¦h");
  potential("rate_by_habit", "E0102", "¦thetadot");
  potential("prime_on_parameter", "E0102", "¦m'");
  potential("unknown_point", "E0102", "¦P.x");
  potential("unknown_frame", "E0102", "¦A.R[1,2]");
  potential("unknown_index", "E0102", "x{¦i}");
  potential("unknown_function", "E0103", "¦ln(x)");
  potential("call_of_a_name", "E0103", "¦m(x + 1)");
  potential("too_many_arguments", "E0104", "¦sin(x, x)");
  potential("too_few_arguments", "E0104", "¦atan2(x)");
  potential("no_arguments", "E0104", "¦cos()");
  potential("division_by_zero", "E0107", "m/¦0");
  potential("division_by_hidden_zero", "E0107", "m/(¦1 - 1)");
  potential("zero_to_negative_power", "E0107", "¦0^-1");
  potential("number_too_large", "E0108", "x*¦1e999");
  potential("product_too_large", "E0108", "¦1e300*1e300");
  potential("power_too_large", "E0108", "¦10^1000");
  potential("sum_of_fractions", "E0108", "¦sum(i in 1..100000, 1/i)*x");
  potential("sum_of_like_terms", "E0108", "¦sum(i in 1..100000, x/i)");
  potential("range_runs_backwards", "E0109", "sum(i in ¦5..1, x)");
  potential("range_too_long", "E0109", "sum(i in ¦1..1000000000, x)");
  potential("range_not_an_integer", "E0109", "sum(i in ¦0.5..3, x)");
  potential("sums_in_sums", "E0109", "sum(i in 1..100000, sum(j in 1..100000, ¦x))");
  potential("dot_of_acceleration", "E0210", "dot(¦x'')");
  potential("deep_parentheses", "E0106", std::string(200, '(') + "¦" + std::string(1000000, '('));
  potential("deep_calls", "E0106", [] {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += i == 200 ? "¦sin(" : "sin(";
    return text;
  }());
  add("deep_arrays", "E0002", "coordinates = " + std::string(256, '[') + "¦" + std::string(100000, '['));
  add("deep_keys", "E0106", [] {
    std::string text = "a";
    for (int i = 1; i < 100000; ++i) text += i == 64 ? "¦.a" : ".a";
    return text + " = 1\n";
  }());
  add("definition_of_itself", "E0105", kTop + "[define]\n¦a = \"a + 1\"\n");
  add("cycle_of_three", "E0105", kTop + "[define]\n¦a = \"b\"\nb = \"2*c\"\nc = \"a + x\"\n");
  add("cycle_of_points", "E0105",
      kTop + "[[point]]\nname = \"¦P\"\nat = [\"Q.x\", 0]\n[[point]]\nname = \"Q\"\nat = [\"P.x\", 0]\n");
  add("cycle_of_frames", "E0105",
      kTop + "[[frame]]\nname = \"¦A\"\nparent = \"B\"\n[[frame]]\nname = \"B\"\nparent = \"A\"\n");
  add("escape_before_the_fault", "E0102", kTop + "[energy]\npotential = \"x*\\u0078 + ¦y\"\n");
  add("several_lines", "E0102", kTop + "[energy]\npotential = \"\"\"\n  x^2\n  + x*¦y\"\"\"\n");
  add("literal_string", "E0102", kTop + "[energy]\npotential = 'x*¦y'\n");
  add("behind_a_tab", "E0102", kTop + "[energy]\n\tpotential\t=\t\"x\t*\t¦y\"\n");
  add("behind_wide_characters", "E0502", kTop + "[inputs]\nu = {column = \"größe\", file = \"¦nowhere.csv\"}\n");

  // --- repetition
  add("range_backwards_in_for", "E0109", "coordinates = [{name = \"x{i}\", for = \"i in ¦5..1\"}]\n");
  add("range_negative", "E0109", "coordinates = [{name = \"x{i}\", for = \"i in ¦1..-5\"}]\n");
  // Within the limits of one range and one sum each, beyond that of the model: 100,000 entries of 3 · 10,000 names.
  add("sums_in_repeated_entries", "E0109",
      kTop + "[[force]]\nfor = \"i in 1..100000\"\ncoordinate = \"x\"\nvalue = \"sum(j in 1..10000, ¦x*t*{j})\"\n");
  // A device without end, a folder.
  add("input_from_a_device", "E0502", kTop + "[inputs]\nu = {file = \"¦/dev/zero\", column = \"u\"}\n");
  add("input_from_a_folder", "E0502", kTop + "[inputs]\nu = {file = \"¦/\", column = \"u\"}\n");
  add("range_huge", "E0109", "coordinates = [{name = \"x{i}\", for = \"i in ¦1..N\"}]\n[structure]\nN = 1000000000\n");
  add("range_unknown_integer", "E0102", "coordinates = [{name = \"x{i}\", for = \"i in 1..¦M\"}]\n");
  add("range_malformed", "E0101", "coordinates = [{name = \"x{i}\", for = \"¦i = 1..3\"}]\n");
  add("index_is_reserved", "E0101", "coordinates = [{name = \"x{t}\", for = \"¦t in 1..3\"}]\n");
  add("brace_not_closed", "E0101", "coordinates = [{name = \"x¦{i\", for = \"i in 1..3\"}]\n");
  add("brace_unknown", "E0102", "coordinates = [{name = \"x{¦j}\", for = \"i in 1..3\"}]\n");
  add("brace_remainder", "E0109", "coordinates = [{name = \"x{¦i/2}\", for = \"i in 1..3\"}]\n");
  add("unknown_in_for", "E0102",
      "coordinates = [{name = \"x{i}\", for = \"i in 1..3\"}]\n[[point]]\nfor = \"i in 1..3\"\nname = \"P{i}\"\nat = "
      "[\"¦x{i-1}\", 0]\n");

  // --- geometry
  add("unknown_parent", "E0102", kTop + "[[frame]]\nname = \"A\"\nparent = \"¦B\"\n");
  add("unknown_frame_of_point", "E0102", kTop + "[[point]]\nname = \"P\"\nframe = \"¦B\"\nat = [0, 0]\n");
  add("unknown_frame_of_body", "E0102", kTop + "[[body]]\nname = \"b\"\nmass = 1\nframe = \"¦B\"\n");
  add("unknown_point_of_spring", "E0102",
      kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[spring]]\nbetween = [\"P\", \"¦Q\"]\nstiffness = 1\n");
  add("unknown_coordinate_of_spring", "E0102", kTop + "[[spring]]\ncoordinate = \"¦y\"\nstiffness = 1\n");
  add("unknown_body_of_torque", "E0102", kTop + "[[force]]\nbody = \"¦b\"\ntorque = 1\n");
  add("unknown_coordinate_in_initial", "E0102", kTop + "[initial]\nposition = {¦y = 1}\n");
  add("unknown_row", "E0102",
      kTop + "[[constraint]]\nname = \"c\"\nholonomic = [\"x\", \"2*x\"]\n[outputs]\nf = \"¦lambda(c)\"\n");
  add("third_component", "E0102", kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[define]\na = \"¦P.z\"\n");
  add("entry_out_of_range", "E0102", kTop + "[[frame]]\nname = \"A\"\nrotate = \"x\"\n[define]\na = \"¦A.R[1,3]\"\n");
  add("plane_and_space", "E0216",
      kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[point]]\nname = \"¦Q\"\nat = [\"x\", 0, 0]\n");
  add("force_in_space", "E0216",
      kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[force]]\nat = \"P\"\nvector = ¦[1, 0, 0]\n");
  add("torque_on_a_point_mass", "E0224",
      kTop + "[[body]]\nname = \"b\"\nmass = 1\nposition = [\"x\", 0]\n[[force]]\nbody = \"¦b\"\ntorque = 1\n");

  // --- units
  potential("sum_of_mass_and_length", "E0203", "m + ¦L");
  potential("sum_of_angle_and_length", "E0203", "theta + ¦x");
  potential("sine_of_a_length", "E0203", "sin(¦L)");
  potential("terms_that_differ", "E0203", "k*x^2/2 + ¦m*x");
  potential("energy_in_newton", "E0203", "¦k*x");
  potential("comparison_of_units", "E0203", "if(x > ¦m, 1, 2)");
  potential("exponent_with_a_unit", "E0203", "2^¦L");
  add("kinetic_in_momentum", "E0203",
      "coordinates = [{name = \"x\", unit = \"m\"}]\n[parameters]\nm = \"1 kg\"\n[energy]\nkinetic = \"¦m*x'\"\n");
  below("mass_in_metres", "E0203", "[[body]]\nname = \"b\"\nmass = \"¦L\"\nposition = [\"x\", 0]\n");
  below("inertia_in_kilograms", "E0203",
        "[[body]]\nname = \"b\"\nmass = \"m\"\ninertia = \"¦m\"\nangle = \"theta\"\nposition = [\"x\", 0]\n");
  below("components_that_differ", "E0203", "[[point]]\nname = \"P\"\nat = [\"x\", \"¦theta\"]\n");
  below("stiffness_in_kilograms", "E0203", "[[spring]]\ncoordinate = \"x\"\nstiffness = \"¦m\"\n");
  below("force_in_metres", "E0203", "[[force]]\ncoordinate = \"x\"\nvalue = \"¦L\"\n");
  below("power_in_newton", "E0203", "[[force]]\npower = \"¦k*x\"\n");
  below("rows_that_differ", "E0203", "[[constraint]]\nname = \"c\"\nholonomic = [\"x - L\", \"x - ¦m\"]\n");
  below("initial_angle_in_metres", "E0203", "[initial]\nposition = {theta = \"¦1 m\"}\n");
  below("initial_velocity_in_metres", "E0203", "[initial]\nvelocity = {x = \"¦1 m\"}\n");
  below("output_that_mixes", "E0203", "[outputs]\na = \"x + ¦x'\"\n");
  add("unit_unreadable", "E0201", kTop + "[parameters]\nm = \"1 ¦kilos\"\n");
  add("unit_of_coordinate_unreadable", "E0201", "coordinates = [{name = \"x\", unit = \"¦metre\"}]\n");
  add("coordinate_in_degrees", "E0217", "coordinates = [{name = \"x\", unit = \"¦deg\"}]\n");
  add("parameter_without_a_number", "E0202", kTop + "[parameters]\nm = \"¦kg\"\n");
  add("parameter_is_an_expression", "E0201", kTop + "[parameters]\nm = \"2¦*a\"\n");

  // --- physics
  potential("velocity_in_potential", "E0212", "k*¦x'^2");
  potential("acceleration_in_potential", "E0210", "m*¦x''");
  potential("multiplier_in_potential", "E0213", "¦lambda(c)");
  below("velocity_in_holonomic", "E0212", "[[constraint]]\nname = \"c\"\nholonomic = \"¦x'\"\n");
  below("velocity_through_definition", "E0212",
        "[define]\nv = \"x'\"\n[[constraint]]\nname = \"c\"\nholonomic = \"¦v\"\n");
  below("input_in_holonomic", "E0211", "[inputs]\nu = 0\n[[constraint]]\nname = \"c\"\nholonomic = \"x - ¦u\"\n");
  below("input_in_potential", "E0211",
        "[define]\na = 1\n[inputs]\nu = 0\n[[spring]]\ncoordinate = \"x\"\nstiffness = \"¦u\"\n");
  const std::string held = "[[constraint]]\nname = \"c\"\nholonomic = \"x\"\n";
  const std::string rub = held + "[[friction]]\nname = \"f\"\n";
  below("friction_of_an_unknown_row", "E0102", rub + "normal = \"¦lambda(d)\"\nvelocity = \"x'\"\ncoefficient = 1\n");
  below("friction_without_a_velocity", "E0271",
        held + "[[friction]]\nname = \"¦f\"\nnormal = \"lambda(c)\"\nvelocity = \"x\"\ncoefficient = 1\n");
  below("friction_without_a_normal_force", "E0007",
        held + "¦[[friction]]\nname = \"f\"\nvelocity = \"x'\"\ncoefficient = 1\n");
  below("friction_coefficient_with_a_unit", "E0203",
        rub + "normal = \"lambda(c)\"\nvelocity = \"x'\"\ncoefficient = \"¦m\"\n");
  below("friction_of_a_negative_coefficient", "E0274",
        rub + "normal = \"lambda(c)\"\nvelocity = \"x'\"\ncoefficient = ¦-0.3\n");
  below("friction_that_slides_with_more_than_it_sticks_with", "E0274",
        rub + "normal = \"lambda(c)\"\nvelocity = \"x'\"\ncoefficient = 0.3\nstatic = \"¦0.5 - 0.3\"\n");
  below("friction_in_a_force", "E0102",
        rub +
            "normal = \"lambda(c)\"\nvelocity = \"x'\"\ncoefficient = 1\n[[force]]\ncoordinate = \"x\"\n"
            "value = \"¦friction(f)\"\n");
  below("output_of_an_unknown_friction", "E0102", "[outputs]\na = \"¦friction(f)\"\n");
  below("velocity_in_point", "E0212", "[[point]]\nname = \"P\"\nat = [\"¦x'\", 0]\n");
  below("mass_of_a_coordinate", "E0214", "[[body]]\nname = \"b\"\nmass = \"m*¦x\"\nposition = [\"x\", 0]\n");
  below("input_of_a_coordinate", "E0215", "[inputs]\nu = \"2*¦x\"\n");
  below("lagrangian_and_kinetic", "E0218", "lagrangian = \"¦m/2*x'^2\"\n");
  below("constraint_of_parameters", "E0223", "[[constraint]]\nname = \"c\"\nholonomic = ¦\"L\"\n");
  below("pfaffian_of_positions", "E0289", "[[constraint]]\nname = \"c\"\npfaffian = ¦\"x\"\n");
  below("derivative_of_an_input", "E0110", "[inputs]\nu = 0\n[outputs]\na = \"dot(¦u)\"\n");

  // --- turning in the plane and in space
  add("turns_in_the_plane", "E0225", kTop + "[[frame]]\nname = \"¦A\"\norigin = [0, 0]\nrotate = [[\"z\", \"x\"]]\n");
  add("an_angle_in_space", "E0225", kTop + "[[frame]]\nname = \"¦A\"\norigin = [0, 0, 0]\nrotate = \"x\"\n");
  add("an_axis_that_is_none", "E0006", kTop + "[[frame]]\nname = \"A\"\nrotate = [¦[\"w\", \"x\"]]\n");
  add("a_turn_that_is_none", "E0006", kTop + "[[frame]]\nname = \"A\"\nrotate = [¦[\"x\"]]\n");
  add("inertia_of_two_moments", "E0006",
      kTop + "[[body]]\nname = \"b\"\nmass = 1\ninertia = ¦[1, 2]\nposition = [0, 0, \"x\"]\n");
  add("inertia_in_space_without_a_frame", "E0225",
      kTop + "[[body]]\nname = \"b\"\nmass = 1\ninertia = ¦[1, 2, 3]\nposition = [0, 0, \"x\"]\n");
  add("tensor_in_the_plane", "E0225",
      kTop + "[[body]]\nname = \"b\"\nmass = 1\ninertia = ¦[1, 2, 3]\nposition = [0, \"x\"]\nangle = \"x\"\n");
  add("tensor_that_is_not_symmetric", "E0225",
      kTop +
          "[[frame]]\nname = \"A\"\nrotate = [[\"z\", \"x\"]]\n[[body]]\nname = \"b\"\nmass = 1\nframe = \"A\"\n"
          "inertia = ¦[[1, 2, 3], [2, 1, 0], [0, 0, 1]]\n");

  // --- not yet
  add("quaternion_of_unknown_coordinates", "E0102",
      kTop + "[[frame]]\nname = \"A\"\nquaternion = [\"¦a\", \"b\", \"c\", \"d\"]\n");
  const std::string attitude =
      "name = \"m\"\ncoordinates = [\"a\", \"b\", \"c\", \"d\", \"x\"]\n[[frame]]\nname = \"A\"\n";
  const std::string turned = attitude + "quaternion = [\"a\", \"b\", \"c\", \"d\"]\n";
  add("quaternion_out_of_order", "E0251", attitude + "quaternion = ¦[\"a\", \"c\", \"b\", \"d\"]\n");
  add("quaternion_of_three", "E0006", attitude + "quaternion = ¦[\"a\", \"b\", \"c\"]\n");
  add("quaternion_of_two_frames", "E0251",
      turned + "[[frame]]\nname = \"B\"\nquaternion = ¦[\"b\", \"c\", \"d\", \"x\"]\n");
  add("quaternion_and_turns", "E0012",
      attitude + "rotate = [[\"z\", \"x\"]]\n¦quaternion = [\"a\", \"b\", \"c\", \"d\"]\n");
  add("quaternion_of_norm_zero", "E0251", turned + "[initial]\nposition = {a = ¦0, b = 0}\n");
  add("rates_of_a_quaternion", "E0251", turned + "[initial]\nvelocity = {¦a = 1}\n");
  add("angular_velocity_among_positions", "E0012", turned + "[initial]\nposition = {a = 1, ¦\"A.omega.x\" = 1}\n");
  add("angular_velocity_of_no_frame", "E0102", turned + "[outputs]\na = \"¦B.omega.x\"\n");
  add("angular_velocity_as_a_whole", "E0101", turned + "[outputs]\na = \"¦A.omega\"\n");
  add("rate_of_an_angular_velocity", "E0101", turned + "[outputs]\na = \"A.omega.x¦'\"\n");
  add("angular_velocity_in_metres", "E0203", turned + "[initial]\nvelocity = {\"A.omega.x\" = \"¦1 m\"}\n");
  const std::string in_space = kTop + "[[frame]]\nname = \"A\"\nrotate = [[\"z\", \"x\"]]\n";
  add("rim_of_an_unknown_frame", "E0102",
      kTop + "[[point]]\nname = \"P\"\nrim = {frame = \"¦A\", axis = [0, 0, 1], radius = 1}\n");
  add("rim_of_negative_radius", "E0252",
      "coordinates = [\"x\", \"y\", \"a\"]\ngravity = [0, 0, -1]\n[parameters]\nr = -1\n[[frame]]\nname = \"wheel\"\n"
      "origin = [\"x\", \"y\", 1]\nrotate = [[\"z\", \"a\"]]\n[[body]]\nname = \"wheel\"\nmass = 1\ninertia = [1, 1, "
      "1]\n"
      "frame = \"wheel\"\n[[point]]\nname = \"low\"\nrim = {frame = \"wheel\", axis = [0, 1, 0], radius = \"¦r\"}\n"
      "[[constraint]]\nname = \"c\"\nno_slip = {point = \"low\"}\n");
  add("rim_in_the_plane", "E0252",
      kTop +
          "[[frame]]\nname = \"A\"\nrotate = \"x\"\n[[point]]\nname = \"P\"\n"
          "rim = {frame = \"¦A\", axis = [0, 0, 1], radius = 1}\n");
  add("rim_without_a_radius", "E0007",
      in_space + "[[point]]\nname = \"P\"\nrim = ¦{frame = \"A\", axis = [0, 0, 1]}\n");
  add("rim_about_nothing", "E0225",
      in_space + "[[point]]\nname = \"P\"\nrim = {frame = \"A\", axis = [¦0, 0, 0], radius = 1}\n");
  add("rim_and_place", "E0012",
      in_space + "[[point]]\nname = \"P\"\n¦at = [0, 0, 0]\nrim = {frame = \"A\", axis = [0, 0, 1], radius = 1}\n");
  add("turn_about_nothing", "E0225", kTop + "[[frame]]\nname = \"A\"\nrotate = [[[¦0, 0, 0], \"x\"]]\n");
  add("turn_about_what_moves", "E0214", kTop + "[[frame]]\nname = \"A\"\nrotate = [[[1, \"¦x\", 0], \"x\"]]\n");
  const std::string body = in_space + "[[body]]\nname = \"b\"\nmass = 1\nframe = \"A\"\n";
  add("inertia_below_zero", "E0250", body + "inertia = ¦[1, 1, -0.5]\n");
  add("inertia_below_zero_off_the_axes", "E0250", body + "inertia = ¦[[1, 2, 0], [2, 1, 0], [0, 0, 2]]\n");
  add("inertia_beyond_the_triangle", "E0250", body + "inertia = ¦[1, 1, 2.001]\n");
  add("frame_that_is_its_own_ancestor", "E0105",
      kTop + "[[frame]]\nname = \"¦A\"\nparent = \"B\"\n[[frame]]\nname = \"B\"\nparent = \"A\"\n");
  add("no_skid_without_direction", "E0007",
      kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[constraint]]\nname = \"c\"\nno_skid = ¦{point = \"P\"}\n");
  add("frame_of_a_formula", "E0012", kTop + "[[constraint]]\nname = \"c\"\nholonomic = \"x\"\n¦frame = \"A\"\n");
  add("no_slip_of_an_unknown_frame", "E0102",
      kTop +
          "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[constraint]]\nname = \"c\"\nno_slip = {point = \"P\"}\n"
          "frame = \"¦A\"\n");
  add("direction_of_three_in_the_plane", "E0216",
      kTop +
          "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[constraint]]\nname = \"c\"\n"
          "no_skid = {point = \"P\", direction = ¦[0, 0, 1]}\n");
  const std::string contact = kTop + "[[constraint]]\nname = \"c\"\n";
  add("friction_of_a_bilateral_row", "E0284", contact + "holonomic = \"x\"\n¦friction = 0.3\n");
  const std::string ground = contact + "holonomic = \"x\"\nunilateral = true\n";
  add("friction_of_a_formula", "E0287", ground + "¦friction = 0.3\n");
  add("gap_of_no_contact", "E0102", ground + "[outputs]\no = \"¦gap(d)\"\n");
  add("closed_in_a_force", "E0213", ground + "[[force]]\ncoordinate = \"x\"\nvalue = \"¦closed(c)\"\n");
  add("closed_as_an_event", "E0283", ground + "[[event]]\nname = \"e\"\nwhen = \"¦closed(c) - 0.5\"\n");
  // Integrals over the run are outputs, and what events read.
  add("integral_of_an_integral", "E0288", kTop + "[outputs]\no = \"¦integral(x + integral(x))\"\n");
  add("integral_of_a_condition", "E0101", kTop + "[outputs]\no = \"integral(¦x > 0)\"\n");
  add("integral_in_a_force", "E0213", kTop + "[[force]]\ncoordinate = \"x\"\nvalue = \"-¦integral(x)\"\n");
  add("integral_in_a_definition", "E0213", kTop + "[define]\nd = \"2*¦integral(x)\"\n");
  add("integral_in_an_input", "E0213", kTop + "[inputs]\nu = \"¦integral(t)\"\n");
  add("integral_in_a_claim", "E0213",
      kTop + "[energy]\nkinetic = \"x'^2\"\n[[claim]]\nentry = \"T\"\nequals = \"¦integral(x)\"\n");
  add("integral_of_nothing", "E0104", kTop + "[outputs]\no = \"¦integral()\"\n");
  add("integral_of_two", "E0104", kTop + "[outputs]\no = \"¦integral(x, t)\"\n");
  add("mean_of_a_run_as_an_output", "E0103", kTop + "[outputs]\no = \"¦mean(x)\"\n");
  add("integral_in_other_units", "E0203", kHead + "[outputs]\no = \"integral(x) + ¦x\"\n");
  add("impulse_without_a_row", "E0101", ground + "[outputs]\no = \"impulse(¦)\"\n");
  const std::string space =
      "name = \"m\"\ncoordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n"
      "[[point]]\nname = \"P\"\nat = [\"x\", \"y\", \"z\"]\n[[point]]\nname = \"O\"\nat = [0, 0, 0]\n";
  add("friction_of_a_contact_with_any_normal", "E0287",
      space +
          "[[constraint]]\nname = \"c\"\ncontact = {point = \"P\", above = \"O\", normal = [\"x\", \"y\", "
          "\"z\"]}\n¦friction = "
          "0.3\n");
  add("friction_with_three_sliding_speeds", "E0271",
      space +
          "[[constraint]]\nname = \"c\"\nholonomic = \"z\"\nunilateral = true\n"
          "[[friction]]\nname = \"f\"\nnormal = \"lambda(c)\"\ncoefficient = 0.3\n¦velocity = [\"x'\", \"y'\", "
          "\"z'\"]\n");
  add("negative_friction_of_a_contact", "E0274",
      kTop + "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[[point]]\nname = \"O\"\nat = [0, 0]\n" +
          contact.substr(kTop.size()) +
          "contact = {point = \"P\", above = \"O\", normal = [1, 0]}\nfriction = \"¦-0.3\"\n");
  add("unilateral_of_velocities", "E0284", contact + "pfaffian = \"x'\"\n¦unilateral = true\n");
  add("restitution_of_a_bilateral_row", "E0284", contact + "holonomic = \"x\"\n¦restitution = 0.5\n");
  add("restitution_above_1", "E0285", contact + "holonomic = \"x\"\nunilateral = true\n¦restitution = 1.5\n");
  add("restitution_that_moves", "E0214", contact + "holonomic = \"x\"\nunilateral = true\nrestitution = \"¦x\"\n");
  const std::string event = kTop + "[[event]]\nname = \"e\"\n";
  add("event_without_when", "E0007", kTop + "¦[[event]]\nname = \"e\"\n");
  add("event_direction", "E0006", event + "when = \"x\"\ndirection = \"¦left\"\n");
  add("event_stop", "E0006", event + "when = \"x\"\nstop = ¦\"yes\"\n");
  add("event_sets_nothing_known", "E0281", event + "when = \"x\"\nset = {¦q = \"0\"}\n");
  add("event_where", "E0101", event + "when = \"x\"\nwhere = \"¦x\"\n");
  add("event_of_a_constant", "E0283", event + "when = \"¦1\"\n");
  add("event_of_a_condition", "E0101", event + "when = \"¦x > 1\"\n");
  add("event_sets_a_force", "E0203", kHead + "[[event]]\nname = \"e\"\nwhen = \"x\"\nset = {\"x'\" = \"¦k*x\"}\n");
  add("event_twice", "E0008",
      kTop + "[[event]]\nname = \"e\"\nwhen = \"x\"\n[[event]]\nname = \"¦e\"\nwhen = \"x - 1\"\n");
  add("event_key", "E0005", event + "when = \"x\"\n¦whence = 1\n");
  add("prescribed_unknown_coordinate", "E0102", kTop + "[prescribed]\n¦y = \"t\"\n");
  add("prescribed_twice", "E0002", kTop + "[prescribed]\nx = \"t\"\nx = ¦\"2*t\"\n");
  add("prescribed_by_a_coordinate", "E0215", kTop + "[prescribed]\nx = \"sin(¦x)\"\n");
  add("prescribed_by_an_input", "E0211", kTop + "[inputs]\nu = \"t\"\n[prescribed]\nx = \"2*¦u\"\n");
  add("prescribed_by_straight_lines", "E0006",
      kTop + "[prescribed]\nx = {file = \"a.csv\", column = \"x\", interpolation = ¦\"linear\"}\n");
  add("prescribed_of_another_unit", "E0203",
      "coordinates = [{name = \"x\", unit = \"m\"}]\n[parameters]\nT = \"1 s\"\n[prescribed]\nx = \"¦2*T\"\n");
  add("actuation_of_a_free_coordinate", "E0102", kTop + "[outputs]\nf = \"¦actuation(x)\"\n");
  // [draw]
  add("draw_unknown_key", "E0005", kTop + "[draw]\n¦line = [[\"P\", \"P\"]]\n");
  add("draw_unknown_point", "E0102", kTop + "[draw]\ntrace = [\"¦P\"]\n");
  add("draw_line_of_one_point", "E0006", kTop + "[draw]\nlines = [¦[\"P\"]]\n");
  add("draw_circle_without_radius", "E0007", kTop + "[draw]\ncircles = [¦{at = \"P\"}]\n");
  add("draw_axis_in_the_plane", "E0216",
      kTop +
          "[[point]]\nname = \"P\"\nat = [\"x\", 0]\n[draw]\ncircles = [{at = \"P\", radius = 1, ¦axis = [0, 1]}]\n");

  // --- claims
  add("claim_without_equals", "E0007", kTop + "¦[[claim]]\nentry = \"V\"\n");
  add("claim_without_entry", "E0007", kTop + "¦[[claim]]\nequals = 0\n");
  add("claim_unknown_key", "E0005", kTop + "[[claim]]\nentry = \"V\"\nequals = 0\n¦gives = \"x = 0\"\n");
  add("claim_not_an_expression", "E0006", kTop + "[[claim]]\nentry = \"V\"\nequals = ¦true\n");
  add("claim_unknown_symbol", "E0102", kTop + "[[claim]]\nentry = \"V\"\nequals = \"3*¦xx\"\n");
  add("claim_two_equations", "E0101", kTop + "[[claim]]\nentry = \"eom[x]\"\nequals = \"x = 0 ¦= 1\"\n");
  add("claim_unknown_row", "E0102", kTop + "[[claim]]\nentry = \"V\"\nequals = \"¦lambda(c)\"\n");
  add("claim_given_unknown_symbol", "E0102",
      kTop + "[[claim]]\nentry = \"V\"\nequals = 0\ngiven = [\"x = 1\", \"x' = ¦v\"]\n");
  add("claim_given_wrong_type", "E0006", kTop + "[[claim]]\nentry = \"V\"\nequals = 0\ngiven = [¦true]\n");
  add("claim_as_table", "E0006", kTop + "[¦claim]\nentry = \"V\"\nequals = 0\n");
  add("claim_index_in_entry", "E0102", kTop + "[[claim]]\nentry = \"B[x{¦k}]\"\nequals = 0\n");

  // --- input files
  add("input_file_missing", "E0502", kTop + "[inputs]\nu = {file = \"¦no-such-file.csv\", column = \"u\"}\n");
  add("input_column_missing_key", "E0007", kTop + "[inputs]\nu = ¦{file = \"a.csv\"}\n");
  return all;
}

constexpr std::string_view kMark = "¦";

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsReportedAtItsPlace) {
  std::string text = GetParam().text;
  const std::size_t mark = text.find(kMark);
  ASSERT_NE(mark, std::string::npos);
  text.erase(mark, kMark.size());
  const SourcePtr source = make_source("bad.toml", text);
  const auto expected = source->position(static_cast<std::uint32_t>(mark));

  const auto model = load_model(source);
  ASSERT_FALSE(model.ok());
  ASSERT_FALSE(model.diagnostics().empty());
  const Diagnostic& first = model.diagnostics().front();
  const std::string shown = render(model.diagnostics()).substr(0, 4000);
  EXPECT_EQ(first.code, GetParam().code) << shown;
  ASSERT_TRUE(first.primary.span) << shown;
  const auto found = first.primary.span.source->position(first.primary.span.begin);
  EXPECT_EQ(found.line, expected.line) << shown;
  EXPECT_EQ(found.column, expected.column) << shown;
  // Every code that can come up is explained, and the message keeps to the house style.
  for (const Diagnostic& problem : model.diagnostics()) {
    EXPECT_FALSE(explain(problem.code).empty()) << problem.code;
    EXPECT_FALSE(problem.message.ends_with(".")) << problem.message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadInput, testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(UnknownCoordinate, NamesThoseThatThereAre) {
  const auto found = load_model(make_source("top.toml", R"toml(coordinates = ["x", "e0", "e1", "e2", "e3"]
[[frame]]
name = "top"
quaternion = ["e0", "attitude", "e2", "e3"]
)toml"));
  ASSERT_FALSE(found);
  const std::string shown = render(found.diagnostics());
  EXPECT_NE(shown.find("the coordinates are `x`, `e0`, `e1`, `e2` and `e3`"), std::string::npos) << shown;
}

}  // namespace
}  // namespace dalembert
