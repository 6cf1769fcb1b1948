/** Refusals of what a request says: no JSON, faults of its fields, and what would break out of a header field. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sendRequestSchema } from "../../src/message/send-request-schema.ts";
import { letter, RECIPIENT_DOMAIN, SENDER_DOMAIN, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";
import { assertNothingSent, json, SEND, startRefusingWorld } from "./refusals.ts";

test("errors: request bodies", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("400 invalid_json", (t) => invalidJson(t, world));
  await t.test("400 invalid_request", (t) => invalidRequest(t, world));
  await t.test("400 that names the field, for a CR, LF or NUL that would break out of a header field", (t) =>
    headerInjection(t, world),
  );
  await t.test("400 for a NUL in a body", () => nulInBody(world));
  await t.test("400 for an address literal or a bare IP address instead of a domain", () => addressLiterals(world));
  await t.test("400 too_many_recipients", () => tooManyRecipients(world));
  await t.test("none of these was sent", () => assertNothingSent(world));
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

  await t.test("a subject of more than 998 characters", async () => {
    for (const character of ["x", "😀", "\n"]) {
      const answer = await world.post(letter({ subject: character.repeat(999) }));
      const { errors } = await problemOf(answer, 400, "invalid_request");
      assert.deepEqual(errors, [{ field: "subject", detail: "This is longer than 998 characters." }]);
    }
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

/** The fields whose text goes into the header, those included that this test knows nothing of. */
const fieldsOfOneLine = Object.entries(sendRequestSchema.properties)
  .filter(([name, { type }]) => name !== "text" && name !== "html" && type.includes("string"))
  .map(([name]) => name);

async function nulInBody(world: World): Promise<void> {
  for (const field of ["text", "html"]) {
    assert.deepEqual(await refusedFields(world, letter({ [field]: "before\0after" })), [field]);
  }
}

async function addressLiterals(world: World): Promise<void> {
  const literals = ["ann@[127.0.0.1]", "ann@[192.0.2.1]", "ann@[IPv6:2001:db8::1]", "ann@[IPv6:::1]"];
  for (const to of [...literals, "ann@127.0.0.1", "ann@10.1", "ann@0x7f.1", "Ann <ann@[192.0.2.1]>"]) {
    assert.deepEqual(await refusedFields(world, letter({ to })), ["to"], to);
    assert.deepEqual(await refusedFields(world, letter({ from: to })), ["from"], to);
  }
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
      for (const field of fieldsOfOneLine) {
        assert.deepEqual(await refusedFields(world, letter({ [field]: text })), [field]);
      }
      for (const bad of [`a@${SENDER_DOMAIN}${intruder}`, `<a@${SENDER_DOMAIN}${intruder}>`]) {
        assert.deepEqual(await refusedFields(world, letter({ from: bad })), ["from"]);
      }
    });
  }
}

const recipients = (count: number): string[] => Array.from({ length: count }, (_, i) => `user${i}@${RECIPIENT_DOMAIN}`);

async function tooManyRecipients(world: World): Promise<void> {
  const body = await problemOf(await world.post(letter({ to: recipients(4) })), 400, "too_many_recipients");
  assert.deepEqual(fieldsOf(body), ["to"]);
  const many = await world.post(letter({ to: recipients(3000) }));
  await problemOf(many, 413, "body_too_large");
}
