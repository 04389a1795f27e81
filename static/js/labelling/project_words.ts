// What the server names: the reasons for flags, in the order of their keys, and the project's tags after them.

export type FlagReason = { readonly code: string; readonly title: string };

export type Tag = { readonly number: number; readonly title: string };

export const words: { reasons: readonly FlagReason[]; tags: readonly Tag[] } = { reasons: [], tags: [] };

/** Before the page starts. */
export const readWords = (
  { flag_reasons: reasons, tags }: { flag_reasons: readonly FlagReason[]; tags: readonly Tag[] },
) => void Object.assign(words, { reasons, tags });

/** The title of the dialog. */
export const flagTitle = () => (words.tags.length ? "Flag, tag or skip" : "Flag or skip");

/** The button that opens it, no wider with tags than without. */
export const flagLabel = () => (words.tags.length ? "Flag or tag" : "Flag or skip");

/** The names of the tags ticked that the project still has. */
export const tagNames = (ticked: readonly number[]) =>
  words.tags.filter(({ number }) => ticked.includes(number)).map(({ title }) => title);
