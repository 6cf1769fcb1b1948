/** Invitations and password resets as messages. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { inviterName, inviteUser } from "../../../src/app/accounts/invite-user.ts";
import { requestPasswordReset } from "../../../src/app/accounts/request-password-reset.ts";
import type { AcceptRequest, AcceptResult } from "../../../src/app/send/accept-message.ts";
import { hashLinkToken } from "../../../src/security/link-token.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import type { NewInvitation } from "../../../src/spool/port/invitations.ts";
import type { NewPasswordReset } from "../../../src/spool/port/password-resets.ts";
import type { User } from "../../../src/spool/port/people.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const REQUEST = {
  account: { id: "acc_default", name: "default" },
  email: "bob@customers.example",
  usersMax: 9,
  role: "viewer" as const,
};
const OPERATOR = { email: "ann@customers.example" };

function scene({ verified = true, rejected = false, isMade = true, publicUrl = "https://mail.example" } = {}) {
  const sent: AcceptRequest[] = [];
  const stored: NewInvitation[] = [];
  const resets: NewPasswordReset[] = [];
  const logged: string[] = [];
  const accept = async (request: AcceptRequest): Promise<AcceptResult> => {
    if (rejected) return { type: "rejected", code: "engine_unavailable", detail: "Stopping." };
    sent.push(request);
    return { type: "accepted", id: "msg_1" };
  };
  const parts = {
    acceptMessage: { accept },
    clock: fakeClock(1000),
    publicUrl,
    registry: {
      accounts: async () => [{ id: "acc_default", name: "default", deletedAtMs: null } as Account],
      domains: async () => [{ name: "shop.example", accountId: "acc_default", verified } as Domain],
      async createInvitation(invitation: NewInvitation) {
        stored.push(invitation);
        return "created" as const;
      },
    },
    people: {
      userNamed: async (email: string) =>
        email === "ann@customers.example"
          ? ({
              id: "usr_1",
              email,
              memberships: [{ accountId: "acc_default", role: "owner", byGroup: false, joinedAtMs: 1 }],
            } as unknown as User)
          : null,
      createPasswordReset: async (reset: NewPasswordReset) => isMade && resets.push(reset) > 0,
    },
    log: {
      warn: (_: object, text: string) => void logged.push(text),
      info: (...args: unknown[]) => void logged.push(String(args.at(-1))),
    },
  };
  return { parts: parts as never, sent, stored, resets, logged };
}

it("an invitation is stored by the hash of its link alone, which is returned and sent", async () => {
  const { parts, sent, stored } = scene();
  const invited = await inviteUser(parts, { ...REQUEST, invitedBy: OPERATOR.email });
  assert.ok(invited.type === "invited");
  assert.equal(invited.sentFrom, "shop.example");
  assert.equal(invited.linkNote, null);
  assert.doesNotMatch(String(sent[0]?.draft.content().bytes), /works only on the host/);
  const [, token = ""] = /^https:\/\/mail\.example\/dashboard\/invitation\/([\w-]{43})$/.exec(invited.link) ?? [];
  assert.ok(stored[0]?.hash.equals(hashLinkToken(token)));
  assert.ok(!JSON.stringify(stored).includes(token));
  assert.equal(sent[0]?.idempotencyKey, `invitation ${stored[0]?.id}`);
});

it("a link that leads to this server alone says so, beside it and in its message", async () => {
  const { parts, sent } = scene({ publicUrl: "http://localhost:8080" });
  const invited = await inviteUser(parts, { ...REQUEST, invitedBy: OPERATOR.email });
  assert.ok(invited.type === "invited");
  assert.match(
    invited.linkNote ?? "",
    /works only on this server, because PUBLIC_URL is http:\/\/localhost:8080\. Set/,
  );
  await requestPasswordReset(parts, "ann@customers.example");
  assert.equal(sent.length, 2);
  for (const { draft } of sent) assert.match(String(draft.content().bytes), /works only on the host/);
});

it("an invitation that cannot be sent still has its link", async () => {
  for (const options of [{ verified: false }, { rejected: true }]) {
    const { parts, sent } = scene(options);
    const invited = await inviteUser(parts, { ...REQUEST, invitedBy: OPERATOR.email });
    assert.ok(invited.type === "invited" && invited.sentFrom === null && invited.link !== "");
    assert.equal(sent.length, 0);
  }
});

it("a password reset is sent to users only, and only where it can be", async () => {
  const known = scene();
  await requestPasswordReset(known.parts, "ann@customers.example");
  assert.equal(known.resets.length, 1);
  assert.equal(known.sent.length, 1);
  const stranger = scene();
  await requestPasswordReset(stranger.parts, "eve@customers.example");
  const unverified = scene({ verified: false });
  await requestPasswordReset(unverified.parts, "ann@customers.example");
  const repeated = scene({ isMade: false });
  await requestPasswordReset(repeated.parts, "ann@customers.example");
  for (const { sent, resets, logged } of [stranger, unverified, repeated]) {
    assert.deepEqual([sent.length, resets.length, logged.length], [0, 0, 1]);
  }
});

it("an invitation from the command line comes from an operator", () => {
  assert.equal(inviterName("command line"), "An operator");
  assert.equal(inviterName("ann@customers.example"), "ann@customers.example");
});
