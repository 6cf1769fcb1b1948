/** Calls that must not compile, each with the compiler's error code. */
import { send } from "./generated/hey-api/sdk.gen.js";
import type { AttemptEvent, Problem, Recipient } from "./generated/hey-api/types.gen.js";

const letter = { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" };

export const calls = [
  send({ body: letter }),
  send({ body: { from: "a@a.example", to: "b@b.example", subject: "s", html: "<p>", text: null, cc: null } }),
  send({ body: { from: "a@a.example", to: "b@b.example", subject: "s" } }), // TS2322
  send({ body: 42 }), // TS2322
  send({ body: { frm: "typo" } }), // TS2561
  send({ body: { ...letter, colour: "red" } }), // TS2353
  send({ body: { ...letter, to: 42 } }), // TS2322
  send({ body: { ...letter, expires_in: true } }), // TS2322
];

export const comparisons = (recipient: Recipient, event: AttemptEvent, problem: Problem) => [
  recipient.reason === "recipient_refused",
  recipient.reason === "recipient_refusd", // TS2367
  event.reason === "recipient_refusd", // TS2367
  problem.code === "invalid_request",
  problem.code === "invalid_requst", // TS2367
];
