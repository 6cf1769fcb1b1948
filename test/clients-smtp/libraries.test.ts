/** Libraries and frameworks that submit messages, as Debian and npm have them. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTransport } from "nodemailer";
import {
  buildGo,
  type ClientDirectory,
  clientDirectory,
  JAVA_CLASS_PATH,
  missingClients,
  prepareJava,
} from "../support/debian-clients.ts";
import type { Ended } from "../support/debian-peers.ts";
import { RECIPIENT, SUBMISSION_HOST, type SubmissionSite, startSubmissionSite } from "../support/submission-site.ts";
import { conforms, DATA, filesFor, HTML, type Submission, TEXT } from "./scenario.ts";

const skip = missingClients(["languages"]);

interface Library {
  name: string;
  /** In the directory `programs`. */
  file: string;
  command: readonly string[];
  /** What precedes the first run. Resolves with the reason if a program is missing. */
  prepare?: (directory: ClientDirectory, file: string) => Promise<string | false>;
}

const LIBRARIES: readonly Library[] = [
  { name: "PHPMailer", file: "phpmailer.php", command: ["php", "phpmailer.php"] },
  { name: "Symfony Mailer", file: "symfony.php", command: ["php", "symfony.php"] },
  { name: "smtplib of Python", file: "smtplib_client.py", command: ["python3", "smtplib_client.py"] },
  { name: "Django", file: "django_client.py", command: ["python3", "django_client.py"] },
  { name: "mail of Ruby", file: "mail.rb", command: ["ruby", "mail.rb"] },
  { name: "Email::Sender of Perl", file: "email-sender.pl", command: ["perl", "email-sender.pl"] },
  { name: "net/smtp of Go", file: "netsmtp.go", command: ["./program"], prepare: buildGo },
  {
    name: "Jakarta Mail",
    file: "JakartaMail.java",
    command: ["java", "-cp", JAVA_CLASS_PATH, "JakartaMail"],
    prepare: prepareJava,
  },
];

const environmentOf = ({ tls, host, port, key, sender, subject }: Submission): Record<string, string> => ({
  SMTP_TLS: tls,
  SMTP_HOST: host,
  SMTP_PORT: String(port),
  KEY: key,
  SENDER: sender,
  RECIPIENT,
  SUBJECT: subject,
});

test("libraries that submit messages", { timeout: 240_000, skip }, async (t) => {
  const site = await startSubmissionSite(t);
  for (const { name, file, command, prepare } of LIBRARIES) {
    await t.test(name, async (t) => {
      const directory = clientDirectory(t, filesFor(site));
      copyFileSync(fileURLToPath(new URL(`programs/${file}`, import.meta.url)), join(directory.path, file));
      const missing = await prepare?.(directory, file);
      if (missing) return t.skip(missing);
      const send = (submission: Submission): Promise<Ended> =>
        directory.run(command, { env: environmentOf(submission) });
      await conforms(t, site, { name, ways: ["starttls", "tls"], send });
    });
  }
});

test("nodemailer", { timeout: 30_000 }, async (t) => {
  const site = await startSubmissionSite(t);
  await conforms(t, site, {
    name: "nodemailer",
    ways: ["starttls", "tls", "none"],
    send: (submission) => withNodemailer(site, submission),
  });
});

/** As a program that prints what it catches. */
async function withNodemailer({ authority }: SubmissionSite, submission: Submission): Promise<Ended> {
  const { tls, port, key, sender, subject } = submission;
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    secure: tls === "tls",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    tls: { servername: SUBMISSION_HOST, ca: authority },
    auth: { user: "any", pass: key },
  });
  try {
    const { response } = await transport.sendMail({
      from: `Läden & Co <${sender}>`,
      to: RECIPIENT,
      subject,
      text: TEXT,
      html: HTML,
      attachments: [{ filename: "Beleg für Sie.dat", content: DATA }],
    });
    return { code: 0, output: response };
  } catch (error) {
    return { code: 1, output: String(error) };
  } finally {
    transport.close();
  }
}
