// How an annotation was made, stored with it. Callers pass in all times, in milliseconds. When an annotation is opened
// again, counting continues from what was stored: each request sends the whole effort, so a repeated one adds nothing.

/** A longer pause does not count as active time. */
export const LONGEST_GAP = 30_000;

/** The longest time the server stores: 31 days. */
const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;

/**
 * @typedef {object} Capture
 * @property {number} openedAt when the image was first opened
 * @property {number | null} firstInputAt
 * @property {number} lastInputAt the last input; until there is one, this opening
 * @property {number} activeMs
 * @property {number} visibleMs time visible, up to `visibleSince`
 * @property {number | null} visibleSince null while the page is hidden
 * @property {number} keys including modifiers; a held key counts once
 * @property {number} clicks
 * @property {number} taps
 * @property {number} undos
 * @property {string | null} firstCell the cell of the first mark
 * @property {number} zoomMs time enlarged, up to `zoomSince`
 * @property {number | null} zoomSince null while the image is not enlarged
 * @property {number | undefined} suggestion the run of the suggestion that is or was shown
 * @property {number} shownMs how long it was shown in earlier openings
 * @property {number | null} shownFrom the visible time when this opening began; null if it shows none
 */

/**
 * The effort of earlier openings of the image, under the names in the payload.
 * @typedef {object} Effort
 * @property {string | null} [opened_at]
 * @property {string | null} [first_input_at]
 * @property {number} [visible_ms]
 * @property {number} [active_ms]
 * @property {number} [keys]
 * @property {number} [clicks]
 * @property {number} [taps]
 * @property {number} [undos]
 * @property {string | null} [first_cell]
 * @property {number} [zoom_ms]
 * @property {number} [suggestion]
 * @property {number} [shown_ms]
 */

/**
 * Continues from the earlier openings. The server and this device may each have a record of them. Each record covers
 * all the time up to its moment, so the longest counts, never the sum.
 * @param {number} at
 * @param {boolean} visible
 * @param {readonly (Effort | null | undefined)[]} [earlier]
 * @param {number} [suggestion] the run of the suggestion that this opening shows
 * @returns {Capture}
 */
export function openCapture(at, visible, earlier = [], suggestion) {
  const known = earlier.filter((each) => each != null);
  const most = (/** @type {"visible_ms" | "active_ms" | "zoom_ms" | "shown_ms" | "keys" | "clicks" | "taps" | "undos"} */ name) =>
    Math.max(0, ...known.map((each) => Number(each[name] ?? 0)).filter(Number.isFinite));
  const first = (/** @type {"opened_at" | "first_input_at"} */ name) => {
    const moments = known.map((each) => Date.parse(each[name] ?? "")).filter((moment) => !Number.isNaN(moment));
    return moments.length ? Math.min(...moments) : null;
  };
  return {
    openedAt: first("opened_at") ?? at,
    firstInputAt: first("first_input_at"),
    lastInputAt: at,
    activeMs: most("active_ms"),
    visibleMs: most("visible_ms"),
    visibleSince: visible ? at : null,
    keys: most("keys"),
    clicks: most("clicks"),
    taps: most("taps"),
    undos: most("undos"),
    firstCell: known.find((each) => each.first_cell)?.first_cell ?? null,
    zoomMs: most("zoom_ms"),
    zoomSince: null,
    // A run that was withdrawn since then stays on record.
    suggestion: suggestion ?? known.find((each) => each.suggestion)?.suggestion,
    shownMs: most("shown_ms"),
    shownFrom: suggestion === undefined ? null : most("visible_ms"),
  };
}

/**
 * @param {Capture} capture
 * @param {"keys" | "clicks" | "taps" | "other"} input
 * @param {number} at
 * @returns {Capture}
 */
export function withInput(capture, input, at) {
  const gap = Math.max(0, at - capture.lastInputAt);
  const timed = {
    ...capture,
    firstInputAt: capture.firstInputAt ?? at,
    lastInputAt: Math.max(at, capture.lastInputAt),
    activeMs: capture.activeMs + (gap > LONGEST_GAP ? 0 : gap),
  };
  return input === "other" ? timed : { ...timed, [input]: capture[input] + 1 };
}

/** @param {Capture} capture @param {boolean} visible @param {number} at @returns {Capture} */
export function withVisibility(capture, visible, at) {
  const visibleMs = visibleUntil(capture, at);
  return { ...capture, visibleMs, visibleSince: visible ? at : null };
}

/** @param {Capture} capture @param {boolean} on @param {number} at @returns {Capture} */
export const withZoom = (capture, on, at) => ({
  ...capture,
  zoomMs: zoomedUntil(capture, at),
  zoomSince: on ? at : null,
});

/** @param {Capture} capture @returns {Capture} */
export const withUndo = (capture) => ({ ...capture, undos: capture.undos + 1 });

/**
 * Records the cell of the first entry.
 * @param {Capture} capture
 * @param {string | null} cell
 * @returns {Capture}
 */
export const withFirst = (capture, cell) =>
  capture.firstCell === null && cell ? { ...capture, firstCell: cell } : capture;

/** @param {Capture} capture @param {number} at */
const visibleUntil = ({ visibleMs, visibleSince }, at) =>
  visibleMs + (visibleSince === null ? 0 : Math.max(0, at - visibleSince));

/** @param {Capture} capture @param {number} at */
const zoomedUntil = ({ zoomMs, zoomSince }, at) => zoomMs + (zoomSince === null ? 0 : Math.max(0, at - zoomSince));

/** @param {Capture} capture @param {number} at */
const shownUntil = (capture, at) =>
  capture.shownMs + (capture.shownFrom === null ? 0 : visibleUntil(capture, at) - capture.shownFrom);

/** @param {number | null} at */
const isoTime = (at) => (at === null ? null : new Date(at).toISOString());

/**
 * @typedef {object} Surroundings
 * @property {readonly [number, number]} viewport CSS px
 * @property {readonly [number, number]} image CSS px
 * @property {number} pixelRatio
 * @property {"light" | "dark"} surround
 * @property {boolean} scoreShown
 * @property {readonly string[]} [confirmed] cells in which one part has two errors
 * @property {"none" | "loupe" | "free"} [zoom] what the batch allows; counting by dots has a loupe in any case
 */

/**
 * The effort so far, as sent to the server and kept on this device.
 * @param {Capture} capture
 * @param {number} at
 */
export const effortOf = (capture, at) => ({
  opened_at: isoTime(capture.openedAt),
  first_input_at: isoTime(capture.firstInputAt),
  visible_ms: Math.min(LONGEST_MS, visibleUntil(capture, at)),
  active_ms: Math.min(LONGEST_MS, capture.activeMs),
  keys: capture.keys,
  clicks: capture.clicks,
  taps: capture.taps,
  undos: capture.undos,
  first_cell: capture.firstCell,
  zoom_ms: Math.min(LONGEST_MS, zoomedUntil(capture, at)),
  ...(capture.suggestion === undefined
    ? {}
    : { suggestion: capture.suggestion, shown_ms: Math.min(LONGEST_MS, shownUntil(capture, at)) }),
});

/**
 * The capture as sent to the server.
 * @param {Capture} capture
 * @param {Surroundings} surroundings
 * @param {number} at
 */
export function capturePayload(capture, { viewport, image, pixelRatio, surround, scoreShown, confirmed = [], zoom = "none" }, at) {
  const { zoom_ms, ...effort } = effortOf(capture, at);
  return {
    ...effort,
    sent_at: isoTime(at),
    viewport: [...viewport],
    image_css: [...image],
    pixel_ratio: pixelRatio,
    surround,
    score_shown: scoreShown,
    ...(zoom === "none" && !zoom_ms ? {} : { zoom, zoom_ms }),
    ...(confirmed.length ? { confirmed: [...confirmed] } : {}),
  };
}
