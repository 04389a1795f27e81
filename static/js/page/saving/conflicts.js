// Resolve conflicts between this page and the annotation that the server has stored.

import { isClosed } from "../server_types.js";

/** @import { Payload, Stored } from "../server_types.js" */
/** @import { Draft } from "./draft.js" */
/** @import { Sent } from "./local_copies.js" */
/** @import { Saver } from "./saver.js" */

/**
 * Handles a save that was refused because the stored annotation differs.
 * @param {Saver} saver
 * @param {Stored} stored
 * @param {Sent} sent
 */
export function meet(saver, stored, sent) {
  const { draft } = saver;
  draft.sent = null;
  if (stored.error === "key_reused") {
    saver.wantsSubmit = sent.submit;
    return void saver.send();
  }
  if (isClosed(stored.status) && draft.textOf(stored.payload) === draft.text) return saidAlready(saver, stored, sent);
  if (differ(draft, stored, sent)) {
    saver.conflict(stored);
    return sent.submit ? saver.outcome({ kind: "conflict" }) : undefined;
  }
  // The same annotation under another version: saved or reopened in another tab.
  draft.goOnFrom(stored);
  saver.savedAt(stored.saved_at);
  saver.wantsSubmit ||= sent.submit;
  if (!draft.clean || saver.wantsSubmit) return void saver.send();
  saver.rest();
}

/**
 * Whether the stored annotation differs from every state that this page started from or has sent.
 * @param {Draft} draft
 * @param {Stored} stored
 * @param {Sent} sent
 */
function differ(draft, stored, sent) {
  return isClosed(stored.status) || ![draft.text, draft.stored, draft.textOf(sent.payload)].includes(draft.textOf(stored.payload));
}

/** @param {Saver} saver @param {Stored} stored @param {Sent} sent */
function saidAlready(saver, stored, sent) {
  saver.draft.goOnFrom(stored);
  saver.savedAt(stored.saved_at);
  saver.rest();
  if (sent.submit) saver.outcome({ kind: "submitted", changed: false });
}

/**
 * Continues with this page's version and replaces the stored one.
 * @param {Saver} saver
 * @returns {Promise<void>}
 */
export async function keepMine(saver) {
  const { draft } = saver;
  if (!draft.theirs) return;
  draft.goOnFrom(draft.theirs);
  if (draft.closed && !(await saver.reopen())) return;
  draft.theirs = null;
  draft.keep();
  void saver.send();
}

/**
 * Continues with the stored version.
 * @param {Saver} saver
 * @returns {Partial<Payload>}
 */
export function takeTheirs(saver) {
  const { draft } = saver;
  const { theirs } = draft;
  if (!theirs) return draft.payload;
  draft.goOnFrom(theirs);
  draft.theirs = null;
  draft.forget(true);
  saver.savedAt(theirs.saved_at);
  saver.show(saver.atRest);
  return theirs.payload;
}
