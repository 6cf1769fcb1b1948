/** Declarations of the commands for API keys. */
import { PERMISSIONS } from "../../spool/port/api-keys.ts";
import type { Command, CommandOption } from "../command.ts";

const PERMISSION_OPTION: CommandOption = {
  type: "string",
  usage: "[--permissions send,read,…]",
  summary: "what it may do: send, read, manage its account, operate the service; send and read unless given",
  values: PERMISSIONS,
  isList: true,
};

const NETWORKS_OPTION: CommandOption = {
  type: "string",
  usage: "[--networks IP/LENGTH,…|all]",
  summary: "the only networks that it may be used from, or all",
  isList: true,
};

const EXPIRES_OPTION: CommandOption = {
  type: "string",
  usage: "[--expires TIME|DURATION|never]",
  summary: "when it stops being active, such as 2030-03-01T10:00:00Z or 90d",
};

export const keyCommands: Command[] = [
  {
    usage: "keys create",
    summary: "create an API key and print it, only this once",
    options: {
      name: { type: "string", usage: "--name TEXT", summary: "the app that uses it, for example “website”" },
      test: { type: "boolean", usage: "[--test]", summary: "a test key: nothing that it sends leaves this server" },
      permissions: PERMISSION_OPTION,
      domains: {
        type: "string",
        usage: "[--domains NAME,…]",
        summary: "the only domains that it may send from and read the messages of",
        isList: true,
      },
      networks: NETWORKS_OPTION,
      expires: EXPIRES_OPTION,
    },
    examples: [
      "keys create --name website",
      "keys create --name staging --test",
      "keys create --name newsletter --permissions send --domains news.example.com",
      "keys create --name terraform --permissions manage --networks 192.0.2.0/24 --expires 90d",
    ],
    load: async () => (await import("../keys.ts")).createKey,
  },
  {
    usage: "keys list",
    summary: "the account's keys, without their secrets",
    examples: ["keys list"],
    load: async () => (await import("../keys.ts")).listKeys,
  },
  {
    usage: "keys edit ID",
    summary: "change a key's name, or what it may do, from where, and how long",
    options: {
      name: { type: "string", usage: "[--name TEXT]", summary: "the new name" },
      permissions: PERMISSION_OPTION,
      domains: {
        type: "string",
        usage: "[--domains NAME,…|all]",
        summary: "the only domains that it may send from and read the messages of, or all",
        isList: true,
      },
      networks: NETWORKS_OPTION,
      expires: EXPIRES_OPTION,
    },
    examples: [
      "keys edit key_4xTqZ7Jm2c --permissions read",
      "keys edit key_4xTqZ7Jm2c --domains all",
      "keys edit key_4xTqZ7Jm2c --expires never",
    ],
    load: async () => (await import("../keys.ts")).editKey,
  },
  {
    usage: "keys revoke ID",
    summary: "revoke a key: requests with it are rejected from now on",
    examples: ["keys revoke key_4xTqZ7Jm2c"],
    irreversible: true,
    load: async () => (await import("../keys.ts")).revokeKey,
  },
  {
    usage: "keys release ID",
    summary: "let a held key send again, and try its held mail now",
    details: `A key is held if it sends far above what it normally does, or if far more of its recipients are unknown mailboxes: its further mail is
accepted and kept. After a release it is not held again for a day. Of a revoked key it asks first; without a terminal it then needs --yes.`,
    examples: ["keys release key_4xTqZ7Jm2c"],
    irreversible: true,
    load: async () => (await import("../keys.ts")).releaseKey,
  },
  {
    usage: "keys cancel-held ID",
    summary: "cancel the mail that waits because its key is held",
    examples: ["keys cancel-held key_4xTqZ7Jm2c --yes"],
    irreversible: true,
    load: async () => (await import("../keys.ts")).cancelHeld,
  },
  {
    usage: "keys fuse ID",
    summary: "set when a key is held",
    options: {
      limit: { type: "string", usage: "[--limit NUMBER]", summary: "recipients in ten minutes, from now on" },
      off: { type: "boolean", usage: "[--off]", summary: "never" },
      default: { type: "boolean", usage: "[--default]", summary: "if it sends far above what it normally does" },
    },
    examples: ["keys fuse key_4xTqZ7Jm2c --limit 5000", "keys fuse key_4xTqZ7Jm2c --off"],
    load: async () => (await import("../keys.ts")).setFuse,
  },
];
