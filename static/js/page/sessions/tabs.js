// Messages between the tabs of one browser. Of two tabs with the same assignment, the later one is active and the
// earlier one waits.

const PATIENCE_MS = 800;

/** @typedef {{type: "open" | "released", id: number, tab: string}} News */

export class Tabs {
  /**
   * @param {number} user
   * @param {string} tab the id of this tab
   * @param {(id: number) => Promise<void>} release called when another tab opens an assignment; saves unsaved changes
   * @param {(id: number) => void} released called when another tab has released an assignment
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
   * Announces that this tab is now active on an assignment.
   * @param {number} id
   */
  open(id) {
    this.say("open", id);
  }

  /**
   * Does the same, and resolves once the other tab has saved or fails to respond.
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
