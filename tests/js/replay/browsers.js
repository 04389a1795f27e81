// What a person without a page cannot know of a page: where pins lie over each other, what else can be focused.
// Scripts for a browser leave these steps out.

// The image of the replay as it is shown at 1280 x 720, and how far from a pin nothing is pressed.
const [WIDTH, HEIGHT] = [592, 395];
const SURELY_OUT = 16;

export const unsure = (person, step, images) =>
  isBetweenPins(person.state, step) ||
  isTabFromPin(person.state, step) ||
  isOnAnotherControl(person.state, step) ||
  opensDialog(person.state, step) ||
  takesSubmissionBack(person.state, step, images);

// A click on the image beside every pin adds one; a click on a pin meets the one that lies on top.
function isBetweenPins({ answer }, [kind, ...rest]) {
  const all = answer.marks.flatMap((mark) =>
    mark.pins.map((pin, index) => ({ ...pin, target: `pin:${mark.cell.key}.${mark.severity}.${index}` })),
  );
  if (kind === "image") return all.some((pin) => distance(pin, { x: rest[0], y: rest[1] }) < SURELY_OUT);
  if (kind !== "click" || !rest[0].startsWith("pin:")) return false;
  const position = all.findIndex(({ target }) => target === rest[0]);
  return all.slice(position + 1).some((pin) => distance(pin, all[position]) < SURELY_OUT);
}

const distance = (one, other) => Math.hypot((one.x - other.x) * WIDTH, (one.y - other.y) * HEIGHT);

// In a browser the next stop after a pin is the next pin, not the next cell.
const isTabFromPin = ({ place }, [kind, name]) => kind === "key" && place.at === "pin" && name.endsWith("Tab");

// Beyond the last cell a button has the focus: Tab goes on from there, and Enter presses it.
const isOnAnotherControl = ({ place }, [kind, name]) =>
  kind === "key" && place.at === "elsewhere" && /Tab$|^Enter$/.test(name);

// What follows would be done to the dialog.
const opensDialog = ({ message }, [kind, index]) =>
  kind === "offer" && message.offers[index]?.action.type === "open";

const takesSubmissionBack = ({ past, future }, [kind, name], images) =>
  images > 1 && past.length + future.length === 0 && (name === "undo" || (kind === "key" && name === "Control+z"));
