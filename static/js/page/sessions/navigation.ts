// Move between images: by one step, by submitting or skipping, and back by undoing a submission.

import { newKey } from "../api.ts";
import * as notices from "../notices.ts";
import { isBar } from "../server_types.ts";
import type { Desk } from "../desk.ts";
import type { Outcome } from "../saving/saver.ts";
import type { Session } from "./image_session.ts";

/** How long a page takes no input while another one loads. If it is still open after that, it works again. */
const LEAVING_MS = 8000;

/** How an assignment is shown. */
export interface Arrival {
  submitted?: { number: number; answer?: any; skipped?: boolean } | null;
  address?: "push" | "keep";
  resume?: unknown;
}

export class Journey {
  /** Whether the next image or another page is loading. */
  moving = false;
  /** The requested steps, one after the other, so that none is lost while an image loads. */
  steps = Promise.resolve();
  /** The submission or skip that can still be undone, with the state of the page at that time. */
  lastSubmitted: { id: number; number: number; version: number; state?: unknown } | null = null;
  /** What is typed while a submission is taken back, for the image that returns. */
  held: any[] | null = null;

  constructor(readonly desk: Desk) {}

  /** Keeps an action of a key for the image that is being taken back. Returns whether it did. */
  holds(action: any): boolean {
    this.held?.push(action);
    return this.held !== null;
  }

  /** Shows another assignment without reloading the page. */
  async go(id: number, how: Arrival = {}) {
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
    if (!ready) return this.desk.say(notices.said("unreachable"));
    if (ready.assignment.protocol !== this.desk.config.protocol) return this.leave(id, how);
    this.desk.show(ready.assignment, ready.image, how);
  }

  /** Leaves for another page. Until it has loaded, nothing else may be opened, because that would cancel it. */
  depart(address: string) {
    this.moving = true;
    location.assign(address);
    setTimeout(() => (this.moving = false), LEAVING_MS);
  }

  /** Opens the page of an assignment, under another protocol or with a form of its own, once this image is saved. */
  async leave(id: number, { submitted }: Arrival) {
    const { session, tools } = this.desk;
    if (!submitted) await session?.saver.settled();
    const address = tools.api.addressOf(id);
    if (submitted) this.keepSteps();
    this.depart(submitted && session ? `${address}?after=${session.id}` : address);
  }

  step(by: 1 | -1) {
    const take = () => this.stepNow(by);
    this.steps = this.steps.then(take, take);
    return this.steps;
  }

  async stepNow(by: 1 | -1) {
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

  async submitted(outcome: Outcome) {
    const { desk } = this;
    const { session } = desk;
    if (!session) return;
    if (outcome.kind === "refused") return desk.say(notices.refusedNotice(outcome.message));
    if (outcome.kind === "pending") return desk.say(notices.said("pending"));
    if (outcome.kind === "barred") return desk.sayBarred(session);
    if (outcome.kind === "conflict") {
      desk.say(notices.said("changed"));
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
    desk.say(notices.notice("info", "taking_back", `Taking image ${lastSubmitted.number} back…`));
    await this.takeBack(session, lastSubmitted);
    const typed = this.held;
    this.held = null;
    if (desk.session?.id === lastSubmitted.id) for (const action of typed) desk.act(action);
  }

  async takeBack(session: Session, { id, version, number, state }: NonNullable<Journey["lastSubmitted"]>) {
    const { desk } = this;
    this.moving = true;
    const { status, body } = await desk.tools.api.post(id, "reopen", { version, request_key: newKey() });
    this.moving = false;
    if (status === 409 && isBar(body.error)) return desk.say(notices.barredNotice(body.error, false));
    if (status !== 200) return desk.say(notices.said("not_withdrawn"));
    this.lastSubmitted = null;
    desk.tools.prefetcher.forget(id);
    desk.tools.prefetcher.forget(session.id);
    await this.go(id, { resume: state });
    // A page of another protocol shows this message itself.
    if (desk.session?.id === id) desk.say(notices.withdrawnNotice(number));
  }

  async skip(reason: string, note: string) {
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

const idIn = (address: string | null) => {
  const found = /\/(\d+)\/$/.exec(address ?? "");
  return found ? Number(found[1]) : null;
};
