// Saving one assignment. One request at a time; each names the version it replaces and carries a key, so
// that a request sent twice is stored once. A request without an answer is repeated as it was before
// anything newer is sent. "Saved" is said only after the server's answer.

import { fromPayload, toPayload } from "../labelling/payload.js";
import { newKey } from "./api.js";
import { isBar, isClosed } from "./contract.js";

/** @import { Payload } from "../labelling/payload.js" */
/** @import { SaveState } from "../labelling/savetexts.js" */
/** @import { Api, Reply } from "./api.js" */
/** @import { AssignmentState, Bar, Status, Stored } from "./contract.js" */
/** @import { LocalCopies, Sent } from "./local_copies.js" */

const QUIET_MS = 400;
const LONGEST_WAIT_MS = 2000;
const RETRY_SECONDS = [1, 2, 5, 10, 30];
const TICK_MS = 1000;

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** @param {string} moment ISO 8601 */
export const clockTime = (moment) => TIME.format(new Date(moment));

/**
 * The answer as one text, in the order in which this page writes it.
 * @param {Partial<Payload>} payload
 */
export const textOf = (payload) => JSON.stringify(toPayload(fromPayload(payload)));

/**
 * What became of a submission: `pending` means that no answer came and it is tried again.
 * @typedef {(
 *   {kind: "submitted", next: string | null | undefined, queue: string | undefined, warnings: number, changed: boolean}
 *   | {kind: "refused", message: string} | {kind: "conflict"} | {kind: "pending"}
 *   | {kind: "barred"}
 * )} Outcome
 */

/**
 * @typedef {object} Listener
 * @property {() => void} changed the state of the saving, or what is known of the assignment, is another
 * @property {() => void} signedOut
 * @property {(message: string) => void} refused the server does not take the answer
 * @property {() => void} barred changes are not taken any more
 * @property {(outcome: Outcome) => void} late a submission that had to be repeated has its answer
 * @property {() => object} capture
 */

export class Saver {
  /**
   * @param {AssignmentState} state
   * @param {{api: Api, copies: LocalCopies, listener: Listener}} tools
   */
  constructor(state, { api, copies, listener }) {
    this.id = state.id;
    this.api = api;
    this.copies = copies;
    this.listener = listener;
    this.version = state.version;
    /** @type {Status} */
    this.status = state.status;
    /** @type {Bar | null} why nothing can be changed, for good as far as the page knows */
    this.barred = state.barred;
    this.stored = textOf(state.payload);
    /** @type {Payload} */
    this.payload = toPayload(fromPayload(state.payload));
    this.text = this.stored;
    /** @type {Sent | null} sent, and not answered yet */
    this.sent = null;
    this.sending = false;
    this.wantsSubmit = false;
    this.paused = false;
    this.attempts = 0;
    this.firstChange = 0;
    this.kept = true;
    /** @type {Stored | null} what was saved elsewhere */
    this.theirs = null;
    /** @type {SaveState} what is shown while there is nothing to save */
    this.atRest = state.saved_at ? { state: "saved", time: clockTime(state.saved_at) } : { state: "untouched" };
    /** @type {SaveState} */
    this.shown = this.barred ? { state: "barred", by: this.barred, kept: false } : this.atRest;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.ticker = undefined;
    /** @type {((settled: boolean) => void)[]} */
    this.waiters = [];
    /** @type {((outcome: Outcome) => void) | null} */
    this.submission = null;
  }

  get closed() {
    return isClosed(this.status);
  }

  /** Whether the server has everything, as far as the page knows. */
  get clean() {
    return this.text === this.stored && !this.sent && !this.theirs;
  }

  /** Whether there is nothing left to send: the server has it, or will not have it. */
  get done() {
    return this.clean || this.barred !== null;
  }

  /** Whether something would be lost if the page went away now. */
  get unsafe() {
    return !this.clean && !this.kept;
  }

  /** Whether a submission waits for its first answer: the answer must not change under it. */
  get submitting() {
    return this.submission !== null;
  }

  /**
   * Takes over what this browser kept of the assignment. Returns the payload to go on with.
   * @param {import("./local_copies.js").Copy} copy
   * @param {AssignmentState} state
   * @returns {Partial<Payload> | null} null if the copy says nothing new
   */
  adopt(copy, state) {
    const text = textOf(copy.payload);
    const answered = copy.sent !== null && textOf(copy.sent.payload) === this.stored;
    if (text === this.stored) {
      this.copies.remove(this.id, true);
      return null;
    }
    // Where nothing can be changed the copy stays as it is: should the batch be opened again, it is saved then.
    if (this.barred && this.closed) return null;
    this.payload = toPayload(fromPayload(copy.payload));
    this.text = text;
    if (this.barred) {
      this.version = copy.version;
      this.show({ state: "barred", by: this.barred, kept: true });
      return copy.payload;
    }
    const newer = copy.version === state.version || (answered && state.version === copy.version + 1);
    if (!newer || this.closed) {
      this.keep();
      this.conflict({ error: "stale", ...state });
    } else {
      this.sent = copy.version === state.version ? copy.sent : null;
      this.keep();
      this.schedule(0);
    }
    return copy.payload;
  }

  /**
   * The answer is another now.
   * @param {Payload} payload
   */
  changed(payload) {
    this.payload = payload;
    this.text = JSON.stringify(payload);
    if (this.paused) return;
    if (this.clean) return this.rest();
    this.keep();
    if (this.sent || this.theirs) return;
    const now = performance.now();
    if (this.timer === undefined) this.firstChange = now;
    this.schedule(Math.min(QUIET_MS, Math.max(0, this.firstChange + LONGEST_WAIT_MS - now)));
    this.show({ state: "saving" });
  }

  /** The server has what the page shows. */
  rest() {
    this.stopTimers();
    this.attempts = 0;
    this.copies.remove(this.id);
    this.show(this.atRest);
    this.settle(true);
  }

  /** Writes the local copy. */
  keep() {
    this.kept = this.copies.write(this.id, { version: this.version, payload: this.payload, sent: this.sent });
  }

  /**
   * Saves at once what is not saved yet.
   * @param {{keepalive?: boolean}} [options]
   */
  flush(options) {
    if (!this.done && !this.theirs && !this.paused) void this.send(options);
  }

  /**
   * Resolves when the server has everything (true), or cannot be reached for now (false).
   * @returns {Promise<boolean>}
   */
  settled() {
    if (this.clean) return Promise.resolve(true);
    if (this.theirs || this.paused || this.barred) return Promise.resolve(false);
    const settled = new Promise((/** @type {(settled: boolean) => void} */ resolve) => this.waiters.push(resolve));
    void this.send();
    return settled;
  }

  /**
   * Submits the answer as it stands.
   * @returns {Promise<Outcome>}
   */
  submit() {
    if (this.barred) return Promise.resolve({ kind: "barred" });
    if (this.theirs) return Promise.resolve({ kind: "conflict" });
    this.wantsSubmit = true;
    const outcome = new Promise((/** @type {(outcome: Outcome) => void} */ resolve) => (this.submission = resolve));
    void this.send();
    return outcome;
  }

  /** Another tab works on this assignment. */
  async pause() {
    if (!this.done && !this.theirs) await this.settled();
    this.paused = true;
    this.stopTimers();
    this.settle(false);
    this.show({ state: "other_tab" });
  }

  stopTimers() {
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    this.timer = undefined;
  }

  /** @param {number} milliseconds */
  schedule(milliseconds) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.send(), milliseconds);
  }

  /** @param {{keepalive?: boolean}} [options] */
  async send(options) {
    this.stopTimers();
    if (this.sending || this.paused || this.theirs || this.barred) return;
    if (!this.sent) {
      if (this.text === this.stored && !this.wantsSubmit) return this.rest();
      this.sent = { key: newKey(), version: this.version, payload: this.payload, submit: this.wantsSubmit };
      this.wantsSubmit = false;
    }
    this.keep();
    this.sending = true;
    this.show({ state: "saving" });
    const { key, version, payload, submit } = this.sent;
    const body = { version, payload, capture: this.listener.capture(), request_key: key };
    const reply = await this.api.post(this.id, submit ? "submit" : "save", body, options);
    this.sending = false;
    this.answered(reply, this.sent);
  }

  /**
   * @param {Reply} reply
   * @param {Sent} sent
   */
  answered({ status, body }, sent) {
    if (status === 200) return this.stands(body, sent);
    if (status === 401 || (status === 403 && body.error === "csrf")) return this.again("signed_out");
    if (status === 409 && isBar(body.error)) return this.bar(body.error, sent);
    if (status === 409) return this.refusedFor(body, sent);
    if (status === 422 || status === 400 || status === 413) return this.invalid(body, sent);
    return this.again(status === 0 && !navigator.onLine ? "offline" : "failed");
  }

  /** @param {any} body @param {Sent} sent */
  stands(body, sent) {
    this.sent = null;
    this.attempts = 0;
    this.version = body.version;
    this.status = body.status;
    this.stored = JSON.stringify(sent.payload);
    this.savedAt(body.saved_at ?? body.submitted_at);
    if (sent.submit) return this.submitted(body);
    if (this.wantsSubmit) return void this.send();
    if (this.clean) return this.rest();
    this.keep();
    this.goOn();
  }

  /** @param {string | null} moment */
  savedAt(moment) {
    this.atRest = { state: "saved", time: clockTime(moment ?? new Date().toISOString()) };
  }

  goOn() {
    if (this.waiters.length) void this.send();
    else {
      this.firstChange = performance.now();
      this.schedule(QUIET_MS);
    }
  }

  /** @param {any} body */
  submitted(body) {
    const changed = this.text !== this.stored;
    if (changed) {
      // Somebody typed on while the submission was repeated: it is taken back and the draft goes on.
      this.keep();
      this.settle(false);
      void this.reopen().then((reopened) => reopened && this.goOn());
    } else this.rest();
    this.outcome({
      kind: "submitted",
      next: body.next,
      queue: body.queue_url,
      warnings: body.warnings.length,
      changed,
    });
  }

  /**
   * Withdraws the submission.
   * @param {string} [reason] what is to be corrected
   * @returns {Promise<boolean>}
   */
  async reopen(reason = "") {
    const body = { version: this.version, request_key: newKey(), reason };
    const reply = await this.api.post(this.id, "reopen", body);
    if (reply.status === 409 && isBar(reply.body.error)) this.bar(reply.body.error, null);
    if (reply.status !== 200) return false;
    this.version = reply.body.version;
    this.status = reply.body.status;
    this.listener.changed();
    return true;
  }

  /**
   * The batch was closed, or the image given to somebody else: what is not saved stays on this device.
   * @param {Bar} by
   * @param {Sent | null} sent
   */
  bar(by, sent) {
    this.barred = by;
    this.sent = null;
    this.stopTimers();
    this.settle(false);
    if (!this.clean) this.keep();
    this.show({ state: "barred", by, kept: !this.clean && this.kept });
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
   * No answer, or none that counts: the same request again, later.
   * @param {"failed" | "offline" | "signed_out"} state
   */
  again(state) {
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)] ?? 30;
    this.attempts += 1;
    this.settle(false);
    if (this.submission) this.outcome({ kind: "pending" });
    if (state === "signed_out") {
      this.show({ state });
      return this.listener.signedOut();
    }
    const due = performance.now() + seconds * 1000;
    const say = () => {
      const left = Math.max(1, Math.round((due - performance.now()) / 1000));
      this.show(state === "offline" ? { state } : { state, seconds: left });
    };
    say();
    this.schedule(seconds * 1000);
    this.ticker = window.setInterval(say, TICK_MS);
  }

  /**
   * What is stored is not what this page started from.
   * @param {Stored} stored
   * @param {Sent} sent
   */
  refusedFor(stored, sent) {
    this.sent = null;
    const theirs = textOf(stored.payload);
    const closed = isClosed(stored.status);
    if (stored.error === "key_reused") {
      this.wantsSubmit = sent.submit;
      return void this.send();
    }
    if (closed && theirs === this.text) return this.saidAlready(stored, sent);
    // What was sent is a base as good as what was stored: this page has gone on from it.
    if (closed || ![this.text, this.stored, textOf(sent.payload)].includes(theirs)) {
      this.conflict(stored);
      return sent.submit ? this.outcome({ kind: "conflict" }) : undefined;
    }
    // The same answer under another version: saved from another tab, or reopened there.
    this.version = stored.version;
    this.status = stored.status;
    this.stored = theirs;
    this.savedAt(stored.saved_at);
    this.wantsSubmit ||= sent.submit;
    if (!this.clean || this.wantsSubmit) return void this.send();
    this.rest();
  }

  /** @param {Stored} stored @param {Sent} sent */
  saidAlready(stored, sent) {
    this.version = stored.version;
    this.status = stored.status;
    this.stored = this.text;
    this.savedAt(stored.saved_at);
    this.rest();
    if (sent.submit)
      this.outcome({ kind: "submitted", next: undefined, queue: undefined, warnings: 0, changed: false });
  }

  /** @param {Stored} stored */
  conflict(stored) {
    this.theirs = stored;
    this.stopTimers();
    this.settle(false);
    this.show({ state: "changed" });
  }

  /**
   * Goes on with this page's answer, replacing theirs knowingly.
   * @returns {Promise<void>}
   */
  async keepMine() {
    const { theirs } = this;
    if (!theirs) return;
    this.version = theirs.version;
    this.status = theirs.status;
    this.stored = textOf(theirs.payload);
    if (this.closed && !(await this.reopen())) return;
    this.theirs = null;
    this.keep();
    void this.send();
  }

  /**
   * Goes on with theirs.
   * @returns {Partial<Payload>}
   */
  takeTheirs() {
    const { theirs } = this;
    if (!theirs) return this.payload;
    this.version = theirs.version;
    this.status = theirs.status;
    this.stored = textOf(theirs.payload);
    this.theirs = null;
    this.copies.remove(this.id, true);
    this.savedAt(theirs.saved_at);
    this.show(this.atRest);
    return theirs.payload;
  }

  /**
   * The server's word is final: the draft stays here until it is changed.
   * @param {any} body
   * @param {Sent} sent
   */
  invalid(body, sent) {
    this.sent = null;
    this.keep();
    const [first] = Object.values(/** @type {Record<string, string[]>} */ (body.errors ?? {}));
    const message = first?.join(" ") ?? "Refused: the server cannot read this answer.";
    this.settle(false);
    if (sent.submit) this.outcome({ kind: "refused", message });
    else this.listener.refused(message);
    if (!this.clean) this.again("failed");
  }

  /** The line, or the session, may be back. */
  retryNow() {
    if (!this.sending && !this.done && this.attempts > 0) void this.send();
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
