// One image at the desk: its annotation, how it is made, and how it is saved. The current image, and earlier ones that
// are still being saved.

import {
  capturePayload,
  effortOf,
  openCapture,
  withFirst,
  withInput,
  withUndo,
  withVisibility,
  withZoom,
} from "../../labelling/capture.ts";
import type { Capture, Surroundings } from "../../labelling/capture.ts";
import { type Listener, Saver } from "../saving/saver.ts";
import type { Api } from "../api.ts";
import type { Rules } from "../protocol_kit.ts";
import type { LocalCopies } from "../saving/local_copies.ts";
import type { AssignmentState } from "../server_types.ts";

export type SessionListener = Omit<Listener, "capture" | "effort"> & { surroundings: () => Surroundings };

export class Session {
  readonly rules: Rules;
  capture: Capture;
  readonly saver: Saver;
  /** Whether a copy on this device was restored. */
  readonly restored: boolean;
  state: any;

  /**
   * `submitted` is the image submitted just before, `resume` the state of this image when it was submitted, which keeps
   * its undo steps.
   */
  constructor(
    public assignment: AssignmentState,
    { api, copies, rules, listener }: { api: Api; copies: LocalCopies; rules: Rules; listener: SessionListener },
    { submitted, resume }: { submitted: { number: number } | null; resume?: any },
  ) {
    this.rules = rules;
    const copy = copies.read(assignment.id);
    this.capture = openCapture(Date.now(), !document.hidden, [assignment.effort, copy?.effort], assignment.suggestion?.run);
    const capture = () => capturePayload(this.capture, { ...listener.surroundings(), confirmed: rules.confirmed?.(this.state.answer) ?? [], visited: rules.visited?.(this.state) ?? [], zoom: rules.zoom ?? (this.assignment.batch.settings?.zoom ?? "none") }, Date.now());
    const effort = () => effortOf(this.capture, Date.now());
    this.saver = new Saver(assignment, { api, copies, rules, listener: { ...listener, capture, effort } });
    const kept = copy && this.saver.adopt(copy, assignment);
    this.restored = Boolean(kept);
    const { batch, confirmed = [], visited = [] } = assignment;
    const required = batch.settings?.guided_required ?? false;
    const opened = rules.open(kept ?? assignment.payload, { guided: batch.guided, required, visited, submitted, confirmed, suggestion: assignment.suggestion });
    const same = resume && this.saver.draft.textOf(rules.toPayload(resume.answer)) === this.saver.draft.textOf(rules.toPayload(opened.answer));
    this.state = same ? resume : opened;
  }

  get id() {
    return this.assignment.id;
  }

  /** The message when there is nothing else to report. */
  get resting() {
    return this.rules.resting(this.state);
  }

  /** The annotation as it is saved. */
  get draft() {
    return this.saver.draft;
  }

  /** The status or lock that the page shows. */
  get standing() {
    return this.saver.barred ?? this.draft.status;
  }

  /** Whether the annotation is submitted, skipped, locked or open in another tab. */
  get locked() {
    return this.draft.closed || this.saver.barred !== null || this.saver.paused;
  }

  /** Whether nothing has been changed since the image opened. */
  get untouched() {
    return this.state.past.length === 0 && this.state.future.length === 0;
  }

  /** Takes an action, and returns the effects left to carry out. */
  act(action: any): readonly any[] {
    const before = this.state;
    const { state, effects } = this.rules.dispatch(before, action);
    this.state = state;
    if (action.type === "undo" && state.answer !== before.answer) this.capture = withUndo(this.capture);
    if (state.answer !== before.answer) {
      this.capture = withFirst(this.capture, this.rules.firstCell?.(state.answer) ?? null);
      this.saver.changed(this.rules.toPayload(state.answer));
    }
    return effects.filter(({ type }) => type !== "save");
  }

  input(kind: "keys" | "clicks" | "taps" | "other") {
    this.capture = withInput(this.capture, kind, Date.now());
  }

  enlarged(on: boolean) {
    this.capture = withZoom(this.capture, on, Date.now());
  }

  visible(visible: boolean) {
    this.capture = withVisibility(this.capture, visible, Date.now());
  }
}

export class Sessions {
  current: Session | null = null;
  readonly behind: Set<Session> = new Set();

  get all() {
    return this.current ? [...this.behind, this.current] : [...this.behind];
  }

  /** Whether closing the page now would lose data. */
  get unsafe() {
    return this.all.some(({ draft }) => draft.unsafe);
  }

  /**
   * The session that the save state describes. One that is still being saved comes first, because "Saved" covers all of
   * them.
   */
  get speaking() {
    const open = [...this.behind].filter(({ saver }) => !saver.done);
    return open.find(({ saver }) => saver.troubled) ?? open[0] ?? this.current;
  }

  leftBehind(id: number) {
    return [...this.behind].find((session) => session.id === id);
  }

  /** Leaves the current image; unsaved changes are saved in the background. */
  leave() {
    const { current } = this;
    if (!current) return;
    current.saver.flush();
    if (!current.saver.done) this.behind.add(current);
    this.current = null;
  }

  /** Removes and returns the sessions that have finished saving. */
  rested() {
    const rested = [...this.behind].filter(({ saver }) => saver.done);
    for (const session of rested) this.behind.delete(session);
    return rested;
  }

  /** Retries now: the connection or the user may be back. */
  retry() {
    for (const { saver } of this.all) saver.retryNow();
  }

  /** Sends unsaved changes when the page is hidden or closed. */
  flush() {
    for (const { saver } of this.all) saver.flush({ keepalive: true });
  }
}
