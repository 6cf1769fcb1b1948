/** The page of receivers: what it lists, setting and resetting limits, and what it rejects. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const PAGE = "/operator/receivers";

const textOf = async (client: Client): Promise<string> =>
  (await (await client.get(PAGE)).text()).replaceAll(/<wbr\/?>/g, "");
const rowOf = (page: string, name: string): string =>
  (page.match(/<tr>.*?<\/tr>/gs)?.find((row) => row.includes(`>${name}<`)) ?? "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

it("lists every receiver with a profile and its limits, which an operator sets and resets", async (t) => {
  const installation = await installWithOperator(t, { env: { DESTINATION_LIMITS: "google.com=7" } });
  const operator = await clientOf(installation.url);
  const before = await textOf(operator);
  assert.match(rowOf(before, "gmail"), /^Gmail and Google Workspace gmail Open 0 of 7 open 50 – as told$/);
  assert.match(rowOf(before, "yahoo"), /Open 0 open 20 – as told$/);
  assert.match(before, /0 receivers of \d+ accept nothing now/);

  const limits = { connections: "2", messages_per_connection: "", pause: "15m" };
  const set = await operator.post(PAGE, { name: "GMAIL", ...limits });
  assert.deepEqual([set.status, set.headers.get("location")], [302, "/dashboard/operator/receivers?done=set"]);
  assert.match(rowOf(await textOf(operator), "gmail"), /Open 0 of 2 open 50 – 900 s Reset$/);
  await operator.post(PAGE, { name: "example.org", connections: "1", messages_per_connection: "3", pause: "" });
  assert.match(rowOf(await textOf(operator), "example.org"), /^example\.org Open 0 of 1 open 3 – as told Reset$/);

  await operator.post(`${PAGE}/reset`, { name: "gmail" });
  assert.match(rowOf(await textOf(operator), "gmail"), /Open 0 of 7 open 50 – as told$/);
});

it("rejects what is no receiver or no limit with the field that is at fault, and keeps what was typed", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  for (const [typed, fault] of [
    [{ name: "*.gmail" }, /id="field-name-error".*receiver&#39;s name or a domain|receiver's name or a domain/s],
    [{ name: "gmail", connections: "many" }, /id="field-connections-error".*number from 1 to 1000/s],
    [{ name: "gmail", messages_per_connection: "0" }, /number from 1 to 10000/],
    [{ name: "gmail", pause: "2 days" }, /duration from 1s to 24h/],
    [{ name: "gmail" }, /give at least one limit/],
  ] as const) {
    const form = { connections: "", messages_per_connection: "", pause: "", ...typed };
    const rejected = await operator.post(PAGE, form);
    const page = await rejected.text();
    assert.equal(rejected.status, 400, JSON.stringify(typed));
    assert.match(page, fault);
    assert.ok(page.includes(`value="${typed.name}"`));
  }
  const other = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  assert.equal((await other.get(PAGE)).status, 404, "for operators alone");
});

it("shows each receiver's rules beside the results of its mail, to operators alone", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  const page = await (await operator.get(`${PAGE}/gmail`)).text();
  assert.match(page, /<h1>Gmail and Google Workspace<\/h1>/);
  assert.match(page, /Messages arrive over TLS\./);
  assert.match(page, /Not measured/);
  assert.match(page, /No mail in the last 30 days/);
  assert.equal((await operator.get(`${PAGE}/mx.nobody.example`)).status, 404);
  assert.equal((await operator.get(`${PAGE}/nobody.example`)).status, 200, "no mail was sent to it yet");
  const user = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  assert.equal((await user.get(`${PAGE}/gmail`)).status, 404);
});
