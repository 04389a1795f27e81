// Suggested counts: they stand beside the visible counts in grey and enter the annotation only when they are taken.

import { BODY_PARTS, partsInWords } from "../labelling/taxonomy.js";
import { message } from "../labelling/messages.js";
import { countRefusal, setPeople, withVisible } from "./counts.js";

/** @import { BodyPart } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */
/** @import { Change, State } from "./state.js" */

/**
 * @typedef {object} Suggestion
 * @property {number} run
 * @property {string} source
 * @property {number} [people]
 * @property {Readonly<Partial<Record<BodyPart, number>>>} visible
 */

/**
 * The count that is suggested for a part; null if there is none, or if it has been entered.
 * @param {Suggestion | null} suggestion
 * @param {Answer} answer
 * @param {BodyPart} part
 */
export function suggestedCount(suggestion, answer, part) {
  const value = suggestion?.visible[part];
  const count = answer.counts.visible[part];
  return value === undefined || (count?.set && count.value === value) ? null : value;
}

/**
 * Takes the count suggested for a part, or all of them with the number of people. Marks that contradict a count keep
 * the entered one.
 * @param {State} state
 * @param {BodyPart} part
 * @param {boolean} all
 * @returns {Change | null}
 */
export function takeSuggestion({ answer: before, suggestion }, part, all) {
  if (!suggestion) return null;
  let answer = all && suggestion.people ? setPeople(before, suggestion.people).answer : before;
  let refusal = null;
  /** @type {string[]} */
  const taken = [];
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

/** What the line below the image says. @param {Suggestion | null} suggestion */
export const suggestionHint = (suggestion) =>
  suggestion
    ? `Grey numbers: suggested by ${suggestion.source}. Enter or a click takes one, with Shift all.`
    : "No suggestion for this image.";
