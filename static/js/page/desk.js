// The desk: takes what a person does to the image at hand, and does what the rules ask for.

import { fromPayload } from "../labelling/payload.js";
import { DEFAULT_WEIGHTS, readWeights } from "../labelling/score.js";
import { restingMessage } from "../labelling/state.js";
import { isBar, isClosed } from "./contract.js";
import { newKey } from "./api.js";
import { compareDialog } from "./dialogs/compare.js";
import { Frame } from "./dialogs/frame.js";
import { helpDialog } from "./dialogs/help.js";
import { flagDialog, noteDialog, reopenDialog } from "./dialogs/remarks.js";
import { settingsDialog } from "./dialogs/settings.js";
import { signInDialog } from "./dialogs/sign_in.js";
import * as notices from "./notices.js";
import { Session } from "./session.js";
import { applySurround, surroundSeen } from "./surround.js";
import { View } from "./view.js";

/** @import { Message } from "../labelling/messages.js" */
/** @import { Action, DialogName, Effect } from "../labelling/state.js" */
/** @import { Api } from "./api.js" */
/** @import { AssignmentState, PageConfig, Preferences } from "./contract.js" */
/** @import { Content } from "./dialogs/frame.js" */
/** @import { Library } from "./library.js" */
/** @import { LocalCopies } from "./local_copies.js" */
/** @import { Outcome } from "./saver.js" */
/** @import { Tabs } from "./tabs.js" */

/** Acts that change nothing of the answer: they go on where nothing may be entered. */
const HARMLESS = new Set([
  "column", "row", "arrow", "edge", "walk", "focus.people", "focus.cell", "focus.pin", "focus.away",
  "navigate", "open", "close", "confirm", "choose", "escape",
]);

/** @typedef {{api: Api, copies: LocalCopies, library: Library, tabs: Tabs}} Tools */

export class Desk {
  /**
   * @param {HTMLElement} element
   * @param {PageConfig} config
   * @param {Tools} tools
   */
  constructor(element, config, tools) {
    this.config = config;
    this.tools = tools;
    this.preferences = config.preferences;
    const weights = Object.keys(config.weights).length ? readWeights(config.weights) : DEFAULT_WEIGHTS;
    this.view = new View(element, config, weights, (id) => tools.api.addressOf(id));
    /** @type {Session | null} */
    this.session = null;
    /** @type {Set<Session>} images left behind whose saving has not come to rest */
    this.behind = new Set();
    /** @type {Frame | null} */
    this.dialog = null;
    /** @type {{id: number, number: number, version: number} | null} */
    this.lastSubmitted = null;
    this.moving = false;
    this.view.stage.offer(surroundSeen(this.preferences.surround));
    this.view.grid.tabbable(!this.preferences.single_keys);
  }

  /**
   * Shows an assignment.
   * @param {AssignmentState} assignment
   * @param {HTMLImageElement} image
   * @param {{submitted?: {number: number, warnings: number} | null, address?: "push" | "keep"}} [how]
   */
  show(assignment, image, { submitted = null, address = "push" } = {}) {
    const { api, copies, library, tabs } = this.tools;
    this.leave();
    const known = [...this.behind].find(({ id }) => id === assignment.id);
    if (known) {
      this.behind.delete(known);
      known.assignment = assignment;
    }
    // Only the image right after a submission can take it back.
    if (!submitted) this.lastSubmitted = null;
    const session = known ?? new Session(assignment, { api, copies, listener: this.listenerFor(assignment.id) }, submitted);
    this.session = session;
    if (address === "push") history.pushState({ id: assignment.id }, "", api.addressOf(assignment.id));
    this.view.show(assignment, image);
    if (session.saver.barred) this.sayBarred(session);
    else if (session.restored) this.say(notices.restoredNotice());
    else if (assignment.request) this.say(notices.requestNotice(assignment.request));
    else if (session.saver.closed) this.say(notices.closedNotice(session.saver.status));
    this.draw();
    this.view.focus(session.state);
    tabs.open(assignment.id);
    for (const id of [assignment.next, assignment.upcoming])
      if (![...this.behind].some((session) => session.id === id)) library.prefetch(id);
  }

  /** The image at hand is left: what is not saved is saved behind the next one. */
  leave() {
    const { session } = this;
    if (!session) return;
    session.saver.flush();
    if (!session.saver.done) this.behind.add(session);
  }

  /** @param {number} id */
  listenerFor(id) {
    return {
      changed: () => this.savingChanged(),
      signedOut: () => this.signIn(),
      refused: (/** @type {string} */ message) => this.sayOf(id, notices.refusedNotice(message)),
      barred: () => void (this.session?.id === id && this.sayBarred(this.session)),
      late: (/** @type {Outcome} */ outcome) => void (this.session?.id === id && this.submitted(outcome)),
      surroundings: () => this.surroundings(),
    };
  }

  savingChanged() {
    for (const session of this.behind) {
      if (!session.saver.done) continue;
      this.behind.delete(session);
      this.tools.library.forget(session.id);
    }
    this.drawSaving();
  }

  drawSaving() {
    if (!this.session) return;
    // An image left behind that is not stored yet comes first: "Saved" speaks for all of them.
    const open = [...this.behind].filter(({ saver }) => !saver.done);
    const { saver } = open.find((each) => each.saver.attempts > 0) ?? open[0] ?? this.session;
    this.view.header.update(saver.shown);
    if (this.view.sheet.dataset.status !== standingOf(this.session)) this.draw();
  }

  /** @returns {import("../labelling/capture.js").Surroundings} */
  surroundings() {
    return {
      viewport: [innerWidth, innerHeight],
      image: this.view.stage.size(),
      pixelRatio: devicePixelRatio,
      surround: surroundSeen(this.preferences.surround),
      scoreShown: this.showsScore,
    };
  }

  get showsScore() {
    return this.preferences.show_score && this.session?.assignment.batch.score_shown === "choice";
  }

  /** Whether nothing may be entered now. */
  get locked() {
    const saver = this.session?.saver;
    return !saver || saver.closed || saver.barred !== null || saver.paused || saver.submitting || this.moving;
  }

  /** @param {Session} session */
  sayBarred({ saver }) {
    if (saver.barred) this.say(notices.barredNotice(saver.barred, !saver.clean));
  }

  /** @param {Message} message */
  say(message) {
    const { session } = this;
    if (!session) return;
    session.state = { ...session.state, message };
    this.draw();
  }

  /** @param {number} id @param {Message} message */
  sayOf(id, message) {
    if (this.session?.id === id) this.say(message);
  }

  draw() {
    const { session } = this;
    if (!session) return;
    const { status, barred, closed, paused } = session.saver;
    this.view.sheet.dataset.status = standingOf(session);
    const locked = closed || paused || barred !== null;
    this.view.update(session.state, { status, barred, showScore: this.showsScore, locked });
    this.drawSaving();
  }

  /**
   * One act of the person.
   * @param {Action} action
   * @returns {Message | null} what was said
   */
  act(action) {
    const { session } = this;
    if (!session) return null;
    if (this.locked && !HARMLESS.has(action.type)) return this.actWhileLocked(action);
    const effects = session.act(action.type === "submit" ? { ...action, offline: !navigator.onLine } : action);
    this.draw();
    for (const effect of effects) this.carryOut(effect);
    return session.state.message;
  }

  /** @param {Action} action @returns {Message | null} */
  actWhileLocked(action) {
    const saver = this.session?.saver;
    if (!saver || this.moving || saver.submitting) return null;
    const { session } = this;
    if ((saver.closed || saver.barred) && action.type === "submit") void this.onwards();
    else if (saver.barred && session) this.sayBarred(session);
    else this.say(saver.paused ? notices.elsewhereNotice() : notices.closedNotice(saver.status));
    return this.session?.state.message ?? null;
  }

  /** @param {Effect} effect */
  carryOut(effect) {
    const { session } = this;
    if (!session) return;
    switch (effect.type) {
      case "focus":
        return this.view.focus(session.state);
      case "submit":
        return void this.submit();
      case "withdraw":
        return void this.withdraw();
      case "navigate":
        return void this.navigate(effect.by);
      case "open":
        return this.open(effect.dialog);
      case "close":
        return this.dialog?.close();
      case "confirm":
        return this.dialog?.confirm();
      case "choose":
        return this.dialog?.choose?.(effect.reason);
      case "skip":
        return void this.skip(effect.reason, effect.note);
    }
  }

  async submit() {
    const { session } = this;
    if (!session || session.saver.submitting) return;
    const outcome = await session.saver.submit();
    if (this.session === session) await this.submitted(outcome);
  }

  /** @param {Outcome} outcome */
  async submitted(outcome) {
    const { session } = this;
    if (!session) return;
    if (outcome.kind === "refused") return this.say(notices.refusedNotice(outcome.message));
    if (outcome.kind === "pending") return this.say(notices.pendingNotice());
    if (outcome.kind === "barred") return this.sayBarred(session);
    if (outcome.kind === "conflict") {
      this.say(notices.conflictNotice());
      return this.compare();
    }
    if (outcome.changed) return this.say(restingMessage(session.state));
    const { assignment, saver } = session;
    this.lastSubmitted = { id: assignment.id, number: assignment.position, version: saver.version };
    const next = outcome.next === undefined ? assignment.upcoming : idIn(outcome.next);
    if (next === null) return this.toQueue(outcome.queue);
    const said = { number: assignment.position, warnings: outcome.warnings };
    await this.go(next, { submitted: said });
  }

  /** @param {string} [queue] */
  toQueue(queue = this.config.urls.queue) {
    location.assign(`${queue}?after=${this.session?.id ?? ""}`);
  }

  /** From a closed image: on to the next open one. */
  async onwards() {
    const { assignment } = this.session ?? {};
    const next = assignment?.next ?? assignment?.upcoming ?? null;
    if (next === null) location.assign(this.config.urls.queue);
    else await this.go(next);
  }

  /** @param {1 | -1} by */
  async navigate(by) {
    const { assignment } = this.session ?? {};
    const id = by > 0 ? assignment?.next : assignment?.previous;
    if (id == null) return this.say(notices.noFurtherNotice(by > 0));
    this.lastSubmitted = null;
    await this.go(id);
  }

  /**
   * Goes to another assignment, in place.
   * @param {number} id
   * @param {{submitted?: {number: number, warnings: number} | null, address?: "push" | "keep"}} [how]
   */
  async go(id, how = {}) {
    if (this.moving) return;
    this.moving = true;
    const { library } = this.tools;
    if (this.session) library.forget(this.session.id);
    const waiting = [...this.behind].find((session) => session.id === id);
    if (waiting) {
      await waiting.saver.settled();
      library.forget(id);
    }
    const ready = await library.take(id);
    this.moving = false;
    if (!ready) return this.say(notices.unreachableNotice());
    this.show(how.submitted ? afterOne(ready.assignment) : ready.assignment, ready.image, how);
  }

  /** Takes the last submission back, as long as nothing was done on this image. */
  async withdraw() {
    const { session, lastSubmitted } = this;
    if (!session?.untouched || !lastSubmitted || this.moving) return;
    this.moving = true;
    const { id, version, number } = lastSubmitted;
    const reply = await this.tools.api.post(id, "reopen", { version, request_key: newKey() });
    this.moving = false;
    if (reply.status === 409 && isBar(reply.body.error)) return this.say(notices.barredNotice(reply.body.error, false));
    if (reply.status !== 200) return this.say(notices.notWithdrawnNotice());
    this.lastSubmitted = null;
    this.tools.library.forget(id);
    this.tools.library.forget(session.id);
    await this.go(id);
    this.say(notices.withdrawnNotice(number));
  }

  /** Opens a closed image for correction; why is asked for once, here. */
  reopen() {
    const { session } = this;
    if (!session?.saver.closed || session.saver.barred || this.moving) return;
    if (session.saver.status === "skipped") return void this.reopened(session, "");
    if (this.dialog) return;
    const close = () => this.dialog?.close();
    this.frame("reopen", reopenDialog({ reopen: (reason) => void this.reopened(session, reason), close }));
  }

  /** @param {Session} session @param {string} reason */
  async reopened(session, reason) {
    const done = await session.saver.reopen(reason);
    if (this.session !== session || session.saver.barred) return;
    if (!done) return this.say(notices.notWithdrawnNotice());
    this.say(restingMessage(session.state));
    this.view.focus(session.state);
  }

  /** @param {string} reason @param {string} note */
  async skip(reason, note) {
    const { session } = this;
    if (!session) return;
    const { saver } = session;
    if (!(await saver.settled())) return this.say(notices.notSkippedNotice(saver.theirs === null));
    const sent = { version: saver.version, reason, note, request_key: newKey() };
    const { status, body } = await this.tools.api.post(session.id, "skip", sent);
    if (status === 401) this.signIn();
    if (status === 409 && isBar(body.error)) return saver.bar(body.error, null);
    if (status !== 200) return this.say(notices.notSkippedNotice(status !== 409));
    saver.status = "skipped";
    const next = idIn(body.next);
    if (next === null) location.assign(body.queue_url);
    else await this.go(next);
  }

  /** @param {DialogName | "compare" | "sign_in"} name */
  open(name) {
    if (this.dialog || !this.session) return;
    const close = () => this.dialog?.close();
    const refuse = (/** @type {string} */ text) => this.dialog?.refuse(text);
    const { answer } = this.session.state;
    /** @param {Action} action */
    const act = (action) => {
      const before = this.session?.state.message;
      const said = this.act(action);
      // What was said before the dialog opened is no answer to it.
      return said && said !== before && said.kind === "stop" ? said.text : null;
    };
    const host = { answer, act, close, refuse };
    switch (name) {
      case "note":
        return this.locked ? void this.actWhileLocked({ type: "note", note: "" }) : this.frame(name, noteDialog(host));
      case "flag":
        return this.locked ? void this.actWhileLocked({ type: "note", note: "" }) : this.frame(name, flagDialog(host));
      case "help":
        return this.frame(name, helpDialog({ guide: this.config.urls.guide, close }));
      case "settings":
        return this.frame(name, settingsDialog({
          preferences: this.preferences,
          scoreLocked: this.session.assignment.batch.score_shown === "never",
          keep: (preferences) => this.prefer(preferences),
          close,
        }));
      case "compare":
        return this.compare();
      case "sign_in":
        return this.signIn();
    }
  }

  /** @param {string} name @param {Content} content */
  frame(name, content) {
    const below = this.dialog;
    const frame = new Frame(name, content, () => {
      this.dialog = below;
      if (!below && this.session) this.view.focus(this.session.state);
    });
    this.dialog = frame;
  }

  /** Mine and theirs, side by side. */
  compare() {
    const { session } = this;
    const theirs = session?.saver.theirs;
    if (!session || !theirs || this.dialog) return;
    this.frame("compare", compareDialog({
      mine: session.state.answer,
      theirs: fromPayload(theirs.payload),
      submitted: isClosed(theirs.status),
      keep: () => void session.saver.keepMine().then(() => this.say(restingMessage(session.state))),
      take: () => this.take(session),
      close: () => this.dialog?.close(),
    }));
  }

  /** @param {Session} session */
  take(session) {
    const payload = session.saver.takeTheirs();
    session.act({ type: "take", payload });
    if (session.saver.closed) this.say(notices.closedNotice(session.saver.status));
    this.draw();
  }

  /** The session has ended. */
  signIn() {
    if (this.dialog?.name === "sign_in") return;
    this.frame("sign_in", signInDialog({
      username: this.config.username,
      signIn: (password) => this.signedIn(password),
      close: () => this.dialog?.close(),
      refuse: (text) => this.dialog?.refuse(text),
    }));
  }

  /** @param {string} password @returns {Promise<string | null>} why it did not work */
  async signedIn(password) {
    const outcome = await this.tools.api.signIn(this.config.username, password);
    if (outcome === "refused") return "That password does not belong to this name.";
    if (outcome === "failed") return "No answer from the server. Try again.";
    this.retry();
    return null;
  }

  /** The line, or the session, may be back. */
  retry() {
    for (const { saver } of [...this.behind, ...(this.session ? [this.session] : [])]) saver.retryNow();
  }

  /** What the button beside the save state does. */
  pressSave() {
    const saver = [...this.behind].find((each) => each.saver.attempts > 0)?.saver ?? this.session?.saver;
    if (saver?.shown.state === "failed") saver.retryNow();
    if (saver?.shown.state === "signed_out") this.signIn();
    if (saver?.shown.state === "changed") this.compare();
    if (saver?.shown.state === "other_tab") void this.workHere();
  }

  /** This tab takes the assignment back from another one. */
  async workHere() {
    const { session } = this;
    if (!session) return;
    await this.tools.tabs.takeOver(session.id);
    const ready = await this.tools.library.load(session.id);
    if (!ready) return this.say(notices.unreachableNotice());
    this.session = null;
    this.show(ready.assignment, ready.image, { address: "keep" });
  }

  /**
   * Another tab has opened an assignment.
   * @param {number} id
   */
  async release(id) {
    const own = [...this.behind, ...(this.session ? [this.session] : [])].find((session) => session.id === id);
    await own?.saver.pause();
    this.draw();
  }

  /**
   * Another tab has let go of an assignment. What it saved last may be newer than what this page began with.
   * @param {number} id
   */
  async released(id) {
    const { session } = this;
    const begun = () => this.session !== session || !session?.untouched || !session.saver.clean || session.saver.paused;
    if (session?.id !== id || begun()) return;
    const ready = await this.tools.library.load(id);
    if (!ready || begun() || ready.assignment.version === session.saver.version) return;
    this.session = null;
    this.show(ready.assignment, ready.image, { address: "keep" });
  }

  /** @param {Preferences} preferences */
  prefer(preferences) {
    this.preferences = preferences;
    applySurround(preferences.surround);
    this.view.stage.offer(surroundSeen(preferences.surround));
    this.view.grid.tabbable(!preferences.single_keys);
    this.draw();
    void this.tools.api.prefer(preferences);
  }

  /** The button on the stage. */
  switchSurround() {
    const surround = surroundSeen(this.preferences.surround) === "dark" ? "light" : "dark";
    this.prefer({ ...this.preferences, surround });
  }

  /** Whether something would be lost if the page went away now. */
  get unsafe() {
    return [...this.behind, ...(this.session ? [this.session] : [])].some(({ saver }) => saver.unsafe);
  }

  /** The page is hidden, or goes away: what is not saved goes out. */
  flush() {
    for (const { saver } of [...this.behind, ...(this.session ? [this.session] : [])]) saver.flush({ keepalive: true });
  }
}

/**
 * What the page was last drawn for, as one word.
 * @param {Session} session
 */
const standingOf = ({ saver }) => saver.barred ?? saver.status;

/** @param {string | null} address of a labelling page */
const idIn = (address) => {
  const found = /\/(\d+)\/$/.exec(address ?? "");
  return found ? Number(found[1]) : null;
};

/**
 * An assignment fetched before the one in front of it was submitted.
 * @param {AssignmentState} assignment
 */
const afterOne = (assignment) => ({
  ...assignment,
  done: Math.min(assignment.total, assignment.done + 1),
});
