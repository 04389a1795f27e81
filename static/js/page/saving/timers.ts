// Schedule saves: shortly after the last change, and retries after a failure.

const QUIET_MS = 400;
const LONGEST_WAIT_MS = 2000;
const RETRY_SECONDS = [1, 2, 5, 10, 30];
const TICK_MS = 1000;

export class Timers {
  /** Consecutive failures. */
  attempts = 0;
  firstChange = 0;
  timer: number | undefined = undefined;
  ticker: number | undefined = undefined;

  /** `quietMs`: how long after the last change. */
  constructor(readonly send: () => void, readonly quietMs: number = QUIET_MS) {}

  /** Schedules a save after a quiet period, but no later than LONGEST_WAIT_MS after the first change. */
  afterChange() {
    const now = performance.now();
    if (this.timer === undefined) this.firstChange = now;
    this.in(Math.min(this.quietMs, Math.max(0, this.firstChange + LONGEST_WAIT_MS - now)));
  }

  in(milliseconds: number) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.send, milliseconds);
  }

  /**
   * Schedules a retry. Without `say`, there is no automatic retry.
   * `say`: called every second with the number of seconds left.
   */
  again(say: ((seconds: number) => void) | null) {
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)] ?? 30;
    this.attempts += 1;
    if (!say) return;
    const due = performance.now() + seconds * 1000;
    const tick = () => say(Math.max(1, Math.round((due - performance.now()) / 1000)));
    tick();
    this.in(seconds * 1000);
    this.ticker = window.setInterval(tick, TICK_MS);
  }

  /** Resets the number of failures. */
  answered() {
    this.attempts = 0;
  }

  stop() {
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    this.timer = undefined;
  }
}
