// One annotation of one image: its defects, each with a mask and a description. Values are immutable.

import { differing, remarkRows } from "../labelling/comparison.ts";
import { fromText, measure } from "./rle.js";

/** @import { Difference } from "../labelling/comparison.ts" */
/** @import { Measures } from "./rle.js" */

/** @typedef {readonly [number, number]} Size height and width of the grid on which the image is marked */

/** @typedef {Measures & {mask: string}} Masked `mask` is the text of COCO; empty for no pixels */

/** @typedef {{id: string, kind: string | null, text: string, part?: string, severity?: string}} Said of a defect; body part and severity where the batch asks for them */

/** @typedef {Readonly<Said & Masked>} Defect */

/** @typedef {{size: Size, details: boolean, boxes: boolean, effect: number | null, flag: {readonly reason: string, readonly note: string} | null, note: string}} Kept in a payload as here: `details` whether body part and severity are asked, `boxes` whether each mask is a box */

/** @typedef {Kept & {defects: readonly Defect[], noErrors: boolean, tags: readonly number[]}} Answer `noErrors` says that there is no defect */

/** @typedef {Partial<Kept> & {defects: readonly (Said & {mask: {size: readonly number[], counts: string} | null})[], no_defect: boolean, tags?: readonly number[]}} Payload */

export const KINDS = Object.freeze([
  { code: "structural", title: "Structural", key: "T" },
  { code: "logical", title: "Logical", key: "L" },
]);
/** @type {Readonly<Record<"part" | "severity", Readonly<Record<string, string>>>>} */
export const DETAILS = Object.freeze({
  part: { face: "Face", torso: "Torso", limbs: "Limbs", hands: "Hands", feet: "Feet", other: "No body part" },
  severity: { a: "Mild", b: "Moderate", c: "Severe" },
});
export const EFFECTS = Object.freeze(["Slight", "Noticeable", "Serious", "Unusable"]);
export const MOST_DEFECTS = 30;
export const LEAST_PIXELS = 16;
export const SHORTEST_TEXT = 10;
export const LONGEST_TEXT = 1000;

/** @type {Readonly<Masked>} */
export const UNMARKED = { mask: "", area: 0, box: [0, 0, 0, 0], centre: [0, 0] };

/** @param {Answer} answer @returns {Payload} */
export const toPayload = ({ noErrors, defects, tags, details, boxes, ...kept }) => ({
  ...kept,
  ...(details ? { details } : {}),
  ...(boxes ? { boxes } : {}),
  ...(tags.length ? { tags } : {}),
  // Without a defect nobody is asked for its effect.
  effect: noErrors ? null : kept.effect,
  no_defect: noErrors,
  defects: defects.map(({ mask, area, box, centre, ...said }) => ({ ...said, mask: mask ? { size: kept.size, counts: mask } : null })),
});

/** @type {Kept} */
const NOTHING = { size: [1, 1], details: false, boxes: false, effect: null, flag: null, note: "" };

/** Reads a payload that the server has accepted. @param {Partial<Payload>} payload @returns {Answer} */
export function fromPayload({ no_defect: noErrors = false, defects = [], tags = [], ...kept }) {
  const all = { ...NOTHING, ...kept };
  return { ...all, noErrors, tags, defects: defects.map(({ mask, ...said }) => ({ ...said, ...maskedBy(mask?.counts ?? "", all.size[0]) })) };
}

/** @param {string} mask @param {number} height @returns {Masked} */
export const maskedBy = (mask, height) => (mask ? { mask, ...measure(fromText(mask), height) } : UNMARKED);

/** @param {{id: string}} defect the number that people see */
export const numberOf = ({ id }) => Number(id.slice(1));

/** @param {string | null} code */
export const kindOf = (code) => KINDS.find((kind) => kind.code === code)?.title ?? "";

const ROWS = ["upper", "", "lower"];
const COLUMNS = ["left", "centre", "right"];

/**
 * Where a mask lies, in words, as the server says it; empty without pixels.
 * @param {Measures} measures @param {Size} size
 */
export function placeOf({ area, centre: [x, y] }, [height, width]) {
  if (!area) return "";
  const [row, column] = [ROWS[Math.floor((3 * y) / height)] ?? "", COLUMNS[Math.floor((3 * x) / width)] ?? ""];
  if (row) return `${row} ${column}`;
  return column === "centre" ? column : `centre ${column}`;
}

/** @param {Defect} defect @param {Size} size "structural, lower left, 6,231 px" */
export function inWords(defect, size) {
  const { part = "", severity = "" } = defect;
  const details = [DETAILS.part[part] ?? "", DETAILS.severity[severity] ?? ""].map((word) => word.toLowerCase());
  const pixels = defect.area ? `${defect.area.toLocaleString("en-GB")} px` : "not marked";
  return [kindOf(defect.kind).toLowerCase(), ...details, placeOf(defect, size), pixels].filter(Boolean).join(", ");
}

/** @param {Pick<Answer, "details" | "boxes">} answer whether keys name body part and severity, which are description enough */
export const isNamedByKeys = ({ details, boxes }) => details && boxes;

/**
 * What a defect lacks before it can be submitted; empty for nothing.
 * @param {Defect} defect @param {Answer} answer
 */
export function lackOf({ area, kind, part, severity, text }, answer) {
  if (area < LEAST_PIXELS) return "mask";
  if (!kind) return "kind";
  if (answer.details && !part) return "part";
  if (answer.details && !severity) return "severity";
  return isNamedByKeys(answer) || lengthOf(text.trim()) >= SHORTEST_TEXT ? "" : "text";
}

/** @param {string} text the length in characters, as the server counts it */
export const lengthOf = (text) => Array.from(text).length;

/**
 * The annotation with some parts of one defect replaced.
 * @param {Answer} answer @param {string} id @param {Partial<Defect>} parts
 * @returns {Answer}
 */
export const withDefect = (answer, id, parts) => ({
  ...answer,
  defects: answer.defects.map((defect) => (defect.id === id ? { ...defect, ...parts } : defect)),
});

/**
 * The differences, in the order of the page. An empty text means no entry on that side.
 * @param {Answer} mine
 * @param {Answer} theirs
 * @returns {Difference[]}
 */
export function differencesBetween(mine, theirs) {
  const ids = [...new Set([mine, theirs].flatMap(({ defects }) => defects.map(({ id }) => id)))];
  return differing(rowsOf(mine, ids), rowsOf(theirs, ids));
}

/** @param {Answer} answer @param {readonly string[]} ids @returns {[string, string][]} */
const rowsOf = (answer, ids) => [
  ...ids.map((id) => /** @type {[string, string]} */ ([`Defect ${id.slice(1)}`, rowOf(answer, id)])),
  ["Effect on the image", answer.effect === null ? "" : (EFFECTS[answer.effect] ?? "").toLowerCase()],
  ["No defect", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

/** @param {Answer} answer @param {string} id */
function rowOf({ defects, size }, id) {
  const defect = defects.find((each) => each.id === id);
  if (!defect) return "";
  const [left, top] = defect.box;
  return [inWords(defect, size), defect.area ? `from ${left}, ${top}` : "", defect.text].filter(Boolean).join("; ");
}
