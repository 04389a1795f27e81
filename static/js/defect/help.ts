// The texts of the keyboard help.

export const KEYS: readonly (readonly [string, string])[] = [
  ["P B", "outline, brush"],
  ["E", "erase on or off"],
  ["H", "fill the holes of this mask"],
  ["[ ]", "smaller or larger brush"],
  ["A", "new defect"],
  ["1 – 9", "choose a defect"],
  ["Del", "delete the defect"],
  ["T L", "structural, logical"],
  ["W Esc", "write the description; leave it"],
  ["← → ↑ ↓", "move the cross by 8 pixels; with Alt by 1"],
  ["Enter", "paint at the cross, or set a corner there"],
  ["Shift Enter", "close the outline; ⌫ takes a corner back"],
  ["+ − F", "zoom in, zoom out, fit"],
  ["Space", "held: drag the image"],
  ["V", "held: hide the masks"],
  ["T L F H E O", "boxes with body part and severity: torso, limbs, feet, hands, face, none"],
  ["A B C", "likewise: mild, moderate, severe"],
  ["Z Y", "undo, redo"],
  ["0", "no defect in this image"],
  ["N", "note"],
];

export const POINTER = [
  "Draw round a defect, or click its corners; a click on the first one closes the outline.",
  "The other mouse button erases.",
  "The wheel or two fingers zoom; with Alt the wheel changes the brush.",
];

export const REMINDERS = [
  "Anything the prompt asks for is not a defect; nor is something of the prompt that is missing.",
  "Structural: twisted, stretched, fused, incomplete, missing, extra or of the wrong size.",
  "Logical: against physics or sense.",
  "One mask and one description for each defect.",
];
