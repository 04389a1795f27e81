// The keys, and what to keep in mind.

/** @type {readonly (readonly [string, string])[]} */
export const KEYS = [
  ["M X G O P", "column: Missing, eXtra, confiGuration, Orientation, Proportion"],
  ["T L F H E", "row: Torso, Limbs, Feet, Hands, facE"],
  ["← → ↑ ↓", "neighbouring cell"],
  ["Tab", "next cell in the prescribed order"],
  ["Home End", "first, last cell"],
  ["Space 1", "mark the cell, or take the mark off"],
  ["U", "unsure of this mark"],
  ["Y N", "guided: yes or no, and on to the next cell"],
  ["Del", "take the mark off"],
  ["0", "no errors in this image"],
  ["N", "note, unless the batch is guided"],
  ["S", "flag or skip, reasons 1 – 6"],
  ["Z", "undo; Ctrl Shift Z redo"],
  ["PgUp PgDn", "previous, next image"],
  ["Ctrl Enter", "submit and next"],
  ["?", "this help"],
];

export const POINTER = ["Click a cell to mark it, once more to take the mark off.", "Click “unsure” in a marked cell if you doubt it."];

export const REMINDERS = [
  "First glance: no zooming, no searching.",
  "One mark for a cell, however many parts are wrong and however badly.",
  "Skin and texture are not errors.",
  "Objects count only where they damage a body part.",
  "Judge the image, not the prompt.",
  "A missing forearm takes the hand with it: mark it once.",
];
