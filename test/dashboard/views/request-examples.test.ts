/** The examples of requests are programs that send exactly this request, whatever text is in it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { repeatedCommand } from "../../../src/dashboard/views/curl-commands.ts";
import type { ExampleRequest } from "../../../src/dashboard/views/example-request.ts";
import { LANGUAGES, type Language, requestExample } from "../../../src/dashboard/views/request-examples.ts";
import { withoutProgram } from "../../support/debian-program.ts";
import { tempDir } from "../../support/temp-dir.ts";

const run = promisify(execFile);

/** How to run a program of each language. */
const PROGRAMS: Readonly<Record<Language, [command: string, file: string]>> = {
  curl: ["sh", "example.sh"],
  node: [process.execPath, "example.mjs"],
  python: ["python3", "example.py"],
  php: ["php", "example.php"],
};

/** Why programs of the language cannot be run here; false if they can. */
function missing(language: Language): string | false {
  if (language === "curl") return withoutProgram("curl", "curl");
  if (language === "python") return withoutProgram("python3", "python3");
  if (language === "php") return withoutProgram("php", "php-cli php-curl", "php -m | grep -qx curl");
  return false;
}

interface Received {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  type: string | undefined;
  body: string;
}

/** Answers every request with 202, and returns what it was. */
async function listen(t: TestContext): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const { method, url, headers } = req;
    received.push({
      method,
      url,
      authorization: headers.authorization,
      type: headers["content-type"],
      body: await text(req),
    });
    res.writeHead(202).end("taken");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const HOSTILE = {
  quotes: `'"\`\\ $KEY \${KEY} {$x} %s #{x} <?php ?> \\n`,
  lines: "one\n\ttwo\r\u0001\b",
  unicode: "Grüße 😀 \u2028",
  list: [1, true, false, null, [], {}],
  inner: { "a b": ["x"] },
};

for (const { id } of LANGUAGES) {
  test(`an example in ${id} sends its request`, { timeout: 60_000 }, async (t) => {
    const reason = missing(id);
    if (reason !== false) return t.skip(reason);
    const { url, received } = await listen(t);
    const requests: ExampleRequest[] = [
      {
        method: "POST",
        url: `${url}/send?a=1&b=2`,
        needsKey: true,
        body: { type: "application/json", value: HOSTILE },
      },
      { method: "GET", url: `${url}/list`, needsKey: true, body: null },
      { method: "GET", url: `${url}/healthz`, needsKey: false, body: null },
    ];
    const dir = tempDir(t);
    const [command, file] = PROGRAMS[id];
    for (const [i, request] of requests.entries()) {
      writeFileSync(join(dir, file), requestExample(id, request));
      const { stdout } = await run(command, [join(dir, file)], {
        env: { ...process.env, POSTRIDER_API_KEY: "svc_live_secret" },
      });
      assert.match(stdout, /taken/);
      const got = received[i];
      assert.ok(got);
      assert.deepEqual([got.method, url + got.url], [request.method, request.url]);
      assert.equal(got.authorization, request.needsKey ? "Bearer svc_live_secret" : undefined);
      if (request.body === null) continue;
      assert.equal(got.type, "application/json");
      assert.deepEqual(JSON.parse(got.body), request.body.value);
    }
  });
}

test("the command that repeats a request sends any path and body as they are", { skip: missing("curl") }, async (t) => {
  const { url, received } = await listen(t);
  const file = join(tempDir(t), "secret");
  writeFileSync(file, "secret");
  const path = "/a/[1-3]/{b,c}/../it's";
  const command = repeatedCommand({ method: "POST", url: `${url}${path}` });
  const env = { ...process.env, POSTRIDER_API_KEY: "key", BODY: `@${file}` };
  await run("sh", ["-c", command], { env });
  assert.deepEqual(
    received.map((request) => [request.method, request.url, request.body]),
    [["POST", path, `@${file}`]],
  );
});
