// Undo and redo, alike in all protocols with marks.

import { sharedMessage } from "./messages.ts";

/** How many changes of an image can be undone. */
export const MOST_STEPS = 200;

export interface History<Step> {
  readonly past: readonly Step[];
  readonly future: readonly Step[];
}

/** The history after a change; the step leads back to what there was before. */
export const remembered = <Step>({ past }: History<Step>, step: Step): History<Step> => ({ past: [...past, step].slice(-MOST_STEPS), future: [] });

/** Their acts. `back` is the step that leads back to a state, `shown` the rest of the change. */
export const historyActs = <Step, State extends History<Step>, Change>(
  back: (state: State, step: Step) => Step,
  shown: (done: "Undone" | "Redone", step: Step, state: State) => Change,
) => ({
  /** On an untouched image, asks to withdraw the previous submission. */
  undo: (state: State) => {
    const { past, future } = state;
    const step = past.at(-1);
    if (!step) return { message: sharedMessage("nothing_to_undo"), effects: future.length ? [] : [{ type: "withdraw" } as const] };
    return { ...shown("Undone", step, state), past: past.slice(0, -1), future: [...future, back(state, step)] };
  },
  redo: (state: State) => {
    const { past, future } = state;
    const step = future.at(-1);
    if (!step) return { message: sharedMessage("nothing_to_redo") };
    return { ...shown("Redone", step, state), past: [...past, back(state, step)], future: future.slice(0, -1) };
  },
});
