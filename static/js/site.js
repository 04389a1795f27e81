/** What every page of a signed-in person does besides its own work. */

const PREFIX = "anatomark:";
const OFFLINE_WORKER = "/offline-worker.js";

/** Signing out takes the drafts kept on this device away: the next person at it must not find them. */
document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !("signOut" in target.dataset)) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing, so there is nothing to take away.
  }
});

/** Where no answer comes, the site's own page is shown. Browsers allow that over https and on this machine only. */
window.addEventListener("load", () => {
  navigator.serviceWorker?.register(OFFLINE_WORKER).catch(() => undefined);
});
