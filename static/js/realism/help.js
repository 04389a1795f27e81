// The texts of the keyboard help.

/** @type {readonly (readonly [string, string])[]} */
export const KEYS = [
  ["1 – 9", "rate 1 to 9, submit and next"],
  ["0", "rate 10, submit and next"],
  ["I", "invalid, then a reason 1 – 5"],
  ["Enter", "submit what is chosen"],
  ["Ctrl Z ⌫", "undo the last rating"],
  ["N", "note: write it before you rate"],
  ["S", "flag or skip, reasons 1 – 6"],
  ["Q", "ask a lead about this image"],
  ["PgUp PgDn", "previous or next image"],
  ["?", "this help"],
];

export const POINTER = ["Click a rating: it is submitted and the next image appears.", "Click one of your last ratings to see that image again."];

export const REMINDERS = [
  "Judge the body only: not the face, the background or the style.",
  "Judge at first glance: do not search.",
  "Several people, or no person: the image is invalid.",
];
