// The texts of the keyboard help.

export const KEYS: readonly (readonly [string, string])[] = [
  ["1 – 9", "set the number of people while People has the focus"],
  ["W", "go to People"],
  ["M X G O P", "column: Missing, eXtra, confiGuration, Orientation, Proportion"],
  ["T L F H E", "row: Torso, Limbs, Feet, Hands, facE"],
  ["← → ↑ ↓", "neighbouring cell"],
  ["Home End", "first or last cell"],
  ["Tab", "next cell in the prescribed order"],
  ["a b c", "add one mild, moderate or severe; with Shift, remove one"],
  ["3 b", "set 3 moderate"],
  ["2 / 7 b", "set 2 of 7 for this mark"],
  ["/ 7 Enter", "set the count of this row"],
  ["+ −", "increase or decrease the count"],
  ["Y", "answer yes to a question in the message line"],
  ["⌫", "delete the last character, or remove one from the last mark"],
  ["Del", "clear the cell, or remove the pin"],
  [".", "pin: arrow keys move it, Enter places it, Esc cancels"],
  ["D", "count the row by dots: click or Enter sets one, ⌫ removes the last, D or Esc ends"],
  ["0", "no errors in this image"],
  ["V", "enlarge the image, where the batch allows it"],
  ["N", "note"],
  ["R", "rules and examples of the project for this cell"],
  ["Ctrl Z", "undo; with Shift, redo"],
];

export const POINTER = [
  "Click a, b or c in a cell to add one. Shift-click to remove one.",
  "Right-click or hold a, b or c to open a keypad.",
  "Click + or − beside a count to change it by one. Click the count itself to open a keypad.",
  "Click the image to pin the last mark. Click a pin to go to its cell.",
  "While counting by dots, click the image to set a dot. Click a dot to remove it.",
];

export const REMINDERS = [
  "Judge at first glance, and do not search. Enlarge the image only where the batch allows it.",
  "Skin and texture are not errors.",
  "Objects count only where they damage a body part.",
  "Judge the image, not the prompt.",
  "A missing forearm includes its hand: count it once.",
];
