// The two columns of counts: fill them in from the number of people, correct them, check them.

import { type BodyPart, type CountKind, LARGEST_NUMBER, PER_PERSON } from "../labelling/taxonomy.ts";
import { type Answer, type Count, countOf, countsByKind, marksRelyingOn, marksUnder, mostAffected } from "./answer.ts";
import {
  countBelowMessage,
  countMessage,
  countsKeptMessage,
  excessMessage,
  improbableMessage,
  peopleMessage,
  rangeMessage,
} from "./message_texts.ts";
import { doubtIn, likelyMost } from "./warnings.ts";
import type { Message } from "../labelling/messages.ts";

/** A refusal leaves the annotation unchanged and has a message of kind "stop". */
export type Outcome = { readonly answer: Answer; readonly message: Message };

export const isWithin = (number: number, least: number) =>
  Number.isInteger(number) && number >= least && number <= LARGEST_NUMBER;

/** Sets the number of people and recomputes every guess. Keeps the counts that existing marks need. */
export function setPeople(answer: Answer, people: number): Outcome {
  if (!isWithin(people, 1)) return { answer, message: rangeMessage(1) };
  const kept: { kind: CountKind; part: BodyPart }[] = [];
  const counts = countsByKind((kind, part) => {
    const count = answer.counts[kind][part];
    if (count?.set) return count;
    const value = Math.min(people * PER_PERSON[part], LARGEST_NUMBER);
    if (value >= mostAffected(marksRelyingOn(answer, kind, part))) return { value, set: false };
    kept.push({ kind, part });
    return count;
  });
  const filled = { ...answer, people, counts };
  return {
    answer: filled,
    message: kept.length ? countsKeptMessage(people, filled, kept) : peopleMessage(people),
  };
}

/** The reason why a count cannot be this number; null if it can. */
export function countRefusal(answer: Answer, kind: CountKind, part: BodyPart, value: number): Message | null {
  if (!isWithin(value, 0)) return rangeMessage(0);
  // A count of 0 contradicts every mark of the part, own totals included.
  const marks = value === 0 ? marksUnder(answer, kind, part) : marksRelyingOn(answer, kind, part);
  const affected = mostAffected(marks);
  return affected > value ? countBelowMessage(affected, part, value) : null;
}

/**
 * The annotation with a corrected count. Its twin changes too, unless it is set or marks use it. The value is one that
 * countRefusal allows.
 */
export function withCount(answer: Answer, kind: CountKind, part: BodyPart, value: number): Answer {
  const twin = kind === "expected" ? "visible" : "expected";
  const follows =
    !answer.counts[twin][part]?.set &&
    marksRelyingOn(answer, twin, part).length === 0 &&
    countRefusal(answer, twin, part, value) === null;
  const corrected: (otherKind: CountKind, otherPart: BodyPart) => Count | null = (otherKind, otherPart) => {
    if (otherPart === part && otherKind === kind) return { value, set: true };
    if (otherPart === part && follows) return { value, set: false };
    return answer.counts[otherKind][otherPart];
  };
  return { ...answer, counts: countsByKind(corrected) };
}

/**
 * The annotation with the visible count alone: what is seen says nothing of what should be there. The value is one that
 * countRefusal allows.
 */
export const withVisible = (answer: Answer, part: BodyPart, value: number): Answer => ({
  ...answer,
  counts: countsByKind((kind, each) =>
    kind === "visible" && each === part ? { value, set: true } : answer.counts[kind][each],
  ),
});

export function setCount(answer: Answer, kind: CountKind, part: BodyPart, value: number): Outcome {
  const refusal = countRefusal(answer, kind, part, value);
  if (refusal) return { answer, message: refusal };
  const corrected = withCount(answer, kind, part, value);
  for (const { cell } of marksRelyingOn(corrected, kind, part)) {
    const doubt = doubtIn(corrected, cell);
    if (doubt) return { answer: corrected, message: excessMessage(cell, doubt, "stop", { named: true }) };
  }
  return { answer: corrected, message: improbable(answer, corrected, kind, part) ?? countMessage(corrected, kind, part) };
}

/** Asks once about a new count that these people are unlikely to have. One more on top of such a count asks nothing. */
export function improbable(before: Answer, answer: Answer, kind: CountKind, part: BodyPart): Message | null {
  const most = likelyMost(answer, part);
  const [old, count] = [countOf(before, kind, part) ?? 0, countOf(answer, kind, part) ?? 0];
  const asked = old > (most ?? 0) && count <= old + 1;
  return most === null || count <= most || asked ? null : improbableMessage(answer.people ?? 0, kind, part, count, most);
}

/** Changes a count by one; an unknown count starts from 0. */
export const stepCount = (answer: Answer, kind: CountKind, part: BodyPart, by: number): Outcome =>
  setCount(answer, kind, part, (countOf(answer, kind, part) ?? 0) + by);

/**
 * Whether a total typed with a mark may become the count without changing any other mark. The annotation is without
 * that mark.
 */
export function totalBecomesCount(answer: Answer, kind: CountKind, part: BodyPart, total: number) {
  const others = marksRelyingOn(answer, kind, part);
  // Marks without a total have no total to change.
  const free = countOf(answer, kind, part) === null || others.length === 0;
  return free && mostAffected(others) <= total;
}
