// The desk applies the annotator's actions to the current image and carries out their effects.

import { Dialogs } from "./dialogs/dialogs.ts";
import * as notices from "./notices.ts";
import { downloadUnsent } from "./saving/unsent_work.ts";
import { Session, type SessionListener, Sessions } from "./sessions/image_session.ts";
import { type Arrival, Journey } from "./sessions/navigation.ts";
import { TabHandover, type Tabs } from "./sessions/tabs.ts";
import { applySurround, surroundSeen } from "./theme.ts";
import type { Message } from "../labelling/messages.ts";
import type { Api } from "./api.ts";
import type { Kit } from "./protocol_kit.ts";
import type { LocalCopies } from "./saving/local_copies.ts";
import type { Outcome } from "./saving/saver.ts";
import type { AssignmentState, PageConfig, Preferences } from "./server_types.ts";
import type { Prefetcher, Ready } from "./sessions/prefetching.ts";

/** Actions that do not change the annotation. They also work while it is locked. */
const HARMLESS = new Set([
  "column", "row", "arrow", "edge", "walk", "focus.people", "focus.cell", "focus.pin", "focus.away",
  "navigate", "open", "close", "confirm", "choose", "escape", "zoom", "look", "thing",
]);

type Tools = { api: Api; copies: LocalCopies; prefetcher: Prefetcher; tabs: Tabs };

export class Desk {
  preferences = this.config.preferences;
  readonly view = this.kit.view(this.element, this.config, (id) => this.tools.api.addressOf(id), (action) => this.act(action));
  readonly sessions = new Sessions();
  readonly journey = new Journey(this);
  readonly dialogs = new Dialogs(this);
  readonly handover = new TabHandover(this);

  constructor(
    readonly element: HTMLElement,
    readonly config: PageConfig,
    readonly tools: Tools,
    readonly kit: Kit,
  ) {
    this.view.tabbable?.(!this.preferences.single_keys);
    this.view.stage.enlarged = (on) => this.session?.enlarged(on);
  }

  /** The session of the current image. */
  get session() {
    return this.sessions.current;
  }

  /** Shows an assignment. */
  show(
    assignment: AssignmentState,
    image: HTMLImageElement,
    { submitted = null, address = "push", resume }: Arrival = {},
  ) {
    const { api, tabs } = this.tools;
    this.sessions.leave();
    // A submission can only be undone on the image shown right after it.
    if (!submitted) this.journey.lastSubmitted = null;
    const session = this.open(assignment, submitted, resume);
    if (address === "push") history.pushState({ id: assignment.id }, "", api.addressOf(assignment.id));
    this.view.show(assignment, image);
    this.greet(session);
    this.draw();
    this.view.focus(session.state);
    tabs.say("open", assignment.id);
    this.prefetch(assignment);
    void this.view.panel.own.follow(assignment, this);
  }

  /** Reloads the current image as the server has it now. */
  showAnew({ assignment, image }: Ready) {
    this.sessions.current = null;
    this.show(assignment, image, { address: "keep" });
  }

  /** `resume` is the state of the page when this image was submitted. */
  open(assignment: AssignmentState, submitted: { number: number } | null, resume?: unknown) {
    const { api, copies } = this.tools;
    const known = this.sessions.leftBehind(assignment.id);
    if (known) known.assignment = assignment;
    const session = known ?? new Session(assignment, { api, copies, rules: this.kit.rules, listener: this.listenerFor(assignment.id) }, { submitted, resume });
    this.sessions.behind.delete(session);
    this.sessions.current = session;
    return session;
  }

  greet(session: Session) {
    const { assignment, draft, restored, saver } = session;
    if (saver.barred) this.sayBarred(session);
    else if (restored) this.say(notices.said("restored"));
    else if (assignment.request) this.say(notices.notice("warn", "request", `Reopened by a lead: ${assignment.request}`));
    else if (draft.closed) this.say(notices.closedNotice(draft.status));
  }

  prefetch({ next, upcoming, upcoming_image: image }: AssignmentState) {
    const { prefetcher } = this.tools;
    // The reply to a submission brings the state of the upcoming image.
    if (image) prefetcher.expect(image);
    if (next !== null && next !== upcoming && !this.sessions.leftBehind(next)) prefetcher.prefetch(next);
  }

  listenerFor(id: number): SessionListener {
    const here = () => this.session?.id === id;
    return {
      changed: () => this.savingChanged(),
      signedOut: () => void this.dialogs.open("sign_in"),
      refused: (message) => void (here() && this.say(notices.refusedNotice(message))),
      barred: () => void (here() && this.session && this.sayBarred(this.session)),
      late: (outcome: Outcome) => void (here() && this.journey.submitted(outcome)),
      surroundings: () => this.surroundings(),
    };
  }

  savingChanged() {
    for (const { id } of this.sessions.rested()) this.tools.prefetcher.forget(id);
    this.drawSaving();
  }

  drawSaving() {
    const { session } = this;
    if (!session) return;
    this.view.header.update((this.sessions.speaking ?? session).saver.shown);
    if (this.view.sheet.dataset.status !== session.standing) this.draw();
  }

  surroundings(): import("../labelling/capture.ts").Surroundings {
    return {
      viewport: [innerWidth, innerHeight],
      image: this.view.stage.size(),
      pixelRatio: devicePixelRatio,
      surround: surroundSeen(this.preferences.surround),
      scoreShown: this.showsScore,
    };
  }

  get showsScore() {
    return this.kit.scored === true && this.preferences.show_score && this.session?.assignment.batch.score_shown === "choice";
  }

  /** Whether the current annotation is locked. */
  get locked() {
    return !this.session || this.session.locked || this.session.saver.submitting || this.journey.moving;
  }

  sayBarred({ draft, saver }: Session) {
    if (saver.barred) this.say(notices.barredNotice(saver.barred, !draft.clean));
  }

  say(message: Message) {
    const { session } = this;
    if (!session) return;
    session.state = { ...session.state, message };
    this.draw();
  }

  draw() {
    const { session } = this;
    if (!session) return;
    const { draft, locked, saver, standing } = session;
    this.view.sheet.dataset.status = standing;
    const how = { status: draft.status, barred: saver.barred, showScore: this.showsScore, locked };
    this.view.update(session.state, how);
    this.drawSaving();
  }

  /** Carries out one action of the annotator. Returns the message shown. */
  act(action: any): Message | null {
    const { session } = this;
    if (!session) return null;
    if (this.locked && !HARMLESS.has(action.type)) return this.actWhileLocked(action);
    const effects = session.act(action.type === "submit" ? { ...action, offline: !navigator.onLine } : action);
    this.draw();
    for (const effect of effects) this.carryOut(effect);
    return session.state.message;
  }

  actWhileLocked(action: any): Message | null {
    const { session } = this;
    if (!session || this.journey.moving || session.saver.submitting) return null;
    const { draft, saver } = session;
    if ((draft.closed || saver.barred) && action.type === "submit") void this.journey.onwards();
    else if (saver.barred) this.sayBarred(session);
    else this.say(saver.paused ? notices.said("other_tab") : notices.closedNotice(draft.status));
    return this.session?.state.message ?? null;
  }

  carryOut(effect: any) {
    const { dialogs, journey, session } = this;
    const carriedOut: Readonly<Record<string, () => unknown>> = {
      focus: () => this.view.focus(session?.state),
      edit: () => this.view.carryOut?.(effect.asked),
      again: () => this.act(effect.action),
      submit: () => journey.submit(),
      withdraw: () => journey.withdraw(),
      zoom: () => this.enlarge(effect.by),
      navigate: () => journey.step(effect.by),
      open: () => dialogs.open(effect.dialog),
      close: () => dialogs.close(),
      confirm: () => dialogs.confirm(),
      choose: () => dialogs.current?.content.choose?.(effect.place),
      skip: () => journey.skip(effect.reason, effect.note),
    };
    if (session) void carriedOut[effect.type]?.();
  }

  /** Switches enlarging on or off, or goes one step up or down. */
  enlarge(by?: number) {
    const { zoom } = this.view.stage;
    if (!zoom?.turn(by)) this.say(notices.said("no_zoom"));
    else if (zoom.on && document.activeElement !== zoom.frame && document.body.classList.contains("keyboard")) zoom.frame.focus();
    else if (!zoom.on && this.session) this.view.focus(this.session.state);
  }

  /** The button beside the save state. */
  pressSave() {
    const { speaking } = this.sessions;
    if (!speaking) return;
    const { state } = speaking.saver.shown;
    if (state === "failed") speaking.saver.retryNow();
    else if (state === "signed_out") void this.dialogs.open("sign_in");
    else if (state === "offline" || state === "barred") downloadUnsent();
    else if (speaking !== this.session) void this.journey.go(speaking.id);
    else if (state === "changed") void this.dialogs.open("compare");
    else if (state === "other_tab") void this.handover.workHere();
  }

  prefer(preferences: Preferences) {
    this.preferences = preferences;
    applySurround(preferences.surround);
    this.view.tabbable?.(!preferences.single_keys);
    this.draw();
    void this.tools.api.prefer(preferences);
  }
}
