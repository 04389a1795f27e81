// The texts of the keyboard help.

import type { Form } from "./form.ts";

export function helpOf({ oneKey, isRating }: Form, reminders: readonly string[]) {
  const then = oneKey ? " and go to the next image" : "";
  const keys: [string, string][] = [
    ["1 – 9", `answer${oneKey ? "" : " the current question"}${then}`],
    ["0", isRating ? `rate 10${then}` : `the tenth choice, or no${then}`],
    isRating ? ["I", "invalid; then 1 – 5 choose the reason"] : ["U", `cannot judge${then}`],
    ["← →", "neighbouring answer, without submitting"],
    ...(oneKey ? [] : ([["↑ ↓", "previous or next question"], ["T", "write into a text; Esc leaves it"]] as [string, string][])),
    ["Enter", oneKey ? "submit what is chosen" : "next open question; submit after the last"],
    oneKey ? ["Ctrl Z ⌫", "undo the last rating"] : ["⌫", "clear the answer; Z undoes"],
    ["N", `note${oneKey ? "; write it before you rate" : ""}`],
  ];
  const pointer = oneKey
    ? ["Click an answer to submit it and go to the next image.", "Click one of your last ratings to see that image again."]
    : ["Click an answer; the next open question becomes current."];
  return { keys, pointer, reminders };
}
