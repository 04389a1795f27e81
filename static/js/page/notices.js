// Messages about the desk itself: what the answer's own rules know nothing of.

/** @import { Message } from "../labelling/messages.js" */
/** @import { Bar, Status } from "./contract.js" */

/**
 * @param {Message["kind"]} kind
 * @param {string} code
 * @param {string} text
 * @returns {Message}
 */
export const notice = (kind, code, text) => ({
  kind,
  code,
  text,
  parts: [{ style: "plain", text }],
  offers: [],
});

/** @param {Status} status */
export const closedNotice = (status) =>
  status === "skipped"
    ? notice("info", "closed", "Skipped. Take it up again to label it.")
    : notice("info", "closed", "Submitted. Reopen it to correct something.");

/** @type {Record<Bar, string>} */
const BARRED = {
  closed: "This batch was closed",
  withdrawn: "This image was given to somebody else",
  deleted: "A lead is deleting this image",
};

/** @param {Bar} by @param {boolean} kept whether something unsaved stays on this device */
export function barredNotice(by, kept) {
  const why = BARRED[by];
  return kept
    ? notice("stop", "barred", `${why}: nothing is saved any more. Your draft is kept on this device.`)
    : notice("info", "barred", `${why}. It can be read, not changed.`);
}

/** @param {string} request */
export const requestNotice = (request) => notice("warn", "request", `Reopened by the lead: ${request}`);

export const elsewhereNotice = () =>
  notice("warn", "other_tab", "This image is open in another tab. Nothing is entered here until you choose Work here.");

export const pendingNotice = () =>
  notice("stop", "pending", "Not submitted yet: no answer from the server. It is tried again by itself.");

/** @param {string} reason */
export const refusedNotice = (reason) =>
  notice("stop", "refused", reason.startsWith("Not submitted") || reason.startsWith("Refused") ? reason : `Refused: ${reason}`);

export const conflictNotice = () =>
  notice("stop", "changed", "Not submitted: this image was changed elsewhere. Compare and choose.");

/** @param {boolean} last */
export const noFurtherNotice = (last) =>
  notice("info", "no_further", last ? "This is the last image." : "This is the first image.");

export const unreachableNotice = () =>
  notice("stop", "unreachable", "Not opened: no answer from the server. This image stays.");

export const restoredNotice = () =>
  notice("ok", "restored", "Taken from this device: what could not be saved last time.");

/** @param {number} number */
export const withdrawnNotice = (number) => notice("ok", "withdrawn", `Image ${number} is a draft again.`);

export const notWithdrawnNotice = () =>
  notice("stop", "not_withdrawn", "Not taken back: no answer from the server, or it was changed elsewhere.");

/** @param {boolean} offline */
export const notSkippedNotice = (offline) =>
  notice("stop", "not_skipped", offline ? "Not skipped: no answer from the server." : "Not skipped: it was changed elsewhere.");
