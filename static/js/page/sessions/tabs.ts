// Messages between the tabs of one browser. Of two tabs with the same assignment, the later one is active and the
// earlier one waits.

const PATIENCE_MS = 800;

type News = { type: "open" | "released"; id: number; tab: string };

export class Tabs {
  readonly channel: BroadcastChannel | null;
  waiting: ((id: number) => void)[] = [];

  /**
   * `tab`: the id of this tab; `release`: called when another tab opens an assignment; saves unsaved changes;
   * `released`: called when another tab has released an assignment.
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

  /** Announces that this tab is now active on an assignment. */
  open(id: number) {
    this.say("open", id);
  }

  /** Does the same, and resolves once the other tab has saved or fails to respond. */
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
      this.open(id);
    });
  }

  say(type: News["type"], id: number) {
    this.channel?.postMessage({ type, id, tab: this.tab });
  }
}
