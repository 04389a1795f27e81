// The texts of the keyboard help.

/** @type {readonly (readonly [string, string])[]} */
export const KEYS = [
  ["1 – 9", "rate 1 to 9 and go to the next image"],
  ["0", "rate 10 and go to the next image"],
  ["I", "invalid; then 1 – 5 choose the reason"],
  ["Enter", "submit what is chosen"],
  ["Ctrl Z ⌫", "undo the last rating"],
  ["N", "note; write it before you rate"],
  ["S", "flag, tag or skip; digits choose the reason and the tags"],
  ["Q", "ask a lead about this image"],
  ["PgUp PgDn", "previous or next image"],
  ["?", "this help"],
];

export const POINTER = ["Click a rating to submit it and go to the next image.", "Click one of your last ratings to see that image again."];

export const REMINDERS = [
  "Judge the body only: not the face, the background or the style.",
  "Judge at first glance, and do not search.",
  "An image of several people or of no person is invalid.",
];
