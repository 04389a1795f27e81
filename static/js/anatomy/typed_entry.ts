// What has been typed before the severity: "3", "2/7", "/7".

import { LARGEST_NUMBER } from "../labelling/taxonomy.ts";

/** The digits as typed. `total` is null before the slash and "" right after it. */
export type Entry = { readonly affected: string; readonly total: string | null };

/** Returns null if the result is not a number up to 99. */
const longer = (digits: string, digit: number): string | null =>
  digits === "0" || Number(digits + digit) > LARGEST_NUMBER ? null : digits + digit;

/** Appends a digit; null if the number would exceed 99 or start with 0. */
export function typeDigit(entry: Entry | null, digit: number): Entry | null {
  if (!entry || entry.total === null) {
    const affected = longer(entry?.affected ?? "", digit);
    return affected === null ? null : { affected, total: null };
  }
  const total = longer(entry.total, digit);
  return total === null ? null : { ...entry, total };
}

export const typeSlash = (entry: Entry | null): Entry =>
  ({ affected: entry?.affected ?? "", total: entry?.total ?? "" });

/** Removes the last typed character; null if nothing is left. */
export function dropLast(entry: Entry): Entry | null {
  if (entry.total) return { ...entry, total: entry.total.slice(0, -1) };
  const affected = entry.total === null ? entry.affected.slice(0, -1) : entry.affected;
  return affected === "" ? null : { affected, total: null };
}

const numberIn = (digits: string | null) => (digits ? Number(digits) : null);

export const readEntry = (entry: Entry | null): { affected: number | null; total: number | null } => ({
  affected: numberIn(entry?.affected ?? null),
  total: numberIn(entry?.total ?? null),
});

/** The text in the bubble on the cell: "3 …", "3 of …", "3 of 7 …", "of 7 …". */
export const entryText = ({ affected, total }: Entry) =>
  [affected, ...(total === null ? [] : ["of", total]), "…"].filter((word) => word !== "").join(" ");
