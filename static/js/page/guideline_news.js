// The project's guideline as it is now, and the message that a new version has come.

import { notice } from "./notices.js";

/** @import { Message } from "../labelling/messages.js" */
/** @import { Desk } from "./desk.js" */
/** @import { Content } from "./dialogs/frame.js" */
/** @import { AssignmentState } from "./server_types.js" */

/** The addresses of the images expire after half an hour. */
const FRESH_MS = 20 * 60 * 1000;
/** How long each image that is opened announces a new version. */
const READ_MS = 8000;

/** @typedef {{src: string, width: number, height: number, alt: string, caption: string, pins: [number, number][]}} Example */

/**
 * What the server sends. All keys are missing if no version has been published.
 * @typedef {object} Told
 * @property {string} [version]
 * @property {string} [summary] what the version changes
 * @property {Record<string, string>} [texts] by error type, body part, and others
 * @property {Record<string, string[]>} [decisions] by cell, error type and body part
 * @property {Example[]} [examples]
 * @property {Record<string, number[]>} [cells] positions in `examples` by cell
 */

export class GuidelineNews {
  constructor() {
    /** @type {Told} */
    this.told = {};
    this.loadedAt = -Infinity;
    /** @type {{message: Message, since: number | null} | null} a new version, and when it was first shown */
    this.news = null;
  }

  /** What the guideline says about the current cell; null where it says nothing. @param {Desk} _ @returns {Content | null} */
  dialog(_) {
    return null;
  }

  /**
   * Loads the guideline of an assignment if there is a new version or the addresses may have expired.
   * @param {AssignmentState} assignment
   * @param {Desk} desk
   */
  async follow(assignment, desk) {
    const known = this.told.version ?? null;
    if (assignment.guideline !== known || (known !== null && performance.now() - this.loadedAt >= FRESH_MS)) {
      const { status, body } = await desk.tools.api.guideline(assignment.id);
      if (status !== 200) return;
      this.told = body;
      this.loadedAt = performance.now();
      const renewed = known !== null && this.told.version !== undefined && this.told.version !== known;
      if (renewed) this.news = { message: newVersionNotice(this.told), since: null };
      desk.draw();
    }
    this.tellNews(desk);
  }

  /**
   * Announces a new version on an image without work, and on the next one if the annotator leaves at once.
   * @param {Desk} desk
   */
  tellNews(desk) {
    if (!this.news || !desk.session?.untouched) return;
    this.news.since ??= performance.now();
    if (performance.now() - this.news.since < READ_MS) desk.say(this.news.message);
    else this.news = null;
  }
}

/** @param {Told} told */
const newVersionNotice = ({ version, summary }) =>
  notice("info", "guideline", `The guideline is now version ${version}${summary ? `: ${summary}` : "."}`);
