/** Declarations of the commands for recipients that wait, and for where they wait. */
import { CATEGORIES } from "../../message/result/category.ts";
import { REASONS } from "../../message/result/reasons.ts";
import { TLS_RULES } from "../../message/tls-rules.ts";
import { RESOLUTIONS } from "../../spool/port/operations.ts";
import type { Command, CommandOption } from "../command.ts";

/** Options of the commands that are about all recipients of a search. */
const DOMAIN: CommandOption = { type: "string", usage: "[--domain NAME]", summary: "only this recipient domain" };
const A_TIME = "a time such as 2026-03-01T10:00:00Z, or in the last 2h";
const SINCE = { type: "string", usage: "[--since TIME]" } as const;
const TAG: CommandOption = { type: "string", usage: "[--tag TAG]", summary: "only messages with this tag" };
const TEST: CommandOption = {
  type: "boolean",
  usage: "[--test]",
  summary: "test messages, which are left out otherwise, instead of live ones",
};
const DRY_RUN: CommandOption = {
  type: "boolean",
  usage: "[--dry-run]",
  summary: "change nothing, and print what would be",
};

export const queueCommands: Command[] = [
  {
    usage: "queue list",
    summary: "recipients that are pending, also in an attempt, or unknown",
    options: {
      domain: {
        type: "string",
        usage: "[--domain NAME]",
        summary: "only this recipient domain, without test messages",
      },
      result: {
        type: "string",
        usage: "[--result RESULT]",
        summary: "only with this result",
        values: ["pending", "unknown"],
      },
      live: { type: "boolean", usage: "[--live]", summary: "leave test messages out" },
      test: { type: "boolean", usage: "[--test]", summary: "only test messages" },
    },
    examples: ["queue list --live", "queue list --domain example.org", "queue list --result unknown"],
    load: async () => (await import("../queue-list.ts")).queueList,
  },
  {
    usage: "queue quarantined",
    reach: "installation",
    summary: "messages of all accounts that are not delivered because their stored data cannot be read",
    examples: ["queue quarantined"],
    load: async () => (await import("../queue-list.ts")).queueQuarantined,
  },
  {
    usage: "queue set-aside",
    reach: "installation",
    summary: "mail of all accounts that has come back and is not read, because that took too long or ended the process",
    examples: ["queue set-aside"],
    load: async () => (await import("../queue-set-aside.ts")).queueSetAside,
  },
  {
    usage: "queue retry [ID] [RECIPIENT]",
    summary: "send again now: to pending and unknown recipients (unknown: may be a duplicate), or to failed ones",
    details: `Without --failed, --pending or --unknown, it sends again to the pending and unknown recipients of a message.

With --failed, it sends again to the failed recipients of a message or, without ID, of the account. Without ID it leaves out test messages,
recipients whose expires_in is over, and those that a person has cancelled, marked or discarded unless --reason names that: --reason
cancelled. Suppressed recipients need --reason suppressed.

With --pending, it sends now to the pending recipients of the account that wait for their next attempt.

With --unknown, it sends again to the unknown recipients of the account. They may get the message twice. It counts first; without a terminal
it needs --yes.`,
    options: {
      failed: { type: "boolean", usage: "[--failed]", summary: "send again to failed recipients" },
      pending: { type: "boolean", usage: "[--pending]", summary: "send now to all pending recipients" },
      unknown: { type: "boolean", usage: "[--unknown]", summary: "send again to all unknown recipients" },
      reason: {
        type: "string",
        usage: "[--reason REASON]",
        values: REASONS,
        summary: "with --failed: failed for this reason; with --pending: pending for it",
      },
      category: {
        type: "string",
        usage: "[--category CATEGORY]",
        values: CATEGORIES,
        summary: "with --failed: of this category",
      },
      receiver: {
        type: "string",
        usage: "[--receiver NAME]",
        summary: "with --failed: the last reply was of this receiver",
      },
      domain: DOMAIN,
      since: { ...SINCE, summary: `failed, or unknown, since ${A_TIME}; with --pending: accepted since then` },
      tag: { ...TAG, summary: "with --pending or --unknown: only messages with this tag" },
      test: { ...TEST, summary: `with --pending or --unknown: ${TEST.summary}` },
      "dry-run": DRY_RUN,
    },
    examples: [
      "queue retry msg_0fVn3k8Qx2",
      "queue retry msg_0fVn3k8Qx2 ann@example.org",
      "queue retry --failed --category reputation --since 2h --dry-run",
      "queue retry --failed --receiver gmail",
      "queue retry --pending --reason warm_up",
      "queue retry --unknown --domain example.org --dry-run",
    ],
    irreversible: true,
    load: async () => (await import("../queue.ts")).queueRetry,
  },
  {
    usage: "queue resolve [ID] [RECIPIENT]",
    summary: "mark unknown recipients as delivered or not delivered: of a message, or all with --unknown",
    details: `Use it when the recipient, or the log of their server, shows whether the message arrived. Nothing is sent, and the address is not
suppressed. With --unknown it counts first; without a terminal it needs --yes.`,
    options: {
      as: {
        type: "string",
        usage: "--as RESULT",
        values: RESOLUTIONS,
        summary: `the result: ${RESOLUTIONS.join(" or ")}`,
      },
      unknown: {
        type: "boolean",
        usage: "[--unknown]",
        summary: "all unknown recipients of the account; the filters below need it",
      },
      domain: DOMAIN,
      since: { ...SINCE, summary: `unknown since ${A_TIME}` },
      tag: TAG,
      test: TEST,
      "dry-run": DRY_RUN,
    },
    examples: [
      "queue resolve msg_0fVn3k8Qx2 ann@example.org --as delivered",
      "queue resolve msg_0fVn3k8Qx2 --as failed",
      "queue resolve --unknown --as failed --domain example.org --since 2h",
    ],
    irreversible: true,
    load: async () => (await import("../decisions.ts")).queueResolve,
  },
  {
    usage: "queue cancel [ID] [RECIPIENT]",
    summary: "cancel the delivery to pending recipients, of a message, or all with --pending: they fail",
    details: `A recipient whose message was already sent as a whole is not changed: its result follows with the server's reply. With --pending it
counts first; without a terminal it needs --yes.`,
    options: {
      pending: {
        type: "boolean",
        usage: "[--pending]",
        summary: "all pending recipients of the account; the filters below need it",
      },
      domain: DOMAIN,
      since: { ...SINCE, summary: `of messages accepted since ${A_TIME}` },
      tag: TAG,
      test: TEST,
      "dry-run": DRY_RUN,
    },
    examples: [
      "queue cancel msg_0fVn3k8Qx2",
      "queue cancel msg_0fVn3k8Qx2 ann@example.org",
      "queue cancel --pending --tag newsletter --since 30m",
    ],
    irreversible: true,
    load: async () => (await import("../decisions.ts")).queueCancel,
  },
  {
    usage: "queue discard ID",
    reach: "installation",
    summary: "end a quarantined message, of any account: its recipients without a final result fail",
    details: `Use it when the message cannot be repaired. ID is as "queue quarantined" shows it; "row 12" is written as row-12 too. The
recipients fail with the reason discarded. What was damaged stays in their history.`,
    examples: ["queue discard msg_0fVn3k8Qx2", "queue discard row-12"],
    irreversible: true,
    load: async () => (await import("../queue-discard.ts")).queueDiscard,
  },
  {
    usage: "queue resume",
    reach: "installation",
    summary: "after a restore, deliver again: make waiting recipients unknown, or send to them, perhaps twice",
    options: {
      hold: {
        type: "boolean",
        usage: "--hold",
        isAlternative: true,
        summary: "recipients that were waiting become unknown",
      },
      send: {
        type: "boolean",
        usage: "| --send",
        isAlternative: true,
        summary: "recipients that were waiting are sent to, perhaps twice",
      },
    },
    examples: ["queue resume --hold"],
    irreversible: true,
    load: async () => (await import("../backup.ts")).queueResume,
  },
];

export const destinationCommands: Command[] = [
  {
    usage: "destinations [list]",
    summary: "recipient domains of all accounts at which recipients wait, or that are paused",
    examples: ["destinations", "destinations list --json"],
    load: async () => (await import("../destinations.ts")).listDestinations,
  },
  {
    usage: "destinations pause NAME",
    summary: "stop sending to a recipient domain",
    examples: ["destinations pause example.org"],
    load: async () => (await import("../destinations.ts")).pauseDestinationCommand,
  },
  {
    usage: "destinations resume NAME",
    summary: "go on with attempts at a paused recipient domain",
    examples: ["destinations resume example.org"],
    load: async () => (await import("../destinations.ts")).resumeDestinationCommand,
  },
  {
    usage: "destinations retry NAME",
    summary:
      "make the waiting recipients of all accounts at a recipient domain due now; if it is closed, try one message at once",
    examples: ["destinations retry example.org"],
    load: async () => (await import("../destinations.ts")).retryDestinationCommand,
  },
];

export const tlsRuleCommands: Command[] = [
  {
    usage: "destinations set NAME",
    summary: "set the TLS that a recipient domain must have; .NAME is for all domains below it",
    details: `With require, mail waits until a host has TLS with a certificate that verifies for its name in the MX record. With encrypt,
any certificate will do. default removes the rule, or exempts NAME from one of TLS_POLICY_FILE or of a domain above.`,
    options: {
      tls: { type: "string", usage: "--tls require|encrypt|default", values: TLS_RULES, summary: "the rule" },
    },
    examples: ["destinations set example.org --tls require", "destinations set .example.org --tls default"],
    load: async () => (await import("../tls-rules.ts")).setDestination,
  },
  {
    usage: "destinations rules",
    summary: "the TLS rules of recipient domains, and where each was set",
    examples: ["destinations rules", "destinations rules --json"],
    load: async () => (await import("../tls-rules.ts")).listRules,
  },
];

export const receiverCommands: Command[] = [
  {
    usage: "receivers [list]",
    summary: "who takes mail: their limits, and whether they accept it now",
    examples: ["receivers", "receivers list --json"],
    load: async () => (await import("../receivers.ts")).listReceivers,
  },
  {
    usage: "receivers show NAME",
    summary: "one receiver: its limits and what they come from, its state, its pages for senders",
    examples: ["receivers show gmail", "receivers show example.com"],
    load: async () => (await import("../receivers.ts")).showReceiver,
  },
  {
    usage: "receivers set NAME",
    summary: "set limits of a receiver; they replace those of its profile",
    options: {
      connections: { type: "string", usage: "[--connections N]", summary: "connections at one time, of all nodes" },
      "messages-per-connection": {
        type: "string",
        usage: "[--messages-per-connection N]",
        summary: "messages before a connection is ended",
      },
      "messages-per-minute": {
        type: "string",
        usage: "[--messages-per-minute N]",
        summary: "messages in a minute, of all nodes",
      },
      pause: {
        type: "string",
        usage: "[--pause DURATION]",
        summary: "how long nothing is sent after a reply about the rate that does not say how long",
      },
    },
    examples: ["receivers set gmail --connections 10", "receivers set example.com --pause 15m"],
    load: async () => (await import("../receivers.ts")).setReceiver,
  },
  {
    usage: "receivers reset NAME",
    summary: "remove the limits that were set for a receiver",
    examples: ["receivers reset gmail"],
    load: async () => (await import("../receivers.ts")).resetReceiver,
  },
];

const addressPool = { type: "string", usage: "[--pool POOL]", summary: "the pool; default if absent" } as const;

export const sendingAddressCommands: Command[] = [
  {
    usage: "addresses [list]",
    summary: "the addresses that mail leaves from, their names and pools",
    examples: ["addresses", "addresses list --json"],
    load: async () => (await import("../sending-addresses.ts")).listAddresses,
  },
  {
    usage: "addresses add IP",
    summary: "add a sending address of this server, with its own EHLO name",
    details: `The first address of the default pool ends the system's choice for all mail that no other pool has. Set its reverse name to NAME
before (preflight --address checks it), and the SPF records of sender domains (domains verify does).`,
    options: {
      name: {
        type: "string",
        usage: "--name NAME",
        summary: "the name for EHLO, to which its PTR record should point",
      },
      bind: {
        type: "string",
        usage: "[--bind LOCAL-IP]",
        summary: "the local address that connections leave from, where the provider translates it to IP",
      },
      pool: addressPool,
      "warm-up": {
        type: "boolean",
        usage: "[--warm-up]",
        summary: "begin with 50 messages a day for each receiver, and more each day",
      },
    },
    examples: [
      "addresses add 192.0.2.10 --name mail1.example.com",
      "addresses add 192.0.2.11 --name news.example.com --bind 10.0.0.11 --pool news",
    ],
    load: async () => (await import("../sending-addresses.ts")).addAddress,
  },
  {
    usage: "addresses show IP",
    summary: "one sending address, and how far it is warmed up at each receiver",
    examples: ["addresses show 192.0.2.10"],
    load: async () => (await import("../sending-addresses.ts")).showAddress,
  },
  {
    usage: "addresses warm-up IP",
    summary: "begin, move or end the warm-up of a sending address",
    details: `Each receiver gets as many messages a day (UTC) from the address as the day of the schedule allows. The next day of the schedule
begins if half of them were accepted; a block moves it back by one. Mail beyond the limit leaves from other addresses of the pool, or waits.`,
    options: {
      day: {
        type: "string",
        usage: "[--day N|end]",
        summary: "go to this day of the schedule; end has no limit",
      },
      receiver: { type: "string", usage: "[--receiver NAME]", summary: "apply to this receiver only" },
      schedule: {
        type: "string",
        usage: "[--schedule NUMBERS|default]",
        summary: "the messages of each day, with commas",
      },
      off: { type: "boolean", usage: "[--off]", summary: "end the warm-up: no limits of a day" },
    },
    examples: [
      "addresses warm-up 192.0.2.10",
      "addresses warm-up 192.0.2.10 --day end --receiver gmail",
      "addresses warm-up 192.0.2.10 --schedule 50,100,200,400,800",
      "addresses warm-up 192.0.2.10 --off",
    ],
    load: async () => (await import("../sending-addresses.ts")).warmUpAddress,
  },
  {
    usage: "addresses pause IP",
    summary: "stop sending from an address; attempts in progress complete",
    examples: ["addresses pause 192.0.2.10"],
    load: async () => (await import("../sending-addresses.ts")).pauseAddress,
  },
  {
    usage: "addresses resume IP",
    summary: "let mail leave from a paused address again",
    examples: ["addresses resume 192.0.2.10"],
    load: async () => (await import("../sending-addresses.ts")).resumeAddress,
  },
  {
    usage: "addresses remove IP",
    summary: "remove a sending address; attempts in progress complete",
    examples: ["addresses remove 192.0.2.10"],
    load: async () => (await import("../sending-addresses.ts")).removeAddress,
  },
  {
    usage: "pools [list]",
    summary: "the pools of sending addresses, and whose mail leaves from each",
    examples: ["pools", "pools list --json"],
    load: async () => (await import("../sending-addresses.ts")).listPools,
  },
  {
    usage: "pools create POOL",
    summary: "create a pool of sending addresses",
    examples: ["pools create news"],
    load: async () => (await import("../sending-addresses.ts")).createPool,
  },
  {
    usage: "pools assign POOL",
    summary:
      "let the mail of an account (--account), of one of its tags or of a sender domain leave from the addresses of a pool; default ends it",
    options: {
      domain: {
        type: "string",
        usage: "[--domain DOMAIN]",
        summary: "a sender domain with those below it; before the account's",
      },
      tag: { ...TAG, summary: "messages of the account with this tag; before the domain's" },
    },
    examples: [
      "pools assign news --domain news.example.com",
      "pools assign news --account example --tag newsletter",
      "pools assign default --account example",
    ],
    load: async () => (await import("../sending-addresses.ts")).assignPool,
  },
  {
    usage: "pools remove POOL",
    summary: "remove a pool without addresses; its mail is of the default pool",
    examples: ["pools remove news"],
    load: async () => (await import("../sending-addresses.ts")).removePool,
  },
];
