// Warnings about unusual entries, which are kept. Codes, texts and order match the server's.

import { countOf, marksIn, totalOf } from "./answer.js";
import { CELLS, partsInWords, pluralOf } from "./taxonomy.js";

/** @import { Answer, Mark } from "./answer.js" */
/** @import { Cell } from "./taxonomy.js" */

/** @typedef {"no_total" | "different_totals" | "affected_sum_above_total" | "total_differs_from_count"} WarningCode */
/** @typedef {{code: WarningCode, text: string}} CellWarning */

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
  found.push(...affectedSum(cell, counted, Math.max(0, ...totals)));
  found.push(...unlikeCount(cell, totals, countOf(answer, cell.kind, cell.part)));
  return found;
}

/**
 * All warnings of an answer, as `field` of the payload and code.
 * @param {Answer} answer
 * @returns {{field: string, code: WarningCode, message: string}[]}
 */
export const warningsOf = (answer) =>
  CELLS.flatMap((cell) =>
    warningsIn(answer, cell).map(({ code, text }) => ({ field: `marks.${cell.key}`, code, message: text })),
  );

/** @param {number[]} totals @returns {CellWarning} */
function differentTotals(totals) {
  const listed = `${totals.slice(0, -1).join(", ")} and ${totals.at(-1)}`;
  return { code: "different_totals", text: `Different totals in this cell (${listed}). Kept as typed.` };
}

/** @param {Cell} cell @param {Mark[]} marks @param {number} largest @returns {CellWarning[]} */
function affectedSum(cell, marks, largest) {
  const affected = marks.map((mark) => mark.affected);
  const sum = affected.reduce((one, other) => one + other, 0);
  if (sum <= largest) return [];
  const counted = partsInWords(largest, cell.part, cell.kind);
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
