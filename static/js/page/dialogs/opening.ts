// Open the dialogs of the desk and handle their results.

import { csrfToken, TIMEOUT_MS } from "../api.ts";
import { el, keyCap } from "../dom.ts";
import * as notices from "../notices.ts";
import { keepStage, stageIsDark } from "../theme.ts";
import { askDialog } from "./ask.ts";
import { conflictDialog } from "./conflict.ts";
import { type Content, dialogButton, Frame, textField } from "./frame.ts";
import { flagDialog, noteDialog } from "./remarks.ts";
import type { DialogName } from "../../labelling/actions.ts";
import type { Desk } from "../desk.ts";
import type { Session } from "../sessions/image_session.ts";

const SURROUNDS = [
  ["auto", "Same as device"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;
const LONGEST_REASON = 400;
const SHARED_KEYS: readonly (readonly [string, string])[] = [
  ["S", "flag, tag or skip; digits choose the reason and the tags"],
  ["Q", "ask a lead about this image"],
  ["PgUp PgDn", "previous or next image"],
  ["Ctrl Enter", "submit and go to the next image"],
  ["?", "this help"],
];

export type DialogTitle = DialogName | "compare" | "reopen" | "sign_in";

/** Opens a dialog if no other is open; only the sign-in dialog may cover another one. */
export function openDialog(desk: Desk, name: DialogTitle) {
  const { session } = desk;
  if (name === "sign_in") return signIn(desk);
  if (desk.dialogs.current || !session) return;
  OPENED[name](desk, session);
}

const OPENED: Record<Exclude<DialogTitle, "sign_in">, (desk: Desk, session: Session) => unknown> = {
  note: (desk) => remark(desk, "note", noteDialog),
  flag: (desk) => remark(desk, "flag", flagDialog),
  ask: (desk, { id }) => frame(desk, "ask", askDialog(desk, id)),
  help,
  guideline,
  settings,
  compare: (desk, session) => {
    const content = conflictDialog(desk, session);
    if (content) frame(desk, "compare", content);
  },
  reopen,
};

function frame(desk: Desk, name: string, content: Content) {
  const { dialogs } = desk;
  const below = dialogs.current;
  dialogs.current = new Frame(name, content, () => {
    dialogs.current = below;
    if (!below && desk.session) desk.view.focus(desk.session.state);
  });
}

function remark(desk: Desk, name: string, contentOf: typeof noteDialog) {
  if (!desk.session) return;
  if (desk.locked) return void desk.actWhileLocked({ type: "note", note: "" });
  frame(desk, name, contentOf(desk, desk.session.state.answer));
}

/** Keyboard shortcuts, those of all protocols last, pointer and reminders. */
function help(desk: Desk) {
  const { keys, pointer, reminders } = desk.kit.help();
  const { guide } = desk.config.urls;
  const rows = [...keys, ...SHARED_KEYS].map(([pressed, does]) =>
    el("div", { class: "key-row" }, el("dt", {}, ...pressed.split(" ").map(cap)), el("dd", {}, does)),
  );
  const body = [
    el("div", { class: "help-columns", tabindex: 0, role: "region", "aria-label": "Keyboard shortcuts and reminders" },
      el("section", {}, el("h3", {}, "Keys"), el("dl", { class: "keys" }, ...rows)),
      el("section", {},
        el("h3", {}, "Mouse and touch"), list(pointer),
        el("h3", {}, "Keep in mind"), list(reminders),
        ...(guide ? [el("p", {}, el("a", { href: guide, target: "_blank" }, "Guideline"))] : []),
      ),
    ),
  ];
  const done = dialogButton("Close", () => desk.dialogs.close(), { primary: true });
  // The text needs no focus, so the focus starts here.
  done.autofocus = true;
  frame(desk, "help", { title: "Keyboard shortcuts", body, buttons: [done], wide: true });
}

const cap = (key: string) => (key === "–" ? el("span", {}, "–") : keyCap(key));

const list = (items: readonly string[]) => el("ul", {}, ...items.map((item) => el("li", {}, item)));

/** Opens the part of the project's guideline on the current cell. */
function guideline(desk: Desk) {
  const content = desk.view.panel.own.dialog?.(desk);
  if (content) frame(desk, "guideline", content);
  else desk.say(notices.said("no_rules"));
}

/** The user's settings for the annotation page. */
function settings(desk: Desk, { assignment }: Session) {
  const { preferences } = desk;
  const { scored } = desk.kit;
  const scoreLocked = assignment.batch.score_shown === "never";
  const keys = el("input", { type: "checkbox", id: "set-keys", checked: preferences.single_keys });
  const checked = preferences.show_score && !scoreLocked;
  const score = el("input", { type: "checkbox", id: "set-score", checked, disabled: scoreLocked });
  const themes = SURROUNDS.map(([value, title]) =>
    choice(el("input", { type: "radio", name: "surround", value, id: `set-${value}`, checked: preferences.surround === value }), title),
  );
  const stage = el("input", { type: "checkbox", id: "set-stage", checked: stageIsDark() });
  const confirm = () => {
    keepStage(stage.checked);
    const surround = SURROUNDS[themes.findIndex(({ control }) => (control as HTMLInputElement).checked)]?.[0] ?? "auto";
    const show_score = scoreLocked || !scored ? preferences.show_score : score.checked;
    desk.prefer({ single_keys: keys.checked, surround, show_score });
    desk.dialogs.close();
  };
  const aboutScore = scoreLocked
    ? "A lead has turned this off, because a visible score can bias your judgement."
    : "A visible score can bias your judgement. Each annotation records whether it was shown.";
  const body = [
    choice(keys, "Single-key shortcuts", "Letters and digits work without Ctrl. If you turn this off, use Tab, Space and the pointer."),
    el("fieldset", { class: "choices" }, el("legend", {}, "Theme"), ...themes),
    choice(stage, "Dark background around the image", "On this device only. Each annotation records whether it was on."),
    ...(scored ? [choice(score, "Running score", aboutScore)] : []),
  ];
  frame(desk, "settings", { title: "Settings", body, buttons: endsOf(desk, "Cancel", "Save settings", confirm), confirm });
}

function choice(input: HTMLInputElement, title: string, help = "") {
  const words = el("span", { class: "choice-words" }, el("span", {}, title));
  if (help) words.append(el("span", { class: "muted small" }, help));
  return el("label", { class: "choice", for: input.id }, input, words);
}

/** The buttons that close a dialog without and with what it asks for. */
const endsOf = ({ dialogs }: Desk, cancel: string, does: string, confirm: () => void): [HTMLElement, HTMLElement] => [
  dialogButton(cancel, () => dialogs.close()),
  dialogButton(does, confirm, { primary: true }),
];

/** Asks for a reason and reopens a submitted image, or resumes a skipped one. */
function reopen(desk: Desk, session: Session) {
  if (!session.draft.closed || session.saver.barred || desk.journey.moving) return;
  if (session.draft.status === "skipped") return void reopened(desk, session, "");
  const { field, element } = textField("What needs correcting? (optional)", "", 2);
  field.maxLength = LONGEST_REASON;
  const confirm = () => {
    desk.dialogs.close();
    void reopened(desk, session, field.value.trim());
  };
  const buttons = endsOf(desk, "Cancel", "Reopen annotation", confirm);
  frame(desk, "reopen", { title: "Reopen to correct", body: [element], buttons, confirm });
}

async function reopened(desk: Desk, session: Session, reason: string) {
  const done = await session.saver.reopen(reason);
  if (desk.session !== session || session.saver.barred) return;
  if (!done) return desk.say(notices.said("not_withdrawn"));
  desk.say(session.resting);
  desk.view.focus(session.state);
}

/** Asks the user to sign in again after the session has ended, without leaving the page. */
function signIn(desk: Desk) {
  if (desk.dialogs.current?.name === "sign_in") return;
  const { username: value, urls } = desk.config;
  const name = el("input", { type: "text", id: "sign-in-name", value, autocomplete: "username", readonly: true });
  const password = el("input", { type: "password", id: "sign-in-password", autocomplete: "current-password", autofocus: true });
  const confirm = async () => {
    const problem = await refusedSignIn(urls.login, value, password.value);
    if (problem) return desk.dialogs.current?.refuse(problem);
    desk.sessions.retry();
    desk.dialogs.close();
  };
  password.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.isComposing) void confirm();
  });
  const body = [
    el("p", {}, "You are signed out. Your changes are kept on this device and are saved once you sign in again."),
    el("div", { class: "field" }, el("label", { for: name.id }, "User name"), name),
    el("div", { class: "field" }, el("label", { for: password.id }, "Password"), password),
  ];
  const buttons = endsOf(desk, "Later", "Sign in", () => void confirm());
  frame(desk, "sign_in", { title: "Sign in", body, buttons, confirm: () => void confirm() });
}

/** Signs in through the sign-in form of the site. Returns the error; null if there is none. */
async function refusedSignIn(login: string, username: string, password: string): Promise<string | null> {
  try {
    // Loading the form sets the CSRF cookie.
    await fetch(login, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const response = await fetch(login, {
      method: "POST",
      body: new URLSearchParams({ username, password, csrfmiddlewaretoken: csrfToken() }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.type === "opaqueredirect") return null;
    if (response.ok) return "Incorrect password.";
  } catch {
    // The server is unreachable.
  }
  return "The server did not respond. Try again.";
}
