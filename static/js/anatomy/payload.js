// The annotation as it is sent and stored, in the published order.

import { BODY_PARTS, COUNT_KINDS, cellAt } from "../labelling/taxonomy.js";
import { EMPTY_ANSWER, countsByKind, inOrder, totalOf } from "./answer.js";

/** @import { BodyPart, CountKind, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer, Mark, Pin } from "./answer.js" */

/**
 * @typedef {object} MarkPayload
 * @property {string} type
 * @property {string} part
 * @property {string} severity
 * @property {number} affected
 * @property {number | null} total
 * @property {boolean} own_total
 * @property {readonly Pin[]} pins
 */
/**
 * @typedef {object} Payload
 * @property {number | null} people
 * @property {Record<CountKind, Partial<Record<BodyPart, number>>>} counts only counts that are known
 * @property {Record<CountKind, BodyPart[]>} counts_set
 * @property {MarkPayload[]} marks
 * @property {boolean} no_errors
 * @property {{reason: string, note: string} | null} flag
 * @property {readonly number[]} [tags]
 * @property {string} note
 * @property {Partial<Record<BodyPart, (readonly [number, number])[]>>} [dots] only if there are any
 */

/** @template T @param {(kind: CountKind) => T} value @returns {Record<CountKind, T>} */
const byKind = (value) =>
  /** @type {Record<CountKind, T>} */ (Object.fromEntries(COUNT_KINDS.map((kind) => [kind, value(kind)])));

/**
 * @param {Answer} answer
 * @returns {Payload}
 */
export const toPayload = (answer) => ({
  people: answer.people,
  counts: byKind((kind) =>
    Object.fromEntries(
      BODY_PARTS.flatMap((part) => {
        const count = answer.counts[kind][part];
        return count ? [[part, count.value]] : [];
      }),
    ),
  ),
  counts_set: byKind((kind) => BODY_PARTS.filter((part) => answer.counts[kind][part]?.set)),
  marks: answer.marks.map((mark) => ({
    type: mark.cell.type,
    part: mark.cell.part,
    severity: mark.severity,
    affected: mark.affected,
    total: totalOf(answer, mark),
    own_total: mark.ownTotal !== null,
    pins: mark.pins.map(({ x, y }) => ({ x, y })),
  })),
  no_errors: answer.noErrors,
  flag: answer.flag && { reason: answer.flag.reason, note: answer.flag.note },
  ...(answer.tags.length ? { tags: answer.tags } : {}),
  note: answer.note,
  ...(Object.keys(answer.dots).length ? { dots: eachPart(answer.dots, ({ x, y }) => /** @type {const} */ ([x, y])) } : {}),
});

/**
 * The dots by body part in the published order, each converted.
 * @template From, To
 * @param {Partial<Record<BodyPart, readonly From[]>>} dots
 * @param {(dot: From) => To} convert
 * @returns {Partial<Record<BodyPart, To[]>>}
 */
const eachPart = (dots, convert) =>
  Object.fromEntries(BODY_PARTS.flatMap((part) => (dots[part]?.length ? [[part, dots[part].map(convert)]] : [])));

/**
 * Reads a payload that the server has accepted: a draft, a submitted annotation or an imported one. An imported
 * annotation has neither people nor counts, and its marks have their own totals.
 * @param {Partial<Payload>} payload
 * @returns {Answer}
 */
export function fromPayload(payload) {
  const counts = countsByKind((kind, part) => {
    const value = payload.counts?.[kind]?.[part];
    return value == null ? null : { value, set: payload.counts_set?.[kind]?.includes(part) ?? false };
  });
  return {
    ...EMPTY_ANSWER,
    people: payload.people ?? null,
    counts,
    marks: inOrder((payload.marks ?? []).map((mark) => readMark(mark, counts))),
    noErrors: payload.no_errors ?? false,
    flag: payload.flag ? { reason: payload.flag.reason, note: payload.flag.note } : null,
    tags: payload.tags ?? [],
    note: payload.note ?? "",
    dots: eachPart(payload.dots ?? {}, ([x, y]) => ({ x, y })),
  };
}

/** @param {MarkPayload} mark @param {Answer["counts"]} counts @returns {Mark} */
function readMark(mark, counts) {
  const cell = cellAt(mark.type, mark.part);
  const count = counts[cell.kind][cell.part]?.value ?? null;
  // A total that differs from the count belongs to the mark alone.
  const own = mark.total !== null && (mark.own_total || mark.total !== count);
  return {
    cell,
    severity: /** @type {Severity} */ (mark.severity),
    affected: mark.affected,
    ownTotal: own ? mark.total : null,
    pins: mark.pins.map(({ x, y }) => ({ x, y })),
  };
}
