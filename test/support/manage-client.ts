/** Asks the management interface of a service as an operator. */
import assert from "node:assert/strict";
import { type Contract, contractOf } from "./openapi.ts";
import { runCli } from "./run-cli.ts";
import type { World } from "./world.ts";

export interface ManageClient {
  key: string;
  contract: Contract;
  /** `path`: below /api/manage. Fails unless the document describes the response. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

export async function manageClient(world: World, ...options: string[]): Promise<ManageClient> {
  const asked = ["keys", "create", "--name", "manager", "--json", ...options];
  const created = await runCli(options.length === 0 ? [...asked, "--permissions", "operate"] : asked, world.env);
  assert.equal(created.code, 0, created.stderr);
  const { key } = JSON.parse(created.stdout) as { key: string };
  const contract = await contractOf(world.service.url);
  return {
    key,
    contract,
    async ask(method, path, body, headers = {}) {
      const target = `/api/manage${path}`;
      const answer = await fetch(world.service.url + target, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await contract.hold(`${method} ${target}`, answer);
      return answer;
    },
  };
}
