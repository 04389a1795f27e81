// One annotation of one image. Values are immutable: a change returns a new one.

import { BODY_PARTS, COUNT_KINDS, ERROR_TYPES, SEVERITIES } from "../labelling/taxonomy.ts";
import type { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.ts";
import type { Remarks } from "../labelling/remarks.ts";

/** x and y as fractions of the width and height of the image, from its upper left corner. */
export type Pin = { readonly x: number; readonly y: number };

/** A count is set if the annotator entered it. Otherwise it is a guess from the number of people or from its twin. */
export type Count = { readonly value: number; readonly set: boolean };
type CountsOfKind = Readonly<Record<BodyPart, Count | null>>;
type Counts = Readonly<Record<CountKind, CountsOfKind>>;

/** One `affected/total severity` term in a cell. Without a total of its own, it uses the count of the image. */
export interface Mark {
  readonly cell: Cell;
  readonly severity: Severity;
  readonly affected: number; // at least 1
  readonly ownTotal: number | null;
  readonly pins: readonly Pin[]; // at most `affected`
}

/** The visible parts counted on the image, in the order of setting. */
type Dots = Readonly<Partial<Record<BodyPart, readonly Pin[]>>>;

export interface Answer extends Remarks {
  people: number | null;
  counts: Counts;
  marks: readonly Mark[]; // by type, part, severity; at most one for each
  dots: Dots;
  /** Sums above the total that the annotator has confirmed, as `excessName` writes them; not part of the payload. */
  confirmed: readonly string[];
}

const countsByPart = (count: (part: BodyPart) => Count | null): CountsOfKind =>
  Object.fromEntries(BODY_PARTS.map((part) => [part, count(part)])) as CountsOfKind;

export const countsByKind = (count: (kind: CountKind, part: BodyPart) => Count | null): Counts =>
  Object.fromEntries(COUNT_KINDS.map((kind) => [kind, countsByPart((part) => count(kind, part))])) as Counts;

export const EMPTY_ANSWER: Answer = Object.freeze({
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

/** Null if it has not been entered. */
export const countOf = (answer: Answer, kind: CountKind, part: BodyPart): number | null =>
  answer.counts[kind][part]?.value ?? null;

export const marksIn = (answer: Answer, cell: Cell) => answer.marks.filter((mark) => mark.cell === cell);

export const markAt = (answer: Answer, cell: Cell, severity: Severity): Mark | null =>
  answer.marks.find((mark) => mark.cell === cell && mark.severity === severity) ?? null;

/** The total of a mark: its own, or the count of the image; null if neither has been entered. */
export const totalOf = (answer: Answer, mark: Mark) => mark.ownTotal ?? countOf(answer, mark.cell.kind, mark.cell.part);

/** All marks under one count, whether or not they have their own total. */
export const marksUnder = (answer: Answer, kind: CountKind, part: BodyPart) =>
  answer.marks.filter((mark) => mark.cell.kind === kind && mark.cell.part === part);

/** The marks that use this count as their total, whether or not it has been entered. */
export const marksRelyingOn = (answer: Answer, kind: CountKind, part: BodyPart) =>
  marksUnder(answer, kind, part).filter((mark) => mark.ownTotal === null);

/** 0 for none. */
export const mostAffected = (marks: readonly Mark[]): number => Math.max(0, ...marks.map((mark) => mark.affected));

const rankOf = (mark: Mark) =>
  ERROR_TYPES.indexOf(mark.cell.type) * 100 +
  BODY_PARTS.indexOf(mark.cell.part) * 10 +
  SEVERITIES.indexOf(mark.severity);

export const inOrder = (marks: readonly Mark[]): Mark[] => [...marks].sort((one, other) => rankOf(one) - rankOf(other));

/** The annotation without the mark of one cell and severity. */
export const withoutMark = (answer: Answer, cell: Cell, severity: Severity): Answer => ({
  ...answer,
  marks: answer.marks.filter((mark) => mark.cell !== cell || mark.severity !== severity),
});

/**
 * The annotation with this mark in place of the one with its cell and severity. Drops surplus pins and clears "no
 * errors".
 */
export function withMark(answer: Answer, mark: Mark): Answer {
  const kept = withoutMark(answer, mark.cell, mark.severity).marks;
  const fitting = { ...mark, pins: mark.pins.slice(0, mark.affected) };
  return { ...answer, marks: inOrder([...kept, fitting]), noErrors: false };
}
