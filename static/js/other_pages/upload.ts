/**
 * Upload files, folders, a zip or a manifest, dropped or chosen, each file with one request. Show the progress of an
 * upload in a panel of fixed size.
 */

import { newKey } from "../page/api.ts";
import { el, setText } from "../page/dom.ts";
import { chosen, dropped, entriesOf } from "../upload/selected_files.ts";
import { Sender, type Tally, Trouble } from "../upload/sending.ts";
import { begin, digest, known, transfer } from "../upload/transfer.ts";

const zone = document.getElementById("drop");
const panel = document.getElementById("sending");
if (zone && panel) start(zone, panel);

function start(zone: HTMLElement, panel: HTMLElement) {
  const key = newKey();
  /** The addresses of the upload, created with the first file. */
  let place: { page: string; files: string; known: string } | null = zone.dataset.files
    ? { page: "", files: zone.dataset.files, known: zone.dataset.known ?? "" }
    : null;
  const sender = new Sender({
    changed: () => draw(),
    rest,
    send: (item, signal, progress) => transfer(place?.files ?? "", item, signal, progress),
    known: async (files) => {
      if (!place) {
        place = await begin(zone.dataset.begin ?? "", key).catch(asStopped);
        move(place.page);
      }
      return known(place.known, files).catch(asStopped);
    },
    digest,
  });
  const draw = drawer(panel, sender);
  zone.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.files?.length) return;
    sender.count(target.files.length, true);
    sender.add(chosen(target.files));
  });
  wireDrops(zone, (entries) => {
    sender.add(dropped(entries));
    countDropped(sender, entries).catch(() => undefined);
  });
  panel.querySelector('[data-part="pause"]')?.addEventListener("click", () => {
    if (["paused", "stopped"].includes(sender.tally.state)) sender.resume();
    else sender.pause();
  });
  window.addEventListener("beforeunload", (event) => {
    if (["sending", "waiting"].includes(sender.tally.state)) event.preventDefault();
  });
}

/** Shows the address of the upload's page, so that a reload returns to it. */
function move(page: string) {
  history.replaceState(history.state, "", page);
  for (const form of document.querySelectorAll("form[data-go-on]"))
    if (form instanceof HTMLFormElement) form.action = page;
}

/** Stops, rather than send files whose state is unknown. */
function asStopped(error: unknown): never {
  if (error instanceof Trouble && error.kind === "refused") throw new Trouble("stopped", error.message);
  throw error;
}

/** Ends early when the network is back. */
function rest(seconds: number) {
  return new Promise<void>((resolve) => {
    setTimeout(resolve, seconds * 1000);
    window.addEventListener("online", () => resolve(), { once: true });
  });
}

function wireDrops(zone: HTMLElement, take: (entries: FileSystemEntry[]) => void) {
  // A drop outside the zone would open the file and leave the page.
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const entries = event.dataTransfer ? entriesOf(event.dataTransfer) : [];
    if (entries.length > 0) take(entries);
  });
}

/** Counts the dropped files, reading only their names. */
async function countDropped(sender: Sender, entries: FileSystemEntry[]) {
  sender.count(0, false);
  try {
    for await (const _ of dropped(entries)) sender.count(1, false);
  } finally {
    sender.count(0, true);
  }
}

const DRAW_EVERY_MS = 200;
const HEADINGS = {
  idle: "",
  sending: "Sending…",
  waiting: "Waiting for the network…",
  paused: "Paused",
  stopped: "Stopped",
  done: "All files uploaded",
};

/** Creates a function, to call after every change, that redraws the panel from a sender at limited intervals. */
function drawer(panel: HTMLElement, sender: Sender): () => void {
  let due = 0;
  return () => {
    due ||= window.setTimeout(() => {
      due = 0;
      draw(panel, sender);
    }, DRAW_EVERY_MS);
  };
}

function draw(panel: HTMLElement, { tally, share }: Sender) {
  const part = <T extends HTMLElement>(name: string) => panel.querySelector(`[data-part="${name}"]`) as T;
  const [done, clean] = [tally.state === "done", tally.refused === 0];
  panel.hidden = tally.state === "idle";
  setText(part("state"), done && !clean ? "Finished with errors" : HEADINGS[tally.state]);
  part("state").dataset.code = done && !clean ? "ended" : tally.state;
  part<HTMLProgressElement>("bar").value = share;
  setText(part("count"), countsOf(tally));
  setText(part("why"), whyOf(tally));
  part("pause").hidden = done;
  setText(part("pause"), tally.state === "paused" || tally.state === "stopped" ? "Resume" : "Pause");
  part("on").hidden = !done || tally.sent + tally.there === 0;
  part("problems").hidden = clean;
  if (!clean) list(part("listed"), tally);
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
  if (place.childElementCount !== lines.length) place.replaceChildren(...lines.map((line) => el("li", {}, line)));
}

const number = (value: number) => value.toLocaleString("en");

function size(bytes: number) {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
