// The same assignment in two tabs of one browser: the later one works, the earlier one waits.

const PATIENCE_MS = 800;

/** @typedef {{type: "open" | "released", id: number, tab: string}} News */

export class Tabs {
  /**
   * @param {number} user
   * @param {string} tab a name of this tab
   * @param {(id: number) => Promise<void>} release called when another tab opens an assignment; what is not saved goes out
   * @param {(id: number) => void} released called when another tab has let go of an assignment
   */
  constructor(user, tab, release, released) {
    this.tab = tab;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`anatomark:${user}`) : null;
    /** @type {((id: number) => void)[]} */
    this.waiting = [];
    this.channel?.addEventListener("message", ({ data }) => {
      const news = /** @type {News} */ (data);
      if (news.tab === tab) return;
      if (news.type === "released") {
        for (const tell of this.waiting) tell(news.id);
        released(news.id);
      } else void release(news.id).then(() => this.say("released", news.id));
    });
  }

  /**
   * This tab works on an assignment from now on.
   * @param {number} id
   */
  open(id) {
    this.say("open", id);
  }

  /**
   * The same, and resolves once the other tab has saved what it had, or does not answer.
   * @param {number} id
   * @returns {Promise<void>}
   */
  takeOver(id) {
    return new Promise((resolve) => {
      const timer = setTimeout(done, PATIENCE_MS);
      const tell = (/** @type {number} */ released) => released === id && done();
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

  /** @param {News["type"]} type @param {number} id */
  say(type, id) {
    this.channel?.postMessage({ type, id, tab: this.tab });
  }
}
