/** Which domains with problems users and operators see. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await holds()) return;
    await setTimeout(50);
  }
  assert.fail("condition not met in time");
}

it("shows domains of other accounts to operators only, on the host page", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  const user = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  await operator.post("/domains", { name: "own.example" });
  await user.post("/domains", { name: "second.example" });
  const hostPage = async () => textOf(operator, "/operator/host");
  await until(async () => !(await hostPage()).includes("Checks running"));
  const overview = await textOf(user, "?range=24h");
  assert.doesNotMatch(overview, /own\.example/);
  assert.match(
    overview,
    /Mail is not healthy.*Domains are not verified, so they cannot send: second\.example\..*task bad.*second\.example/s,
  );
  assert.doesNotMatch(overview, /reverse_dns|operator\/host/);
  const verdict = /id="health".*?<\/section>/s.exec(await textOf(operator, "?range=24h"))?.[0] ?? "";
  assert.match(verdict, /Mail is not healthy.*task bad.*Reverse DNS: .*task bad.*own\.example/s);
  assert.match(verdict, /href="\/dashboard\/operator\/host"/);
  assert.doesNotMatch(verdict, /second\.example/);
  const trouble = (await hostPage()).split("Domains with problems")[1] ?? "";
  assert.match(trouble, /href="\/dashboard\/domains\/own\.example"/);
  assert.match(trouble, /href="\/dashboard\/operator\/accounts\/acc_[\w-]+">second\.example/);
  assert.match(trouble, /Ownership: /);
  assert.doesNotMatch(await hostPage(), /v=DKIM1/);
});
