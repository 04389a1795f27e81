// The dialogs of the desk. What is in them is a script of its own, which nothing waits for.

import { said } from "../notices.ts";
import type { Desk } from "../desk.ts";
import type { Frame } from "./frame.ts";
import type { DialogTitle } from "./opening.ts";

export class Dialogs {
  /** The dialog on top. */
  current: Frame | null = null;
  // Loaded ahead, so that dialogs also open without a connection.
  ready = load();

  constructor(readonly desk: Desk) {}

  close() {
    this.current?.close();
  }

  confirm() {
    if (this.current?.content.confirm) this.current.content.confirm();
    else this.close();
  }

  async open(name: DialogTitle) {
    const opening = (await this.ready) ?? (await (this.ready = load()));
    if (opening) opening.openDialog(this.desk, name);
    else this.desk.say(said("unreachable"));
  }
}

const load = () => import("./opening.ts").catch(() => null);
