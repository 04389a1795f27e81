// The texts of the message line for marks.

import { message } from "../labelling/messages.ts";
import { inWords, isNamedByKeys, lackOf, LEAST_PIXELS, LONGEST_TEXT, MOST_DEFECTS, numberOf, SHORTEST_TEXT } from "./answer.js";

/** @import { Message, Offer } from "../labelling/messages.ts" */
/** @import { Answer, Defect } from "./answer.js" */

/** @param {string} label @param {string} key @param {object} action @returns {Offer} */
const offer = (label, key, action) => ({ label, key, action: /** @type {any} */ (action) });

export const arrivalMessage = () => message("info", "arrival", "Draw round a defect, or click its corners.[[ `0` says that there is none.]]");

/** @param {Defect} defect @param {Answer} answer */
export const defectMessage = (defect, { size }) => message("ok", "marks", `Defect ${numberOf(defect)}: ${inWords(defect, size)}`);

/** @param {Defect} defect @param {Answer} answer */
export const addedMessage = (defect, answer) =>
  message("ok", "added", `Defect ${numberOf(defect)}: draw round it.[[ ${isNamedByKeys(answer) ? NAMING : "`T` or `L` says its kind, `W` what is wrong."}]]`);

const NAMING = "`T L F H E O` say the body part, `A B C` how severe it is.";

/** @param {Defect} defect */
export const removedMessage = (defect) => message("ok", "removed", `Defect ${numberOf(defect)} deleted.`, [offer("Undo", "Z", { type: "undo" })]);

export const fullMessage = () => message("stop", "full", `An image has at most ${MOST_DEFECTS} defects.`);

export const noneMessage = () => message("stop", "no_active", "Choose a defect first, or begin one.[[ `A` begins it.]]");

export const noDefectMessage = (/** @type {boolean} */ on) =>
  on ? message("ok", "no_defect", "No defect in this image.") : message("info", "no_defect_off", "“No defect” removed.");

/** @param {number} marked */
export const contradictionMessage = (marked) =>
  message("stop", "no_defect_over_marks", `“No defect” and ${marked} marked defect${marked === 1 ? "" : "s"} contradict each other.`, [
    offer(`Delete ${marked === 1 ? "the defect" : "all defects"}`, "Enter", { type: "clear" }),
  ]);

/** @param {"Undone" | "Redone"} done */
export const steppedMessage = (done) => message("ok", done.toLowerCase(), `${done}.`);

/** @param {number} characters */
export const longDescriptionMessage = (characters) => message("stop", "long_text", `Refused: ${characters} characters; the limit is ${LONGEST_TEXT}.`);

/** @type {Readonly<Record<string, (defect: Defect) => string>>} */
const WANTED = {
  mask: ({ area }) => (area ? ` has ${area} pixel${area === 1 ? "" : "s"}; mark at least ${LEAST_PIXELS}.` : " is not marked yet."),
  kind: () => ": structural or logical?",
  part: () => ": which body part?",
  severity: () => ": how severe?",
  text: () => `: say in at least ${SHORTEST_TEXT} characters what is wrong.`,
};

/**
 * Why the annotation cannot be submitted yet, in the words of the server, and the defect that is meant; null if it can.
 * @param {Answer} answer
 * @returns {{message: Message, defect: Defect | null, writes: boolean} | null}
 */
export function missingIn(answer) {
  const { defects, effect, noErrors } = answer;
  const stop = (/** @type {string} */ text, /** @type {Defect | null} */ defect = null, writes = false) => ({ message: message("stop", "incomplete", text), defect, writes });
  if (!defects.length && !noErrors) return stop("Not submitted: mark at least one defect, or say that there is none.");
  for (const defect of defects) {
    const lack = lackOf(defect, answer);
    if (lack) return stop(`Defect ${numberOf(defect)}${WANTED[lack]?.(defect) ?? ""}`, defect, lack === "text");
  }
  return defects.length && effect === null ? stop("Say how the defects affect the image.") : null;
}
