// The running score: Equations 1 and 2 of Muhr et al. (2024), as an exact fraction.

import { SEVERITIES, type Severity } from "../labelling/taxonomy.ts";
import { type Answer, totalOf } from "./answer.ts";

/** Numerator and denominator in lowest terms; the denominator is above 0. */
type Ratio = { readonly n: bigint; readonly d: bigint };
export type Weights = Readonly<Record<Severity, Ratio>>;

const greatestDivisor = (one: bigint, other: bigint): bigint => (other === 0n ? one : greatestDivisor(other, one % other));

function ratio(n: bigint, d: bigint): Ratio {
  const divisor = greatestDivisor(n, d);
  return { n: n / divisor, d: d / divisor };
}

const added = (one: Ratio, other: Ratio) => ratio(one.n * other.d + other.n * one.d, one.d * other.d);

/** Reads a number as written in a setting: "1/5", "0.2" or "1". Throws RangeError for any other text. */
export function readRatio(text: string): Ratio {
  const found = /^([0-9]{1,9})(?:\.([0-9]{1,20})|\/(0*[1-9][0-9]{0,8}))?$/.exec(text.trim());
  if (!found) throw new RangeError(`not a number of at least 0: ${text}`);
  const [, whole = "", decimals = "", divisor = "1"] = found;
  return ratio(BigInt(whole + decimals), BigInt(divisor) * 10n ** BigInt(decimals.length));
}

export const readWeights = (texts: Readonly<Record<string, string>>): Weights =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, readRatio(texts[severity] ?? "")])) as Weights;

/** The cumulative score of all marks with a total, and the number of marks without. */
export function scoreOf(answer: Answer, weights: Weights): { score: Ratio; open: number } {
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

/** To three decimals, halves up: "1.117". */
export function decimalText({ n, d }: Ratio): string {
  const thousandths = (n * 2000n + d) / (2n * d);
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}
