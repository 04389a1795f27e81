// Counting by dots: each visible part of the current row gets a dot on the image, and their number becomes its count.

import { type Answer, countOf, type Pin } from "./answer.ts";
import { countRefusal, withVisible } from "./counts.ts";
import { dotsFullMessage } from "./message_texts.ts";
import type { BodyPart } from "../labelling/taxonomy.ts";
import type { Change, State } from "./state.ts";

const MOST_DOTS = 200;

/** A fraction on the image, to four digits. */
const within = (fraction: number): number => Math.round(Math.min(Math.max(fraction, 0), 1) * 10_000) / 10_000;

export const dotsOf = ({ dots }: Answer, part: BodyPart): readonly Pin[] => dots[part] ?? [];

/**
 * The answer with these dots of a body part. Their number becomes the visible count, unless existing marks need more;
 * without dots the count stays. The expected count never follows: it says what should be there.
 */
function withDots(answer: Answer, part: BodyPart, dots: readonly Pin[]): Answer {
  const { [part]: _, ...others } = answer.dots;
  if (dots.length === 0) return { ...answer, dots: others };
  const dotted = { ...answer, dots: { ...others, [part]: dots } };
  const value = dots.length;
  if (value === countOf(answer, "visible", part) || countRefusal(answer, "visible", part, value)) return dotted;
  return withVisible(dotted, part, value);
}

/** Begins to count the current row, with the cross on its last dot or in the middle; ends if it has begun. */
export const countByDots = ({ answer, cell, counting }: State): Change => ({
  counting: counting ? null : { cross: dotsOf(answer, cell.part).at(-1) ?? { x: 0.5, y: 0.5 } },
  place: { at: "cell" },
  effects: [{ type: "focus" }],
});

/** Sets a dot of the current row; null if x or y is not a number. A click hides the cross. */
export function setDot({ answer, cell: { part } }: State, x: number, y: number, byKey: boolean): Change | null {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  const dots = dotsOf(answer, part);
  const dot = { x: within(x), y: within(y) };
  const counting = { cross: byKey ? dot : null };
  if (dots.length >= MOST_DOTS) return { counting, message: dotsFullMessage(part, MOST_DOTS) };
  return { answer: withDots(answer, part, [...dots, dot]), counting, where: null };
}

/** Removes one dot; by default the last of the current row. */
export function removeDot({ answer, cell }: State, part = cell.part, index = dotsOf(answer, part).length - 1): Change | null {
  const dots = dotsOf(answer, part);
  if (!dots[index]) return null;
  return { answer: withDots(answer, part, dots.filter((_, position) => position !== index)), where: null };
}

/** Moves the cross, in widths and heights of the image, or shows it again where the last dot is. */
export function moveCross({ answer, cell, counting, message }: State, right: number, down: number): Change | null {
  if (!counting) return null;
  const { x, y } = counting.cross ?? dotsOf(answer, cell.part).at(-1) ?? { x: 0.5, y: 0.5 };
  return { counting: { cross: { x: within(x + right), y: within(y + down) } }, message };
}

/** Sets a dot under the cross; the first press after a click only shows it. */
export function enterDot(state: State): Change | null {
  const cross = state.counting?.cross;
  return cross ? setDot(state, cross.x, cross.y, true) : moveCross(state, 0, 0);
}
