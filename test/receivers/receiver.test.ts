/** Receivers of mail hosts: profiles on the borders of labels, organisational domains elsewhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PROFILES } from "../../src/receivers/profiles.ts";
import { hostsOf, profileOf, profileOfHost, receiverOf, receiversUnder } from "../../src/receivers/receiver.ts";

test("a host belongs to the receiver with the longest of its domains", () => {
  for (const [host, receiver] of [
    ["aspmx.l.google.com", "*.gmail"],
    ["ALT1.GMAIL-SMTP-IN.L.GOOGLE.COM", "*.gmail"],
    ["aspmx2.googlemail.com", "*.gmail"],
    ["outlook-com.olc.protection.outlook.com", "*.outlook"],
    ["tenant.mail.protection.outlook.com", "*.microsoft-365"],
    ["tenant.a-b1.mx.microsoft", "*.microsoft-365"],
    ["mta5.am0.yahoodns.net", "*.yahoo"],
    ["eu-smtp-inbound-1.mimecast.com", "*.mimecast-eu"],
    ["us-smtp-inbound-2.mimecast.com", "*.mimecast-us"],
    ["mx1.example.com", "*.example.com"],
    ["ann.duckdns.org", "*.ann.duckdns.org"],
    // On label borders alone.
    ["mx.notgoogle.com", "*.notgoogle.com"],
    ["google.com.evil.example", "*.evil.example"],
    ["google.com/x.evil.example", "*.evil.example"],
    ["protection.outlook.com", "*.outlook.com"],
  ] as const)
    assert.equal(receiverOf(host), receiver, host);
});

test("the hosts of a receiver are those of its profile, or of its domain without those of profiles", () => {
  assert.deepEqual(hostsOf("gmail"), { domains: ["google.com", "googlemail.com"], except: [] });
  const others = ["olc.protection.outlook.com", "mail.protection.outlook.com"];
  assert.deepEqual(hostsOf("outlook.com")?.except.toSorted(), others.toSorted());
  assert.deepEqual(hostsOf("example.com"), { domains: ["example.com"], except: [] });
  for (const name of ["gmial", "mx.example.com", "co.uk", ""]) assert.equal(hostsOf(name), null, name);
});

test("profiles differ in name and domain, and each says where it is from", () => {
  const names = PROFILES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const domains = PROFILES.flatMap(({ mx }) => mx);
  assert.equal(new Set(domains).size, domains.length);
  for (const profile of PROFILES) {
    assert.match(profile.name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/u);
    assert.match(profile.asOf, /^20\d\d-(?:0[1-9]|1[0-2])$/u);
    assert.ok(profile.source.length > 0, profile.name);
    for (const domain of profile.mx) {
      assert.match(domain, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/u);
      assert.equal(profileOfHost(`mx.${domain}`), profile);
    }
    for (const limit of Object.values(profile.limits)) assert.ok(Number.isInteger(limit) && limit > 0);
    for (const { after, seconds } of profile.pauses ?? []) {
      assert.ok(seconds > 0 && after.length > 0);
      for (const text of after) assert.equal(text, text.toLowerCase());
    }
    assert.equal(profileOf(receiverOf(domains.find((each) => profile.mx.includes(each)) ?? "")), profile);
  }
});

test("a setting for a domain holds for every receiver with hosts below it", () => {
  assert.deepEqual(receiversUnder("google.com"), ["*.gmail"]);
  assert.deepEqual(receiversUnder("mx.google.com"), ["*.gmail"]);
  assert.deepEqual(receiversUnder("outlook.com").sort(), ["*.microsoft-365", "*.outlook", "*.outlook.com"]);
  assert.deepEqual(receiversUnder("example.com"), ["*.example.com"]);
});
