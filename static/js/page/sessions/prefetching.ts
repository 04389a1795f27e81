// Fetch assignments and images ahead, so that the next one appears immediately.

import { el } from "../dom.ts";
import type { Api } from "../api.ts";
import type { AssignmentState } from "../server_types.ts";

// A signed URL is valid for at least half an hour.
const FRESH_MS = 15 * 60 * 1000;
const MOST_KEPT = 4;

export type Ready = { assignment: AssignmentState; image: HTMLImageElement };

export class Prefetcher {
  readonly ahead: Map<number, {at: number, ready: Promise<Ready | null>}> = new Map();
  /** The image that a submission leads to. */
  upcoming: HTMLImageElement | null = null;

  constructor(readonly api: Api) {}

  /** Loads and decodes the image that is likely to be shown next. */
  expect(image: AssignmentState["image"]) {
    if (this.upcoming?.getAttribute("src") !== image.src) this.upcoming = imageOf(image);
  }

  /** Keeps an assignment that the server has just returned. */
  keep(assignment: AssignmentState) {
    this.expect(assignment.image);
    this.ahead.set(assignment.id, { at: performance.now(), ready: Promise.resolve(this.ready(assignment)) });
  }

  /** Prefetches an assignment and its image. */
  prefetch(id: number) {
    if (this.has(id)) return;
    this.ahead.set(id, { at: performance.now(), ready: this.load(id) });
    const [oldest] = this.ahead.keys();
    if (this.ahead.size > MOST_KEPT && oldest !== undefined) this.ahead.delete(oldest);
  }

  has(id: number) {
    const found = this.ahead.get(id);
    return found !== undefined && performance.now() - found.at < FRESH_MS;
  }

  /** An assignment to show now; null if the server cannot be reached or refuses. A prefetched one is used only once. */
  async take(id: number): Promise<Ready | null> {
    const found = this.has(id) ? this.ahead.get(id) : undefined;
    this.ahead.delete(id);
    return (await found?.ready) ?? this.load(id);
  }

  async load(id: number): Promise<Ready | null> {
    const { status, body } = await this.api.state(id);
    if (status !== 200) return null;
    return this.ready(body as AssignmentState);
  }

  ready(assignment: AssignmentState): Ready {
    const { image } = assignment;
    const expected = this.upcoming?.getAttribute("src") === image.src ? this.upcoming : null;
    if (expected) this.upcoming = null;
    return { assignment, image: expected ?? imageOf(image) };
  }

  /** Drops a prefetched assignment that has changed. */
  forget(id: number) {
    this.ahead.delete(id);
  }
}

export function imageOf({ src, width, height }: AssignmentState["image"]) {
  const image = el("img", { src, width, height, alt: "The image to annotate", draggable: "false" });
  // Decode ahead, so that the image appears with the next frame.
  image.decode().catch(() => undefined);
  return image;
}
