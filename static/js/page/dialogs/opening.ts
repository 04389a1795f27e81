// Open the dialogs of the desk and handle their results.

import * as notices from "../notices.ts";
import { keepMine, takeTheirs } from "../saving/conflicts.ts";
import { isClosed } from "../server_types.ts";
import { askDialog } from "./ask.ts";
import { compareDialog } from "./compare.ts";
import { type Content, Frame } from "./frame.ts";
import { helpDialog } from "./help.ts";
import { flagDialog, noteDialog, reopenDialog } from "./remarks.ts";
import { settingsDialog } from "./settings.ts";
import { signIn as sendPassword, signInDialog } from "./sign_in.ts";
import type { DialogName } from "../../labelling/actions.ts";
import type { Desk } from "../desk.ts";
import type { Session } from "../sessions/image_session.ts";

export type DialogTitle = DialogName | "compare" | "reopen" | "sign_in";

/** Opens a dialog if no other is open; only the sign-in dialog may cover another one. */
export function openDialog(desk: Desk, name: DialogTitle) {
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

function frame(desk: Desk, name: string, content: Content) {
  const { dialogs } = desk;
  const below = dialogs.current;
  dialogs.current = new Frame(name, content, () => {
    dialogs.current = below;
    if (!below && desk.session) desk.view.focus(desk.session.state);
  });
}

function remark(desk: Desk, name: string, contentOf: typeof noteDialog) {
  if (!desk.session) return;
  if (desk.locked) return void desk.actWhileLocked({ type: "note", note: "" });
  const { answer } = desk.session.state;
  frame(desk, name, contentOf({ answer, act: (action) => refusalOf(desk, action), ...endsOf(desk) }));
}

/** What every dialog may do with itself. */
const endsOf = ({ dialogs }: Desk) => ({
  close: () => dialogs.close(),
  refuse: (text: string) => dialogs.current?.refuse(text),
});

/** Carries out an action for a dialog, and returns the refusal, if any. */
function refusalOf(desk: Desk, action: any) {
  const before = desk.session?.state.message;
  const said = desk.act(action);
  // A message from before the dialog opened is not its refusal.
  return said && said !== before && said.kind === "stop" ? said.text : null;
}

async function help(desk: Desk) {
  try {
    const content = helpDialog({ help: await desk.kit.help(), guide: desk.config.urls.guide, ...endsOf(desk) });
    if (!desk.dialogs.current) frame(desk, "help", content);
  } catch {
    desk.say(notices.unreachableNotice());
  }
}

/** Opens the part of the project's guideline on the current cell. */
function guideline(desk: Desk) {
  const content = desk.view.panel.own.dialog(desk);
  if (content) frame(desk, "guideline", content);
  else desk.say(notices.noRulesNotice());
}

/** Opens the dialog to ask a lead, also on a locked image. */
function ask(desk: Desk, { id }: Session) {
  frame(desk, "ask", askDialog({
    id,
    send: (body) => desk.tools.api.post(id, "question", body),
    sent: () => void (desk.session?.id === id && desk.say(notices.askedNotice())),
    signedOut: () => signIn(desk),
    ...endsOf(desk),
  }));
}

function settings(desk: Desk, { assignment }: Session) {
  frame(desk, "settings", settingsDialog({
    preferences: desk.preferences,
    scored: desk.kit.scored,
    scoreLocked: assignment.batch.score_shown === "never",
    keep: (preferences) => desk.prefer(preferences),
    ...endsOf(desk),
  }));
}

/** Compares this page's version with the stored one. */
function compare(desk: Desk, session: Session) {
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

function taken(desk: Desk, session: Session) {
  session.act({ type: "take", payload: takeTheirs(session.saver) });
  if (session.draft.closed) desk.say(notices.closedNotice(session.draft.status));
  desk.draw();
}

/** Asks for a reason and reopens a submitted image, or resumes a skipped one. */
function reopen(desk: Desk, session: Session) {
  if (!session.draft.closed || session.saver.barred || desk.journey.moving) return;
  if (session.draft.status === "skipped") return void reopened(desk, session, "");
  frame(desk, "reopen", reopenDialog({ reopen: (reason) => void reopened(desk, session, reason), ...endsOf(desk) }));
}

async function reopened(desk: Desk, session: Session, reason: string) {
  const done = await session.saver.reopen(reason);
  if (desk.session !== session || session.saver.barred) return;
  if (!done) return desk.say(notices.notWithdrawnNotice());
  desk.say(session.resting);
  desk.view.focus(session.state);
}

/** Asks the user to sign in again after the session has ended. */
function signIn(desk: Desk) {
  if (desk.dialogs.current?.name === "sign_in") return;
  const { username } = desk.config;
  frame(desk, "sign_in", signInDialog({ username, signIn: (password) => signedIn(desk, password), ...endsOf(desk) }));
}

/** Returns the error, if any. */
async function signedIn({ config, sessions }: Desk, password: string): Promise<string | null> {
  const outcome = await sendPassword(config.urls.login, config.username, password);
  if (outcome === "refused") return "Incorrect password.";
  if (outcome === "failed") return "The server did not respond. Try again.";
  sessions.retry();
  return null;
}
