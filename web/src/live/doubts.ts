// SPDX-License-Identifier: Apache-2.0
// What is doubtful about the values of a live run, in the words in which the command warns of it.
import type { LiveBlock } from "../document";
import { plain_number } from "../numbers";
import type { Answer, Values } from "./messages";

const kFarAngle = 1, kFar = 0.5;  // as apps/dalembert/start_warnings.cpp has them

/** W0104: masses below 0, and inertias at the start if no mass is blamed. W0208: a start far from the model's guess. */
export function doubts_of(live: LiveBlock, values: Values, answer: Answer): string[] {
  const list: string[] = [];
  live.parameters.forEach(({ name, mass }, i) => {
    const value = values.parameters[i]!;
    if (mass && value < 0) list.push(`the mass \`${name}\` is negative: ${plain_number(value, 6)} kg`);
  });
  if (list.length === 0)
    for (const { velocity, value } of answer.negative) {
      const name = (live.velocities[velocity]?.name ?? "").replace(/'$/, "");
      list.push(`the inertia of \`${name}\` is negative at the start: M[${name},${name}] = ${plain_number(value, 6)}`);
    }
  if (answer.problem === "" || Number.isFinite(answer.until)) list.push(...far_moves(live, values, answer));
  return list;
}

function far_moves(live: LiveBlock, values: Values, { start: { q } }: Answer): string[] {
  return live.coordinates.flatMap(({ name, unit, guess }, i) => {
    const to = q[i] ?? NaN;
    if (guess === null || values.held_q[i] || values.q[i] !== null) return [];
    // The size of a coordinate near 0 is that of the mechanism: the largest coordinate with the same unit.
    let size = Math.abs(guess);
    live.coordinates.forEach((other, j) => { if (other.unit === unit) size = Math.max(size, Math.abs(q[j] ?? 0)); });
    if (!(Math.abs(to - guess) > (unit === "rad" ? kFarAngle : kFar * size))) return [];
    const value = (x: number) => `${name} = ${plain_number(x, 5)}${unit === "" ? "" : ` ${unit}`}`;
    return [`the start is far from the guess: ${value(to)}, not ${value(guess)}`];
  });
}
