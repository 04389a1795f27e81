// The theme of the whole page: light or dark, as the user has chosen or as on the device. The surround of the image
// alone can also be dark, on this device only.

import type { Preferences } from "./server_types.ts";

const DEVICE = window.matchMedia("(prefers-color-scheme: dark)");

export function applySurround(surround: Preferences["surround"]) {
  const root = document.documentElement;
  if (surround === "auto") delete root.dataset.surround;
  else root.dataset.surround = surround;
}

const DARK_STAGE = "anatomark-dark-surround";

export function stageIsDark() {
  try {
    return localStorage.getItem(DARK_STAGE) !== null;
  } catch {
    return false;
  }
}

export function keepStage(dark: boolean) {
  try {
    if (dark) localStorage.setItem(DARK_STAGE, "1");
    else localStorage.removeItem(DARK_STAGE);
  } catch {
    // Without local storage, the choice lasts as long as the page.
  }
  applyStage(dark);
}

export const applyStage = (dark = stageIsDark()) =>
  void document.querySelector(".stage")?.classList.toggle("dark", dark);

/** What is around the image. */
export const surroundSeen = (surround: Preferences["surround"]): "light" | "dark" =>
  (document.querySelector(".stage.dark") ? "dark" : surround === "auto" ? (DEVICE.matches ? "dark" : "light") : surround);
