// The types of the replies of the server and of the configuration of the page.

/** @import { Effort } from "../labelling/capture.js" */
/** @import { FlagReason, Tag } from "../labelling/project_words.js" */

/** @typedef {Record<string, any>} Payload an annotation as it is sent and stored; each protocol has its own fields */

/** @typedef {"draft" | "submitted" | "reopened" | "skipped"} Status */

/** @typedef {"closed" | "withdrawn" | "deleted" | "ended" | "revealed"} Bar why the annotation is locked: the batch is closed, the image was reassigned, it or the project is being deleted, its qualification has ended, or a norming session has revealed it */

/**
 * One assignment as returned by `answer_state`.
 * @typedef {object} AssignmentState
 * @property {number} id
 * @property {number} position 0 if withdrawn
 * @property {number} total
 * @property {number} done
 * @property {number} version 0 if nothing has been saved
 * @property {Status} status
 * @property {Bar | null} barred
 * @property {string[]} [confirmed] cells in which the stored draft confirms that one part has two errors
 * @property {Effort} [effort] the stored effort of earlier openings
 * @property {string | null} request the reason given by the lead who reopened it
 * @property {Partial<Payload>} payload
 * @property {string | null} saved_at
 * @property {{src: string, width: number, height: number}} image
 * @property {string | null} prompt null if the batch hides it
 * @property {string | null} generator null if the batch hides it
 * @property {string} protocol
 * @property {{name: string, guided: boolean, score_shown: "never" | "choice", settings?: {zoom?: "none" | "loupe" | "free", shape?: "outline" | "box"}}} batch
 * @property {{run: number, source: string, [what: string]: any} | null} [suggestion] null if this image has none to show; absent if the batch shows none
 * @property {string | null} guideline the version of the project's guideline in force
 * @property {number | null} previous
 * @property {number | null} next
 * @property {number | null} upcoming the first open assignment other than this one
 * @property {AssignmentState["image"] | null} upcoming_image
 */

/**
 * @typedef {object} Preferences
 * @property {boolean} single_keys
 * @property {"auto" | "light" | "dark"} surround
 * @property {boolean} show_score
 */

/**
 * @typedef {object} PageConfig
 * @property {number} user
 * @property {string} username
 * @property {Preferences} preferences
 * @property {string} protocol of this page; each protocol has a page of its own
 * @property {readonly FlagReason[]} flag_reasons
 * @property {readonly Tag[]} tags
 * @property {Record<string, string>} weights of a, b and c, if the protocol has them
 * @property {Record<string, string>} definitions by error type and body part
 * @property {Record<string, string>} [pictures] the addresses of drawn examples, by error type
 * @property {{label: string, queue: string, login: string, preferences: string, guide: string}} urls
 *   `label` has a 0 in place of the assignment
 * @property {{id: number, number: number, version: number, skipped: boolean} | null} after the submission or skip made just before this page was opened
 */

/**
 * The body of a refusal with status 409: the stored annotation.
 * @typedef {object} Stored
 * @property {string} error
 * @property {number} version
 * @property {Status} status
 * @property {Partial<Payload>} payload
 * @property {string | null} saved_at
 */

/** @param {string} error of a refusal @returns {error is Bar} */
export const isBar = (error) => ["closed", "withdrawn", "deleted", "ended", "revealed"].includes(error);

/** @param {Status} status */
export const isClosed = (status) => status === "submitted" || status === "skipped";
