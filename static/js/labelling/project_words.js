// What the server names: the reasons for flags, in the order of their keys, and the project's tags after them.

/**
 * @typedef {{readonly code: string, readonly title: string}} FlagReason
 * @typedef {{readonly number: number, readonly title: string}} Tag
 */

/** @type {{reasons: readonly FlagReason[], tags: readonly Tag[]}} */
export const words = { reasons: [], tags: [] };

/** Before the page starts. @param {{flag_reasons: readonly FlagReason[], tags: readonly Tag[]}} config */
export const readWords = ({ flag_reasons: reasons, tags }) => void Object.assign(words, { reasons, tags });

/** The title of the dialog. */
export const flagTitle = () => (words.tags.length ? "Flag, tag or skip" : "Flag or skip");

/** The button that opens it, no wider with tags than without. */
export const flagLabel = () => (words.tags.length ? "Flag or tag" : "Flag or skip");

/** The names of the tags ticked that the project still has. @param {readonly number[]} ticked */
export const tagNames = (ticked) => words.tags.filter(({ number }) => ticked.includes(number)).map(({ title }) => title);
