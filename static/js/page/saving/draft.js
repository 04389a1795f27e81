// One annotation, as this page has it and as the server has stored it.

import { isClosed } from "../server_types.js";

/** @import { Effort } from "../../labelling/capture.js" */
/** @import { Rules } from "../protocol_kit.js" */
/** @import { AssignmentState, Payload, Status, Stored } from "../server_types.js" */
/** @import { LocalCopies, Sent } from "./local_copies.js" */

export class Draft {
  /**
   * @param {AssignmentState} state
   * @param {LocalCopies} copies
   * @param {Rules} rules
   * @param {() => Effort} effort
   */
  constructor(state, copies, rules, effort) {
    this.rules = rules;
    this.effort = effort;
    this.id = state.id;
    this.copies = copies;
    this.version = state.version;
    /** @type {Status} */
    this.status = state.status;
    /** @type {Payload} */
    this.payload = this.written(state.payload);
    this.stored = JSON.stringify(this.payload);
    this.text = this.stored;
    /** @type {Sent | null} the pending request */
    this.sent = null;
    /** @type {Stored | null} the version saved elsewhere */
    this.theirs = null;
    /** Whether the last write to local storage succeeded. */
    this.kept = true;
  }

  /**
   * Normalises a payload to the order in which this page writes it.
   * @param {Partial<Payload>} payload
   * @returns {Payload}
   */
  written(payload) {
    return this.rules.toPayload(this.rules.fromPayload(payload));
  }

  /**
   * The payload as normalised JSON.
   * @param {Partial<Payload>} payload
   */
  textOf(payload) {
    return JSON.stringify(this.written(payload));
  }

  get closed() {
    return isClosed(this.status);
  }

  /** Whether the page differs from what the server has stored. */
  get differs() {
    return this.text !== this.stored;
  }

  /** Whether everything is stored on the server. */
  get clean() {
    return !this.differs && !this.sent && !this.theirs;
  }

  /** Whether closing the page now would lose data. */
  get unsafe() {
    return !this.clean && !this.kept;
  }

  /**
   * Replaces the payload.
   * @param {Payload} payload as this page writes it
   */
  change(payload) {
    this.payload = payload;
    this.text = JSON.stringify(payload);
  }

  /**
   * Records that the server has stored a payload.
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
   * Continues from the stored version.
   * @param {Stored} stored
   */
  goOnFrom({ version, status, payload }) {
    this.version = version;
    this.status = status;
    this.stored = this.textOf(payload);
  }

  /** Writes the local copy. */
  keep() {
    this.kept = this.copies.write(this.id, { version: this.version, payload: this.payload, sent: this.sent, effort: this.effort() });
  }

  /**
   * Deletes the local copy.
   * @param {boolean} [anyTab] even if another tab wrote it
   */
  forget(anyTab = false) {
    this.copies.remove(this.id, anyTab);
  }
}
