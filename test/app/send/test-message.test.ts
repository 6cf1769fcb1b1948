/** Test messages: who may be their sender and recipient, and how many there may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptRequest, AcceptResult } from "../../../src/app/send/accept-message.ts";
import { TestMessages } from "../../../src/app/send/test-message.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { localRates } from "../../support/local-rates.ts";

const MESSAGE = { accountId: "acc_1", from: "orders@shop.example", to: "ann@one.example", requestId: "req_1" };

function scene(resultOf: (request: AcceptRequest) => AcceptResult = () => ({ type: "accepted", id: "msg_1" })) {
  const clock = fakeClock();
  const requests: AcceptRequest[] = [];
  const accept = async (request: AcceptRequest): Promise<AcceptResult> => {
    requests.push(request);
    return resultOf(request);
  };
  const messages = new TestMessages({ acceptMessage: { accept }, clock, limits: localRates(clock) });
  return { clock, requests, messages };
}

test("a test message goes from the chosen address to any other, under the account's quota", async () => {
  const { messages, requests } = scene();
  assert.deepEqual(await messages.send(MESSAGE), { type: "accepted", id: "msg_1" });
  const [request] = requests;
  assert.deepEqual([request?.accountId, request?.keyId, request?.requestId], ["acc_1", "dashboard", "req_1"]);
  const { from, to } = request?.draft.summary ?? assert.fail();
  assert.deepEqual([from.address, to.map(({ address }) => address)], ["orders@shop.example", ["ann@one.example"]]);
});

test("a fault is reported at its field", async () => {
  const { messages, requests } = scene(({ draft: { summary } }) => ({
    type: "rejected",
    code: summary.from.domain === "late.example" ? "domain_not_verified" : "sender_not_allowed",
    detail: `${summary.from.domain} may not send.`,
  }));
  const fieldOf = async (message: Partial<typeof MESSAGE>): Promise<string> => {
    const result = await messages.send({ ...MESSAGE, ...message });
    assert.ok(result.type === "invalid" && result.detail !== "");
    return result.field;
  };
  assert.equal(await fieldOf({ to: "nobody" }), "to");
  assert.equal(await fieldOf({ to: "" }), "to");
  assert.equal(await fieldOf({ from: "two words@shop.example" }), "from");
  assert.equal(requests.length, 0);
  assert.equal(await fieldOf({ from: "a@late.example" }), "from");
  assert.equal(await fieldOf({ from: "a@foreign.example" }), "from");
});

test("an account sends a limited number of test messages, of which rejected ones are none", async () => {
  let isFull = true;
  const { messages, clock, requests } = scene(() =>
    isFull
      ? { type: "rejected", code: "quota_exceeded", detail: "The quota is used up.", retryAfterS: 60 }
      : { type: "accepted", id: "msg_1" },
  );
  for (let i = 0; i < 20; i += 1) {
    const expected = { type: "rejected", detail: "The quota is used up.", retryAfterS: 60 };
    assert.deepEqual(await messages.send(MESSAGE), expected);
  }
  isFull = false;
  for (let i = 0; i < 10; i += 1) assert.equal((await messages.send(MESSAGE)).type, "accepted");
  const before = requests.length;
  const rejected = await messages.send(MESSAGE);
  assert.ok(rejected.type === "rejected" && rejected.retryAfterS !== undefined && rejected.retryAfterS <= 60);
  assert.match(rejected.detail, /10 test messages/);
  assert.equal(requests.length, before);
  assert.equal((await messages.send({ ...MESSAGE, accountId: "acc_2" })).type, "accepted", "others are not affected");
  await clock.advance(61_000);
  assert.equal((await messages.send(MESSAGE)).type, "accepted");
});
