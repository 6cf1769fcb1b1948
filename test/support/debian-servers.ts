/**
 * Postfix, Exim, OpenSMTPD and smtp-sink as mail exchangers of one domain each: minimal configurations that accept
 * mail for known users, refuse others and store each message. debian-peers.ts installs and runs the programs.
 */
import type { TestContext } from "node:test";
import { type RunningProgram, runOnce, startProgram } from "./debian-peers.ts";
import { freeAddress, publish } from "./peers.ts";
import type { World } from "./world.ts";

/** The users with a mailbox at each server. */
const USERS = ["ann", "bob"] as const;

export interface MailServer {
  host: string;
  /** Its log so far. */
  log(): string;
  /** The stored messages of a user, byte for byte. */
  stored(user: (typeof USERS)[number]): Buffer[];
}

export interface Site {
  world: World;
  /** The domain whose only mail exchanger it becomes. */
  domain: string;
}

export type StartServer = (t: TestContext, site: Site) => Promise<MailServer>;

const MAIL_DIR = "/var/mail/boxes";

const placeOf = (world: World) => ({ host: freeAddress(), port: Number(world.env.SMTP_PORT) });

/** An RSA key and its certificate, as most servers use. */
function certificate(domain: string): Record<string, string> {
  const name = `mx1.${domain}`;
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`, "-days", "2"];
  const pem = runOnce("postfix", [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "-",
    ...subject,
  ]);
  const [key = "", cert = ""] = pem.split(/(?=-----BEGIN CERTIFICATE-----)/);
  return { "/etc/tls.key": key, "/etc/tls.crt": cert };
}

/** Without a log file, its output is its log. */
function serverOf(host: string, running: RunningProgram, logFile?: string): MailServer {
  return {
    host,
    log: () => (logFile === undefined ? running.output() : running.text(logFile)),
    stored: (user) => running.files(`${MAIL_DIR}/${user}/new`),
  };
}

interface TlsSetup {
  /** Requires STARTTLS before MAIL instead of offering it. */
  demanded?: boolean;
  /** Offers STARTTLS but replies 454, like a host with a missing certificate. */
  broken?: boolean;
}

export function postfix({ demanded = false, broken = false }: TlsSetup = {}): StartServer {
  return async (t, { world, domain }) => {
    const place = placeOf(world);
    const running = await startProgram(t, {
      ...place,
      package: "postfix",
      users: ["postfix", "postdrop", "mailbox", "nobody"],
      files: {
        "/etc/postfix/main.cf": postfixMain(domain, { tls: demanded ? "encrypt" : "may", host: place.host }),
        "/etc/postfix/master.cf": postfixMaster(place),
        ...(broken ? {} : certificate(domain)),
      },
      owners: { [MAIL_DIR]: "mailbox", ...POSTFIX_OWNERS },
      command: ["/usr/lib/postfix/sbin/master", "-d", "-c", "/etc/postfix"],
    });
    publish(world, domain, [place.host]);
    return serverOf(place.host, running, "/var/log/mail.log");
  };
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

function postfixMain(domain: string, { tls, host }: { tls: string; host: string }): string {
  const boxes = USERS.map((user) => `{ ${user}@${domain} = ${user}/ }`).join(" ");
  return `compatibility_level = 3.6
queue_directory = /var/spool/postfix
data_directory = /var/lib/postfix
maillog_file = /var/log/mail.log
setgid_group = postdrop
myhostname = mx1.${domain}
mydestination =
alias_maps =
local_recipient_maps =
inet_interfaces = loopback-only
inet_protocols = ipv4
mynetworks = ${host}/32
smtpd_peername_lookup = no
notify_classes =
smtpd_relay_restrictions = reject_unauth_destination
smtpd_tls_security_level = ${tls}
smtpd_tls_cert_file = /etc/tls.crt
smtpd_tls_key_file = /etc/tls.key
smtpd_tls_loglevel = 1
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${MAIL_DIR}
virtual_mailbox_maps = inline:{ ${boxes} }
virtual_uid_maps = static:903
virtual_gid_maps = static:903
`;
}

function postfixMaster({ host, port }: { host: string; port: number }): string {
  const services = [
    `${host}:${port} inet n - n - - smtpd`,
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "tlsmgr unix - - n 1000? 1 tlsmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "bounce unix - - n - 0 bounce",
    "defer unix - - n - 0 bounce",
    "trace unix - - n - 0 bounce",
    "proxymap unix - - n - - proxymap",
    "virtual unix - n n - - virtual",
    "anvil unix - - n - 1 anvil",
    "postlog unix-dgram n - n - 1 postlogd",
  ];
  return `${services.join("\n")}\n`;
}

export const exim: StartServer = async (t, { world, domain }) => {
  const place = placeOf(world);
  const running = await startProgram(t, {
    ...place,
    package: "exim4-daemon-light",
    users: ["Debian-exim", "mailbox"],
    files: { "/etc/exim4/exim4.conf": eximConf(domain, place), ...certificate(domain) },
    owners: {
      [MAIL_DIR]: "mailbox",
      "/var/spool/exim4": "Debian-exim",
      "/var/log/exim4": "Debian-exim",
      "/etc/tls.key": "Debian-exim",
    },
    command: ["/usr/sbin/exim4", "-bdf"],
  });
  publish(world, domain, [place.host]);
  return serverOf(place.host, running, "/var/log/exim4/mainlog");
};

function eximConf(domain: string, { host, port }: { host: string; port: number }): string {
  return `primary_hostname = mx1.${domain}
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
log_selector = +smtp_connection +tls_cipher +incoming_port
pid_file_path = /var/spool/exim4/pid
local_interfaces = <; [${host}]:${port}
disable_ipv6 = true
rfc1413_query_timeout = 0s
keep_environment =
tls_advertise_hosts = *
tls_certificate = /etc/tls.crt
tls_privatekey = /etc/tls.key
domainlist ours = ${domain}
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
begin acl
rcpt:
  require domains = +ours
  require verify = recipient
  accept
begin routers
boxes:
  driver = accept
  domains = +ours
  local_parts = ${USERS.join(" : ")}
  transport = box
begin transports
box:
  driver = appendfile
  maildir_format
  directory = ${MAIL_DIR}/$local_part_data
  create_directory
  user = mailbox
  group = mailbox
`;
}

/** Plain text only: with OpenSSL 3, its own TLS handshakes fail. */
export const opensmtpd: StartServer = async (t, { world, domain }) => {
  const place = placeOf(world);
  const running = await startProgram(t, {
    ...place,
    package: "opensmtpd",
    users: ["opensmtpd", "opensmtpq", "mailbox"],
    files: { "/etc/smtpd.conf": opensmtpdConf(domain, place) },
    owners: {
      [MAIL_DIR]: "mailbox",
      "/run": "root",
      "/var/run": "root",
      "/var/spool/smtpd": "root",
      "/var/lib/opensmtpd/empty": "root",
    },
    command: ["/usr/sbin/smtpd", "-d"],
  });
  publish(world, domain, [place.host]);
  return serverOf(place.host, running);
};

function opensmtpdConf(domain: string, { host, port }: { host: string; port: number }): string {
  const boxes = USERS.map((user) => `"${user}@${domain}" = "mailbox"`).join(", ");
  return `table boxes { ${boxes} }
listen on ${host} port ${port} hostname mx1.${domain}
action "store" maildir "${MAIL_DIR}/%{rcpt.user}" virtual <boxes>
match from any for domain "${domain}" action "store"
`;
}

/** Starts Postfix's smtp-sink with fault flags. Returns its host. */
export async function startSmtpSink(
  t: TestContext,
  { world, domain }: Site,
  flags: readonly string[],
): Promise<string> {
  const place = placeOf(world);
  await startProgram(t, {
    ...place,
    package: "postfix",
    users: ["mailbox"],
    files: { "/etc/postfix/main.cf": "compatibility_level = 3.6\n" },
    owners: {},
    command: ["/usr/sbin/smtp-sink", "-u", "mailbox", ...flags, `${place.host}:${place.port}`, "100"],
  });
  publish(world, domain, [place.host]);
  return place.host;
}
