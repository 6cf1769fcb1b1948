/** Declarations of the commands for webhook endpoints. */
import { EVENT_TYPES } from "../../spool/port/events.ts";
import type { Command } from "../command.ts";

export const webhookCommands: Command[] = [
  {
    usage: "webhooks create URL",
    summary: "post the account's events to a URL, and print the secret, only this once",
    options: {
      events: {
        type: "string",
        usage: "[--events TYPE,…]",
        summary: "only these types of events",
        values: EVENT_TYPES,
        isList: true,
      },
      keys: { type: "string", usage: "[--keys ID|NAME,…]", summary: "only messages of these API keys", isList: true },
      domains: { type: "string", usage: "[--domains NAME,…]", summary: "only these sending domains", isList: true },
    },
    examples: [
      "webhooks create https://example.com/webhooks",
      "webhooks create https://example.com/webhooks --events recipient.failed,recipient.unknown",
    ],
    load: async () => (await import("../webhooks.ts")).createWebhook,
  },
  {
    usage: "webhooks list",
    summary: "the account's webhook endpoints, without their secrets",
    examples: ["webhooks list"],
    load: async () => (await import("../webhooks.ts")).listWebhooks,
  },
  {
    usage: "webhooks remove ID",
    summary: "remove an endpoint: nothing more is posted to it",
    examples: ["webhooks remove whe_9sKd72Lm"],
    irreversible: true,
    load: async () => (await import("../webhooks.ts")).removeWebhook,
  },
  {
    usage: "webhooks test ID",
    summary: "post a test event to an endpoint now, and show the response",
    examples: ["webhooks test whe_9sKd72Lm"],
    load: async () => (await import("../webhooks.ts")).testWebhook,
  },
  {
    usage: "webhooks rotate ID",
    summary: "replace an endpoint's secret, and print the new one, only this once",
    examples: ["webhooks rotate whe_9sKd72Lm"],
    irreversible: true,
    load: async () => (await import("../webhooks.ts")).rotateWebhook,
  },
  {
    usage: "webhooks replay ID",
    summary: "post the events again that happened since a time",
    options: {
      since: {
        type: "string",
        usage: "--since TIME",
        summary: "a time such as 2026-03-01T10:00:00Z, or the last 10m, 2h, 7d",
      },
    },
    examples: ["webhooks replay whe_9sKd72Lm --since 2h"],
    load: async () => (await import("../webhooks.ts")).replayWebhook,
  },
  {
    usage: "webhooks pause ID",
    summary: "stop posting to an endpoint",
    examples: ["webhooks pause whe_9sKd72Lm"],
    load: async () => (await import("../webhooks.ts")).pauseWebhook,
  },
  {
    usage: "webhooks resume ID",
    summary: "resume a paused endpoint, or enable a disabled one",
    examples: ["webhooks resume whe_9sKd72Lm"],
    load: async () => (await import("../webhooks.ts")).resumeWebhook,
  },
];
