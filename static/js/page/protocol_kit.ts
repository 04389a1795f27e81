// What a protocol provides for the page: rules, view, and the meaning of keys, clicks and the focus.

import type { Difference } from "../labelling/comparison.ts";
import type { KeyContext, KeyPress } from "../labelling/keys.ts";
import type { Message } from "../labelling/messages.ts";
import type { Remarks } from "../labelling/remarks.ts";
import type { Keypad } from "../labelling/targets.ts";
import type { Desk } from "./desk.ts";
import type { GuidelineNews } from "./guideline_news.ts";
import type { Keypads } from "./input/keypad.ts";
import type { AssignmentState, Bar, PageConfig, Status } from "./server_types.ts";
import type { Header } from "./viewing/header.ts";
import type { ImageView } from "./viewing/image_view.ts";

/** The part of the state that all protocols share. */
export interface PageState {
  readonly answer: Remarks;
  readonly message: Message;
  readonly past: readonly unknown[];
  readonly future: readonly unknown[];
}

/** Actions and payloads belong to the protocol. The page passes them on. */
export interface Rules {
  /** The initial state of an image. */
  open: (payload: any, options: { guided: boolean; required?: boolean; visited?: readonly string[]; submitted: { number: number } | null; confirmed?: readonly string[]; suggestion?: any }) => any;
  dispatch: (state: any, action: any) => { state: any; effects: readonly any[] };
  toPayload: (answer: any) => any;
  fromPayload: (payload: any) => any;
  resting: (state: any) => Message; // the message when there is nothing else to report
  firstCell?: (answer: any) => string | null; // the cell of the first entry
  confirmed?: (answer: any) => string[]; // the cells in which the annotator has confirmed that one part has two errors
  visited?: (state: any) => readonly string[]; // cells, in a guided batch
  differences: (mine: any, theirs: any) => Difference[]; // between two annotations, in words
  revive?: (key: string, value: any) => any; // what JSON does not keep of a state
  zoom?: "free"; // whether the page enlarges the image whatever the batch allows
  quietMs?: number; // how long after the last change a draft is saved
}

export interface PageView {
  header: Header;
  stage: ImageView;
  sheet: HTMLElement;
  panel: { own: GuidelineNews };
  show: (assignment: AssignmentState, image: HTMLImageElement) => void;
  update: (state: any, how: { status: Status; barred: Bar | null; showScore: boolean; locked: boolean }) => void;
  focus: (state: any) => void;
  carryOut?: (asked: any) => void; // an effect that only this view has
  tabbable?: (on: boolean) => void; // whether Tab stops at the buttons inside the cells
}

/** What a keypad offers for a target, and the action of a number picked. */
export interface Numbers {
  of: (answer: any, target: string) => Keypad | null;
  pick: (target: string, number: number) => any;
  nameOf: (target: string) => string;
}

interface Help {
  keys: readonly (readonly [string, string])[];
  pointer: readonly string[];
  reminders: readonly string[];
}

export interface Kit {
  rules: Rules;
  view: (desk: HTMLElement, config: PageConfig, addressOf: (id: number) => string, act: (action: any) => void) => PageView;
  keyAction: (press: KeyPress, context: KeyContext) => any; // null leaves the key to the browser
  inputAction?: (input: Element) => any; // of a change in an input of the browser's
  focusAction: (target: Element, state: any) => any; // null if nothing changes
  clickAction: (target: string, held?: { shift?: boolean }) => any;
  numbers?: Numbers; // to pick on a keypad
  listenToKeypad?: (desk: Desk, numbers: Numbers) => Keypads; // of a protocol that has them
  help: () => Help;
  scored?: boolean; // whether the protocol has a running score
  paged?: boolean; // whether each image has a page of its own, because the form differs
}
