/** A form that is sent after its session has ended is filled in again after the sign-in. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

const WEBHOOK = { url: 'https://example.com/hooks?a=1&b="2"', types: ["message.accepted"], all_types: "no" };

async function endSessions({ service }: Installation, email: string): Promise<void> {
  const user = await service.people.userNamed(email);
  await service.people.endSessions(user?.id ?? "", null);
}

const keptIn = (html: string): string => /name="kept" value="([^"]+)"/.exec(html)?.[1] ?? "";

/** Signs in with a kept form, and gets the page that it leads to. */
async function signInWith(url: string, kept: string, who = OPERATOR): Promise<{ path: string; html: string }> {
  const answer = await postForm(`${url}/dashboard/sign-in`, { ...who, kept, next: "/dashboard/webhooks" });
  assert.equal(answer.status, 302);
  const path = answer.headers.get("location") ?? "";
  const page = await fetch(`${url}${path}`, { headers: { Cookie: cookieOf(answer) } });
  return { path, html: await page.text() };
}

async function sendEnded(t: TestContext, fields: Record<string, string | string[]>, path = "/webhooks") {
  const installation = await installWithOperator(t);
  const client: Client = await clientOf(installation.url);
  await endSessions(installation, OPERATOR.email);
  const answer = await client.post(path, fields, { Referer: `${installation.url}/dashboard${path}` });
  return { installation, client, answer, html: await answer.text() };
}

it("leads to the sign-in page, and after it back to the form with what was typed", async (t) => {
  const { installation, answer, html } = await sendEnded(t, WEBHOOK);
  assert.equal(answer.status, 401);
  assert.match(html, /Your session has ended\. Sign in to continue\./);
  assert.ok(!html.includes("example.com"), "what was typed is sealed");
  const wrong = await postForm(`${installation.url}/dashboard/sign-in`, {
    ...OPERATOR,
    password: "no",
    kept: keptIn(html),
  });
  const kept = keptIn(await wrong.text());
  assert.equal(kept, keptIn(html), "it outlasts a wrong password");
  const back = await signInWith(installation.url, kept);
  assert.match(back.path, /^\/dashboard\/webhooks\?kept=[\w-]+#kept-form$/);
  assert.match(back.html, /Your session had ended, so nothing was sent/);
  assert.match(back.html, /value="https:\/\/example\.com\/hooks\?a=1&amp;b=&quot;2&quot;"/);
  assert.match(back.html, /name="types" value="message\.accepted" checked/);
  assert.equal((await installation.service.spool.endpoints("acc_default")).length, 0);
});

it("never keeps passwords and codes", async (t) => {
  const { installation, html } = await sendEnded(
    t,
    { current: "hunter2 hunter2", password: "hunter3 hunter3", code: "123456" },
    "/you",
  );
  const { html: page } = await signInWith(installation.url, keptIn(html));
  assert.doesNotMatch(page, /hunter|123456/);
});

it("lists what was typed where the page of the form is gone", async (t) => {
  const { installation, client } = await sendEnded(t, {});
  const answer = await client.post("/webhooks/none/replay", { since: "2026-03-14T09:05" });
  const { html } = await signInWith(installation.url, keptIn(await answer.text()));
  assert.match(html, /no longer on this page\. You had typed:<\/p><ul><li>since: 2026-03-14T09:05<\/li>/);
});

it("gives the form to no other user, and none that is forged or too large", async (t) => {
  const { installation, client, html } = await sendEnded(t, WEBHOOK);
  const eve = await addUser(installation, "other", "eve@other.example");
  for (const kept of [keptIn(html), "forged"]) {
    const { path, html: page } = await signInWith(installation.url, kept, eve);
    assert.equal(path, "/dashboard/webhooks");
    assert.doesNotMatch(page, /hooks\?a=1/);
  }
  const large = await client.post("/webhooks", { url: "x".repeat(40_000) });
  assert.equal(large.status, 302);
  assert.equal(large.headers.get("location"), "/dashboard/sign-in?done=ended");
});

it("leads to a page of the dashboard only", async (t) => {
  const { installation, client } = await sendEnded(t, WEBHOOK);
  for (const Referer of ["https://evil.example/dashboard/keys", "not a url", `${installation.url}/dashboard/none`]) {
    const answer = await client.post("/webhooks", WEBHOOK, { Referer });
    const { path } = await signInWith(installation.url, keptIn(await answer.text()));
    assert.match(path, /^\/dashboard\/(webhooks|keys)\?kept=/);
  }
  const deep = await client.post("/webhooks/none/replay", { since: "2026-03-14T09:05" });
  const { path } = await signInWith(installation.url, keptIn(await deep.text()));
  assert.match(path, /^\/dashboard\/webhooks\/none\?kept=/);
});

it("is filled in at once where the user has signed in elsewhere meanwhile", async (t) => {
  const installation = await installWithOperator(t);
  const [before, after] = [await clientOf(installation.url), await clientOf(installation.url)];
  const answer = await after.post("/webhooks", { ...WEBHOOK, form_token: before.formToken });
  assert.equal(answer.status, 302);
  const page = await (await after.get((answer.headers.get("location") ?? "").replace("/dashboard", ""))).text();
  assert.match(page, /hooks\?a=1/);
  const strange = await after.post("/webhooks", { ...WEBHOOK, form_token: "x.acc_default.usr_other" });
  assert.equal(strange.status, 403);
});

it("tells scripts that the session has ended, and pages too", async (t) => {
  const { installation, client } = await sendEnded(t, {});
  const headers = { Cookie: client.cookie, Accept: "application/json" };
  const state = await fetch(`${installation.url}/dashboard/start/state`, { headers, redirect: "manual" });
  assert.equal(state.status, 401);
  const page = await client.get("/messages");
  assert.equal(page.headers.get("location"), "/dashboard/sign-in?done=ended&next=%2Fdashboard%2Fmessages");
  const signIn = await client.get("/sign-in?done=ended");
  assert.match(await signIn.text(), /Your session has ended\. Sign in to continue\./);
});
