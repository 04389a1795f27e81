// One assignment in several tabs: the one that opened it last works on it.

import * as notices from "./notices.js";

/** @import { Desk } from "./desk.js" */

export class Sharing {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /** This tab takes the assignment back from another one. */
  async workHere() {
    const { session, tools } = this.desk;
    if (!session) return;
    await tools.tabs.takeOver(session.id);
    const ready = await tools.library.load(session.id);
    if (!ready) return this.desk.say(notices.unreachableNotice());
    this.desk.showAnew(ready);
  }

  /**
   * Another tab has opened an assignment: what is not saved goes out, and this one waits.
   * @param {number} id
   */
  async release(id) {
    await this.desk.sessions.all.find((session) => session.id === id)?.saver.pause();
    this.desk.draw();
  }

  /**
   * Another tab has let go of an assignment. What it saved last may be newer than what this page began with.
   * @param {number} id
   */
  async released(id) {
    const { session, tools } = this.desk;
    const begun = () => this.desk.session !== session || !session?.untouched || !session.draft.clean || session.saver.paused;
    if (session?.id !== id || begun()) return;
    const ready = await tools.library.load(id);
    if (ready && !begun() && ready.assignment.version !== session.draft.version) this.desk.showAnew(ready);
  }
}
