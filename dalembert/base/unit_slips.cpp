// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/unit_slips.h"

#include <algorithm>
#include <cctype>

namespace dalembert {
namespace {

struct Word {
  std::string_view written, unit;
};
// In small letters and without the s of a plural.
constexpr Word kWords[] = {
    {"degree", "deg"},    {"radian", "rad"},    {"turn", "rev"},       {"revolution", "rev"}, {"sec", "s"},
    {"second", "s"},      {"msec", "ms"},       {"millisecond", "ms"}, {"minute", "min"},     {"hour", "h"},
    {"hr", "h"},          {"meter", "m"},       {"metre", "m"},        {"millimeter", "mm"},  {"millimetre", "mm"},
    {"centimeter", "cm"}, {"centimetre", "cm"}, {"kilometer", "km"},   {"kilometre", "km"},   {"micron", "um"},
    {"inch", "in"},       {"inche", "in"},      {"foot", "ft"},        {"feet", "ft"},        {"gram", "g"},
    {"gramme", "g"},      {"kilogram", "kg"},   {"kilo", "kg"},        {"kilogramme", "kg"},  {"pound", "lb"},
    {"newton", "N"},      {"kilonewton", "kN"}, {"joule", "J"},        {"watt", "W"},         {"pascal", "Pa"},
    {"hertz", "Hz"},      {"volt", "V"},        {"amp", "A"},          {"ampere", "A"},       {"kelvin", "K"},
    {"percent", "%"},     {"liter", "l"},       {"litre", "l"},        {"kph", "km/h"},       {"kmh", "km/h"},
};

// No unit of ours, or not one alone. `grad` is a degree to some and a gon to others.
constexpr Word kSentences[] = {
    {"t", "`t` is the time; a tonne is `1000 kg`"},
    {"ton", "a tonne is `1000 kg`"},
    {"tonne", "a tonne is `1000 kg`"},
    {"grad", "write `deg` if degrees are meant; a gon, 1/400 of a turn, is `0.9 deg`"},
    {"gon", "a gon, 1/400 of a turn, is `0.9 deg`"},
    {"°c", "differences of temperature are in `K`; 0 °C is `273.15 K`"},
    {"degc", "differences of temperature are in `K`; 0 °C is `273.15 K`"},
    {"celsiu", "differences of temperature are in `K`; 0 °C is `273.15 K`"},
    {"°f", "1 °F of difference is `0.5555555555555556 K`"},
    {"mph", "a mile per hour is `0.44704 m/s`"},
    {"mile", "a mile is `1609.344 m`"},
    {"mi", "a mile is `1609.344 m`"},
    {"yard", "a yard is `0.9144 m`"},
    {"yd", "a yard is `0.9144 m`"},
    {"kgf", "1 kgf is `9.80665 N`"},
    {"kp", "1 kp is `9.80665 N`"},
    {"psi", "1 psi is `6894.757293168 Pa`"},
    {"atm", "1 atm is `101325 Pa`"},
    {"hp", "1 hp is `745.6998715822702 W`"},
    {"oz", "an ounce is `0.028349523125 kg`"},
    {"day", "a day is `86400 s`"},
    {"ps", "1 PS is `735.49875 W`"},
    {"dyn", "1 dyn is `1e-5 N`"},
    {"erg", "1 erg is `1e-7 J`"},
    {"cal", "1 cal is `4.184 J`"},
    {"ev", "1 eV is `1.602176634e-19 J`"},
    {"u", "turns per minute are `rpm`"},
};

// Units whose letters are often written in another case. Not all: `nm` would be found for `Nm`.
constexpr std::string_view kUsual[] = {"kg",  "g",   "mm",  "cm",  "km",  "m",  "ms", "s",  "kN", "kJ",  "kW",
                                       "MPa", "kPa", "GPa", "Pa",  "kHz", "Hz", "N",  "J",  "W",  "rad", "mrad",
                                       "deg", "rev", "rpm", "min", "lbf", "lb", "ft", "in", "V",  "A",   "bar"};

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

}  // namespace

UnitSlip unit_meant_by(std::string_view name) {
  const std::string small = small_letters(name);
  for (const std::string_view usual : kUsual)
    if (usual != name && small_letters(usual) == small) return {std::string(usual), {}};
  for (const std::string& word : {small, small.ends_with('s') ? small.substr(0, small.size() - 1) : std::string()}) {
    for (const Word& known : kWords)
      if (known.written == word) return {std::string(known.unit), {}};
    for (const Word& known : kSentences)
      if (known.written == word) return {{}, std::string(known.unit)};
  }
  return {};
}

}  // namespace dalembert
