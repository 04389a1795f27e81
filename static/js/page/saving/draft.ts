// One annotation, as this page has it and as the server has stored it.

import { type AssignmentState, isClosed, type Payload, type Status, type Stored } from "../server_types.ts";
import type { Effort } from "../../labelling/capture.ts";
import type { Rules } from "../protocol_kit.ts";
import type { LocalCopies, Sent } from "./local_copies.ts";

export class Draft {
  readonly id = this.state.id;
  version = this.state.version;
  status = this.state.status;
  payload = this.written(this.state.payload);
  stored = JSON.stringify(this.payload);
  text = this.stored;
  /** The pending request. */
  sent: Sent | null = null;
  /** The version saved elsewhere. */
  theirs: Stored | null = null;
  /** Whether the last write to local storage succeeded. */
  kept = true;

  constructor(
    readonly state: AssignmentState,
    readonly copies: LocalCopies,
    readonly rules: Rules,
    readonly effort: () => Effort,
  ) {}

  /** Normalises a payload to the order in which this page writes it. */
  written(payload: Partial<Payload>): Payload {
    return this.rules.toPayload(this.rules.fromPayload(payload));
  }

  /** The payload as normalised JSON. */
  textOf(payload: Partial<Payload>) {
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

  /** Replaces the payload by another one as this page writes it. */
  change(payload: Payload) {
    this.payload = payload;
    this.text = JSON.stringify(payload);
  }

  /** Records that the server has stored a payload. */
  stands(payload: Payload, { version, status }: { version: number; status: Status }) {
    this.sent = null;
    this.version = version;
    this.status = status;
    this.stored = JSON.stringify(payload);
  }

  /** Continues from the stored version. */
  goOnFrom({ version, status, payload }: Stored) {
    this.version = version;
    this.status = status;
    this.stored = this.textOf(payload);
  }

  /** Writes the local copy. */
  keep() {
    this.kept = this.copies.write(this.id, { version: this.version, payload: this.payload, sent: this.sent, effort: this.effort() });
  }

  /** Deletes the local copy; with `anyTab` another tab's, too. */
  forget(anyTab = false) {
    this.copies.remove(this.id, anyTab);
  }
}
