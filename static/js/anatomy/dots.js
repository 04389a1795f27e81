// Counting by dots: each visible part of the current row gets a dot on the image, and their number becomes its count.

import { countOf } from "./answer.js";
import { countRefusal, withVisible } from "./counts.js";
import { dotsFullMessage } from "./message_texts.js";

/** @import { BodyPart } from "../labelling/taxonomy.js" */
/** @import { Answer, Pin } from "./answer.js" */
/** @import { Change, State } from "./state.js" */

export const MOST_DOTS = 200;

/** @param {number} fraction @returns {number} on the image, to four digits */
const within = (fraction) => Math.round(Math.min(Math.max(fraction, 0), 1) * 10_000) / 10_000;

/** @param {Answer} answer @param {BodyPart} part @returns {readonly Pin[]} */
export const dotsOf = ({ dots }, part) => dots[part] ?? [];

/**
 * The answer with these dots of a body part. Their number becomes the visible count, unless existing marks need more;
 * without dots the count stays. The expected count never follows: it says what should be there.
 * @param {Answer} answer
 * @param {BodyPart} part
 * @param {readonly Pin[]} dots
 * @returns {Answer}
 */
function withDots(answer, part, dots) {
  const { [part]: _, ...others } = answer.dots;
  if (dots.length === 0) return { ...answer, dots: others };
  const dotted = { ...answer, dots: { ...others, [part]: dots } };
  const value = dots.length;
  if (value === countOf(answer, "visible", part) || countRefusal(answer, "visible", part, value)) return dotted;
  return withVisible(dotted, part, value);
}

/**
 * Begins to count the current row, with the cross on its last dot or in the middle; ends if it has begun.
 * @param {State} state
 * @returns {Change}
 */
export const countByDots = ({ answer, cell, counting }) => ({
  counting: counting ? null : { cross: dotsOf(answer, cell.part).at(-1) ?? { x: 0.5, y: 0.5 } },
  place: { at: "cell" },
  effects: [{ type: "focus" }],
});

/**
 * Sets a dot of the current row. A click hides the cross.
 * @param {State} state
 * @param {number} x
 * @param {number} y
 * @param {boolean} byKey
 * @returns {Change | null} null if x or y is not a number
 */
export function setDot({ answer, cell: { part } }, x, y, byKey) {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  const dots = dotsOf(answer, part);
  const dot = { x: within(x), y: within(y) };
  const counting = { cross: byKey ? dot : null };
  if (dots.length >= MOST_DOTS) return { counting, message: dotsFullMessage(part, MOST_DOTS) };
  return { answer: withDots(answer, part, [...dots, dot]), counting, where: null };
}

/**
 * Removes one dot; by default the last of the current row.
 * @param {State} state
 * @param {BodyPart} [part]
 * @param {number} [index]
 * @returns {Change | null}
 */
export function removeDot({ answer, cell }, part = cell.part, index = dotsOf(answer, part).length - 1) {
  const dots = dotsOf(answer, part);
  if (!dots[index]) return null;
  return { answer: withDots(answer, part, dots.filter((_, position) => position !== index)), where: null };
}

/**
 * Moves the cross, or shows it again where the last dot is.
 * @param {State} state
 * @param {number} right in widths of the image
 * @param {number} down in heights of it
 * @returns {Change | null}
 */
export function moveCross({ answer, cell, counting, message }, right, down) {
  if (!counting) return null;
  const { x, y } = counting.cross ?? dotsOf(answer, cell.part).at(-1) ?? { x: 0.5, y: 0.5 };
  return { counting: { cross: { x: within(x + right), y: within(y + down) } }, message };
}

/**
 * Sets a dot under the cross; the first press after a click only shows it.
 * @param {State} state
 * @returns {Change | null}
 */
export function enterDot(state) {
  const cross = state.counting?.cross;
  return cross ? setDot(state, cross.x, cross.y, true) : moveCross(state, 0, 0);
}
