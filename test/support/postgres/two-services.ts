/** A world whose service shares a database with a second one, as two nodes of one installation. */
import type { TestContext } from "node:test";
import type { Client } from "pg";
import type { Service } from "../../../src/service/service.ts";
import { startSecondService } from "../second-service.ts";
import { startWorld, type World } from "../world.ts";
import { freshDatabase } from "./fresh-database.ts";

const LOOK_EVERY_MS = 50;

export interface TwoServices {
  world: World;
  second: Service;
  /** The addresses of both. */
  urls: [string, string];
  client: Client;
  /** Sends an API request with the world's key to one of them. */
  ask(url: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Response>;
}

/** Resolves once both know of each other. Both stop with the test. `env` is that of both. */
export async function startTwoServices(t: TestContext, env: Record<string, string> = {}): Promise<TwoServices> {
  const { url, connect } = await freshDatabase(t);
  const client = await connect();
  const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "one", ...env });
  const second = await startSecondService(t, { ...world.env, NODE_NAME: "two" });
  await untilAcquainted(client);
  return {
    world,
    second,
    client,
    urls: [world.service.url, second.url],
    ask: (to, path, { body, headers = {} } = {}) =>
      fetch(to + path, {
        headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      }),
  };
}

/** A node sees the others with each heartbeat, and has used the reply to one before it sends the next. */
async function untilAcquainted(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; at: Date }>("SELECT number, heartbeat_at AS at FROM nodes");
  const seen = new Map(rows.map(({ number, at }) => [number, new Set([at.getTime()])]));
  while ([...seen.values()].some((times) => times.size < 3)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const beats = await client.query<{ number: string; at: Date }>("SELECT number, heartbeat_at AS at FROM nodes");
    for (const { number, at } of beats.rows) seen.get(number)?.add(at.getTime());
  }
}
