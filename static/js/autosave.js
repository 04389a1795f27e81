/**
 * Saving a draft while somebody types. One request at a time; each names the version it replaces and
 * carries a key, so that a request sent twice is stored once. A request whose answer was lost is
 * repeated as it was, key and all, before anything newer is sent.
 */

const QUIET_MS = 400;
const LONGEST_WAIT_MS = 2000;
const TIMEOUT_MS = 8000;
const RETRY_SECONDS = [1, 2, 5, 10, 30];

/** @typedef {"waiting" | "saving" | "submitting" | "saved" | "refused" | "retrying" | "offline" | "signed-out" | "conflict"} State */
/** @typedef {{version?: number, saved_at?: string, errors?: Record<string, string[]>, short?: Record<string, string>, warnings?: Record<string, string[]>, conflict?: string}} Answer */
/**
 * @typedef {object} Listener
 * @property {(state: State, facts?: {at?: Date, seconds?: number, unread?: number}) => void} state
 * @property {(answer: Answer) => void} heard
 * @property {(html: string) => void} conflict
 */

export class Autosave {
  /**
   * @param {HTMLFormElement} form
   * @param {Listener} listener
   */
  constructor(form, listener) {
    this.form = form;
    this.listener = listener;
    this.dirty = false;
    this.stopped = false;
    this.attempts = 0;
    this.firstChange = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {FormData | undefined} what is being sent, until it is answered */
    this.pending = undefined;
    this.sending = false;
    /** @type {((saved: boolean) => void)[]} */
    this.waiters = [];
  }

  /** Whether something is typed that the server does not have yet. */
  get busy() {
    return !this.stopped && (this.dirty || this.pending !== undefined);
  }

  /** Something was typed. */
  changed() {
    if (this.stopped) return;
    const now = performance.now();
    if (!this.dirty) this.firstChange = now;
    this.dirty = true;
    if (this.pending) return;
    this.listener.state("waiting");
    this.schedule(Math.min(QUIET_MS, Math.max(0, this.firstChange + LONGEST_WAIT_MS - now)));
  }

  /** Save at once what is not saved yet. */
  flush() {
    if (this.busy && !this.sending) this.send();
  }

  /** Try again at once if a try is pending: the line, or the session, may be back. */
  retryNow() {
    if (this.pending && !this.sending) this.send();
  }

  /** Nothing is saved from here on. */
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.settle(false);
  }

  /**
   * Go on from another version, replacing it knowingly.
   * @param {number} version
   */
  keepMine(version) {
    this.version = version;
    this.stopped = false;
    this.pending = undefined;
    this.dirty = true;
    this.send();
  }

  /**
   * Resolves when everything typed is stored (true), or cannot be for now (false).
   * @returns {Promise<boolean>}
   */
  settled() {
    if (!this.busy) return Promise.resolve(true);
    const settled = new Promise((/** @type {(saved: boolean) => void} */ resolve) => this.waiters.push(resolve));
    this.flush();
    return settled;
  }

  get version() {
    return Number(this.field("version").value);
  }

  set version(number) {
    this.field("version").value = String(number);
  }

  /** @param {number} milliseconds */
  schedule(milliseconds) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), milliseconds);
  }

  async send() {
    clearTimeout(this.timer);
    if (this.stopped || this.sending) return;
    if (!this.pending) {
      this.pending = this.snapshot();
      this.dirty = false;
    }
    this.pending.set("csrfmiddlewaretoken", this.token());
    this.sending = true;
    this.listener.state("saving");
    const response = await this.post(this.pending);
    this.sending = false;
    if (!this.stopped) await this.answered(response);
  }

  /**
   * @param {FormData} body
   * @returns {Promise<Response | undefined>} nothing when no answer came
   */
  async post(body) {
    try {
      // Not `form.action`: the buttons are called that, and a form's fields hide its own properties.
      return await fetch(this.form.getAttribute("action") ?? "", {
        method: "POST",
        body,
        headers: { Accept: "application/json" },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch {
      return undefined;
    }
  }

  /** @param {Response | undefined} response */
  async answered(response) {
    if (!response) return this.retry(navigator.onLine ? "retrying" : "offline");
    if (response.type === "opaqueredirect" || response.status === 401 || response.status === 403) {
      return this.retry("signed-out");
    }
    if (![200, 409, 422].includes(response.status)) return this.retry("retrying");
    /** @type {Answer} */
    let answer;
    try {
      answer = await response.json();
    } catch {
      return this.retry("retrying");
    }
    this.pending = undefined;
    this.attempts = 0;
    if (response.status === 409) return this.conflicts(answer);
    if (response.status === 200) this.version = answer.version ?? this.version;
    this.listener.heard(answer);
    if (this.dirty) return this.changedMeanwhile();
    const unread = Object.keys(answer.errors ?? {}).length;
    const at = new Date(answer.saved_at ?? Date.now());
    this.listener.state(response.status === 200 ? "saved" : "refused", { at, unread });
    this.settle(response.status === 200);
  }

  changedMeanwhile() {
    if (this.waiters.length) this.send();
    else this.schedule(QUIET_MS);
  }

  /** @param {Answer} answer */
  conflicts(answer) {
    this.stop();
    this.listener.state("conflict");
    this.listener.conflict(answer.conflict ?? "");
  }

  /** @param {"retrying" | "offline" | "signed-out"} state */
  retry(state) {
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)];
    this.attempts += 1;
    this.listener.state(state, { seconds });
    this.settle(false);
    this.schedule(seconds * 1000);
  }

  /** @param {boolean} saved */
  settle(saved) {
    for (const waiter of this.waiters.splice(0)) waiter(saved);
  }

  /** @returns {FormData} */
  snapshot() {
    const data = new FormData(this.form);
    data.set("action", "draft");
    data.set("request_key", newKey());
    return data;
  }

  /** Signing in again in another tab changes the token: the cookie has the current one. */
  token() {
    const field = this.field("csrfmiddlewaretoken");
    const cookie = /(?:^|; )anatomark_csrf=([^;]+)/.exec(document.cookie);
    if (cookie) field.value = cookie[1];
    return field.value;
  }

  /**
   * @param {string} name
   * @returns {HTMLInputElement}
   */
  field(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
  }
}

/**
 * A random UUID; `crypto.randomUUID` exists only over https and on localhost.
 * @returns {string}
 */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
