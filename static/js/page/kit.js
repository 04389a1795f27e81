// What a protocol brings to the page: its rules, its view, and what keys, clicks and the focus mean in it.

/** @import { Message } from "../labelling/messages.js" */
/** @import { Difference } from "../labelling/comparison.js" */
/** @import { KeyContext, KeyPress } from "../labelling/keys.js" */
/** @import { Keypad } from "../labelling/pointer.js" */
/** @import { AssignmentState, Bar, PageConfig, Status } from "./contract.js" */
/** @import { Header } from "./header.js" */
/** @import { Picture } from "./picture.js" */

/**
 * What every protocol's answer has.
 * @typedef {{readonly noErrors: boolean, readonly flag: {readonly reason: string, readonly note: string} | null, readonly note: string}} Remarks
 */

/**
 * What every protocol's state has; the rest of it is the protocol's own.
 * @typedef {{readonly answer: Remarks, readonly message: Message, readonly past: readonly unknown[], readonly future: readonly unknown[]}} PageState
 */

/**
 * Acts and payloads are the protocol's own; the page hands them on.
 * @typedef {object} Rules
 * @property {(payload: any, options: {guided: boolean, submitted: {number: number, warnings: number} | null}) => any} open the state of an image as it opens
 * @property {(state: any, action: any) => {state: any, effects: readonly any[]}} dispatch
 * @property {(answer: any) => any} toPayload
 * @property {(payload: any) => any} fromPayload
 * @property {(state: any) => Message} resting what the line says when nothing has just been said
 * @property {(answer: any) => string | null} firstCell the cell of the first entry
 * @property {(mine: any, theirs: any) => Difference[]} differences of two answers, in words
 */

/**
 * @typedef {object} PageView
 * @property {Header} header
 * @property {Picture} stage
 * @property {HTMLElement} sheet
 * @property {(assignment: AssignmentState, image: HTMLImageElement) => void} show
 * @property {(state: any, how: {status: Status, barred: Bar | null, showScore: boolean, locked: boolean}) => void} update
 * @property {(state: any) => void} focus
 * @property {(on: boolean) => void} tabbable the buttons inside the cells are steps of the Tab key
 */

/**
 * @typedef {object} Kit
 * @property {Rules} rules
 * @property {(desk: HTMLElement, config: PageConfig, addressOf: (id: number) => string) => PageView} view
 * @property {(press: KeyPress, context: KeyContext) => any} keyAction null leaves a key to the browser
 * @property {(press: KeyPress, context: KeyContext) => boolean} isHeld
 * @property {(target: Element, state: any) => any} focusAction null where the focus says nothing
 * @property {(target: string, held?: {shift?: boolean}) => any} clickAction
 * @property {(answer: any, target: string) => Keypad | null} keypadOf
 * @property {(target: string, number: number) => any} pickAction
 * @property {(target: string) => string} keypadName
 * @property {{keys: readonly (readonly [string, string])[], pointer: readonly string[], reminders: readonly string[]}} help
 * @property {boolean} scored whether there is a running score that can be shown
 */

export {};
