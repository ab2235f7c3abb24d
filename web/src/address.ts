// SPDX-License-Identifier: Apache-2.0
// What the address has after #, so that it can be shared: "values:", and joined by & the values that differ from the stored run, and how angles
// are shown. Links within the page leave both alone.
export const kMark = "values:";
const kSetting = /^angles=(deg|rad)$/;

/** Whether a part of the address is no value. */
export const is_setting = (part: string) => kSetting.test(part);

const parts_of = (hash: string) => hash.startsWith(`#${kMark}`) ? hash.slice(1 + kMark.length).split("&") : [];
let values = parts_of(location.hash).filter((part) => !is_setting(part)).join("&");
let setting = setting_in(location.hash);

function setting_in(hash: string): string {
  return kSetting.exec(parts_of(hash).find(is_setting) ?? "")?.[1] ?? "";
}

/** "deg", "rad", or empty: as the page was made. */
export const address_setting = () => setting;
/** All of it, without the #; empty: there is nothing to keep. */
export function address(): string {
  const parts = [values, setting === "" ? "" : `angles=${setting}`].filter((part) => part !== "");
  return parts.length === 0 ? "" : kMark + parts.join("&");
}
/** `text`: as `Choice.link()` writes it. */
export function keep_values(text: string) {
  values = text.slice(kMark.length);
  write();
}
export function keep_setting(text: string) {
  setting = text;
  write();
}
export const has_values = () => values !== "";
/** The address asks for another setting. Links within the page ask for none. */
export function on_setting(listener: () => void) {
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith(`#${kMark}`)) return write();
    if (setting_in(location.hash) === setting) return;
    setting = setting_in(location.hash);
    listener();
  });
}

// A browser that forbids it on pages from the disk keeps its address.
function write() {
  const text = address();
  if (text === "" && !location.hash.startsWith(`#${kMark}`)) return;
  try {
    history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
  } catch {
    return;
  }
}
