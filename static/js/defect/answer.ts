// One annotation of one image: its defects, each with a mask and a description. Values are immutable.

import { type Difference, differing, remarkRows } from "../labelling/comparison.ts";
import { lengthOf } from "../labelling/remarks.ts";
import { fromText, measure, type Measures } from "./rle.ts";

/** Height and width of the grid on which the image is marked. */
export type Size = readonly [number, number];

/** The text of COCO, empty for no pixels, and its measures. */
export type Masked = Measures & { mask: string };

/** What is said of a defect; body part and severity where the batch asks for them. */
type Said = { id: string; kind: string | null; text: string; part?: string; severity?: string };

export type Defect = Readonly<Said & Masked>;

/** What is the same in a payload: `details`, whether body part and severity are asked; `boxes`, whether masks are boxes. */
interface Kept {
  size: Size;
  details: boolean;
  boxes: boolean;
  effect: number | null;
  flag: { readonly reason: string; readonly note: string } | null;
  note: string;
}

/** `noErrors` says that there is no defect. */
export type Answer = Kept & { defects: readonly Defect[]; noErrors: boolean; tags: readonly number[] };

export type Payload = Partial<Kept> & {
  defects: readonly (Said & { mask: { size: readonly number[]; counts: string } | null })[];
  no_defect: boolean;
  tags?: readonly number[];
};

export const KINDS = Object.freeze([
  { code: "structural", title: "Structural", key: "T" },
  { code: "logical", title: "Logical", key: "L" },
]);
export const DETAILS: Readonly<Record<"part" | "severity", Readonly<Record<string, string>>>> = Object.freeze({
  part: { face: "Face", torso: "Torso", limbs: "Limbs", hands: "Hands", feet: "Feet", other: "No body part" },
  severity: { a: "Mild", b: "Moderate", c: "Severe" },
});
export const EFFECTS = Object.freeze(["Slight", "Noticeable", "Serious", "Unusable"]);
export const MOST_DEFECTS = 30;
const LEAST_PIXELS = 16;
const SHORTEST_TEXT = 10;
export const LONGEST_TEXT = 1000;

export const UNMARKED: Readonly<Masked> = { mask: "", area: 0, box: [0, 0, 0, 0], centre: [0, 0] };

export const toPayload = ({ noErrors, defects, tags, details, boxes, ...kept }: Answer): Payload => ({
  ...kept,
  ...(details ? { details } : {}),
  ...(boxes ? { boxes } : {}),
  ...(tags.length ? { tags } : {}),
  // Without a defect nobody is asked for its effect.
  effect: noErrors ? null : kept.effect,
  no_defect: noErrors,
  defects: defects.map(({ mask, area, box, centre, ...said }) => ({ ...said, mask: mask ? { size: kept.size, counts: mask } : null })),
});

const NOTHING: Kept = { size: [1, 1], details: false, boxes: false, effect: null, flag: null, note: "" };

/** Reads a payload that the server has accepted. */
export function fromPayload({ no_defect: noErrors = false, defects = [], tags = [], ...kept }: Partial<Payload>): Answer {
  const all = { ...NOTHING, ...kept };
  return { ...all, noErrors, tags, defects: defects.map(({ mask, ...said }) => ({ ...said, ...maskedBy(mask?.counts ?? "", all.size[0]) })) };
}

export const maskedBy = (mask: string, height: number): Masked => (mask ? { mask, ...measure(fromText(mask), height) } : UNMARKED);

/** The number that people see. */
export const numberOf = ({ id }: { id: string }) => Number(id.slice(1));

export const kindOf = (code: string | null) => KINDS.find((kind) => kind.code === code)?.title ?? "";

/** Where a mask lies, in words, as the server says it; empty without pixels. */
export function placeOf({ area, centre: [x, y] }: Measures, [height, width]: Size) {
  const [row, column] = [["upper", "centre", "lower"][Math.floor((3 * y) / height)], ["left", "centre", "right"][Math.floor((3 * x) / width)]];
  return area ? [...new Set([row, column])].join(" ") : "";
}

/** "structural, lower left, 6,231 px" */
export function inWords(defect: Defect, size: Size) {
  const { part = "", severity = "" } = defect;
  const said = [kindOf(defect.kind), DETAILS.part[part] ?? "", DETAILS.severity[severity] ?? ""].map((word) => word.toLowerCase());
  return [...said, placeOf(defect, size), pixelsOf(defect)].filter(Boolean).join(", ");
}

export const pixelsOf = ({ area }: Measures) => (area ? `${area.toLocaleString("en-GB")} px` : "not marked");

/** Whether keys name body part and severity, which are description enough. */
export const isNamedByKeys = ({ details, boxes }: Pick<Answer, "details" | "boxes">) => details && boxes;

export const LACKS_TEXT = `: say in at least ${SHORTEST_TEXT} characters what is wrong.`;

/** What a defect lacks before it can be submitted, in the words of the server; empty for nothing. */
export function lackOf({ area, kind, part, severity, text }: Defect, answer: Answer) {
  if (area < LEAST_PIXELS) return area ? ` has ${area} pixel${area === 1 ? "" : "s"}; mark at least ${LEAST_PIXELS}.` : " is not marked yet.";
  if (!kind) return ": structural or logical?";
  if (answer.details && !part) return ": which body part?";
  if (answer.details && !severity) return ": how severe?";
  return isNamedByKeys(answer) || lengthOf(text.trim()) >= SHORTEST_TEXT ? "" : LACKS_TEXT;
}

/** The annotation with some parts of one defect replaced. */
export const withDefect = (answer: Answer, id: string, parts: Partial<Defect>): Answer => ({
  ...answer,
  defects: answer.defects.map((defect) => (defect.id === id ? { ...defect, ...parts } : defect)),
});

/** The differences, in the order of the page. An empty text means no entry on that side. */
export function differencesBetween(mine: Answer, theirs: Answer): Difference[] {
  const ids = [...new Set([mine, theirs].flatMap(({ defects }) => defects.map(({ id }) => id)))];
  return differing(rowsOf(mine, ids), rowsOf(theirs, ids));
}

const rowsOf = (answer: Answer, ids: readonly string[]): [string, string][] => [
  ...ids.map((id) => [`Defect ${id.slice(1)}`, rowOf(answer, id)] as [string, string]),
  ["Effect on the image", answer.effect === null ? "" : (EFFECTS[answer.effect] ?? "").toLowerCase()],
  ["No defect", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

function rowOf({ defects, size }: Answer, id: string) {
  const defect = defects.find((each) => each.id === id);
  if (!defect) return "";
  const [left, top] = defect.box;
  return [inWords(defect, size), defect.area ? `from ${left}, ${top}` : "", defect.text].filter(Boolean).join("; ");
}
