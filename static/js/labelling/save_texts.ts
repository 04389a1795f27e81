// The texts of the save state, at the top right of the page.

/** `time` is the server's time in the local time zone, "10:42:07"; `seconds` is the time until the next retry. */
export type SaveState =
  | { state: "untouched" }
  | { state: "saving" }
  | { state: "saved"; time: string }
  | { state: "offline" }
  | { state: "failed"; seconds: number }
  | { state: "signed_out" }
  | { state: "changed" }
  | { state: "other_tab" }
  | { state: "barred"; by: "closed" | "withdrawn" | "deleted" | "ended" | "revealed"; kept: boolean };

const BARRED = { closed: "Batch closed", withdrawn: "Reassigned", deleted: "Being deleted", ended: "Ended", revealed: "Revealed" };

/** The text of a save state, and the button beside it, if any. */
export function saveText(save: SaveState): { text: string; button: string | null } {
  switch (save.state) {
    case "untouched":
      return { text: "", button: null };
    case "saving":
      return { text: "Saving…", button: null };
    case "saved":
      return { text: `Saved ${save.time}`, button: null };
    case "offline":
      return { text: "Offline. Kept on this device", button: "Download" };
    case "failed":
      return { text: `Not saved. Retrying in ${save.seconds} s`, button: "Retry now" };
    case "signed_out":
      return { text: "Signed out. Kept on this device", button: "Sign in" };
    case "changed":
      return { text: "Changed elsewhere", button: "Compare" };
    case "other_tab":
      return { text: "Open in another tab", button: "Work here" };
    case "barred": {
      const text = BARRED[save.by];
      return save.kept ? { text: `${text}. Kept on this device`, button: "Download" } : { text, button: null };
    }
  }
}
