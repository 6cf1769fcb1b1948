/** What an operator reads when the database cannot be opened. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import pg from "pg";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { describeDatabaseFailure, mayPass } from "../../../../../src/spool/engine/postgres/connection/open-failure.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { emptyDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

async function failure(url: string, statement = "SELECT 1"): Promise<[text: string | null, mayPass: boolean]> {
  const client = new pg.Client(parseDatabaseUrl(url).config);
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(statement);
  } catch (error) {
    return [describeDatabaseFailure(error), mayPass(error)];
  } finally {
    await client.end().catch(() => {});
  }
  return assert.fail("it succeeded");
}

/** A server that answers each connection in this way, and the URL that leads to it. */
async function fakeServer(answer: (socket: import("node:net").Socket) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  return { url: `postgres://u:secret@127.0.0.1:${port}/d`, close: () => server.close() };
}

describe("the failure to open a database", { timeout: 60_000 }, () => {
  it("of the network says what is missing, and may pass", async () => {
    const refused = "no server accepts connections there (ECONNREFUSED)";
    assert.deepEqual(await failure("postgres://u:secret@127.0.0.1:1/d"), [refused, true]);
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND db"), { code: "ENOTFOUND", syscall: "getaddrinfo" });
    assert.equal(describeDatabaseFailure(unknown), "the host name does not resolve (ENOTFOUND)");
    assert.equal(mayPass(unknown), true);
    const [socket] = await failure("postgres://u@/d?host=%2Fnowhere");
    assert.match(socket ?? "", /ENOENT .*\/nowhere/);
  });

  it("of a server that hangs up or does not reply may pass", async (t) => {
    const hangsUp = await fakeServer((socket) => socket.destroy());
    t.after(() => hangsUp.close());
    assert.deepEqual(await failure(hangsUp.url), ["the server closed the connection", true]);
    const silent = await fakeServer((socket) => t.after(() => socket.destroy()));
    t.after(() => silent.close());
    assert.deepEqual(await failure(`${silent.url}?connect_timeout=1`), ["the server does not reply", true]);
  });

  it("of a server without TLS names sslmode", async (t) => {
    // The answer to an SSLRequest: no.
    const plain = await fakeServer((socket) => void socket.on("error", () => {}).end("N"));
    t.after(() => plain.close());
    const [text, passes] = await failure(`${plain.url}?sslmode=verify-full`);
    assert.match(text ?? "", /does not offer TLS: .*sslmode=disable/);
    assert.equal(passes, false);
  });

  it("of a certificate says what to do where that is known", () => {
    const refused = (code: string) => describeDatabaseFailure(Object.assign(new Error("why"), { code }));
    const advice =
      "its certificate is not accepted: why (SELF_SIGNED_CERT_IN_CHAIN): name its authority by sslrootcert=FILE";
    assert.equal(refused("SELF_SIGNED_CERT_IN_CHAIN"), advice);
    assert.equal(refused("CERT_HAS_EXPIRED"), "its certificate is not accepted: why (CERT_HAS_EXPIRED)");
  });

  it("of the server has its words and an advice", { skip: missingPostgresOrTime() }, async (t) => {
    const { url } = await emptyDatabase(t);
    const at = (change: Partial<URL>): string => Object.assign(new URL(url), change).href;
    const [password, passes] = await failure(at({ password: "wrong" }));
    assert.match(password ?? "", /^password authentication failed for user "postgres": correct the user/);
    assert.equal(passes, false);
    assert.equal((await failure(at({ password: "" })))[0], "the server asks for a password, and there is none in it");
    assert.match((await failure(at({ pathname: "none" })))[0] ?? "", /^database "none" does not exist: create/);
    assert.match((await failure(url, "SELEC"))[0] ?? "", /^syntax error/);
  });

  it("names a pooler where its answer or a lost session shows one", () => {
    const answer = (code: string, message: string) => {
      const error = Object.assign(new Error(message), { severity: "FATAL", code });
      return [describeDatabaseFailure(error), mayPass(error)];
    };
    const named =
      "this is the answer of a connection pooler such as PgBouncer: DATABASE_URL must lead to PostgreSQL itself";
    const parameter = "unsupported startup parameter: options";
    assert.deepEqual(answer("08P01", parameter), [`${parameter}: ${named}`, false]);
    assert.deepEqual(answer("26000", "no such statement"), [`no such statement: ${named}`, false]);
    assert.deepEqual(answer("42P05", "it exists"), [`it exists: ${named}`, false]);
  });

  it("is found behind SpoolUnavailable, and is nothing else", () => {
    const cause = Object.assign(new Error("starting"), { severity: "FATAL", code: "57P03" });
    const unavailable = new SpoolUnavailable("the database is unavailable", { cause });
    assert.deepEqual([describeDatabaseFailure(unavailable), mayPass(unavailable)], ["starting", true]);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    for (const other of [full, new Error("a fault of the caller"), "text"]) {
      assert.deepEqual([describeDatabaseFailure(other), mayPass(other)], [null, false]);
    }
  });
});
