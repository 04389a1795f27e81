// What this browser keeps of drafts the server does not have yet: one copy for each assignment and person.

/** @import { Payload } from "../labelling/payload.js" */

/**
 * A request that was sent and not answered; it is repeated as it was, key and all.
 * @typedef {object} Sent
 * @property {string} key
 * @property {number} version the one it replaces
 * @property {Payload} payload
 * @property {boolean} submit
 */

/**
 * @typedef {object} Copy
 * @property {string} stamp who wrote it: a copy of another tab is not taken away
 * @property {number} version the one the draft was made on
 * @property {Payload} payload
 * @property {Sent | null} sent
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
   * @returns {Copy | null} also null for what cannot be read
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
   * @returns {boolean} false where the browser keeps nothing
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
   * Takes this tab's copy away: the server has it.
   * @param {number} id
   * @param {boolean} [anyTab] also what another tab wrote, which has been looked at
   */
  remove(id, anyTab = false) {
    try {
      if (anyTab || this.read(id)?.stamp === this.stamp) localStorage.removeItem(this.prefix + id);
    } catch {
      // Nothing is kept, so there is nothing to take away.
    }
  }
}
