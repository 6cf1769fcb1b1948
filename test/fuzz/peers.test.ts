/**
 * Input from mail exchangers and DNS servers is parsed or rejected as a value, never as an exception, and never leads
 * to a private address.
 */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4, isIPv6 } from "node:net";
import { test } from "node:test";
import * as packet from "dns-packet";
import fc from "fast-check";
import { addressesOf, routeTo } from "../../src/delivery/routing/route.ts";
import { capabilitiesOf } from "../../src/delivery/smtp/capabilities.ts";
import { MESSAGE_BYTES_MAX, ReplyParser } from "../../src/delivery/smtp/reply.ts";
import { verdictOnResult } from "../../src/delivery/verdict.ts";
import { embeddedIpv4, refusedRange } from "../../src/dns/address-policy.ts";
import type { DnsAnswer, Resolver } from "../../src/dns/resolver.ts";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { anyText, runs } from "./hostile.ts";

const replyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(
      fc.tuple(
        fc.oneof(fc.integer({ min: 0, max: 999 }).map(String), fc.constantFrom("250", "354", "421", "550")),
        fc.constantFrom(" ", "-", "", "\t"),
        fc.oneof(
          anyText(30),
          fc.constantFrom("5.1.1 no", "2.0.0", "4.9999.1 x", "SIZE 99999999999999999999", "LIMITS RCPTMAX=0"),
        ),
        fc.constantFrom("\r\n", "\n", "\r", "\0\r\n"),
      ),
      { maxLength: 8 },
    )
    .map((lines) => Buffer.from(lines.flat().join(""))),
);

test("SMTP replies: any bytes in any pieces give the same bounded replies without control characters", () => {
  fc.assert(
    fc.property(replyBytes, fc.array(fc.nat(200), { maxLength: 6 }), (bytes, cuts) => {
      const whole = new ReplyParser().push(bytes);
      const parser = new ReplyParser();
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, i) => parser.push(bytes.subarray(at[i], end)));
      assert.deepEqual(
        pieces.flatMap(({ replies }) => replies),
        whole.replies,
      );
      assert.equal(pieces.at(-1)?.error ?? null, whole.error);
      for (const reply of whole.replies) {
        assert.ok(reply.code >= 200 && reply.code < 600);
        assert.ok(Buffer.byteLength(reply.message) <= MESSAGE_BYTES_MAX);
        assert.doesNotMatch(reply.message.replaceAll("\n", ""), /\p{Cc}/u);
        capabilitiesOf(reply);
        for (const stage of ["mail", "rcpt", "data", "content", "final_dot"] as const) {
          const verdict = verdictOnResult(
            { type: "reply", stage, reply },
            { dotSent: stage === "final_dot", isEncrypted: true, fallback: "none" },
          );
          assert.equal(verdict.type === "delivered", stage === "final_dot" && reply.code < 300);
          assert.ok(verdict.type !== "failed" || reply.code >= 500);
        }
      }
    }),
    runs(3000),
  );
});

test("refuses an address of a private network in every notation and embedding", () => {
  const ours = fc
    .tuple(fc.constantFrom("10", "127", "0", "169.254", "192.168", "172.16", "172.31", "100.64"), fc.ipV4())
    .map(([net, ip]) => {
      const head = net.split(".");
      return [...head, ...ip.split(".").slice(head.length)].join(".");
    });
  fc.assert(
    fc.property(ours, (ip) => {
      const [a = 0, b = 0, c = 0, d = 0] = ip.split(".").map(Number);
      const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
      const tail = `${hex(a, b)}:${hex(c, d)}`;
      const carried = [
        ip,
        `::ffff:${ip}`,
        `::ffff:${tail}`,
        `::ffff:0:${ip}`,
        `::ffff:0:${tail}`,
        `0:0:0:0:0:FFFF:${tail}`,
        `64:ff9b::${tail}`,
        `2002:${tail}::1`,
        `::${tail}`,
      ];
      for (const address of carried) {
        assert.ok(isIPv4(address) || isIPv6(address), address);
        assert.notEqual(refusedRange(address), null, address);
        assert.notEqual(refusedRange(`${address}%eth0`), null, address);
      }
    }),
    runs(2000),
  );
});

test("refuses an IPv6 address outside the global unicast space, unless it embeds an IPv4 address", () => {
  const group = fc.oneof(fc.constantFrom(0, 1, 0xffff), fc.nat(0xffff));
  const outside = fc.nat(0xffff).filter((first) => first < 0x2000 || first > 0x3fff);
  fc.assert(
    fc.property(outside, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
      const address = [first, ...rest].map((each) => each.toString(16)).join(":");
      fc.pre(embeddedIpv4(address) === null);
      assert.notEqual(refusedRange(address), null, address);
    }),
    runs(2000),
  );
});

test("refuses text that is not an IP address", () => {
  fc.assert(
    fc.property(anyText(30), (text) => {
      if (!isIPv4(text) && !isIPv6(text.split("%")[0] ?? "")) assert.notEqual(refusedRange(text), null);
    }),
    runs(2000),
  );
});

const name = fc.oneof(
  fc.domain(),
  fc.constantFrom("", ".", "mta.own.example", "127.0.0.1", "[::1]", "localhost"),
  fc.string({ maxLength: 20 }),
);
const answer = <T>(record: fc.Arbitrary<T>): fc.Arbitrary<DnsAnswer<T>> =>
  fc.oneof(
    fc.array(record, { maxLength: 30 }).map((records): DnsAnswer<T> => ({ type: "found", records })),
    fc.constantFrom<DnsAnswer<T>>({ type: "nxdomain" }, { type: "nodata" }, { type: "failure", code: "ESERVFAIL" }),
  );

test("routing: any DNS answers give a route within the limits", async () => {
  const mx = answer(fc.record({ exchange: name, preference: fc.integer({ min: 0, max: 65_535 }) }));
  const addresses = answer(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()));
  await fc.assert(
    fc.asyncProperty(mx, addresses, addresses, async (mxAnswer, a, aaaa) => {
      const nothing = async () => ({ type: "nodata" }) as const;
      const resolver: Resolver = {
        mx: async () => mxAnswer,
        a: async () => a,
        aaaa: async () => aaaa,
        txt: nothing,
        ptr: nothing,
        cname: nothing,
      };
      const policy = { resolver, smtpPort: 25, sink: null, random: () => 0.5 };
      const route = await routeTo("d.example", policy);
      if (mxAnswer.type === "failure") assert.equal(route.type, "dns_trouble");
      if (route.type === "no_such_domain") assert.equal(mxAnswer.type, "nxdomain");
      if (route.type !== "hosts") return;
      assert.ok(route.hosts.length > 0 && !route.hosts.some((host) => host.name === ""));
      for (const host of route.hosts) {
        const found = await addressesOf(host, resolver, { max: 8 });
        if (found.type === "found") assert.ok(found.addresses.length > 0 && found.addresses.length <= 8);
      }
    }),
    runs(1000),
  );
});

test("DNS datagrams: garbage, and replies with any byte changed, give a value in time", async (t) => {
  const server = createSocket("udp4").bind(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  let spoil: (reply: Buffer) => Buffer = (reply) => reply;
  server.on("message", (bytes, from) => {
    const query = packet.decode(bytes);
    const answers: packet.Answer[] = (query.questions ?? []).map(({ name: asked }) => ({
      type: "A",
      name: asked,
      ttl: 1,
      data: "192.0.2.1",
    }));
    const reply = packet.encode({
      type: "response",
      id: query.id ?? 0,
      flags: packet.AUTHENTIC_DATA,
      questions: query.questions ?? [],
      answers,
    });
    server.send(spoil(reply), from.port, from.address);
  });
  const servers = [`127.0.0.1:${server.address().port}`];
  const sound = await createSecureResolver({ servers, trustAd: false }).a("host.example");
  assert.deepEqual(sound, { type: "found", records: ["192.0.2.1"], name: "host.example", secure: true });
  // A datagram that is not a reply costs a whole timeout.
  const secure = createSecureResolver({ servers, trustAd: false, timeoutMs: 20 });
  const turned = fc
    .array(fc.tuple(fc.nat(80), fc.nat(255)), { minLength: 1, maxLength: 5 })
    .map((changes) => (reply: Buffer) => {
      for (const [at, value] of changes) reply[2 + (at % (reply.length - 2))] = value;
      return reply;
    });
  const cut = fc.nat(60).map((length) => (reply: Buffer) => reply.subarray(0, length));
  const rubbish = fc
    .uint8Array({ maxLength: 600 })
    .map((bytes) => (reply: Buffer) => Buffer.concat([reply.subarray(0, 2), bytes]));
  await fc.assert(
    fc.asyncProperty(fc.oneof(turned, cut, rubbish), async (spoiling) => {
      spoil = spoiling;
      const answered = await secure.a("host.example");
      assert.ok(["found", "nxdomain", "nodata", "failure"].includes(answered.type));
      if (answered.type === "found") for (const record of answered.records) assert.ok(isIPv4(record), record);
    }),
    runs(150),
  );
});
