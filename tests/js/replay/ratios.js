// Exact numbers as texts, to compare them with the server's.

/** @param {{n: bigint, d: bigint}} value @returns {string} "67/60"; "2" for a whole number */
export const ratioText = ({ n, d }) => (d === 1n ? String(n) : `${n}/${d}`);
