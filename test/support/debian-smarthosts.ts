/**
 * Debian's Postfix, Exim and nullmailer as the `sendmail` of a host that hands all its mail to a service: with the settings of
 * docs/SENDING.md, and what else they need in a private root directory. debian-peers.ts installs and runs them.
 */
import type { TestContext } from "node:test";
import { type Ended, type RunningProgram, startProgram } from "./debian-peers.ts";
import { freeAddress } from "./peers.ts";
import { SUBMISSION_HOST } from "./submission-site.ts";

interface SmarthostSettings {
  /** The blocks of the document. */
  blocks: string[];
  /** Whether the port is under TLS from the first octet. */
  isTls: boolean;
  /** The PEM certificate of the authority to trust. */
  authority: string;
}

export interface SmarthostClient {
  /** Hands a message to its `sendmail`, which queues it. */
  submit(message: string, sender: string): Promise<Ended>;
  /** The number of queued messages. */
  queued(): Promise<number>;
  /** Asks it to try all queued messages now. */
  flush(): Promise<void>;
  /** What it has written about its attempts. */
  log(): string;
}

export type StartSmarthostClient = (t: TestContext, settings: SmarthostSettings) => Promise<SmarthostClient>;

/** Its name, below a verified domain: its reports come from MAILER-DAEMON at this name. */
const OWN_NAME = "web1.example.com";
/** A port of a loopback address of its own. */
const PORT = 2525;

const trusted = (authority: string): Record<string, string> => ({
  "/etc/hosts": `127.0.0.1 localhost ${SUBMISSION_HOST}\n`,
  "/etc/ssl/certs/ca-certificates.crt": authority,
});

function sendmailOf(running: RunningProgram, command: string): SmarthostClient["submit"] {
  return (message, sender) => running.run([command, "-i", "-f", sender, "-t"], Buffer.from(message));
}

export const postfixClient: StartSmarthostClient = async (
  t,
  { blocks: [main = "", passwords = ""], isTls, authority },
) => {
  const host = freeAddress();
  const running = await startProgram(t, {
    host,
    port: PORT,
    package: "postfix",
    users: ["postfix", "postdrop", "nobody"],
    files: {
      ...trusted(authority),
      "/etc/postfix/main.cf": `${main}${isTls ? "smtp_tls_wrappermode = yes\n" : ""}${postfixMain}`,
      "/etc/postfix/sasl_passwd": passwords,
      "/etc/postfix/master.cf": postfixMaster(host),
    },
    owners: POSTFIX_OWNERS,
    command: ["/usr/lib/postfix/sbin/master", "-d", "-c", "/etc/postfix"],
  });
  return {
    submit: sendmailOf(running, "/usr/sbin/sendmail"),
    async queued() {
      const { output } = await running.run(["/usr/sbin/postqueue", "-j"]);
      return output.split("\n").filter((line) => line.startsWith("{")).length;
    },
    async flush() {
      await running.run(["/usr/sbin/postqueue", "-f"]);
    },
    log: () => running.text("/var/log/mail.log"),
  };
};

/** Besides the settings of the document. Names are looked up in the hosts file. */
const postfixMain = `compatibility_level = 3.6
smtp_host_lookup = native
myhostname = ${OWN_NAME}
mydestination =
alias_maps =
inet_protocols = ipv4
queue_directory = /var/spool/postfix
data_directory = /var/lib/postfix
maillog_file = /var/log/mail.log
setgid_group = postdrop
`;

function postfixMaster(host: string): string {
  const services = [
    `${host}:${PORT} inet n - n - - smtpd`,
    "pickup unix n - n 60 1 pickup",
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "tlsmgr unix - - n 1000? 1 tlsmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "bounce unix - - n - 0 bounce",
    "defer unix - - n - 0 bounce",
    "trace unix - - n - 0 bounce",
    "proxymap unix - - n - - proxymap",
    "smtp unix - - n - - smtp",
    "showq unix n - n - - showq",
    "error unix - - n - - error",
    "retry unix - - n - - error",
    "discard unix - - n - - discard",
    "scache unix - - n - 1 scache",
    "anvil unix - - n - 1 anvil",
    "postlog unix-dgram n - n - 1 postlogd",
  ];
  return `${services.join("\n")}\n`;
}

const POSTFIX_QUEUES = "active bounce corrupt defer deferred flush hold incoming private saved trace".split(" ");

const POSTFIX_OWNERS = {
  "/var/log": "root",
  "/var/spool/postfix": "root",
  "/var/spool/postfix/pid": "root",
  "/var/lib/postfix": "postfix",
  ...Object.fromEntries(
    ["maildrop", "public", ...POSTFIX_QUEUES].map((name) => [`/var/spool/postfix/${name}`, "postfix"]),
  ),
};

export const eximClient: StartSmarthostClient = async (t, { blocks, isTls, authority }) => {
  const host = freeAddress();
  const running = await startProgram(t, {
    host,
    port: PORT,
    package: "exim4-daemon-light",
    users: ["Debian-exim"],
    files: { ...trusted(authority), "/etc/exim4/exim4.conf": eximConf(host, blocks, isTls) },
    owners: { "/var/spool/exim4": "Debian-exim", "/var/log/exim4": "Debian-exim" },
    command: ["/usr/sbin/exim4", "-bdf"],
  });
  return {
    submit: sendmailOf(running, "/usr/sbin/exim4"),
    async queued() {
      const { output } = await running.run(["/usr/sbin/exim4", "-bpc"]);
      return Number(output);
    },
    async flush() {
      await running.run(["/usr/sbin/exim4", "-qff"]);
    },
    log: () => running.text("/var/log/exim4/mainlog"),
  };
};

function eximConf(host: string, [router = "", transport = "", authenticator = ""]: string[], isTls: boolean): string {
  return `primary_hostname = ${OWN_NAME}
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
pid_file_path = /var/spool/exim4/pid
local_interfaces = <; [${host}]:${PORT}
disable_ipv6 = true
keep_environment =
domainlist local_domains =
begin routers
${router}
begin transports
${transport}${isTls ? "  protocol = smtps\n" : ""}
begin authenticators
${authenticator}
begin retry
* * F,1h,15m
`;
}

export const nullmailerClient: StartSmarthostClient = async (t, { blocks: [remotes = ""], isTls, authority }) => {
  const running = await startProgram(t, {
    host: "",
    port: null,
    package: "nullmailer",
    users: ["mail"],
    files: {
      ...trusted(authority),
      "/etc/nullmailer/remotes": isTls ? remotes.replace("--starttls", "--ssl") : remotes,
      "/etc/mailname": `${OWN_NAME}\n`,
      "/etc/nullmailer/pausetime": "1\n",
      "/etc/nullmailer/maxpause": "1\n",
    },
    owners: Object.fromEntries(["queue", "tmp", "failed"].map((name) => [`/var/spool/nullmailer/${name}`, "mail"])),
    fifos: ["/var/spool/nullmailer/trigger"],
    command: ["/usr/sbin/nullmailer-send"],
  });
  return {
    submit: sendmailOf(running, "/usr/sbin/sendmail"),
    queued: async () => running.files("/var/spool/nullmailer/queue").length,
    // It tries again each second.
    flush: async () => {},
    log: () => running.output(),
  };
};
