// The dialogs of the desk. What is in them is a script of its own, which nothing waits for.

import { unreachableNotice } from "../notices.js";

/** @import { Desk } from "../desk.js" */
/** @import { Frame } from "./frame.js" */
/** @import { DialogTitle } from "./opening.js" */

export class Dialogs {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    /** @type {Frame | null} the dialog on top */
    this.current = null;
    // Loaded ahead, so that dialogs also open without a connection.
    this.ready = load();
  }

  close() {
    this.current?.close();
  }

  /** @param {DialogTitle} name */
  async open(name) {
    const opening = (await this.ready) ?? (await (this.ready = load()));
    if (opening) opening.openDialog(this.desk, name);
    else this.desk.say(unreachableNotice());
  }
}

const load = () => import("./opening.js").catch(() => null);
