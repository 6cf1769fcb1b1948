/** An agent's end of the server: the SDK's client, which starts `postrider mcp` as a child process. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { programArgs } from "./program.ts";
import { runCli } from "./run-cli.ts";
import type { World } from "./world.ts";

type Data = Record<string, unknown>;

export interface Outcome {
  text: string;
  data: Data;
  isError: boolean;
}

export interface Agent {
  client: Client;
  call(name: string, input?: Data): Promise<Outcome>;
  /** The same for a call that must succeed. */
  ask(name: string, input?: Data): Promise<Outcome>;
  /** What the server has written to standard error so far. */
  log(): string;
}

/** Starts the server for a world and connects to it; both end with the test. */
export async function connectAgent(
  t: TestContext,
  world: World,
  { key = world.key, args = [] as string[] } = {},
): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...programArgs("src/cli.ts"), "mcp", ...args],
    env: { PATH: process.env.PATH ?? "", POSTRIDER_URL: world.service.url, POSTRIDER_KEY: key },
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (chunk) => {
    log += chunk;
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  t.after(() => client.close());
  const call = async (name: string, input: Data = {}): Promise<Outcome> => {
    const result = await client.callTool({ name, arguments: input });
    const [first] = result.content as { type: string; text: string }[];
    assert.equal(first?.type, "text");
    return {
      text: first?.text ?? "",
      data: (result.structuredContent ?? {}) as Data,
      isError: result.isError === true,
    };
  };
  const ask = async (name: string, input: Data = {}): Promise<Outcome> => {
    const outcome = await call(name, input);
    assert.equal(outcome.isError, false, outcome.text);
    return outcome;
  };
  return { client, call, ask, log: () => log };
}

/** Creates a live key of the default account with these permissions, separated by commas. */
export async function keyWith({ env }: World, permissions: string): Promise<string> {
  const { stdout, code } = await runCli(
    ["keys", "create", "--name", "agent", "--permissions", permissions, "--json"],
    env,
  );
  assert.equal(code, 0);
  return JSON.parse(stdout).key;
}
