// Suggested counts: they stand beside the visible counts in grey and enter the annotation only when they are taken.

import { BODY_PARTS, type BodyPart, partsInWords } from "../labelling/taxonomy.ts";
import { message } from "../labelling/messages.ts";
import { countRefusal, setPeople, withVisible } from "./counts.ts";
import type { Answer } from "./answer.ts";
import type { Change, State } from "./state.ts";

export interface Suggestion {
  run: number;
  source: string;
  people?: number;
  visible: Readonly<Partial<Record<BodyPart, number>>>;
}

/** The count that is suggested for a part; null if there is none, or if it has been entered. */
export function suggestedCount(suggestion: Suggestion | null, answer: Answer, part: BodyPart) {
  const value = suggestion?.visible[part];
  const count = answer.counts.visible[part];
  return value === undefined || (count?.set && count.value === value) ? null : value;
}

/**
 * Takes the count suggested for a part, or all of them with the number of people. Marks that contradict a count keep
 * the entered one.
 */
export function takeSuggestion({ answer: before, suggestion }: State, part: BodyPart, all: boolean): Change | null {
  if (!suggestion) return null;
  let answer = all && suggestion.people ? setPeople(before, suggestion.people).answer : before;
  let refusal = null;
  const taken: string[] = [];
  for (const each of all ? BODY_PARTS : [part]) {
    const value = suggestion.visible[each];
    if (value === undefined) continue;
    refusal = countRefusal(answer, "visible", each, value) ?? refusal;
    if (countRefusal(answer, "visible", each, value)) continue;
    answer = withVisible(answer, each, value);
    taken.push(partsInWords(value, each));
  }
  return { answer, message: refusal ?? message("ok", "suggestion_taken", `Taken: ${taken.join(", ")}.`), where: null };
}

/** What the line below the image says. */
export const suggestionHint = (suggestion: Suggestion | null) =>
  suggestion
    ? `Grey numbers: suggested by ${suggestion.source}. Enter or a click takes one, with Shift all.`
    : "No suggestion for this image.";
