// The annotation as it is sent and stored, in the published order. Two versions of one annotation, side by side.

import { BODY_PARTS, cellAt, CELLS, COUNT_KINDS, titled } from "../labelling/taxonomy.ts";
import type { BodyPart, CountKind, Severity } from "../labelling/taxonomy.ts";
import { type Answer, countsByKind, EMPTY_ANSWER, inOrder, type Mark, marksIn, totalOf } from "./answer.ts";
import { type Difference, differing, remarkRows } from "../labelling/comparison.ts";
import { marksInWords } from "./message_texts.ts";

export type Payload = ReturnType<typeof toPayload>;

const byKind = <T>(value: (kind: CountKind) => T): Record<CountKind, T> =>
  Object.fromEntries(COUNT_KINDS.map((kind) => [kind, value(kind)])) as Record<CountKind, T>;

/** Only counts that are known, and dots only if there are any. */
export const toPayload = (answer: Answer) => ({
  people: answer.people,
  counts: byKind((kind) => knownIn(answer.counts[kind])),
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

const knownIn = (counts: Answer["counts"][CountKind]): Partial<Record<BodyPart, number>> =>
  Object.fromEntries(BODY_PARTS.flatMap((part) => (counts[part] ? [[part, counts[part].value]] : [])));

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

function readMark(mark: Payload["marks"][number], counts: Answer["counts"]): Mark {
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

/** The differences, in the order of the page. An empty text means no entry on that side. */
export function differencesBetween(mine: Answer, theirs: Answer): Difference[] {
  return differing(rowsOf(mine), rowsOf(theirs));
}

/** The same rows for every annotation. */
const rowsOf = (answer: Answer): [string, string][] => [
  ["People", String(answer.people ?? "")],
  ...COUNT_KINDS.flatMap((kind) =>
    BODY_PARTS.map((part) => {
      const count = answer.counts[kind][part];
      return [
        `${titled(part)}, ${kind}`,
        count ? `${count.value}${count.set ? "" : " (guess)"}` : "",
      ] as [string, string];
    }),
  ),
  ...CELLS.map((cell) => [cell.title, cellText(answer, cell)] as [string, string]),
  ...BODY_PARTS.map((part) => [`${titled(part)}, dots`, dotsText(answer, part)] as [string, string]),
  ["No errors", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

function dotsText({ dots }: Answer, part: (typeof BODY_PARTS)[number]) {
  const found = dots[part] ?? [];
  return found.length ? `${found.length}: ${found.map(({ x, y }) => `${x}, ${y}`).join("; ")}` : "";
}

function cellText(answer: Answer, cell: (typeof CELLS)[number]) {
  const marks = marksIn(answer, cell);
  const pins = marks.flatMap((mark) => mark.pins.map(({ x, y }) => `${mark.severity} ${x}, ${y}`));
  return marksInWords(answer, marks) + (pins.length ? `; pins: ${pins.join("; ")}` : "");
}
