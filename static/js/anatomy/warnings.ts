// Warnings about unusual entries, which are kept. Their codes, texts and order match those of the server.

import { CELLS, partsInWords, PER_PERSON, pluralOf } from "../labelling/taxonomy.ts";
import type { BodyPart, Cell, CountKind } from "../labelling/taxonomy.ts";
import { type Answer, countOf, marksIn, totalOf } from "./answer.ts";

export type CellWarning = { code: string; text: string };

/** More affected parts in a cell than its largest total. */
export type Excess = { readonly affected: readonly number[]; readonly sum: number; readonly total: number };

export const COUNT_HINT = "Enter the number of people (W), or type / and the total.";

export const noTotalText = (cell: Cell) => `No count yet for ${pluralOf(cell.part)}. ${COUNT_HINT}`;

export function warningsIn(answer: Answer, cell: Cell): CellWarning[] {
  const marks = marksIn(answer, cell);
  const counted = marks.filter((mark) => totalOf(answer, mark) !== null);
  const totals = [...new Set(counted.map((mark) => totalOf(answer, mark) ?? 0))].sort((one, other) => one - other);
  const found: CellWarning[] = [];
  if (counted.length < marks.length) found.push({ code: "no_total", text: noTotalText(cell) });
  if (totals.length > 1) found.push(differentTotals(totals));
  found.push(...affectedSum(answer, cell));
  found.push(...unlikeCount(cell, totals, countOf(answer, cell.kind, cell.part)));
  return found;
}

/**
 * The body parts that come and go with each part. A person who lacks an arm also lacks its hand: one error, not two.
 */
const CARRIED_BY: Readonly<Record<BodyPart, readonly BodyPart[]>> = {
  torso: ["torso"],
  limbs: ["limbs", "torso"],
  feet: ["feet", "limbs", "torso"],
  hands: ["hands", "limbs", "torso"],
  face: ["face", "torso"],
};

/**
 * The warning if the two counts of a body part differ and no mark explains why: more visible than expected but no part
 * marked as extra, or fewer but none marked as missing. Of the 93 such pairs in the published study, 90 have that mark.
 */
export function contradictionIn(answer: Answer, part: BodyPart): CellWarning | null {
  const [expected, visible] = [countOf(answer, "expected", part), countOf(answer, "visible", part)];
  if (expected === null || visible === null || expected === visible) return null;
  const type = visible > expected ? "extra" : "missing";
  const explained = answer.marks.some(({ cell }) => cell.type === type && CARRIED_BY[part].includes(cell.part));
  if (explained) return null;
  const text = `${partsInWords(visible, part, "visible")}, but ${expected} expected and none marked as ${type}. Kept as typed.`;
  return { code: "counts_contradict", text };
}

/** The warning if the visible count of a body part is not the number of its dots. */
export function dotsDifferIn(answer: Answer, part: BodyPart): CellWarning | null {
  const dots = answer.dots[part]?.length ?? 0;
  const entered = countOf(answer, "visible", part);
  if (dots === 0 || dots === entered) return null;
  const text = `${dots} ${dots === 1 ? "dot" : "dots"}, ${entered ?? "none"} entered for visible ${pluralOf(part)}. Kept as typed.`;
  return { code: "dots_differ", text };
}

/** The warning about a count: it contradicts its twin, or is not the number of dots. */
export const countWarningIn = (answer: Answer, kind: CountKind, part: BodyPart) =>
  contradictionIn(answer, part) ?? (kind === "visible" ? dotsDifferIn(answer, part) : null);

/** The most parts that this many people are likely to have, those marked as extra included; null without people. */
export function likelyMost({ people, marks }: Answer, part: BodyPart) {
  const extra = marks.filter(({ cell }) => cell.type === "extra" && CARRIED_BY[part].includes(cell.part));
  return people && extra.reduce((sum, { affected }) => sum + affected, people * PER_PERSON[part]);
}

function differentTotals(totals: number[]): CellWarning {
  const listed = `${totals.slice(0, -1).join(", ")} and ${totals.at(-1)}`;
  return { code: "different_totals", text: `Different totals in this cell (${listed}). Kept as typed.` };
}

/** The affected parts of a cell if they add up to more than its largest total; else null. */
export function excessIn(answer: Answer, cell: Cell): Excess | null {
  const marks = marksIn(answer, cell).filter((mark) => totalOf(answer, mark) !== null);
  const affected = marks.map((mark) => mark.affected);
  const sum = affected.reduce((one, other) => one + other, 0);
  const total = Math.max(0, ...marks.map((mark) => totalOf(answer, mark) ?? 0));
  return sum > total ? { affected, sum, total } : null;
}

/** A confirmation covers these numbers only. If they change, the page asks again. */
export const excessName = (cell: Cell, { affected, total }: Excess) => `${cell.key} ${affected.join("+")}/${total}`;

const isConfirmed = (answer: Answer, cell: Cell) => {
  const excess = excessIn(answer, cell);
  return excess !== null && answer.confirmed.includes(excessName(cell, excess));
};

/** The excess in a cell that the annotator has not confirmed; null if there is none. */
export const doubtIn = (answer: Answer, cell: Cell) => (isConfirmed(answer, cell) ? null : excessIn(answer, cell));

/** The cells in which the annotator has confirmed that one part has two errors. */
export const confirmedCells = (answer: Answer) =>
  CELLS.filter((cell) => isConfirmed(answer, cell)).map(({ key }) => key);

/** The warnings about a cell, without those that the annotator has confirmed. */
export const openWarningsIn = (answer: Answer, cell: Cell) =>
  warningsIn(answer, cell).filter(({ code }) => code !== "affected_sum_above_total" || !isConfirmed(answer, cell));

function affectedSum(answer: Answer, cell: Cell): CellWarning[] {
  const excess = excessIn(answer, cell);
  if (!excess) return [];
  const { affected, sum, total } = excess;
  const counted = partsInWords(total, cell.part, cell.kind);
  const text = `${affected.join(" + ")} = ${sum} affected, but ${counted}. Kept; correct if one part was counted twice.`;
  return [{ code: "affected_sum_above_total", text }];
}

function unlikeCount(cell: Cell, totals: number[], count: number | null): CellWarning[] {
  // With several totals, "different totals" already covers this.
  if (count === null || totals.length !== 1 || totals[0] === count) return [];
  const counted = `${cell.kind} ${pluralOf(cell.part)}`;
  const text = `Total ${totals[0]} here, ${count} elsewhere for ${counted}. Kept as typed.`;
  return [{ code: "total_differs_from_count", text }];
}
