/** The queue after the last image: Ctrl Z undoes the submission, as on the annotation page. */

import { keyAction } from "../labelling/keys.ts";
import { isText } from "../page/input/keyboard.ts";

const notice = document.querySelector("[data-undo]");
const button = notice?.querySelector("button");
let undone = false;

if (button) {
  document.addEventListener("keydown", (event) => {
    const action = keyAction(event, { inArea: true, inText: isText(event.target), singleKeys: false });
    if (action?.type !== "undo") return;
    event.preventDefault();
    // A held or repeated key must not interrupt the request.
    if (!undone && !event.repeat) button.click();
    undone = true;
  });
}
