/** Upload files, folders, a zip or a manifest, dropped or chosen, each file with one request. */

import { newKey } from "../page/api.ts";
import { drawer } from "../upload/progress_panel.ts";
import { chosen, countDropped, dropped, entriesOf } from "../upload/selected_files.ts";
import { Sender, Trouble } from "../upload/sending.ts";
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
