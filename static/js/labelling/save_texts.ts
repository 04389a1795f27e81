// The texts of the save state, at the top right of the page.

/** `time` is the server's time in the local time zone, "10:42:07"; `seconds` is the time until the next retry. */
export type SaveState =
  | { state: keyof typeof TEXTS }
  | { state: "saved"; time: string }
  | { state: "failed"; seconds: number }
  | { state: "barred"; by: keyof typeof BARRED; kept: boolean };

const BARRED = {
  closed: "Batch closed",
  withdrawn: "Reassigned",
  deleted: "Being deleted",
  ended: "Ended",
  revealed: "Revealed",
};

const TEXTS = {
  untouched: { text: "", button: null },
  saving: { text: "Saving…", button: null },
  offline: { text: "Offline. Kept on this device", button: "Download" },
  signed_out: { text: "Signed out. Kept on this device", button: "Sign in" },
  changed: { text: "Changed elsewhere", button: "Compare" },
  other_tab: { text: "Open in another tab", button: "Work here" },
};

/** The text of a save state, and the button beside it, if any. */
export function saveText(save: SaveState): { text: string; button: string | null } {
  if (save.state === "saved") return { text: `Saved ${save.time}`, button: null };
  if (save.state === "failed") return { text: `Not saved. Retrying in ${save.seconds} s`, button: "Retry now" };
  if (save.state !== "barred") return TEXTS[save.state];
  const text = BARRED[save.by];
  return save.kept ? { text: `${text}. Kept on this device`, button: "Download" } : { text, button: null };
}
