/**
 * Fuzzes HTTP for the whole service: raw bytes, bodies, headers, cookies and forms of unauthenticated clients. Every
 * input gets a response or a closed connection, never a 500 or another account's data, and other clients are served
 * as before.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { sendBody, startWorld, type World } from "../support/world.ts";
import { FIELDS, hostileText, runs } from "./hostile.ts";

const LINGER_MS = 40;

/** Sends bytes on a new connection and closes it. Returns the bytes received meanwhile. */
async function throwAt(world: World, bytes: Buffer): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: world.service.port });
  let received = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  await once(socket, "connect");
  socket.write(bytes);
  await new Promise((resolve) => {
    socket.once("close", resolve);
    socket.once("data", () => setTimeout(resolve, 1));
    setTimeout(resolve, LINGER_MS);
  });
  socket.destroy();
  return received;
}

async function checkOthersServed(world: World): Promise<void> {
  assert.equal((await fetch(`${world.service.url}/healthz`)).status, 200);
}

/** Whether `fetch` accepts the text as a header's value. */
const headerValue = hostileText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "").trim());

/** Without unpaired surrogates. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const noServerFault = (status: number): boolean => status < 500 || status === 503;

test("HTTP", async (t) => {
  const world = await startWorld(t);
  const sent = await world.post(sendBody({ subject: "secret of the first key" }));
  const { id } = (await sent.json()) as { id: string };

  await t.test("raw bytes: an HTTP response without a 5xx, or none", async () => {
    const line = fc.oneof(
      hostileText,
      fc.constantFrom(
        "Host: x",
        "Content-Length: 5",
        "Content-Length: -1",
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Upgrade: h2c",
        "Connection: close",
      ),
    );
    const start = fc.oneof(
      hostileText,
      fc.constantFrom(
        "POST /api/sending/send HTTP/1.1",
        "GET /healthz HTTP/1.1",
        "GET //evil/../x?%00 HTTP/1.1",
        "PRI * HTTP/2.0",
      ),
    );
    const bytes = fc
      .tuple(start, fc.array(line, { maxLength: 6 }), hostileText)
      .map(([first, lines, body]) => Buffer.from([first, ...lines, "", body].join("\r\n"), "utf8"));
    await fc.assert(
      fc.asyncProperty(bytes, async (given) => {
        const answer = await throwAt(world, given);
        if (answer === "") return;
        const [, status = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
        assert.ok(status !== "" && noServerFault(Number(status)), answer);
      }),
      runs(150),
    );
    await checkOthersServed(world);
  });

  await t.test("bodies and keys: 202 or a problem document other than 500", async () => {
    const body = fc.oneof(
      fc.json(),
      hostileText,
      fc
        .record({
          subject: hostileText,
          text: hostileText,
          to: fc.oneof(hostileText, fc.constant("delivered@customers.example")),
        })
        .map((parts) => JSON.stringify(sendBody(parts))),
    );
    await fc.assert(
      fc.asyncProperty(body, fc.option(headerValue), async (text, key) => {
        const response = await world.post(text, key === null ? {} : { "Idempotency-Key": key });
        const answer = (await response.json()) as { code?: string; request_id?: string; id?: string };
        assert.ok(noServerFault(response.status), `${response.status} ${JSON.stringify(answer)}`);
        if (response.status === 202) assert.match(answer.id ?? "", /^msg_/);
        else assert.ok(answer.code !== undefined && answer.request_id !== undefined);
      }),
      runs(300),
    );
    await checkOthersServed(world);
  });

  await t.test("invalid keys are distinguished from missing ones", async () => {
    await fc.assert(
      fc.asyncProperty(headerValue, async (value) => {
        const response = await fetch(`${world.service.url}/api/sending/messages/${id}`, {
          headers: { Authorization: value },
        });
        assert.equal(response.status, 401);
        const text = await response.text();
        assert.ok(value.length < 12 || !text.includes(value), "the response contains the key");
      }),
      runs(150),
    );
  });

  await t.test("ids: another key's message and any text get the same response", async () => {
    const other = await world.newKey();
    const seen = async (path: string): Promise<string> => {
      const response = await world.lookUp(path, "", other.key);
      const { request_id: _, ...answer } = (await response.json()) as Record<string, unknown>;
      return `${response.status} ${JSON.stringify(answer)}`;
    };
    const wanted = await seen(id);
    assert.match(wanted, /^404 /);
    const near = fc
      .tuple(fc.nat(id.length - 1), fc.constantFrom("A", "-", "0"))
      .map(([at, c]) => id.slice(0, at) + c + id.slice(at + 1));
    const any = fc.oneof(
      near,
      hostileText.map((text) => encodeURIComponent(wellFormed(text).replaceAll(/[./\\]/g, "")) || "x"),
    );
    await fc.assert(
      fc.asyncProperty(any, async (path) => {
        assert.equal(await seen(path), wanted, path);
      }),
      runs(150),
    );
  });

  await t.test(
    "the dashboard: an unauthenticated client's cookies, forms and paths reveal and break nothing",
    async () => {
      const path = fc.constantFrom(
        "",
        "/sign-in",
        "/setup",
        "/keys",
        `/messages/${id}`,
        "/messages",
        "/domains",
        "/queue",
        "/you",
        "/overview",
      );
      const cookie = headerValue.map((value) => value.replaceAll(/[^\x20-\x7e]/g, ""));
      const form = fc.dictionary(
        fc.oneof(fc.constantFrom("email", "password", "form_token", "token", "code", "name"), hostileText),
        hostileText,
        { maxKeys: 5 },
      );
      await fc.assert(
        fc.asyncProperty(path, cookie, fc.option(form), async (at, value, fields) => {
          const fieldsGiven = Object.entries(fields ?? {}).map(([name, text]) => [wellFormed(name), wellFormed(text)]);
          const response = await fetch(`${world.service.url}/dashboard${at}`, {
            redirect: "manual",
            headers: { Cookie: `session=${value}; __Host-session=${value}; ${value}`, Accept: "text/html" },
            ...(fields === null ? {} : { method: "POST", body: new URLSearchParams(fieldsGiven) }),
          });
          const text = await response.text();
          assert.ok(noServerFault(response.status), `${response.status} at ${at}`);
          assert.ok(!text.includes("secret of the first key"), `the message is visible at ${at}`);
        }),
        runs(150),
      );
      await checkOthersServed(world);
    },
  );

  await t.test("accepted messages were sent with only our header fields", async () => {
    const dir = join(dirname(world.env.DATA_DIR ?? ""), "sink");
    const messages = readdirSync(dir).filter((file) => file.endsWith(".eml"));
    assert.ok(messages.length > 0);
    for (const file of messages) {
      const [head = ""] = readFileSync(join(dir, file), "latin1").split("\r\n\r\n");
      const names = head
        .replaceAll(/\r\n[ \t]/g, " ")
        .split("\r\n")
        .map((line) => line.split(":")[0]?.toLowerCase() ?? "");
      for (const name of names) assert.ok(FIELDS.has(name), `the field ${JSON.stringify(name)} in ${head}`);
    }
  });
});
