// SPDX-License-Identifier: Apache-2.0
// What is doubtful about the values of a live run, in the words in which the command warns of it.
import type { LiveBlock } from "../document";
import { plain_number } from "../numbers";
import type { Answer, Values } from "./messages";

const kFarAngle = 1, kFar = 0.5;  // as apps/dalembert/start_warnings.cpp has them

/**
 * W0104: masses below 0, and inertias at the start if no mass is blamed. W0206: a singular start. W0207: another assembly is nearer to the guess.
 * W0208: a start far from the model's guess.
 */
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
  if (answer.problem === "" || Number.isFinite(answer.until))
    list.push(...singular_start(answer), ...other_assembly(live, values, answer), ...far_moves(live, values, answer));
  return list;
}

function singular_start({ doubts: { singular } }: Answer): string[] {
  return singular === null ? [] : ["the start is, as exactly as the page finds it, a singular position, from which several motions may be possible: " +
    `the rows of the constraints have rank ${singular.rank} here and ${singular.nearby} nearby`];
}

function other_assembly(live: LiveBlock, values: Values, { doubts: { others, turns }, start: { q: here }, guess }: Answer): string[] {
  if (others.length === 0) return [];
  const { coordinates } = live, free = coordinates.map((_, i) => i).filter((i) => !values.held_q[i] && !coordinates[i]!.follows);
  const words = (q: number[]) => joined(free.map((i) => `${coordinates[i]!.name} = ${plain_number(q[i]!, 5)} ${coordinates[i]!.unit}`.trim()));
  const stated = free.filter((i) => coordinates[i]!.guess !== null || values.q[i] !== null);
  if (stated.length === 0)
    return [`the start is one of ${others.length + 1} assemblies that were found, and no guess chooses between them: ${words(here)}`];
  // Each difference relative to the size of the coordinate; a turn more is the same.
  const distance = (q: number[]) => Math.hypot(...stated.map((i) => {
    const away = q[i]! - guess[i]!, turn = 2 * Math.PI;
    return turns[i] ? (away - turn * Math.round(away / turn)) / Math.PI : away / Math.max(Math.abs(guess[i]!), Math.abs(here[i]!), 1e-300);
  }));
  const nearest = others.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  return distance(nearest) < distance(here) * (1 - 1e-6) ? [`another assembly is nearer to the guess: ${words(nearest)}`] : [];
}

const joined = (items: string[]) => items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;

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
