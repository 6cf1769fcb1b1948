/** A webhook endpoint of the measured service, and its receiver as a child process. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../../src/service/command-line.ts";
import { ask, startScript } from "../child.ts";
import type { ReceivedWebhooks } from "../webhook-receiver.ts";
import type { Account } from "./postrider-account.ts";
import { ADDRESSES } from "./side.ts";

const HOST = "127.0.0.3";
const PORT = 8090;
const URL = `http://${HOST}:${PORT}/hooks`;
/** For the service and the command line. */
export const WEBHOOK_ENV = { WEBHOOK_ALLOW_PRIVATE: "true" };
/** The service looks for changes by other processes once a second. */
const CHANGE_SEEN_MS = 1500;

export interface WebhookReceiver {
  /** What arrived since the last call. */
  received(): Promise<ReceivedWebhooks>;
  stop(): Promise<void>;
}

/** `isExchanger`: it is also the recipients' mail exchanger, in place of the sink. */
export async function startWebhookReceiver({ isExchanger = false } = {}): Promise<WebhookReceiver> {
  const { sink } = ADDRESSES;
  const args = [HOST, String(PORT), ...(isExchanger ? [sink.host, String(sink.port)] : [])];
  const child = await startScript("bench/webhook-receiver.ts", args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child.process, "message");
  return { received: () => ask<ReceivedWebhooks>(child, {}), stop: () => child.stop() };
}

/** Subscribes the receiver to all events, from now on. Resolves with the endpoint's id when the service knows it. */
export async function createEndpoint(account: Account): Promise<string> {
  const output = await webhooks(account, ["create", URL, "--json"]);
  await delay(CHANGE_SEEN_MS);
  return (JSON.parse(output) as { id: string }).id;
}

/** Resolves when the service sends nothing more to the endpoint. */
export async function removeEndpoint(account: Account, id: string): Promise<void> {
  await webhooks(account, ["remove", id]);
  await delay(CHANGE_SEEN_MS);
}

async function webhooks({ dataDir, certsDir }: Account, args: string[]): Promise<string> {
  let [output, errors] = ["", ""];
  const code = await runCommandLine(["webhooks", ...args], {
    env: { DATA_DIR: dataDir, CERTS_DIR: certsDir, ...WEBHOOK_ENV },
    input: (async function* () {})(),
    write: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  if (code !== 0) throw new Error(errors);
  return output;
}
