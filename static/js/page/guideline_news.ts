// The project's guideline as it is now, and the message that a new version has come.

import { notice } from "./notices.ts";
import type { Message } from "../labelling/messages.ts";
import type { Desk } from "./desk.ts";
import type { Content } from "./dialogs/frame.ts";
import type { AssignmentState } from "./server_types.ts";

/** The addresses of the images expire after half an hour. */
const FRESH_MS = 20 * 60 * 1000;
/** How long each image that is opened announces a new version. */
const READ_MS = 8000;

export interface Example {
  src: string;
  width: number;
  height: number;
  alt: string;
  caption: string;
  pins: [number, number][];
}

/** What the server sends. All keys are missing if no version has been published. */
interface Told {
  version?: string;
  summary?: string; // what the version changes
  texts?: Record<string, string>; // by error type, body part, and others
  decisions?: Record<string, string[]>; // by cell, error type and body part
  examples?: Example[];
  cells?: Record<string, number[]>; // positions in `examples` by cell
}

export class GuidelineNews {
  told: Told = {};
  loadedAt = -Infinity;
  /** A new version, and when it was first shown. */
  news: { message: Message; since: number | null } | null = null;

  /** What the guideline says about the current cell, if anything. */
  dialog?(desk: Desk): Content | null;

  /** Loads the guideline of an assignment if there is a new version or the addresses may have expired. */
  async follow(assignment: AssignmentState, desk: Desk) {
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

  /** Announces a new version on an image without work, and on the next one if the annotator leaves at once. */
  tellNews(desk: Desk) {
    if (!this.news || !desk.session?.untouched) return;
    this.news.since ??= performance.now();
    if (performance.now() - this.news.since < READ_MS) desk.say(this.news.message);
    else this.news = null;
  }
}

const newVersionNotice = ({ version, summary }: Told) =>
  notice("info", "guideline", `The guideline is now version ${version}${summary ? `: ${summary}` : "."}`);
