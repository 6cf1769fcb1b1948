/** A domain's page with records that are wrong, misplaced, or verified with a warning. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startHarness } from "../../support/dashboard/browser-harness.ts";
import { NO_CHROMIUM, WIDE } from "../../support/dashboard/chromium.ts";
import { type Installation, installWithOperator } from "../../support/dashboard/installation.ts";
import { recordRows } from "../../support/dashboard/record-rows.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const PAGE = "/domains/shop.example";
const BROKEN = "v=DMARC1; p=reject; rua=mailto:dmarc@shop.example; sp=rejct";
const MENDED = "v=DMARC1; p=reject; rua=mailto:dmarc@shop.example; sp=reject";

/** Returns the rows of one check: their HTML, their text, and the values that their Copy buttons copy. */
async function checkOn(client: Client, check: string): Promise<{ html: string; text: string; copies: string[] }> {
  const rows = recordRows(await (await client.get(PAGE)).text());
  const { html, copies } = rows.find(({ id }) => id === `check-${check}`) ?? assert.fail(`no row of ${check}`);
  return { html, text: textOf(html), copies };
}

const textOf = (html: string): string => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

const zoneLines = async (client: Client): Promise<string> => (await client.get(`${PAGE}/zone`)).text();

/** Adds a domain and publishes the records that its page shows. */
async function published(installation: Installation): Promise<Client> {
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  const rows = recordRows(await (await client.get(PAGE)).text());
  for (const { name, type, value } of rows) installation.zone.set(name, type, [value]);
  return client;
}

describe("a domain's page", () => {
  it("shows a correction of the published DMARC record, to copy, to compare and as a zone file line", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    installation.zone.set("_dmarc.shop.example", "TXT", [BROKEN]);
    await client.post(`${PAGE}/verify`);
    const { html, copies, text } = await checkOn(client, "dmarc");
    assert.deepEqual(copies, ["_dmarc.shop.example", "_dmarc", MENDED]);
    assert.match(html, /<del>rejct<\/del>/);
    assert.match(text, /This replaces the published record/);
    assert.doesNotMatch(text, /p=none/);
    assert.ok((await zoneLines(client)).includes(`_dmarc.shop.example. 3600 IN TXT "${MENDED}"`));

    installation.zone.set("_dmarc.shop.example", "TXT", [MENDED]);
    await client.post(`${PAGE}/verify`);
    assert.deepEqual((await checkOn(client, "dmarc")).copies, ["_dmarc.shop.example", "_dmarc", MENDED]);
    assert.doesNotMatch((await checkOn(client, "dmarc")).html, /<del>|<ins>/);
    assert.ok((await zoneLines(client)).includes(MENDED), "the zone file lines keep the published policy");
  });

  it("shows both names of a misplaced record", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    const [right, wrong] = ["_dmarc.shop.example", "_dmarc.shop.example.shop.example"];
    installation.zone.set(right, "TXT", []);
    installation.zone.set(wrong, "TXT", [MENDED]);
    await client.post(`${PAGE}/verify`);
    const { text, copies, html } = await checkOn(client, "dmarc");
    assert.match(text, /found at _dmarc\.shop\.example \.shop\.example expected at _dmarc\.shop\.example /);
    assert.match(text, new RegExp(`Add it at this name, and delete the one at ${wrong}`));
    assert.deepEqual(copies, [right, "_dmarc", MENDED]);
    assert.match(html, /<del>\.shop\.example<\/del>/);
  });

  it("shows a verified record on one line, with what its check found folded", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    const before = await checkOn(client, "spf");
    assert.doesNotMatch(before.html, /<details>|icon-button/);
    await client.post(`${PAGE}/verify`);
    const { html, text, copies } = await checkOn(client, "spf");
    assert.match(html, /<details>.*<tr class="record-finding">/s);
    assert.match(html, /aria-label="Copy value of the SPF record"[^>]*><svg/);
    assert.match(text, /SPF Verified/);
    assert.deepEqual(copies, before.copies);
    assert.doesNotMatch(html, /class="badge/);
  });

  it("shows a verified check with a warning opened, and not as good", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    await client.post(`${PAGE}/verify`);
    const title = async (): Promise<string> =>
      (await (await client.get(PAGE)).text()).split('id="title"')[1]?.split("</div>")[0] ?? "";
    assert.match(await title(), /May send</);
    assert.match((await checkOn(client, "mx")).html, /<details>/);

    installation.zone.set("shop.example", "MX", ["10 gone.shop.example"]);
    const verified = await client.post(`${PAGE}/verify`);
    assert.match(await title(), /May send, 1 warning</);
    const { text } = await checkOn(client, "mx");
    assert.match(text, /Verified, with a warning/);
    assert.match(text, /gone\.shop\.example does not exist in the DNS.*Replies and bounces do not arrive/);
    installation.zone.set("shop.example", "TXT", ["v=spf1 +all"]);
    await client.post(`${PAGE}/verify`);
    const spf = await checkOn(client, "spf");
    assert.match(spf.text, /Verified, with a warning.*authorizes every host/);
    assert.deepEqual(spf.copies, ["shop.example", "@", "v=spf1 ip4:127.0.0.1 ~all"]);
    assert.doesNotMatch(spf.html, /<details>/);
    installation.zone.set("shop.example", "TXT", [spf.copies[2] ?? ""]);
    await client.post(`${PAGE}/verify`);
    const news = await client.get((verified.headers.get("location") ?? "").replace("/dashboard", ""));
    assert.match(await news.text(), /notice warn.*There is a warning on\s+MX/s);
    assert.match(await (await client.get("/domains")).text(), /May send, 1 warning/);
    assert.ok((await zoneLines(client)).includes("shop.example. 3600 IN MX 10 gone.shop.example."));
  });

  it("shows the return path off, with its two records and their states, and active", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    const section = async (): Promise<string> =>
      (await (await client.get(PAGE)).text()).split('id="return-path"')[1]?.split('id="rotation"')[0] ?? "";
    const off = await section();
    assert.match(off, />Off</);
    assert.match(off, /Turn on the return path/);
    assert.doesNotMatch(off, /check-return_path_mx/);

    const turned = await client.post(`${PAGE}/return-path`, { state: "on" });
    const notice = await client.get((turned.headers.get("location") ?? "").replace("/dashboard", ""));
    assert.match(await notice.text(), /notice good.*Return path turned on\. Publish its two records/s);
    assert.match(await section(), /Waiting for its records.*INBOUND_PORT is not set/s);
    const [mx, spf] = [await checkOn(client, "return_path_mx"), await checkOn(client, "return_path_spf")];
    assert.deepEqual(mx.copies, ["bounces.shop.example", "bounces", "10", "mta.shop.example"]);
    assert.match(mx.text, /Not checked yet/);
    assert.deepEqual(spf.copies, ["bounces.shop.example", "bounces", "v=spf1 ip4:127.0.0.1 -all"]);
    assert.ok((await zoneLines(client)).includes("bounces.shop.example. 3600 IN MX 10 mta.shop.example."));

    installation.zone.set("mta.shop.example", "A", ["127.0.0.1"]);
    installation.zone.set("bounces.shop.example", "MX", ["10 mx.other.example"]);
    installation.zone.set("bounces.shop.example", "TXT", [spf.copies[2] ?? ""]);
    await client.post(`${PAGE}/verify`);
    const wrong = await checkOn(client, "return_path_mx");
    assert.match(wrong.text, /Failed.*Bounces for bounces\.shop\.example are sent to “mx\.other\.example” instead/);
    assert.match(wrong.html, /<del>/);
    assert.match((await checkOn(client, "return_path_spf")).text, /Verified/);

    installation.zone.set("bounces.shop.example", "MX", ["10 mta.shop.example"]);
    await client.post(`${PAGE}/verify`);
    assert.match(await section(), />Active</);
    const html = await (await client.get(PAGE)).text();
    const history = html.split("History of the checks").at(-1) ?? "";
    assert.match(history, /Return path MX<\/td><td[^>]*>.*?Verified/s);

    await client.post(`${PAGE}/return-path`, { state: "off" });
    assert.match(await section(), /Turn on the return path/);
    assert.equal((await client.post("/domains/other.example/return-path", { state: "on" })).status, 404);
  });

  it("contains the DKIM key once, whatever is published", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    const [name = "", , value = ""] = (await checkOn(client, "dkim")).copies;
    const key = value.split("p=")[1] ?? "";
    assert.ok(key.length > 300);
    const faults: [name: string, records: string[]][] = [
      [name, [value]],
      [name, []],
      [name, [value.slice(0, 255)]],
      [name, [`v=DKIM1; t=y; k=rsa; p=${key}`]],
      [name, [`"${value}"`]],
      [name, [`v=DKIM1; k=rsa; p=${key.split("").reverse().join("")}`]],
      [name, [value, "v=DKIM1; p="]],
      [`${name}.shop.example`, [value]],
    ];
    for (const [at, records] of faults) {
      for (const each of [name, `${name}.shop.example`]) installation.zone.set(each, "TXT", []);
      installation.zone.set(at, "TXT", records);
      const verified = await client.post(`${PAGE}/verify`);
      const html = await (await client.get((verified.headers.get("location") ?? "").replace("/dashboard", ""))).text();
      assert.equal(html.split(key.slice(60, 240)).length - 1, 1, `${at} ${records}`);
      assert.ok((await checkOn(client, "dkim")).copies.at(-1)?.includes(key), "the row has all of it");
    }
    assert.match((await checkOn(client, "dkim")).text, /Use the value above/);
    const all = await zoneLines(client);
    assert.ok(all.replaceAll('" "', "").includes(key));
  });

  it("shows the record of a new DKIM key in the same table, and in the zone file", async (t) => {
    const installation = await installWithOperator(t);
    const client = await published(installation);
    const [current = ""] = (await checkOn(client, "dkim")).copies;
    await client.post(`${PAGE}/rotate`);
    const { copies, text } = await checkOn(client, "dkim-new");
    assert.match(text, /DKIM, new key Waiting for its record TXT/);
    assert.match(copies[0] ?? "", /\._domainkey\.shop\.example$/);
    assert.notEqual(copies[0], current);
    const lines = await zoneLines(client);
    assert.ok(lines.includes(`${copies[0]}. 3600 IN TXT`) && lines.includes(`${current}. 3600 IN TXT`));
  });

  it("names a subdomain's records relative to the registered domain, and says so", async (t) => {
    const installation = await installWithOperator(t);
    const client = await clientOf(installation.url);
    await client.post("/domains", { name: "news.shop.example" });
    const html = await (await client.get("/domains/news.shop.example")).text();
    for (const name of ["_postrider.news", "news", "_dmarc.news"])
      assert.ok(html.includes(`<code>${name}</code>`), name);
    assert.match(textOf(html), /If news\.shop\.example is a separate zone/);
    const answer = await client.get("/domains/news.shop.example/zone");
    assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="news\.shop\.example\.zone"$/);
    assert.equal((await client.get("/domains/other.example/zone")).status, 404);
  });

  it("is accessible in a browser in each of these states", { skip: NO_CHROMIUM }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, WIDE);
    const verify = async (name: string): Promise<void> => {
      await page.goto(`${installation.url}/dashboard${PAGE}`);
      await page.getByRole("button", { name: "Verify now" }).click();
      await page.waitForURL(/done=verify/);
      await inspect(name);
    };
    installation.zone.set("_dmarc.shop.example", "TXT", [BROKEN]);
    await verify("domain-wrong-dmarc");
    installation.zone.set("_dmarc.shop.example", "TXT", []);
    installation.zone.set("_dmarc.shop.example.shop.example", "TXT", [MENDED]);
    await verify("domain-misplaced-dmarc");
    installation.zone.set("_dmarc.shop.example", "TXT", [MENDED]);
    installation.zone.set("shop.example", "MX", ["10 gone.shop.example"]);
    await verify("domain-mx-warning");
    await page.getByRole("button", { name: "Turn on the return path" }).click();
    await page.waitForURL(/done=return-path-on/);
    await inspect("domain-return-path-on");
    await verify("domain-return-path-failed");
  });
});
