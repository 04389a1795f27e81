// The annotation as it is sent and stored, in the published order.

import {
  BODY_PARTS,
  type BodyPart,
  cellAt,
  COUNT_KINDS,
  type CountKind,
  type Severity,
} from "../labelling/taxonomy.ts";
import { type Answer, countsByKind, EMPTY_ANSWER, inOrder, type Mark, type Pin, totalOf } from "./answer.ts";

interface MarkPayload {
  type: string;
  part: string;
  severity: string;
  affected: number;
  total: number | null;
  own_total: boolean;
  pins: readonly Pin[];
}
export interface Payload {
  people: number | null;
  counts: Record<CountKind, Partial<Record<BodyPart, number>>>; // only counts that are known
  counts_set: Record<CountKind, BodyPart[]>;
  marks: MarkPayload[];
  no_errors: boolean;
  flag: { reason: string; note: string } | null;
  tags?: readonly number[];
  note: string;
  dots?: Partial<Record<BodyPart, (readonly [number, number])[]>>; // only if there are any
}

const byKind = <T>(value: (kind: CountKind) => T): Record<CountKind, T> =>
  Object.fromEntries(COUNT_KINDS.map((kind) => [kind, value(kind)])) as Record<CountKind, T>;

export const toPayload = (answer: Answer): Payload => ({
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
  ...(Object.keys(answer.dots).length ? { dots: eachPart(answer.dots, ({ x, y }) => [x, y] as const) } : {}),
});

/** The dots by body part in the published order, each converted. */
const eachPart = <From, To>(
  dots: Partial<Record<BodyPart, readonly From[]>>,
  convert: (dot: From) => To,
): Partial<Record<BodyPart, To[]>> =>
  Object.fromEntries(BODY_PARTS.flatMap((part) => (dots[part]?.length ? [[part, dots[part].map(convert)]] : [])));

/**
 * Reads a payload that the server has accepted: a draft, a submitted annotation or an imported one. An imported
 * annotation has neither people nor counts, and its marks have their own totals.
 */
export function fromPayload(payload: Partial<Payload>): Answer {
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

function readMark(mark: MarkPayload, counts: Answer["counts"]): Mark {
  const cell = cellAt(mark.type, mark.part);
  const count = counts[cell.kind][cell.part]?.value ?? null;
  // A total that differs from the count belongs to the mark alone.
  const own = mark.total !== null && (mark.own_total || mark.total !== count);
  return {
    cell,
    severity: mark.severity as Severity,
    affected: mark.affected,
    ownTotal: own ? mark.total : null,
    pins: mark.pins.map(({ x, y }) => ({ x, y })),
  };
}
