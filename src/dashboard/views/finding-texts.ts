/**
 * The doctor's findings in words for newcomers: what each check is about, and why it matters. What was found and how to fix it is
 * in the finding itself.
 */
import type { DoctorCheck, Finding } from "../../doctor/finding.ts";

export interface FindingText {
  title: string;
  /** Why the check matters, in a sentence. */
  why: string;
}

const TEXTS: Readonly<Record<DoctorCheck, FindingText>> = {
  resolver: {
    title: "DNS resolver",
    why: "It finds the server of each recipient. Without it nothing can be delivered.",
  },
  dnssec: {
    title: "Validated DNS (DNSSEC)",
    why: "Some recipients' domains state in the DNS how connections to them must be encrypted. Only validated answers count.",
  },
  hostname: {
    title: "Name of this server",
    why: "This server introduces itself by this name. Many servers reject it if the name does not resolve to its IP address.",
  },
  sending_ips: {
    title: "Public IP address",
    why: "Your domains name it in their SPF records, so Postrider must know it.",
  },
  reverse_dns: {
    title: "Reverse DNS",
    why: "The name that the IP address resolves to. Gmail, Outlook and many others reject messages from an address without it.",
  },
  outbound_smtp: {
    title: "Outgoing port 25",
    why: "Mail servers accept messages on port 25. Many hosting providers block connections to it until you ask.",
  },
  blocklist: {
    title: "Blocklist",
    why: "A public list of addresses that have sent spam. Many servers reject messages from a listed address.",
  },
  clock: { title: "Clock", why: "With a wrong clock, signatures and certificates are rejected." },
  disk: { title: "Disk space", why: "Accepted messages are kept on disk until they are delivered." },
  file_system: { title: "File system", why: "Accepted messages must survive a restart." },
  fsync: { title: "Disk speed", why: "Each message is written to the disk before it is accepted." },
  public_url: {
    title: "Public address (PUBLIC_URL)",
    why: "Links in messages and invitations begin with it. The default works only on this server.",
  },
  certificate: {
    title: "HTTPS certificate",
    why: "It protects passwords and API keys on their way to this server.",
  },
  automatic_certificate: {
    title: "Certificate by ACME",
    why: "It is obtained and renewed automatically. Without one, browsers and mail programs refuse the connection.",
  },
  submission_certificate: {
    title: "Certificate for SMTP submission",
    why: "Apps that send by SMTP need it to connect securely.",
  },
  inbound: { title: "Incoming bounces", why: "Other servers return bounces and reports to this server." },
  host_dkim: {
    title: "Second signature",
    why: "Receivers send complaints to the domain that signs messages. This key signs all of them for this server's own domain.",
  },
  contact_page: {
    title: "Contact page",
    why: "T-Online opens an address to mail once its server's name has a page with contact data.",
  },
  receivers: {
    title: "Receivers",
    why: "A receiver that rejects this server's address gets no mail until it accepts it again.",
  },
  spool: { title: "Message store", why: "Postrider keeps messages and settings in it." },
  spool_file: { title: "Message store file", why: "Postrider keeps messages and settings in it." },
  database: { title: "Database", why: "Postrider keeps messages and settings in it." },
  quarantine: { title: "Damaged messages", why: "A message that cannot be read is set aside and not delivered." },
  master_key: {
    title: "Master key",
    why: "It opens the stored signing keys. Without it no message can be signed.",
  },
  domain: { title: "Domain", why: "Only a verified domain can send." },
  return_path: { title: "Return path", why: "It directs bounces to Postrider." },
};

export function findingText({ check }: Pick<Finding, "check">): FindingText {
  const [name = "", ...subject] = check.split(" ");
  const { title, why } = TEXTS[name as DoctorCheck];
  return { title: subject.length === 0 ? title : `${title}: ${subject.join(" ")}`, why };
}
