// The texts of the message line for marks.

import { type Message, message, sayings } from "../labelling/messages.ts";
import { inWords, isNamedByKeys, lackOf, LACKS_TEXT, MOST_DEFECTS, numberOf } from "./answer.ts";
import type { Answer, Defect } from "./answer.ts";

export const defectsMessage = sayings({
  arrival: ["info", "Draw round a defect, or click its corners.[[ Press `0` if there is none.]]"],
  boxes: ["info", "Drag a box round each defect.[[ Press `0` if there is none.]]"],
  full: ["stop", `An image has at most ${MOST_DEFECTS} defects.`],
  no_active: ["stop", "Choose a defect first, or begin one.[[ `A` begins it.]]"],
  no_defect: ["ok", "No defect in this image."],
  no_defect_off: ["info", "“No defect” removed."],
  undone: ["ok", "Undone."],
  redone: ["ok", "Redone."],
});

export const defectMessage = (defect: Defect, { size }: Answer) =>
  message("ok", "marks", `Defect ${numberOf(defect)}: ${inWords(defect, size)}`);

export const addedMessage = (defect: Defect, answer: Answer) =>
  message("ok", "added", `Defect ${numberOf(defect)}: draw round it.[[ ${isNamedByKeys(answer) ? NAMING : "`T` or `L` says its kind, `W` what is wrong."}]]`);

const NAMING = "`T L F H E O` say the body part, `A B C` how severe it is.";

export const removedMessage = (defect: Defect) =>
  message("ok", "removed", `Defect ${numberOf(defect)} deleted.`, [{ label: "Undo", key: "Z", action: { type: "undo" } }]);

export const contradictionMessage = (marked: number) =>
  message("stop", "no_defect_over_marks", `“No defect” and ${marked} marked defect${marked === 1 ? "" : "s"} contradict each other.`, [
    { label: `Delete ${marked === 1 ? "the defect" : "all defects"}`, key: "Enter", action: { type: "clear" } },
  ]);

/** Why the annotation cannot be submitted yet, in the words of the server, and the defect that is meant, if any. */
export function missingIn(answer: Answer): { message: Message; defect: Defect | null; writes: boolean } | null {
  const { defects, effect, noErrors } = answer;
  const stop = (text: string, defect: Defect | null = null, writes = false) => ({ message: message("stop", "incomplete", text), defect, writes });
  if (!defects.length && !noErrors) return stop("Not submitted: mark at least one defect, or say that there is none.");
  for (const defect of defects) {
    const lack = lackOf(defect, answer);
    if (lack) return stop(`Defect ${numberOf(defect)}${lack}`, defect, lack === LACKS_TEXT);
  }
  return defects.length && effect === null ? stop("Say how the defects affect the image.") : null;
}
