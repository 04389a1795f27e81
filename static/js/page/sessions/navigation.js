// Move between images: by one step, by submitting or skipping, and back by undoing a submission.

import { newKey } from "../api.js";
import * as notices from "../notices.js";
import { isBar } from "../server_types.js";

/** @import { Desk } from "../desk.js" */
/** @import { Outcome } from "../saving/replies.js" */
/** @import { Session } from "./image_session.js" */

/** How long a page takes no input while another one loads. If it is still open after that, it works again. */
const LEAVING_MS = 8000;

/**
 * How an assignment is shown.
 * @typedef {{submitted?: {number: number, answer?: any, skipped?: boolean} | null, address?: "push" | "keep", resume?: unknown}} Arrival
 */

export class Journey {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    /** Whether the next image or another page is loading. */
    this.moving = false;
    /** The requested steps, one after the other, so that none is lost while an image loads. */
    this.steps = Promise.resolve();
    /** @type {{id: number, number: number, version: number, state?: unknown} | null} the submission or skip that can still be undone, with the state of the page at that time */
    this.lastSubmitted = null;
    /** @type {any[] | null} what is typed while a submission is taken back, for the image that returns */
    this.held = null;
  }

  /** Keeps an action of a key for the image that is being taken back. @param {any} action @returns {boolean} whether it did */
  holds(action) {
    this.held?.push(action);
    return this.held !== null;
  }

  /**
   * Shows another assignment without reloading the page.
   * @param {number} id
   * @param {Arrival} [how]
   */
  async go(id, how = {}) {
    if (this.moving) return;
    if (this.desk.kit.paged) return this.leave(id, how);
    this.moving = true;
    const { prefetcher } = this.desk.tools;
    const { current } = this.desk.sessions;
    if (current) prefetcher.forget(current.id);
    const waiting = this.desk.sessions.leftBehind(id);
    if (waiting) {
      await waiting.saver.settled();
      prefetcher.forget(id);
    }
    const ready = await prefetcher.take(id);
    this.moving = false;
    if (!ready) return this.desk.say(notices.unreachableNotice());
    if (ready.assignment.protocol !== this.desk.config.protocol) return this.leave(id, how);
    this.desk.show(ready.assignment, ready.image, how);
  }

  /**
   * Leaves for another page. Until it has loaded, nothing else may be opened, because that would cancel it.
   * @param {string} address
   */
  depart(address) {
    this.moving = true;
    location.assign(address);
    setTimeout(() => (this.moving = false), LEAVING_MS);
  }

  /**
   * Opens the page of an assignment, under another protocol or with a form of its own, once this image is saved.
   * @param {number} id
   * @param {Arrival} how
   */
  async leave(id, { submitted }) {
    const { session, tools } = this.desk;
    if (!submitted) await session?.saver.settled();
    const address = tools.api.addressOf(id);
    if (submitted) this.keepSteps();
    this.depart(submitted && session ? `${address}?after=${session.id}` : address);
  }

  /** @param {1 | -1} by */
  step(by) {
    const take = () => this.stepNow(by);
    this.steps = this.steps.then(take, take);
    return this.steps;
  }

  /** @param {1 | -1} by */
  async stepNow(by) {
    const { assignment } = this.desk.session ?? {};
    const id = by > 0 ? assignment?.next : assignment?.previous;
    if (id == null) return this.desk.say(notices.noFurtherNotice(by > 0));
    this.lastSubmitted = null;
    await this.go(id);
  }

  /** Goes from a closed image to the next one. */
  async onwards() {
    const { assignment } = this.desk.session ?? {};
    const next = assignment?.next ?? assignment?.upcoming ?? null;
    if (next === null) this.depart(this.desk.config.urls.queue);
    else await this.go(next);
  }

  async submit() {
    const { session } = this.desk;
    if (!session || session.saver.submitting) return;
    const outcome = await session.saver.submit();
    if (this.desk.session === session) await this.submitted(outcome);
  }

  /** @param {Outcome} outcome */
  async submitted(outcome) {
    const { desk } = this;
    const { session } = desk;
    if (!session) return;
    if (outcome.kind === "refused") return desk.say(notices.refusedNotice(outcome.message));
    if (outcome.kind === "pending") return desk.say(notices.pendingNotice());
    if (outcome.kind === "barred") return desk.sayBarred(session);
    if (outcome.kind === "conflict") {
      desk.say(notices.conflictNotice());
      return void desk.dialogs.open("compare");
    }
    if (outcome.changed) return desk.say(session.resting);
    if (outcome.feedback) return this.depart(outcome.feedback);
    const { assignment, draft, state } = session;
    this.lastSubmitted = { id: assignment.id, number: assignment.position, version: draft.version, state };
    const next = outcome.next === undefined ? assignment.upcoming : idIn(outcome.next);
    if (next === null) {
      this.keepSteps();
      return this.depart(`${outcome.queue ?? desk.config.urls.queue}?after=${session.id}`);
    }
    if (outcome.state) desk.tools.prefetcher.keep(outcome.state);
    await this.go(next, { submitted: { number: assignment.position, answer: state.answer } });
  }

  /** Keeps the undo steps and the focus of the image just submitted, for an undo on the page that follows. */
  keepSteps() {
    const { session, tools } = this.desk;
    if (session) tools.copies.keepSteps(session.id, session.state);
  }

  /** Undoes the last submission or skip, unless something has been changed on this image. */
  async withdraw() {
    const { desk, lastSubmitted } = this;
    const { session } = desk;
    if (!session?.untouched || !lastSubmitted || this.moving) return;
    this.held = [];
    desk.say(notices.takingBackNotice(lastSubmitted.number));
    await this.takeBack(session, lastSubmitted);
    const typed = this.held;
    this.held = null;
    if (desk.session?.id === lastSubmitted.id) for (const action of typed) desk.act(action);
  }

  /** @param {Session} session @param {NonNullable<Journey["lastSubmitted"]>} submission */
  async takeBack(session, { id, version, number, state }) {
    const { desk } = this;
    this.moving = true;
    const { status, body } = await desk.tools.api.post(id, "reopen", { version, request_key: newKey() });
    this.moving = false;
    if (status === 409 && isBar(body.error)) return desk.say(notices.barredNotice(body.error, false));
    if (status !== 200) return desk.say(notices.notWithdrawnNotice());
    this.lastSubmitted = null;
    desk.tools.prefetcher.forget(id);
    desk.tools.prefetcher.forget(session.id);
    await this.go(id, { resume: state });
    // A page of another protocol shows this message itself.
    if (desk.session?.id === id) desk.say(notices.withdrawnNotice(number));
  }

  /** @param {string} reason @param {string} note */
  async skip(reason, note) {
    const { desk } = this;
    const { session } = desk;
    if (!session) return;
    const { saver, draft } = session;
    if (!(await saver.settled())) return desk.say(notices.notSkippedNotice(draft.theirs === null));
    const sent = { version: draft.version, reason, note, request_key: newKey() };
    const { status, body } = await desk.tools.api.post(session.id, "skip", sent);
    if (status === 401) void desk.dialogs.open("sign_in");
    if (status === 409 && isBar(body.error)) return saver.bar(body.error, null);
    if (status !== 200) return desk.say(notices.notSkippedNotice(status !== 409));
    draft.status = "skipped";
    const next = idIn(body.next);
    if (next === null) return this.depart(`${body.queue_url}?after=${session.id}`);
    desk.tools.prefetcher.keep(body.state);
    const { id, assignment, state } = session;
    const number = assignment.position;
    this.lastSubmitted = { id, number, version: draft.version, state };
    await this.go(next, { submitted: { number, skipped: true } });
  }
}

/** @param {string | null} address of an annotation page */
const idIn = (address) => {
  const found = /\/(\d+)\/$/.exec(address ?? "");
  return found ? Number(found[1]) : null;
};
