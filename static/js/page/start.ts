// Start the annotation page: the view of the protocol replaces the plain form.

import { readWords } from "../labelling/project_words.ts";
import { Api, newKey } from "./api.ts";
import { Desk } from "./desk.ts";
import { byId, keyHint, targetButton } from "./dom.ts";
import { listenToKeys } from "./input/keyboard.ts";
import { listenToPointer } from "./input/pointer.ts";
import { withdrawnNotice } from "./notices.ts";
import { LocalCopies } from "./saving/local_copies.ts";
import { type AssignmentState, isClosed, type PageConfig } from "./server_types.ts";
import { Prefetcher, imageOf } from "./sessions/prefetching.ts";
import { Tabs } from "./sessions/tabs.ts";
import { applyStage } from "./theme.ts";
import type { Kit } from "./protocol_kit.ts";

const TRY_AGAIN_MS = 1000;

export const readJson = (id: string): any => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/**
 * Starts the page if the server has sent an assignment. Otherwise the plain form stays. `Requests` is how the page
 * talks to the server.
 */
export function start(kit: Kit, Requests: typeof Api = Api) {
  const main = document.getElementById("main");
  if (main && document.getElementById("assignment")) begin(main, kit, Requests);
}

function begin(main: HTMLElement, kit: Kit, Requests: typeof Api) {
  const assignment = readJson("assignment") as AssignmentState;
  const config = readJson("page-config") as PageConfig;
  readWords(config);
  const tab = newKey();
  const api = new Requests(config.urls.label, config.urls);
  const tabs: Tabs = new Tabs(config.user, tab, (id) => desk.handover.release(id), (id) => void desk.handover.released(id));
  const copies = new LocalCopies(config.user, tab);
  const desk = new Desk(main, config, { api, copies, prefetcher: new Prefetcher(api), tabs }, kit);
  document.getElementById("plain")?.remove();
  offerAsking();
  const image = document.querySelector("#picture img") as HTMLImageElement;
  history.replaceState({ id: assignment.id }, "");
  desk.journey.lastSubmitted = config.after;
  const steps = copies.takeSteps(assignment.id, config.after?.id, kit.rules.revive);
  const resume = isClosed(assignment.status) ? undefined : steps;
  desk.show(assignment, image ?? imageOf(assignment.image), { address: "keep", submitted: config.after, resume });
  if (resume && desk.session?.state === resume && !assignment.request) desk.say(withdrawnNotice(assignment.position));
  const keypads = kit.numbers && kit.listenToKeypad?.(desk, kit.numbers);
  listenToKeys(desk, keypads);
  listenToPointer(desk, keypads);
  listenToPage(desk);
  applyStage();
  main.dataset.ready = "";
}

/** Replaces the link to the form of a question with the button that opens the dialog. */
function offerAsking() {
  byId("ask").replaceWith(targetButton("ask", "button compact", { id: "ask" }, "Ask about this image", keyHint("Q")));
}

function listenToPage(desk: Desk) {
  window.addEventListener("beforeunload", (event) => desk.sessions.unsafe && event.preventDefault());
  document.addEventListener("visibilitychange", () => {
    desk.session?.visible(!document.hidden);
    if (document.hidden) desk.sessions.flush();
    else desk.sessions.retry();
  });
  window.addEventListener("pagehide", () => desk.sessions.flush());
  for (const back of ["online", "focus"]) window.addEventListener(back, () => desk.sessions.retry());
  window.addEventListener("popstate", ({ state }) => {
    if (state?.id && state.id !== desk.session?.id) void desk.journey.go(state.id, { address: "keep" });
  });
  // A page restored from the back/forward cache may show an outdated version.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  // Renew a signed URL that has expired.
  desk.view.stage.picture.addEventListener("error", () => setTimeout(() => void renew(desk), TRY_AGAIN_MS), {
    capture: true,
    once: true,
  });
}

async function renew({ session, tools, view }: Desk) {
  const ready = session && (await tools.prefetcher.load(session.id));
  if (ready && ready.assignment.image.src !== view.stage.image.getAttribute("src")) view.stage.show(ready.assignment, ready.image);
}
