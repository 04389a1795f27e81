// Start the annotation page: the view of the protocol replaces the plain form.

import { readWords } from "../labelling/project_words.js";
import { Api, newKey } from "./api.js";
import { Desk } from "./desk.js";
import { byId, el, keyCap } from "./dom.js";
import { listenToKeys } from "./input/keyboard.js";
import { listenToPointer } from "./input/pointer.js";
import { withdrawnNotice } from "./notices.js";
import { LocalCopies } from "./saving/local_copies.js";
import { isClosed } from "./server_types.js";
import { Prefetcher, imageOf } from "./sessions/prefetching.js";
import { Tabs } from "./sessions/tabs.js";
import { applyStage } from "./theme.js";

/** @import { Kit } from "./protocol_kit.js" */
/** @import { AssignmentState, PageConfig } from "./server_types.js" */

const TRY_AGAIN_MS = 1000;

/** @param {string} id @returns {any} */
export const readJson = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/**
 * Starts the page if the server has sent an assignment. Otherwise the plain form stays.
 * @param {Kit} kit
 * @param {typeof Api} [Requests] how the page talks to the server
 */
export function start(kit, Requests = Api) {
  const main = document.getElementById("main");
  if (main && document.getElementById("assignment")) begin(main, kit, Requests);
}

/** @param {HTMLElement} main @param {Kit} kit @param {typeof Api} Requests */
function begin(main, kit, Requests) {
  const assignment = /** @type {AssignmentState} */ (readJson("assignment"));
  const config = /** @type {PageConfig} */ (readJson("page-config"));
  readWords(config);
  const tab = newKey();
  const api = new Requests(config.urls.label, config.urls);
  /** @type {Tabs} */
  const tabs = new Tabs(config.user, tab, (id) => desk.handover.release(id), (id) => void desk.handover.released(id));
  const copies = new LocalCopies(config.user, tab);
  const desk = new Desk(main, config, { api, copies, prefetcher: new Prefetcher(api), tabs }, kit);
  document.getElementById("plain")?.remove();
  offerAsking();
  const image = /** @type {HTMLImageElement} */ (document.querySelector("#picture img"));
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
  const cap = keyCap("Q");
  cap.setAttribute("aria-hidden", "true");
  byId("ask").replaceWith(
    el("button", { type: "button", class: "button compact", id: "ask", "data-target": "ask" }, "Ask about this image", cap),
  );
}

/** @param {Desk} desk */
function listenToPage(desk) {
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

/** @param {Desk} desk */
async function renew({ session, tools, view }) {
  const ready = session && (await tools.prefetcher.load(session.id));
  if (ready && ready.assignment.image.src !== view.stage.image.getAttribute("src")) view.stage.show(ready.assignment, ready.image);
}
