/** Declarations of the commands for the installation: its host, nodes, backups, spool and master key. */
import type { Command } from "../command.ts";

export const serviceCommands: Command[] = [
  {
    usage: "status",
    reach: "installation",
    summary: "whether mail is healthy: today's counts, what waits, closed receivers, failing webhooks, the doctor",
    options: {
      check: { type: "boolean", usage: "[--check]", summary: "exit with 1 if mail is not healthy" },
    },
    examples: ["status", "status --check --json"],
    load: async () => (await import("../status.ts")).status,
  },
  {
    usage: "nodes list",
    reach: "installation",
    summary: "the nodes that share the database, with what each does",
    examples: ["nodes list"],
    load: async () => (await import("../nodes.ts")).listNodes,
  },
  {
    usage: "nodes drain NAME",
    reach: "installation",
    summary: "drain a node: it completes its messages and takes no new ones; wait until it has",
    options: {
      timeout: { type: "string", usage: "[--timeout DURATION]", summary: "how long to wait; 10m unless given" },
    },
    examples: ["nodes drain mail-2", "nodes drain mail-2 --timeout 2m"],
    load: async () => (await import("../nodes.ts")).drainNode,
  },
  {
    usage: "nodes resume NAME",
    reach: "installation",
    summary: "let a draining node claim again",
    examples: ["nodes resume mail-2"],
    load: async () => (await import("../nodes.ts")).resumeNode,
  },
  {
    usage: "doctor",
    reach: "installation",
    summary: "what stops or hurts delivery from this server",
    options: {
      check: {
        type: "boolean",
        usage: "[--check]",
        summary: "exit with 1 if a check finds a problem; warnings do not count",
      },
    },
    examples: ["doctor", "doctor --check --json"],
    load: async () => (await import("../doctor.ts")).doctor,
  },
  {
    usage: "preflight",
    reach: "installation",
    summary: "whether large receivers take mail from this server, before anything is configured",
    details:
      "A session with each of them: greeting, EHLO, STARTTLS, MAIL, RSET and QUIT. No recipient is named and nothing is sent. It takes at most 20 seconds.",
    options: {
      address: {
        type: "string",
        usage: "[--address IP]",
        summary: "the sending address; all of this server unless given",
      },
      receiver: { type: "string", usage: "[--receiver NAME]", summary: "only this receiver, such as gmail" },
      check: {
        type: "boolean",
        usage: "[--check]",
        summary: "exit with 1 if a receiver rejects, or none can be reached",
      },
    },
    examples: ["preflight", "preflight --receiver t-online", "preflight --check --json"],
    load: async () => (await import("../preflight.ts")).preflight,
  },
  {
    usage: "prove",
    summary: "show on this server's own disk that mail survives kills",
    details: `It starts a separate service on loopback, with a sink, sends messages, kills the service with SIGKILL at random moments, and compares
what was accepted, delivered and reported. It uses a new folder, which it removes, and never the spool of the service. The exit code is 1
if a message is lost or doubled, or if the disk does not keep what it acknowledges.`,
    options: {
      minutes: {
        type: "string",
        usage: "[--minutes NUMBER]",
        summary: "how long the load lasts; 5 unless given, at most 60",
      },
      dir: {
        type: "string",
        usage: "[--dir DIRECTORY]",
        summary: "a directory on the disk to try; DATA_DIR unless given",
      },
    },
    examples: ["prove", "prove --minutes 1 --dir /mnt/new-disk --json"],
    load: async () => (await import("../prove.ts")).proveCommand,
  },
  {
    usage: "start",
    summary: "the service, until Ctrl-C, with the settings of the environment",
    details:
      "Data are in DATA_DIR, ./data unless given, and certificates and keys in CERTS_DIR, ./certs unless given. Without a user, it prints a link that creates the first one. On a host that sends live messages, let systemd or a container run it: docs/OPERATIONS.md#install.",
    examples: ["start"],
    load: async () => ({ program: "start" }),
  },
  {
    usage: "demo",
    summary: "the main use of Postrider on one machine: a temporary service sends one message to six recipients",
    details:
      "It starts a DNS zone, an SMTP sink and the service on loopback, adds and verifies a domain, creates a key, sends, and shows each result. It needs no setting, leaves nothing behind, and takes about ten seconds.",
    options: {
      stay: { type: "boolean", usage: "[--stay]", summary: "keep the service running until Ctrl-C" },
    },
    examples: ["demo", "demo --stay"],
    load: async () => ({ program: "demo" }),
  },
  {
    usage: "sink",
    summary: "an SMTP server for tests, which stores messages and behaves as the local parts of their recipients ask",
    details:
      "It runs until Ctrl-C. DNS_SERVERS names the DNS servers for the DKIM, SPF and DMARC verdicts, as for the service.",
    options: {
      port: { type: "string", usage: "[--port PORT]", summary: "2525 unless given; 0 for any free port" },
      host: { type: "string", usage: "[--host ADDRESS]", summary: "127.0.0.1 unless given; IPv6 without brackets" },
      dir: {
        type: "string",
        usage: "[--dir DIRECTORY]",
        summary: "where it stores messages, ./sink-mail unless given",
      },
      "bounces-to": {
        type: "string",
        usage: "[--bounces-to HOST:PORT]",
        summary: "where it sends the bounces of bounce-later@ by SMTP; nowhere unless given",
      },
      "no-tls": { type: "boolean", usage: "[--no-tls]", summary: "offers no STARTTLS" },
    },
    examples: ["sink", "sink --port 2526 --dir /tmp/mail"],
    load: async () => ({ program: "sink" }),
  },
  {
    usage: "mcp",
    summary: "a server of the Model Context Protocol on standard input and output, for agents",
    details: `It talks to a running service: POSTRIDER_URL is its URL, POSTRIDER_KEY an API key. It needs no other setting and no spool. What the
key may not do, its tools cannot do. It ends with its input.`,
    options: {
      "allow-writes": {
        type: "boolean",
        usage: "[--allow-writes]",
        summary: "also tools that send, cancel, send again, suppress and verify",
      },
    },
    examples: ["mcp", "mcp --allow-writes"],
    load: async () => (await import("../mcp.ts")).mcp,
  },
  {
    usage: "audit list",
    reach: "account",
    summary: "who changed what of the account, when and from where, the newest first",
    details:
      "Entries are kept for RETENTION_RESULTS. --all-accounts also shows changes of the installation: receivers, addresses, nodes.",
    options: {
      action: { type: "string", usage: "[--action PREFIX]", summary: "only actions that begin so, such as key" },
      by: { type: "string", usage: "[--by TEXT]", summary: "only by users or keys with this in their name" },
      since: {
        type: "string",
        usage: "[--since TIME]",
        summary: "since a time such as 2026-03-01T10:00:00Z, or the last 10m, 2h, 7d",
      },
      limit: { type: "string", usage: "[--limit NUMBER]", summary: "at most 1000; 50 unless given" },
      "all-accounts": {
        type: "boolean",
        usage: "[--all-accounts]",
        summary: "of all accounts, and of the installation",
      },
    },
    examples: [
      "audit list --since 24h",
      "audit list --all-accounts --action user. --json",
      'audit list --by "command line" --limit 20',
    ],
    load: async () => (await import("../audit.ts")).listAuditCommand,
  },
  {
    usage: "notices list",
    reach: "account",
    summary: "what the users were told of the account: failing domains and webhooks, held keys, the newest first",
    details: "Notices are kept for RETENTION_RESULTS. --all-accounts also shows those of the installation.",
    options: {
      limit: { type: "string", usage: "[--limit NUMBER]", summary: "at most 1000; 50 unless given" },
      "all-accounts": {
        type: "boolean",
        usage: "[--all-accounts]",
        summary: "of all accounts, and of the installation",
      },
    },
    examples: ["notices list", "notices list --all-accounts --json"],
    load: async () => (await import("../notices.ts")).listNoticesCommand,
  },
  {
    usage: "backup FILE",
    summary: "copy spool, keys and settings into one file, also while the service runs",
    options: {
      "without-master-key": {
        type: "boolean",
        usage: "[--without-master-key]",
        summary: "leave the master key out; a restored service needs it",
      },
    },
    examples: ["backup /backups/postrider-2026-03-01.tar"],
    load: async () => (await import("../backup.ts")).backup,
  },
  {
    usage: "restore FILE",
    summary: "restore a backup into a DATA_DIR without a spool; delivery stays paused",
    examples: ["restore /backups/postrider-2026-03-01.tar"],
    irreversible: true,
    load: async () => (await import("../backup.ts")).restore,
  },
  {
    usage: "spool copy",
    summary: "with the service stopped: copy the spool in DATA_DIR into an empty PostgreSQL database",
    options: {
      to: { type: "string", usage: "--to URL", summary: "postgres://USER:PASSWORD@HOST:PORT/DATABASE" },
    },
    examples: ["spool copy --to postgres://postrider:secret@db.example.com:5432/postrider"],
    load: async () => (await import("../spool.ts")).copySpoolFiles,
  },
  {
    usage: "master-key rotate",
    summary: "with the service stopped: make a new master key and seal all secrets with it",
    examples: ["master-key rotate"],
    irreversible: true,
    load: async () => (await import("../master-key.ts")).rotateKey,
  },
  {
    usage: "master-key new",
    summary: "with the service stopped, replace a lost master key; existing secrets become unreadable",
    examples: ["master-key new"],
    irreversible: true,
    load: async () => (await import("../master-key.ts")).renewKey,
  },
  {
    usage: "login",
    summary: "work with a service elsewhere from now on: keep its URL (--url) and an API key",
    details: `The key is read from standard input unless --key has it. It needs the permission manage, or operate for all commands. Only its owner can
read the file. POSTRIDER_URL and POSTRIDER_KEY, and --url and --key, come first.`,
    examples: ["login --url https://mail.example.com < key"],
    load: async () => (await import("../login.ts")).login,
  },
  {
    usage: "logout",
    summary: "forget the service and the key of login",
    examples: ["logout"],
    load: async () => (await import("../login.ts")).logout,
  },
  {
    usage: "completion bash|zsh|fish",
    summary: "a script that lets a shell complete commands, options and values",
    details: `For this shell: source <(postrider completion bash), or: postrider completion fish | source. For every shell, write it where
your shell looks for completions; the script's first lines say where.`,
    examples: ["completion bash", "completion fish"],
    load: async () => (await import("../completion.ts")).completion,
  },
];
