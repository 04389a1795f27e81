// Two versions of one annotation, side by side.

import { tagNames, words } from "./project_words.js";

/** @typedef {{what: string, mine: string | Element, theirs: string | Element}} Difference a text, or a drawing */

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

/**
 * The rows that all protocols share.
 * @param {{readonly flag: {readonly reason: string, readonly note: string} | null, readonly tags: readonly number[], readonly note: string}} answer
 * @returns {[string, string][]}
 */
export const remarkRows = ({ flag, tags, note }) => [
  ["Flag", flagText(flag)],
  ["Tags", tagNames(tags).join(", ")],
  ["Note", note],
];

/** @param {{readonly reason: string, readonly note: string} | null} flag */
function flagText(flag) {
  if (!flag) return "";
  const title = words.reasons.find(({ code }) => code === flag.reason)?.title ?? flag.reason;
  return flag.note ? `${title}: ${flag.note}` : title;
}
