// Show the progress of an upload in a panel of fixed size.

import type { Sender, Tally } from "./sending.ts";

const DRAW_EVERY_MS = 200;
const HEADINGS = {
  idle: "",
  sending: "Sending…",
  waiting: "Waiting for the network…",
  paused: "Paused",
  stopped: "Stopped",
  done: "All files uploaded",
};

/**
 * Creates a function that redraws the panel from a sender, at limited intervals.
 * Returns to call after every change.
 */
export function drawer(panel: HTMLElement, sender: Sender): () => void {
  const parts = partsOf(panel);
  let due = 0;
  return () => {
    if (due) return;
    due = window.setTimeout(() => {
      due = 0;
      draw(parts, sender);
    }, DRAW_EVERY_MS);
  };
}

type Parts = ReturnType<typeof partsOf>;

function partsOf(panel: HTMLElement) {
  const part = <T extends HTMLElement>(name: string, type: new () => T): T => {
    const found = panel.querySelector(`[data-part="${name}"]`);
    if (!(found instanceof type)) throw new Error(`the panel has no ${name}`);
    return found;
  };
  return {
    panel,
    state: part("state", HTMLElement),
    bar: part("bar", HTMLProgressElement),
    count: part("count", HTMLElement),
    why: part("why", HTMLElement),
    pause: part("pause", HTMLButtonElement),
    on: part("on", HTMLElement),
    problems: part("problems", HTMLElement),
    listed: part("listed", HTMLElement),
  };
}

function draw(parts: Parts, sender: Sender) {
  const { tally, share } = sender;
  const clean = tally.refused === 0;
  parts.panel.hidden = tally.state === "idle";
  say(parts.state, tally.state === "done" && !clean ? "Finished with errors" : HEADINGS[tally.state]);
  parts.state.dataset.code = tally.state === "done" && !clean ? "ended" : tally.state;
  parts.bar.value = share;
  say(parts.count, countsOf(tally));
  say(parts.why, whyOf(tally));
  parts.pause.hidden = tally.state === "done";
  say(parts.pause, tally.state === "paused" || tally.state === "stopped" ? "Resume" : "Pause");
  parts.on.hidden = tally.state !== "done" || tally.sent + tally.there === 0;
  parts.problems.hidden = clean;
  if (!clean) list(parts.listed, tally);
}

function countsOf(tally: Tally): string {
  const here = tally.sent + tally.there;
  const found = `${number(tally.found)}${tally.counted ? "" : " or more"}`;
  const before = tally.there > 0 ? ` · ${number(tally.there)} uploaded before` : "";
  return `${number(here)} of ${found} files · ${size(tally.bytes)} sent${before}`;
}

function whyOf(tally: Tally): string {
  if (tally.state === "waiting")
    return "Nothing is lost. The upload resumes automatically when the server is reachable.";
  if (tally.state === "paused") return "You can close this page and resume later.";
  return tally.words;
}

function list(place: HTMLElement, tally: Tally) {
  const more = tally.refused - tally.problems.length;
  const lines = more > 0 ? [...tally.problems, `and ${number(more)} more`] : tally.problems;
  if (place.childElementCount === lines.length) return;
  place.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

const number = (value: number) => value.toLocaleString("en");

function size(bytes: number) {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

function say(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}
