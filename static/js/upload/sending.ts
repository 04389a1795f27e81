// Send files, a few at a time, with retries. Independent of the page, so that Node can test it.

import type { Found } from "./selected_files.ts";

/**
 * The kinds of failure: the page `aborted` the request; a `lost` one is retried; `refused` concerns one file; `stopped`
 * concerns all files until the user acts.
 */
type Kind = "aborted" | "lost" | "refused" | "stopped";

export class Trouble extends Error {
  constructor(readonly kind: Kind, words = "") {
    super(words);
  }
}

/** One file to send. */
export type Item = { name: string; file: File };

/**
 * `send` resolves once the server has the whole file; it rejects with a Trouble.
 * `known` returns, for each name and size, the digest of the file that the server has, or why it is refused.
 * `digest` returns the digest of a file on this device; null if it cannot be had, so that the file is sent.
 */
interface Ports {
  send: (item: Item, signal: AbortSignal, progress: (share: number) => void) => Promise<void>;
  known: (files: [string, number][]) => Promise<{ sha256?: string; refused?: string }[]>;
  digest: (file: File) => Promise<string | null>;
  changed: () => void;
  rest: (seconds: number) => Promise<void>; // ends early when the network is back
}

type State = "idle" | "sending" | "waiting" | "paused" | "stopped" | "done";

export class Tally {
  state: State = "idle";
  words = ""; // why sending has stopped
  found = 0; // files counted so far
  counted = true; // whether counting is complete
  sent = 0;
  there = 0; // files uploaded before
  bytes = 0; // sent
  refused = 0;
  problems: string[] = []; // the first refused files, each with its reason
}

export const AT_ONCE = 4;
export const ASKED_AT_ONCE = 100;
export const PROBLEMS_LISTED = 20;
const LONGEST_REST = 30;

export class Sender {
  readonly tally = new Tally();
  readonly active: Map<Item, { share: number, abort: AbortController }> = new Map();
  readonly sources: AsyncIterator<Found>[] = [];
  ready: Item[] = [];
  filling: Promise<void> | null = null;
  readonly gate: (() => void)[] = [];
  workers = 0;
  failures = 0;

  constructor(readonly ports: Ports) {}

  /** Adds more files. */
  add(source: AsyncIterator<Found>) {
    this.sources.push(source);
    if (this.tally.state === "idle" || this.tally.state === "done") this.#turn("sending");
    while (this.workers < AT_ONCE) void this.#work();
  }

  /** Counts files found; `all` says whether counting is complete. */
  count(more: number, all: boolean) {
    this.tally.found += more;
    this.tally.counted = all;
    this.ports.changed();
  }

  pause() {
    if (this.tally.state !== "sending" && this.tally.state !== "waiting") return;
    this.#halt("paused");
  }

  resume() {
    if (this.tally.state === "paused" || this.tally.state === "stopped") this.#turn("sending");
  }

  /** The progress from 0 to 1, counting unfinished files in part. */
  get share() {
    const { found, sent, there, refused } = this.tally;
    let done = sent + there + refused;
    for (const { share } of this.active.values()) done += share;
    return found === 0 ? 0 : Math.min(1, done / found);
  }

  async #work() {
    this.workers += 1;
    try {
      for (let item = await this.#next(); item; item = await this.#next()) await this.#deliver(item);
    } finally {
      this.workers -= 1;
      if (this.workers === 0 && this.sources.length === 0) this.#turn("done");
    }
  }

  /** The next file to send; null if there is none. */
  async #next(): Promise<Item | null> {
    for (;;) {
      await this.#open();
      const item = this.ready.shift();
      if (item) return item;
      if (!this.filling && this.sources.length === 0) return null;
      // One worker reads ahead, the others wait for it.
      this.filling ??= this.#fill().finally(() => (this.filling = null));
      await this.filling;
    }
  }

  async #fill() {
    const source = this.sources[0];
    if (!source) return;
    const some: Item[] = [];
    while (some.length < ASKED_AT_ONCE) {
      const step = await source.next().catch((error: Error) => this.#refuse("a folder", error.message));
      if (!step || step.done) {
        this.sources.shift();
        break;
      }
      const found = step.value;
      const file = await found.open().catch(() => this.#refuse(found.name, "it cannot be read on this device"));
      if (file) some.push({ name: found.name, file });
    }
    if (some.length > 0) await this.#sort(some);
  }

  /** Skips files that the server has or refuses. */
  async #sort(some: Item[]) {
    let answers: { sha256?: string; refused?: string }[] = [];
    await this.#persist(async () => {
      answers = await this.ports.known(some.map(({ name, file }) => [name, file.size]));
    });
    for (const [index, item] of some.entries()) {
      const { sha256, refused } = answers[index] ?? {};
      if (refused) this.#refuse(item.name, refused);
      else if (sha256 && (await this.ports.digest(item.file)) === sha256) this.tally.there += 1;
      else this.ready.push(item);
    }
    this.ports.changed();
  }

  async #deliver(item: Item) {
    try {
      await this.#persist(() => this.#attempt(item));
      this.tally.sent += 1;
      this.tally.bytes += item.file.size;
    } catch (error) {
      this.#refuse(item.name, error instanceof Error ? error.message : String(error));
    }
    this.ports.changed();
  }

  async #attempt(item: Item) {
    const entry = { share: 0, abort: new AbortController() };
    this.active.set(item, entry);
    try {
      await this.ports.send(item, entry.abort.signal, (share) => {
        entry.share = share;
        this.ports.changed();
      });
    } finally {
      this.active.delete(item);
    }
  }

  /** Retries until it works; rejects only if retrying cannot help. */
  async #persist(act: () => Promise<void>) {
    for (;;) {
      await this.#open();
      try {
        await act();
        this.failures = 0;
        if (this.tally.state === "waiting") this.#turn("sending");
        return;
      } catch (error) {
        if (!(error instanceof Trouble) || error.kind === "refused") throw error;
        if (error.kind === "stopped" && this.tally.state !== "paused") this.#halt("stopped", error.message);
        if (error.kind === "lost") await this.#rest();
      }
    }
  }

  async #rest() {
    if (this.tally.state === "sending") this.#turn("waiting");
    this.failures += 1;
    await this.ports.rest(Math.min(LONGEST_REST, 2 ** Math.min(8, Math.floor((this.failures - 1) / AT_ONCE))));
  }

  #halt(state: "paused" | "stopped", words = "") {
    this.#turn(state, words);
    for (const { abort } of this.active.values()) abort.abort();
  }

  #refuse(name: string, reason: string): null {
    this.tally.refused += 1;
    if (this.tally.problems.length < PROBLEMS_LISTED) this.tally.problems.push(`${name}: ${reason}`);
    this.ports.changed();
    return null;
  }

  /** Waits while sending is paused or stopped. */
  async #open(): Promise<void> {
    while (this.tally.state === "paused" || this.tally.state === "stopped") {
      await new Promise((resolve) => this.gate.push(() => resolve(undefined)));
    }
  }

  #turn(state: State, words = "") {
    this.tally.state = state;
    this.tally.words = words;
    if (state === "sending") for (const go of this.gate.splice(0)) go();
    this.ports.changed();
  }
}
