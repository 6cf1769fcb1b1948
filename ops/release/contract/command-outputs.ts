/** The forms of the command line's `--json` output, as commands print them on an installation of their own, on loopback. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runCommandLine } from "../../../src/service/command-line.ts";
import { startZoneServer, type ZoneServer } from "../../../src/testing/zone-server.ts";
import type { Json } from "./schema-breaks.ts";

type Forms = Record<string, Record<string, string[]>>;

/** Runs each kind of command once. Rejects if one fails. */
export async function commandOutputs(): Promise<Forms> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-contract-"));
  const zone = await startZoneServer();
  try {
    return await recordForms(zone, {
      DATA_DIR: join(dir, "data"),
      CERTS_DIR: join(dir, "certs"),
      HOST: "127.0.0.1",
      MTA_HOSTNAME: "mta.shop.example",
      SENDING_IPS: "127.0.0.1",
      DNS_SERVERS: zone.address,
      SMTP_ALLOW_PRIVATE: "true",
      WEBHOOK_ALLOW_PRIVATE: "true",
    });
  } finally {
    await zone.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function recordForms(zone: ZoneServer, env: Record<string, string>): Promise<Forms> {
  const forms: Forms = {};
  const run = async (name: string, ...more: string[]) => {
    const result = await output([...name.split(" "), ...more, "--json"], env);
    forms[name] = formOf(result);
    // biome-ignore lint/suspicious/noExplicitAny: what commands print has many forms
    return result as any;
  };
  await run("accounts create", "red");
  await run("accounts list");
  await run("users create", "ann@shop.example", "--account", "default", "--password-stdin");
  await run("users list");
  const { records } = await run("domains add", "shop.example");
  zone.set("mta.shop.example", "A", ["127.0.0.1"]);
  for (const { name, type, value } of records) zone.set(name, type, [value]);
  zone.set("mail.shop.example", "A", ["127.0.0.1"]);
  await run("domains verify", "shop.example");
  await run("domains return-path", "shop.example", "on");
  await run("domains show", "shop.example");
  await run("domains list");
  const key = await run("keys create", "--name", "website");
  await run("keys list");
  await run("keys revoke", key.id);
  const send = ["--from", "hello@shop.example", "--to", "ann@customers.example", "--subject", "Hi", "--text", "Hello"];
  const { id } = await run("send", ...send);
  await run("messages list");
  await run("messages show", id);
  await run("queue list");
  await run("queue cancel", id);
  await run("suppressions add", "bob@customers.example");
  await run("suppressions list");
  await run("suppressions test", "bob@customers.example");
  await run("webhooks create", "http://127.0.0.1:9/hook");
  const [webhook] = await run("webhooks list");
  await run("webhooks rotate", webhook.id);
  await run("webhooks remove", webhook.id);
  await run("receivers list");
  await run("receivers show", "gmail");
  await run("pools create", "bulk");
  await run("pools list");
  await run("addresses list");
  await run("audit list");
  await run("help");
  await run("--version");
  return forms;
}

async function output(args: string[], env: Record<string, string>): Promise<Json> {
  const out = { text: "", error: "" };
  const code = await runCommandLine(args, {
    env,
    input: Readable.from([Buffer.from("correct horse battery\n")]),
    write(text) {
      out.text += text;
    },
    writeError(text) {
      out.error += text;
    },
  });
  if (code !== 0) throw new Error(`postrider ${args.join(" ")} ended with ${code}: ${out.error}`);
  return JSON.parse(out.text) as Json;
}

/** The types at each path, such as `[].id: string`. */
export function formOf(value: Json): Record<string, string[]> {
  const form: Record<string, string[]> = {};
  const visit = (part: Json, path: string): void => {
    const type = part === null ? "null" : Array.isArray(part) ? "array" : typeof part;
    form[path] = [...new Set([...(form[path] ?? []), type])].sort();
    if (Array.isArray(part)) for (const item of part) visit(item, `${path}[]`);
    else if (part !== null && typeof part === "object")
      for (const [name, item] of Object.entries(part)) visit(item, `${path}.${name}`);
  };
  visit(value, "");
  return form;
}
