/** `receivers`: what is refused, what is stored, and what is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandContext, type Implementation, Refusal, UsageError } from "../../src/cli/command.ts";
import { listReceivers, resetReceiver, setReceiver, showReceiver } from "../../src/cli/receivers.ts";
import { withoutStyles } from "../../src/lib/text-style.ts";

function setUp() {
  const values = new Map<string, string>();
  const context = {
    nowMs: 1,
    config: { destinationLimits: new Map() },
    store: {
      readValue: async (name: string) => values.get(name) ?? null,
      writeValue: async (name: string, text: string) => void values.set(name, text),
      readLiveNodeValues: async () => [],
    },
  } as unknown as CommandContext;
  const run = async ({ run: command }: Implementation, name?: string, options: Record<string, string> = {}) => {
    const result = await command(context, { positionals: name === undefined ? [] : [name], options });
    assert.ok(result);
    return { json: result.json as Record<string, unknown>, text: withoutStyles(result.text) };
  };
  return { run };
}

test("limits are set one by one, shown with who has set them, and reset", async () => {
  const { run } = setUp();
  await run(setReceiver, "GMAIL", { connections: "3" });
  await run(setReceiver, "gmail", { "messages-per-connection": "7", "messages-per-minute": "120", pause: "15m" });
  const { json, text } = await run(showReceiver, "gmail");
  assert.deepEqual(json.limits, {
    connections: 3,
    messages_per_connection: 7,
    messages_per_minute: 120,
    pause_seconds: 900,
  });
  assert.match(text, /Connections at one time +3 +set by an operator/u);
  assert.match(text, /Gmail and Google Workspace/u);
  await run(resetReceiver, "gmail");
  assert.deepEqual((await run(showReceiver, "gmail")).json.overridden, []);
  assert.match((await run(showReceiver, "icloud")).text, /900 s after a reply with “\[hcm1\]” or “\[bs02\]”/u);
});

test("the list has every receiver with a profile, and a domain for which limits are set", async () => {
  const { run } = setUp();
  await run(setReceiver, "mail.example", { connections: "1" });
  const { json, text } = await run(listReceivers);
  const rows = json as unknown as { name: string; mx: string[]; state: string }[];
  assert.deepEqual(rows.find(({ name }) => name === "mail.example")?.mx, ["mail.example"]);
  assert.ok(rows.every(({ state }) => state === "open"));
  assert.match(text, /^mail\.example +open .*by an operator$/mu);
});

test("what is no receiver, no limit or no duration is refused with what would be right", async () => {
  const { run } = setUp();
  for (const [command, name, options, error] of [
    [setReceiver, "gmail", {}, UsageError],
    [setReceiver, "gmail", { connections: "0" }, UsageError],
    [setReceiver, "gmail", { connections: "1001" }, UsageError],
    [setReceiver, "gmail", { connections: "five" }, UsageError],
    [setReceiver, "gmail", { pause: "500" }, UsageError],
    [setReceiver, "gmail", { pause: "2d" }, UsageError],
    [setReceiver, "*.gmail", { connections: "1" }, UsageError],
    [setReceiver, "a b", { connections: "1" }, UsageError],
    [setReceiver, "gmial", { connections: "1" }, UsageError],
    [setReceiver, "mx.google.com", { connections: "1" }, UsageError],
    [setReceiver, "gmail.com", { connections: "1" }, UsageError],
    [resetReceiver, "gmial", {}, UsageError],
    [resetReceiver, "", {}, UsageError],
    [showReceiver, "nobody", {}, Refusal],
    [showReceiver, "mx.nobody.example", {}, Refusal],
  ] as const)
    await assert.rejects(run(command, name, options), error, `${name} ${JSON.stringify(options)}`);
});
