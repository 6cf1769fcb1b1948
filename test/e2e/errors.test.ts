/** Every refusal of the API: its status, its code, its shape, and that it says nothing it should not. */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { type TestContext, test } from "node:test";
import { bindDomain } from "../../src/binding.ts";
import { newApiKey } from "../../src/http/api-key.ts";
import { openVault } from "../../src/secrets.ts";
import { openSqliteSpool } from "../../src/spool/sqlite/sqlite-spool.ts";
import { letter, RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";
import { fieldsOf, type ProblemBody, problemOf } from "./problem.ts";
import { connectRaw, exchange, requestBytes } from "./raw-http.ts";

const BYTES_MAX = 65_536;
const SEND = "/api/sending/send";
const json = JSON.stringify(letter());
const MB = 1024 * 1024;

test("errors", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RECIPIENTS_MAX: "3", MESSAGE_BYTES_MAX: String(BYTES_MAX) });
  await t.test("400 invalid_json", (t) => invalidJson(t, world));
  await t.test("400 invalid_request", (t) => invalidRequest(t, world));
  await t.test("400 for text that would break out of its header field", (t) => headerInjection(t, world));
  await t.test("400 too_many_recipients", () => tooManyRecipients(world));
  await t.test("400 invalid_idempotency_key", (t) => invalidIdempotencyKey(t, world));
  await t.test("400 for what is no HTTP", (t) => noHttp(t, world));
  await t.test("401 invalid_api_key", (t) => invalidApiKey(t, world));
  await t.test("403", (t) => senderRefused(t, world));
  await t.test("404 not_found", (t) => notFound(t, world));
  await t.test("405 method_not_allowed", (t) => methodNotAllowed(t, world));
  await t.test("409 idempotency_key_reused", () => keyReused(world));
  await t.test("413 body_too_large", (t) => tooLarge(t, world));
  await t.test("415 unsupported_media_type", (t) => unsupportedType(t, world));
  await t.test("none of these was sent", async () => {
    assert.deepEqual(
      world.sink.entries.map(({ subject }) => subject),
      [],
    );
  });
});

async function invalidJson(t: TestContext, world: World): Promise<void> {
  const bodies: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    "white space alone": Buffer.from(" \r\n\t "),
    truncated: Buffer.from(json.slice(0, -1)),
    "a trailing comma": Buffer.from('{"from":"a@b.example",}'),
    "two documents": Buffer.from(`${json}${json}`),
    "a form": Buffer.from("from=a%40b.example"),
    "bad UTF-8": Buffer.concat([Buffer.from('{"subject":"'), Buffer.of(0xff, 0xc3, 0x28), Buffer.from('"}')]),
    "UTF-16": Buffer.from(json, "utf16le"),
  };
  for (const [name, body] of Object.entries(bodies)) {
    await t.test(name, async () => {
      const headers = { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" };
      const answer = await fetch(world.service.url + SEND, { method: "POST", headers, body: new Uint8Array(body) });
      await problemOf(answer, 400, "invalid_json");
    });
  }
}

async function refusedFields(world: World, body: unknown): Promise<string[]> {
  const problem = await problemOf(await world.post(body), 400, "invalid_request");
  return fieldsOf(problem);
}

async function invalidRequest(t: TestContext, world: World): Promise<void> {
  await t.test("a document that is no object", async () => {
    for (const body of ["[]", "null", '"text"', "7", "true"]) {
      assert.equal((await refusedFields(world, body)).length, 1, body);
    }
  });

  await t.test("each missing field by its name", async () => {
    for (const field of ["from", "to", "subject"]) {
      assert.deepEqual(await refusedFields(world, letter({ [field]: undefined })), [field]);
    }
    assert.equal((await refusedFields(world, letter({ text: undefined }))).length, 1);
    for (const field of ["from", "to", "subject"]) assert.ok((await refusedFields(world, {})).includes(field));
  });

  await t.test("each wrong type by its field", async () => {
    for (const field of ["from", "to", "subject", "text", "html"]) {
      for (const value of [7, null, true, { a: 1 }]) {
        assert.deepEqual(await refusedFields(world, letter({ [field]: value })), [field], `${field} = ${value}`);
      }
    }
    assert.deepEqual(await refusedFields(world, letter({ to: [`a@${RECIPIENT_DOMAIN}`, 7] })), ["to[1]"]);
    assert.deepEqual(await refusedFields(world, letter({ to: [] })), ["to"]);
  });

  await t.test("unknown fields by name, whatever they are called", async () => {
    const body = `{"sujbect":"x","__proto__":{},"constructor":1,${json.slice(1)}`;
    assert.deepEqual(await refusedFields(world, body), ["__proto__", "constructor", "sujbect"]);
  });

  await t.test("several faults in one answer", async () => {
    const to = [`a@${RECIPIENT_DOMAIN}`, "nobody", "b@", `c@${RECIPIENT_DOMAIN}`];
    const body = { from: "no address", to, subject: 7, colour: "red" };
    const fields = await refusedFields(world, body);
    for (const field of ["from", "to[1]", "to[2]", "subject", "colour"]) assert.ok(fields.includes(field), field);
    assert.ok(fields.length >= 6, `a missing body is a fault too: ${fields}`);
  });

  await t.test("too many recipients beside another fault", async () => {
    const fields = await refusedFields(world, letter({ to: recipients(4), subject: 7 }));
    assert.deepEqual(fields, ["subject", "to"]);
  });

  await t.test("addresses that are none, or several", async () => {
    const wrong = ["", " ", "a", "@b.example", "a@", "a@b", "a b@c.example", "a@b.example, c@d.example"];
    for (const to of [...wrong, "<a@b.example", "a@[127.0.0.1]", "a@-b.example", "a..b@c.example", "a@b..example"]) {
      assert.deepEqual(await refusedFields(world, letter({ to })), ["to"], to);
      assert.deepEqual(await refusedFields(world, letter({ to: [`x@${RECIPIENT_DOMAIN}`, to] })), ["to[1]"], to);
      assert.deepEqual(await refusedFields(world, letter({ from: to })), ["from"], to);
    }
  });

  await t.test("without repeating what the body says", async () => {
    const secret = "correct-horse-battery";
    const bodies = [letter({ text: 7, html: secret }), letter({ from: `${secret} x@y`, text: secret }), `{"${secret}`];
    for (const body of bodies) assert.ok(!(await (await world.post(body)).text()).includes(secret));
  });
}

async function headerInjection(t: TestContext, world: World): Promise<void> {
  const intruders = { CR: "\r", LF: "\n", CRLF: "\r\n", NUL: "\0" };
  for (const [name, intruder] of Object.entries(intruders)) {
    await t.test(name, async () => {
      const text = `x${intruder}Bcc: victim@elsewhere.example`;
      const address = `a${intruder}b@${RECIPIENT_DOMAIN}`;
      assert.deepEqual(await refusedFields(world, letter({ subject: text })), ["subject"]);
      for (const bad of [`${text} <a@${SENDER_DOMAIN}>`, `"${text}" <a@${SENDER_DOMAIN}>`, address]) {
        assert.deepEqual(await refusedFields(world, letter({ from: bad })), ["from"]);
        assert.deepEqual(await refusedFields(world, letter({ to: bad })), ["to"]);
        assert.deepEqual(await refusedFields(world, letter({ to: [bad] })), ["to[0]"]);
      }
      for (const bad of [`a@${SENDER_DOMAIN}${intruder}`, `<a@${SENDER_DOMAIN}${intruder}>`]) {
        assert.deepEqual(await refusedFields(world, letter({ from: bad })), ["from"]);
      }
    });
  }
}

/** Large enough that a few of them fill every buffer on the way. */
const PIECE = Buffer.alloc(256 * 1024, "x");

const recipients = (count: number): string[] => Array.from({ length: count }, (_, i) => `user${i}@${RECIPIENT_DOMAIN}`);

async function tooManyRecipients(world: World): Promise<void> {
  const body = await problemOf(await world.post(letter({ to: recipients(4) })), 400, "too_many_recipients");
  assert.deepEqual(fieldsOf(body), ["to"]);
  const many = await world.post(letter({ to: recipients(3000) }));
  await problemOf(many, 413, "body_too_large");
}

async function invalidIdempotencyKey(t: TestContext, world: World): Promise<void> {
  const values: Record<string, string> = {
    empty: "",
    "white space": "   ",
    "257 characters": "k".repeat(257),
    "257 quoted characters": `"${"k".repeat(257)}"`,
    "empty quotes": '""',
    "an unclosed quote": '"abc',
    "a quote at the end": 'abc"',
    "a quote within": 'a"c',
    "text after the quotes": '"abc" d',
    "an unknown escape": '"a\\bc"',
    "an escaped last quote": '"abc\\"',
    "a tab": "a\tb",
    "a control character": "a\x01b",
    DEL: "a\x7fb",
    "Latin-1": "caf\xe9",
    "UTF-8": Buffer.from("café").toString("latin1"),
    "Latin-1 within quotes": '"caf\xe9"',
  };
  const headers = [`Authorization: Bearer ${world.key}`, "Content-Type: application/json"];
  const send = async (...lines: string[]): Promise<ProblemBody> => {
    const answer = await exchange(world.service.url, requestBytes({ headers: [...headers, ...lines], body: json }));
    return problemOf(answer, 400, "invalid_idempotency_key");
  };
  for (const [name, value] of Object.entries(values)) {
    await t.test(name, async () => {
      const problem = await send(`Idempotency-Key: ${value}`);
      assert.ok(!problem.detail.includes("abc"), problem.detail);
    });
  }
  await t.test("two of them", async () => {
    await send("Idempotency-Key: one", "Idempotency-Key: two");
  });
}

async function noHttp(t: TestContext, world: World): Promise<void> {
  const authorization = `Authorization: Bearer ${world.key}`;
  const requests = {
    "a request line that is none": Buffer.from("HELO mail.example\r\n\r\n"),
    "a field name that is none": requestBytes({ headers: [authorization, "Content Type: x"], body: json }),
    "a control character in a field": requestBytes({ headers: [authorization, "X-Note: a\x02b"], body: json }),
    "two lengths": requestBytes({ headers: [authorization, "Content-Length: 1"], body: json }),
  };
  for (const [name, bytes] of Object.entries(requests)) {
    await t.test(name, async () => {
      await problemOf(await exchange(world.service.url, bytes), 400, "invalid_request");
    });
  }

  await t.test("followed by a large body", async () => {
    const client = await connectRaw(world.service.url);
    await client.write(requestBytes({ headers: [authorization, "Content Type: x", `Content-Length: ${4 * MB}`] }));
    assert.equal((await world.lookUp("msg_x")).status, 404);
    for (let i = 0; i < 4 * MB; i += PIECE.length) await client.write(PIECE);
    await problemOf(await client.answer(), 400, "invalid_request");
    client.end();
  });

  await t.test("431 for more header than a server should hold", async () => {
    const bytes = requestBytes({ headers: [authorization, `X-Note: ${"x".repeat(100_000)}`] });
    await problemOf(await exchange(world.service.url, bytes), 431, "headers_too_large");
  });
}

async function invalidApiKey(t: TestContext, world: World): Promise<void> {
  const url = world.service.url;
  const check = async (authorization: string | null): Promise<void> => {
    const headers = { "Content-Type": "application/json", ...(authorization === null ? {} : { authorization }) };
    const answers = [
      await fetch(url + SEND, { method: "POST", headers, body: json }),
      await fetch(url + SEND, { method: "POST", headers, body: "{" }),
      await fetch(`${url}/api/sending/messages/msg_x`, { headers }),
    ];
    for (const answer of answers) {
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer\b/);
      assert.equal(answer.headers.get("ratelimit"), null);
      assert.equal(answer.headers.get("ratelimit-policy"), null);
      await problemOf(answer, 401, "invalid_api_key");
    }
  };
  const { key } = newApiKey();
  const basic = `Basic ${Buffer.from(`${world.key}:`).toString("base64")}`;
  const wrong: Record<string, string | null> = {
    missing: null,
    empty: "",
    "the scheme alone": "Bearer",
    "the key alone": world.key,
    "another scheme": basic,
    "two keys": `Bearer ${world.key} ${world.key}`,
    "another prefix": `Bearer ${world.key.replace("live", "test")}`,
    "a key cut short": `Bearer ${world.key.slice(0, -1)}`,
    "a key with more": `Bearer ${world.key}x`,
    "a key in other case": `Bearer ${world.key.toLowerCase()}`,
    unknown: `Bearer ${key}`,
  };
  for (const [name, authorization] of Object.entries(wrong)) await t.test(name, () => check(authorization));

  await t.test("revoked", async () => {
    const { key, id } = await world.newKey();
    assert.equal((await world.lookUp("msg_x", "", key)).status, 404);
    await world.service.registry.revokeKey(await defaultAccount(world), id, Date.now());
    await check(`Bearer ${key}`);
  });

  await t.test("revoked by another process, from the next request on", async (t) => {
    const { key, id } = await world.newKey();
    assert.equal((await world.lookUp("msg_x", "", key)).status, 404);
    const dataDir = world.env.DATA_DIR ?? "";
    const beside = await openSqliteSpool({ dataDir, role: "client", onFatal: (error) => assert.fail(error) });
    t.after(() => beside.close());
    assert.equal(await beside.revokeKey(await defaultAccount(world), id, Date.now()), "revoked");
    await check(`Bearer ${key}`);
  });
}

async function defaultAccount({ service }: World): Promise<string> {
  return (await service.registry.accountNamed("default"))?.id ?? assert.fail("no default account");
}

async function senderRefused(t: TestContext, world: World): Promise<void> {
  const accountId = await defaultAccount(world);
  const vault = openVault(world.env.CERTS_DIR ?? "");
  await bindDomain(world.service.registry, vault, { accountId, name: "waiting.example", nowMs: Date.now() });

  await t.test("domain_not_verified: the domain is bound but not verified", async () => {
    for (const from of ["a@waiting.example", "a@below.waiting.example"]) {
      await problemOf(await world.post(letter({ from })), 403, "domain_not_verified");
    }
  });

  await t.test("sender_not_allowed: no bound domain covers the address", async () => {
    const others = ["elsewhere.example", `not${SENDER_DOMAIN}`, `${SENDER_DOMAIN}.elsewhere.example`, "example.com"];
    for (const domain of others) {
      const from = `${SENDER_DOMAIN} <hello@${domain}>`;
      await problemOf(await world.post(letter({ from })), 403, "sender_not_allowed");
    }
  });

  await t.test("sender_not_allowed: another account's domain", async () => {
    const { key } = await strangersKey(world);
    const answer = await world.post(letter(), { Authorization: `Bearer ${key}` });
    await problemOf(answer, 403, "sender_not_allowed");
  });
}

async function strangersKey({ service: { registry } }: World): Promise<{ key: string }> {
  const account = await registry.createAccount(`stranger-${Math.random()}`, Date.now());
  assert.ok(account !== "exists");
  const { key, hash, lastFour } = newApiKey();
  await registry.createKey({ accountId: account.id, name: "strange", hash, lastFour, createdAtMs: Date.now() });
  return { key };
}

async function notFound(t: TestContext, world: World): Promise<void> {
  await t.test("unknown, malformed and foreign ids get the same answer", async () => {
    const own = (await (await world.post(letter({ to: `4xx-451@${RECIPIENT_DOMAIN}` }))).json()) as { id: string };
    assert.equal((await world.lookUp(own.id)).status, 200);
    const { key: sibling } = await world.newKey();
    const { key: stranger } = await strangersKey(world);
    const answers = [
      await world.lookUp(own.id, "", sibling),
      await world.lookUp(own.id, "", stranger),
      await world.lookUp(own.id, "?wait=5", sibling),
      ...(await Promise.all(
        [
          `${own.id}x`,
          own.id.slice(0, -1),
          own.id.toUpperCase(),
          `msg_${"A".repeat(24)}`,
          "1",
          "%00",
          "%ff",
          "%",
          "a%2Fb",
        ]
          .concat(["'%20OR%201=1--", "x".repeat(2000), "%F0%9F%93%AE"])
          .map((id) => world.lookUp(id)),
      )),
    ];
    const bodies = await Promise.all(answers.map((answer) => problemOf(answer, 404, "not_found")));
    const [first, ...rest] = bodies.map(({ request_id: _, ...body }) => body);
    for (const body of rest) assert.deepEqual(body, first);
  });

  await t.test("no such path", async () => {
    const paths = ["/", "/api", "/api/sending", "/api/sending/messages", "/api/sending/sends", "/v1/api/sending/send"];
    for (const path of [...paths, "/api/sending/messages/a/b", "/api/sending/%"]) {
      for (const method of ["GET", "POST"]) {
        await problemOf(await fetch(world.service.url + path, { method }), 404, "not_found");
      }
    }
  });
}

async function methodNotAllowed(t: TestContext, world: World): Promise<void> {
  const cases = [
    { path: SEND, allow: "POST", methods: ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] },
    { path: "/api/sending/messages/msg_x", allow: "GET", methods: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] },
    { path: "/healthz", allow: "GET", methods: ["POST", "DELETE"] },
  ];
  for (const { path, allow, methods } of cases) {
    await t.test(path, async () => {
      for (const method of methods) {
        const answer = await fetch(world.service.url + path, { method });
        const allowed = (answer.headers.get("allow") ?? "").split(", ");
        assert.ok(allowed.includes(allow), `Allow: ${allowed}`);
        assert.ok(!allowed.includes(method));
        await problemOf(answer, 405, "method_not_allowed");
      }
    });
  }
}

async function keyReused(world: World): Promise<void> {
  const to = `4xx-451@${RECIPIENT_DOMAIN}`;
  const headers = { "Idempotency-Key": "used-for-one-payload" };
  assert.equal((await world.post(letter({ to }), headers)).status, 202);
  const answer = await world.post(letter({ to, subject: "Another" }), headers);
  assert.equal(answer.headers.get("idempotency-replayed"), null);
  const body = await problemOf(answer, 409, "idempotency_key_reused");
  assert.ok(!body.detail.includes("used-for-one-payload"));
}

async function tooLarge(t: TestContext, world: World): Promise<void> {
  const refused = (answer: Response): Promise<ProblemBody> => problemOf(answer, 413, "body_too_large");
  const jsonOf = (bytes: number): string => {
    const empty = JSON.stringify(letter({ text: "" })).length;
    return JSON.stringify(letter({ text: "x".repeat(bytes - empty) }));
  };

  await t.test("one byte too many", async () => {
    await refused(await world.post(jsonOf(BYTES_MAX + 1)));
    // At the limit the request itself is fine; built into a message with its header it is not.
    await refused(await world.post(jsonOf(BYTES_MAX)));
  });

  await t.test("a message that grows over the limit when it is built", async () => {
    await refused(await world.post(letter({ text: "é".repeat(BYTES_MAX / 2 - 1000) })));
  });

  await t.test("fetch, 30 MB", async () => {
    await refused(await world.post("x".repeat(30 * MB)));
  });

  await t.test("node:http, chunked, still sending when the answer comes", async () => {
    await refused(await answerWhileSending(world));
  });

  for (const connection of ["keep-alive", "close"]) {
    await t.test(`a client that sends all 30 MB before it reads, Connection: ${connection}`, async () => {
      await refused(await sendThenRead(world, { connection, framing: "length" }));
      await refused(await sendThenRead(world, { connection, framing: "chunked" }));
    });
  }

  await t.test("a client that waits for the answer before it sends", async () => {
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

  await t.test("other refusals of a large body arrive as well", async () => {
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

/** Sends 30 MB to the last byte, and only then reads. */
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

/** Sends chunks for as long as no answer has come. */
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

async function unsupportedType(t: TestContext, world: World): Promise<void> {
  const refused = async (headers: Record<string, string>): Promise<void> => {
    await problemOf(await world.post(letter(), headers), 415, "unsupported_media_type");
  };
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json-like",
  ]) {
    await t.test(type, () => refused({ "Content-Type": type }));
  }
  await t.test("no type", async () => {
    const headers = [`Authorization: Bearer ${world.key}`];
    const answer = await exchange(world.service.url, requestBytes({ headers, body: json }));
    await problemOf(answer, 415, "unsupported_media_type");
  });
  await t.test("another charset", () => refused({ "Content-Type": "application/json; charset=iso-8859-1" }));
  await t.test("a compressed body", () => refused({ "Content-Encoding": "gzip" }));
}

test("503 engine_unavailable when the store is closed", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  await world.service.spool.close();
  await problemOf(await world.post(letter()), 503, "engine_unavailable");
  await problemOf(await world.lookUp("msg_x"), 503, "engine_unavailable");
});

test("503 engine_unavailable while the service stops, for requests under way", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  const client = await connectRaw(world.service.url);
  const headers = [`Authorization: Bearer ${world.key}`, "Content-Type: application/json"];
  const bytes = requestBytes({ headers, body: json });
  await client.write(bytes.subarray(0, -10));
  // An answer on another connection shows that the first request has been read as far as it came.
  assert.equal((await world.lookUp("msg_x")).status, 404);
  const stopped = world.service.stop();
  await client.write(bytes.subarray(-10));
  await problemOf(await client.answer(), 503, "engine_unavailable");
  client.end();
  await stopped;
  assert.equal(world.sink.entries.length, 0);
});
