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
import { signInDialog } from "./sign_in.js";

/** @import { DialogName } from "../../labelling/actions.js" */
/** @import { Desk } from "../desk.js" */
/** @import { Session } from "../sessions/image_session.js" */
/** @import { Content } from "./frame.js" */

export class Dialogs {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    /** @type {Frame | null} the dialog on top */
    this.current = null;
  }

  close() {
    this.current?.close();
  }

  /** @param {DialogName | "compare" | "sign_in"} name */
  open(name) {
    if (this.current || !this.desk.session) return;
    switch (name) {
      case "note":
        return this.remark(name, noteDialog);
      case "flag":
        return this.remark(name, flagDialog);
      case "ask":
        return this.ask(this.desk.session);
      case "help":
        return this.frame(name, helpDialog({ help: this.desk.kit.help, guide: this.desk.config.urls.guide, close: () => this.close() }));
      case "guideline":
        return this.guideline();
      case "settings":
        return this.settings(this.desk.session);
      case "compare":
        return this.compare();
      case "sign_in":
        return this.signIn();
    }
  }

  /** @param {string} name @param {Content} content */
  frame(name, content) {
    const below = this.current;
    this.current = new Frame(name, content, () => {
      this.current = below;
      const { session, view } = this.desk;
      if (!below && session) view.focus(session.state);
    });
  }

  /** @param {string} name @param {typeof noteDialog} contentOf */
  remark(name, contentOf) {
    const { desk } = this;
    if (!desk.session) return;
    if (desk.locked) return void desk.actWhileLocked({ type: "note", note: "" });
    const { answer } = desk.session.state;
    const refuse = (/** @type {string} */ text) => this.current?.refuse(text);
    this.frame(name, contentOf({ answer, act: (action) => this.refusalOf(action), close: () => this.close(), refuse }));
  }

  /**
   * Carries out an action for a dialog, and returns the refusal, if any.
   * @param {any} action
   */
  refusalOf(action) {
    const before = this.desk.session?.state.message;
    const said = this.desk.act(action);
    // A message from before the dialog opened is not its refusal.
    return said && said !== before && said.kind === "stop" ? said.text : null;
  }

  /** Opens the part of the project's guideline on the current cell. */
  guideline() {
    const { own } = this.desk.view.panel;
    if (own.element.hidden) this.desk.say(notices.noRulesNotice());
    else own.open();
  }

  /** Opens the dialog to ask a lead, also on a locked image. @param {Session} session */
  ask({ id }) {
    const { desk } = this;
    this.frame("ask", askDialog({
      id,
      send: (body) => desk.tools.api.post(id, "question", body),
      sent: () => void (desk.session?.id === id && desk.say(notices.askedNotice())),
      signedOut: () => this.signIn(),
      close: () => this.close(),
      refuse: (text) => this.current?.refuse(text),
    }));
  }

  /** @param {Session} session */
  settings({ assignment }) {
    const { desk } = this;
    this.frame("settings", settingsDialog({
      preferences: desk.preferences,
      scored: desk.kit.scored,
      scoreLocked: assignment.batch.score_shown === "never",
      keep: (preferences) => desk.prefer(preferences),
      close: () => this.close(),
    }));
  }

  /** Compares this page's version with the stored one. */
  compare() {
    const { desk } = this;
    const { session } = desk;
    const theirs = session?.draft.theirs;
    if (!session || !theirs || this.current) return;
    this.frame("compare", compareDialog({
      differences: session.rules.differences(session.state.answer, session.rules.fromPayload(theirs.payload)),
      submitted: isClosed(theirs.status),
      keep: () => void keepMine(session.saver).then(() => desk.say(session.resting)),
      take: () => this.taken(session),
      close: () => this.close(),
    }));
  }

  /** @param {Session} session */
  taken(session) {
    session.act({ type: "take", payload: takeTheirs(session.saver) });
    if (session.draft.closed) this.desk.say(notices.closedNotice(session.draft.status));
    this.desk.draw();
  }

  /** Asks for a reason and reopens a submitted image, or resumes a skipped one. */
  reopen() {
    const { session, journey } = this.desk;
    if (!session?.draft.closed || session.saver.barred || journey.moving) return;
    if (session.draft.status === "skipped") return void this.reopened(session, "");
    if (this.current) return;
    const content = reopenDialog({ reopen: (reason) => void this.reopened(session, reason), close: () => this.close() });
    this.frame("reopen", content);
  }

  /** @param {Session} session @param {string} reason */
  async reopened(session, reason) {
    const { desk } = this;
    const done = await session.saver.reopen(reason);
    if (desk.session !== session || session.saver.barred) return;
    if (!done) return desk.say(notices.notWithdrawnNotice());
    desk.say(session.resting);
    desk.view.focus(session.state);
  }

  /** Asks the user to sign in again after the session has ended. */
  signIn() {
    if (this.current?.name === "sign_in") return;
    this.frame("sign_in", signInDialog({
      username: this.desk.config.username,
      signIn: (password) => this.signedIn(password),
      close: () => this.close(),
      refuse: (text) => this.current?.refuse(text),
    }));
  }

  /** @param {string} password @returns {Promise<string | null>} the error, if any */
  async signedIn(password) {
    const { tools, config, sessions } = this.desk;
    const outcome = await tools.api.signIn(config.username, password);
    if (outcome === "refused") return "Incorrect password.";
    if (outcome === "failed") return "The server did not respond. Try again.";
    sessions.retry();
    return null;
  }
}
