/** The offline page: reports unsaved changes on this device, and reloads once the device is back online. */

const PREFIX = "anatomark:";
// The undo steps of a submitted image, of which nothing is unsaved.
const STEPS = ":steps";

const kept = document.getElementById("kept");
try {
  const images = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && !key.endsWith(STEPS)).length;
  if (kept && images > 0) {
    const what = images === 1 ? "1 image" : `${images} images`;
    kept.textContent = `Unsaved changes to ${what} are kept on this device. They are saved when you open ${images === 1 ? "it" : "them"} again.`;
    kept.hidden = false;
  }
} catch {
  // Without local storage there is nothing to report.
}

window.addEventListener("online", () => location.reload());

export {};
