// The texts of the message line for the anatomy protocol.

import { message, type Offer, sayings } from "../labelling/messages.ts";
import { CELLS, LARGEST_NUMBER, oneInWords, partsInWords, peopleInWords, titled } from "../labelling/taxonomy.ts";
import type { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.ts";
import { type Answer, countOf, type Mark, marksIn, marksUnder, mostAffected, totalOf } from "./answer.ts";
import { COUNT_HINT, countWarningIn, dotsDifferIn, doubtIn, noTotalText, openWarningsIn } from "./warnings.ts";
import type { Excess } from "./warnings.ts";

export const anatomyMessage = sayings({
  arrival: ["info", "Count the people in the image, not those in the prompt."],
  correct_excess: ["info", "Type a number, then `a`, `b` or `c`, to replace a mark. `Shift` + letter removes one."],
  nothing_to_pin: ["info", "Enter an error first, then mark where it is."],
  choose_cell: ["info", "Choose a cell first: `M` `X` `G` `O` `P`, then `T` `L` `F` `H` `E`."],
  number: ["stop", `Enter a whole number from 0 to ${LARGEST_NUMBER}, without a leading 0.`],
  last_cell: ["info", "Last cell. `Ctrl Enter` submits."],
});

export const peopleMessage = (people: number) =>
  message("info", "people", `${peopleInWords(people)}: counts filled in. Correct only those that differ.`);

/** `kept` are the counts that existing marks need. */
export function countsKeptMessage(
  people: number,
  answer: Answer,
  kept: readonly { kind: CountKind; part: BodyPart }[],
) {
  const listed = kept.map(({ kind, part }) => {
    const count = countOf(answer, kind, part);
    const affected = mostAffected(marksUnder(answer, kind, part));
    const held = count === null ? `${kind} ${part} open` : partsInWords(count, part, kind);
    return `${held} (${affected} affected)`;
  });
  return message(
    "warn",
    "counts_kept",
    `${peopleInWords(people)}: counts filled in. Kept because of existing marks: ${listed.join(", ")}.`,
  );
}

/** The message for the current cell when there is nothing else to report. */
export function cellMessage(answer: Answer, cell: Cell) {
  const doubt = doubtIn(answer, cell);
  if (doubt) return excessMessage(cell, doubt, "warn");
  const [warning] = openWarningsIn(answer, cell);
  if (warning) return message("warn", warning.code, warning.text);
  const doubtful = countWarningIn(answer, cell.kind, cell.part);
  if (doubtful) return countWarningMessage(doubtful);
  const count = countOf(answer, cell.kind, cell.part);
  if (count === null) return message("info", "no_count", noTotalText(cell));
  const counted = partsInWords(count, cell.part, cell.kind);
  return message("info", "counted", `Total: **${counted}**. Change it with \`+\`, \`−\`, or \`/\` and a number.`);
}

/** The marks of a cell as text: "1/3 b, 1/3 c". */
export const marksInWords = (answer: Answer, marks: readonly Mark[]) =>
  marks.map((mark) => `${mark.affected}/${totalOf(answer, mark) ?? "?"} ${mark.severity}`).join(", ");

const cellLine = (answer: Answer, cell: Cell) =>
  `${cell.title}: ${marksInWords(answer, marksIn(answer, cell)) || "empty"}`;

const countLine = (answer: Answer, kind: CountKind, part: BodyPart) =>
  `Count set to ${partsInWords(countOf(answer, kind, part) ?? 0, part, kind)}.`;

/**
 * The message after a change in a cell: its marks, or the first warning about them. `countSet` says that the change
 * also set the cell's count.
 */
export function marksMessage(answer: Answer, cell: Cell, countSet: boolean) {
  const doubt = doubtIn(answer, cell);
  if (doubt) return excessMessage(cell, doubt, "stop");
  const [warning] = openWarningsIn(answer, cell);
  if (warning) return message("warn", warning.code, warning.text);
  const doubtful = countSet ? countWarningIn(answer, cell.kind, cell.part) : null;
  if (doubtful) return countWarningMessage(doubtful);
  const also = countSet ? `. ${countLine(answer, cell.kind, cell.part)}` : "";
  return message("ok", "marks", cellLine(answer, cell) + also);
}

/**
 * Asks whether one part has two errors or a number is wrong. It names the cell if it is `named`; with `submit`,
 * answering yes also submits.
 */
export function excessMessage(
  cell: Cell,
  { affected, sum, total }: Excess,
  kind: "warn" | "stop",
  { named = false, submit = false }: { named?: boolean; submit?: boolean } = {},
) {
  const counted = partsInWords(total, cell.part, cell.kind);
  const where = named ? `${cell.title}: ` : "";
  const asked = `Does ${oneInWords(cell.part)} have two errors?`;
  const line = `${where}${affected.join(" + ")} = ${sum} affected, but only ${counted}. ${asked}`;
  return message(kind, "affected_sum_above_total", line, [
    { label: "Change marks", key: "Enter", action: { type: "excess.correct", cell } },
    { label: "Yes, two errors", key: "Y", action: { type: "excess.confirm", cell, submit } },
  ]);
}

/** Asks whether a count is right; answering yes sets it once more, which changes nothing. */
export const improbableMessage = (people: number, kind: CountKind, part: BodyPart, count: number, most: number) =>
  message("warn", "count_improbable", `${partsInWords(count, part, kind)} for ${peopleInWords(people)}? At most ${most} are likely.`, [
    { label: `Set to ${most}`, key: "Enter", action: { type: "count.set", kind, part, count: most } },
    { label: `Yes, ${count}`, key: "Y", action: { type: "count.set", kind, part, count } },
  ]);

export const excessConfirmedMessage = (cell: Cell) =>
  message("ok", "excess_confirmed", `${cell.title}: one part with two errors, confirmed.`);

export function countMessage(answer: Answer, kind: CountKind, part: BodyPart) {
  const doubtful = countWarningIn(answer, kind, part);
  return doubtful ? countWarningMessage(doubtful) : message("ok", "count", countLine(answer, kind, part));
}

const countWarningMessage = ({ code, text }: import("./warnings.ts").CellWarning) => message("warn", code, text);

export const historyMessage = (done: "Undone" | "Redone", answer: Answer, cell: Cell | null) =>
  message("ok", done.toLowerCase(), cell ? `${done}. ${cellLine(answer, cell)}` : `${done}.`);

/** The offer raises the total to the number affected. */
export function aboveTotalMessage(affected: number, total: number, cell: Cell, offer: Offer) {
  const counted = partsInWords(total, cell.part, cell.kind);
  const line = `${affected} of ${total} is not possible: you counted ${counted}.`;
  return message("stop", "affected_above_total", line, affected <= LARGEST_NUMBER ? [offer] : []);
}

export const totalZeroMessage = (kind: CountKind) =>
  message("stop", "total_zero", `A total of 0 is not possible: if none is ${kind}, there is nothing to mark.`);

export const countBelowMessage = (affected: number, part: BodyPart, count: number) =>
  message(
    "stop",
    "count_below_marks",
    `A count of ${count} is not possible: you marked ${partsInWords(affected, part)} with an error.`,
  );

export const rangeMessage = (least: number) =>
  message("stop", "range", `Enter a whole number from ${least} to ${LARGEST_NUMBER}.`);

export const errorsEnteredMessage = (marks: number) =>
  message("stop", "no_errors_over_marks", marks === 1 ? "Clear the mark?" : `Clear the ${marks} marks?`, [
    { label: "Clear marks, set “No errors”", key: "Y", action: { type: "no_errors", clear: true } },
  ]);

export const emptySubmitMessage = () =>
  message("stop", "empty", "Not submitted: the annotation is empty.", [
    { label: "No errors", key: "0", action: { type: "no_errors" } },
    { label: "Flag or skip", key: "S", action: { type: "open", dialog: "flag" } },
  ]);

export const notVisitedMessage = (next: Cell, visited: number) =>
  message("stop", "not_visited", `Not submitted: ${visited} of ${CELLS.length} cells visited. Next: ${next.title}. \`Enter\` goes on.`);

export const submitWithoutTotalMessage = (cell: Cell) =>
  message("stop", "submit_without_total", `Not submitted: ${cell.title} has no total. ${COUNT_HINT}`);

export const pinnedMessage = (cell: Cell, severity: Severity, pins: number, affected: number) =>
  message("ok", "pinned", `Pinned ${cell.title} · ${severity} (${pins} of ${affected}).`);

export const pinRemovedMessage = (cell: Cell, severity: Severity, pins: number, affected: number) =>
  message("ok", "pin_removed", `Pin removed from ${cell.title} · ${severity} (${pins} of ${affected}).`);

export const allPinnedMessage = (cell: Cell, severity: Severity, affected: number) =>
  message(
    "info",
    "all_pinned",
    `${cell.title} · ${severity} already has ${affected === 1 ? "its pin" : `all ${affected} pins`}.`,
  );

export const pinningMessage = (cell: Cell, severity: Severity) =>
  message(
    "info",
    "pinning",
    `Pin for **${cell.title} · ${severity}**: arrow keys move it, \`Enter\` places it, \`Esc\` cancels.`,
  );

/** The message while a body part is counted by dots. */
export function countingMessage(answer: Answer, part: BodyPart) {
  const differing = dotsDifferIn(answer, part);
  if (differing) return countWarningMessage(differing);
  const line = `Counting **${titled(part)}**: a click, a tap or \`Enter\` sets a dot, \`⌫\` removes the last, \`D\` ends.`;
  return message("info", "counting", line);
}

export const dotsFullMessage = (part: BodyPart, most: number) =>
  message("stop", "dots_full", `${titled(part)} already has ${most} dots, the most that are stored.`);

export const typedMessage = (typed: string, onlyTotal: boolean) =>
  message("info", "typing", `**${typed}** ${onlyTotal ? "`Enter` sets the count, or " : ""}\`a\` \`b\` \`c\``);
