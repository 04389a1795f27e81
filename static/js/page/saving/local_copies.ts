// Local copies of drafts that the server does not have yet, one per assignment and user. Also the undo steps of the
// image submitted last, so that they survive a visit to the queue.

import type { Effort } from "../../labelling/capture.ts";
import type { Payload } from "../server_types.ts";

/** A request without a reply. It is retried unchanged, with the same idempotency key. */
export interface Sent {
  key: string;
  version: number; // the version it replaces
  payload: Payload;
  submit: boolean;
}

export interface Copy {
  stamp: string; // of the tab that wrote it; other tabs do not delete it
  version: number; // the version the draft is based on
  payload: Payload;
  sent: Sent | null;
  effort: Effort;
}

export class LocalCopies {
  readonly prefix = `anatomark:${this.user}:`;

  /** `stamp` names this tab. */
  constructor(readonly user: number, readonly stamp: string) {}

  /** The copy; null if there is none or it is unreadable. */
  read(id: number): Copy | null {
    try {
      const copy = JSON.parse(localStorage.getItem(this.prefix + id) ?? "null");
      return copy && typeof copy.version === "number" && typeof copy.payload === "object" ? copy : null;
    } catch {
      return null;
    }
  }

  /** Whether it could be stored. */
  write(id: number, copy: Omit<Copy, "stamp">): boolean {
    try {
      localStorage.setItem(this.prefix + id, JSON.stringify({ stamp: this.stamp, ...copy }));
      return true;
    } catch {
      return false;
    }
  }

  /** Deletes this tab's copy, which the server now has; with `anyTab` another tab's, too. */
  remove(id: number, anyTab = false) {
    try {
      if (anyTab || this.read(id)?.stamp === this.stamp) localStorage.removeItem(this.prefix + id);
    } catch {
      // Without local storage there is nothing to delete.
    }
  }

  /** Keeps the state of the page for an image just submitted, because an undo may come back to it from another page. */
  keepSteps(id: number, state: unknown) {
    try {
      localStorage.setItem(`${this.prefix}steps`, JSON.stringify({ id, state }));
    } catch {
      // Without local storage, only the annotation comes back.
    }
  }

  /**
   * Returns the state kept for an image, and deletes whatever is kept. It is undefined if it is another image's, or
   * unreadable. The state of `undoable` stays, because its submission can be undone from here. `revive` adds what JSON
   * has not kept.
   */
  takeSteps(id: number, undoable?: number, revive?: (key: string, value: any) => any): any {
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
