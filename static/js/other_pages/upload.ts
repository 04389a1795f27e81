// /** Upload files, folders, a zip or a manifest, dropped or chosen, each file with one request. */ Show the progress
// of an upload in a panel of fixed size.

import { newKey } from "../page/api.ts";
import { chosen, countDropped, dropped, entriesOf } from "../upload/selected_files.ts";
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
  wireInputs(zone, (files) => {
    sender.count(files.length, true);
    sender.add(chosen(files));
  });
  wireDrops(zone, (entries) => {
    let told = 0;
    const tell = (count: number, all: boolean) => {
      sender.count(count - told, all);
      told = count;
    };
    tell(0, false);
    void countDropped(entries, (count) => tell(count, false)).then(
      (count) => tell(count, true),
      () => tell(told, true),
    );
    sender.add(dropped(entries));
  });
  wirePause(panel, sender);
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

function rest(seconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    window.addEventListener("online", end);
  });
}

function wireInputs(zone: HTMLElement, take: (files: FileList) => void) {
  for (const input of zone.querySelectorAll("input[type=file]")) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.addEventListener("change", () => {
      if (input.files && input.files.length > 0) take(input.files);
    });
  }
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

function wirePause(panel: HTMLElement, sender: Sender) {
  panel.querySelector('[data-part="pause"]')?.addEventListener("click", () => {
    if (["paused", "stopped"].includes(sender.tally.state)) sender.resume();
    else sender.pause();
  });
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
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

function say(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}
