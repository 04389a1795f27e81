// Messages about saving, navigation and locks, which do not depend on the protocol.

import { type Message, sayings } from "../labelling/messages.ts";
import type { Bar, Status } from "./server_types.ts";

export const notice = (kind: Message["kind"], code: string, text: string): Message => ({
  kind,
  code,
  text,
  parts: [{ style: "plain", text }],
  offers: [],
});

/** Messages that are always the same. */
export const said = sayings({
  other_tab: ["warn", "This image is open in another tab. Choose “Work here” to edit it in this tab."],
  pending: ["stop", "Not submitted yet: the server did not respond. Retrying automatically."],
  changed: ["stop", "Not submitted: the annotation was changed elsewhere. Compare the versions and choose one."],
  no_zoom: ["info", "You cannot enlarge images in this batch."],
  no_rules: ["info", "The project’s guideline adds nothing about this cell."],
  asked: ["ok", "Question sent. The answer appears in your queue."],
  unreachable: ["stop", "Not opened: the server did not respond. Try again."],
  restored: ["ok", "Unsaved changes were restored from this device."],
  not_withdrawn: ["stop", "Not reopened: the server did not respond, or the annotation was changed elsewhere."],
});

export const closedNotice = (status: Status) =>
  status === "skipped"
    ? notice("info", "closed", "Skipped. Resume the image to annotate it.")
    : notice("info", "closed", "Submitted. Reopen it to make corrections.");

const BARRED: Record<Bar, string> = {
  closed: "This batch is closed",
  withdrawn: "This image was reassigned to another annotator",
  deleted: "A lead is deleting this image",
  ended: "This qualification has ended",
  revealed: "This image was revealed in a norming session",
};

/** `kept` says whether unsaved changes are kept on this device. */
export function barredNotice(by: Bar, kept: boolean) {
  const why = BARRED[by];
  return kept
    ? notice("stop", "barred", `${why}: changes are no longer saved. Your draft is kept on this device.`)
    : notice("info", "barred", `${why}. The annotation is read-only.`);
}

export const refusedNotice = (reason: string) => notice("stop", "refused", reason);

export const noFurtherNotice = (last: boolean) =>
  notice("info", "no_further", last ? "This is the last image." : "This is the first image.");

export const withdrawnNotice = (number: number) => notice("ok", "withdrawn", `Image ${number} is a draft again.`);

export const notSkippedNotice = (offline: boolean) =>
  notice("stop", "not_skipped", offline ? "Not skipped: the server did not respond." : "Not skipped: the annotation was changed elsewhere.");
