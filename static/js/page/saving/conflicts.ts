// Resolve conflicts between this page and the annotation that the server has stored.

import { isClosed, type Payload, type Stored } from "../server_types.ts";
import type { Draft } from "./draft.ts";
import type { Sent } from "./local_copies.ts";
import type { Saver } from "./saver.ts";

/** Handles a save that was refused because the stored annotation differs. */
export function meet(saver: Saver, stored: Stored, sent: Sent) {
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

/** Whether the stored annotation differs from every state that this page started from or has sent. */
function differ(draft: Draft, stored: Stored, sent: Sent) {
  return isClosed(stored.status) || ![draft.text, draft.stored, draft.textOf(sent.payload)].includes(draft.textOf(stored.payload));
}

function saidAlready(saver: Saver, stored: Stored, sent: Sent) {
  saver.draft.goOnFrom(stored);
  saver.savedAt(stored.saved_at);
  saver.rest();
  if (sent.submit) saver.outcome({ kind: "submitted", changed: false });
}

/** Continues with this page's version and replaces the stored one. */
export async function keepMine(saver: Saver): Promise<void> {
  const { draft } = saver;
  if (!draft.theirs) return;
  draft.goOnFrom(draft.theirs);
  if (draft.closed && !(await saver.reopen())) return;
  draft.theirs = null;
  draft.keep();
  void saver.send();
}

/** Continues with the stored version. */
export function takeTheirs(saver: Saver): Partial<Payload> {
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
