/** The download of a search to clients that read, that go away, and that do not read. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import Koa from "koa";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { type ExportParts, MessageExports } from "../../../src/dashboard/pages/message-export.ts";
import { PageError } from "../../../src/dashboard/web/page-error.ts";
import { SharedBudget } from "../../../src/lib/shared-budget.ts";
import { type FoundRecipients, TooManyReports } from "../../../src/spool/port/reports.ts";

const MESSAGE = {
  id: "msg_1",
  createdAtMs: 0,
  from: "a@b.example",
  subject: "x".repeat(900),
  messageId: "<m@b.example>",
  keyId: "key_1",
  tags: [],
  test: false,
  recipients: Array.from({ length: 50 }, (_, i) => ({
    email: `user${i}@a.example`,
    field: "to" as const,
    result: "delivered" as const,
    reason: null,
    category: null,
    attempts: 1,
    updatedAtMs: 1,
    smtp: null,
  })),
};

interface Served {
  port: number;
  url: string;
  /** Emits the close of each response. */
  closed: () => Promise<unknown>;
  logged: unknown[];
}

/** Serves exports of an account that is named by the path. */
async function serve(
  t: TestContext,
  findRecipients: () => Promise<FoundRecipients>,
  stalledMs?: number,
): Promise<Served> {
  const logged: unknown[] = [];
  const parts = {
    reports: { findRecipients },
    registry: { keys: async () => [{ id: "key_1", name: "web" }] },
    responses: new SharedBudget({ max: 1e9, share: 1 }),
    clock: { now: () => 0 },
    log: { warn: (fields: unknown) => void logged.push(fields) },
  } as unknown as ExportParts;
  const exports = new MessageExports(parts, stalledMs);
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    try {
      await exports.send(ctx, { account: { id: ctx.path } } as AuthContext, { filter: {} });
    } catch (error) {
      ctx.status = error instanceof PageError ? error.status : 500;
      ctx.body = String(error);
    }
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const closed = async () => {
    const [, res] = await once(server, "request");
    await once(res, "close");
  };
  return { port, url: `http://127.0.0.1:${port}`, closed, logged };
}

/** Pages that never end. */
const endless = async (): Promise<FoundRecipients> => ({
  messages: [MESSAGE, MESSAGE, MESSAGE],
  cursor: "msg_1",
  searchedBackToMs: null,
});

test("an export is a download of UTF-8", async (t) => {
  const once = async () => ({ messages: [MESSAGE], cursor: null, searchedBackToMs: null });
  const { url } = await serve(t, once);
  const response = await fetch(`${url}/a`);
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(response.headers.get("content-disposition"), 'attachment; filename="messages-1970-01-01.csv"');
  const records = (await response.text()).split("\r\n");
  assert.equal(records.length, 52);
  assert.match(records[1] ?? "", /,user0@a\.example,to,x+,,web,false,delivered,/);
});

test("an account has one export at a time, until its client has gone", async (t) => {
  const { url, closed } = await serve(t, endless);
  const gone = closed();
  const abort = new AbortController();
  const first = await fetch(`${url}/a`, { signal: abort.signal });
  const reader = first.body?.getReader();
  await reader?.read();
  const second = await fetch(`${url}/a`);
  assert.equal(second.status, 429);
  assert.match(await second.text(), /Another export is being downloaded/);
  const other = await fetch(`${url}/b`);
  assert.equal(other.status, 200);
  await other.body?.cancel();
  abort.abort();
  await gone;
  const third = await fetch(`${url}/a`);
  assert.equal(third.status, 200);
  await third.body?.cancel();
});

test("a client that does not read is cut off, and its export is logged", async (t) => {
  const { port, url, closed, logged } = await serve(t, endless, 50);
  const gone = closed();
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  await gone;
  assert.equal(logged.length, 1);
  const next = await fetch(`${url}/a`);
  assert.equal(next.status, 200);
  await next.body?.cancel();
});

test("an error before the first page is an error page, a later one breaks the download", async (t) => {
  let calls = 0;
  const failing = async (): Promise<FoundRecipients> => {
    calls += 1;
    if (calls === 1 || calls === 3) throw new TooManyReports();
    return endless();
  };
  const { url } = await serve(t, failing);
  assert.equal((await fetch(`${url}/a`)).status, 500);
  const response = await fetch(`${url}/a`);
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
});
