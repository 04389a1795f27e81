// Save one assignment, one request at a time. Each request names the version it replaces and carries an idempotency
// key. A request without a reply is retried unchanged before anything newer is sent. "Saved" appears only after the
// server has replied. Schedule saves: shortly after the last change, and retries after a failure. Interpret replies to
// saves and submissions.

import { type Api, newKey, type Reply } from "../api.ts";
import { type AssignmentState, type Bar, isBar, type Payload, type Stored } from "../server_types.ts";
import { meet } from "./conflicts.ts";
import { Draft } from "./draft.ts";
import type { Effort } from "../../labelling/capture.ts";
import type { SaveState } from "../../labelling/save_texts.ts";
import type { Rules } from "../protocol_kit.ts";
import type { Copy, LocalCopies, Sent } from "./local_copies.ts";

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** The moment is in ISO 8601. */
const savedAt = (moment: string): SaveState => ({ state: "saved", time: TIME.format(new Date(moment)) });

export interface Listener {
  changed: () => void; // the save state or the assignment has changed
  signedOut: () => void;
  refused: (message: string) => void; // the server has refused the annotation
  barred: () => void; // the annotation is locked
  late: (outcome: Outcome) => void; // the reply to a retried submission has arrived
  capture: () => object;
  effort: () => Effort; // the part of the capture from which a later opening continues
}

export class Saver {
  readonly listener = this.tools.listener;
  readonly draft = new Draft(this.state, this.tools.copies, this.tools.rules, this.listener.effort);
  readonly timers = new Timers(() => void this.send(), this.tools.rules.quietMs);
  /** Why the annotation is locked, permanently as far as the page knows. */
  barred = this.state.barred;
  sending = false;
  wantsSubmit = false;
  paused = false;
  /** Shown while there is nothing to save. */
  atRest: SaveState = this.state.saved_at ? savedAt(this.state.saved_at) : { state: "untouched" };
  shown: SaveState = this.barred ? { state: "barred", by: this.barred, kept: false } : this.atRest;
  readonly waiters: ((settled: boolean) => void)[] = [];
  submission: ((outcome: Outcome) => void) | null = null;

  constructor(
    readonly state: AssignmentState,
    readonly tools: { api: Api; copies: LocalCopies; rules: Rules; listener: Listener },
  ) {}

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
   * Adopts the local copy of this browser. Returns the payload to continue with; null if the copy contains nothing new.
   */
  adopt(copy: Copy, state: AssignmentState): Partial<Payload> | null {
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

  /** Takes a changed payload and schedules its saving. */
  changed(payload: Payload) {
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
    this.timers.attempts = 0;
    this.draft.forget();
    this.show(this.atRest);
    this.settle(true);
  }

  /** Saves unsaved changes immediately. */
  flush(options?: { keepalive?: boolean }) {
    if (!this.done && !this.draft.theirs && !this.paused) void this.send(options);
  }

  /** Resolves to true once everything is stored, or to false if that is not possible for now. */
  settled(): Promise<boolean> {
    if (this.draft.clean) return Promise.resolve(true);
    if (this.draft.theirs || this.paused || this.barred) return Promise.resolve(false);
    const settled = new Promise((resolve: (settled: boolean) => void) => this.waiters.push(resolve));
    void this.send();
    return settled;
  }

  /** Submits the annotation. */
  submit(): Promise<Outcome> {
    if (this.barred) return Promise.resolve({ kind: "barred" });
    if (this.draft.theirs) return Promise.resolve({ kind: "conflict" });
    this.wantsSubmit = true;
    const outcome = new Promise((resolve: (outcome: Outcome) => void) => (this.submission = resolve));
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

  async send(options?: { keepalive?: boolean }) {
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
    const reply = await this.tools.api.post(draft.id, submit ? "submit" : "save", body, options);
    this.sending = false;
    this.answered(reply, draft.sent);
  }

  answered(reply: Reply, sent: Sent) {
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

  stands(body: any, sent: Sent) {
    const { draft } = this;
    this.timers.attempts = 0;
    draft.stands(sent.payload, body);
    this.savedAt(body.saved_at ?? body.submitted_at);
    if (sent.submit) return this.submitted(body);
    if (this.wantsSubmit) return void this.send();
    if (draft.clean) return this.rest();
    draft.keep();
    this.goOn();
  }

  savedAt(moment: string | null) {
    this.atRest = savedAt(moment ?? new Date().toISOString());
  }

  goOn() {
    if (this.waiters.length) void this.send();
    else this.timers.afterChange();
  }

  submitted(body: any) {
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

  /** Withdraws the submission; the reason says what needs correcting. */
  async reopen(reason = ""): Promise<boolean> {
    const { draft } = this;
    const { status, body } = await this.tools.api.post(draft.id, "reopen", { version: draft.version, request_key: newKey(), reason });
    if (status === 409 && isBar(body.error)) this.bar(body.error, null);
    if (status !== 200) return false;
    draft.version = body.version;
    draft.status = body.status;
    this.listener.changed();
    return true;
  }

  /** Locks the annotation; unsaved changes stay on this device. */
  bar(by: Bar, sent: Sent | null) {
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

  outcome(outcome: Outcome) {
    const tell = this.submission;
    this.submission = null;
    if (tell) tell(outcome);
    else this.listener.late(outcome);
  }

  /** Retries the same request later. */
  again(state: "failed" | "offline" | "signed_out") {
    this.settle(false);
    if (this.submission) this.outcome({ kind: "pending" });
    if (state === "signed_out") {
      this.timers.again(null);
      this.show({ state });
      return this.listener.signedOut();
    }
    this.timers.again((seconds) => this.show(state === "offline" ? { state } : { state, seconds }));
  }

  /** Another version has been saved elsewhere. */
  conflict(stored: Stored) {
    this.draft.theirs = stored;
    this.timers.stop();
    this.settle(false);
    this.show({ state: "changed" });
  }

  /** Handles a refused payload: the draft stays here until it is changed. */
  invalid(body: any, sent: Sent) {
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

  settle(settled: boolean) {
    for (const waiter of this.waiters.splice(0)) waiter(settled);
  }

  show(shown: SaveState) {
    this.shown = shown;
    this.listener.changed();
  }
}

const QUIET_MS = 400;
const LONGEST_WAIT_MS = 2000;
const RETRY_SECONDS = [1, 2, 5, 10, 30];
const TICK_MS = 1000;

class Timers {
  /** Consecutive failures. */
  attempts = 0;
  firstChange = 0;
  timer: number | undefined = undefined;
  ticker: number | undefined = undefined;

  /** `quietMs` is the time from the last change to its saving. */
  constructor(readonly send: () => void, readonly quietMs: number = QUIET_MS) {}

  /** Schedules a save after a quiet period, but no later than LONGEST_WAIT_MS after the first change. */
  afterChange() {
    const now = performance.now();
    if (this.timer === undefined) this.firstChange = now;
    this.in(Math.min(this.quietMs, Math.max(0, this.firstChange + LONGEST_WAIT_MS - now)));
  }

  in(milliseconds: number) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.send, milliseconds);
  }

  /**
   * Schedules a retry. Without `say`, there is no automatic retry. `say` is called every second with the number of
   * seconds left.
   */
  again(say: ((seconds: number) => void) | null) {
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)] ?? 30;
    this.attempts += 1;
    if (!say) return;
    const due = performance.now() + seconds * 1000;
    const tick = () => say(Math.max(1, Math.round((due - performance.now()) / 1000)));
    tick();
    this.in(seconds * 1000);
    this.ticker = window.setInterval(tick, TICK_MS);
  }

  stop() {
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    this.timer = undefined;
  }
}

/** The outcome of a submission. `pending` means that the request failed and is retried. */
export type Outcome =
  | {
      kind: "submitted";
      next?: string | null;
      state?: AssignmentState | null;
      queue?: string;
      feedback?: string;
      changed: boolean;
    }
  | { kind: "refused"; message: string }
  | { kind: "conflict" }
  | { kind: "pending" }
  | { kind: "barred" };

type Meaning = "stands" | "signed_out" | "barred" | "elsewhere" | "invalid" | "offline" | "failed";

function meaningOf({ status, body }: Reply): Meaning {
  if (status === 200) return "stands";
  if (status === 401 || (status === 403 && body.error === "csrf")) return "signed_out";
  if (status === 409) return isBar(body.error) ? "barred" : "elsewhere";
  if (status === 422 || status === 400 || status === 413) return "invalid";
  return status === 0 && !navigator.onLine ? "offline" : "failed";
}

/** The reason why the server refused a payload. */
function refusalIn(body: any) {
  const [first] = Object.values((body.errors ?? {}) as Record<string, string[]>);
  return first?.join(" ") ?? "Refused: the server cannot read this annotation.";
}
