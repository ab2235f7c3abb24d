// SPDX-License-Identifier: Apache-2.0
// Curves and motion may be those of a live run in place of the stored one: who shows them is told.
let live = false;
/** Whether what is shown is not the stored run. */
export const is_live = () => live;
export function shows_live(on: boolean) { live = on; }

const listeners: (() => void)[] = [];

export function on_change(listener: () => void) { listeners.push(listener); }
export function tell_change() { for (const listener of listeners) listener(); }
