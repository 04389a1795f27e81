// The theme of the whole page: light or dark, chosen by the user or the same as the device.

/** @import { Preferences } from "./contract.js" */

const DEVICE = window.matchMedia("(prefers-color-scheme: dark)");

/** @param {Preferences["surround"]} surround */
export function applySurround(surround) {
  const root = document.documentElement;
  if (surround === "auto") delete root.dataset.surround;
  else root.dataset.surround = surround;
}

/**
 * @param {Preferences["surround"]} surround
 * @returns {"light" | "dark"} the theme in effect
 */
export const surroundSeen = (surround) => (surround === "auto" ? (DEVICE.matches ? "dark" : "light") : surround);
