/**
 * Debian's Postfix, Exim and OpenSMTPD as servers that accept every message and return what they cannot deliver, after seconds
 * instead of days. debian-peers.ts installs and runs them; bounce-site.ts has what surrounds them.
 */
import type { TestContext } from "node:test";
import { OWN_NAME, RELAY_HOST } from "./bounce-site.ts";
import { type RunningProgram, startProgram } from "./debian-peers.ts";

/** Where they listen. */
export const RELAY_PORT = 2525;

export type StartBouncer = (t: TestContext, dnsHost: string) => Promise<RunningProgram>;

const names = (dnsHost: string): Record<string, string> => ({
  "/etc/resolv.conf": `nameserver ${dnsHost}\noptions timeout:2 attempts:2\n`,
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  "/etc/hosts": `127.0.0.1 localhost\n${RELAY_HOST} ${OWN_NAME}\n`,
  "/etc/mailname": "relay.example\n",
});

const place = { host: RELAY_HOST, port: RELAY_PORT };

export const postfixBouncer: StartBouncer = (t, dnsHost) =>
  startProgram(t, {
    ...place,
    package: "postfix",
    users: ["postfix", "postdrop", "nobody"],
    files: { ...names(dnsHost), "/etc/postfix/main.cf": POSTFIX_MAIN, "/etc/postfix/master.cf": POSTFIX_MASTER },
    owners: POSTFIX_OWNERS,
    command: ["/usr/lib/postfix/sbin/master", "-d", "-c", "/etc/postfix"],
  });

const POSTFIX_MAIN = `compatibility_level = 3.6
myhostname = ${OWN_NAME}
mydestination = relay.example
local_recipient_maps =
alias_maps =
inet_interfaces = loopback-only
inet_protocols = ipv4
queue_directory = /var/spool/postfix
data_directory = /var/lib/postfix
maillog_file = /var/log/mail.log
setgid_group = postdrop
maximal_queue_lifetime = 12s
bounce_queue_lifetime = 12s
minimal_backoff_time = 2s
maximal_backoff_time = 2s
queue_run_delay = 1s
delay_warning_time = 3s
`;

const POSTFIX_MASTER = `${[
  `${RELAY_HOST}:${RELAY_PORT} inet n - n - - smtpd`,
  "cleanup unix n - n - 0 cleanup",
  "qmgr unix n - n 1 1 qmgr",
  "tlsmgr unix - - n 1000? 1 tlsmgr",
  "rewrite unix - - n - - trivial-rewrite",
  "bounce unix - - n - 0 bounce",
  "defer unix - - n - 0 bounce",
  "trace unix - - n - 0 bounce",
  "proxymap unix - - n - - proxymap",
  "smtp unix - - n - - smtp",
  "local unix - n n - - local",
  "error unix - - n - - error",
  "retry unix - - n - - error",
  "scache unix - - n - 1 scache",
  "anvil unix - - n - 1 anvil",
  "postlog unix-dgram n - n - 1 postlogd",
].join("\n")}\n`;

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

export const eximBouncer: StartBouncer = async (t, dnsHost) => {
  const running = await startProgram(t, {
    ...place,
    package: "exim4-daemon-light",
    users: ["Debian-exim"],
    files: { ...names(dnsHost), "/etc/exim4/exim4.conf": EXIM_CONF },
    owners: { "/var/spool/exim4": "Debian-exim", "/var/log/exim4": "Debian-exim" },
    command: ["/usr/sbin/exim4", "-bdf"],
  });
  // Its shortest interval between queue runs is a minute.
  const timer = setInterval(() => void running.run(["/usr/sbin/exim4", "-q"]), 2500);
  t.after(() => clearInterval(timer));
  return running;
};

const EXIM_CONF = `primary_hostname = ${OWN_NAME}
qualify_domain = relay.example
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
pid_file_path = /var/spool/exim4/pid
local_interfaces = <; [${RELAY_HOST}]:${RELAY_PORT}
disable_ipv6 = true
keep_environment =
delay_warning = 2s:1h
acl_smtp_rcpt = accept
domainlist local_domains = relay.example
begin routers
remote:
  driver = dnslookup
  domains = ! +local_domains
  transport = smtp
  ignore_target_hosts = 0.0.0.0
  no_more
local:
  driver = accept
  local_parts = root
  transport = null
  cannot_route_message = Unknown user
begin transports
smtp:
  driver = smtp
  allow_localhost
  port = 25
null:
  driver = appendfile
  file = /dev/null
begin retry
* * F,10s,2s
`;

export const opensmtpdBouncer: StartBouncer = (t, dnsHost) =>
  startProgram(t, {
    ...place,
    package: "opensmtpd",
    users: ["opensmtpd", "opensmtpq"],
    files: {
      ...names(dnsHost),
      "/etc/resolv.conf": `lookup file bind\nnameserver ${dnsHost}\n`,
      "/etc/mailname": `${OWN_NAME}\n`,
      "/etc/smtpd.conf": OPENSMTPD_CONF,
    },
    owners: { "/run": "root", "/var/run": "root", "/var/spool/smtpd": "root", "/var/lib/opensmtpd/empty": "root" },
    command: ["/usr/sbin/smtpd", "-d"],
  });

const OPENSMTPD_CONF = `bounce warn-interval 3s
queue ttl 12s
listen on ${RELAY_HOST} port ${RELAY_PORT}
action "out" relay helo ${OWN_NAME}
match from any for any action "out"
`;
