/** The server as an agent sees it: the SDK's client, `postrider mcp` as a child process, and a running service. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { connectAgent, keyWith } from "../support/mcp-agent.ts";
import { programArgs } from "../support/program.ts";
import { runCli, spawnCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const READING = [
  "doctor",
  "explain_message",
  "get_domain",
  "get_queue",
  "get_receiver",
  "get_usage",
  "list_domains",
  "list_receivers",
  "look_up_message",
  "message_history",
  "preflight",
  "search_messages",
  "test_suppression",
];
const WRITING = [
  "add_suppressions",
  "cancel_message",
  "remove_suppression",
  "retry_message",
  "send_message",
  "verify_domain",
];

/** Accepts a message and waits for its results. */
async function sendAndWait(world: World, body: Record<string, unknown> = {}): Promise<string> {
  const { id } = (await (await world.post(sendBody(body))).json()) as { id: string };
  await world.lookUp(id, "?wait=20");
  return id;
}

describe("reading", () => {
  it("offers tools that read, each with the permission that it needs, and finds messages", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world);
    const { tools } = await agent.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), READING);
    for (const { name, description = "", inputSchema, annotations } of tools) {
      assert.match(description, /\. The key needs the permission `(read|manage|operate)`\.$/, name);
      assert.equal(inputSchema.type, "object");
      assert.equal(inputSchema.additionalProperties, false);
      assert.equal(annotations?.readOnlyHint, true);
    }

    const id = await sendAndWait(world, { to: [`delivered@${RECIPIENT_DOMAIN}`, `5xx-550@${RECIPIENT_DOMAIN}`] });
    const found = await agent.ask("look_up_message", { id });
    assert.deepEqual(found.data, await (await world.lookUp(id)).json());
    assert.match(
      found.text,
      /delivered@customers\.example: delivered, attempts: 1\n5xx-550@customers\.example: failed/,
    );
    const one = await agent.ask("look_up_message", { id, recipient: `Delivered@${RECIPIENT_DOMAIN}` });
    assert.equal((one.data.recipients as unknown[]).length, 1);

    const searched = await agent.ask("search_messages", { result: "failed", limit: 5 });
    assert.equal((searched.data.messages as { id: string }[])[0]?.id, id);
    assert.equal(((await agent.ask("search_messages", { tag: "none" })).data.messages as unknown[]).length, 0);

    const explained = await agent.ask("explain_message", { id });
    const [failed, ...others] = explained.data.explanations as Record<string, unknown>[];
    assert.deepEqual([others, failed?.email, failed?.result], [[], `5xx-550@${RECIPIENT_DOMAIN}`, "failed"]);
    assert.match(String(failed?.explanation), /^The recipient's server .*\.$/);
    assert.match(String(failed?.what_to_do), /\.$/);
    assert.equal((failed?.last_reply as { code: number } | undefined)?.code, 550);
    assert.match(explained.text, /came back: 1, delivered: 1\n5xx-550@.*Last reply: 550 .*What to do: /);

    const history = await agent.ask("message_history", { id, limit: 3 });
    const events = history.data.events as { at: string; type: string }[];
    assert.deepEqual([events.length, history.data.total], [3, 4]);
    assert.deepEqual(
      events.map(({ at }) => at),
      events.map(({ at }) => at).toSorted(),
    );
  });

  it("shows the state of the service to a key that may operate", async (t) => {
    const world = await startWorld(t, { PREFLIGHT: "off", PROBE_DOMAINS: "none", BLOCKLISTS: "none" });
    const agent = await connectAgent(t, world, { key: await keyWith(world, "read,operate") });
    const id = await sendAndWait(world);
    assert.equal((await agent.ask("look_up_message", { id })).data.id, id);
    assert.match((await agent.ask("get_usage")).text, /^default: recipients today: 1, daily limit: none$/);
    assert.match((await agent.ask("list_domains")).text, /shop\.example: verified; ownership verified/);
    const domain = await agent.ask("get_domain", { name: SENDER_DOMAIN });
    assert.match(domain.text, /^shop\.example: verified\nownership: verified\. /);
    const free = await agent.ask("test_suppression", { email: "ann@example.org" });
    assert.deepEqual(free.data, { email: "ann@example.org", suppressed: false });
    assert.equal((await agent.ask("get_queue")).data.waiting, 0);
    assert.ok(((await agent.ask("list_receivers", { limit: 2 })).data.data as unknown[]).length > 0);
    assert.equal((await agent.ask("get_receiver", { name: "gmail" })).data.name, "gmail");
    assert.match((await agent.ask("doctor")).text, /^\d+ of \d+ checks are ok\./);
    assert.ok(Array.isArray((await agent.ask("preflight", { receiver: "gmail" })).data.addresses));
  });

  it("passes on what the service refuses, and refuses what no schema allows", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world);
    const refused = async (name: string, input: Record<string, unknown> = {}): Promise<string> => {
      const { isError, text, data } = await agent.call(name, input);
      assert.deepEqual([isError, data], [true, {}], name);
      assert.ok(!text.includes(world.key));
      return text;
    };
    assert.match(await refused("get_queue"), /lacks the permission operate.* \(403 permission_denied, request /);
    assert.match(await refused("look_up_message", { id: "msg_none" }), /No such message.*\(404 not_found/);
    assert.match(await refused("look_up_message"), /^id: This field is required\.$/);
    assert.match(await refused("look_up_message", { id: "../keys" }), /^id: This must be of the form/);
    assert.match(
      await refused("search_messages", { tags: "a" }),
      /^tags: There is no such field\. Did you mean tag\?$/,
    );
    assert.match(await refused("search_messages", { limit: 1000 }), /^limit: This must be at most 100\.$/);
    assert.match(await refused("search_messages", { recipient: "Ann" }), /^recipient: This must be an email address/);
    assert.match(await refused("get_domain", { name: ".." }), /^name: /);
    assert.match(await refused("no_such_tool"), /no tool of this name/);
    assert.ok(!agent.log().includes(world.key), agent.log());
  });
});

describe("writing", () => {
  it("is refused without --allow-writes, with a sentence that names it", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world);
    for (const name of WRITING) {
      const { isError, text } = await agent.call(name, {});
      assert.equal(isError, true);
      assert.equal(text, `${name} is not allowed: this server is read-only. Start it with --allow-writes to allow it.`);
    }
    assert.equal(((await agent.ask("search_messages")).data.messages as unknown[]).length, 0);
  });

  it("sends one message for two calls with the same key", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world, { args: ["--allow-writes"] });
    const { tools } = await agent.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [...READING, ...WRITING].sort());
    const send = tools.find(({ name }) => name === "send_message");
    assert.ok(send?.inputSchema.required?.includes("idempotency_key"));
    assert.equal(send?.annotations?.readOnlyHint, false);

    const without = await agent.call("send_message", sendBody());
    assert.deepEqual([without.isError, without.text], [true, "idempotency_key: This field is required."]);
    const body = { ...sendBody(), idempotency_key: "order-1042" };
    const first = await agent.ask("send_message", body);
    const second = await agent.ask("send_message", body);
    assert.deepEqual([first.data.replayed, second.data.replayed], [false, true]);
    assert.equal(first.data.id, second.data.id);
    const other = await agent.call("send_message", { ...body, subject: "Other" });
    assert.match(other.text, /409 idempotency_key_reused/);
    await agent.ask("look_up_message", { id: first.data.id, wait: 20 });
    const { data } = await agent.ask("search_messages");
    assert.deepEqual(
      (data.messages as { id: string }[]).map(({ id }) => id),
      [first.data.id],
    );
  });

  it("cancels, retries, suppresses and verifies", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world, {
      args: ["--allow-writes"],
      key: await keyWith(world, "send,read,manage"),
    });
    const later = { ...sendBody(), send_at: new Date(Date.now() + 3_600_000).toISOString(), idempotency_key: "a" };
    const { id } = (await agent.ask("send_message", later)).data;
    assert.match(
      (await agent.ask("cancel_message", { id })).text,
      /delivered@customers\.example: failed \(cancelled\)/,
    );
    assert.match((await agent.call("cancel_message", { id })).text, /409 not_cancellable/);
    assert.match((await agent.ask("retry_message", { id })).text, /pending|delivered/);

    const email = "ann@example.org";
    assert.equal((await agent.ask("add_suppressions", { emails: [email] })).data.added, 1);
    assert.match(
      (await agent.ask("test_suppression", { email })).text,
      /^ann@example\.org is suppressed since .*: manual\.$/,
    );
    await agent.ask("remove_suppression", { email });
    assert.equal((await agent.ask("test_suppression", { email })).data.suppressed, false);
    assert.equal((await agent.ask("verify_domain", { name: SENDER_DOMAIN })).data.verified, true);
  });

  it("cancels what the key has sent where it may not manage", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world, { args: ["--allow-writes"] });
    const later = { ...sendBody(), send_at: new Date(Date.now() + 3_600_000).toISOString(), idempotency_key: "a" };
    const { id } = (await agent.ask("send_message", later)).data;
    const one = await agent.call("cancel_message", { id, recipient: `delivered@${RECIPIENT_DOMAIN}` });
    assert.match(one.text, /403 permission_denied/);
    assert.match((await agent.ask("cancel_message", { id })).text, /cancelled/);
  });
});

describe("the start and the end", () => {
  it("names what is missing or wrong in one line, without the key", async (t) => {
    const world = await startWorld(t);
    const POSTRIDER_URL = world.service.url;
    const failing = async (env: Record<string, string>, exitCode = 2): Promise<string> => {
      const { code, stdout, stderr } = await runCli(["mcp"], env);
      assert.deepEqual([code, stdout], [exitCode, ""]);
      assert.match(stderr, /^postrider: [^\n]+\n$/);
      assert.ok(!/svc_live_\w/.test(stderr), stderr);
      return stderr;
    };
    assert.match(await failing({}), /POSTRIDER_URL and POSTRIDER_KEY are not set/);
    assert.match(await failing({ POSTRIDER_URL }), /POSTRIDER_URL is set and POSTRIDER_KEY is not/);
    assert.match(await failing({ POSTRIDER_URL, POSTRIDER_KEY: "svc_live_short" }), /POSTRIDER_KEY is not valid/);
    assert.match(
      await failing({ POSTRIDER_URL: "http://a:b@localhost", POSTRIDER_KEY: world.key }),
      /POSTRIDER_URL is not valid/,
    );
    const other = `${world.key.slice(0, -4)}AAAA`;
    assert.match(await failing({ POSTRIDER_URL, POSTRIDER_KEY: other }, 1), /POSTRIDER_KEY is rejected by http/);
  });

  it("starts where the service cannot be reached, and reports that in each result", async (t) => {
    const world = await startWorld(t);
    const agent = await connectAgent(t, world);
    await world.service.stop();
    const { isError, text } = await agent.call("search_messages");
    assert.equal(isError, true);
    assert.match(text, /^The service at http:\/\/\S+ cannot be reached: /);
    const env = { POSTRIDER_URL: world.service.url, POSTRIDER_KEY: world.key };
    const { code, stderr } = await runCli(["mcp", "--allow-writes"], env);
    assert.equal(code, 0);
    assert.match(stderr, /cannot be reached: .*\npostrider: mcp server started: http:\/\/\S+, with writes\n$/);
  });

  it("ends when its input ends, and writes nothing but the protocol to standard output", async (t) => {
    const world = await startWorld(t);
    const env = { POSTRIDER_URL: world.service.url, POSTRIDER_KEY: world.key };
    const named = await runCli(["mcp", "--url", world.service.url, "--key", world.key], {});
    assert.deepEqual([named.code, named.stdout], [0, ""]);
    const nothing = await spawnCli(["mcp"], env);
    assert.deepEqual([nothing.code, nothing.stdout], [0, ""]);
    assert.match(nothing.stderr, /^postrider: mcp server started: http:\/\/\S+, read-only\n$/);

    const child = spawn(process.execPath, [...programArgs("src/cli.ts"), "mcp"], {
      env: { PATH: process.env.PATH, ...env },
    });
    t.after(() => child.kill("SIGKILL"));
    child.stdin.write('no message\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const [line] = await once(child.stdout, "data");
    assert.deepEqual(JSON.parse(String(line)), { jsonrpc: "2.0", id: 1, result: {} });
    child.stdin.end();
    const [code] = await once(child, "close");
    assert.equal(code, 0);
  });

  it("ends with a line that is too long", async (t) => {
    const world = await startWorld(t);
    const env = { POSTRIDER_URL: world.service.url, POSTRIDER_KEY: world.key };
    const { code, stdout, stderr } = await runCli(["mcp"], env, "x".repeat(9 * 1024 * 1024));
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /a line of standard input is longer than 8388608 bytes/);
  });
});
