/** The steps of Get started. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("stays done once a mail was delivered, whatever became of the next one", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const { spool } = here.service;
  for (const [i, result] of (["delivered", "failed"] as const).entries()) {
    const message = newMessage({ createdAtMs: Date.now() + i, recipients: recipientsAt("a.example", 1) });
    await spool.accept(message);
    await spool.settle(message.id, Date.now(), [settlement(0, result)]);
    assert.match(await textOf(client, "/start"), /card step good" id="step-4"/, result);
  }
});
