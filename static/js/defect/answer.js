// One annotation of one image: its defects, each with a mask and a description. Values are immutable.

import { differing, remarkRows } from "../labelling/comparison.ts";
import { fromText, measure } from "./rle.js";

/** @import { Difference } from "../labelling/comparison.ts" */
/** @import { Measures } from "./rle.js" */

/** @typedef {readonly [number, number]} Size height and width of the grid on which the image is marked */

/** @typedef {Measures & {mask: string}} Masked `mask` is the text of COCO; empty for no pixels */

/**
 * @typedef {object} DefectParts
 * @property {string} id d1, d2, …
 * @property {string | null} kind
 * @property {string} text
 * @property {string} [part] the body part, where the batch asks for it
 * @property {string} [severity]
 */

/** @typedef {Readonly<DefectParts & Masked>} Defect */

/**
 * @typedef {object} Answer
 * @property {Size} size
 * @property {boolean} details whether body part and severity of each defect are asked
 * @property {boolean} boxes whether each mask is a box
 * @property {readonly Defect[]} defects
 * @property {number | null} effect
 * @property {boolean} noErrors whether the annotator says that there is no defect
 * @property {{readonly reason: string, readonly note: string} | null} flag
 * @property {readonly number[]} tags
 * @property {string} note
 */

/** @typedef {{id: string, mask: {size: number[], counts: string} | null, kind: string | null, text: string, part?: string, severity?: string}} StoredDefect */

/**
 * @typedef {object} Payload
 * @property {number[]} size
 * @property {boolean} [details]
 * @property {boolean} [boxes]
 * @property {StoredDefect[]} defects
 * @property {number | null} effect
 * @property {boolean} no_defect
 * @property {{reason: string, note: string} | null} flag
 * @property {readonly number[]} [tags]
 * @property {string} note
 */

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
export const toPayload = ({ size, details, boxes, defects, effect, noErrors, flag, tags, note }) => ({
  size: [...size],
  ...(details ? { details } : {}),
  ...(boxes ? { boxes } : {}),
  defects: defects.map(({ id, mask, kind, text, part, severity }) => ({ id, mask: mask ? { size: [...size], counts: mask } : null, kind, text, ...detailsOf(part, severity) })),
  // Without a defect nobody is asked for its effect.
  effect: noErrors ? null : effect,
  no_defect: noErrors,
  flag: flag && { reason: flag.reason, note: flag.note },
  ...(tags.length ? { tags } : {}),
  note,
});

/**
 * Reads a payload that the server has accepted.
 * @param {Partial<Payload>} payload
 * @returns {Answer}
 */
export const fromPayload = ({ size = [1, 1], details = false, boxes = false, defects = [], effect = null, no_defect: noErrors = false, flag = null, tags = [], note = "" }) => ({
  size: [size[0] ?? 1, size[1] ?? 1],
  details,
  boxes,
  defects: defects.map(({ id, mask, kind, text, part, severity }) => ({ id, kind, text, ...detailsOf(part, severity), ...maskedBy(mask?.counts ?? "", size[0] ?? 1) })),
  effect,
  noErrors,
  flag: flag && { reason: flag.reason, note: flag.note },
  tags,
  note,
});

/** @param {string} [part] @param {string} [severity] what is given of them */
const detailsOf = (part, severity) => ({ ...(part ? { part } : {}), ...(severity ? { severity } : {}) });

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
