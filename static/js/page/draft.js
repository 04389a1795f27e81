// The answer to one assignment as this page has it, beside what the server has of it.

import { isClosed } from "./contract.js";

/** @import { Payload } from "../labelling/payload.js" */
/** @import { Rules } from "./kit.js" */
/** @import { AssignmentState, Status, Stored } from "./contract.js" */
/** @import { LocalCopies, Sent } from "./local_copies.js" */

export class Draft {
  /**
   * @param {AssignmentState} state
   * @param {LocalCopies} copies
   * @param {Rules} rules
   */
  constructor(state, copies, rules) {
    this.rules = rules;
    this.id = state.id;
    this.copies = copies;
    this.version = state.version;
    /** @type {Status} */
    this.status = state.status;
    /** @type {Payload} */
    this.payload = this.written(state.payload);
    this.stored = JSON.stringify(this.payload);
    this.text = this.stored;
    /** @type {Sent | null} sent, and not answered yet */
    this.sent = null;
    /** @type {Stored | null} what was saved elsewhere */
    this.theirs = null;
    /** Whether the browser has kept the last copy it was given. */
    this.kept = true;
  }

  /**
   * A payload as this page writes it.
   * @param {Partial<Payload>} payload
   * @returns {Payload}
   */
  written(payload) {
    return this.rules.toPayload(this.rules.fromPayload(payload));
  }

  /**
   * The answer as one text, in the order in which this page writes it.
   * @param {Partial<Payload>} payload
   */
  textOf(payload) {
    return JSON.stringify(this.written(payload));
  }

  get closed() {
    return isClosed(this.status);
  }

  /** Whether the page says something else than the server has. */
  get differs() {
    return this.text !== this.stored;
  }

  /** Whether the server has everything, as far as the page knows. */
  get clean() {
    return !this.differs && !this.sent && !this.theirs;
  }

  /** Whether something would be lost if the page went away now. */
  get unsafe() {
    return !this.clean && !this.kept;
  }

  /**
   * The answer is another now.
   * @param {Payload} payload as this page writes it
   */
  change(payload) {
    this.payload = payload;
    this.text = JSON.stringify(payload);
  }

  /**
   * The server has stored what it was sent.
   * @param {Payload} payload
   * @param {{version: number, status: Status}} now
   */
  stands(payload, { version, status }) {
    this.sent = null;
    this.version = version;
    this.status = status;
    this.stored = JSON.stringify(payload);
  }

  /**
   * Goes on from what the server has.
   * @param {Stored} stored
   */
  goOnFrom({ version, status, payload }) {
    this.version = version;
    this.status = status;
    this.stored = this.textOf(payload);
  }

  /** Writes the local copy. */
  keep() {
    this.kept = this.copies.write(this.id, { version: this.version, payload: this.payload, sent: this.sent });
  }

  /**
   * Takes the local copy away.
   * @param {boolean} [anyTab] also what another tab wrote, which has been looked at
   */
  forget(anyTab = false) {
    this.copies.remove(this.id, anyTab);
  }
}
