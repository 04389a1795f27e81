// One annotation of one image: a rating from 1 to 10, or the reason why there is none. Values are immutable.

import { differing, remarkRows } from "../labelling/comparison.js";

/** @import { Difference } from "../labelling/comparison.js" */

/** @typedef {{readonly code: string, readonly title: string, readonly text: string}} Reason */

/**
 * @typedef {object} Answer
 * @property {number | null} rating
 * @property {string | null} invalid the code of a reason
 * @property {false} noErrors as in the protocols with marks
 * @property {{readonly reason: string, readonly note: string} | null} flag
 * @property {readonly number[]} tags
 * @property {string} note
 */

/**
 * @typedef {object} Payload
 * @property {number | null} rating
 * @property {string | null} invalid
 * @property {{reason: string, note: string} | null} flag
 * @property {readonly number[]} [tags]
 * @property {string} note
 */

/** The reasons in the order of their keys, 1 to 5. @type {readonly Reason[]} */
export const REASONS = Object.freeze([
  { code: "multiple_people", title: "Several people", text: "More than one person is visible." },
  { code: "no_person", title: "No person", text: "No person is visible." },
  { code: "too_few_parts", title: "Too little visible", text: "Fewer than three body parts are visible, not counting the head." },
  { code: "not_photorealistic", title: "Not a photo", text: "It does not look like a photograph but like a painting, a drawing or a cartoon." },
  { code: "other", title: "Other", text: "Say why in the note." },
]);

/** @param {Answer} answer @returns {Payload} */
export const toPayload = ({ rating, invalid, flag, tags, note }) => ({
  rating,
  invalid,
  flag: flag && { reason: flag.reason, note: flag.note },
  ...(tags.length ? { tags } : {}),
  note,
});

/**
 * Reads a payload that the server has accepted.
 * @param {Partial<Payload>} payload
 * @returns {Answer}
 */
export const fromPayload = ({ rating = null, invalid = null, flag = null, tags = [], note = "" }) => ({
  rating,
  invalid,
  noErrors: false,
  flag: flag && { reason: flag.reason, note: flag.note },
  tags,
  note,
});

/** @param {string} code */
const titleOf = (code) => REASONS.find((reason) => reason.code === code)?.title ?? code;

/** @param {Pick<Answer, "rating" | "invalid">} answer "7" or "Invalid: no person"; empty without either */
export function inWords({ rating, invalid }) {
  if (invalid) return `Invalid: ${titleOf(invalid).toLowerCase()}`;
  return rating === null ? "" : String(rating);
}

/** @param {Pick<Answer, "rating" | "invalid">} answer the rating in the list of the last ones; a dash for an invalid image */
export const inShort = ({ rating }) => (rating === null ? "–" : String(rating));

/** @param {Answer} answer whether it can be submitted */
export const isComplete = ({ rating, invalid, note }) =>
  rating !== null || (invalid !== null && (invalid !== "other" || note.trim() !== ""));

/**
 * The differences, in the order of the page. An empty text means no entry on that side.
 * @param {Answer} mine
 * @param {Answer} theirs
 * @returns {Difference[]}
 */
export function differencesBetween(mine, theirs) {
  return differing(rowsOf(mine), rowsOf(theirs));
}

/** @param {Answer} answer @returns {[string, string][]} */
const rowsOf = (answer) => [
  ["Rating", inWords(answer)],
  ...remarkRows(answer),
];
