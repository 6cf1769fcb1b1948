/** The content after DATA: read within its bounds, rejected with its reply once it has ended, cut off where it does not end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ContentBounds, readContent } from "../../src/smtp-server/read-content.ts";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { type FakeClock, fakeClock, quiet } from "../support/fake-clock.ts";
import { Content, contentOf } from "./content.ts";

const KIB = 1024;
const OCTETS_MAX = 300 * KIB;

interface Harness {
  clock: FakeClock;
  /** What was reserved, in order. */
  reserved: string[];
  /** Lets messages that wait for memory go on; with an error, rejects them. */
  admit: (error?: Error) => void;
  cutOffs: () => number;
  read(content: Content, bounds?: Partial<ContentBounds>): Promise<Buffer | null>;
}

function harness({ waits = false } = {}): Harness {
  const clock = fakeClock();
  const reserved: string[] = [];
  let cutOffs = 0;
  let admit = (_error?: Error): void => {};
  const memory = {
    takeShort: (octets: number) => void reserved.push(`short ${octets}`),
    waitLong(octets: number): Promise<void> {
      reserved.push(`long ${octets}`);
      if (!waits) return Promise.resolve();
      return new Promise((resolve, reject) => {
        admit = (error) => (error === undefined ? resolve() : reject(error));
      });
    },
    release() {
      if (reserved.length > 0) reserved.push("release");
    },
  } as unknown as ContentBounds["memory"];
  return {
    clock,
    reserved,
    admit: (error) => admit(error),
    cutOffs: () => cutOffs,
    read: (content, bounds = {}) =>
      readContent(content.stream, {
        octetsMax: OCTETS_MAX,
        announcedOctets: null,
        memory,
        clock,
        examine(chunk) {
          if (chunk.includes("!")) throw new SmtpRejection(550, "5.6.0 It has an exclamation mark", "invalid_request");
        },
        ...bounds,
        cutOff() {
          cutOffs += 1;
          content.destroy();
        },
      }),
  };
}

/** A message of so many octets, with CRLF line ends. */
function message(octets: number): Buffer {
  const text = Buffer.alloc(octets, `${"x".repeat(62)}\r\n`);
  text.write("\r\n", octets - 2);
  return text;
}

const rejectsWith = (pending: Promise<unknown>, begins: string): Promise<void> =>
  assert.rejects(pending, (error) => {
    assert.ok(error instanceof SmtpRejection, String(error));
    assert.ok(`${error.responseCode} ${error.message}`.startsWith(begins), error.message);
    return true;
  });

describe("a content", () => {
  it("is read octet for octet, in chunks of any size", async () => {
    for (const octets of [2, 100, 64 * KIB, 64 * KIB + 2, OCTETS_MAX]) {
      const text = message(octets);
      for (const size of [1000, 64 * KIB, octets]) {
        const content = new Content();
        for (let at = 0; at < octets; at += size) content.add(text.subarray(at, at + size));
        const received = await harness().read(content.end());
        assert.ok(received?.equals(text), `${octets} octets in chunks of ${size}`);
      }
    }
  });

  it("may be empty", async () => {
    const { reserved, read } = harness();
    assert.deepEqual(await read(new Content().end()), Buffer.alloc(0));
    assert.deepEqual(reserved, []);
  });

  it("is kept up to a limit, and read to its end", async () => {
    const text = message(250 * KIB);
    for (const keptMax of [1000, 64 * KIB, 100 * KIB, 250 * KIB, OCTETS_MAX]) {
      for (const size of [1000, 64 * KIB, text.length]) {
        const content = new Content();
        for (let at = 0; at < text.length; at += size) content.add(text.subarray(at, at + size));
        const { reserved, read } = harness();
        const received = await read(content.end(), { keptMax });
        assert.ok(received?.equals(text.subarray(0, keptMax)), `${keptMax} octets in chunks of ${size}`);
        assert.ok(!reserved.includes(`long ${OCTETS_MAX}`) || keptMax === OCTETS_MAX, reserved.join());
      }
    }
  });

  it("of which a part is kept is rejected for what comes after that part, and beyond its limit", async () => {
    const late = (): Content =>
      new Content()
        .add(message(100 * KIB))
        .add("!\r\n")
        .end();
    await rejectsWith(harness().read(late(), { keptMax: 1000 }), "550 5.6.0 ");
    await rejectsWith(harness().read(contentOf(message(OCTETS_MAX + 2)), { keptMax: 1000 }), "552 5.3.4 ");
  });

  it("reserves memory once as a short one, and once as a long one", async () => {
    const short = harness();
    await short.read(new Content().add(message(1000)).add(message(1000)).end());
    assert.deepEqual(short.reserved, [`short ${64 * KIB}`]);
    const long = harness();
    await long.read(
      new Content()
        .add(message(1000))
        .add(message(100 * KIB))
        .add(message(150 * KIB))
        .end(),
    );
    assert.deepEqual(long.reserved, [`short ${64 * KIB}`, `long ${OCTETS_MAX}`]);
    const announced = harness();
    await announced.read(contentOf(message(100 * KIB)), { announcedOctets: 100 * KIB });
    assert.deepEqual(announced.reserved, [`long ${125 * KIB + 64 * KIB}`]);
  });

  it("may be somewhat longer than announced, not much", async () => {
    const bounds = { announcedOctets: 1000 };
    // Some programs count line ends as one octet.
    assert.equal((await harness().read(contentOf(message(1250 + 64 * KIB)), bounds))?.length, 1250 + 64 * KIB);
    await rejectsWith(harness().read(contentOf(message(1251 + 64 * KIB)), bounds), "552 5.3.4 ");
  });
});

describe("a content that is rejected", () => {
  it("releases its memory at once, although it is read to its end", async () => {
    const { reserved, read } = harness();
    const content = new Content().add(message(100 * KIB)).add("x!");
    const pending = read(content);
    await quiet();
    assert.deepEqual(reserved, [`long ${OCTETS_MAX}`, "release"]);
    content.add(message(1000)).end();
    await rejectsWith(pending, "550 5.6.0 ");
    assert.deepEqual(reserved, [`long ${OCTETS_MAX}`, "release"]);
  });

  it("is read to its end first", async () => {
    const content = new Content().add("A: b!\r\n");
    let isSettled = false;
    const { read, reserved } = harness();
    const pending = read(content).finally(() => {
      isSettled = true;
    });
    const rejection = rejectsWith(pending, "550 5.6.0 It has an exclamation mark");
    await quiet();
    content.add(message(1000));
    await quiet();
    assert.equal(isSettled, false);
    content.end();
    await rejection;
    assert.deepEqual(reserved, [], "it takes no memory");
  });

  it("is one that has no memory", async () => {
    const { read, admit } = harness({ waits: true });
    const pending = read(contentOf(message(100 * KIB)));
    await quiet();
    const rejection = assert.rejects(pending, /no memory here/);
    admit(new Error("no memory here"));
    await rejection;
  });

  it("is too large, whatever else is wrong with it", async () => {
    for (const text of [message(OCTETS_MAX), Buffer.from("a!\r\n"), Buffer.alloc(0)]) {
      const content = contentOf(text);
      content.sizeExceeded = true;
      await rejectsWith(harness().read(content), "552 5.3.4 ");
    }
    await rejectsWith(harness().read(contentOf(message(OCTETS_MAX + 2))), "552 5.3.4 ");
  });

  it("is cut off where a limit of its own says so", async () => {
    const { read, cutOffs } = harness();
    const content = new Content().add(message(OCTETS_MAX)).add(message(3 * OCTETS_MAX));
    const pending = read(content, { cutOffOctets: 5 * OCTETS_MAX });
    await quiet();
    assert.equal(cutOffs(), 0);
    content.add(message(2 * OCTETS_MAX));
    await quiet();
    assert.equal(cutOffs(), 1);
    assert.equal(await pending, null);
  });

  it("is cut off at twice the octets that are allowed", async () => {
    const { read, cutOffs } = harness();
    const content = new Content().add("!");
    const pending = read(content);
    for (let octets = 1; octets < 2 * OCTETS_MAX; octets += 50 * KIB) {
      assert.equal(cutOffs(), 0);
      content.add(message(50 * KIB));
      await quiet();
    }
    assert.equal(cutOffs(), 1);
    assert.equal(await pending, null);
  });
});

describe("a connection that ends before the final dot", () => {
  it("leaves nothing", async () => {
    const content = new Content().add(message(1000));
    const { read, clock } = harness();
    const pending = read(content);
    await quiet();
    content.destroy();
    assert.equal(await pending, null);
    assert.deepEqual(clock.dueMs, [], "no timer remains");
  });
});

describe("a slow client", () => {
  it("is cut off below 64 KiB a second, after a minute", async () => {
    const { clock, read, cutOffs } = harness();
    const content = new Content().add(message(128 * KIB));
    const pending = read(content);
    await clock.advance(61_999);
    assert.equal(cutOffs(), 0);
    await clock.advance(1);
    assert.equal(cutOffs(), 1);
    assert.equal(await pending, null);
  });

  it("has more time for more octets", async () => {
    const { clock, read, cutOffs } = harness();
    const content = new Content().add(message(64 * KIB));
    const pending = read(content);
    await clock.advance(60_500);
    content.add(message(64 * KIB));
    await clock.advance(1000);
    assert.equal(cutOffs(), 0);
    content.end();
    assert.equal((await pending)?.length, 128 * KIB);
    assert.deepEqual(clock.dueMs, []);
  });

  it("is not one that waits for memory", async () => {
    const { clock, read, cutOffs, admit } = harness({ waits: true });
    const content = new Content().add(message(100 * KIB));
    const pending = read(content);
    await clock.advance(600_000);
    assert.equal(cutOffs(), 0);
    admit();
    await quiet();
    await clock.advance(59_999);
    assert.equal(cutOffs(), 0);
    content.end();
    assert.equal((await pending)?.length, 100 * KIB);
  });
});
