// Warnings about unusual entries, which are kept. Their codes, texts and order match those of the server.

import { CELLS, PER_PERSON, partsInWords, pluralOf } from "../labelling/taxonomy.js";
import { countOf, marksIn, totalOf } from "./answer.js";

/** @import { BodyPart, Cell, CountKind } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */

/** @typedef {"no_total" | "different_totals" | "affected_sum_above_total" | "total_differs_from_count" | "counts_contradict" | "dots_differ"} WarningCode */
/** @typedef {{code: WarningCode, text: string}} CellWarning */

/**
 * More affected parts in a cell than its largest total.
 * @typedef {{readonly affected: readonly number[], readonly sum: number, readonly total: number}} Excess
 */

export const COUNT_HINT = "Enter the number of people (W), or type / and the total.";

/** @param {Cell} cell */
export const noTotalText = (cell) => `No count yet for ${pluralOf(cell.part)}. ${COUNT_HINT}`;

/**
 * @param {Answer} answer
 * @param {Cell} cell
 * @returns {CellWarning[]}
 */
export function warningsIn(answer, cell) {
  const marks = marksIn(answer, cell);
  const counted = marks.filter((mark) => totalOf(answer, mark) !== null);
  const totals = [...new Set(counted.map((mark) => totalOf(answer, mark) ?? 0))].sort(
    (one, other) => one - other,
  );
  /** @type {CellWarning[]} */
  const found = [];
  if (counted.length < marks.length) found.push({ code: "no_total", text: noTotalText(cell) });
  if (totals.length > 1) found.push(differentTotals(totals));
  found.push(...affectedSum(answer, cell));
  found.push(...unlikeCount(cell, totals, countOf(answer, cell.kind, cell.part)));
  return found;
}

/**
 * The body parts that come and go with each part. A person who lacks an arm also lacks its hand: one error, not two.
 * @type {Readonly<Record<BodyPart, readonly BodyPart[]>>}
 */
const CARRIED_BY = {
  torso: ["torso"],
  limbs: ["limbs", "torso"],
  feet: ["feet", "limbs", "torso"],
  hands: ["hands", "limbs", "torso"],
  face: ["face", "torso"],
};

/**
 * The warning if the two counts of a body part differ and no mark explains why: more visible than expected but no part
 * marked as extra, or fewer but none marked as missing. Of the 93 such pairs in the published study, 90 have that mark.
 * @param {Answer} answer
 * @param {BodyPart} part
 * @returns {CellWarning | null}
 */
export function contradictionIn(answer, part) {
  const [expected, visible] = [countOf(answer, "expected", part), countOf(answer, "visible", part)];
  if (expected === null || visible === null || expected === visible) return null;
  const type = visible > expected ? "extra" : "missing";
  const explained = answer.marks.some(({ cell }) => cell.type === type && CARRIED_BY[part].includes(cell.part));
  if (explained) return null;
  const text = `${partsInWords(visible, part, "visible")}, but ${expected} expected and none marked as ${type}. Kept as typed.`;
  return { code: "counts_contradict", text };
}

/**
 * The warning if the visible count of a body part is not the number of its dots.
 * @param {Answer} answer
 * @param {BodyPart} part
 * @returns {CellWarning | null}
 */
export function dotsDifferIn(answer, part) {
  const dots = answer.dots[part]?.length ?? 0;
  const entered = countOf(answer, "visible", part);
  if (dots === 0 || dots === entered) return null;
  const text = `${dots} ${dots === 1 ? "dot" : "dots"}, ${entered ?? "none"} entered for visible ${pluralOf(part)}. Kept as typed.`;
  return { code: "dots_differ", text };
}

/**
 * The warning about a count: it contradicts its twin, or is not the number of dots.
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 */
export const countWarningIn = (answer, kind, part) =>
  contradictionIn(answer, part) ?? (kind === "visible" ? dotsDifferIn(answer, part) : null);

/**
 * The most parts that this many people are likely to have, those marked as extra included; null without people.
 * @param {Answer} answer
 * @param {BodyPart} part
 */
export function likelyMost({ people, marks }, part) {
  const extra = marks.filter(({ cell }) => cell.type === "extra" && CARRIED_BY[part].includes(cell.part));
  return people && extra.reduce((sum, { affected }) => sum + affected, people * PER_PERSON[part]);
}

/** @param {number[]} totals @returns {CellWarning} */
function differentTotals(totals) {
  const listed = `${totals.slice(0, -1).join(", ")} and ${totals.at(-1)}`;
  return { code: "different_totals", text: `Different totals in this cell (${listed}). Kept as typed.` };
}

/**
 * The affected parts of a cell if they add up to more than its largest total; else null.
 * @param {Answer} answer
 * @param {Cell} cell
 * @returns {Excess | null}
 */
export function excessIn(answer, cell) {
  const marks = marksIn(answer, cell).filter((mark) => totalOf(answer, mark) !== null);
  const affected = marks.map((mark) => mark.affected);
  const sum = affected.reduce((one, other) => one + other, 0);
  const total = Math.max(0, ...marks.map((mark) => totalOf(answer, mark) ?? 0));
  return sum > total ? { affected, sum, total } : null;
}

/**
 * A confirmation covers these numbers only. If they change, the page asks again.
 * @param {Cell} cell
 * @param {Excess} excess
 */
export const excessName = (cell, { affected, total }) => `${cell.key} ${affected.join("+")}/${total}`;

/** @param {Answer} answer @param {Cell} cell */
const isConfirmed = (answer, cell) => {
  const excess = excessIn(answer, cell);
  return excess !== null && answer.confirmed.includes(excessName(cell, excess));
};

/**
 * The excess in a cell that the annotator has not confirmed; null if there is none.
 * @param {Answer} answer
 * @param {Cell} cell
 */
export const doubtIn = (answer, cell) => (isConfirmed(answer, cell) ? null : excessIn(answer, cell));

/**
 * The cells in which the annotator has confirmed that one part has two errors.
 * @param {Answer} answer
 */
export const confirmedCells = (answer) => CELLS.filter((cell) => isConfirmed(answer, cell)).map(({ key }) => key);

/**
 * The warnings about a cell, without those that the annotator has confirmed.
 * @param {Answer} answer
 * @param {Cell} cell
 */
export const openWarningsIn = (answer, cell) =>
  warningsIn(answer, cell).filter(({ code }) => code !== "affected_sum_above_total" || !isConfirmed(answer, cell));

/** @param {Answer} answer @param {Cell} cell @returns {CellWarning[]} */
function affectedSum(answer, cell) {
  const excess = excessIn(answer, cell);
  if (!excess) return [];
  const { affected, sum, total } = excess;
  const counted = partsInWords(total, cell.part, cell.kind);
  const text = `${affected.join(" + ")} = ${sum} affected, but ${counted}. Kept; correct if one part was counted twice.`;
  return [{ code: "affected_sum_above_total", text }];
}

/** @param {Cell} cell @param {number[]} totals @param {number | null} count @returns {CellWarning[]} */
function unlikeCount(cell, totals, count) {
  // With several totals, "different totals" already covers this.
  if (count === null || totals.length !== 1 || totals[0] === count) return [];
  const counted = `${cell.kind} ${pluralOf(cell.part)}`;
  const text = `Total ${totals[0]} here, ${count} elsewhere for ${counted}. Kept as typed.`;
  return [{ code: "total_differs_from_count", text }];
}
