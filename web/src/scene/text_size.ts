// SPDX-License-Identifier: Apache-2.0
// How wide texts of the scene are, in its fonts.

/** As styles/scene.css has them. */
export const kNameFont = "13px Helvetica, Arial, sans-serif", kAmountFont = "12.5px Helvetica, Arial, sans-serif";
export const kLetterFont = 'italic 15px "KaTeX_Math", Georgia, serif';

let pen: CanvasRenderingContext2D | null = null;

export function text_width(text: string, font: string): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (pen === null) return 8 * text.length;
  if (pen.font !== font) pen.font = font;
  // Letters lean out of their place a little.
  return Math.ceil(pen.measureText(text).width) + 2;
}
