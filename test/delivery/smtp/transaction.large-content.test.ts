/** A content in several parts: what arrives, how far ahead parts are read, and the end when one cannot be read. */
import assert from "node:assert/strict";
import { connect as connectSocket, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { BLOCK_BYTES } from "../../../src/delivery/smtp/content.ts";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import { contentInParts, cutAt } from "../../support/content-parts.ts";
import type { Step } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { attempt, done, inShort, message, openOrFail, startPeer, until } from "./fixture.ts";

const MIB = 1024 * 1024;
const HEADER = "Subject: hi\r\n\r\n";
const never = () => new Promise<void>(() => {});

/** A promise that the test resolves. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** What a server receives for this content. */
function onWire(content: Buffer): string {
  const stuffed = `\r\n${content.toString("latin1")}`.replaceAll("\r\n.", "\r\n..").slice(2);
  return `${stuffed}${stuffed.endsWith("\r\n") || stuffed === "" ? "" : "\r\n"}.\r\n`;
}

/** A session on which every content must arrive as it is. */
async function receiver(t: TestContext, options: Parameters<typeof startPeer>[1] = {}) {
  const peer = await startPeer(t, options);
  const session = await openOrFail(peer);
  return async (parts: Buffer[], description: string): Promise<void> => {
    const { recipients } = await done(transact(session, message({ content: parts })));
    assert.deepEqual(inShort(recipients), ["final_dot 250"], description);
    const raw = peer.transactions.at(-1)?.raw.toString("latin1");
    assert.ok(raw === onWire(Buffer.concat(parts)), description);
  };
}

test("a content arrives byte for byte, wherever its parts end", async (t) => {
  const receive = await receiver(t);
  for (const end of ["", ".", "\r\n", "\r\n.", "\r\n.\r\n"]) {
    const content = Buffer.from(`${HEADER}.a\r\n.\r\n..\r\nb.${end}`);
    for (let cut = HEADER.length; cut <= content.length; cut += 1) {
      for (const next of [cut, cut + 1, cut + 2]) {
        const places = [cut, Math.min(next, content.length)];
        await receive(cutAt(content, places), `cut at ${places} of ${JSON.stringify(content.toString())}`);
      }
    }
  }
});

for (const tls of [false, true]) {
  test(`parts of many blocks with dots at their ends arrive byte for byte${tls ? " over TLS" : ""}`, async (t) => {
    const receive = await receiver(t, tls ? { tls: selfSigned("mx.example.test") } : {});
    for (const shift of [-2, -1, 0, 1, 2]) {
      const filler = `${"x".repeat(61)}.\r\n.y\r\n`.repeat(4_000);
      const at = [BLOCK_BYTES, 3 * BLOCK_BYTES, 250_000].map((place) => place + shift);
      let text = HEADER + filler;
      for (const place of at) text = `${text.slice(0, place - 2)}\r\n.\r\n${text.slice(place + 3)}`;
      const content = Buffer.from(text.replace(/\r(?!\n)|(?<!\r)\n/g, "-"));
      assert.ok(content.length > 250_100);
      await receive(cutAt(content, at), `boundaries moved by ${shift}`);
    }
  });
}

test("a block with very many dots is stuffed throughout", async (t) => {
  const receive = await receiver(t);
  const content = Buffer.from(HEADER + ".\r\n..\r\n.x.\r\n".repeat(20_000));
  await receive(cutAt(content, [100_001]), "only dots");
});

test("the mark waits for the last part, and the dot for the mark", async (t) => {
  const peer = await startPeer(t);
  const session = await openOrFail(peer);
  const parts = [Buffer.from(HEADER), Buffer.from("one\r\n"), Buffer.from("two\r\n")];
  const [readLast, store] = [gate(), gate()];
  const content = contentInParts(parts, {
    part: (number) => (number < 2 ? Promise.resolve() : readLast.opened),
  });
  let marked: number[] | null = null;
  const beforeDot = (accepted: number[]) => {
    marked = accepted;
    return store.opened;
  };
  const result = done(transact(session, message({ content, beforeDot })));
  await until(() => peer.states[0]?.content.toString() === `${HEADER}one\r\n`);
  assert.equal(marked, null);
  readLast.open();
  await until(() => marked !== null);
  assert.deepEqual([marked, peer.transactions.length], [[0], 0]);
  store.open();
  assert.deepEqual(inShort((await result).recipients), ["final_dot 250"]);
  assert.equal(peer.transactions[0]?.raw.toString(), `${HEADER}one\r\ntwo\r\n.\r\n`);
  session.destroy();
});

for (const number of [1, 3]) {
  test(`part ${number} cannot be read: no mark, no dot, and the connection is closed`, async (t) => {
    const error = new Error("the part is damaged");
    const parts = Array.from({ length: 4 }, (_, index) =>
      Buffer.from(index === 0 ? HEADER : "line\r\n".repeat(20_000)),
    );
    const content = contentInParts(parts, { part: async (read) => (read === number ? assert.fail(error) : undefined) });
    let marks = 0;
    const { peer, session, recipients, dotSent, contentError } = await attempt(
      t,
      { script: { rcpt: (argument) => (argument.includes("b@") ? "550 no" : undefined) } },
      {
        content,
        recipients: ["a@example.test", "b@example.test"],
        beforeDot: async () => {
          marks += 1;
        },
      },
    );
    assert.deepEqual(inShort(recipients), ["held_back", "rcpt 550"]);
    assert.deepEqual([dotSent, contentError, marks, session.usable], [false, error, 0, false]);
    await until(() => peer.open === 0);
    assert.equal(peer.transactions.length, 0);
  });
}

test("a peer that does not read holds two parts: no part is read before the one two before it has been written", async (t) => {
  const peer = await startPeer(t, { capabilities: [], script: { data: () => ({ pause: true, raw: "354 go\r\n" }) } });
  const sockets: Socket[] = [];
  const session = await openOrFail(peer, {
    connect: (to) => {
      const socket = connectSocket(to);
      sockets.push(socket);
      return socket;
    },
  });
  const written = () => (sockets[0]?.bytesWritten ?? 0) - (sockets[0]?.writableLength ?? 0);
  const parts = Array.from({ length: 24 }, () => Buffer.alloc(MIB, "x"));
  const tooEarly: number[] = [];
  const content = contentInParts(parts, {
    part: async (number) => {
      if (written() < (number - 1) * MIB) tooEarly.push(number);
    },
  });
  const beforeDot = () => assert.fail("marked");
  const result = await done(transact(session, message({ content, beforeDot, timeouts: { block: 300 } })));
  assert.deepEqual(inShort(result.recipients), ["timeout content"]);
  assert.deepEqual(tooEarly, []);
  assert.ok(content.reads.length < 23, `${content.reads.length} parts read`);
});

test("an early reply ends the transfer, even while a part is being read", async (t) => {
  const content = contentInParts([Buffer.from(HEADER), Buffer.from("more\r\n")], { part: never });
  let answered = false;
  const { session, recipients, dotSent } = await attempt(
    t,
    {
      script: {
        content: (): Step | undefined => {
          if (answered) return undefined;
          answered = true;
          return "552 5.3.4 too big";
        },
      },
    },
    { content, beforeDot: () => assert.fail("marked") },
  );
  assert.deepEqual(inShort(recipients), ["content 552"]);
  assert.deepEqual([dotSent, session.usable], [false, false]);
});

test("a connection that is lost while a part is being read ends the transfer", async (t) => {
  const content = contentInParts([Buffer.from(HEADER), Buffer.from("more\r\n")], { part: never });
  const { recipients } = await attempt(t, { script: { content: () => ({ drop: true }) } }, { content });
  assert.deepEqual(inShort(recipients), ["lost content"]);
});

test("SIZE is the size of all parts and the prefix", async (t) => {
  const [prefix, parts] = [Buffer.from("X: y\r\n"), [Buffer.from(HEADER), Buffer.from("a\r\n"), Buffer.from("b\r\n")]];
  const { peer } = await attempt(t, { capabilities: ["SIZE 1000"] }, { prefix, content: parts });
  assert.equal(peer.transactions[0]?.mail, `<sender@example.org> SIZE=${Buffer.concat([prefix, ...parts]).length}`);
});
