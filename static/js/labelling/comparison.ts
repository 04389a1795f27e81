// Two versions of one annotation, side by side.

import { tagNames, words } from "./project_words.ts";
import type { Remarks } from "./remarks.ts";

/** A text, or a drawing. */
export type Difference = { what: string; mine: string | Element; theirs: string | Element };

/** The rows whose texts differ, each a name and a text. An empty text means no entry on that side. */
export const differing = (
  mine: readonly (readonly [string, string])[],
  theirs: readonly (readonly [string, string])[],
): Difference[] =>
  mine
    .map(([what, text], row) => ({ what, mine: text, theirs: theirs[row]?.[1] ?? "" }))
    .filter((difference) => difference.mine !== difference.theirs);

/** The rows that all protocols share. */
export const remarkRows = ({ flag, tags, note }: Omit<Remarks, "noErrors">): [string, string][] => [
  ["Flag", flagText(flag)],
  ["Tags", tagNames(tags).join(", ")],
  ["Note", note],
];

function flagText(flag: Remarks["flag"]) {
  if (!flag) return "";
  const title = words.reasons.find(({ code }) => code === flag.reason)?.title ?? flag.reason;
  return flag.note ? `${title}: ${flag.note}` : title;
}
