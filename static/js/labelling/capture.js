// How an annotation was made, stored beside it. Times are milliseconds, passed in.

/** A longer pause does not count as active time. */
export const LONGEST_GAP = 30_000;

/**
 * @typedef {object} Capture
 * @property {number} openedAt
 * @property {number | null} firstInputAt
 * @property {number} lastInputAt of the opening, before the first input
 * @property {number} activeMs
 * @property {number} visibleMs up to `visibleSince`
 * @property {number | null} visibleSince null while the page is hidden
 * @property {number} keys modifiers too, held keys once
 * @property {number} clicks
 * @property {number} taps
 * @property {number} undos
 * @property {string | null} firstCell the cell of the first mark
 * @property {number} zoomMs enlarged up to `zoomSince`
 * @property {number | null} zoomSince null while the image is not enlarged
 */

/** @param {number} at @param {boolean} visible @returns {Capture} */
export const openCapture = (at, visible) => ({
  openedAt: at,
  firstInputAt: null,
  lastInputAt: at,
  activeMs: 0,
  visibleMs: 0,
  visibleSince: visible ? at : null,
  keys: 0,
  clicks: 0,
  taps: 0,
  undos: 0,
  firstCell: null,
  zoomMs: 0,
  zoomSince: null,
});

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
 * @property {"none" | "loupe" | "free"} [zoom] what the batch allows
 */

/**
 * The capture as it is sent.
 * @param {Capture} capture
 * @param {Surroundings} surroundings
 * @param {number} at
 */
export const capturePayload = (capture, { viewport, image, pixelRatio, surround, scoreShown, confirmed = [], zoom = "none" }, at) => ({
  opened_at: isoTime(capture.openedAt),
  first_input_at: isoTime(capture.firstInputAt),
  sent_at: isoTime(at),
  visible_ms: visibleUntil(capture, at),
  active_ms: capture.activeMs,
  keys: capture.keys,
  clicks: capture.clicks,
  taps: capture.taps,
  undos: capture.undos,
  first_cell: capture.firstCell,
  viewport: [...viewport],
  image_css: [...image],
  pixel_ratio: pixelRatio,
  surround,
  score_shown: scoreShown,
  ...(zoom === "none" ? {} : { zoom, zoom_ms: zoomedUntil(capture, at) }),
  ...(confirmed.length ? { confirmed: [...confirmed] } : {}),
});
