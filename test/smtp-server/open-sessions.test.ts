/** The limit of connections: the longest-idle one is closed, one that is busy never. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OpenSessions, type SmtpConnection } from "../../src/smtp-server/open-sessions.ts";

interface FakeConnection {
  connection: SmtpConnection;
  /** Whether the final dot of its message has not arrived. */
  parser: { _dataMode: boolean };
  /** The replies that were sent. */
  sent: string[];
  isDestroyed: () => boolean;
}

function fakeConnection(isUpgrading = false): FakeConnection {
  const sent: string[] = [];
  const parser = { _dataMode: false };
  let isDestroyed = false;
  const connection = {
    _parser: parser,
    send: (code: number, text: string) => void sent.push(`${code} ${text}`),
    _upgrading: isUpgrading,
    _socket: {
      destroySoon() {
        isDestroyed = true;
      },
    },
  } as unknown as SmtpConnection;
  return { connection, parser, sent, isDestroyed: () => isDestroyed };
}

const CLOSED = ["421 4.3.2 Too many connections: try again"];

function sessions(max: number): { open: OpenSessions; added: FakeConnection[]; add(): FakeConnection } {
  const open = new OpenSessions(max);
  const added: FakeConnection[] = [];
  return {
    open,
    added,
    add() {
      const fake = fakeConnection();
      added.push(fake);
      open.add(fake.connection);
      return fake;
    },
  };
}

/** Which of the connections were closed, by their number. */
const closed = (added: readonly FakeConnection[]): number[] =>
  added.flatMap(({ sent, isDestroyed }, index) => {
    assert.deepEqual(sent, isDestroyed() ? CLOSED : []);
    return isDestroyed() ? [index] : [];
  });

/** Work that ends when the test says. */
function pending(): { work: () => Promise<string>; finish: (error?: Error) => void } {
  let finish = (_error?: Error): void => {};
  const done = new Promise<string>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve("done") : reject(error));
  });
  return { work: () => done, finish };
}

describe("at the limit of connections", () => {
  it("the one that has been idle for longest is closed", () => {
    const { added, add } = sessions(3);
    for (let i = 0; i < 3; i += 1) add();
    assert.deepEqual(closed(added), []);
    add();
    assert.deepEqual(closed(added), [0]);
    add();
    assert.deepEqual(closed(added), [0, 1]);
  });

  it("a command counts as activity", () => {
    const { open, added, add } = sessions(3);
    const [first] = [add(), add(), add()];
    open.touch(first.connection);
    add();
    assert.deepEqual(closed(added), [1]);
  });

  it("one that has ended leaves its place, and is not kept by a late command", () => {
    const { open, added, add } = sessions(2);
    const first = add();
    open.remove(first.connection);
    open.touch(first.connection);
    add();
    add();
    assert.deepEqual(closed(added), []);
    add();
    assert.deepEqual(closed(added), [1]);
  });

  it("one that changes to TLS is not destroyed within its handshake", () => {
    const { open, add } = sessions(1);
    const upgrading = fakeConnection(true);
    open.add(upgrading.connection);
    add();
    assert.deepEqual(upgrading.sent, CLOSED);
    assert.equal(upgrading.isDestroyed(), false);
  });
});

describe("a connection whose message is arriving", () => {
  it("is closed for another if none is idle: the one that has begun it first", () => {
    const { open, added, add } = sessions(3);
    for (const _ of [0, 1, 2]) {
      const { connection, parser } = add();
      void open.whileBusy(connection, pending().work);
      parser._dataMode = added.length > 1;
    }
    const idle = add();
    assert.deepEqual(closed(added), [1], "the first one is being stored");
    add();
    assert.deepEqual(closed(added), [1, 3], "the idle one goes first");
    assert.ok(idle.isDestroyed());
  });
});

describe("a connection whose message is being stored", () => {
  it("is not closed for another; if all are busy, the new one is", async () => {
    const { open, added, add } = sessions(2);
    const [first, second] = [add(), add()];
    const [one, two] = [pending(), pending()];
    const results = [open.whileBusy(first.connection, one.work), open.whileBusy(second.connection, two.work)];
    add();
    assert.deepEqual(closed(added), [2]);
    one.finish();
    assert.equal(await results[0], "done");
    add();
    assert.deepEqual(closed(added), [0, 2], "it is idle again");
    two.finish(new Error("failed"));
    await assert.rejects(results[1] ?? Promise.resolve(), /failed/);
    add();
    add();
    assert.deepEqual(closed(added), [0, 1, 2, 3], "after a failure too");
  });

  it("is idle for as long as others after it, not before", async () => {
    const { open, added, add } = sessions(2);
    const [first] = [add(), add()];
    const one = pending();
    const result = open.whileBusy(first.connection, one.work);
    one.finish();
    await result;
    add();
    assert.deepEqual(closed(added), [1]);
  });

  it("leaves its place if it ends meanwhile", async () => {
    const { open, added, add } = sessions(1);
    const first = add();
    const one = pending();
    const result = open.whileBusy(first.connection, one.work);
    open.remove(first.connection);
    one.finish();
    await result;
    add();
    assert.deepEqual(closed(added), []);
    add();
    assert.deepEqual(closed(added), [1], "the first one is not counted again");
  });
});
