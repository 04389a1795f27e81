/** Signing out takes the drafts kept on this device away: the next person at it must not find them. */

const PREFIX = "anatomark:";

document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !("signOut" in target.dataset)) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing, so there is nothing to take away.
  }
});
