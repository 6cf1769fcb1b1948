import { Agent, request } from "node:http";
import { type TestContext, test } from "node:test";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { sendBody, type World } from "../support/world.ts";
import { type ProblemBody, problemOf } from "./problem.ts";
import { connectRaw, exchange, requestBytes } from "./raw-http.ts";
import { assertNothingSent, BYTES_MAX, MB, PIECE, SEND, startRefusingWorld } from "./refusals.ts";

test("errors: sizes", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("413 body_too_large", (t) => tooLarge(t, world));
  await t.test("no message was sent", () => assertNothingSent(world));
});

async function tooLarge(t: TestContext, world: World): Promise<void> {
  const refused = (answer: Response): Promise<ProblemBody> => problemOf(answer, 413, "body_too_large");
  const jsonOf = (bytes: number): string => {
    const empty = JSON.stringify(sendBody({ text: "" })).length;
    return JSON.stringify(sendBody({ text: "x".repeat(bytes - empty) }));
  };

  await t.test("one byte too many", async () => {
    await refused(await world.post(jsonOf(BYTES_MAX + 1)));
    // The request is at the limit; the message built from it, with its header, is over it.
    await refused(await world.post(jsonOf(BYTES_MAX)));
  });

  await t.test("rejects a message that exceeds the limit when it is built", async () => {
    await refused(await world.post(sendBody({ text: "é".repeat(BYTES_MAX / 2 - 1000) })));
  });

  await t.test("fetch, 30 MB", async () => {
    await refused(await world.post("x".repeat(30 * MB)));
  });

  await t.test("node:http, chunked, still sending when the response arrives", async () => {
    await refused(await answerWhileSending(world));
  });

  for (const connection of ["keep-alive", "close"]) {
    await t.test(`a client that sends all 30 MB before it reads, Connection: ${connection}`, async () => {
      await refused(await sendThenRead(world, { connection, framing: "length" }));
      await refused(await sendThenRead(world, { connection, framing: "chunked" }));
    });
  }

  await t.test("a client that waits for the response before it sends", async () => {
    const headers = [
      `Authorization: Bearer ${world.key}`,
      "Content-Type: application/json",
      `Content-Length: ${30 * MB}`,
    ];
    await refused(await exchange(world.service.url, requestBytes({ headers })));
    await refused(await exchange(world.service.url, requestBytes({ headers: [...headers, "Expect: 100-continue"] })));
  });

  await t.test("the connection can be used again", async () => {
    const client = await connectRaw(world.service.url);
    const headers = [`Authorization: Bearer ${world.key}`, "Content-Type: application/json"];
    await client.write(requestBytes({ headers, body: "x".repeat(BYTES_MAX + 1) }));
    await refused(await client.answer());
    await client.write(requestBytes({ headers, body: "{" }));
    await problemOf(await client.answer(), 400, "invalid_json");
    client.end();
  });

  await t.test("other rejections of a large body arrive too", async () => {
    const key = newApiKey().key;
    await problemOf(
      await sendThenRead({ ...world, key }, { connection: "close", framing: "length" }),
      401,
      "invalid_api_key",
    );
    await problemOf(
      await sendThenRead({ ...world, key }, { connection: "close", framing: "chunked" }),
      401,
      "invalid_api_key",
    );
  });
}

/** Sends all 30 MB, and only then reads. */
async function sendThenRead(
  { service, key }: World,
  { connection, framing }: { connection: string; framing: "length" | "chunked" },
): Promise<Response> {
  const client = await connectRaw(service.url);
  const pieces = (30 * MB) / PIECE.length;
  const frame = framing === "length" ? `Content-Length: ${30 * MB}` : "Transfer-Encoding: chunked";
  const headers = [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Connection: ${connection}`,
    frame,
  ];
  await client.write(requestBytes({ headers }));
  const chunk = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from("\r\n")]);
  for (let i = 0; i < pieces; i += 1) await client.write(framing === "length" ? PIECE : chunk);
  if (framing === "chunked") await client.write("0\r\n\r\n");
  const answer = await client.answer();
  client.end();
  return answer;
}

/** Sends chunks until a response arrives. */
function answerWhileSending({ service, key }: World): Promise<Response> {
  const agent = new Agent();
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const req = request(service.url + SEND, { method: "POST", headers, agent });
    let answered = false;
    const sendMore = (): void => {
      if (!answered) req.write(PIECE, () => setImmediate(sendMore));
    };
    req.on("error", reject);
    req.on("response", async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk as Buffer);
      answered = true;
      const fields = Object.entries(res.headers).map(([name, value]): [string, string] => [name, String(value)]);
      resolve(new Response(Buffer.concat(chunks), { status: res.statusCode ?? 0, headers: fields }));
      req.destroy();
      agent.destroy();
    });
    sendMore();
  });
}
