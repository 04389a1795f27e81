// The running score: Equations 1 and 2 of Muhr et al. (2024), as an exact fraction.

import { SEVERITIES } from "../labelling/taxonomy.js";
import { totalOf } from "./answer.js";

/** @import { Severity } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */

/**
 * Numerator and denominator in lowest terms; the denominator is above 0.
 * @typedef {{readonly n: bigint, readonly d: bigint}} Ratio
 */
/** @typedef {Readonly<Record<Severity, Ratio>>} Weights */

/** @param {bigint} one @param {bigint} other @returns {bigint} */
const greatestDivisor = (one, other) => (other === 0n ? one : greatestDivisor(other, one % other));

/** @param {bigint} n @param {bigint} d @returns {Ratio} */
function ratio(n, d) {
  const divisor = greatestDivisor(n, d);
  return { n: n / divisor, d: d / divisor };
}

/** @param {Ratio} one @param {Ratio} other */
const added = (one, other) => ratio(one.n * other.d + other.n * one.d, one.d * other.d);

/**
 * Reads a number as written in a setting: "1/5", "0.2" or "1". Throws RangeError for any other text.
 * @param {string} text
 * @returns {Ratio}
 */
export function readRatio(text) {
  const found = /^([0-9]{1,9})(?:\.([0-9]{1,20})|\/(0*[1-9][0-9]{0,8}))?$/.exec(text.trim());
  if (!found) throw new RangeError(`not a number of at least 0: ${text}`);
  const [, whole = "", decimals = "", divisor = "1"] = found;
  return ratio(BigInt(whole + decimals), BigInt(divisor) * 10n ** BigInt(decimals.length));
}

/**
 * @param {Readonly<Record<string, string>>} texts one text for each of a, b and c
 * @returns {Weights}
 */
export const readWeights = (texts) =>
  /** @type {Weights} */ (
    Object.fromEntries(SEVERITIES.map((severity) => [severity, readRatio(texts[severity] ?? "")]))
  );

/**
 * The cumulative score of all marks with a total, and the number of marks without.
 * @param {Answer} answer
 * @param {Weights} weights
 * @returns {{score: Ratio, open: number}}
 */
export function scoreOf(answer, weights) {
  let score = ratio(0n, 1n);
  let open = 0;
  for (const mark of answer.marks) {
    const total = totalOf(answer, mark);
    if (total === null) open += 1;
    else {
      const weight = weights[mark.severity];
      score = added(score, ratio(weight.n * BigInt(mark.affected), weight.d * BigInt(total)));
    }
  }
  return { score, open };
}

/** @param {Ratio} value @returns {string} to three decimals, halves up: "1.117" */
export function decimalText({ n, d }) {
  const thousandths = (n * 2000n + d) / (2n * d);
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}
