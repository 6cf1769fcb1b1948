/** Calls that must not compile, each with the compiler's error code, and some that must. */
import { Postrider } from "postrider-client";

const client = new Postrider({ url: "https://postrider.example.com", key: "svc_live_…" });
const neither = { from: "a@a.example", to: "b@b.example", subject: "s" };
const letter = { ...neither, text: "t" };

export const calls = () => [
  client.send(letter),
  client.send({ ...neither, html: "<p>", text: null, cc: undefined }),
  client.send(neither), // TS2345
  client.send({ ...letter, to: 42 }), // TS2322
  client.send({ ...letter, subjct: "typo" }), // TS2561
  client.send(letter, { ifMatch: "x" }), // TS2353
  client.listMessages({ result: "deliverd" }), // TS2820
  client.createKey({ name: "n", permissions: ["sned"] }), // TS2322
  client.removeDomain(), // TS2554
  new Postrider({ url: "https://postrider.example.com" }), // TS2741
];
