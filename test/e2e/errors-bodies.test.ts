/** Rejected request bodies: invalid JSON, invalid fields, and text that would break out of a header field. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sendRequestSchema } from "../../src/message/send-request/send-request-schema.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";
import { assertNothingSent, json, SEND, startRefusingWorld } from "./refusals.ts";

test("errors: request bodies", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("400 invalid_json", (t) => invalidJson(t, world));
  await t.test("400 invalid_request", (t) => invalidRequest(t, world));
  await t.test("400 with the field's name for a CR, LF or NUL that would break out of a header field", (t) =>
    headerInjection(t, world),
  );
  await t.test("400 for a NUL in a body", () => nulInBody(world));
  await t.test("400 for an address literal or a bare IP address instead of a domain", () => addressLiterals(world));
  await t.test("400 too_many_recipients", () => tooManyRecipients(world));
  await t.test("no message was sent", () => assertNothingSent(world));
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
  await t.test("a document that is not an object", async () => {
    for (const body of ["[]", "null", '"text"', "7", "true"]) {
      assert.equal((await refusedFields(world, body)).length, 1, body);
    }
  });

  await t.test("names each missing field", async () => {
    for (const field of ["from", "to", "subject"]) {
      assert.deepEqual(await refusedFields(world, sendBody({ [field]: undefined })), [field]);
    }
    assert.equal((await refusedFields(world, sendBody({ text: undefined }))).length, 1);
    for (const field of ["from", "to", "subject"]) assert.ok((await refusedFields(world, {})).includes(field));
  });

  await t.test("names each field with a wrong type", async () => {
    for (const field of ["from", "to", "subject", "text", "html"]) {
      for (const value of [7, true, { a: 1 }]) {
        assert.deepEqual(await refusedFields(world, sendBody({ [field]: value })), [field], `${field} = ${value}`);
      }
    }
    assert.deepEqual(await refusedFields(world, sendBody({ to: [`a@${RECIPIENT_DOMAIN}`, 7] })), ["to[1]"]);
    assert.deepEqual(await refusedFields(world, sendBody({ to: [] })), ["to"]);
  });

  await t.test("names unknown fields, whatever they are called", async () => {
    const body = `{"sujbect":"x","__proto__":{},"constructor":1,${json.slice(1)}`;
    assert.deepEqual(await refusedFields(world, body), ["__proto__", "constructor", "sujbect"]);
  });

  await t.test("a subject of more than 998 characters", async () => {
    for (const character of ["x", "😀", "\n"]) {
      const answer = await world.post(sendBody({ subject: character.repeat(999) }));
      const { errors } = await problemOf(answer, 400, "invalid_request");
      assert.deepEqual(errors, [{ field: "subject", detail: "This is longer than 998 characters." }]);
    }
  });

  await t.test("reports several faults in one response", async () => {
    const to = [`a@${RECIPIENT_DOMAIN}`, "nobody", "b@", `c@${RECIPIENT_DOMAIN}`];
    const body = { from: "no address", to, subject: 7, colour: "red" };
    const fields = await refusedFields(world, body);
    for (const field of ["from", "to[1]", "to[2]", "subject", "colour"]) assert.ok(fields.includes(field), field);
    assert.ok(fields.length >= 6, `a missing body is reported too: ${fields}`);
  });

  await t.test("reports too many recipients together with another fault", async () => {
    const fields = await refusedFields(world, sendBody({ to: recipients(4), subject: 7 }));
    assert.deepEqual(fields, ["subject", "to"]);
  });

  await t.test("rejects invalid addresses and lists in one string", async () => {
    const wrong = ["", " ", "a", "@b.example", "a@", "a@b", "a b@c.example", "a@b.example, c@d.example"];
    for (const to of [...wrong, "<a@b.example", "a@[127.0.0.1]", "a@-b.example", ".a@c.example", "a@b..example"]) {
      assert.deepEqual(await refusedFields(world, sendBody({ to })), ["to"], to);
      assert.deepEqual(await refusedFields(world, sendBody({ to: [`x@${RECIPIENT_DOMAIN}`, to] })), ["to[1]"], to);
      assert.deepEqual(await refusedFields(world, sendBody({ from: to })), ["from"], to);
    }
  });

  await t.test("does not repeat the body", async () => {
    const secret = "correct-horse-battery";
    const bodies = [
      sendBody({ text: 7, html: secret }),
      sendBody({ from: `${secret} x@y`, text: secret }),
      `{"${secret}`,
    ];
    for (const body of bodies) assert.ok(!(await (await world.post(body)).text()).includes(secret));
  });
}

/** The fields whose text becomes part of the header, including fields unknown to this test. */
const fieldsOfOneLine = Object.entries(sendRequestSchema.properties)
  .filter(([name, { type }]) => name !== "text" && name !== "html" && `${type}`.includes("string"))
  .map(([name]) => name);

async function nulInBody(world: World): Promise<void> {
  for (const field of ["text", "html"]) {
    assert.deepEqual(await refusedFields(world, sendBody({ [field]: "before\0after" })), [field]);
  }
}

async function addressLiterals(world: World): Promise<void> {
  const literals = ["ann@[127.0.0.1]", "ann@[192.0.2.1]", "ann@[IPv6:2001:db8::1]", "ann@[IPv6:::1]"];
  for (const to of [...literals, "ann@127.0.0.1", "ann@10.1", "ann@0x7f.1", "Ann <ann@[192.0.2.1]>"]) {
    assert.deepEqual(await refusedFields(world, sendBody({ to })), ["to"], to);
    assert.deepEqual(await refusedFields(world, sendBody({ from: to })), ["from"], to);
  }
}

async function headerInjection(t: TestContext, world: World): Promise<void> {
  const forbidden = { CR: "\r", LF: "\n", CRLF: "\r\n", NUL: "\0" };
  for (const [name, character] of Object.entries(forbidden)) {
    await t.test(name, async () => {
      const text = `x${character}Bcc: victim@elsewhere.example`;
      const address = `a${character}b@${RECIPIENT_DOMAIN}`;
      assert.deepEqual(await refusedFields(world, sendBody({ subject: text })), ["subject"]);
      for (const bad of [`${text} <a@${SENDER_DOMAIN}>`, `"${text}" <a@${SENDER_DOMAIN}>`, address]) {
        assert.deepEqual(await refusedFields(world, sendBody({ from: bad })), ["from"]);
        assert.deepEqual(await refusedFields(world, sendBody({ to: bad })), ["to"]);
        assert.deepEqual(await refusedFields(world, sendBody({ to: [bad] })), ["to[0]"]);
      }
      for (const field of fieldsOfOneLine) {
        assert.deepEqual(await refusedFields(world, sendBody({ [field]: text })), [field]);
      }
      for (const bad of [`a@${SENDER_DOMAIN}${character}`, `<a@${SENDER_DOMAIN}${character}>`]) {
        assert.deepEqual(await refusedFields(world, sendBody({ from: bad })), ["from"]);
      }
    });
  }
}

const recipients = (count: number): string[] => Array.from({ length: count }, (_, i) => `user${i}@${RECIPIENT_DOMAIN}`);

async function tooManyRecipients(world: World): Promise<void> {
  const body = await problemOf(await world.post(sendBody({ to: recipients(4) })), 400, "too_many_recipients");
  assert.deepEqual(fieldsOf(body), ["to"]);
  const many = await world.post(sendBody({ to: recipients(3000) }));
  await problemOf(many, 413, "body_too_large");
}
