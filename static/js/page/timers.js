// When a save goes out: shortly after the last change, and again later where no answer came.

const QUIET_MS = 400;
const LONGEST_WAIT_MS = 2000;
const RETRY_SECONDS = [1, 2, 5, 10, 30];
const TICK_MS = 1000;

export class Timers {
  /** @param {() => void} send */
  constructor(send) {
    this.send = send;
    /** How often in a row no answer came. */
    this.attempts = 0;
    this.firstChange = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.ticker = undefined;
  }

  /** Something has changed: sent once nothing more comes, and not too late where more always comes. */
  afterChange() {
    const now = performance.now();
    if (this.timer === undefined) this.firstChange = now;
    this.in(Math.min(QUIET_MS, Math.max(0, this.firstChange + LONGEST_WAIT_MS - now)));
  }

  /** @param {number} milliseconds */
  in(milliseconds) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.send, milliseconds);
  }

  /**
   * No answer came. Without `say` it is not tried again by itself.
   * @param {((seconds: number) => void) | null} say called every second with the seconds left
   */
  again(say) {
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)] ?? 30;
    this.attempts += 1;
    if (!say) return;
    const due = performance.now() + seconds * 1000;
    const tick = () => say(Math.max(1, Math.round((due - performance.now()) / 1000)));
    tick();
    this.in(seconds * 1000);
    this.ticker = window.setInterval(tick, TICK_MS);
  }

  /** An answer came. */
  answered() {
    this.attempts = 0;
  }

  stop() {
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    this.timer = undefined;
  }
}
