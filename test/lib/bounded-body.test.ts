/** Bodies are read completely or rejected, and use no more memory than was reserved for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type Body, readBody } from "../../src/lib/bounded-body.ts";

interface Outcome {
  body: Body | Error;
  /** The sum of all reservations. */
  reservedBytes: number;
}

const BYTES_MAX = 1_000_000;

/** Sends the pieces as a request, and returns the result of reading its body. */
async function readOver(
  t: TestContext,
  {
    fields,
    pieces,
    reserveMax = Number.POSITIVE_INFINITY,
  }: { fields: string; pieces: Iterable<string | Buffer>; reserveMax?: number },
): Promise<Outcome> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  t.after(() => {
    socket.destroy();
    server.close().closeAllConnections();
  });
  const received = once(server, "request");
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`);
  const [request] = (await received) as [IncomingMessage];
  let reservedBytes = 0;
  const reserve = (sizeBytes: number): void => {
    reservedBytes += sizeBytes;
    if (reservedBytes > reserveMax) throw new Error("no more memory");
  };
  const read = readBody(request, { bytesMax: BYTES_MAX, reserve });
  for (const piece of pieces) {
    if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close"), read.catch(() => {})]);
  }
  if (socket.listenerCount("close") >= 0 && fields.includes("cut")) socket.destroy();
  return { body: await read.catch((error: Error) => error), reservedBytes };
}

const chunk = (bytes: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);
const END = "0\r\n\r\n";
const CHUNKED = "Transfer-Encoding: chunked";

const bytesOf = ({ body }: Outcome): Buffer => {
  assert.ok(!(body instanceof Error) && body.type === "read", JSON.stringify(body));
  return body.bytes;
};
const typeOf = ({ body }: Outcome): string => (body instanceof Error ? body.message : body.type);

test("reads a body of known length, in one piece or in several", async (t) => {
  const text = Buffer.from("é0123456789".repeat(50_000));
  const fields = `Content-Length: ${text.length}`;
  const whole = await readOver(t, { fields, pieces: [text] });
  assert.ok(bytesOf(whole).equals(text));
  assert.ok(whole.reservedBytes <= text.length, `${whole.reservedBytes} bytes reserved for ${text.length}`);
  const halves = await readOver(t, { fields, pieces: [text.subarray(0, 7), text.subarray(7)] });
  assert.ok(bytesOf(halves).equals(text));
  assert.equal(bytesOf(await readOver(t, { fields: "Content-Length: 0", pieces: [] })).length, 0);
});

test("does not reserve an announced length before its bytes arrive", async (t) => {
  const fields = `Content-Length: ${BYTES_MAX}\r\nX-Then: cut`;
  const outcome = await readOver(t, { fields, pieces: ["only this"] });
  assert.equal(typeOf(outcome), "cut_off");
  assert.ok(outcome.reservedBytes <= 64 * 1024, `${outcome.reservedBytes} bytes reserved`);
});

test("copies chunks of any size into one buffer, at most twice their total size", async (t) => {
  const sizes = Array.from({ length: 900 }, (_, i) => (i * 7919) % 997);
  const parts = sizes.map((size, i) => Buffer.alloc(size, 97 + (i % 26))).filter((part) => part.length > 0);
  const outcome = await readOver(t, { fields: CHUNKED, pieces: [...parts.map(chunk), END] });
  const whole = Buffer.concat(parts);
  assert.ok(bytesOf(outcome).equals(whole));
  assert.ok(outcome.reservedBytes <= 2 * whole.length, `${outcome.reservedBytes} bytes reserved for ${whole.length}`);
  assert.equal(bytesOf(outcome).buffer.byteLength, outcome.reservedBytes, "the reservation equals the capacity");
});

test("accepts a few chunks of any size", async (t) => {
  const pieces = [...Array.from({ length: 900 }, () => chunk("x")), END];
  assert.equal(bytesOf(await readOver(t, { fields: CHUNKED, pieces })).length, 900);
});

test("rejects many chunks that are too small, in one packet or in many", async (t) => {
  const tiny = chunk("x").toString();
  for (const pieces of [
    [tiny.repeat(65_000), END],
    [...Array.from({ length: 3000 }, () => tiny), END],
  ]) {
    const outcome = await readOver(t, { fields: CHUNKED, pieces });
    assert.equal(typeOf(outcome), "fragmented");
    assert.ok(outcome.reservedBytes <= 64 * 1024);
  }
});

test("rejects a body that is one byte too large, announced or not", async (t) => {
  const most = Buffer.alloc(BYTES_MAX, "x");
  assert.equal(bytesOf(await readOver(t, { fields: CHUNKED, pieces: [chunk(most), END] })).length, BYTES_MAX);
  assert.equal(typeOf(await readOver(t, { fields: CHUNKED, pieces: [chunk(most), chunk("x"), END] })), "too_large");
  const announced = await readOver(t, { fields: `Content-Length: ${BYTES_MAX + 1}`, pieces: [] });
  assert.deepEqual([typeOf(announced), announced.reservedBytes], ["too_large", 0]);
});

test("stops reading where no memory can be reserved", async (t) => {
  const pieces = Array.from({ length: 9 }, () => chunk(Buffer.alloc(100_000, "x")));
  const outcome = await readOver(t, { fields: CHUNKED, pieces: [...pieces, END], reserveMax: 200_000 });
  assert.equal(typeOf(outcome), "no more memory");
});
