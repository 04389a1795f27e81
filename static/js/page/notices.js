// Messages about saving, navigation and locks, which do not depend on the protocol.

/** @import { Message } from "../labelling/messages.js" */
/** @import { Bar, Status } from "./server_types.js" */

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
    ? notice("info", "closed", "Skipped. Resume the image to annotate it.")
    : notice("info", "closed", "Submitted. Reopen it to make corrections.");

/** @type {Record<Bar, string>} */
const BARRED = {
  closed: "This batch is closed",
  withdrawn: "This image was reassigned to another annotator",
  deleted: "A lead is deleting this image",
  ended: "This qualification has ended",
  revealed: "This image was revealed in a norming session",
};

/** @param {Bar} by @param {boolean} kept whether unsaved changes are kept on this device */
export function barredNotice(by, kept) {
  const why = BARRED[by];
  return kept
    ? notice("stop", "barred", `${why}: changes are no longer saved. Your draft is kept on this device.`)
    : notice("info", "barred", `${why}. The annotation is read-only.`);
}

/** @param {string} request */
export const requestNotice = (request) => notice("warn", "request", `Reopened by a lead: ${request}`);

export const elsewhereNotice = () =>
  notice("warn", "other_tab", "This image is open in another tab. Choose “Work here” to edit it in this tab.");

export const pendingNotice = () =>
  notice("stop", "pending", "Not submitted yet: the server did not respond. Retrying automatically.");

/** @param {string} reason */
export const refusedNotice = (reason) => notice("stop", "refused", reason);

export const conflictNotice = () =>
  notice("stop", "changed", "Not submitted: the annotation was changed elsewhere. Compare the versions and choose one.");

export const noZoomNotice = () =>
  notice("info", "no_zoom", "You cannot enlarge images in this batch.");

export const noRulesNotice = () =>
  notice("info", "no_rules", "The project’s guideline adds nothing about this cell.");

export const askedNotice = () => notice("ok", "asked", "Question sent. The answer appears in your queue.");

/** @param {boolean} last */
export const noFurtherNotice = (last) =>
  notice("info", "no_further", last ? "This is the last image." : "This is the first image.");

export const unreachableNotice = () =>
  notice("stop", "unreachable", "Not opened: the server did not respond. Try again.");

export const restoredNotice = () =>
  notice("ok", "restored", "Unsaved changes were restored from this device.");

/** @param {number} number */
export const takingBackNotice = (number) => notice("info", "taking_back", `Taking image ${number} back…`);

/** @param {number} number */
export const withdrawnNotice = (number) => notice("ok", "withdrawn", `Image ${number} is a draft again.`);

export const notWithdrawnNotice = () =>
  notice("stop", "not_withdrawn", "Not reopened: the server did not respond, or the annotation was changed elsewhere.");

/** @param {boolean} offline */
export const notSkippedNotice = (offline) =>
  notice("stop", "not_skipped", offline ? "Not skipped: the server did not respond." : "Not skipped: the annotation was changed elsewhere.");
