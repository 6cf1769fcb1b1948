/** DATABASE_URL: what it means for the driver, that TLS verifies the server, and that no fault shows the password. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import pg from "pg";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { startPostgres } from "../../../../support/postgres/server.ts";
import { certificateAuthority, selfSigned } from "../../../../support/self-signed.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

function parsed(url: string) {
  const { config, safeUrl } = parseDatabaseUrl(url);
  const { user, host, port, database, ssl } = config;
  return { user, host, port, database, ssl, password: passwordOf(url), safeUrl };
}

function passwordOf(url: string): unknown {
  const { password } = parseDatabaseUrl(url).config;
  return typeof password === "function" ? password() : password;
}

const PLAIN = { user: "ann", host: "db.example", port: 5432, database: "mail", ssl: false, password: undefined };

describe("the parts of DATABASE_URL", () => {
  it("are those that libpq documents", () => {
    const safeUrl = "postgres://ann@db.example:5432/mail";
    assert.deepEqual(parsed("postgres://ann@db.example/mail"), { ...PLAIN, safeUrl });
    assert.deepEqual(parsed("postgresql://ann:secret@db.example:5432/mail"), { ...PLAIN, password: "secret", safeUrl });
    assert.equal(parsed("postgres://ann@db.example").database, "ann");
    assert.deepEqual(parsed("postgres://ann:a%40b%3Ac%2Fd:%20%25@[::1]:6000/m%20x"), {
      user: "ann",
      host: "::1",
      port: 6000,
      database: "m x",
      ssl: false,
      password: "a@b:c/d: %",
      safeUrl: "postgres://ann@[::1]:6000/m%20x",
    });
  });

  it("include the directory of a Unix-domain socket", () => {
    const safeUrl = "postgres://ann@%2Frun%2Fpg:6000/mail";
    const expected = { ...PLAIN, host: "/run/pg", port: 6000, safeUrl };
    assert.deepEqual(parsed("postgres://ann@%2Frun%2Fpg:6000/mail"), expected);
    assert.deepEqual(parsed("postgres://ann@/mail?host=/run/pg&port=6000"), expected);
  });

  it("are shown with sslmode where it is not the default", () => {
    const shown = (url: string): string => parseDatabaseUrl(url).safeUrl;
    assert.equal(shown("postgres://ann@h/d?sslmode=disable"), "postgres://ann@h:5432/d");
    assert.equal(shown("postgres://ann:secret@h/d?sslmode=verify-full"), "postgres://ann@h:5432/d?sslmode=verify-full");
  });

  it("include a name, a time limit and options of the session", () => {
    const url = "postgres://ann@h/d?application_name=a%20b&connect_timeout=7&options=-c%20search_path=mail";
    const { config } = parseDatabaseUrl(url);
    assert.equal(config.application_name, "a b");
    assert.equal(config.connectionTimeoutMillis, 7000);
    assert.match(config.options ?? "", / -c search_path=mail$/);
    assert.equal(parseDatabaseUrl("postgres://ann@h").config.application_name, "postrider");
  });
});

describe("a fault in DATABASE_URL", () => {
  const faults: [url: string, fault: RegExp][] = [
    ["", /must begin with postgres:\/\/ or postgresql:\/\//],
    ["mysql://ann:secret@h/d", /must begin with postgres:\/\//],
    ["postgres://ann:sec/ret@h/d", /is not of the form .* percent-encode/],
    ["postgres://ann:sec?ret@h/d", /is not of the form/],
    ["postgres://ann:sec#ret@h/d", /is not of the form/],
    ["postgres://ann:sec@ret@h/d", /is not of the form/],
    ["postgres://ann:sec ret@h/d", /is not of the form/],
    ["postgres://ann:secret@h/d\n", /is not of the form/],
    ["postgres://ann:secret%@h/d", /password with a % that is not followed/],
    ["postgres://ann:secret%00@h/d", /password with a control character/],
    ["postgres://:secret@h/d", /names no user/],
    ["postgres://h/d", /names no user/],
    ["postgres://ann:secret/h", /names no user|HOST:PORT/],
    ["postgres://ann:secret@/d", /names no host/],
    ["postgres://ann:secret@one,two/d", /names several hosts/],
    ["postgres://ann:secret@/d?host=one,two", /names several hosts/],
    ["postgres://ann:secret@h:x/d", /HOST:PORT/],
    ["postgres://ann:secret@::1/d", /HOST:PORT.* IPv6 address in brackets/],
    ["postgres://ann:secret@h:65536/d", /has port=65536: .* from 1 to 65535/],
    ["postgres://ann:secret@h/d?connect_timeout=0", /has connect_timeout=0: .* from 1 to 300/],
    ["postgres://ann@h/d?password=secret", /write it before the host/],
    ["postgres://ann:secret@h/d?sslmodus=x", /the parameter sslmodus, which is not supported/],
    ["postgres://ann:secret@h/d?SECRET%20=x", /has a parameter, which is not supported/],
    ["postgres://ann:secret@h/d?sslmode", /sslmode without a value/],
    ["postgres://ann:secret@h/d?sslmode=on", /has sslmode=on: it must be disable, require/],
    ["postgres://ann:secret@h/d?sslmode=prefer", /may not encrypt/],
    ["postgres://ann:secret@h/d?sslmode=allow", /may not encrypt/],
    ["postgres://ann:secret@h/d?sslmode=require", /accepts a wrong server: use sslmode=verify-full/],
    ["postgres://ann:secret@h/d?sslmode=verify-ca&sslrootcert=system", /accepts a wrong server/],
    ["postgres://ann:secret@h/d?sslcert=/none", /one of sslcert and sslkey/],
    ["postgres://ann:secret@h/d?sslrootcert=/none", /sslrootcert=\/none, which cannot be read: no such file/],
    ["postgres://ann:secret@%2Frun/d?sslmode=verify-full", /Unix-domain socket/],
  ];
  for (const [url, fault] of faults) {
    it(`is one line without the password: ${JSON.stringify(url)}`, () => {
      assert.throws(
        () => parseDatabaseUrl(url),
        ({ message }: Error) => {
          assert.match(message, /^DATABASE_URL [^\n]*$/);
          assert.match(message, fault);
          assert.doesNotMatch(message, /sec|ret@/i);
          return true;
        },
      );
    });
  }

  it("never shows the password, however it is written", () => {
    const password = fc.string({ minLength: 4, maxLength: 12, unit: "grapheme-ascii" }).map((text) => `${text}Xq7z`);
    const rest = fc.constantFrom("@h/d", "@h:5432/d", "@h:0/d", "@/d?host=h", "@h/d?sslmode=verify");
    fc.assert(
      fc.property(password, rest, (secret, end) => {
        let shown: string;
        try {
          const address = parseDatabaseUrl(`postgres://ann:${secret}${end}`);
          shown = `${address.safeUrl} ${inspect(address, { depth: 9 })} ${JSON.stringify(address)}`;
        } catch (error) {
          shown = (error as Error).message;
        }
        assert.ok(!shown.includes("Xq7z"), shown);
      }),
    );
  });
});

describe("the TLS of DATABASE_URL", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("verifies the server as sslmode demands, and shows the client's certificate", async (t) => {
    const authority = certificateAuthority("Database Authority");
    const { key, cert } = authority.issue("localhost");
    const settings = { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key", ssl_ca_file: "clients.crt" };
    const client = selfSigned("ann");
    const files = { "server.crt": cert, "server.key": key, "clients.crt": client.cert };
    const server = await startPostgres({ settings, files });
    t.after(() => server.close());
    const own = fileIn(t, "own.crt", authority.cert);
    const foreign = fileIn(t, "foreign.crt", certificateAuthority("Another").cert);
    const pair = `sslcert=${fileIn(t, "c.crt", client.cert)}&sslkey=${fileIn(t, "c.key", client.key)}`;
    const named = server.url.replace("127.0.0.1", "localhost");

    assert.equal(await tlsOf(named), "none");
    assert.equal(await tlsOf(`${named}?sslrootcert=${own}`), "verified");
    assert.equal(await tlsOf(`${named}?sslmode=verify-full&sslrootcert=${own}&${pair}`), "verified, client ann");
    assert.equal(await tlsOf(`${server.url}?sslmode=verify-ca&sslrootcert=${own}`), "verified");
    assert.equal(await tlsOf(`${server.url}?sslmode=require&sslrootcert=${own}`), "verified");
    await assert.rejects(tlsOf(`${server.url}?sslmode=verify-full&sslrootcert=${own}`), /does not match/);
    for (const mode of ["require", "verify-ca", "verify-full"]) {
      await assert.rejects(tlsOf(`${named}?sslmode=${mode}&sslrootcert=${foreign}`), /certificate/);
    }
    await assert.rejects(tlsOf(`${named}?sslmode=verify-full`), /certificate/);
  });

  it("is refused with a file that is not what its parameter needs", (t) => {
    const [one, two] = [selfSigned("one"), selfSigned("two")];
    const [cert, key] = [fileIn(t, "one.crt", one.cert), fileIn(t, "two.key", two.key)];
    const parse = (query: string) => () => parseDatabaseUrl(`postgres://ann:secret@h/d?${query}`);
    assert.throws(parse(`sslrootcert=${key}`), /^Error: DATABASE_URL has sslrootcert=\S+, which is not a certificate/);
    assert.throws(parse(`sslcert=${cert}&sslkey=${key}`), /^Error: DATABASE_URL has sslkey=\S+, which is not the key/);
  });
});

function fileIn(t: TestContext, name: string, content: string): string {
  const file = join(tempDir(t), name);
  writeFileSync(file, content);
  return file;
}

/** What the server knows of the encryption of a connection. */
async function tlsOf(url: string): Promise<string> {
  const client = new pg.Client(parseDatabaseUrl(url).config);
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query("SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
  await client.end();
  const [{ ssl, client_dn: name }] = rows;
  if (!ssl) return "none";
  return name === null ? "verified" : `verified, client ${name.replace(/.*CN=/, "")}`;
}
