// SPDX-License-Identifier: Apache-2.0
// The page's sections, and the table of contents that leads to them.
import { h } from "../dom";

export class Frame {
  readonly main = h("main", { id: "main", tabindex: -1 });
  private readonly list = h("ul");
  readonly contents = h("nav", { class: "contents", "aria-label": "Contents" }, this.list);

  constructor() {
    const links = new Map<Element, HTMLAnchorElement>();
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) links.get(target)?.classList.toggle("seen", isIntersecting);
    }, { rootMargin: "-20% 0px -60% 0px" });
    this.watch = (section, link) => {
      links.set(section, link);
      seen.observe(section);
    };
  }
  private readonly watch: (section: Element, link: HTMLAnchorElement) => void;

  /** A section without content is left out: null. */
  add(id: string, title: string, ...content: (Node | null)[]): HTMLElement | null {
    const parts = content.filter((part): part is Node => part !== null);
    if (parts.length === 0) return null;
    const name = `${id}-title`;
    const section = h("section", { id, "aria-labelledby": name }, h("h2", { id: name }, title), ...parts);
    const link = h("a", { href: `#${id}` }, title);
    this.list.append(h("li", {}, link));
    this.main.append(section);
    this.watch(section, link);
    return section;
  }
}

export function heading(text: string): HTMLElement { return h("h3", {}, text); }
export function hint(text: string): HTMLElement { return h("p", { class: "hint" }, text); }
