// The image at hand, and those left behind whose saving has not come to rest.

/** @import { Session } from "./session.js" */

export class Sessions {
  constructor() {
    /** @type {Session | null} */
    this.current = null;
    /** @type {Set<Session>} */
    this.behind = new Set();
  }

  get all() {
    return this.current ? [...this.behind, this.current] : [...this.behind];
  }

  /** Whether something would be lost if the page went away now. */
  get unsafe() {
    return this.all.some(({ draft }) => draft.unsafe);
  }

  /**
   * The one the save state speaks of. An image left behind that is not stored yet comes first: "Saved" speaks
   * for all of them.
   */
  get speaking() {
    const open = [...this.behind].filter(({ saver }) => !saver.done);
    return open.find(({ saver }) => saver.troubled) ?? open[0] ?? this.current;
  }

  /** @param {number} id */
  leftBehind(id) {
    return [...this.behind].find((session) => session.id === id);
  }

  /** The image at hand is left: what is not saved is saved behind the next one. */
  leave() {
    const { current } = this;
    if (!current) return;
    current.saver.flush();
    if (!current.saver.done) this.behind.add(current);
    this.current = null;
  }

  /**
   * Takes up one that was left behind.
   * @param {Session} session
   */
  takeUp(session) {
    this.behind.delete(session);
    this.current = session;
  }

  /** Lets go of those whose saving has come to rest, and returns them. */
  rested() {
    const rested = [...this.behind].filter(({ saver }) => saver.done);
    for (const session of rested) this.behind.delete(session);
    return rested;
  }

  /** The line, or the person, may be back. */
  retry() {
    for (const { saver } of this.all) saver.retryNow();
  }

  /** The page is hidden, or goes away: what is not saved goes out. */
  flush() {
    for (const { saver } of this.all) saver.flush({ keepalive: true });
  }
}
