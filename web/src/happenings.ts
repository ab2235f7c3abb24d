// SPDX-License-Identifier: Apache-2.0
// What happened along the stored run, and when: impacts, switches, events of the model.
import { number_text } from "./numbers";

export interface Happening { name: string; t: number; }

const kMostNamed = 3;  // of those that share a place

/** Those that would be drawn on each other, together: `places` along a whole from 0 to 1; outside of it none. */
export function grouped(events: Happening[], share_of: (t: number) => number, places: number) {
  const groups = new Map<number, { share: number; list: Happening[] }>();
  for (const event of events) {
    const share = share_of(event.t), place = Math.round(share * places);
    if (!(share >= 0 && share <= 1)) continue;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, { share, list: [event] });
    else group.list.push(event);
  }
  return [...groups.values()];
}

export function words_of(list: Happening[]): string {
  const named = list.slice(0, kMostNamed).map(({ name, t }) => `${name.slice(0, 60)} at ${number_text(t, 6)} s`).join("; ");
  return list.length > kMostNamed ? `${named}; and ${list.length - kMostNamed} more` : named;
}

/** Each name once, with how often it happened. */
export function names_of(events: Happening[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count }));
}
