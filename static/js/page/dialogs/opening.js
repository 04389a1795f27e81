// Open the dialogs of the desk and handle their results.

import * as notices from "../notices.js";
import { keepMine, takeTheirs } from "../saving/conflicts.js";
import { isClosed } from "../server_types.js";
import { askDialog } from "./ask.js";
import { compareDialog } from "./compare.js";
import { Frame } from "./frame.js";
import { helpDialog } from "./help.js";
import { flagDialog, noteDialog, reopenDialog } from "./remarks.js";
import { settingsDialog } from "./settings.js";
import { signIn as sendPassword, signInDialog } from "./sign_in.js";

/** @import { DialogName } from "../../labelling/actions.js" */
/** @import { Desk } from "../desk.js" */
/** @import { Session } from "../sessions/image_session.js" */
/** @import { Content } from "./frame.js" */

/** @typedef {DialogName | "compare" | "reopen" | "sign_in"} DialogTitle */

/**
 * Opens a dialog if no other is open; only the sign-in dialog may cover another one.
 * @param {Desk} desk
 * @param {DialogTitle} name
 */
export function openDialog(desk, name) {
  const { session } = desk;
  if (name === "sign_in") return signIn(desk);
  if (desk.dialogs.current || !session) return;
  switch (name) {
    case "note":
      return remark(desk, name, noteDialog);
    case "flag":
      return remark(desk, name, flagDialog);
    case "ask":
      return ask(desk, session);
    case "help":
      return void help(desk);
    case "guideline":
      return guideline(desk);
    case "settings":
      return settings(desk, session);
    case "compare":
      return compare(desk, session);
    case "reopen":
      return reopen(desk, session);
  }
}

/** @param {Desk} desk @param {string} name @param {Content} content */
function frame(desk, name, content) {
  const { dialogs } = desk;
  const below = dialogs.current;
  dialogs.current = new Frame(name, content, () => {
    dialogs.current = below;
    if (!below && desk.session) desk.view.focus(desk.session.state);
  });
}

/** @param {Desk} desk @param {string} name @param {typeof noteDialog} contentOf */
function remark(desk, name, contentOf) {
  if (!desk.session) return;
  if (desk.locked) return void desk.actWhileLocked({ type: "note", note: "" });
  const { answer } = desk.session.state;
  frame(desk, name, contentOf({ answer, act: (action) => refusalOf(desk, action), ...endsOf(desk) }));
}

/** What every dialog may do with itself. @param {Desk} desk */
const endsOf = ({ dialogs }) => ({
  close: () => dialogs.close(),
  refuse: (/** @type {string} */ text) => dialogs.current?.refuse(text),
});

/**
 * Carries out an action for a dialog, and returns the refusal, if any.
 * @param {Desk} desk
 * @param {any} action
 */
function refusalOf(desk, action) {
  const before = desk.session?.state.message;
  const said = desk.act(action);
  // A message from before the dialog opened is not its refusal.
  return said && said !== before && said.kind === "stop" ? said.text : null;
}

/** @param {Desk} desk */
async function help(desk) {
  try {
    const content = helpDialog({ help: await desk.kit.help(), guide: desk.config.urls.guide, ...endsOf(desk) });
    if (!desk.dialogs.current) frame(desk, "help", content);
  } catch {
    desk.say(notices.unreachableNotice());
  }
}

/** Opens the part of the project's guideline on the current cell. @param {Desk} desk */
function guideline(desk) {
  const content = desk.view.panel.own.dialog(desk);
  if (content) frame(desk, "guideline", content);
  else desk.say(notices.noRulesNotice());
}

/** Opens the dialog to ask a lead, also on a locked image. @param {Desk} desk @param {Session} session */
function ask(desk, { id }) {
  frame(desk, "ask", askDialog({
    id,
    send: (body) => desk.tools.api.post(id, "question", body),
    sent: () => void (desk.session?.id === id && desk.say(notices.askedNotice())),
    signedOut: () => signIn(desk),
    ...endsOf(desk),
  }));
}

/** @param {Desk} desk @param {Session} session */
function settings(desk, { assignment }) {
  frame(desk, "settings", settingsDialog({
    preferences: desk.preferences,
    scored: desk.kit.scored,
    scoreLocked: assignment.batch.score_shown === "never",
    keep: (preferences) => desk.prefer(preferences),
    ...endsOf(desk),
  }));
}

/** Compares this page's version with the stored one. @param {Desk} desk @param {Session} session */
function compare(desk, session) {
  const { theirs } = session.draft;
  if (!theirs) return;
  frame(desk, "compare", compareDialog({
    differences: session.rules.differences(session.state.answer, session.rules.fromPayload(theirs.payload)),
    submitted: isClosed(theirs.status),
    keep: () => void keepMine(session.saver).then(() => desk.say(session.resting)),
    take: () => taken(desk, session),
    ...endsOf(desk),
  }));
}

/** @param {Desk} desk @param {Session} session */
function taken(desk, session) {
  session.act({ type: "take", payload: takeTheirs(session.saver) });
  if (session.draft.closed) desk.say(notices.closedNotice(session.draft.status));
  desk.draw();
}

/** Asks for a reason and reopens a submitted image, or resumes a skipped one. @param {Desk} desk @param {Session} session */
function reopen(desk, session) {
  if (!session.draft.closed || session.saver.barred || desk.journey.moving) return;
  if (session.draft.status === "skipped") return void reopened(desk, session, "");
  frame(desk, "reopen", reopenDialog({ reopen: (reason) => void reopened(desk, session, reason), ...endsOf(desk) }));
}

/** @param {Desk} desk @param {Session} session @param {string} reason */
async function reopened(desk, session, reason) {
  const done = await session.saver.reopen(reason);
  if (desk.session !== session || session.saver.barred) return;
  if (!done) return desk.say(notices.notWithdrawnNotice());
  desk.say(session.resting);
  desk.view.focus(session.state);
}

/** Asks the user to sign in again after the session has ended. @param {Desk} desk */
function signIn(desk) {
  if (desk.dialogs.current?.name === "sign_in") return;
  const { username } = desk.config;
  frame(desk, "sign_in", signInDialog({ username, signIn: (password) => signedIn(desk, password), ...endsOf(desk) }));
}

/** @param {Desk} desk @param {string} password @returns {Promise<string | null>} the error, if any */
async function signedIn({ config, sessions }, password) {
  const outcome = await sendPassword(config.urls.login, config.username, password);
  if (outcome === "refused") return "Incorrect password.";
  if (outcome === "failed") return "The server did not respond. Try again.";
  sessions.retry();
  return null;
}
