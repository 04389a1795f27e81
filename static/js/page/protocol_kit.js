// What a protocol provides for the page: rules, view, and the meaning of keys, clicks and the focus.

/** @import { Difference } from "../labelling/comparison.js" */
/** @import { KeyContext, KeyPress } from "../labelling/keys.js" */
/** @import { Message } from "../labelling/messages.js" */
/** @import { Keypad } from "../labelling/targets.js" */
/** @import { Desk } from "./desk.js" */
/** @import { GuidelineNews } from "./guideline_news.js" */
/** @import { Keypads } from "./input/keypad.js" */
/** @import { AssignmentState, Bar, PageConfig, Status } from "./server_types.js" */
/** @import { Header } from "./viewing/header.js" */
/** @import { ImageView } from "./viewing/image_view.js" */

/**
 * The part of an annotation that all protocols share.
 * @typedef {{readonly noErrors: boolean, readonly flag: {readonly reason: string, readonly note: string} | null, readonly tags: readonly number[], readonly note: string}} Remarks
 */

/**
 * The part of the state that all protocols share.
 * @typedef {{readonly answer: Remarks, readonly message: Message, readonly past: readonly unknown[], readonly future: readonly unknown[]}} PageState
 */

/**
 * Actions and payloads belong to the protocol. The page passes them on.
 * @typedef {object} Rules
 * @property {(payload: any, options: {guided: boolean, submitted: {number: number} | null, confirmed?: readonly string[], suggestion?: any}) => any} open the initial state of an image
 * @property {(state: any, action: any) => {state: any, effects: readonly any[]}} dispatch
 * @property {(answer: any) => any} toPayload
 * @property {(payload: any) => any} fromPayload
 * @property {(state: any) => Message} resting the message when there is nothing else to report
 * @property {(answer: any) => string | null} firstCell the cell of the first entry
 * @property {(answer: any) => string[]} [confirmed] the cells in which the annotator has confirmed that one part has two errors
 * @property {(mine: any, theirs: any) => Difference[]} differences between two annotations, in words
 * @property {(key: string, value: any) => any} [revive] what JSON does not keep of a state
 * @property {"free"} [zoom] whether the page enlarges the image whatever the batch allows
 * @property {number} [quietMs] how long after the last change a draft is saved
 */

/**
 * @typedef {object} PageView
 * @property {Header} header
 * @property {ImageView} stage
 * @property {HTMLElement} sheet
 * @property {{own: GuidelineNews}} panel
 * @property {(assignment: AssignmentState, image: HTMLImageElement) => void} show
 * @property {(state: any, how: {status: Status, barred: Bar | null, showScore: boolean, locked: boolean}) => void} update
 * @property {(state: any) => void} focus
 * @property {(on: boolean) => void} tabbable whether Tab stops at the buttons inside the cells
 */

/**
 * What a keypad offers for a target, and the action of a number picked.
 * @typedef {{of: (answer: any, target: string) => Keypad | null, pick: (target: string, number: number) => any, nameOf: (target: string) => string}} Numbers
 */

/** @typedef {{keys: readonly (readonly [string, string])[], pointer: readonly string[], reminders: readonly string[]}} Help */

/**
 * @typedef {object} Kit
 * @property {Rules} rules
 * @property {(desk: HTMLElement, config: PageConfig, addressOf: (id: number) => string, act: (action: any) => void) => PageView} view
 * @property {(press: KeyPress, context: KeyContext) => any} keyAction null leaves the key to the browser
 * @property {(input: Element) => any} [inputAction] of a change in an input of the browser's
 * @property {(target: Element, state: any) => any} focusAction null if nothing changes
 * @property {(target: string, held?: {shift?: boolean}) => any} clickAction
 * @property {Numbers} [numbers] to pick on a keypad
 * @property {(desk: Desk, numbers: Numbers) => Keypads} [listenToKeypad] of a protocol that has them
 * @property {() => Help | Promise<Help>} help
 * @property {boolean} scored whether the protocol has a running score
 * @property {boolean} [paged] whether each image has a page of its own, because the form differs
 */

export {};
