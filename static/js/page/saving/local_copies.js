// Local copies of drafts that the server does not have yet, one per assignment and user. Also the undo steps of the
// image submitted last, so that they survive a visit to the queue.

/** @import { Effort } from "../../labelling/capture.js" */
/** @import { Payload } from "../server_types.js" */

/**
 * A request without a reply. It is retried unchanged, with the same idempotency key.
 * @typedef {object} Sent
 * @property {string} key
 * @property {number} version the version it replaces
 * @property {Payload} payload
 * @property {boolean} submit
 */

/**
 * @typedef {object} Copy
 * @property {string} stamp of the tab that wrote it; other tabs do not delete it
 * @property {number} version the version the draft is based on
 * @property {Payload} payload
 * @property {Sent | null} sent
 * @property {Effort} effort
 */

export class LocalCopies {
  /**
   * @param {number} user
   * @param {string} stamp of this tab
   */
  constructor(user, stamp) {
    this.prefix = `anatomark:${user}:`;
    this.stamp = stamp;
  }

  /**
   * @param {number} id
   * @returns {Copy | null} null if there is no copy or it is unreadable
   */
  read(id) {
    try {
      const copy = JSON.parse(localStorage.getItem(this.prefix + id) ?? "null");
      return copy && typeof copy.version === "number" && typeof copy.payload === "object" ? copy : null;
    } catch {
      return null;
    }
  }

  /**
   * @param {number} id
   * @param {Omit<Copy, "stamp">} copy
   * @returns {boolean} false if local storage is unavailable
   */
  write(id, copy) {
    try {
      localStorage.setItem(this.prefix + id, JSON.stringify({ stamp: this.stamp, ...copy }));
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Deletes this tab's copy, which the server now has.
   * @param {number} id
   * @param {boolean} [anyTab] even if another tab wrote it
   */
  remove(id, anyTab = false) {
    try {
      if (anyTab || this.read(id)?.stamp === this.stamp) localStorage.removeItem(this.prefix + id);
    } catch {
      // Without local storage there is nothing to delete.
    }
  }

  /**
   * Keeps the state of the page for an image just submitted, because an undo may come back to it from another page.
   * @param {number} id
   * @param {unknown} state
   */
  keepSteps(id, state) {
    try {
      localStorage.setItem(`${this.prefix}steps`, JSON.stringify({ id, state }));
    } catch {
      // Without local storage, only the annotation comes back.
    }
  }

  /**
   * Returns the state kept for an image, and deletes whatever is kept.
   * @param {number} id
   * @param {number} [undoable] the image whose state stays, because its submission can be undone from here
   * @param {(key: string, value: any) => any} [revive] what JSON has not kept
   * @returns {any} undefined if it is another image's, or unreadable
   */
  takeSteps(id, undoable, revive) {
    try {
      const kept = JSON.parse(localStorage.getItem(`${this.prefix}steps`) ?? "null", revive);
      if (kept && kept.id === undoable) return undefined;
      localStorage.removeItem(`${this.prefix}steps`);
      return kept?.id === id ? kept.state : undefined;
    } catch {
      return undefined;
    }
  }
}
