// Write a note, tick tags, and flag or skip an image.

import { LONGEST_TEXT, longTextMessage, type Message, sharedMessage, taggedMessage } from "./messages.ts";
import { tagNames, words } from "./project_words.ts";

/** The part of an annotation that all protocols share. */
export interface Remarks {
  readonly noErrors: boolean;
  readonly flag: { readonly reason: string; readonly note: string } | null;
  readonly tags: readonly number[];
  readonly note: string;
}

/** The text without the characters that a database cannot store: NUL and lone surrogates. */
export const storable = (text: string) => text.replace(/\0|\p{Surrogate}/gu, "");

/** The length in characters, as the server counts it, rather than in UTF-16 code units. */
export const lengthOf = (text: string) => Array.from(text).length;

const tooLong = (text: string) => (lengthOf(text) > LONGEST_TEXT ? { message: longTextMessage(lengthOf(text)) } : null);

/** The change made with a reason and its note, unless they are refused. */
function reasoned({ reason, note }: { reason: string; note: string }, change: (given: { reason: string; note: string }) => object) {
  if (!words.reasons.some(({ code }) => code === reason)) return { message: sharedMessage("no_reason") };
  return tooLong(storable(note)) ?? change({ reason, note: storable(note) });
}

/** Ticks a tag, or takes the tick away. Neither flags nor submits the image. */
function tickTag({ answer }: { readonly answer: Remarks }, tag: number, on: boolean) {
  const others = answer.tags.filter((number) => number !== tag);
  const tags = on ? [...others, tag].sort((one, other) => one - other) : others;
  return { answer: { ...answer, tags }, message: taggedMessage(tagNames([tag])[0] ?? "", on), where: null };
}

/** The page carries out the action. */
const passedOn = ({ message }: { readonly message: Message }, effect: any) => ({ message, effects: [effect] });

/** The actions that all protocols share. */
export const SHARED_ACTS: Readonly<Record<string, (state: any, action: any) => any>> = {
  note: ({ answer }, { note }) =>
    tooLong(storable(note)) ?? { answer: { ...answer, note: storable(note) }, message: sharedMessage("note"), where: null },
  flag: ({ answer }, given) =>
    reasoned(given, (flag) => ({ answer: { ...answer, flag }, message: sharedMessage("flagged"), where: null })),
  unflag: ({ answer }) => answer.flag && { answer: { ...answer, flag: null }, message: sharedMessage("unflagged"), where: null },
  tag: (state, { tag, on }) => tickTag(state, tag, on),
  // The draft of a skipped image does not change.
  skip: ({ message }, given) => reasoned(given, (skipped) => ({ message, effects: [{ type: "skip", ...skipped }] })),
  ...Object.fromEntries(["navigate", "zoom", "open", "close", "confirm", "choose"].map((type) => [type, passedOn])),
};
