// Pins: the positions of errors on the image, at most one per affected part.

import { markAt, withMark } from "./answer.js";
import { allPinnedMessage, pinnedMessage, pinRemovedMessage } from "./message_texts.js";

/** @import { Cell, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer, Pin } from "./answer.js" */
/** @import { Outcome } from "./counts.js" */

export const PIN_STEP = 0.02;
export const FAR_PIN_STEP = 0.1;

/** @param {number} fraction */
const onImage = (fraction) => Math.round(Math.min(Math.max(fraction, 0), 1) * 1000) / 1000;

/**
 * A position on the image, to a thousandth of its width and height.
 * @param {number} x
 * @param {number} y
 * @returns {Pin | null} null if x or y is not a finite number
 */
export const placeOnImage = (x, y) =>
  Number.isFinite(x) && Number.isFinite(y) ? { x: onImage(x), y: onImage(y) } : null;

/**
 * Pins a mark. Does nothing if there is no such mark.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {Pin} pin
 * @returns {Outcome | null}
 */
export function addPin(answer, cell, severity, pin) {
  const mark = markAt(answer, cell, severity);
  if (!mark) return null;
  if (mark.pins.length >= mark.affected)
    return { answer, message: allPinnedMessage(cell, severity, mark.affected) };
  const pins = [...mark.pins, pin];
  const message = pinnedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}

/**
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} index
 * @returns {Outcome | null}
 */
export function removePin(answer, cell, severity, index) {
  const mark = markAt(answer, cell, severity);
  if (!mark?.pins[index]) return null;
  const pins = mark.pins.filter((_, position) => position !== index);
  const message = pinRemovedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}
