// The tools of the editor: what they are called, their keys and their drawings; and masks as a drawing.

import { svg } from "../page/dom.ts";
import { colourClass } from "./cards.ts";
import { fromText, pathOf } from "./rle.ts";
import type { Answer } from "./answer.ts";

/** Target, title, key, drawing. */
export const TOOLS: readonly (readonly [string, string, string, string])[] = [
  ["tool:outline", "Outline", "P", "M4 13c-2-3 1-9 6-9s6 5 3 8-5 1-6 3 2 3 4 2"],
  ["tool:brush", "Brush", "B", "M3 15c2 0 3-1 3-3 0-1 1-2 2-2s2 1 2 2c0 2-2 3-7 3ZM9.5 9.500 15 3.500"],
  ["erase", "Erase", "E", "M6.500 14.500 3 11l7-7 5 5-5.500 5.500H6.500ZM9 14.500h6"],
  ["holes", "Holes", "H", "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3Zm0 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z"],
  ["undo", "Undo", "Z", "M6 4 2.800 7.200 6 10.400M3 7.200h7.500a4 4 0 0 1 0 8H7"],
  ["redo", "Redo", "Y", "m12 4 3.200 3.200L12 10.400M15 7.200H7.500a4 4 0 0 0 0 8H11"],
  ["hide", "Hide", "V", "M2 9s2.500-4.500 7-4.500S16 9 16 9s-2.500 4.500-7 4.500S2 9 2 9Zm7-2a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z"],
];

/** The masks in small, for two versions side by side. */
export function pictureOf({ size: [height, width], defects }: Answer) {
  const masks = defects.filter(({ mask }) => mask);
  const paths = masks.map(({ id, mask }) => svg("path", { class: colourClass(id), d: pathOf(fromText(mask), height) }));
  const name = { role: "img", "aria-label": "Where the masks lie" };
  return svg("svg", { class: "mask-map", viewBox: `0 0 ${width} ${height}`, ...name }, ...paths);
}
