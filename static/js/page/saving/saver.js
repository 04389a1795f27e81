// Save one assignment, one request at a time. Each request names the version it replaces and carries an
// idempotency key. A request without a reply is retried unchanged before anything newer is sent. "Saved"
// appears only after the server has replied.

import { newKey } from "../api.js";
import { isBar } from "../server_types.js";
import { meet } from "./conflicts.js";
import { Draft } from "./draft.js";
import { meaningOf, refusalIn } from "./replies.js";
import { Timers } from "./timers.js";

/** @import { Effort } from "../../labelling/capture.js" */
/** @import { SaveState } from "../../labelling/save_texts.js" */
/** @import { Api, Reply } from "../api.js" */
/** @import { Rules } from "../protocol_kit.js" */
/** @import { AssignmentState, Bar, Payload, Stored } from "../server_types.js" */
/** @import { Copy, LocalCopies, Sent } from "./local_copies.js" */
/** @import { Outcome } from "./replies.js" */

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** @param {string} moment ISO 8601 */
const clockTime = (moment) => TIME.format(new Date(moment));

/**
 * @typedef {object} Listener
 * @property {() => void} changed the save state or the assignment has changed
 * @property {() => void} signedOut
 * @property {(message: string) => void} refused the server has refused the annotation
 * @property {() => void} barred the annotation is locked
 * @property {(outcome: Outcome) => void} late the reply to a retried submission has arrived
 * @property {() => object} capture
 * @property {() => Effort} effort the part of the capture from which a later opening continues
 */

export class Saver {
  /**
   * @param {AssignmentState} state
   * @param {{api: Api, copies: LocalCopies, rules: Rules, listener: Listener}} tools
   */
  constructor(state, { api, copies, rules, listener }) {
    this.api = api;
    this.listener = listener;
    this.draft = new Draft(state, copies, rules, listener.effort);
    this.timers = new Timers(() => void this.send(), rules.quietMs);
    /** @type {Bar | null} why the annotation is locked, permanently as far as the page knows */
    this.barred = state.barred;
    this.sending = false;
    this.wantsSubmit = false;
    this.paused = false;
    /** @type {SaveState} shown while there is nothing to save */
    this.atRest = state.saved_at ? { state: "saved", time: clockTime(state.saved_at) } : { state: "untouched" };
    /** @type {SaveState} */
    this.shown = this.barred ? { state: "barred", by: this.barred, kept: false } : this.atRest;
    /** @type {((settled: boolean) => void)[]} */
    this.waiters = [];
    /** @type {((outcome: Outcome) => void) | null} */
    this.submission = null;
  }

  /** Whether there is nothing left to send: everything is stored, or the annotation is locked. */
  get done() {
    return this.draft.clean || this.barred !== null;
  }

  /** Whether a submission is waiting for its first reply. The annotation must not change in the meantime. */
  get submitting() {
    return this.submission !== null;
  }

  /** Whether the last request failed. */
  get troubled() {
    return this.timers.attempts > 0;
  }

  /**
   * Adopts the local copy of this browser. Returns the payload to continue with.
   * @param {Copy} copy
   * @param {AssignmentState} state
   * @returns {Partial<Payload> | null} null if the copy contains nothing new
   */
  adopt(copy, state) {
    const { draft } = this;
    if (draft.textOf(copy.payload) === draft.stored) {
      draft.forget(true);
      return null;
    }
    // Keep the copy of a locked annotation: it is saved if the batch is reopened.
    if (this.barred && draft.closed) return null;
    draft.change(draft.written(copy.payload));
    if (this.barred) {
      draft.version = copy.version;
      this.show({ state: "barred", by: this.barred, kept: true });
      return copy.payload;
    }
    const answered = copy.sent !== null && draft.textOf(copy.sent.payload) === draft.stored;
    const newer = copy.version === state.version || (answered && state.version === copy.version + 1);
    if (newer && !draft.closed) draft.sent = copy.version === state.version ? copy.sent : null;
    draft.keep();
    if (newer && !draft.closed) this.timers.in(0);
    else this.conflict({ error: "stale", ...state });
    return copy.payload;
  }

  /**
   * Takes a changed payload and schedules its saving.
   * @param {Payload} payload
   */
  changed(payload) {
    this.draft.change(payload);
    if (this.paused) return;
    if (this.draft.clean) return this.rest();
    this.draft.keep();
    if (this.draft.sent || this.draft.theirs) return;
    this.timers.afterChange();
    this.show({ state: "saving" });
  }

  /** Comes to rest: nothing is left to save. */
  rest() {
    this.timers.stop();
    this.timers.answered();
    this.draft.forget();
    this.show(this.atRest);
    this.settle(true);
  }

  /**
   * Saves unsaved changes immediately.
   * @param {{keepalive?: boolean}} [options]
   */
  flush(options) {
    if (!this.done && !this.draft.theirs && !this.paused) void this.send(options);
  }

  /**
   * Resolves to true once everything is stored, or to false if that is not possible for now.
   * @returns {Promise<boolean>}
   */
  settled() {
    if (this.draft.clean) return Promise.resolve(true);
    if (this.draft.theirs || this.paused || this.barred) return Promise.resolve(false);
    const settled = new Promise((/** @type {(settled: boolean) => void} */ resolve) => this.waiters.push(resolve));
    void this.send();
    return settled;
  }

  /**
   * Submits the annotation.
   * @returns {Promise<Outcome>}
   */
  submit() {
    if (this.barred) return Promise.resolve({ kind: "barred" });
    if (this.draft.theirs) return Promise.resolve({ kind: "conflict" });
    this.wantsSubmit = true;
    const outcome = new Promise((/** @type {(outcome: Outcome) => void} */ resolve) => (this.submission = resolve));
    void this.send();
    return outcome;
  }

  /** Pauses because another tab is working on this assignment. */
  async pause() {
    if (!this.done && !this.draft.theirs) await this.settled();
    this.paused = true;
    this.timers.stop();
    this.settle(false);
    this.show({ state: "other_tab" });
  }

  /** @param {{keepalive?: boolean}} [options] */
  async send(options) {
    const { draft } = this;
    this.timers.stop();
    if (this.sending || this.paused || draft.theirs || this.barred) return;
    if (!draft.sent) {
      if (!draft.differs && !this.wantsSubmit) return this.rest();
      draft.sent = { key: newKey(), version: draft.version, payload: draft.payload, submit: this.wantsSubmit };
      this.wantsSubmit = false;
    }
    draft.keep();
    this.sending = true;
    this.show({ state: "saving" });
    const { key, version, payload, submit } = draft.sent;
    const body = { version, payload, capture: this.listener.capture(), request_key: key };
    const reply = await this.api.post(draft.id, submit ? "submit" : "save", body, options);
    this.sending = false;
    this.answered(reply, draft.sent);
  }

  /**
   * @param {Reply} reply
   * @param {Sent} sent
   */
  answered(reply, sent) {
    const meaning = meaningOf(reply);
    switch (meaning) {
      case "stands":
        return this.stands(reply.body, sent);
      case "barred":
        return this.bar(reply.body.error, sent);
      case "elsewhere":
        return meet(this, reply.body, sent);
      case "invalid":
        return this.invalid(reply.body, sent);
      default:
        return this.again(meaning);
    }
  }

  /** @param {any} body @param {Sent} sent */
  stands(body, sent) {
    const { draft } = this;
    this.timers.answered();
    draft.stands(sent.payload, body);
    this.savedAt(body.saved_at ?? body.submitted_at);
    if (sent.submit) return this.submitted(body);
    if (this.wantsSubmit) return void this.send();
    if (draft.clean) return this.rest();
    draft.keep();
    this.goOn();
  }

  /** @param {string | null} moment */
  savedAt(moment) {
    this.atRest = { state: "saved", time: clockTime(moment ?? new Date().toISOString()) };
  }

  goOn() {
    if (this.waiters.length) void this.send();
    else this.timers.afterChange();
  }

  /** @param {any} body */
  submitted(body) {
    const changed = this.draft.differs;
    if (changed) {
      // Edited while the submission was being retried: reopen it and continue with the draft.
      this.draft.keep();
      this.settle(false);
      void this.reopen().then((reopened) => reopened && this.goOn());
    } else this.rest();
    const { next, state, queue_url: queue, feedback_url: feedback } = body;
    this.outcome({ kind: "submitted", next, state, queue, feedback, changed });
  }

  /**
   * Withdraws the submission.
   * @param {string} [reason] what needs correcting
   * @returns {Promise<boolean>}
   */
  async reopen(reason = "") {
    const { draft } = this;
    const { status, body } = await this.api.post(draft.id, "reopen", { version: draft.version, request_key: newKey(), reason });
    if (status === 409 && isBar(body.error)) this.bar(body.error, null);
    if (status !== 200) return false;
    draft.version = body.version;
    draft.status = body.status;
    this.listener.changed();
    return true;
  }

  /**
   * Locks the annotation; unsaved changes stay on this device.
   * @param {Bar} by
   * @param {Sent | null} sent
   */
  bar(by, sent) {
    const { draft } = this;
    this.barred = by;
    draft.sent = null;
    this.timers.stop();
    this.settle(false);
    if (!draft.clean) draft.keep();
    this.show({ state: "barred", by, kept: !draft.clean && draft.kept });
    if (sent?.submit) this.outcome({ kind: "barred" });
    else this.listener.barred();
  }

  /** @param {Outcome} outcome */
  outcome(outcome) {
    const tell = this.submission;
    this.submission = null;
    if (tell) tell(outcome);
    else this.listener.late(outcome);
  }

  /**
   * Retries the same request later.
   * @param {"failed" | "offline" | "signed_out"} state
   */
  again(state) {
    this.settle(false);
    if (this.submission) this.outcome({ kind: "pending" });
    if (state === "signed_out") {
      this.timers.again(null);
      this.show({ state });
      return this.listener.signedOut();
    }
    this.timers.again((seconds) => this.show(state === "offline" ? { state } : { state, seconds }));
  }

  /** @param {Stored} stored the version saved elsewhere */
  conflict(stored) {
    this.draft.theirs = stored;
    this.timers.stop();
    this.settle(false);
    this.show({ state: "changed" });
  }

  /**
   * Handles a refused payload: the draft stays here until it is changed.
   * @param {any} body
   * @param {Sent} sent
   */
  invalid(body, sent) {
    this.draft.sent = null;
    this.draft.keep();
    this.settle(false);
    const message = refusalIn(body);
    if (sent.submit) this.outcome({ kind: "refused", message });
    else this.listener.refused(message);
    if (!this.draft.clean) this.again("failed");
  }

  /** Retries now: the connection or the session may be back. */
  retryNow() {
    if (!this.sending && !this.done && this.troubled) void this.send();
  }

  /** @param {boolean} settled */
  settle(settled) {
    for (const waiter of this.waiters.splice(0)) waiter(settled);
  }

  /** @param {SaveState} shown */
  show(shown) {
    this.shown = shown;
    this.listener.changed();
  }
}
