// The user's settings for the annotation page.

import { el } from "../dom.ts";
import { keepStage, stageIsDark } from "../theme.ts";
import { type Content, dialogButton } from "./frame.ts";
import type { Preferences } from "../server_types.ts";

const SURROUNDS = [
  ["auto", "Same as device"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

export function settingsDialog(
  { preferences, scored, scoreLocked, keep, close }: { preferences: Preferences; scored: boolean; scoreLocked: boolean; keep: (preferences: Preferences) => void; close: () => void },
): Content {
  const keys = el("input", { type: "checkbox", id: "set-keys", checked: preferences.single_keys });
  const score = el("input", {
    type: "checkbox",
    id: "set-score",
    checked: preferences.show_score && !scoreLocked,
    disabled: scoreLocked,
  });
  const surrounds = SURROUNDS.map(([value]) =>
    el("input", { type: "radio", name: "surround", value, id: `set-${value}`, checked: preferences.surround === value }),
  );
  const stage = el("input", { type: "checkbox", id: "set-stage", checked: stageIsDark() });
  const confirm = () => {
    keepStage(stage.checked);
    const surround = SURROUNDS.find(([value]) => surrounds.find((radio) => radio.checked)?.value === value)?.[0] ?? "auto";
    keep({ single_keys: keys.checked, surround, show_score: scoreLocked || !scored ? preferences.show_score : score.checked });
    close();
  };
  const body = [
    choice(keys, "Single-key shortcuts", "Letters and digits work without Ctrl. If you turn this off, use Tab, Space and the pointer."),
    el(
      "fieldset",
      { class: "choices" },
      el("legend", {}, "Theme"),
      ...surrounds.map((radio, position) => choice(radio, SURROUNDS[position]?.[1] ?? "")),
    ),
    choice(stage, "Dark background around the image", "On this device only. Each annotation records whether it was on."),
    ...(scored ? [choice(
      score,
      "Running score",
      scoreLocked
        ? "A lead has turned this off, because a visible score can bias your judgement."
        : "A visible score can bias your judgement. Each annotation records whether it was shown.",
    )] : []),
  ];
  const buttons = [dialogButton("Cancel", close), dialogButton("Save settings", confirm, { primary: true })];
  return { title: "Settings", body, buttons, confirm };
}

function choice(input: HTMLInputElement, title: string, help = "") {
  const words = el("span", { class: "choice-words" }, el("span", {}, title));
  if (help) words.append(el("span", { class: "muted small" }, help));
  return el("label", { class: "choice", for: input.id }, input, words);
}
