// The texts of the keyboard help.

export const KEYS: readonly (readonly [string, string])[] = [
  ["M X G O P", "column: Missing, eXtra, confiGuration, Orientation, Proportion"],
  ["T L F H E", "row: Torso, Limbs, Feet, Hands, facE"],
  ["← → ↑ ↓", "neighbouring cell"],
  ["Tab", "next cell in the prescribed order"],
  ["Home End", "first or last cell"],
  ["Space 1", "mark or unmark the cell"],
  ["U", "mark as unsure"],
  ["Y N", "in guided mode: yes or no, then the next cell"],
  ["Del", "remove the mark"],
  ["0", "no errors in this image"],
  ["N", "note, unless the batch is guided"],
  ["S", "flag, tag or skip; digits choose the reason and the tags"],
  ["Q", "ask a lead about this image"],
  ["R", "rules and examples of the project for this cell"],
  ["Z", "undo; Ctrl Shift Z redoes"],
  ["PgUp PgDn", "previous or next image"],
  ["Ctrl Enter", "submit and go to the next image"],
  ["?", "this help"],
];

export const POINTER = ["Click a cell to mark it. Click it again to remove the mark.", "Click “unsure” in a marked cell if you are not sure."];

export const REMINDERS = [
  "Judge at first glance: do not zoom or search.",
  "Use one mark per cell, however many parts are affected and however severely.",
  "Skin and texture are not errors.",
  "Objects count only where they damage a body part.",
  "Judge the image, not the prompt.",
  "A missing forearm includes its hand: mark it once.",
];
