/** Sending TLS reports: to whom, with which content, once, and what happens after a failure. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { AcceptRequest, AcceptResult } from "../../src/app/send/accept-message.ts";
import { DAY_MS } from "../../src/lib/units.ts";
import { readSenderReport } from "../../src/message/reports/sender-report.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { TlsDay, TlsSessions } from "../../src/spool/port/tls-sessions.ts";
import type { PostedReport } from "../../src/tls-reports/https-report.ts";
import { ReportSender } from "../../src/tls-reports/report-sender.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

const DAY = Date.UTC(2026, 2, 2) / DAY_MS;
const SHOP = { name: "shop.example", accountId: "acc_2", verified: true } as Domain;

const sessions = (domain: string, day = DAY): TlsSessions => ({
  day,
  domain,
  policyType: "sts",
  resultType: "",
  mx: "",
  receivingIp: "",
  sendingIp: "",
  sessions: 7,
});

const wants = (...uris: string[]) => ({ TXT: [`v=TLSRPTv1; rua=${uris.join(",")}`] });

function scene(rows: TlsSessions[], zone: FakeZone) {
  const clock = fakeClock((DAY + 1) * DAY_MS + 3_600_000);
  const state = { rows, domains: [SHOP], posted: { type: "sent" } as PostedReport, isDown: false };
  const [mails, posts, accepted] = [[] as AcceptRequest[], [] as [string, Buffer][], new Map<string, string>()];
  const isOf = (of: TlsDay) => (row: TlsSessions) => row.day === of.day && row.domain === of.domain;
  const key = ({ day, domain }: TlsDay): string => `${day} ${domain}`;
  async function accept(request: AcceptRequest): Promise<AcceptResult> {
    if (state.isDown) throw new SpoolUnavailable("down");
    const name = request.idempotencyKey ?? assert.fail("no idempotency key");
    if (accepted.has(name)) return { type: "replayed", id: "msg_1" };
    accepted.set(name, request.draft.payloadHash());
    mails.push(request);
    return { type: "accepted", id: "msg_1" };
  }
  const log = { info() {}, warn() {} };
  const sender = new ReportSender({
    clock,
    log: log as never,
    acceptMessage: { accept },
    resolver: fakeResolver(zone),
    from: { local: "tls", domain: "shop.example" },
    registry: {
      accounts: async () =>
        ["acc_1", "acc_2"].map((id) => ({ id, name: id, createdAtMs: 0, quotaDaily: null })) as never,
      domainNamed: async (accountId, name) =>
        state.domains.find((domain) => domain.accountId === accountId && domain.name === name) ?? null,
    },
    spool: {
      addTlsSessions: async () => {},
      tlsDays: async (before, after, limit) =>
        [...new Map(state.rows.filter(({ day }) => day < before).map((row) => [key(row), row])).values()]
          .filter((row) => after === null || key(row) > key(after))
          .slice(0, limit)
          .map(({ day, domain }) => ({ day, domain })),
      tlsSessions: async (of) => state.rows.filter(isOf(of)),
      async removeTlsSessions(of) {
        state.rows = state.rows.filter((row) => !isOf(of)(row));
      },
      stsPolicy: async (domain) => ({
        domain,
        id: "1",
        mode: "enforce" as const,
        mx: ["*.a.example"],
        fetchedAtMs: 0,
        expiresAtMs: 86_400_000,
      }),
    },
    async post(url, report) {
      posts.push([url, report]);
      return state.posted;
    },
  });
  return { clock, sender, state, mails, posts };
}

const recipients = (mails: AcceptRequest[]): string[] =>
  mails.flatMap(({ draft }) => draft.summary.to.map(({ address }) => address));

describe("the TLS report on a day", () => {
  it("is a signed message of the account that has the sender's domain, in the form of RFC 8460", async () => {
    const { sender, mails, state } = scene([sessions("a.example")], {
      "_smtp._tls.a.example": wants("mailto:reports@a.example"),
    });
    await sender.run();
    const [mail] = mails;
    assert.ok(mail !== undefined && mails.length === 1);
    assert.deepEqual([mail.accountId, recipients(mails), state.rows], ["acc_2", ["reports@a.example"], []]);
    const raw = mail.draft.content().bytes;
    const text = raw.toString("latin1");
    assert.match(text, /^From: Postrider <tls@shop\.example>\r\n/);
    assert.match(text, /^Content-Type: multipart\/report; report-type=tlsrpt; boundary=/m);
    assert.match(text, /^TLS-Report-Domain: a\.example\r\nTLS-Report-Submitter: shop\.example\r\n/m);
    assert.match(text, /^Subject: Report Domain: a\.example Submitter: shop\.example/m);
    assert.match(text, /^Content-Type: application\/tlsrpt\+gzip\r\n/m);
    const read = await readSenderReport(raw);
    assert.deepEqual(read.type === "tls" && [read.report.domain, read.report.succeeded], ["a.example", 7]);
  });

  it("is posted to an https URL", async () => {
    const { sender, posts, state } = scene([sessions("a.example")], {
      "_smtp._tls.a.example": wants("https://reports.a.example/v1"),
    });
    await sender.run();
    assert.deepEqual([posts.map(([url]) => url), state.rows], [["https://reports.a.example/v1"], []]);
    const json = JSON.parse(gunzipSync(posts[0]?.[1] ?? Buffer.alloc(0)).toString());
    assert.deepEqual(json["date-range"], {
      "start-datetime": "2026-03-02T00:00:00Z",
      "end-datetime": "2026-03-02T23:59:59Z",
    });
    assert.equal(json.policies[0].policy["policy-string"][1], "mode: enforce");
  });

  it("is not sent to domains that do not ask, and their counts are deleted", async () => {
    const { sender, state, mails, posts } = scene([sessions("a.example"), sessions("b.example")], {
      "_smtp._tls.a.example": { TXT: ["v=spf1 -all"] },
    });
    await sender.run();
    assert.deepEqual([state.rows, mails, posts], [[], [], []]);
  });

  it("waits for the end of the day", async () => {
    const { sender, state, mails, clock } = scene([sessions("a.example", DAY + 1)], {
      "_smtp._tls.a.example": wants("mailto:reports@a.example"),
    });
    await sender.run();
    assert.deepEqual([state.rows.length, mails.length], [1, 0]);
    await clock.advance(DAY_MS);
    await sender.run();
    assert.deepEqual([state.rows.length, mails.length], [0, 1]);
  });

  it("is sent for every domain, over all pages", async () => {
    const names = Array.from({ length: 250 }, (_, i) => `d${String(i).padStart(3, "0")}.example`);
    const zone = Object.fromEntries(names.map((name) => [`_smtp._tls.${name}`, wants(`mailto:r@${name}`)]));
    const { sender, state, mails } = scene(
      names.map((name) => sessions(name)),
      zone,
    );
    await sender.run();
    assert.deepEqual(
      recipients(mails).toSorted(),
      names.map((name) => `r@${name}`),
    );
    assert.deepEqual(state.rows, []);
  });
});

describe("a TLS report that cannot be sent", () => {
  it("is tried again, to a recipient that has it already only once", async () => {
    const { sender, state, mails, posts } = scene([sessions("a.example")], {
      "_smtp._tls.a.example": wants("mailto:reports@a.example", "https://reports.a.example/v1"),
    });
    state.posted = { type: "failed", error: "the server responded with 503" };
    await sender.run();
    assert.equal(state.rows.length, 1);
    state.posted = { type: "sent" };
    await sender.run();
    assert.deepEqual([state.rows, mails.length, posts.length], [[], 1, 2]);
  });

  it("is not tried again if it was refused, or its address is invalid", async () => {
    const { sender, state } = scene([sessions("a.example")], {
      "_smtp._tls.a.example": wants("https://reports.a.example/v1", "mailto:not an address"),
    });
    state.posted = { type: "refused", error: "the server responded with 404" };
    await sender.run();
    assert.deepEqual(state.rows, []);
  });

  it("waits while DNS, the spool or the sender's domain fail, and is given up after three days", async () => {
    const zone: FakeZone = { "_smtp._tls.a.example": { TXT: { failure: "ESERVFAIL" } } };
    const { sender, state, mails, clock } = scene([sessions("a.example")], zone);
    await sender.run();
    zone["_smtp._tls.a.example"] = wants("mailto:reports@a.example");
    state.domains = [{ ...SHOP, verified: false }];
    await sender.run();
    state.domains = [SHOP];
    state.isDown = true;
    await sender.run();
    assert.deepEqual([state.rows.length, mails.length], [1, 0]);
    await clock.advance(4 * DAY_MS);
    await sender.run();
    assert.deepEqual([state.rows.length, mails.length], [0, 0]);
  });
});
