// The current image, and earlier ones that are still being saved.

import type { Session } from "./image_session.ts";

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

  /** Makes a session the current one. */
  takeUp(session: Session) {
    this.behind.delete(session);
    this.current = session;
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
