/** The speed of a running step in images per second, and the time left. */

/** Seconds over which the speed is measured: long enough for steps of one per cent, short enough to follow changes. */
export const OVER_SECONDS = 30;
const LEAST_SECONDS = 3;

/**
 * @typedef {object} Sample
 * @property {number} at in seconds
 * @property {number} done images
 */

/** Adds a sample. One with fewer images than the last starts again. @param {Sample[]} samples @param {Sample} now */
export function sampled(samples, now) {
  const last = samples.at(-1);
  if (!last || now.done < last.done) return [now];
  // Only changes count, so that the first sample is the moment of a change.
  const changed = now.done === last.done ? samples : [...samples, now];
  const recent = changed.filter((each) => now.at - each.at <= OVER_SECONDS);
  return recent.length ? recent : changed.slice(-1);
}

/** The speed; null until it can be measured. @param {Sample[]} samples */
export function imagesPerSecond(samples) {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < LEAST_SECONDS) return null;
  return (last.done - first.done) / (last.at - first.at);
}

/** @param {number | null} perSecond @param {number} left images @returns {string} empty if the speed is unknown */
export function speedWords(perSecond, left) {
  if (!perSecond || left <= 0) return "";
  const speed = perSecond >= 10 ? Math.round(perSecond).toLocaleString("en") : perSecond.toFixed(1);
  return `${speed} images per second, ${timeLeft(left / perSecond)}`;
}

/** @param {number} seconds */
export function timeLeft(seconds) {
  if (seconds < 60) return "less than a minute left";
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`;
}
