// Write a note, tick tags, and flag or skip an image.

import { LONGEST_TEXT, longTextMessage, type Message, sharedMessage, taggedMessage } from "./messages.ts";
import { tagNames, words } from "./project_words.ts";
import type { Effect } from "./actions.ts";

/** The part of an annotation that all protocols share. */
export interface Remarks {
  readonly noErrors: boolean;
  readonly flag: { readonly reason: string; readonly note: string } | null;
  readonly tags: readonly number[];
  readonly note: string;
}

/** The text without the characters that a database cannot store: NUL and lone surrogates. */
const storable = (text: string) => text.replace(/\0|\p{Surrogate}/gu, "");

/** The length in characters, as the server counts it, rather than in UTF-16 code units. */
const lengthOf = (text: string) => Array.from(text).length;

const isReason = (reason: string) => words.reasons.some(({ code }) => code === reason);

function refusalOf(reason: string, note: string) {
  if (!isReason(reason)) return sharedMessage("no_reason");
  return lengthOf(note) > LONGEST_TEXT ? longTextMessage(lengthOf(note)) : null;
}

/** The change that an action makes, for an annotation of any protocol. */
type Change<A extends Remarks> = { answer?: A; message: Message; where?: null };

function keepNote<A extends Remarks>({ answer }: { readonly answer: A }, note: string): Change<A> {
  const text = storable(note);
  if (lengthOf(text) > LONGEST_TEXT) return { message: longTextMessage(lengthOf(text)) };
  return { answer: { ...answer, note: text }, message: sharedMessage("note"), where: null };
}

function keepFlag<A extends Remarks>({ answer }: { readonly answer: A }, reason: string, note: string): Change<A> {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  const flag = { reason, note: text };
  return { answer: { ...answer, flag }, message: sharedMessage("flagged"), where: null };
}

const removeFlag = <A extends Remarks>({ answer }: { readonly answer: A }): Change<A> | null =>
  answer.flag && { answer: { ...answer, flag: null }, message: sharedMessage("unflagged"), where: null };

/** Ticks a tag, or takes the tick away. Neither flags nor submits the image. */
function tickTag<A extends Remarks>({ answer }: { readonly answer: A }, tag: number, on: boolean): Change<A> {
  const others = answer.tags.filter((number) => number !== tag);
  const tags = on ? [...others, tag].sort((one, other) => one - other) : others;
  return { answer: { ...answer, tags }, message: taggedMessage(tagNames([tag])[0] ?? "", on), where: null };
}

/** Skips the image. Its draft does not change. */
function skipImage(
  { message }: { readonly message: Message },
  reason: string,
  note: string,
): { message: Message; effects?: readonly Effect[] } {
  const text = storable(note);
  const refusal = refusalOf(reason, text);
  if (refusal) return { message: refusal };
  return { message, effects: [{ type: "skip", reason, note: text }] };
}

/** The page carries out the action. */
const passedOn = ({ message }: { readonly message: Message }, effect: any) => ({ message, effects: [effect] });

/** The actions that all protocols share. */
export const SHARED_ACTS: Readonly<Record<string, (state: any, action: any) => any>> = {
  note: (state, { note }) => keepNote(state, note),
  flag: (state, { reason, note }) => keepFlag(state, reason, note),
  unflag: removeFlag,
  tag: (state, { tag, on }) => tickTag(state, tag, on),
  skip: (state, { reason, note }) => skipImage(state, reason, note),
  ...Object.fromEntries(["navigate", "zoom", "open", "close", "confirm", "choose"].map((type) => [type, passedOn])),
};
