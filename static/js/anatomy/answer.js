// One annotation of one image. Values are immutable: a change returns a new one.

import { BODY_PARTS, COUNT_KINDS, ERROR_TYPES, SEVERITIES } from "../labelling/taxonomy.js";

/** @import { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.js" */

/**
 * x and y as fractions of the width and height of the image, from its upper left corner.
 * @typedef {{readonly x: number, readonly y: number}} Pin
 */

/**
 * A count is set if the annotator entered it. Otherwise it is a guess from the number of people or from its twin.
 * @typedef {{readonly value: number, readonly set: boolean}} Count
 */
/** @typedef {Readonly<Record<BodyPart, Count | null>>} CountsOfKind */
/** @typedef {Readonly<Record<CountKind, CountsOfKind>>} Counts */

/**
 * One `affected/total severity` term in a cell. Without a total of its own, it uses the count of the image.
 * @typedef {object} Mark
 * @property {Readonly<Cell>} cell
 * @property {Severity} severity
 * @property {number} affected at least 1
 * @property {number | null} ownTotal
 * @property {readonly Pin[]} pins at most `affected`
 */

/** The visible parts counted on the image, in the order of setting. @typedef {Readonly<Partial<Record<BodyPart, readonly Pin[]>>>} Dots */

/**
 * @typedef {object} Answer
 * @property {number | null} people
 * @property {Counts} counts
 * @property {readonly Readonly<Mark>[]} marks by type, part, severity; at most one for each
 * @property {boolean} noErrors
 * @property {{readonly reason: string, readonly note: string} | null} flag
 * @property {readonly number[]} tags
 * @property {string} note
 * @property {Dots} dots
 * @property {readonly string[]} confirmed sums above the total that the annotator has confirmed, as `excessName`
 *   writes them; not part of the payload
 */

/** @param {(part: BodyPart) => Count | null} count @returns {CountsOfKind} */
export const countsByPart = (count) =>
  /** @type {CountsOfKind} */ (Object.fromEntries(BODY_PARTS.map((part) => [part, count(part)])));

/** @param {(kind: CountKind, part: BodyPart) => Count | null} count @returns {Counts} */
export const countsByKind = (count) =>
  /** @type {Counts} */ (
    Object.fromEntries(COUNT_KINDS.map((kind) => [kind, countsByPart((part) => count(kind, part))]))
  );

/** @type {Answer} */
export const EMPTY_ANSWER = Object.freeze({
  people: null,
  counts: countsByKind(() => null),
  marks: [],
  noErrors: false,
  flag: null,
  tags: [],
  note: "",
  dots: {},
  confirmed: [],
});

/**
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 * @returns {number | null} null if it has not been entered
 */
export const countOf = (answer, kind, part) => answer.counts[kind][part]?.value ?? null;

/**
 * @param {Answer} answer
 * @param {Cell} cell
 */
export const marksIn = (answer, cell) => answer.marks.filter((mark) => mark.cell === cell);

/**
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @returns {Readonly<Mark> | null}
 */
export const markAt = (answer, cell, severity) =>
  answer.marks.find((mark) => mark.cell === cell && mark.severity === severity) ?? null;

/**
 * The total of a mark: its own, or the count of the image; null if neither has been entered.
 * @param {Answer} answer
 * @param {Mark} mark
 */
export const totalOf = (answer, mark) => mark.ownTotal ?? countOf(answer, mark.cell.kind, mark.cell.part);

/**
 * All marks under one count, whether or not they have their own total.
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 */
export const marksUnder = (answer, kind, part) =>
  answer.marks.filter((mark) => mark.cell.kind === kind && mark.cell.part === part);

/**
 * The marks that use this count as their total, whether or not it has been entered.
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 */
export const marksRelyingOn = (answer, kind, part) =>
  marksUnder(answer, kind, part).filter((mark) => mark.ownTotal === null);

/** @param {readonly Mark[]} marks @returns {number} 0 for none */
export const mostAffected = (marks) => Math.max(0, ...marks.map((mark) => mark.affected));

/** @param {Mark} mark */
const rankOf = (mark) =>
  ERROR_TYPES.indexOf(mark.cell.type) * 100 +
  BODY_PARTS.indexOf(mark.cell.part) * 10 +
  SEVERITIES.indexOf(mark.severity);

/** @param {readonly Mark[]} marks @returns {Mark[]} */
export const inOrder = (marks) => [...marks].sort((one, other) => rankOf(one) - rankOf(other));

/**
 * The annotation without the mark of one cell and severity.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @returns {Answer}
 */
export const withoutMark = (answer, cell, severity) => ({
  ...answer,
  marks: answer.marks.filter((mark) => mark.cell !== cell || mark.severity !== severity),
});

/**
 * The annotation with this mark in place of the one with its cell and severity. Drops surplus pins and clears
 * "no errors".
 * @param {Answer} answer
 * @param {Mark} mark
 * @returns {Answer}
 */
export function withMark(answer, mark) {
  const kept = withoutMark(answer, mark.cell, mark.severity).marks;
  const fitting = { ...mark, pins: mark.pins.slice(0, mark.affected) };
  return { ...answer, marks: inOrder([...kept, fitting]), noErrors: false };
}
