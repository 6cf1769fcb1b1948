/** Declarations of the commands for API keys. */
import type { Command } from "../command.ts";

export const keyCommands: Command[] = [
  {
    usage: "keys create",
    summary: "create an API key and print it, only this once",
    options: {
      name: { type: "string", usage: "--name TEXT", summary: "the app that uses it, for example “website”" },
      test: { type: "boolean", usage: "[--test]", summary: "a test key: nothing that it sends leaves the host" },
    },
    examples: ["keys create --name website", "keys create --name staging --test"],
    load: async () => (await import("../keys.ts")).createKey,
  },
  {
    usage: "keys list",
    summary: "the account's keys, without their secrets",
    examples: ["keys list"],
    load: async () => (await import("../keys.ts")).listKeys,
  },
  {
    usage: "keys revoke ID",
    summary: "revoke a key: requests with it are refused from now on",
    examples: ["keys revoke key_4xTqZ7Jm2c"],
    irreversible: true,
    load: async () => (await import("../keys.ts")).revokeKey,
  },
];
