// Interpret replies to saves and submissions.

import { type AssignmentState, isBar } from "../server_types.ts";
import type { Reply } from "../api.ts";

/** The outcome of a submission. `pending` means that the request failed and is retried. */
export type Outcome =
  | {
      kind: "submitted";
      next?: string | null;
      state?: AssignmentState | null;
      queue?: string;
      feedback?: string;
      changed: boolean;
    }
  | { kind: "refused"; message: string }
  | { kind: "conflict" }
  | { kind: "pending" }
  | { kind: "barred" };

type Meaning = "stands" | "signed_out" | "barred" | "elsewhere" | "invalid" | "offline" | "failed";

export function meaningOf({ status, body }: Reply): Meaning {
  if (status === 200) return "stands";
  if (status === 401 || (status === 403 && body.error === "csrf")) return "signed_out";
  if (status === 409) return isBar(body.error) ? "barred" : "elsewhere";
  if (status === 422 || status === 400 || status === 413) return "invalid";
  return status === 0 && !navigator.onLine ? "offline" : "failed";
}

/** The reason why the server refused a payload. */
export function refusalIn(body: any) {
  const [first] = Object.values((body.errors ?? {}) as Record<string, string[]>);
  return first?.join(" ") ?? "Refused: the server cannot read this annotation.";
}
