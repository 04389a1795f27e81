// Sending files: a few at once, through pauses, lost networks and refusals, with a memory that does not grow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ASKED_AT_ONCE, AT_ONCE, PROBLEMS_LISTED, Sender, Trouble } from "../../../static/js/upload/sending.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Files `0` … `count - 1` of one byte; says how far it was read. */
async function* numbered(count, read = { far: 0 }) {
  for (let number = 0; number < count; number += 1) {
    read.far = number + 1;
    yield { name: String(number), open: async () => ({ size: 1 }) };
  }
}

/** A sender whose server is `send`; resolves `ended` when it says that it is done. */
function sender(send, ports = {}) {
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const made = new Sender({
    send,
    known: async (files) => files.map(() => ({})),
    digest: async () => "a",
    rest: soon,
    changed: () => made?.tally.state === "done" && end(),
    ...ports,
  });
  return { made, ended };
}

const begun = (made, count, read) => {
  made.count(count, true);
  made.add(numbered(count, read));
};

test("every file is sent once, at most four at a time, and the folder is read a little ahead only", async () => {
  const sent = [];
  const read = { far: 0 };
  let under = 0;
  let most = 0;
  let ahead = 0;
  const { made, ended } = sender(async (item) => {
    most = Math.max(most, (under += 1));
    ahead = Math.max(ahead, read.far - sent.length);
    await soon();
    under -= 1;
    sent.push(item.name);
  });
  begun(made, 1000, read);
  await ended;
  assert.deepEqual(new Set(sent).size, 1000);
  assert.equal(sent.length, 1000);
  assert.equal(most, AT_ONCE);
  assert.ok(ahead <= ASKED_AT_ONCE + 2 * AT_ONCE, `${ahead} files were held`);
  assert.deepEqual([made.tally.sent, made.tally.bytes, made.share], [1000, 1000, 1]);
});

test("what the server has is left out, what it refuses is named, and questions come a hundred at a time", async () => {
  const sent = [];
  const asked = [];
  const { made, ended } = sender(async (item) => void sent.push(item.name), {
    known: async (files) => {
      asked.push(files.length);
      return files.map(([name]) => (Number(name) < 60 ? { sha256: "a" } : name === "60" ? { refused: "too large" } : {}));
    },
  });
  begun(made, 150);
  await ended;
  assert.deepEqual(asked, [100, 50]);
  assert.deepEqual([made.tally.there, made.tally.sent, made.tally.refused, sent.length], [60, 89, 1, 89]);
  assert.deepEqual(made.tally.problems, ["60: too large"]);
});

test("a file of the same name and size with other bytes is sent, and one whose digest cannot be had", async () => {
  const sent = [];
  const digests = ["same", "other", null];
  const { made, ended } = sender(async (item) => void sent.push(item.name), {
    known: async (files) => files.map(() => ({ sha256: "same" })),
    digest: async () => digests.shift(),
  });
  begun(made, 3);
  await ended;
  assert.deepEqual([sent, made.tally.there], [["1", "2"], 1]);
});

test("a lost network is waited for, said, and costs nothing", async () => {
  let down = true;
  const states = new Set();
  const rests = [];
  const sent = [];
  const { made, ended } = sender(
    async (item) => {
      if (down) throw new Trouble("lost");
      sent.push(item.name);
    },
    {
      rest: async (seconds) => {
        rests.push(seconds);
        states.add(made.tally.state);
        if (rests.length === 40) down = false;
        await soon();
      },
    },
  );
  begun(made, 20);
  await ended;
  assert.deepEqual([...states], ["waiting"]);
  assert.equal(new Set(sent).size, 20);
  assert.deepEqual([rests[0], rests[4], rests[8], Math.max(...rests)], [1, 2, 4, 30]);
  assert.deepEqual([made.tally.refused, made.tally.state], [0, "done"]);
});

test("a pause stops running uploads, and resuming sends them again", async () => {
  const attempts = new Map();
  let hold = true;
  const { made, ended } = sender(async (item, signal) => {
    attempts.set(item.name, (attempts.get(item.name) ?? 0) + 1);
    if (!hold) return;
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Trouble("aborted"))));
  });
  begun(made, 10);
  while (attempts.size < AT_ONCE) await soon();
  made.pause();
  hold = false;
  for (let turn = 0; turn < 20; turn += 1) await soon();
  assert.deepEqual([made.tally.state, made.tally.sent, attempts.size], ["paused", 0, AT_ONCE]);
  made.resume();
  await ended;
  assert.deepEqual([made.tally.sent, attempts.size], [10, 10]);
  assert.deepEqual([...attempts.values()].filter((count) => count === 2).length, AT_ONCE);
});

test("refused files are named, the first of them, and the others go on", async () => {
  const { made, ended } = sender(async (item) => {
    if (Number(item.name) % 2) throw new Trouble("refused", "its name is taken");
  });
  begun(made, 100);
  await ended;
  assert.deepEqual([made.tally.sent, made.tally.refused], [50, 50]);
  assert.equal(made.tally.problems.length, PROBLEMS_LISTED);
  assert.equal(made.tally.problems[0], "1: its name is taken");
});

test("a file that cannot be opened is one refused file", async () => {
  const { made, ended } = sender(async () => undefined);
  made.count(2, true);
  made.add(
    (async function* () {
      yield { name: "gone.png", open: () => Promise.reject(new Error("gone")) };
      yield { name: "there.png", open: async () => ({ size: 3 }) };
    })(),
  );
  await ended;
  assert.deepEqual(made.tally.problems, ["gone.png: it cannot be read on this device"]);
  assert.deepEqual([made.tally.sent, made.tally.bytes], [1, 3]);
});

test("being signed out stops everything until the user resumes", async () => {
  let signedOut = true;
  const { made, ended } = sender(async () => {
    if (signedOut) throw new Trouble("stopped", "You are signed out.");
  });
  begun(made, 8);
  while (made.tally.state !== "stopped") await soon();
  for (let turn = 0; turn < 20; turn += 1) await soon();
  assert.deepEqual([made.tally.words, made.tally.sent], ["You are signed out.", 0]);
  signedOut = false;
  made.resume();
  await ended;
  assert.deepEqual([made.tally.sent, made.tally.refused], [8, 0]);
});

test("more files may come while some are on their way, and after the end", async () => {
  const sent = [];
  const { made, ended } = sender(async (item) => {
    await soon();
    sent.push(item.name);
  });
  begun(made, 30);
  begun(made, 5);
  await ended;
  assert.equal(sent.length, 35);
  begun(made, 5);
  assert.equal(made.tally.state, "sending");
  while (made.tally.state !== "done") await soon();
  assert.deepEqual([sent.length, made.share], [40, 1]);
});

test("the last files are sent four at a time as well, however long it takes to ask for them", async () => {
  let under = 0;
  let most = 0;
  const { made, ended } = sender(
    async ({ name }) => {
      under += 1;
      if (Number(name) >= ASKED_AT_ONCE) most = Math.max(most, under);
      await soon();
      under -= 1;
    },
    {
      known: async (files) => {
        for (let turn = 0; turn < 10; turn += 1) await soon();
        return files.map(() => null);
      },
    },
  );
  begun(made, ASKED_AT_ONCE + 12);
  await ended;
  assert.deepEqual([most, made.tally.sent], [AT_ONCE, ASKED_AT_ONCE + 12]);
});
