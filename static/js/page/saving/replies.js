// Interpret replies to saves and submissions.

import { isBar } from "../server_types.js";

/** @import { Reply } from "../api.js" */
/** @import { AssignmentState } from "../server_types.js" */

/**
 * The outcome of a submission. `pending` means that the request failed and is retried.
 * @typedef {(
 *   {kind: "submitted", next?: string | null, state?: AssignmentState | null, queue?: string, feedback?: string, changed: boolean}
 *   | {kind: "refused", message: string} | {kind: "conflict"} | {kind: "pending"}
 *   | {kind: "barred"}
 * )} Outcome
 */

/** @typedef {"stands" | "signed_out" | "barred" | "elsewhere" | "invalid" | "offline" | "failed"} Meaning */

/** @param {Reply} reply @returns {Meaning} */
export function meaningOf({ status, body }) {
  if (status === 200) return "stands";
  if (status === 401 || (status === 403 && body.error === "csrf")) return "signed_out";
  if (status === 409) return isBar(body.error) ? "barred" : "elsewhere";
  if (status === 422 || status === 400 || status === 413) return "invalid";
  return status === 0 && !navigator.onLine ? "offline" : "failed";
}

/**
 * The reason why the server refused a payload.
 * @param {any} body
 */
export function refusalIn(body) {
  const [first] = Object.values(/** @type {Record<string, string[]>} */ (body.errors ?? {}));
  return first?.join(" ") ?? "Refused: the server cannot read this annotation.";
}
