/** Runs on every page of a signed-in user. */

const PREFIX = "anatomark:";
const OFFLINE_WORKER = "/offline-worker.js";

/** Signing out deletes the drafts on this device, so that its next user cannot read them. */
document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !("signOut" in target.dataset)) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Without local storage there is nothing to delete.
  }
});

/** The worker shows the site's own offline page. Browsers allow it over HTTPS and on localhost only. */
window.addEventListener("load", () => {
  navigator.serviceWorker?.register(OFFLINE_WORKER).catch(() => undefined);
});
