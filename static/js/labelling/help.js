// The keys, and what to keep in mind.

/** @type {readonly (readonly [string, string])[]} */
export const KEYS = [
  ["1 – 9", "people, while the focus is there"],
  ["W", "back to the people"],
  ["M X G O P", "column: Missing, eXtra, confiGuration, Orientation, Proportion"],
  ["T L F H E", "row: Torso, Limbs, Feet, Hands, facE"],
  ["← → ↑ ↓", "neighbouring cell"],
  ["Home End", "first, last cell"],
  ["Tab", "next cell in the prescribed order"],
  ["a b c", "one more mild, moderate, severe; with Shift one fewer"],
  ["3 b", "make it 3 moderate"],
  ["2 / 7 b", "2 of 7: a total for this mark"],
  ["/ 7 Enter", "set the count of this row"],
  ["+ −", "count one up, one down"],
  ["⌫", "last character, else one off the last mark"],
  ["Del", "empty the cell, or remove the pin"],
  [".", "pin: arrows move, Enter drops, Esc leaves"],
  ["0", "no errors in this image"],
  ["N", "note"],
  ["S", "flag or skip, reasons 1 – 6"],
  ["Ctrl Z", "undo; Ctrl Shift Z redo"],
  ["PgUp PgDn", "previous, next image"],
  ["Ctrl Enter", "submit and next"],
  ["?", "this help"],
];

export const POINTER = [
  "Click a zone a, b or c to add one; Shift and click takes one off.",
  "Right-click or hold a zone or a count for a keypad.",
  "Click the upper or lower half of a count for one more or one fewer.",
  "Click the image to pin the last mark; click a pin to go to its cell.",
];

export const REMINDERS = [
  "First glance: no zooming, no searching.",
  "Skin and texture are not errors.",
  "Objects count only where they damage a body part.",
  "Judge the image, not the prompt.",
  "A missing forearm takes the hand with it: count it once.",
];
