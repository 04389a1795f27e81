// Write a note, tick tags, and flag or skip an image.

import { LONGEST_TEXT, flaggedMessage, longTextMessage, noReasonMessage, noteMessage, taggedMessage } from "./messages.js";
import { tagNames, words } from "./project_words.js";

/** @import { Effect } from "./actions.js" */
/** @import { Message } from "./messages.js" */

/** @typedef {{readonly flag: {readonly reason: string, readonly note: string} | null, readonly tags: readonly number[], readonly note: string}} Remarks */

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

/** @param {string} reason */
const isReason = (reason) => words.reasons.some(({ code }) => code === reason);

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
function keepNote({ answer }, note) {
  const text = storable(note);
  if (lengthOf(text) > LONGEST_TEXT) return { message: longTextMessage(lengthOf(text)) };
  return { answer: { ...answer, note: text }, message: noteMessage(), where: null };
}

/** @template {Remarks} A @param {{readonly answer: A}} state @param {string} reason @param {string} note @returns {Change<A>} */
function keepFlag({ answer }, reason, note) {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  const flag = { reason, note: text };
  return { answer: { ...answer, flag }, message: flaggedMessage(true), where: null };
}

/** @template {Remarks} A @param {{readonly answer: A}} state @returns {Change<A> | null} */
const removeFlag = ({ answer }) =>
  answer.flag && { answer: { ...answer, flag: null }, message: flaggedMessage(false), where: null };

/**
 * Ticks a tag, or takes the tick away. Neither flags nor submits the image.
 * @template {Remarks} A
 * @param {{readonly answer: A}} state
 * @param {number} tag its number
 * @param {boolean} on
 * @returns {Change<A>}
 */
function tickTag({ answer }, tag, on) {
  const others = answer.tags.filter((number) => number !== tag);
  const tags = on ? [...others, tag].sort((one, other) => one - other) : others;
  return { answer: { ...answer, tags }, message: taggedMessage(tagNames([tag])[0] ?? "", on), where: null };
}

/**
 * Skips the image. Its draft does not change.
 * @param {{readonly message: Message}} state
 * @param {string} reason
 * @param {string} note
 * @returns {{message: Message, effects?: readonly Effect[]}}
 */
function skipImage({ message }, reason, note) {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  return { message, effects: [{ type: "skip", reason, note: text }] };
}

/** @param {{readonly message: Message}} state @param {any} effect an action that the page carries out */
const passedOn = ({ message }, effect) => ({ message, effects: [effect] });

/** The actions that all protocols share. @type {Readonly<Record<string, (state: any, action: any) => any>>} */
export const SHARED_ACTS = {
  note: (state, { note }) => keepNote(state, note),
  flag: (state, { reason, note }) => keepFlag(state, reason, note),
  unflag: removeFlag,
  tag: (state, { tag, on }) => tickTag(state, tag, on),
  skip: (state, { reason, note }) => skipImage(state, reason, note),
  ...Object.fromEntries(["navigate", "zoom", "open", "close", "confirm", "choose"].map((type) => [type, passedOn])),
};
