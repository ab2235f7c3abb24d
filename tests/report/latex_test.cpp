// SPDX-License-Identifier: Apache-2.0
// The LaTeX of every shipped model, held against what the layout promises (report/equation_layout.h). That pdflatex and
// KaTeX accept it is for tests/slow/compile_latex.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <tuple>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/common_terms.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/latex_width.h"
#include "dalembert/report/line_breaking.h"
#include "oracles/random_expressions.h"
#include "report/formula_reader.h"
#include "source_tree.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kPage = 38;

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string latex_of(const Equations& equations, LatexLayout layout = {}, Form form = Form::kCanonical) {
  EquationsFormat format;
  format.form = form;
  format.notation = Notation::kLatex;
  format.layout = layout;
  return print_equations(equations, format);
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> displays(const std::string& latex, const std::string& begin, const std::string& end) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = latex.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::size_t stop = latex.find(end, at);
    found.push_back(latex.substr(at, stop - at));
    at = stop;
  }
  return found;
}

// Rows of cells, the space between rows (`\\[1ex]`) taken away.
std::vector<std::vector<std::string>> cells_of(const std::string& body) {
  std::vector<std::vector<std::string>> rows;
  for (std::string row : split(body, " \\\\")) {
    row = std::regex_replace(row, std::regex(R"(^\[[0-9.]+(ex|pt)\])"), "");
    std::erase(row, '\n');
    rows.emplace_back();
    for (std::string cell : split(row, "&")) {
      cell = std::regex_replace(cell, std::regex("^ +| +$"), "");
      rows.back().push_back(cell);
    }
  }
  return rows;
}

double cell_width(std::string cell, bool inline_style) {
  double width = 0;
  if (cell.starts_with("= ")) {
    cell.erase(0, 2);
    width = 1.34;
  }
  return width + latex_width(read_formula(cell, Notation::kLatex), inline_style);
}

double table_width(const std::vector<std::vector<std::string>>& rows, bool inline_style) {
  std::vector<double> columns;
  for (const auto& cells : rows) {
    columns.resize(std::max(columns.size(), cells.size()));
    for (std::size_t c = 0; c < cells.size(); ++c)
      columns[c] = std::max(columns[c], cell_width(cells[c], inline_style));
  }
  double total = 0;
  for (const double width : columns) total += width;
  return total;
}

// The widest display, by the same metrics that the layout goes by; pdflatex checks those.
double widest_display(const std::string& latex) {
  double widest = 0;
  for (const std::string& body : displays(latex, "\\begin{align*}", "\\end{align*}"))
    widest = std::max(widest, table_width(cells_of(body), false));
  for (const std::string& body : displays(latex, "\\begin{bmatrix}", "\\end{bmatrix}")) {
    const auto rows = cells_of(body);
    widest = std::max(widest, table_width(rows, true) + 0.92 * static_cast<double>(rows.front().size() - 1) + 2.4);
  }
  return widest;
}

// Braces, \left and \right, environments.
void expect_balanced(const std::string& latex) {
  int depth = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    if (latex[i] == '\\') {
      ++i;
    } else {
      depth += latex[i] == '{';
      depth -= latex[i] == '}';
    }
    ASSERT_GE(depth, 0) << latex.substr(i > 80 ? i - 80 : 0, 160);
  }
  EXPECT_EQ(depth, 0);
  for (const auto& [begin, end] :
       {std::pair("\\begin{", "\\end{"), {"\\[", "\\]"}, {"\\bigl(", "\\bigr)"}, {"\\Bigl(", "\\Bigr)"}})
    EXPECT_EQ(split(std::regex_replace(latex, std::regex(R"(\\\\\[)"), ""), begin).size(), split(latex, end).size())
        << begin;
  // TeX does not stretch brackets over a line's end.
  for (const std::string& body : displays(latex, "\\begin{align*}", "\\end{align*}"))
    for (const auto& cells : cells_of(body))
      for (const std::string& cell : cells)
        EXPECT_EQ(split(cell, "\\left").size(), split(cell, "\\right").size()) << cell;
}

// Every name is defined once, at or after its first use, and no definition leads back to itself.
void expect_sound_definitions(const std::string& latex) {
  const std::regex definition(R"((?:^|[\n&] ?)z_\{(\d+)\} &= )"), name(R"(z_\{(\d+)\})");
  std::map<int, std::size_t> defined;
  for (std::sregex_iterator at(latex.begin(), latex.end(), definition), end; at != end; ++at)
    EXPECT_TRUE(defined.emplace(std::stoi((*at)[1]), at->position(1)).second) << "defined twice: z_" << (*at)[1];
  std::map<int, std::size_t> first_use;
  int largest = 0;
  for (std::sregex_iterator at(latex.begin(), latex.end(), name), end; at != end; ++at) {
    const int number = std::stoi((*at)[1]);
    const auto place = static_cast<std::size_t>(at->position(1));
    EXPECT_LE(number, largest + 1) << "names are numbered as they are read";
    largest = std::max(largest, number);
    if (defined.contains(number) && defined[number] == place) continue;
    first_use.emplace(number, place);
  }
  EXPECT_EQ(defined.size(), static_cast<std::size_t>(largest));
  for (const auto& [number, place] : defined)
    EXPECT_TRUE(first_use.contains(number)) << "z_" << number << " is never used";

  // What each definition uses, up to the next one or the end of its display.
  std::map<int, std::set<int>> uses;
  for (const auto& [number, place] : defined) {
    std::size_t stop = latex.find("\\end{align*}", place);
    for (const auto& [other, start] : defined)
      if (start > place) stop = std::min(stop, start - 3);
    const std::string body = latex.substr(place + 3, stop - place - 3);
    for (std::sregex_iterator at(body.begin(), body.end(), name), end; at != end; ++at)
      uses[number].insert(std::stoi((*at)[1]));
  }
  std::set<int> sound;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [number, place] : defined)
      if (!sound.contains(number) && std::ranges::includes(sound, uses[number])) more = sound.insert(number).second;
  }
  EXPECT_EQ(sound.size(), defined.size()) << "a definition leads back to itself";
}

class ShippedLatex : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedLatex, StaysOnThePage) {
  const Equations equations = derive_shipped(GetParam());
  // Of pages of formulas with brackets within brackets some lines are wider.
  constexpr std::size_t kPages = 50'000;
  if (latex_of(equations).size() > kPages) GTEST_SKIP() << "formulas of many pages";
  // Connections and their momentum equations are quotients that are not broken yet.
  if (!equations.model->prescribed.empty()) GTEST_SKIP() << "long quotients";
  EXPECT_LE(widest_display(latex_of(equations)), kPage + 0.1);
  EXPECT_LE(widest_display(latex_of(equations, {60, false})), 60.1);
  if (!has_rational_forms()) return;  // without FLINT there are more quotients
  // A quotient is not broken: one with sums of products above the line needs some room.
  const double narrow = latex_of(equations, {26, false}).find("\\frac{(") == std::string::npos ? 26 : 30;
  EXPECT_LE(widest_display(latex_of(equations, {narrow, false})), narrow + 0.1);
}

TEST_P(ShippedLatex, IsSound) {
  const Equations equations = derive_shipped(GetParam());
  for (const Form form : {Form::kCanonical, Form::kExpanded, Form::kAsDerived}) {
    // Its products multiplied out are ten megabytes.
    if (form == Form::kExpanded && GetParam() == "whipple-bicycle") continue;
    const std::string latex = latex_of(equations, {}, form);
    expect_balanced(latex);
    expect_sound_definitions(latex);
    EXPECT_TRUE(std::ranges::all_of(latex, [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
    EXPECT_THAT(latex, Not(HasSubstr("too large")));
  }
}

// The same text from two derivations, each with its own graph.
TEST_P(ShippedLatex, IsDeterministic) {
  EXPECT_EQ(latex_of(derive_shipped(GetParam())), latex_of(derive_shipped(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Models, ShippedLatex, ::testing::ValuesIn(model_names()), [](const auto& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Latex, StandaloneIsTheFragmentInADocument) {
  const Equations equations = derive_shipped("slider-crank");
  const std::string fragment = latex_of(equations);
  std::string document = latex_of(equations, {kPage, true});
  EXPECT_TRUE(document.starts_with("\\documentclass"));
  EXPECT_TRUE(document.ends_with("\\end{document}\n"));
  // The same but for numbers: displays that have one are other environments.
  for (const auto& [numbered, plain] : {std::pair("\\begin{align}", "\\begin{align*}"),
                                        {"\\end{align}", "\\end{align*}"},
                                        {"\\begin{equation}", "\\["},
                                        {"\\end{equation}", "\\]"},
                                        {" \\notag", ""}})
    for (std::size_t at = 0; (at = document.find(numbered, at)) != std::string::npos; at += std::strlen(plain))
      document.replace(at, std::strlen(numbered), plain);
  EXPECT_THAT(document, HasSubstr(fragment));
}

// An equation that takes several lines has one number.
TEST(Latex, EveryEquationHasOneNumber) {
  const Equations equations = derive_shipped("slider-crank");
  const std::string document = latex_of(equations, {20, true});
  const std::size_t begin = document.find("\\paragraph{Equations of motion}"),
                    end = document.find("\\end{align}", begin);
  const std::string motion = document.substr(begin, end - begin);
  const auto count = [&](const std::string& what) { return split(motion, what).size() - 1; };
  EXPECT_EQ(count(" \\\\") + 1 - count("\\notag"), 3U) << motion;
  EXPECT_GT(count("\\notag"), 0U);
}

// Oracle: the model file, line by line.
TEST(Latex, BeginsWithTheSymbols) {
  const std::string latex = latex_of(derive_shipped("slider-crank"));
  for (const char* row :
       {"$\\theta$ &  & $\\mathrm{rad}$ & coordinate", "$g$ & $9.81$ & $\\mathrm{m/s^{2}}$ & gravity",
        "$L_{1}$ & $0.15$ & $\\mathrm{m}$ & half lengths", "$m_{2}$ & $0.84$ & $\\mathrm{kg}$ & mass of rod",
        "$I_{1}$ & $0.0027$ & $\\mathrm{kg\\,m^{2}}$ & moment of inertia of crank",
        "$\\tau$ & $0$ & $\\mathrm{N\\,m}$ & input"})
    EXPECT_THAT(latex, HasSubstr(row));
  EXPECT_LT(latex.find("symbol & value"), latex.find("\\underbrace"));
  EXPECT_LT(latex.find("\\underbrace"), latex.find("\\paragraph{Energies}"));
}

// The sleigh moves freely on a plane: neither B nor G nor F.
TEST(Latex, TermsThatAreZeroTakeOneLine) {
  const std::string latex = latex_of(derive_shipped("chaplygin-sleigh"));
  EXPECT_THAT(
      latex,
      HasSubstr("\\mathbf{B} = \\mathbf{0}, \\quad \\mathbf{G} = \\mathbf{0}, \\quad \\mathbf{F} = \\mathbf{0}"));
  EXPECT_THAT(latex, Not(HasSubstr("Potential forces")));
}

TEST(Latex, ShortEntriesStandInTheMatrix) {
  const std::string latex = latex_of(derive_shipped("slider-crank"));
  EXPECT_THAT(latex, HasSubstr("\\mathbf{M} = \\begin{bmatrix}\n(m_{1} + 4 m_{2}) L_{1}^{2} + I_{1} & "));
  EXPECT_THAT(latex, Not(HasSubstr("z_{1}")));
}

// T = z/2 would say nothing. Oracle: the top's energy as textbooks write it (Goldstein, 5.7), each term once.
TEST(Latex, NoNameIsAWholeFormula) {
  for (const char* model : {"gyroscope", "heavy-top-euler"}) {
    const std::string latex = latex_of(derive_shipped(model));
    const std::size_t begin = latex.find("T &= "), end = latex.find("V &= ", begin);
    const std::string kinetic = latex.substr(begin, end - begin);
    EXPECT_THAT(kinetic, HasSubstr("\\dot{\\theta}^{2}")) << model;
    EXPECT_THAT(kinetic, Not(HasSubstr("z_{"))) << model;
  }
}

// A matrix of at most 16 entries is written out; of a larger one those that are not 0, with a sentence for the rest.
// Oracle: the squeezer's M is made of four blocks of bodies that share no angle (Hairer & Wanner, VII.7).
TEST(Latex, LargeMatricesAreListed) {
  const std::string latex = latex_of(derive_shipped("andrews-squeezer"));
  const std::size_t begin = latex.find("\\paragraph{Mass matrix}"), end = latex.find("\\paragraph", begin + 1);
  const std::string mass = latex.substr(begin, end - begin);
  EXPECT_THAT(mass, Not(HasSubstr("bmatrix")));
  EXPECT_THAT(mass, HasSubstr("It is symmetric, and each pair is listed once. All other entries are zero.\n"));
  EXPECT_THAT(mass, HasSubstr("M_{\\gamma,\\gamma} &= m_{3} "));
  EXPECT_THAT(mass, HasSubstr("M_{\\beta,\\Theta} &= "));
  EXPECT_THAT(mass, Not(HasSubstr("M_{\\Theta,\\beta}")));
  EXPECT_THAT(mass, Not(HasSubstr("= 0")));
  EXPECT_EQ(split(mass, "M_{").size() - 1, 10u) << mass;
}

// Six coordinates, and no two in one term of T (models/delta-robot.toml).
TEST(Latex, DiagonalMatricesTakeOneLine) {
  const std::string latex = latex_of(derive_shipped("delta-robot"));
  EXPECT_THAT(latex, HasSubstr("\\mathbf{M} = \\operatorname{diag}\\!\\left(m, m, m, \\frac{1}{3} M l^{2}, "));
  EXPECT_THAT(latex, Not(HasSubstr("M_{p_{1},p_{1}}")));
}

// The sleigh has one row: γ is a number, not a vector of one.
TEST(Latex, OneEntryIsNoVector) {
  const std::string latex = latex_of(derive_shipped("chaplygin-sleigh"));
  EXPECT_THAT(latex, HasSubstr("\\gamma_{\\mathrm{knife}} &= "));
  EXPECT_THAT(latex, HasSubstr("\\mathbf{W} = \\begin{bmatrix}"));
}

// Brackets: as large as what they hold, and no gap between a function and its own.
TEST(Latex, BracketsAsALecturerWritesThem) {
  Graph graph;
  const auto symbol = [&](const char* name) {
    return graph.add_symbol({name, SymbolKind::kParameter, static_cast<int>(graph.symbol_count()), {}});
  };
  const Expr a = symbol("a"), b = symbol("b"), c = symbol("c");
  EXPECT_EQ(to_latex(sin(a)), "\\sin a");
  EXPECT_EQ(to_latex(sin(2 * a)), "\\sin(2 a)");
  EXPECT_EQ(to_latex(c * (a + b)), "c (a + b)");
  EXPECT_EQ(to_latex(sin(c * (a + b))), "\\sin\\bigl(c (a + b)\\bigr)");
  EXPECT_EQ(to_latex(c * (a * (b + 1) * sin(c * (a + b)) + 1)),
            "c \\Bigl(a (b + 1) \\sin\\bigl(c (a + b)\\bigr) + 1\\Bigr)");
  EXPECT_EQ(to_latex(cos(a / b)), "\\cos\\!\\left(\\frac{a}{b}\\right)");
  EXPECT_EQ(to_latex(c * (a / b + 1)), "c \\left(\\frac{a}{b} + 1\\right)");
}

// Who types decimals reads decimals; halves stay halves, and who types fractions reads fractions.
TEST(Latex, DecimalsAreDecimals) {
  const auto latex_in = [](const char* typed) {
    Graph graph;
    graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}});
    graph.add_symbol({"L", SymbolKind::kParameter, 0, {}});
    return to_latex(value_of(parse(typed, graph)));
  };
  EXPECT_EQ(latex_in("0.05*x"), "0.05 x");
  EXPECT_EQ(latex_in("0.4*x^2 + x/2"), "\\frac{1}{2} x + 0.4 x^{2}");
  EXPECT_EQ(latex_in("0.05*x/L"), "\\frac{0.05 x}{L}");
  EXPECT_EQ(latex_in("0.5*x + 0.25"), "\\frac{1}{2} x + \\frac{1}{4}");
  EXPECT_EQ(latex_in("2/5*x"), "\\frac{2}{5} x");
  EXPECT_EQ(latex_in("x/3 + 0.2"), "\\frac{1}{3} x + 0.2");
}

// A velocity that is the rate of a coordinate has a rate with two dots.
TEST(Latex, RatesOfRatesHaveTwoDots) {
  const std::string latex = latex_of(derive_shipped("heavy-top"));
  EXPECT_THAT(latex, HasSubstr("m \\ddot{x} = "));
  EXPECT_THAT(latex, Not(HasSubstr("\\dot{\\dot")));
}

// The index that the constraint's `latex` gives its multipliers is also the label of its equation.
TEST(Latex, ConstraintsAreLabelledByTheirLatex) {
  Model model("labels");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  const Point a = model.point("a", {x, y}), o = model.point("o", {0, 0});
  model.body("b", 2, {x, y});
  model.distance("rod", a, o, 1, "\\ell");
  const auto equations = derive(std::make_shared<const Model>(std::move(model)));
  ASSERT_TRUE(equations.ok());
  const std::string latex = latex_of(*equations);
  EXPECT_THAT(latex, HasSubstr("\\text{$\\ell$:} & "));
  EXPECT_THAT(latex, HasSubstr("\\lambda_{\\ell}"));
}

// The model's own symbols keep their letters.
TEST(Latex, NamesDoNotCollide) {
  Graph graph;
  graph.add_symbol({"z3", SymbolKind::kParameter, 0, {}});
  graph.add_symbol({"weight", SymbolKind::kParameter, 1, {}});
  graph.add_symbol({"omega", SymbolKind::kParameter, 2, "w^*"});
  EXPECT_EQ(NameWriter(graph, Notation::kLatex).symbol(7), "s_{1}");
  EXPECT_EQ(NameWriter(graph, Notation::kText).symbol(7), "s1");
}

// A wide sum stands in the first and in the third block: the third, which a reader may open alone, says where its name is explained.
TEST(Latex, BlocksSayWhereTheirNamesAreExplained) {
  const auto line = [](const char* right) {
    return EquationSheet::Line{read_formula("h", Notation::kLatex), read_formula(right, Notation::kLatex)};
  };
  EquationSheet sheet;
  sheet.notation = Notation::kLatex;
  sheet.blocks.resize(3);
  sheet.blocks[0].title = "Energies";
  sheet.blocks[0].lines = {line("k \\left(aaaaaaaa + bbbbbbbb + cccccccc + dddddddd\\right)")};
  sheet.blocks[1].title = "Mass matrix";
  sheet.blocks[1].lines = {line("k + m")};
  sheet.blocks[2].title = "Constraints";
  sheet.blocks[2].lines = {line("m \\left(aaaaaaaa + bbbbbbbb + cccccccc + dddddddd\\right)")};
  sheet.blocks[2].remark = "All other entries are zero.";
  const Graph graph;
  const std::vector<LatexBlock> blocks = lay_out_latex_blocks(sheet, graph);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_THAT(blocks[0].displays.back(), HasSubstr("z_{1} &= aaaaaaaa"));
  EXPECT_EQ(blocks[0].remark, "");
  EXPECT_EQ(blocks[1].remark, "");
  EXPECT_THAT(blocks[2].displays.back(), HasSubstr("z_{1}"));
  EXPECT_EQ(blocks[2].remark,
            "All other entries are zero. Names that are not explained here are explained under: Energies.");
}

TEST(Latex, ProseIsEscaped) {
  EXPECT_EQ(latex_prose("50% of a_1 & #2 ~ {x} $"), "50\\% of a\\_1 \\& \\#2 \\~{} \\{x\\} \\$");
  EXPECT_EQ(latex_prose("θ² ≤ π – é"), "$\\theta$$^2$ $\\le$ $\\pi$ -- \\'{e}");
  EXPECT_EQ(latex_prose("\xff\xc3 中"), "?? ?");
  EXPECT_EQ(latex_unit("kg*m^2/s"), "\\mathrm{kg\\,m^{2}/s}");
}

// ------------------------------------------------------------------------------------------------------------- pieces

// What printers emit, against a reader that knows the texts alone: the same tokens, of the same kinds, with the same
// brackets. Names are read letter by letter in LaTeX, as they are emitted.
TEST(Formula, TokensAreThoseOfTheText) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    Graph graph;
    const std::vector<Expr> symbols{graph.add_symbol({"theta", SymbolKind::kCoordinate, 0, {}}),
                                    graph.add_symbol({"theta", SymbolKind::kVelocity, 0, {}}),
                                    graph.add_symbol({"m_1", SymbolKind::kParameter, 0, {}}),
                                    graph.add_symbol({"pos", SymbolKind::kCoordinate, 1, {}}),
                                    graph.add_symbol({"w", SymbolKind::kParameter, 1, "w^*_{2,b}"})};
    const Expr e = random_expression(graph, symbols, 1 + round % 4, random);
    Canonicalizer canonicalizer(graph);
    const auto form = canonicalizer.canonical(e);
    for (const Notation notation : {Notation::kText, Notation::kLatex}) {
      std::vector<Formula> formulas{formula(e, notation)};
      if (form) formulas.push_back(formula(canonicalizer, shortest(canonicalizer, *form), notation));
      for (const Formula& emitted : formulas) {
        const Formula read = read_formula(text_of(emitted), notation);
        ASSERT_EQ(emitted.size(), read.size()) << text_of(emitted);
        for (std::size_t i = 0; i < read.size(); ++i) {
          EXPECT_EQ(emitted[i].text, read[i].text) << text_of(emitted);
          // In text a function's name is known by its bracket.
          if (notation == Notation::kLatex || emitted[i].kind != FormulaToken::Kind::kFunction) {
            EXPECT_EQ(emitted[i].kind, read[i].kind) << emitted[i].text << " in " << text_of(emitted);
          }
          EXPECT_EQ(emitted[i].group, read[i].group) << text_of(emitted);
          EXPECT_EQ(emitted[i].partner, read[i].partner) << text_of(emitted);
        }
      }
    }
  }
}

// (sin x + y)², not sin² x + y: the exponent belongs to the sum.
TEST(Formula, ExponentsOfSumsThatBeginWithAFunction) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
             y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  EXPECT_EQ(to_latex(square(sin(x))), "\\sin^{2} x");
  EXPECT_EQ(to_latex(square(sin(x) + y)), "(y + \\sin x)^{2}");
  Canonicalizer canonicalizer(graph);
  const auto quotient = canonicalizer.canonical(1 / square(cos(x)));
  EXPECT_EQ(print(canonicalizer, *quotient, Gathering::kNone, Notation::kLatex), "\\frac{1}{\\cos^{2} x}");
}

// What a name's LaTeX holds is kept together, whatever a user wrote.
TEST(Formula, SpelledNamesJoinToTheirText) {
  for (const std::string latex :
       {"\\dot{\\theta}_{1,b}", "\\vec r", "}{\\right)", "\\frac{a}{b}^*", "{x^{2}}", "q_{", "a - b"})
    EXPECT_EQ(text_of(spell_latex(latex)), latex);
}

// Widths that pdflatex measured (\wd of the formula in \displaystyle at 11 pt, over 10.95 pt).
TEST(Formula, WidthsAreThoseOfTheFonts) {
  const std::vector<std::pair<std::string, double>> measured = {
      {R"(m_{1} L_{1}^{2} + I_{1})", 4.52},
      {R"(-2 m_{2} L_{1} L_{2} \cos\left(\theta - \phi\right))", 9.58},
      {R"(\frac{1}{2} m l^{2} \left(17 \dot{\theta}_{2}^{2} \sin\left(\theta_{1} - \theta_{2}\right) + 15 \dot{\theta}_{3}^{2}\right))",
       14.16},
      {R"(\frac{c_{0} \left(l_{0} - \sqrt{z_{2}}\right) z_{9}}{\sqrt{z_{2}}})", 6.92},
      {R"(\lambda_{\mathrm{loop,1}} \sin \gamma + \mathrm{mom})", 8.20},
      {R"(g L \left(\frac{1}{2} M + m\right) \ddot{\theta})", 7.39},
      {R"(e^{2 x} \left|x\right|^{3} \operatorname{atan2}\left(y, x\right))", 8.16},
      {R"(R^{2} - 2 R r + r^{2} + p_{1}^{2} + \left(-2 R + 2 r\right) p_{1} + p_{2}^{2})", 17.97},
      {R"(\begin{cases} x^{2} & \text{if } \left(0 < x\right) \\ x z & \text{otherwise} \end{cases})", 7.26},
      {R"(\sqrt{3} l \lambda_{\mathrm{forearm2}} \cos \alpha_{2})", 8.02},
      {R"(\sin^{2} \theta + \frac{h \cos \theta}{\sin \theta})", 6.51},
  };
  for (const auto& [latex, width] : measured)
    EXPECT_NEAR(latex_width(read_formula(latex, Notation::kLatex)), width, 0.04 * width + 0.1) << latex;
}

LineMeasure em(double width) {
  return {width, 1, [](FormulaPart part) { return latex_width(part); }};
}

std::string joined(const std::vector<FormulaLine>& lines) {
  std::string text;
  for (const FormulaLine& line : lines)
    text += (text.empty() ? "" : " | ") + std::to_string(line.indent) + formula_key(line.tokens);
  return text;
}

TEST(LineBreaking, PrefersTheOutermostTerms) {
  const Formula f = read_formula("a + b \\left(c + d\\right) + e", Notation::kLatex);
  EXPECT_EQ(joined(break_lines(f, em(20))), "0a + b \\left(c + d\\right) + e");
  EXPECT_EQ(joined(break_lines(f, em(6.5))), "0a + b \\left(c + d\\right) | 1 + e");
  EXPECT_EQ(joined(break_lines(f, em(4.4))), "0a + b \\bigl(c | 2 + d\\bigr) | 1 + e");
}

TEST(LineBreaking, NeverInsideFractionsAndFunctions) {
  const Formula f = read_formula("\\frac{a + b}{c + d} + \\cos\\left(a + b + c + d + e + f\\right)", Notation::kLatex);
  for (const FormulaLine& line : break_lines(f, em(4))) {
    int depth = 0;
    for (const FormulaToken& token : line.tokens)
      depth += (token.kind == FormulaToken::Kind::kOpen) - (token.kind == FormulaToken::Kind::kClose);
    EXPECT_EQ(depth, 0);
  }
  EXPECT_EQ(formula_key(unbreakable_part(f, em(4))), " + \\cos\\left(a + b + c + d + e + f\\right)");
}

TEST(CommonTerms, ReplacesParenthesesButKeepsFunctions) {
  CommonTerms terms;
  const Formula f = read_formula("k*(a + b)^2/sqrt(a + b) - cos(a + b)*(a - b)", Notation::kText);
  terms.name_repeated({&f}, 3, [](const Formula& g) { return static_cast<double>(g.size()); });
  ASSERT_EQ(terms.size(), 1);
  Graph graph;
  NameWriter names(graph, Notation::kText);
  EXPECT_EQ(names.text(terms.replaced(f, false)), "k*z1^2/sqrt(z1) - cos(z1)*(a - b)");
  EXPECT_EQ(names.text(terms.definition(0)), "a + b");
}

// A sum that is all of a formula but for a number is written there; so is one that is left with one place.
TEST(CommonTerms, WholeFormulasAreWritten) {
  const auto size = [](const Formula& g) { return static_cast<double>(g.size()); };
  Graph graph;
  for (const auto& [notation, half, other] :
       {std::tuple{Notation::kText, "-1/2*(a + b)", "c + 3*(a + b)"},
        std::tuple{Notation::kLatex, "-\\frac{1}{2} \\left(a + b\\right)", "c + 3 \\left(a + b\\right)"}}) {
    const Formula whole = read_formula(half, notation), part = read_formula(other, notation);
    CommonTerms once;
    once.name_repeated({&whole, &part, &whole}, 3, size);
    EXPECT_TRUE(once.empty()) << half;
    CommonTerms twice;
    twice.name_repeated({&whole, &part, &part}, 3, size);
    ASSERT_EQ(twice.size(), 1) << half;
    NameWriter names(graph, notation);
    EXPECT_EQ(names.text(twice.replaced(whole, false)), half);
    EXPECT_THAT(names.text(twice.replaced(part, false)), HasSubstr("c + 3")) << half;
    EXPECT_THAT(names.text(twice.replaced(part, false)), Not(HasSubstr("a + b"))) << half;
  }
  const Formula symbol = read_formula("k*(a + b)", Notation::kText);
  CommonTerms named;
  named.name_repeated({&symbol, &symbol}, 3, size);
  EXPECT_EQ(named.size(), 1);
}

// x ← x² + sin(x) + x twenty times: 3²⁰ terms as a tree. What is printed, read back, is the same node of the graph.
TEST(SharedNodes, PrintWhatNoTreeCouldHold) {
  Graph graph;
  const Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 0, {}});
  Expr x = a;
  for (int i = 0; i < 20; ++i) x = square(x) + sin(x) + x;
  SharedNodes shared(graph, Notation::kText);
  const std::string text = formula_key(shared.print(x));
  EXPECT_EQ(formula_key(shared.print(x)), text) << "a name means the same in every call";
  std::size_t length = text.size();
  for (const Formula& definition : shared.definitions()) length += formula_key(definition).size();
  EXPECT_EQ(length, shared.length(shared.print(x)));
  EXPECT_LT(length, 4000U);

  // Read in a second graph whose definitions are values already.
  Graph second;
  const Expr b = second.add_symbol({"a", SymbolKind::kParameter, 0, {}});
  Expr expected = b;
  for (int i = 0; i < 20; ++i) expected = square(expected) + sin(expected) + expected;
  std::vector<Expr> values;
  std::unordered_map<SymbolId, Expr> meaning;
  const auto read = [&](const std::string& printed) {
    std::string plain = std::regex_replace(printed, std::regex("\x01(\\d+)\x02"), "name$1");
    return substitute(value_of(parse(plain, second)), meaning);
  };
  for (std::size_t i = 0; i < shared.definitions().size(); ++i) {
    const Expr value = read(formula_key(shared.definitions()[i]));
    const Expr symbol =
        second.add_symbol({"name" + std::to_string(i), SymbolKind::kShorthand, static_cast<int>(i), {}});
    meaning.emplace(symbol.symbol(), value);
  }
  EXPECT_TRUE(read(text).same(expected));
}

// Text longer than 2000 characters: names for what is repeated, the rest on several lines.
TEST(Text, LongLinesAreNamedAndWrapped) {
  const Equations equations = derive_shipped("n-link-chain", {"N=14"});
  const std::string text = print_equations(equations, {});
  for (const std::string& line : split(text, "\n")) EXPECT_LE(line.size(), 2010U);
  EXPECT_THAT(text, HasSubstr("\n        + "));
}

}  // namespace
}  // namespace dalembert
