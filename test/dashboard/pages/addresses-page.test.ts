/** The pages of sending addresses: what is listed, how far one is warmed up, and who may see them. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { DAY_MS } from "../../../src/lib/units.ts";
import { writeSendingAddress } from "../../../src/spool/port/sending-addresses.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const PAGE = "/operator/addresses";

const textOf = async (client: Client, path = PAGE): Promise<string> =>
  (await (await client.get(path)).text()).replace(/<(?!title|circle)[^>]+>/g, " ").replace(/\s+/g, " ");

it("lists sending addresses and shows how far one is warmed up, to operators alone", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  assert.match(await textOf(operator), /Mail leaves from what the system chooses/);

  const store = installation.service.spool;
  const address = { name: "mail1.host.example", bind: "10.0.0.1", pool: "default", isPaused: false };
  const warmUp = { schedule: [10, 100, 1000], firstPlace: 1 };
  await writeSendingAddress(store, "192.0.2.1", { ...address, warmUp });
  await writeSendingAddress(store, "192.0.2.2", { ...address, bind: null, isPaused: true, warmUp: null });
  const day = Math.floor(Date.now() / DAY_MS);
  const draw = { schedule: warmUp.schedule, firstPlace: 1, day, wanted: 7, lastDay: day, unused: 0, accepted: 5 };
  await store.drawWarmUp({ address: "192.0.2.1", receiver: "*.gmail" }, { ...draw, isBlocked: false });

  const list = await textOf(operator);
  assert.match(list, /2 addresses\. No receiver rejects one\./);
  assert.match(list, /192\.0\.2\.1 from 10\.0\.0\.1 mail1\.host\.example default No running host has it – in progress/);
  assert.match(list, /192\.0\.2\.2 mail1\.host\.example default Paused – –/);
  const page = await textOf(operator, `${PAGE}/192.0.2.1`);
  assert.match(page, /From 10 to 1\s000 messages a day in 3 days, then without a limit\. A point is a receiver\./);
  assert.match(page, /gmail accepts mail 2 7 of 100 5/);
  assert.match(page, /<circle[^>]*> ?<title>gmail: day 2, 100 messages/);
  assert.equal((await operator.get(`${PAGE}/192.0.2.9`)).status, 404);
  const other = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  for (const path of [PAGE, `${PAGE}/192.0.2.1`]) assert.equal((await other.get(path)).status, 404);
});
