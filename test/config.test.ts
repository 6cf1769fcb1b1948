/** The environment as the service and the command line read it. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readConfig, readRemote, requireRemote } from "../src/config.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import { runCli } from "./support/run-cli.ts";
import { tempDir } from "./support/temp-dir.ts";

const EMAIL = "ann@shop.example";

/** Runs `act` without root's rights. */
function withoutRights(act: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("configuration", () => {
  it("names the variable that is not valid", () => {
    const faults: [string, string][] = [
      ["PORT", "99999"],
      ["PORT", "eighty"],
      ["SENDING_IPS", "192.0.2.1,mail"],
      ["DNS_SERVERS", "dns.example"],
      ["DNS_SERVERS", "192.0.2.1:port"],
      ["SMTP_ALLOW_PRIVATE", "maybe"],
      ["SINK", "localhost"],
      ["RATE_PER_SECOND", "-1"],
      ["RETRY_SCHEDULE", "1m,soon"],
      ["RETRY_MAX_AGE", "48"],
      ["UNKNOWN_POLICY", "guess"],
      ["PUBLIC_URL", "example.com"],
      ["PROBE_DOMAINS", "gmail"],
      ["BLOCKLISTS", "zen.spamhaus.org,1.2.3.4"],
      ["LOG_LEVEL", "loud"],
      ["MESSAGE_BYTES_MAX", "0"],
      ["SUPPRESS_AFTER", "21"],
      ["DOMAINS_MAX", "0"],
      ["KEYS_MAX", "many"],
      ["USERS_MAX", "1000001"],
      ["WEBHOOKS_MAX", "0"],
      ["WEBHOOKS_MAX", "1001"],
      ["WEBHOOK_ALLOW_PRIVATE", "maybe"],
      ["TLS_REPORTS_FROM", "reports"],
      ["FEEDBACK_ID", "off"],
      ["FEEDBACK_ID", "sixteen-letters-"],
      ["FEEDBACK_ID", "a:b:c:sender"],
      ["TRUST_PROXY", "yes"],
      ["TRUST_PROXY", "-1"],
      ["DNS_SERVERS", "127.0.0.1:0"],
      ["DNS_SERVERS", "192.0.2.1,[::1]:65536"],
      ["DNS_SERVERS", "[192.0.2.1]:53"],
      ["DNS_SERVERS", ","],
      ["SINK", "127.0.0.1:0"],
      ["SINK", "sink.example:65536"],
      ["SINK", "[sink.example]:25"],
      ["SINK", "a..b:25"],
      ["SMTP_PORT", "0"],
      ["SMTP_PORT", "65536"],
      ["PUBLIC_URL", "http://localhost:65536"],
      ["HOST", "[::1]"],
      ["HOST", "127.0.0.1:8080"],
      ["MTA_HOSTNAME", "192.0.2.1"],
      ["MTA_HOSTNAME", "mta..example"],
      ["SENDING_IPS", ","],
      ["RETRY_SCHEDULE", ","],
      ["RETRY_SCHEDULE", "1m,0s"],
      ["RETRY_MAX_AGE", "3651d"],
      ["RETENTION_BODY", "7"],
      ["RETENTION_RESULTS", "0s"],
      ["STOP_REPLY_WAIT", "60"],
      ["STOP_REPLY_WAIT", "601s"],
    ];
    for (const [name, value] of faults) {
      assert.throws(() => readConfig({ [name]: value }), { name: "ConfigError", message: new RegExp(`^${name}=`) });
    }
    assert.throws(() => readConfig({ ADMIN_EMAIL: "a@b.example" }), /ADMIN_EMAIL and ADMIN_PASSWORD/);
  });

  it("accepts port 0 to listen on, and IPv6 for every address", () => {
    const config = readConfig({ PORT: "0", HOST: "::1", SINK: "[::1]:65535", DNS_SERVERS: "::1,[::1]:1" });
    assert.deepEqual([config.port, config.host], [0, "::1"]);
    assert.deepEqual(config.sink, { host: "::1", port: 65_535 });
    assert.deepEqual(config.dnsServers, ["::1", "[::1]:1"]);
  });

  it("gives the reason for a minimum duration", () => {
    assert.throws(() => readConfig({ RETRY_MAX_AGE: "0s" }), {
      message:
        "RETRY_MAX_AGE=0s is not valid: it must be at least 1s, or the first temporary failure would be permanent",
    });
  });

  it("refuses a first user with an invalid password, without showing it", () => {
    const admin = (email: string, password: string) => readConfig({ ADMIN_EMAIL: email, ADMIN_PASSWORD: password });
    assert.throws(() => admin("ann@shop.example", "too-short"), {
      name: "ConfigError",
      message: "ADMIN_PASSWORD is not valid: it must have at least 10 characters",
    });
    assert.throws(() => admin("ann", "long enough"), /^ConfigError: ADMIN_EMAIL=ann is not valid/);
    const given = { email: "ann@shop.example", password: "long enough" };
    assert.deepEqual(admin("ann@shop.example", "long enough").admin, given);
  });

  it("reads the first user's password from a file, without its newline", (t) => {
    const file = join(tempDir(t), "password");
    const read = (content: string) => {
      writeFileSync(file, content);
      return readConfig({ ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD_FILE: file }).admin?.password;
    };
    assert.equal(read("long enough"), "long enough");
    assert.equal(read("long enough\n"), "long enough");
    assert.equal(read("long enough\r\n"), "long enough");
    assert.equal(read(" blanks belong to it \n"), " blanks belong to it ");
    const single = `ADMIN_PASSWORD_FILE=${file} is not valid: the file must hold a single line`;
    for (const content of ["long enough\n\n", "two lines\nof a password\n"]) {
      assert.throws(() => read(content), { name: "ConfigError", message: single });
    }
    for (const [content, limit] of [
      ["", "least 10"],
      ["too-short\n", "least 10"],
      ["x".repeat(1001), "most 1000"],
    ] as const) {
      const message = `ADMIN_PASSWORD_FILE=${file} is not valid: it must have at ${limit} characters`;
      assert.throws(() => read(content), { name: "ConfigError", message });
    }
  });

  it("accepts the first user's password from one variable only", () => {
    const both = { ADMIN_PASSWORD: "long enough", ADMIN_PASSWORD_FILE: "/nowhere" };
    const message = "ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set: set one of them";
    assert.throws(() => readConfig({ ADMIN_EMAIL: EMAIL, ...both }), { name: "ConfigError", message });
    assert.throws(() => readConfig(both), { name: "ConfigError", message });
    assert.throws(() => readConfig({ ADMIN_PASSWORD_FILE: "/nowhere" }), /ADMIN_EMAIL and ADMIN_PASSWORD/);
    assert.equal(readConfig({ ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_PASSWORD_FILE: "" }).admin, null);
  });

  it("names a password file that is not readable, and the reason", (t) => {
    const dir = tempDir(t);
    writeFileSync(join(dir, "secret"), "long enough", { mode: 0o000 });
    mkdirSync(join(dir, "directory"));
    const read = (file: string) => readConfig({ ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD_FILE: file });
    const refuses = (file: string, reason: string) =>
      assert.throws(() => read(file), {
        name: "ConfigError",
        message: `ADMIN_PASSWORD_FILE=${file} is not readable: ${reason}`,
      });
    refuses(join(dir, "missing"), "no such file or directory (ENOENT)");
    refuses(join(dir, "directory"), "illegal operation on a directory (EISDIR)");
    withoutRights(() => refuses(join(dir, "secret"), "permission denied (EACCES)"));
  });

  it("has certificates by ACME for public names, or names what is at fault", () => {
    const env = {
      ACME_EMAIL: "ops@shop.test",
      MTA_HOSTNAME: "mta.shop.test",
      PUBLIC_URL: "https://mail.shop.test:8443",
    };
    const { acme } = readConfig(env);
    assert.deepEqual(acme?.names, ["mta.shop.test", "mail.shop.test"]);
    assert.deepEqual([acme?.email, acme?.httpPort, acme?.servesHttp], ["ops@shop.test", 80, true]);
    assert.equal(readConfig({ ...env, ACME_HTTP_PORT: "none" }).acme?.httpPort, null);
    const behindProxy = readConfig({ ...env, TRUST_PROXY: "1" }).acme;
    assert.deepEqual([behindProxy?.names, behindProxy?.servesHttp], [["mta.shop.test"], false]);
    assert.deepEqual(readConfig({ ...env, PUBLIC_URL: "https://192.0.2.1" }).acme?.names, ["mta.shop.test"]);
    assert.equal(readConfig({ ...env, ACME_EMAIL: "" }).acme, null);
    for (const [change, message] of [
      [{ ACME_EMAIL: "ops" }, /^ACME_EMAIL=ops is not valid: /],
      [{ ACME_DIRECTORY: "http://ca.test/dir" }, /^ACME_DIRECTORY=http:\/\/ca\.test\/dir is not valid: .*https URL/],
      [{ ACME_HTTP_PORT: "70000" }, /^ACME_HTTP_PORT=70000 is not valid: /],
      [{ ACME_HTTP_PORT: "none", TRUST_PROXY: "1" }, /^ACME_HTTP_PORT=none needs TRUST_PROXY=0/],
      [{ MTA_HOSTNAME: "host", PUBLIC_URL: "" }, /^ACME_EMAIL needs a public host name: .*MTA_HOSTNAME \(now host\)/],
    ] as const) {
      assert.throws(() => readConfig({ ...env, ...change }), { name: "ConfigError", message });
    }
  });

  it("has a second DKIM signature with domain, selector and key, or names the one at fault", (t) => {
    const file = join(tempDir(t), "host.pem");
    const key = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
    writeFileSync(file, key.export({ type: "pkcs8", format: "pem" }));
    const env = { HOST_DKIM_DOMAIN: "Mail.Example.com.", HOST_DKIM_SELECTOR: "h1", HOST_DKIM_KEY_FILE: file };
    const { hostDkim } = readConfig(env);
    assert.deepEqual([hostDkim?.domain, hostDkim?.selector, hostDkim?.keyFile], ["mail.example.com", "h1", file]);
    assert.ok(hostDkim?.privateKey?.equals(key));
    assert.equal(
      readConfig({ ...env, HOST_DKIM_KEY_FILE: "/nowhere" }, { secretFiles: false }).hostDkim?.privateKey,
      null,
    );
    assert.equal(readConfig({}).hostDkim, null);
    for (const [change, message] of [
      [{ HOST_DKIM_DOMAIN: "mail..example" }, /^HOST_DKIM_DOMAIN=mail\.\.example is not valid: /],
      [{ HOST_DKIM_SELECTOR: "h 1" }, /^HOST_DKIM_SELECTOR=h 1 is not valid: /],
      [{ HOST_DKIM_SELECTOR: "x".repeat(64) }, /^HOST_DKIM_SELECTOR=x+ is not valid: /],
      [{ HOST_DKIM_KEY_FILE: "/nowhere" }, /^HOST_DKIM_KEY_FILE=\/nowhere is not readable: no such file or directory/],
      [{ HOST_DKIM_KEY_FILE: "/dev/null" }, /^HOST_DKIM_KEY_FILE=\/dev\/null is not valid: .*RSA private key/],
    ] as const) {
      assert.throws(() => readConfig({ ...env, ...change }), { name: "ConfigError", message });
    }
    for (const name of Object.keys(env)) {
      assert.throws(() => readConfig({ ...env, [name]: "" }), {
        name: "ConfigError",
        message: "HOST_DKIM_DOMAIN, HOST_DKIM_SELECTOR and HOST_DKIM_KEY_FILE must be set together",
      });
    }
  });

  it("reads TLS rules from a file, or names the file, the line and its fault", (t) => {
    const file = join(tempDir(t), "tls-policy");
    const read = (content: string) => {
      writeFileSync(file, content);
      return [...readConfig({ TLS_POLICY_FILE: file }).tlsRules];
    };
    assert.deepEqual(read("a.example require\n"), [["a.example", "require"]]);
    const inFile = `TLS_POLICY_FILE=${file} is not valid:`;
    for (const [content, fault] of [
      ["# a\nb.example often\n", "line 2: after b.example there must be one of require, encrypt, default"],
      [`#${"ü".repeat(524_288)}`, "the file must have at most 1 MiB"],
    ] as const) {
      assert.throws(() => read(content), { name: "ConfigError", message: `${inFile} ${fault}` });
    }
    assert.deepEqual(read(`#${"ü".repeat(524_287)}`), []);
    assert.throws(
      () => readConfig({ TLS_POLICY_FILE: "/nowhere" }),
      /^ConfigError: TLS_POLICY_FILE=\/nowhere is not readable/,
    );
  });

  it("reads where a service is reached, and repeats no secret in an error", () => {
    const { key } = newApiKey();
    const read = (url: string, POSTRIDER_KEY = key) => requireRemote(readRemote({ POSTRIDER_URL: url, POSTRIDER_KEY }));
    assert.deepEqual(read("https://mail.example.com/"), { url: "https://mail.example.com", key });
    assert.deepEqual(read("http://127.0.0.1:8080/mail"), { url: "http://127.0.0.1:8080/mail", key });
    assert.throws(() => requireRemote(readRemote({})), /^ConfigError: POSTRIDER_URL and POSTRIDER_KEY are not set/);
    assert.throws(
      () => read("https://mail.example.com", ""),
      /^ConfigError: POSTRIDER_URL is set and POSTRIDER_KEY is not/,
    );
    for (const url of [
      "mail.example.com",
      "ftp://a.example",
      "https://a:secret@b.example",
      "https://a.example/?secret",
      "https://a.example/#a",
    ])
      assert.throws(() => read(url), /^ConfigError: POSTRIDER_URL(?!.*secret)/, url);
    assert.throws(() => read("https://a.example", "secret"), /^ConfigError: POSTRIDER_KEY is not valid: (?!.*secret)/);
  });

  it("does not read secret files for the command line", async (t) => {
    const dir = tempDir(t);
    const env = { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD_FILE: join(dir, "missing") };
    assert.equal(readConfig(env, { secretFiles: false }).admin, null);
    const places = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") };
    const made = await runCli(["accounts", "create", "second"], { ...places, ...env });
    assert.equal(made.code, 0, made.stderr);
  });

  it("reads the identity provider, and names what is wrong with it", (t) => {
    const file = join(tempDir(t), "secret");
    writeFileSync(file, "the secret\n");
    const env = { OIDC_ISSUER: "https://id.example/", OIDC_CLIENT_ID: "p", OIDC_CLIENT_SECRET_FILE: file };
    const groups = "Mail: owners = x=shop:owner, mail=default:viewer";
    const { oidc, passwordSignIn } = readConfig({ ...env, OIDC_GROUPS: groups, PASSWORD_SIGN_IN: "operators" });
    assert.equal(passwordSignIn, "operators");
    assert.deepEqual(oidc, {
      issuer: "https://id.example/",
      clientId: "p",
      clientSecret: "the secret",
      groupsClaim: "groups",
      groups: [
        { group: "Mail: owners = x", account: "shop", role: "owner" },
        { group: "mail", account: "default", role: "viewer" },
      ],
    });
    const beside = { ...env, OIDC_CLIENT_SECRET_FILE: "/nowhere" };
    assert.equal(readConfig(beside, { secretFiles: false }).oidc?.clientSecret, null);
    assert.equal(readConfig({ ...env, OIDC_ISSUER: "http://127.0.0.1:9/x" }).oidc?.issuer, "http://127.0.0.1:9/x");
    const faults: [Record<string, string>, RegExp][] = [
      [{ OIDC_ISSUER: "http://id.example" }, /^OIDC_ISSUER=http:\/\/id\.example is not valid: it must be an https URL/],
      [{ OIDC_ISSUER: "https://id.example?a" }, /^OIDC_ISSUER=.* is not valid: /],
      [{ OIDC_ISSUER: "id.example" }, /^OIDC_ISSUER=id\.example is not valid: /],
      [{ OIDC_CLIENT_ID: "" }, /must be set together$/],
      [{ OIDC_CLIENT_SECRET_FILE: "/nowhere" }, /^OIDC_CLIENT_SECRET_FILE=\/nowhere is not readable: /],
      [
        { OIDC_CLIENT_SECRET_FILE: "/dev/null" },
        /^OIDC_CLIENT_SECRET_FILE=\/dev\/null is not valid: the file is empty/,
      ],
      [{ OIDC_GROUPS: "mail=shop" }, /^OIDC_GROUPS=mail=shop is not valid: it must be a list of group=account:role/],
      [{ OIDC_GROUPS: "mail=shop:admin" }, /^OIDC_GROUPS=mail=shop:admin is not valid: .*owner, developer, viewer$/],
      [{ PASSWORD_SIGN_IN: "off" }, /^PASSWORD_SIGN_IN=off is not valid: it must be one of on, operators$/],
    ];
    for (const [change, message] of faults) {
      assert.throws(() => readConfig({ ...env, ...change }), { name: "ConfigError", message }, JSON.stringify(change));
    }
    assert.throws(() => readConfig({ PASSWORD_SIGN_IN: "operators" }), { message: /needs OIDC_ISSUER/ });
    assert.throws(() => readConfig({ OIDC_GROUPS: "a=b:owner" }), { message: /need OIDC_ISSUER/ });
  });

  it("reads each setting that docs/CONFIGURATION.md lists, and no other", () => {
    const read = new Set<string>();
    const environment = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
    readConfig(environment);
    const page = readFileSync(new URL("../docs/CONFIGURATION.md", import.meta.url), "utf8");
    const cells = page.split("\n").map((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? "");
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    assert.deepEqual(listed.sort(), [...read].sort());
  });

  it("has the defaults that docs/CONFIGURATION.md states", () => {
    const config = readConfig({});
    assert.equal(config.port, 8080);
    assert.equal(config.publicUrl, "http://localhost:8080");
    assert.deepEqual(
      config.retrySchedule,
      [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800].map((s) => s * 1000),
    );
    assert.equal(config.retryMaxAgeMs, 48 * 3_600_000);
    assert.deepEqual(config.retention, { contentsMs: 7 * 24 * 3_600_000, resultsMs: 30 * 24 * 3_600_000 });
    assert.equal(config.stopReplyWaitMs, 60_000);
    assert.equal(readConfig({ STOP_REPLY_WAIT: "0s" }).stopReplyWaitMs, 0);
    assert.equal(config.messageBytesMax, 10_485_760);
    assert.equal(config.suppressAfter, 3);
    assert.equal(readConfig({ SUPPRESS_AFTER: "0" }).suppressAfter, 0);
    assert.deepEqual([config.domainsMax, config.keysMax, config.usersMax], [500, 500, 200]);
    assert.equal(readConfig({ KEYS_MAX: "3" }).keysMax, 3);
    assert.deepEqual([config.webhooksMax, config.webhookAllowPrivate], [20, false]);
    const webhooks = readConfig({ WEBHOOKS_MAX: "1000", WEBHOOK_ALLOW_PRIVATE: "true" });
    assert.deepEqual([webhooks.webhooksMax, webhooks.webhookAllowPrivate], [1000, true]);
    assert.equal(config.tlsReportsFrom, null);
    assert.equal(config.feedbackSenderId, null);
    assert.equal(readConfig({ FEEDBACK_ID: "postrider-1" }).feedbackSenderId, "postrider-1");
    const { tlsReportsFrom } = readConfig({ TLS_REPORTS_FROM: "tls@Shop.Example" });
    assert.deepEqual(tlsReportsFrom, { local: "tls", domain: "shop.example" });
    assert.deepEqual([config.ratePerSecond, config.rateBurst, config.quotaDaily], [10, 20, 0]);
    assert.deepEqual(readConfig({ SINK: "[::1]:2525" }).sink, { host: "::1", port: 2525 });
    assert.deepEqual(readConfig({ DNS_SERVERS: "192.0.2.1, [2001:db8::1]:53" }).dnsServers, [
      "192.0.2.1",
      "[2001:db8::1]:53",
    ]);
  });
});
