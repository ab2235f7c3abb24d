// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium, when it is there.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const kChromium = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** A reason to leave out the tests that need a browser, or false. */
export const no_browser = existsSync(kChromium) ? false
  : `${kChromium} is not there: apt-get install chromium, or set CHROMIUM to one`;

export function launch() {
  return chromium.launch({
    executablePath: kChromium,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}
