// The texts of the message line for the anatomy protocol.

import { message } from "../labelling/messages.js";
import { LARGEST_NUMBER, oneInWords, partsInWords, peopleInWords, titled } from "../labelling/taxonomy.js";
import { countOf, marksIn, marksUnder, mostAffected, totalOf } from "./answer.js";
import { countWarningIn, COUNT_HINT, dotsDifferIn, doubtIn, noTotalText, openWarningsIn } from "./warnings.js";

/** @import { Offer } from "../labelling/messages.js" */
/** @import { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer, Mark } from "./answer.js" */
/** @import { Excess } from "./warnings.js" */

export const arrivalMessage = () =>
  message("info", "arrival", "Count the people in the image, not those in the prompt.");

/** @param {number} people */
export const peopleMessage = (people) =>
  message(
    "info",
    "people",
    `${peopleInWords(people)}: counts filled in. Correct only those that differ.`,
  );

/**
 * @param {number} people
 * @param {Answer} answer
 * @param {readonly {kind: CountKind, part: BodyPart}[]} kept the counts that existing marks need
 */
export function countsKeptMessage(people, answer, kept) {
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

/**
 * The message for the current cell when there is nothing else to report.
 * @param {Answer} answer
 * @param {Cell} cell
 */
export function cellMessage(answer, cell) {
  const doubt = doubtIn(answer, cell);
  if (doubt) return excessMessage(cell, doubt, "warn");
  const [warning] = openWarningsIn(answer, cell);
  if (warning) return message("warn", warning.code, warning.text);
  const doubtful = countWarningIn(answer, cell.kind, cell.part);
  if (doubtful) return countWarningMessage(doubtful);
  const count = countOf(answer, cell.kind, cell.part);
  if (count === null) return message("info", "no_count", noTotalText(cell));
  const counted = partsInWords(count, cell.part, cell.kind);
  return message(
    "info",
    "counted",
    `Total: **${counted}**. Change it with \`+\`, \`−\`, or \`/\` and a number.`,
  );
}

/**
 * The marks of a cell as text: "1/3 b, 1/3 c".
 * @param {Answer} answer
 * @param {readonly Mark[]} marks
 */
export const marksInWords = (answer, marks) =>
  marks.map((mark) => `${mark.affected}/${totalOf(answer, mark) ?? "?"} ${mark.severity}`).join(", ");

/** @param {Answer} answer @param {Cell} cell */
const cellLine = (answer, cell) => `${cell.title}: ${marksInWords(answer, marksIn(answer, cell)) || "empty"}`;

/** @param {Answer} answer @param {CountKind} kind @param {BodyPart} part */
const countLine = (answer, kind, part) =>
  `Count set to ${partsInWords(countOf(answer, kind, part) ?? 0, part, kind)}.`;

/**
 * The message after a change in a cell: its marks, or the first warning about them.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {boolean} countSet the change also set the cell's count
 */
export function marksMessage(answer, cell, countSet) {
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
 * Asks whether one part has two errors or a number is wrong.
 * @param {Cell} cell
 * @param {Excess} excess
 * @param {"warn" | "stop"} kind
 * @param {{named?: boolean, submit?: boolean}} [how] `named`: name the cell; `submit`: answering yes also submits
 */
export function excessMessage(cell, { affected, sum, total }, kind, { named = false, submit = false } = {}) {
  const counted = partsInWords(total, cell.part, cell.kind);
  const where = named ? `${cell.title}: ` : "";
  const asked = `Does ${oneInWords(cell.part)} have two errors?`;
  const line = `${where}${affected.join(" + ")} = ${sum} affected, but only ${counted}. ${asked}`;
  return message(kind, "affected_sum_above_total", line, [
    { label: "Change marks", key: "Enter", action: { type: "excess.correct", cell } },
    { label: "Yes, two errors", key: "Y", action: { type: "excess.confirm", cell, submit } },
  ]);
}

/**
 * Asks whether a count is right; answering yes sets it once more, which changes nothing.
 * @param {number} people
 * @param {CountKind} kind
 * @param {BodyPart} part
 * @param {number} count
 * @param {number} most that is likely
 */
export const improbableMessage = (people, kind, part, count, most) =>
  message("warn", "count_improbable", `${partsInWords(count, part, kind)} for ${peopleInWords(people)}? At most ${most} are likely.`, [
    { label: `Set to ${most}`, key: "Enter", action: { type: "count.set", kind, part, count: most } },
    { label: `Yes, ${count}`, key: "Y", action: { type: "count.set", kind, part, count } },
  ]);

export const correctExcessMessage = () =>
  message(
    "info",
    "correct_excess",
    "Type a number, then `a`, `b` or `c`, to replace a mark. `Shift` + letter removes one.",
  );

/** @param {Cell} cell */
export const excessConfirmedMessage = (cell) =>
  message("ok", "excess_confirmed", `${cell.title}: one part with two errors, confirmed.`);

/** @param {Answer} answer @param {CountKind} kind @param {BodyPart} part */
export function countMessage(answer, kind, part) {
  const doubtful = countWarningIn(answer, kind, part);
  return doubtful ? countWarningMessage(doubtful) : message("ok", "count", countLine(answer, kind, part));
}

/** @param {import("./warnings.js").CellWarning} warning about a count */
const countWarningMessage = ({ code, text }) => message("warn", code, text);

/**
 * @param {"Undone" | "Redone"} done
 * @param {Answer} answer
 * @param {Cell | null} cell of the change
 */
export const historyMessage = (done, answer, cell) =>
  message("ok", done.toLowerCase(), cell ? `${done}. ${cellLine(answer, cell)}` : `${done}.`);

/**
 * @param {number} affected
 * @param {number} total
 * @param {Cell} cell
 * @param {Offer} offer that raises the total to the number affected
 */
export function aboveTotalMessage(affected, total, cell, offer) {
  const counted = partsInWords(total, cell.part, cell.kind);
  const line = `${affected} of ${total} is not possible: you counted ${counted}.`;
  return message("stop", "affected_above_total", line, affected <= LARGEST_NUMBER ? [offer] : []);
}

/** @param {CountKind} kind */
export const totalZeroMessage = (kind) =>
  message(
    "stop",
    "total_zero",
    `A total of 0 is not possible: if none is ${kind}, there is nothing to mark.`,
  );

/** @param {number} affected @param {BodyPart} part @param {number} count */
export const countBelowMessage = (affected, part, count) =>
  message(
    "stop",
    "count_below_marks",
    `A count of ${count} is not possible: you marked ${partsInWords(affected, part)} with an error.`,
  );

/** @param {number} least */
export const rangeMessage = (least) =>
  message("stop", "range", `Enter a whole number from ${least} to ${LARGEST_NUMBER}.`);

/** @param {number} marks */
export const errorsEnteredMessage = (marks) =>
  message("stop", "no_errors_over_marks", marks === 1 ? "Clear the mark?" : `Clear the ${marks} marks?`, [
    { label: "Clear marks, set “No errors”", key: "Y", action: { type: "no_errors", clear: true } },
  ]);

export const emptySubmitMessage = () =>
  message("stop", "empty", "Not submitted: the annotation is empty.", [
    { label: "No errors", key: "0", action: { type: "no_errors" } },
    { label: "Flag or skip", key: "S", action: { type: "open", dialog: "flag" } },
  ]);

/** @param {Cell} cell */
export const submitWithoutTotalMessage = (cell) =>
  message("stop", "submit_without_total", `Not submitted: ${cell.title} has no total. ${COUNT_HINT}`);

/** @param {Cell} cell @param {Severity} severity @param {number} pins @param {number} affected */
export const pinnedMessage = (cell, severity, pins, affected) =>
  message("ok", "pinned", `Pinned ${cell.title} · ${severity} (${pins} of ${affected}).`);

/** @param {Cell} cell @param {Severity} severity @param {number} pins @param {number} affected */
export const pinRemovedMessage = (cell, severity, pins, affected) =>
  message("ok", "pin_removed", `Pin removed from ${cell.title} · ${severity} (${pins} of ${affected}).`);

/** @param {Cell} cell @param {Severity} severity @param {number} affected */
export const allPinnedMessage = (cell, severity, affected) =>
  message(
    "info",
    "all_pinned",
    `${cell.title} · ${severity} already has ${affected === 1 ? "its pin" : `all ${affected} pins`}.`,
  );

/** @param {Cell} cell @param {Severity} severity */
export const pinningMessage = (cell, severity) =>
  message(
    "info",
    "pinning",
    `Pin for **${cell.title} · ${severity}**: arrow keys move it, \`Enter\` places it, \`Esc\` cancels.`,
  );

/** The message while a body part is counted by dots. @param {Answer} answer @param {BodyPart} part */
export function countingMessage(answer, part) {
  const differing = dotsDifferIn(answer, part);
  if (differing) return countWarningMessage(differing);
  const line = `Counting **${titled(part)}**: a click, a tap or \`Enter\` sets a dot, \`⌫\` removes the last, \`D\` ends.`;
  return message("info", "counting", line);
}

/** @param {BodyPart} part @param {number} most */
export const dotsFullMessage = (part, most) =>
  message("stop", "dots_full", `${titled(part)} already has ${most} dots, the most that are stored.`);

export const nothingToPinMessage = () =>
  message("info", "nothing_to_pin", "Enter an error first, then mark where it is.");

export const chooseCellMessage = () =>
  message("info", "choose_cell", "Choose a cell first: `M` `X` `G` `O` `P`, then `T` `L` `F` `H` `E`.");

/** @param {string} typed as the bubble shows it @param {boolean} onlyTotal */
export const typedMessage = (typed, onlyTotal) =>
  message(
    "info",
    "typing",
    `**${typed}** ${onlyTotal ? "`Enter` sets the count, or " : ""}\`a\` \`b\` \`c\``,
  );

export const wholeNumberMessage = () =>
  message("stop", "number", `Enter a whole number from 0 to ${LARGEST_NUMBER}, without a leading 0.`);

export const lastCellMessage = () => message("info", "last_cell", "Last cell. `Ctrl Enter` submits.");
