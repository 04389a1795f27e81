// Fetch assignments and images ahead, so that the next one appears immediately.

import { el } from "../dom.js";

/** @import { Api } from "../api.js" */
/** @import { AssignmentState } from "../server_types.js" */

// A signed URL is valid for at least half an hour.
const FRESH_MS = 15 * 60 * 1000;
const MOST_KEPT = 4;

/** @typedef {{assignment: AssignmentState, image: HTMLImageElement}} Ready */

export class Prefetcher {
  /** @param {Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<number, {at: number, ready: Promise<Ready | null>}>} */
    this.ahead = new Map();
    /** @type {HTMLImageElement | null} the image that a submission leads to */
    this.upcoming = null;
  }

  /**
   * Loads and decodes the image that is likely to be shown next.
   * @param {AssignmentState["image"]} image
   */
  expect(image) {
    if (this.upcoming?.getAttribute("src") !== image.src) this.upcoming = imageOf(image);
  }

  /**
   * Keeps an assignment that the server has just returned.
   * @param {AssignmentState} assignment
   */
  keep(assignment) {
    this.expect(assignment.image);
    this.ahead.set(assignment.id, { at: performance.now(), ready: Promise.resolve(this.ready(assignment)) });
  }

  /**
   * Prefetches an assignment and its image.
   * @param {number} id
   */
  prefetch(id) {
    if (this.has(id)) return;
    this.ahead.set(id, { at: performance.now(), ready: this.load(id) });
    const [oldest] = this.ahead.keys();
    if (this.ahead.size > MOST_KEPT && oldest !== undefined) this.ahead.delete(oldest);
  }

  /** @param {number} id */
  has(id) {
    const found = this.ahead.get(id);
    return found !== undefined && performance.now() - found.at < FRESH_MS;
  }

  /**
   * Returns an assignment to show now. A prefetched one is used only once.
   * @param {number} id
   * @returns {Promise<Ready | null>} null if the server cannot be reached or refuses
   */
  async take(id) {
    const found = this.has(id) ? this.ahead.get(id) : undefined;
    this.ahead.delete(id);
    return (await found?.ready) ?? this.load(id);
  }

  /**
   * @param {number} id
   * @returns {Promise<Ready | null>}
   */
  async load(id) {
    const { status, body } = await this.api.state(id);
    if (status !== 200) return null;
    return this.ready(/** @type {AssignmentState} */ (body));
  }

  /** @param {AssignmentState} assignment @returns {Ready} */
  ready(assignment) {
    const { image } = assignment;
    const expected = this.upcoming?.getAttribute("src") === image.src ? this.upcoming : null;
    if (expected) this.upcoming = null;
    return { assignment, image: expected ?? imageOf(image) };
  }

  /** Drops a prefetched assignment that has changed. @param {number} id */
  forget(id) {
    this.ahead.delete(id);
  }
}

/** @param {AssignmentState["image"]} image */
export function imageOf({ src, width, height }) {
  const image = el("img", { src, width, height, alt: "The image to annotate", draggable: "false" });
  // Decode ahead, so that the image appears with the next frame.
  image.decode().catch(() => undefined);
  return image;
}
