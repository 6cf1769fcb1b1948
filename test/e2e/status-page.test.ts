/** Status pages, from the send request to what a recipient and a site's own page see. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const ANN = `ann@${RECIPIENT_DOMAIN}`;

interface Accepted {
  id: string;
  state: string;
  status_url?: string;
}

async function sent(
  world: World,
  parts: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Accepted> {
  const answer = await world.post(sendBody({ to: ANN, status_page: true, ...parts }), headers);
  const accepted = (await answer.json()) as Accepted;
  assert.equal(answer.status, 202, JSON.stringify(accepted));
  return accepted;
}

test("x", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { status_url: url = "" } = await sent(world);
  console.log(url);
  const json = await fetch(`${url}?wait=20`, { headers: { Accept: "application/json" } });
  console.log(json.status, [...json.headers], await json.text());
  const page = await fetch(url, { headers: { "Accept-Language": "de-AT,de;q=0.9" } });
  console.log(page.status, [...page.headers], await page.text());
  const bad = await fetch(`${url}x`);
  console.log(bad.status, (await bad.text()).slice(-500));
});
