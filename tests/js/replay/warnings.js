import { BODY_PARTS, CELLS } from "../../../static/js/labelling/taxonomy.ts";
import { contradictionIn, warningsIn } from "../../../static/js/anatomy/warnings.ts";

/**
 * All warnings about an annotation, with their field in the payload and their code.
 */
export const warningsOf = (answer) => [
  ...CELLS.flatMap((cell) =>
    warningsIn(answer, cell).map(({ code, text }) => ({ field: `marks.${cell.key}`, code, message: text })),
  ),
  ...BODY_PARTS.flatMap((part) => {
    const found = contradictionIn(answer, part);
    return found ? [{ field: `counts.visible.${part}`, code: found.code, message: found.text }] : [];
  }),
];
