/** Calls that must not compile, each with the compiler's error code. */
import { type AttemptEvent, type Problem, type Recipient, send } from "./generated/orval/client.js";

const letter = { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" };

export const calls = [
  send(letter),
  send({ from: "a@a.example", to: "b@b.example", subject: "s", html: "<p>", text: null, cc: null }),
  send({ from: "a@a.example", to: "b@b.example", subject: "s" }), // TS2345
  send(42), // TS2345
  send({ frm: "typo" }), // TS2561
  send({ ...letter, colour: "red" }), // TS2353
  send({ ...letter, to: 42 }), // TS2322
  send({ ...letter, expires_in: true }), // TS2322
];

export const comparisons = (recipient: Recipient, event: AttemptEvent, problem: Problem) => [
  recipient.reason === "recipient_refused",
  recipient.reason === "recipient_refusd", // TS2367
  event.reason === "recipient_refusd", // TS2367
  problem.code === "invalid_request",
  problem.code === "invalid_requst", // TS2367
];
