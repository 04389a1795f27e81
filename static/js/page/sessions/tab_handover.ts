// Hand an assignment over between tabs: only the tab that opened it last can edit it.

import * as notices from "../notices.ts";
import type { Desk } from "../desk.ts";

export class TabHandover {
  constructor(readonly desk: Desk) {}

  /** Takes the assignment over from another tab. */
  async workHere() {
    const { session, tools } = this.desk;
    if (!session) return;
    await tools.tabs.takeOver(session.id);
    const ready = await tools.prefetcher.load(session.id);
    if (!ready) return this.desk.say(notices.unreachableNotice());
    this.desk.showAnew(ready);
  }

  /** Saves and pauses an assignment that another tab has opened. */
  async release(id: number) {
    await this.desk.sessions.all.find((session) => session.id === id)?.saver.pause();
    this.desk.draw();
  }

  /** Reloads an assignment that another tab has released, because its last save may be newer. */
  async released(id: number) {
    const { session, tools } = this.desk;
    const begun = () => this.desk.session !== session || !session?.untouched || !session.draft.clean || session.saver.paused;
    if (session?.id !== id || begun()) return;
    const ready = await tools.prefetcher.load(id);
    if (ready && !begun() && ready.assignment.version !== session.draft.version) this.desk.showAnew(ready);
  }
}
