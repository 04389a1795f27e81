// Pins: the positions of errors on the image, at most one per affected part.

import { type Answer, markAt, type Pin, withMark } from "./answer.ts";
import { allPinnedMessage, pinnedMessage, pinRemovedMessage } from "./message_texts.ts";
import type { Cell, Severity } from "../labelling/taxonomy.ts";
import type { Outcome } from "./counts.ts";

export const PIN_STEP = 0.02;
export const FAR_PIN_STEP = 0.1;

const onImage = (fraction: number) => Math.round(Math.min(Math.max(fraction, 0), 1) * 1000) / 1000;

/**
 * A position on the image, to a thousandth of its width and height.
 * Returns null if x or y is not a finite number.
 */
export const placeOnImage = (x: number, y: number): Pin | null =>
  Number.isFinite(x) && Number.isFinite(y) ? { x: onImage(x), y: onImage(y) } : null;

/** Pins a mark. Does nothing if there is no such mark. */
export function addPin(answer: Answer, cell: Cell, severity: Severity, pin: Pin): Outcome | null {
  const mark = markAt(answer, cell, severity);
  if (!mark) return null;
  if (mark.pins.length >= mark.affected)
    return { answer, message: allPinnedMessage(cell, severity, mark.affected) };
  const pins = [...mark.pins, pin];
  const message = pinnedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}

export function removePin(answer: Answer, cell: Cell, severity: Severity, index: number): Outcome | null {
  const mark = markAt(answer, cell, severity);
  if (!mark?.pins[index]) return null;
  const pins = mark.pins.filter((_, position) => position !== index);
  const message = pinRemovedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}
