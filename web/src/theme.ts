// SPDX-License-Identifier: Apache-2.0
// Light, dark, or what the system says. Canvases cannot follow rules of style: they are told.
import { select } from "./dom";

const listeners: (() => void)[] = [];
const root = document.documentElement;
const probe = document.createElement("span");
probe.hidden = true;
probe.style.setProperty("forced-color-adjust", "none");  // canvases keep their colours

export function on_theme(listener: () => void) { listeners.push(listener); }

function tell() { for (const listener of listeners) listener(); }

/** The colour that a custom property has now. */
export function color(property: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
}

function set(theme: string) {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  tell();
}

// Pages from the disk may have no storage.
function kept(): string {
  try {
    return localStorage.getItem("dalembert-theme") ?? "auto";
  } catch {
    return "auto";
  }
}
function keep(theme: string) {
  try {
    localStorage.setItem("dalembert-theme", theme);
  } catch {
    return;
  }
}

export function theme_switch(): HTMLElement {
  set(kept());
  const options = ["auto", "light", "dark"].map((value) => ({ value, text: value }));
  return select("Theme", options, kept(), (theme) => {
    keep(theme);
    set(theme);
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);

// Printed pages are light.
let before: string | undefined;
addEventListener("beforeprint", () => {
  before = root.dataset.theme ?? "auto";
  set("light");
});
addEventListener("afterprint", () => set(before ?? "auto"));
