// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/page.h"

#include <array>
#include <string_view>
#include <utility>

#include "dalembert/figure/rich_text.h"

// Embeds the template between two symbols. The WebAssembly build has none, because pages are written to files.
#ifndef __wasm__
asm(".section .rodata\n"
    ".global dalembert_page_begin\n"
    ".global dalembert_page_end\n"
    "dalembert_page_begin:\n"
    ".incbin \"" DALEMBERT_PAGE
    "\"\n"
    "dalembert_page_end:\n"
    ".byte 0\n"
    ".text\n");
extern "C" const char dalembert_page_begin[], dalembert_page_end[];
#endif

namespace dalembert {
namespace {

std::string_view page_template() {
#ifdef __wasm__
  return {};
#else
  return {dalembert_page_begin, static_cast<std::size_t>(dalembert_page_end - dalembert_page_begin)};
#endif
}

// Escapes `<`, the only character that could end a <script> element.
std::string script_text(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace

std::string page_html(const std::string& title, const std::string& still, const Json& document) {
  const std::string_view page = page_template();
  const std::string data = script_text(document.text());
  const std::array<std::pair<std::string_view, std::string>, 3> parts{
      {{"@@TITLE@@", xml_text(title)}, {"@@STILL@@", still}, {"@@DOCUMENT@@", data}}};
  std::string out;
  out.reserve(page.size() + data.size() + still.size());
  // Each placeholder occurs once, in this order.
  std::size_t from = 0;
  for (const auto& [placeholder, text] : parts) {
    const std::size_t at = page.find(placeholder, from);
    if (at == std::string_view::npos) continue;
    out.append(page.substr(from, at - from)).append(text);
    from = at + placeholder.size();
  }
  return out.append(page.substr(from));
}

}  // namespace dalembert
