/** The labelling page: replaces the plain form by the grid. Without it the form does everything, only slower. */

import { Api, newKey } from "./page/api.js";
import { Desk } from "./page/desk.js";
import { listenToKeys } from "./page/keyboard.js";
import { Library, pictureOf } from "./page/library.js";
import { LocalCopies } from "./page/local_copies.js";
import { listenToPointer } from "./page/pointer_input.js";
import { onDeviceChange, surroundSeen } from "./page/surround.js";
import { Tabs } from "./page/tabs.js";
import "./site.js";

/** @import { AssignmentState, PageConfig } from "./page/contract.js" */

const TRY_AGAIN_MS = 1000;

/** @param {string} id @returns {any} */
const readJson = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** @param {HTMLElement} main */
function start(main) {
  const assignment = /** @type {AssignmentState} */ (readJson("assignment"));
  const config = /** @type {PageConfig} */ (readJson("page-config"));
  const tab = newKey();
  const api = new Api(config.urls.label, config.urls);
  /** @type {Tabs} */
  const tabs = new Tabs(config.user, tab, (id) => desk.sharing.release(id), (id) => void desk.sharing.released(id));
  const desk = new Desk(main, config, { api, copies: new LocalCopies(config.user, tab), library: new Library(api), tabs });
  document.getElementById("plain")?.remove();
  const picture = /** @type {HTMLImageElement} */ (document.querySelector("#picture img"));
  history.replaceState({ id: assignment.id }, "");
  desk.journey.lastSubmitted = config.after;
  desk.show(assignment, picture ?? pictureOf(assignment), { address: "keep", submitted: config.after });
  listenToKeys(desk, listenToPointer(desk));
  listenToPage(desk);
  main.dataset.ready = "";
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
  // A page kept by the browser for "back" shows a version that may be long gone.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  onDeviceChange(() => desk.view.stage.offer(surroundSeen(desk.preferences.surround)));
  // An address of a picture that has run out is asked for once more.
  desk.view.stage.picture.addEventListener("error", () => setTimeout(() => void renew(desk), TRY_AGAIN_MS), {
    capture: true,
    once: true,
  });
}

/** @param {Desk} desk */
async function renew({ session, tools, view }) {
  const ready = session && (await tools.library.load(session.id));
  if (ready && ready.assignment.image.src !== view.stage.image.getAttribute("src")) view.stage.show(ready.assignment, ready.image);
}

const main = document.getElementById("main");
if (main && document.getElementById("assignment")) start(main);
