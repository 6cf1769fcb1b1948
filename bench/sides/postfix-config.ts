/**
 * Configurations of Postfix, rspamd and OpenDKIM, tuned as a careful administrator would for this work. Durability is
 * unchanged: by default Postfix syncs each message to disk before it replies 250.
 */
import { ADDRESSES } from "./side.ts";
import { DNS_SERVER } from "./zone.ts";

export type Signing = "rspamd" | "opendkim" | "none";

export interface PostfixPlaces {
  /** Its own directory, world-readable. */
  dir: string;
  /** In memory. */
  logDir: string;
  port: number;
}

export const milterSocket = ({ dir }: PostfixPlaces): string => `${dir}/milter/sock`;

/**
 * Differences from the defaults: no input throttle, no name lookup of the client, more processes, connections to the
 * sink are kept.
 */
export function mainCf(places: PostfixPlaces, signing: Signing): string {
  const { dir, logDir } = places;
  const milter =
    signing === "none" ? "" : `smtpd_milters = unix:${milterSocket(places)}\nmilter_default_action = tempfail\n`;
  return `compatibility_level = 3.6
queue_directory = ${dir}/spool
data_directory = ${dir}/data
maillog_file_prefixes = ${logDir}
maillog_file = ${logDir}/maillog
myhostname = ${ADDRESSES.hostname}
mydomain = ${ADDRESSES.senderDomain}
mydestination =
local_recipient_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
alias_maps =
alias_database =
smtp_tls_security_level = may
in_flow_delay = 0s
smtpd_peername_lookup = no
default_process_limit = 200
initial_destination_concurrency = 20
smtp_destination_concurrency_limit = 20
smtp_destination_recipient_limit = 50
smtp_connection_cache_destinations = ${ADDRESSES.recipientDomain}
smtp_connection_cache_on_demand = yes
smtp_connection_reuse_count_limit = 1000
${milter}`;
}

/** Debian's master.cf with another port and without chroot jails. */
export function masterCf(debian: string, { port }: PostfixPlaces): string {
  return debian
    .replace(/^#tlsproxy/m, "tlsproxy")
    .replace(/^smtp +inet/m, `127.0.0.1:${port} inet`)
    .replace(/^([a-z0-9:.-]+ +[a-z]+ +[-yn] +[-yn] +)y /gm, "$1n ");
}

export interface MilterKey {
  selector: string;
  file: string;
}

/** rspamd with only its signing module. */
export function rspamdConf(places: PostfixPlaces, { selector, file }: MilterKey): string {
  const { dir, logDir } = places;
  return `options {
  pidfile = "${dir}/rspamd/pid"; filters = "dkim"; local_addrs = ["127.0.0.0/8"];
  dns { nameserver = ["${DNS_SERVER.split(":")[0]}"]; }
  hs_cache_dir = "${dir}/rspamd"; history_file = "${dir}/rspamd/history";
  url_tld = "/usr/share/rspamd/effective_tld_names.dat";
}
logging { type = "file"; filename = "${logDir}/rspamd.log"; level = "notice"; }
worker "rspamd_proxy" {
  bind_socket = "${milterSocket(places)} mode=0666 owner=_rspamd"; milter = yes; timeout = 60s; count = 2;
  upstream "local" { default = yes; self_scan = yes; }
}
modules { path = "/usr/share/rspamd/plugins/dkim_signing.lua"; }
lua = "/usr/share/rspamd/rules/rspamd.lua";
dkim_signing {
  sign_local = true; allow_username_mismatch = true; use_domain = "header"; use_esld = false; try_fallback = false;
  check_pubkey = false;
  domain { ${ADDRESSES.senderDomain} { path = "${file}"; selector = "${selector}"; } }
}
actions { reject = 10000; }
`;
}

export function opendkimConf(places: PostfixPlaces, { selector, file }: MilterKey): string {
  return `Mode s
Canonicalization relaxed/relaxed
SignatureAlgorithm rsa-sha256
Domain ${ADDRESSES.senderDomain}
Selector ${selector}
KeyFile ${file}
Socket local:${milterSocket(places)}
UMask 000
Syslog no
RequireSafeKeys no
UserID opendkim
InternalHosts 127.0.0.0/8
`;
}
