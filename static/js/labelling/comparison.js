// Two versions of one annotation, side by side.

import { FLAG_REASONS } from "./taxonomy.js";

/** @typedef {{what: string, mine: string, theirs: string}} Difference */

/**
 * The rows whose texts differ. An empty text means no entry on that side.
 * @param {readonly (readonly [string, string])[]} mine a name and a text per row
 * @param {readonly (readonly [string, string])[]} theirs the same rows
 * @returns {Difference[]}
 */
export const differing = (mine, theirs) =>
  mine
    .map(([what, text], row) => ({ what, mine: text, theirs: theirs[row]?.[1] ?? "" }))
    .filter((difference) => difference.mine !== difference.theirs);

/** @param {{readonly reason: string, readonly note: string} | null} flag */
export function flagText(flag) {
  if (!flag) return "";
  const title = FLAG_REASONS.find(({ code }) => code === flag.reason)?.title ?? flag.reason;
  return flag.note ? `${title}: ${flag.note}` : title;
}
