// Write a note, and flag or skip an image.

import { flaggedMessage, longTextMessage, noReasonMessage, noteMessage } from "./messages.js";
import { FLAG_REASONS, LONGEST_TEXT } from "./taxonomy.js";

/** @import { Effect } from "./actions.js" */
/** @import { Message } from "./messages.js" */
/** @import { FlagReason } from "./taxonomy.js" */

/** @typedef {{readonly flag: {readonly reason: FlagReason, readonly note: string} | null, readonly note: string}} Remarks */

/**
 * The text without the characters that a database cannot store: NUL and lone surrogates.
 * @param {string} text
 */
const storable = (text) => text.replace(/\0|\p{Surrogate}/gu, "");

/**
 * The length in characters, as the server counts it, rather than in UTF-16 code units.
 * @param {string} text
 */
const lengthOf = (text) => Array.from(text).length;

/** @param {string} reason @returns {reason is FlagReason} */
const isReason = (reason) => FLAG_REASONS.some(({ code }) => code === reason);

/** @param {string} reason @param {string} note */
function refusalOf(reason, note) {
  if (!isReason(reason)) return noReasonMessage();
  return lengthOf(note) > LONGEST_TEXT ? longTextMessage(lengthOf(note)) : null;
}

/**
 * The change that an action makes, for an annotation of any protocol.
 * @template {Remarks} A
 * @typedef {{answer?: A, message: Message, where?: null}} Change
 */

/** @template {Remarks} A @param {{readonly answer: A}} state @param {string} note @returns {Change<A>} */
export function keepNote({ answer }, note) {
  const text = storable(note);
  if (lengthOf(text) > LONGEST_TEXT) return { message: longTextMessage(lengthOf(text)) };
  return { answer: { ...answer, note: text }, message: noteMessage(), where: null };
}

/** @template {Remarks} A @param {{readonly answer: A}} state @param {string} reason @param {string} note @returns {Change<A>} */
export function keepFlag({ answer }, reason, note) {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  const flag = { reason: /** @type {FlagReason} */ (reason), note: text };
  return { answer: { ...answer, flag }, message: flaggedMessage(true), where: null };
}

/** @template {Remarks} A @param {{readonly answer: A}} state @returns {Change<A> | null} */
export const removeFlag = ({ answer }) =>
  answer.flag && { answer: { ...answer, flag: null }, message: flaggedMessage(false), where: null };

/**
 * Skips the image. Its draft does not change.
 * @param {{readonly message: Message}} state
 * @param {string} reason
 * @param {string} note
 * @returns {{message: Message, effects?: readonly Effect[]}}
 */
export function skipImage({ message }, reason, note) {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  return { message, effects: [{ type: "skip", reason: /** @type {FlagReason} */ (reason), note: text }] };
}
