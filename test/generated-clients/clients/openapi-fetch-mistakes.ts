/** Calls that must not compile, each with the compiler's error code. */
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript/schema.js";

const client = createClient<paths>({ baseUrl: "" });
const neither = { from: "a@a.example", to: "b@b.example", subject: "s" };
const letter = { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" };

export const calls = [
  client.POST("/api/sending/send", { body: letter }),
  client.POST("/api/sending/send", { body: { ...neither, html: "<p>", text: null, cc: null } }),
  client.POST("/api/sending/send", { body: neither }), // TS2322
  client.POST("/api/sending/send", { body: 42 }), // TS2322
  client.POST("/api/sending/send", { body: { frm: "typo" } }), // TS2561
  client.POST("/api/sending/send", { body: { ...letter, to: 42 } }), // TS2322
  client.POST("/api/sending/send", { body: { ...letter, expires_in: true } }), // TS2322
];

type Schemas = components["schemas"];

export const comparisons = (
  recipient: Schemas["Recipient"],
  event: Schemas["AttemptEvent"],
  problem: Schemas["Problem"],
) => [
  recipient.reason === "recipient_refused",
  recipient.reason === "recipient_refusd", // TS2367
  event.reason === "recipient_refusd", // TS2367
  problem.code === "invalid_request",
  problem.code === "invalid_requst", // TS2367
];
