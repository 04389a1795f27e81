/** The page shown where no answer came: says what is kept here, and goes on once the device is back online. */

const PREFIX = "anatomark:";

const kept = document.getElementById("kept");
try {
  const images = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).length;
  if (kept && images > 0) {
    const what = images === 1 ? "1 image" : `${images} images`;
    kept.textContent = `Changes to ${what} are kept on this device. They are saved when the image is opened again.`;
    kept.hidden = false;
  }
} catch {
  // The browser keeps nothing, so there is nothing to say.
}

window.addEventListener("online", () => location.reload());

export {};
