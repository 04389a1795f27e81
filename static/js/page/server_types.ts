// The types of the replies of the server and of the configuration of the page.

import type { Effort } from "../labelling/capture.ts";
import type { FlagReason, Tag } from "../labelling/project_words.ts";

/** An annotation as it is sent and stored; each protocol has its own fields. */
export type Payload = Record<string, any>;

export type Status = "draft" | "submitted" | "reopened" | "skipped";

/**
 * Why the annotation is locked: the batch is closed, the image was reassigned, it or the project is being deleted, its
 * qualification has ended, or a norming session has revealed it.
 */
export type Bar = "closed" | "withdrawn" | "deleted" | "ended" | "revealed";

/** One assignment as returned by `answer_state`. */
export interface AssignmentState {
  id: number;
  position: number; // 0 if withdrawn
  total: number;
  done: number;
  version: number; // 0 if nothing has been saved
  status: Status;
  barred: Bar | null;
  confirmed?: string[]; // cells in which the stored draft confirms that one part has two errors
  visited?: string[]; // cells of a guided batch that were visited before
  effort?: Effort; // the stored effort of earlier openings
  request: string | null; // the reason given by the lead who reopened it
  payload: Partial<Payload>;
  saved_at: string | null;
  image: { src: string; width: number; height: number };
  prompt: string | null; // null if the batch hides it
  generator: string | null; // null if the batch hides it
  image_id?: string; // if the batch shows it
  protocol: string;
  batch: { name: string; guided: boolean; score_shown: "never" | "choice"; settings?: { guided_required?: boolean; zoom?: "none" | "loupe" | "free"; shape?: "outline" | "box" } };
  /** Null if this image has none to show; absent if the batch shows none. */
  suggestion?: { run: number; source: string; [what: string]: any } | null;
  guideline: string | null; // the version of the project's guideline in force
  previous: number | null;
  next: number | null;
  upcoming: number | null; // the first open assignment other than this one
  upcoming_image: AssignmentState["image"] | null;
}

export interface Preferences {
  single_keys: boolean;
  surround: "auto" | "light" | "dark";
  show_score: boolean;
}

export interface PageConfig {
  user: number;
  username: string;
  preferences: Preferences;
  protocol: string; // of this page; each protocol has a page of its own
  flag_reasons: readonly FlagReason[];
  tags: readonly Tag[];
  weights: Record<string, string>; // of a, b and c, if the protocol has them
  definitions: Record<string, string>; // by error type and body part
  pictures?: Record<string, string>; // the addresses of drawn examples, by error type
  /** `label` has a 0 in place of the assignment. */
  urls: { label: string; queue: string; login: string; preferences: string; guide: string };
  /** The submission or skip made just before this page was opened. */
  after: { id: number; number: number; version: number; skipped: boolean } | null;
}

/** The body of a refusal with status 409: the stored annotation. */
export interface Stored {
  error: string;
  version: number;
  status: Status;
  payload: Partial<Payload>;
  saved_at: string | null;
}

export const isBar = (error: string): error is Bar =>
  ["closed", "withdrawn", "deleted", "ended", "revealed"].includes(error);

export const isClosed = (status: Status) => status === "submitted" || status === "skipped";
