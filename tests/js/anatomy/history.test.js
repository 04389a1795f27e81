// Undo to the beginning and redo to the end restores the state, whatever was done.

import assert from "node:assert/strict";
import { test } from "node:test";
import { totalOf } from "../../../static/js/anatomy/answer.ts";
import { fromPayload, toPayload } from "../../../static/js/anatomy/payload.ts";
import { MOST_STEPS } from "../../../static/js/labelling/history.ts";
import { randomScript } from "../replay/chance.js";
import { Person, typed } from "../replay/person.js";

const shown = (person) => JSON.stringify(toPayload(person.state.answer));
const empty = JSON.stringify(toPayload(fromPayload({})));

function undoAll(person) {
  const seen = [];
  while (person.state.past.length) seen.push(shown(person.act({ type: "undo" })));
  return seen;
}

test("to the beginning and back, 300 random scripts", () => {
  let undone = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const { person } = randomScript(seed, { remarks: true });
    const end = shown(person);
    const back = undoAll(person);
    assert.equal(shown(person), empty, `seed ${seed}`);
    const forth = [];
    while (person.state.future.length) forth.push(shown(person.act({ type: "redo" })));
    assert.equal(forth.at(-1) ?? empty, shown(person));
    // Redo passes through the same answers and may go on where the script itself had undone.
    assert.ok([...forth, empty].includes(end), `seed ${seed}`);
    assert.deepEqual(undoAll(person).slice(-back.length), back, `seed ${seed}`);
    undone += back.length;
  }
  assert.ok(undone > 5000);
});

test("rules that no script breaks", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const { answer } = randomScript(seed, { remarks: true }).person.state;
    for (const mark of answer.marks) {
      const total = totalOf(answer, mark);
      assert.ok(
        mark.affected >= 1 && (total === null || (mark.affected <= total && total <= 99)),
        `seed ${seed}`,
      );
      assert.ok(mark.pins.length <= mark.affected, `seed ${seed}`);
      assert.notEqual(answer.counts[mark.cell.kind][mark.cell.part]?.value, 0, `seed ${seed}`);
    }
    assert.ok(!(answer.noErrors && answer.marks.length), `seed ${seed}`);
    const sent = fromPayload(JSON.parse(JSON.stringify(toPayload(answer))));
    assert.deepEqual({ ...sent, confirmed: answer.confirmed }, answer, `seed ${seed}`);
  }
});

test("the same seed gives the same script, and hands can be tied", () => {
  assert.deepEqual(randomScript(7).steps, randomScript(7).steps);
  assert.notDeepEqual(randomScript(7).steps, randomScript(8).steps);
  assert.ok(randomScript(7, { pointer: false }).steps.every(([kind]) => kind === "key"));
  assert.equal(randomScript(9, { keyboard: false }).person.clicks > 0, true);
});

test("a step is what changed something; what follows an undo forgets the redo", () => {
  const person = new Person().take(typed("2 h b b"));
  assert.equal(person.state.past.length, 3);
  person.take(typed("l h Escape 9 9 9 Escape"));
  assert.equal(person.state.past.length, 3);
  person.take(typed("Ctrl+z c"));
  assert.equal(person.state.future.length, 0);
  assert.equal(person.take(typed("Ctrl+y")).state.message.text, "Nothing to redo.");
});

test("undo goes to the cell of the change and says what stands there", () => {
  const person = new Person().take(typed("2 g h b c t m Ctrl+z"));
  assert.equal(person.state.cell.key, "configuration.hands");
  assert.equal(person.state.message.text, "Undone. Configuration · Hands: 1/4 b");
  assert.equal(
    person.take(typed("Ctrl+Shift+z")).state.message.text,
    "Redone. Configuration · Hands: 1/4 b, 1/4 c",
  );
  assert.equal(person.take(typed("Ctrl+z Ctrl+z Ctrl+z")).state.message.text, "Undone.");
});

test("200 steps are kept", () => {
  const person = new Person().take(typed("2 h"));
  for (let turn = 0; turn < 150; turn += 1) person.take(typed("b Backspace"));
  assert.deepEqual([MOST_STEPS, person.state.past.length], [200, 200]);
});

test("undo on an untouched image asks for the submission back, on a touched one it does not", () => {
  assert.deepEqual(new Person().take(typed("Ctrl+z")).effects, [{ type: "withdraw" }]);
  const touched = new Person().take(typed("2 Ctrl+z Ctrl+z"));
  assert.deepEqual(
    touched.effects.filter(({ type }) => type === "withdraw"),
    [],
  );
  assert.equal(touched.state.message.text, "Nothing to undo.");
});

test("every change asks for a save, nothing else does", () => {
  const saves = (text) => new Person().take(typed(text)).effects.filter(({ type }) => type === "save").length;
  assert.equal(saves("2 h b b Ctrl+z"), 4);
  assert.equal(saves("h 3 Escape ArrowLeft Ctrl+z"), 0);
  assert.equal(saves("2 2 h 9 b"), 1);
});

test("the other version, taken, can be undone", () => {
  const person = new Person().take(typed("2 h b"));
  const mine = shown(person);
  person.act({ type: "take", payload: { people: 3 } });
  assert.equal(person.state.answer.people, 3);
  assert.equal(shown(person.act({ type: "undo" })), mine);
});
