/** Programs of Debian that submit one message and end: swaks, curl, msmtp, PHP's mail() through msmtp, and s-nail. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type ClientDirectory, clientDirectory, missingClients } from "../support/debian-clients.ts";
import type { Ended } from "../support/debian-peers.ts";
import { RECIPIENT, startSubmissionSite } from "../support/submission-site.ts";
import { builtMessage, type Client, conforms, filesFor, type Submission, TEXT, type Tls } from "./scenario.ts";
import { settingsOf } from "./settings.ts";

const skip = missingClients(["languages"]);

interface Command extends Omit<Client, "send"> {
  send(directory: ClientDirectory, submission: Submission): Promise<Ended>;
}

const SWAKS_TLS: Readonly<Record<Tls, string[]>> = { starttls: ["--tls"], tls: ["--tlsc"], none: [] };

/** The subject is sent as UTF-8, without encoded words. */
const swaks: Command["send"] = (directory, { tls, host, port, key, sender, subject }) =>
  directory.run([
    "swaks",
    "--server",
    tls === "none" ? "127.0.0.1" : host,
    "--port",
    String(port),
    ...SWAKS_TLS[tls],
    ...(tls === "none" ? [] : ["--tls-verify", "--tls-ca-path", "ca.crt"]),
    "--auth",
    "LOGIN",
    "--auth-user",
    "any",
    "--auth-password",
    key,
    "--from",
    sender,
    "--to",
    RECIPIENT,
    "--header",
    `Subject: ${subject}`,
    "--attach-type",
    "text/plain",
    "--attach-body",
    "@text.txt",
    "--attach-type",
    "text/html",
    "--attach",
    "@page.html",
    "--attach-type",
    "application/octet-stream",
    "--attach-name",
    "data.dat",
    "--attach",
    "@data.dat",
  ]);

const curl: Command["send"] = (directory, { tls, host, port, key, ...message }) =>
  directory.run(
    [
      "curl",
      "-sS",
      "-v",
      ...(tls === "starttls" ? ["--ssl-reqd"] : []),
      "--crlf",
      "--upload-file",
      "-",
      "--user",
      `any:${key}`,
      "--mail-from",
      message.sender,
      "--mail-rcpt",
      RECIPIENT,
      `${tls === "tls" ? "smtps" : "smtp"}://${host}:${port}`,
    ],
    { input: Buffer.from(builtMessage(message)) },
  );

function configureMsmtp({ path }: ClientDirectory, { tls, port, key }: Submission): void {
  const [settings = ""] = settingsOf("PHP's mail(), cron and other users of sendmail: msmtp", { port, key });
  writeFileSync(join(path, "msmtprc"), `${settings}${tls === "tls" ? "tls_starttls off\n" : ""}`, { mode: 0o600 });
}

const msmtp: Command["send"] = (directory, submission) => {
  configureMsmtp(directory, submission);
  const input = Buffer.from(builtMessage(submission));
  return directory.run(["msmtp", "-C", "msmtprc", "-f", submission.sender, "-t"], { input });
};

/** mail() adds the last line end. */
const MAIL = `
[$header, $body] = explode("\\n\\n", stream_get_contents(STDIN), 2);
preg_match("/^Subject: (.*)\\n/m", $header, $subject);
$others = preg_replace("/^(Subject|To): .*\\n/m", "", $header);
exit(mail(getenv("RECIPIENT"), $subject[1], rtrim($body), $others) ? 0 : 1);
`;

const phpMail: Command["send"] = (directory, submission) => {
  configureMsmtp(directory, submission);
  const input = Buffer.from(builtMessage(submission));
  return directory.run(["php", "-d", "sendmail_path=/usr/bin/msmtp -C msmtprc -t", "-r", MAIL], {
    input,
    env: { RECIPIENT },
  });
};

const snail: Command["send"] = (directory, { tls, host, port, key, sender, subject }) => {
  const url = `${tls === "tls" ? "smtps" : "smtp"}://any:${key}@${host}:${port}`;
  const set = [
    "v15-compat",
    `mta=${url}`,
    "smtp-auth=plain",
    `from=${sender}`,
    "sendwait",
    "sendcharsets=utf-8",
    "tls-verify=strict",
    ...(tls === "starttls" ? ["smtp-use-starttls"] : []),
  ];
  return directory.run(
    [
      "s-nail",
      "-:/",
      ...set.flatMap((each) => ["-S", each]),
      "-s",
      subject,
      "-a",
      "page.html",
      "-a",
      "data.dat",
      RECIPIENT,
    ],
    { input: Buffer.from(TEXT) },
  );
};

const COMMANDS: readonly Command[] = [
  { name: "swaks", ways: ["starttls", "tls", "none"], send: swaks },
  { name: "curl", ways: ["starttls", "tls"], isTransport: true, send: curl },
  { name: "msmtp", ways: ["starttls", "tls"], isTransport: true, send: msmtp },
  { name: "mail() of PHP", ways: ["starttls"], isTransport: true, send: phpMail },
  { name: "s-nail", ways: ["starttls", "tls"], send: snail },
];

test("programs that submit a message and end", { timeout: 120_000, skip }, async (t) => {
  const site = await startSubmissionSite(t);
  for (const { send, ...command } of COMMANDS) {
    await t.test(command.name, async (t) => {
      const directory = clientDirectory(t, filesFor(site));
      await conforms(t, site, { ...command, send: (submission) => send(directory, submission) });
    });
  }
});
