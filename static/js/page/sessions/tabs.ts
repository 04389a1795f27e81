// Messages between the tabs of one browser. Of two tabs with the same assignment, the later one is active and the
// earlier one waits. Hand an assignment over between tabs: only the tab that opened it last can edit it.

import * as notices from "../notices.ts";
import type { Desk } from "../desk.ts";

const PATIENCE_MS = 800;

type News = { type: "open" | "released"; id: number; tab: string };

export class Tabs {
  readonly channel: BroadcastChannel | null;
  waiting: ((id: number) => void)[] = [];

  /**
   * `release` saves unsaved changes and is called when another tab opens an assignment; `released` is called when
   * another tab has released one.
   */
  constructor(
    user: number,
    readonly tab: string,
    release: (id: number) => Promise<void>,
    released: (id: number) => void,
  ) {
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`anatomark:${user}`) : null;
    this.channel?.addEventListener("message", ({ data }) => {
      const news = data as News;
      if (news.tab === tab) return;
      if (news.type === "released") {
        for (const tell of this.waiting) tell(news.id);
        released(news.id);
      } else void release(news.id).then(() => this.say("released", news.id));
    });
  }

  /** Announces that this tab is now active on an assignment, and resolves once the other tab has saved or fails to respond. */
  takeOver(id: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, PATIENCE_MS);
      const tell = (released: number) => released === id && done();
      const { waiting } = this;
      function done() {
        clearTimeout(timer);
        waiting.splice(waiting.indexOf(tell), 1);
        resolve();
      }
      waiting.push(tell);
      this.say("open", id);
    });
  }

  say(type: News["type"], id: number) {
    this.channel?.postMessage({ type, id, tab: this.tab });
  }
}

export class TabHandover {
  constructor(readonly desk: Desk) {}

  /** Takes the assignment over from another tab. */
  async workHere() {
    const { session, tools } = this.desk;
    if (!session) return;
    await tools.tabs.takeOver(session.id);
    const ready = await tools.prefetcher.load(session.id);
    if (!ready) return this.desk.say(notices.said("unreachable"));
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
