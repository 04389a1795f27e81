// The words that the server sends to the page: reasons of flags, and a project's tags.

import { readWords } from "../../../static/js/labelling/project_words.ts";

export const REASONS = ["no_body", "broken", "cannot_judge", "distressing", "ambiguous", "other"];
export const TAGS = [
  { number: 2, title: "twinning" },
  { number: 3, title: "stereotype" },
];

const titled = (code) => ({ code, title: code === "other" ? "Other, see note" : code.replace("_", " ") });

readWords({ flag_reasons: REASONS.map(titled), tags: TAGS });
