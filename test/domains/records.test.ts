import assert from "node:assert/strict";
import { test } from "node:test";
import { recordsToPublish, returnPathRecords } from "../../src/domains/records.ts";
import { IP4, IP6, sampleDomain } from "./sample.ts";

const domain = sampleDomain();

test("five records, one for each check, names without final dot, values without quotes", () => {
  const records = recordsToPublish(domain, { hostname: "mta.sender.example", sendingIps: [IP4, IP6] });
  assert.deepEqual(
    records.map(({ check, type, name, value }) => [check, type, name, value]),
    [
      ["ownership", "TXT", "_postrider.example.com", `postrider-verification=${domain.token}`],
      ["mx", "MX", "example.com", "10 mail.example.com"],
      ["spf", "TXT", "example.com", "v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 ~all"],
      ["dkim", "TXT", "pr0badcafe._domainkey.example.com", `v=DKIM1; k=rsa; p=${domain.publicKey}`],
      ["dmarc", "TXT", "_dmarc.example.com", "v=DMARC1; p=none"],
    ],
  );
  assert.match(records[1]?.note ?? "", /any MX record for your mail server is valid\. keep yours if you have one/i);
});

test("SPF names the host where no sending address is known", () => {
  const records = recordsToPublish(domain, { hostname: "mta.sender.example", sendingIps: [] });
  assert.equal(records.find(({ check }) => check === "spf")?.value, "v=spf1 a:mta.sender.example ~all");
});

test("there is no SPF record where none could pass: without an address, on a host without a public name", () => {
  for (const hostname of ["vm", "mta.internal", "mta.lan", "mta.home.arpa"]) {
    const sender = { hostname, sendingIps: [] };
    for (const record of [recordsToPublish(domain, sender)[2], returnPathRecords(domain, sender)[1]]) {
      assert.equal(record?.value, "", hostname);
      assert.match(record?.note ?? "", /^There is no record to publish yet.* Set SENDING_IPS/);
    }
    const known = recordsToPublish(domain, { hostname, sendingIps: [IP4] });
    assert.equal(known[2]?.value, "v=spf1 ip4:192.0.2.25 ~all");
  }
});

test("two records of a return path, at a name of its own", () => {
  const sender = { hostname: "mta.sender.example", sendingIps: [IP4, IP6] };
  assert.deepEqual(
    returnPathRecords(domain, sender).map(({ check, type, name, value }) => [check, type, name, value]),
    [
      ["return_path_mx", "MX", "bounces.example.com", "10 mta.sender.example"],
      ["return_path_spf", "TXT", "bounces.example.com", "v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 -all"],
    ],
  );
  assert.equal(returnPathRecords(domain, { ...sender, sendingIps: [] })[1]?.value, "v=spf1 a:mta.sender.example -all");
});

test("the DMARC record of a domain with a return path asks for reports", () => {
  const records = recordsToPublish({ ...domain, hasReturnPath: true }, { hostname: "h.example", sendingIps: [] });
  const reports = "v=DMARC1; p=none; rua=mailto:dmarc-reports@bounces.example.com";
  assert.equal(records.find(({ check }) => check === "dmarc")?.value, reports);
});
