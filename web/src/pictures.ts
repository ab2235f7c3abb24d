// SPDX-License-Identifier: Apache-2.0
// Pictures of the page as files: SVG that needs none of the page's rules of style, and PNG of it.
import { announce, button, download, h } from "./dom";

const kSvg = "http://www.w3.org/2000/svg";
const kPixels = 2;  // of a PNG, each way, for one of the page
// What rules of style decide, with what it is where nothing decides.
const kStyles: Record<string, string> = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-opacity": "1", "stroke-dasharray": "none",
  "stroke-linecap": "butt", "stroke-linejoin": "miter", opacity: "1", "font-family": "", "font-size": "", "font-style": "normal",
  "font-weight": "400", "text-anchor": "start", "paint-order": "normal", visibility: "visible",
};

/** `drawn` as it is seen now, on the page's paper. It may not be part of the page yet. */
function standing_copy(drawn: SVGSVGElement): SVGSVGElement {
  const host = h("div", { class: "unseen" });
  if (!drawn.isConnected) {
    host.append(drawn);
    document.body.append(host);
  }
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const from = [drawn, ...drawn.querySelectorAll<SVGElement>("*")], to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((one, k) => {
    const style = getComputedStyle(one), into = to[k]!;
    if (k > 0 && style.display === "none") into.setAttribute("display", "none");
    for (const [name, plain] of Object.entries(kStyles)) {
      const value = style.getPropertyValue(name);
      if (value === plain || value === "" || (name.startsWith("font") && one.localName !== "text" && k > 0)) continue;
      into.setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-label"]) into.removeAttribute(name);
  });
  for (const hidden of copy.querySelectorAll("[display=none]")) hidden.remove();
  const box = (copy.getAttribute("viewBox") ?? "0 0 680 400").split(" ").map(Number);
  copy.setAttribute("xmlns", kSvg);
  copy.setAttribute("width", String(box[2]));
  copy.setAttribute("height", String(box[3]));
  const paper = document.createElementNS(kSvg, "rect");
  for (const [name, value] of Object.entries({ x: box[0], y: box[1], width: box[2], height: box[3], fill: getComputedStyle(document.body).backgroundColor }))
    paper.setAttribute(name, String(value));
  copy.prepend(paper);
  host.remove();
  return copy;
}

function png_of(text: string, width: number, height: number): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => {
      const canvas = h("canvas", { width: Math.round(kPixels * width), height: Math.round(kPixels * height) });
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => blob === null ? reject(new Error("no picture")) : resolve(blob), "image/png");
    };
    image.onerror = () => reject(new Error("no picture"));
    image.src = address;
  }).finally(() => URL.revokeObjectURL(address)) as Promise<Blob>;
}

/** Two buttons that save the picture that is drawn, or made, when they are pressed. */
export function picture_buttons(name: () => string, make: () => SVGSVGElement | null): HTMLElement[] {
  return (["SVG", "PNG"] as const).map((kind) => button(kind, { class: "save", title: `Save this picture as ${kind}` }, () => {
    const drawn = make();
    if (drawn === null) return;
    const copy = standing_copy(drawn), text = new XMLSerializer().serializeToString(copy);
    const file = `${name().replace(/[^\w.-]+/g, "-").slice(0, 80)}.${kind.toLowerCase()}`;
    if (kind === "SVG") download(file, "image/svg+xml", text);
    else png_of(text, Number(copy.getAttribute("width")), Number(copy.getAttribute("height")))
      .then((blob) => download(file, "image/png", blob), () => announce("This browser cannot make that picture"));
  }));
}
