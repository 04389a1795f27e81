// Light or dark, for the whole page: chosen by the person, or as the device has it.

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
 * @returns {"light" | "dark"} as it looks now
 */
export const surroundSeen = (surround) => (surround === "auto" ? (DEVICE.matches ? "dark" : "light") : surround);

/** @param {() => void} changed */
export const onDeviceChange = (changed) => DEVICE.addEventListener("change", changed);
