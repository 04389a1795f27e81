/** The offline page: reports unsaved changes on this device, and reloads once the device is back online. */

import { downloadUnsent, unsentKeys } from "../page/saving/unsent_work.ts";

const kept = document.getElementById("kept");
const download = document.getElementById("download");
const images = unsentKeys().length;
if (kept && download && images > 0) {
  const what = images === 1 ? "1 image" : `${images} images`;
  kept.textContent = `Unsaved changes to ${what} are kept on this device. They are saved when you open ${images === 1 ? "it" : "them"} again.`;
  kept.hidden = download.hidden = false;
  download.addEventListener("click", downloadUnsent);
}

window.addEventListener("online", () => location.reload());
