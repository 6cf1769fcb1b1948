/** A submission session's parts whose decisions a test sets. */
import type { AcceptRequest, AcceptResult, Rejection } from "../../src/app/send/accept-message.ts";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { type ApiKey, FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import type { SubmissionParts } from "../../src/submission/session.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";

export const KEY = `svc_live_${"k".repeat(43)}`;
export const TEST_KEY = `svc_test_${"k".repeat(43)}`;
export const ADDRESS = "192.0.2.1";
/** Sessions of an address without a valid key. */
export const ATTEMPTS_MAX = 3;

export const API_KEY: ApiKey = {
  id: "key_1",
  accountId: "acc_1",
  name: "",
  lastFour: "kkkk",
  test: false,
  messagesSent: 0,
  suspended: false,
  ...FULL_ACCESS,
  createdAtMs: 0,
  lastUsedAtMs: null,
  revokedAtMs: null,
};

export interface Stage {
  clock: FakeClock;
  parts: SubmissionParts;
  /** What reached the use case. */
  accepted: AcceptRequest[];
  /** The ids of keys that were used. */
  touched: string[];
  /** What a test may change at any time. */
  state: {
    /** Null: no key is active. */
    key: ApiKey | null;
    result: AcceptResult | Error;
    rejection: Rejection | null;
    isOverloaded: boolean;
    isLow: boolean;
    isExhausted: boolean;
  };
}

export function stage(limits = { recipientsMax: 3, messageBytesMax: 200_000 }): Stage {
  const clock = fakeClock(Date.parse("2026-11-02T10:00:00Z"));
  const accepted: AcceptRequest[] = [];
  const touched: string[] = [];
  const state: Stage["state"] = {
    key: API_KEY,
    result: { type: "accepted", id: "msg_1" },
    rejection: null,
    isOverloaded: false,
    isLow: false,
    isExhausted: false,
  };
  const parts: SubmissionParts = {
    acceptMessage: {
      async accept(request) {
        accepted.push(request);
        if (state.result instanceof Error) throw state.result;
        return state.result;
      },
      rejectionOf: () => state.rejection,
    },
    registry: { activeKey: async () => state.key, touchKey: (id) => void touched.push(id) },
    backpressure: { rejects: () => state.isOverloaded },
    memory: {
      get isLow() {
        return state.isLow;
      },
      get isExhausted() {
        return state.isExhausted;
      },
    },
    messages: new MessageMemory(clock),
    addresses: new AddressLimiter({ rate: { perSecond: 0.001, burst: ATTEMPTS_MAX }, trustedProxies: 0, clock }),
    clock,
    limits,
  };
  return { clock, parts, accepted, touched, state };
}
