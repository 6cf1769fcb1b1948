/** The steps of Get started. */

import assert from "node:assert/strict";
import { it } from "node:test";
import { settlePaused } from "../../support/attempts.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("the last step stays done once a message was delivered, whatever the next result is", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  for (const [i, result] of (["delivered", "failed"] as const).entries()) {
    const message = newMessage({ createdAtMs: Date.now() + i, recipients: recipientsAt("a.example", 1) });
    await spool.pauseDomain("a.example", message.createdAtMs);
    await spool.accept(message);
    const settlements = [settlement(0, result)];
    await settlePaused(spool, message.id, { domains: ["a.example"], atMs: Date.now(), settlements });
    assert.match(await textOf(client, "/start"), /card step good" id="step-4"/, result);
  }
});
