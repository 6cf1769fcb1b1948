/** Roles in one account and in several, invitations, password resets, and the deletion of accounts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GRACE_MS } from "../../../../src/spool/port/accounts.ts";
import { INVITATION_MS, type NewInvitation } from "../../../../src/spool/port/invitations.ts";
import {
  PASSWORD_RESET_MS,
  PASSWORD_RESETS_MAX,
  PASSWORD_RESETS_MS,
} from "../../../../src/spool/port/password-resets.ts";
import { newMessage, recipientsAt } from "../../../support/messages.ts";
import { NOW_MS, newDomain, newUserParts, type OpenStore, type Store } from "./store-suite.ts";

async function addUser(store: Store, email: string, parts: Partial<typeof newUserParts> & { role?: "viewer" } = {}) {
  const made = await store.createUser({ ...newUserParts, email, ...parts });
  assert.ok(typeof made !== "string");
  return made.id;
}

async function addAccount(store: Store, name: string): Promise<string> {
  const account = await store.createAccount(name, NOW_MS);
  assert.ok(account !== "exists");
  return account.id;
}

const hashOf = (byte: number): Buffer => Buffer.alloc(32, byte);

const invitation = (byte: number, parts: Partial<NewInvitation> = {}): NewInvitation => ({
  id: `inv_${byte}`,
  hash: hashOf(byte),
  accountId: "acc_default",
  email: `user${byte}@shop.example`,
  role: "developer",
  invitedBy: "ann@shop.example",
  createdAtMs: NOW_MS,
  usersMax: 3,
  ...parts,
});

export function membershipsConformance(name: string, open: OpenStore): void {
  membersConformance(name, open);
  severalAccountsConformance(name, open);
  invitationsConformance(name, open);
  passwordResetsConformance(name, open);
  deletionConformance(name, open);
}

function membersConformance(name: string, open: OpenStore): void {
  describe(`${name}: members of an account`, () => {
    it("are owners unless created with another role, and have it in their sessions", async (t) => {
      const store = await open(t);
      const [ann, bob] = [
        await addUser(store, "ann@shop.example"),
        await addUser(store, "bob@shop.example", { role: "viewer" }),
      ];
      assert.equal((await store.people.user(ann))?.memberships[0].role, "owner");
      const session = { hash: hashOf(1), userId: bob, accountId: "acc_default", createdAtMs: NOW_MS, seenAtMs: NOW_MS };
      await store.people.startSession({ ...session, agent: "", ip: "" });
      assert.equal((await store.people.session(hashOf(1)))?.user.memberships[0].role, "viewer");
    });

    it("change their role and are removed, but the last owner where one must stay", async (t) => {
      const store = await open(t);
      const [ann, bob] = [
        await addUser(store, "ann@shop.example"),
        await addUser(store, "bob@shop.example", { role: "viewer" }),
      ];
      const other = await addAccount(store, "other");
      const change = (userId: string, role: "owner" | "viewer" | null, keepOwner = true) =>
        store.people.changeMember({ accountId: "acc_default", userId, role, keepOwner });
      assert.equal(await change(ann, "viewer"), "last_owner");
      assert.equal(await change(ann, null), "last_owner");
      assert.equal(await change(ann, "owner"), "changed");
      assert.equal(
        await store.people.changeMember({ accountId: other, userId: bob, role: null, keepOwner: false }),
        "not_found",
      );
      assert.equal(await change(bob, "owner"), "changed");
      const both = await Promise.all([change(ann, null), change(bob, null)]);
      assert.deepEqual(both.toSorted(), ["changed", "last_owner"]);
      const [left] = await store.people.users("acc_default");
      assert.ok(left !== undefined);
      assert.equal(await change(left.id, "viewer", false), "changed");
      assert.equal(await change(left.id, null, false), "changed");
      assert.equal(await change(left.id, null, false), "not_found");
    });
  });
}

/** The user joins an account by an invitation. */
async function join(store: Store, userId: string, { byte, ...parts }: Partial<NewInvitation> & { byte: number }) {
  const email = (await store.people.user(userId))?.email ?? assert.fail();
  const made = invitation(byte, { email, createdAtMs: NOW_MS + byte, usersMax: 20, ...parts });
  assert.equal(await store.createInvitation(made), "created");
  return store.joinByInvitation({ hash: hashOf(byte), userId, nowMs: NOW_MS + byte });
}

const membershipsNow = async (store: Store, userId: string) =>
  (await store.people.user(userId))?.memberships.map(({ accountId, role }) => [accountId, role]);

function severalAccountsConformance(name: string, open: OpenStore): void {
  describe(`${name}: a user of several accounts`, () => {
    const session = (userId: string, byte: number, accountId: string) => ({
      hash: hashOf(byte),
      userId,
      accountId,
      createdAtMs: NOW_MS,
      seenAtMs: NOW_MS,
      agent: "",
      ip: "",
    });

    it("has a role in each, is listed in each, and counts in each", async (t) => {
      const store = await open(t);
      const [shop, other] = [await addAccount(store, "shop"), await addAccount(store, "other")];
      const ann = await addUser(store, "ann@shop.example");
      assert.equal(
        await join(store, ann, { byte: 1, accountId: shop, role: "viewer", email: "ANN@shop.example" }),
        "joined",
      );
      const all = [
        ["acc_default", "owner"],
        [shop, "viewer"],
      ];
      assert.deepEqual(await membershipsNow(store, ann), all);
      for (const accountId of ["acc_default", shop, null]) {
        const [user] = await store.people.users(accountId);
        assert.deepEqual(
          user?.memberships.map((each) => [each.accountId, each.role]),
          all,
        );
      }
      assert.deepEqual(await store.people.users(other), []);
      await store.people.startSession(session(ann, 9, shop));
      assert.equal((await store.people.session(hashOf(9)))?.user.memberships.length, 2);
      const full = await store.createUser({ ...newUserParts, email: "bob@shop.example", accountId: shop, usersMax: 1 });
      assert.equal(full, "too_many");
      assert.equal(await store.createInvitation(invitation(2, { accountId: shop, usersMax: 1 })), "too_many");
    });

    it("joins by an open invitation of the own address alone, once", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const [ann, bob] = [await addUser(store, "ann@shop.example"), await addUser(store, "bob@shop.example")];
      assert.equal(await join(store, bob, { byte: 1, accountId: shop, email: "ann@shop.example" }), "other_address");
      assert.notEqual(await store.invitationOf(hashOf(1), NOW_MS), null, "it is still open");
      assert.deepEqual(await membershipsNow(store, bob), [["acc_default", "owner"]]);
      const use = { hash: hashOf(1), userId: ann, nowMs: NOW_MS };
      const used = await Promise.all([store.joinByInvitation(use), store.joinByInvitation(use)]);
      assert.deepEqual(used.toSorted(), ["gone", "joined"]);
      assert.equal(
        await store.createInvitation(invitation(2, { accountId: shop, email: "ann@shop.example" })),
        "is_member",
      );
      const old = { byte: 3, accountId: shop, createdAtMs: NOW_MS - INVITATION_MS };
      assert.equal(await join(store, bob, old), "gone");
      const gone = await addAccount(store, "gone");
      await store.createInvitation(invitation(4, { accountId: gone, email: "bob@shop.example" }));
      await store.deleteAccount(gone, NOW_MS);
      assert.equal(await store.joinByInvitation({ hash: hashOf(4), userId: bob, nowMs: NOW_MS }), "gone");
      assert.equal(await store.joinByInvitation({ hash: hashOf(9), userId: bob, nowMs: NOW_MS }), "gone");
    });

    it("gets another role in one alone, and loses one alone, the first as well as a further one", async (t) => {
      const store = await open(t);
      const { people } = store;
      const [shop, third] = [await addAccount(store, "shop"), await addAccount(store, "third")];
      const ann = await addUser(store, "ann@shop.example");
      await join(store, ann, { byte: 1, accountId: shop, role: "owner" });
      await join(store, ann, { byte: 2, accountId: third, role: "viewer" });
      await store.createInvitation(invitation(3, { usersMax: 20 }));
      await store.createInvitation(invitation(4, { accountId: shop, usersMax: 20 }));
      const change = (accountId: string, role: "developer" | null) =>
        people.changeMember({ accountId, userId: ann, role, keepOwner: false });
      assert.equal(
        await people.changeMember({ accountId: shop, userId: ann, role: null, keepOwner: true }),
        "last_owner",
      );
      assert.equal(await change(shop, "developer"), "changed");
      assert.deepEqual(await membershipsNow(store, ann), [
        ["acc_default", "owner"],
        [shop, "developer"],
        [third, "viewer"],
      ]);
      assert.equal(await store.invitationOf(hashOf(4), NOW_MS), null, "of a former owner");
      assert.notEqual(await store.invitationOf(hashOf(3), NOW_MS), null, "of an owner still");
      await people.startSession(session(ann, 8, "acc_default"));
      await people.startSession(session(ann, 9, shop));
      assert.equal(await change("acc_default", null), "changed");
      assert.equal(await change("acc_default", null), "not_found");
      assert.equal(await store.invitationOf(hashOf(3), NOW_MS), null);
      assert.deepEqual(await membershipsNow(store, ann), [
        [shop, "developer"],
        [third, "viewer"],
      ]);
      const accountsNow = async () => (await people.sessions(ann)).map(({ accountId }) => accountId);
      assert.deepEqual(await accountsNow(), [shop, shop]);
      assert.deepEqual((await people.users("acc_default")).length, 0);
      assert.equal(await change(third, null), "changed");
      assert.equal(await change(shop, null), "changed");
      assert.deepEqual([await people.user(ann), await accountsNow()], [null, []], "with the last account");
    });

    it("keeps one of two accounts that it loses at the same time, or is removed with the last", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const ann = await addUser(store, "ann@shop.example");
      await join(store, ann, { byte: 1, accountId: shop });
      const lose = (accountId: string) =>
        store.people.changeMember({ accountId, userId: ann, role: null, keepOwner: false });
      assert.deepEqual(await Promise.all([lose("acc_default"), lose(shop)]), ["changed", "changed"]);
      assert.equal(await store.people.user(ann), null);
    });

    it("keeps a new role in one account when it loses the other at the same time", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const { people } = store;
      for (let byte = 1; byte <= 20; byte += 1) {
        const ann = await addUser(store, `ann${byte}@shop.example`, { usersMax: 100 });
        await join(store, ann, { byte, accountId: shop, role: "owner", usersMax: 100 });
        const changed = await Promise.all([
          people.changeMember({ accountId: "acc_default", userId: ann, role: null, keepOwner: false }),
          people.changeMember({ accountId: shop, userId: ann, role: "viewer", keepOwner: false }),
        ]);
        assert.deepEqual(changed, ["changed", "changed"]);
        assert.deepEqual(await membershipsNow(store, ann), [[shop, "viewer"]]);
      }
    });

    it("stays when one of the accounts is deleted, and is removed from all with removeUser", async (t) => {
      const store = await open(t);
      const [shop, other] = [await addAccount(store, "shop"), await addAccount(store, "other")];
      const ann = await addUser(store, "ann@shop.example", { accountId: shop });
      const bob = await addUser(store, "bob@shop.example", { accountId: other });
      await join(store, ann, { byte: 1, accountId: other, role: "viewer" });
      await join(store, bob, { byte: 2, accountId: shop, role: "viewer" });
      await store.deleteAccount(shop, NOW_MS);
      const nowMs = NOW_MS + GRACE_MS + 1;
      await store.removeDeletedAccounts({ nowMs, deletedBeforeMs: nowMs - GRACE_MS, limit: 10 });
      assert.deepEqual(await membershipsNow(store, ann), [[other, "viewer"]]);
      assert.deepEqual(await membershipsNow(store, bob), [[other, "owner"]]);
      assert.equal(await store.people.removeUser(bob), true);
      assert.deepEqual(
        (await store.people.users(other)).map(({ id }) => id),
        [ann],
      );
    });
  });
}

function invitationsConformance(name: string, open: OpenStore): void {
  describe(`${name}: invitations`, () => {
    it("create a user once, with their role and address", async (t) => {
      const store = await open(t);
      assert.equal(await store.createInvitation(invitation(1)), "created");
      assert.equal((await store.invitationOf(hashOf(1), NOW_MS))?.role, "developer");
      assert.deepEqual(await store.invitations("acc_default", NOW_MS), [
        {
          id: "inv_1",
          accountId: "acc_default",
          email: "user1@shop.example",
          role: "developer",
          invitedBy: "ann@shop.example",
          createdAtMs: NOW_MS,
        },
      ]);
      const use = { hash: hashOf(1), passwordHash: "chosen", nowMs: NOW_MS };
      const used = await Promise.all([store.acceptInvitation(use), store.acceptInvitation(use)]);
      assert.equal(used.filter((one) => one === "gone").length, 1);
      const user = await store.people.userNamed("USER1@shop.example");
      assert.deepEqual([user?.memberships[0].role, user?.operator, user?.passwordHash], ["developer", false, "chosen"]);
      assert.equal(await store.invitationOf(hashOf(1), NOW_MS), null);
    });

    it("end when the user who has sent them is removed, or is no owner any more unless an operator", async (t) => {
      const store = await open(t);
      const ends: Record<string, (userId: string) => Promise<unknown>> = {
        role: (userId) =>
          store.people.changeMember({ accountId: "acc_default", userId, role: "developer", keepOwner: false }),
        member: (userId) =>
          store.people.changeMember({ accountId: "acc_default", userId, role: null, keepOwner: false }),
        user: (userId) => store.people.removeUser(userId),
      };
      await store.createInvitation(invitation(9, { invitedBy: "other@shop.example", usersMax: 20 }));
      for (const [i, [name, end]] of Object.entries(ends).entries()) {
        const email = `${name}@shop.example`;
        const userId = await addUser(store, email, { usersMax: 20 });
        await store.createInvitation(invitation(i, { role: "owner", invitedBy: email, usersMax: 20 }));
        await store.people.changeMember({ accountId: "acc_default", userId, role: "owner", keepOwner: true });
        assert.notEqual(await store.invitationOf(hashOf(i), NOW_MS), null, name);
        await end(userId);
        assert.equal(await store.acceptInvitation({ hash: hashOf(i), passwordHash: "x", nowMs: NOW_MS }), "gone", name);
      }
      const operator = await addUser(store, "operator@shop.example", { operator: true, usersMax: 20 });
      await store.createInvitation(invitation(8, { invitedBy: "operator@shop.example", usersMax: 20 }));
      await ends.role?.(operator);
      assert.notEqual(await store.invitationOf(hashOf(8), NOW_MS), null);
      assert.notEqual(await store.invitationOf(hashOf(9), NOW_MS), null);
    });

    it("end with their time, when revoked, and when the address is invited again", async (t) => {
      const store = await open(t);
      const use = (byte: number, nowMs: number) =>
        store.acceptInvitation({ hash: hashOf(byte), passwordHash: "x", nowMs });
      await store.createInvitation(invitation(1));
      assert.notEqual(await store.invitationOf(hashOf(1), NOW_MS + INVITATION_MS - 1), null);
      for (const nowMs of [NOW_MS + INVITATION_MS, NOW_MS - INVITATION_MS]) {
        assert.equal(await store.invitationOf(hashOf(1), nowMs), null);
        assert.deepEqual(await store.invitations("acc_default", nowMs), []);
        assert.equal(await use(1, nowMs), "gone");
      }
      assert.equal(await store.revokeInvitation("acc_other", "inv_1"), false);
      assert.equal(await store.revokeInvitation("acc_default", "inv_1"), true);
      assert.equal(await use(1, NOW_MS), "gone");
      await store.createInvitation(invitation(2));
      await store.createInvitation(invitation(3, { email: "USER2@shop.example" }));
      assert.equal(await use(2, NOW_MS), "gone");
      assert.ok(typeof (await use(3, NOW_MS)) !== "string");
    });

    it("count among the users of an account, and do not take an address in use", async (t) => {
      const store = await open(t);
      await addUser(store, "ann@shop.example");
      assert.equal(await store.createInvitation(invitation(1, { email: "ANN@shop.example" })), "is_member");
      await store.createInvitation(invitation(2));
      await store.createInvitation(invitation(3));
      assert.equal(await store.createInvitation(invitation(4)), "too_many");
      const later = NOW_MS + INVITATION_MS;
      assert.equal(
        await store.createInvitation(invitation(4, { createdAtMs: later })),
        "created",
        "ended ones are gone",
      );
      const other = await addAccount(store, "other");
      await store.createInvitation(invitation(5, { accountId: other, email: "ann@shop.example" }));
      assert.equal(await store.acceptInvitation({ hash: hashOf(5), passwordHash: "x", nowMs: NOW_MS }), "exists");
    });
  });
}

function passwordResetsConformance(name: string, open: OpenStore): void {
  describe(`${name}: password resets`, () => {
    it("set a password once and end all sessions of the user", async (t) => {
      const store = await open(t);
      const { people } = store;
      const userId = await addUser(store, "ann@shop.example");
      const session = { hash: hashOf(9), userId, accountId: "acc_default", createdAtMs: NOW_MS, seenAtMs: NOW_MS };
      await people.startSession({ ...session, agent: "", ip: "" });
      for (const byte of [1, 2]) await people.createPasswordReset({ hash: hashOf(byte), userId, createdAtMs: NOW_MS });
      assert.equal(await people.passwordResetOf(hashOf(1), NOW_MS), userId);
      const use = { hash: hashOf(1), passwordHash: "chosen", nowMs: NOW_MS };
      const used = await Promise.all([people.resetPassword(use), people.resetPassword(use)]);
      assert.deepEqual(
        used.filter((id) => id !== null),
        [userId],
      );
      assert.equal((await people.user(userId))?.passwordHash, "chosen");
      assert.equal(await people.session(hashOf(9)), null);
      assert.equal(await people.passwordResetOf(hashOf(2), NOW_MS), null, "others end with it");
    });

    it("end after an hour, with another change of the password, and with their user", async (t) => {
      const store = await open(t);
      const { people } = store;
      const userId = await addUser(store, "ann@shop.example");
      const create = (byte: number, createdAtMs = NOW_MS) =>
        people.createPasswordReset({ hash: hashOf(byte), userId, createdAtMs });
      await create(1);
      for (const nowMs of [NOW_MS + PASSWORD_RESET_MS, NOW_MS - PASSWORD_RESET_MS]) {
        assert.equal(await people.passwordResetOf(hashOf(1), nowMs), null);
        assert.equal(await people.resetPassword({ hash: hashOf(1), passwordHash: "x", nowMs }), null);
      }
      await people.setPassword(userId, "changed");
      assert.equal(await people.passwordResetOf(hashOf(1), NOW_MS), null);
      assert.equal(await create(3), true);
      await people.removeUser(userId);
      assert.equal(await people.passwordResetOf(hashOf(3), NOW_MS), null);
      assert.equal(await create(99), false, "no such user");
      assert.equal(await people.passwordResetOf(hashOf(99), NOW_MS), null);
    });

    it("are limited in number, also at the same time, and none ends because of a further request", async (t) => {
      const store = await open(t);
      const { people } = store;
      const userId = await addUser(store, "ann@shop.example");
      const other = await addUser(store, "bob@shop.example");
      const create = (byte: number, createdAtMs: number, user = userId) =>
        people.createPasswordReset({ hash: hashOf(byte), userId: user, createdAtMs });
      const bytes = Array.from({ length: PASSWORD_RESETS_MAX + 2 }, (_, i) => i + 1);
      const made = await Promise.all(bytes.map((byte) => create(byte, NOW_MS)));
      assert.equal(made.filter(Boolean).length, PASSWORD_RESETS_MAX);
      const valid = bytes.filter((_, i) => made[i]);
      const halfTimeMs = NOW_MS + PASSWORD_RESETS_MS;
      assert.equal(await create(20, halfTimeMs - 1), false);
      assert.equal(await people.passwordResetOf(hashOf(20), halfTimeMs), null);
      assert.equal(await create(21, NOW_MS, other), true, "another user's");
      for (let byte = 30; byte < 30 + PASSWORD_RESETS_MAX; byte += 1)
        assert.equal(await create(byte, halfTimeMs), true);
      assert.equal(await create(40, halfTimeMs), false);
      for (const byte of valid) assert.equal(await people.passwordResetOf(hashOf(byte), halfTimeMs), userId);
    });
  });
}

/** An account with a user, two keys, one of which is revoked, and a domain. */
async function filledAccount(store: Store) {
  const accountId = await addAccount(store, "shop");
  const userId = await addUser(store, "ann@shop.example", { accountId });
  const newKey = async (byte: number) => {
    const key = await store.createKey({
      accountId,
      name: "k",
      hash: hashOf(byte),
      lastFour: "abcd",
      createdAtMs: NOW_MS,
      keysMax: 9,
    });
    assert.ok(key !== "too_many");
    return key.id;
  };
  const [keyId, revoked] = [await newKey(1), await newKey(2)];
  await store.revokeKey(accountId, revoked, NOW_MS);
  await store.addDomain({ ...newDomain, accountId });
  return { accountId, userId, keyId };
}

function deletionConformance(name: string, open: OpenStore): void {
  describe(`${name}: a deleted account`, () => {
    it("has nothing accepted with its keys, gets no new ones, and has the former ones back when it is restored", async (t) => {
      const store = await open(t);
      const { accountId, keyId } = await filledAccount(store);
      const send = () =>
        store.accept(newMessage({ accountId, keyId, createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 1) }));
      assert.equal((await send()).type, "accepted");
      assert.equal(await store.deleteAccount(accountId, NOW_MS), "deleted");
      assert.equal(await store.deleteAccount(accountId, NOW_MS + 1), "already_deleted");
      assert.equal((await store.accountNamed("shop"))?.deletedAtMs, NOW_MS);
      assert.equal(await store.activeKey(hashOf(1)), null);
      assert.equal((await send()).type, "key_revoked");
      assert.deepEqual((await store.keys(accountId)).map(({ suspended }) => suspended).toSorted(), [false, true]);
      const more = { accountId, name: "k", hash: hashOf(3), lastFour: "abcd", createdAtMs: NOW_MS, keysMax: 9 };
      assert.equal(await store.createKey(more), "too_many");
      assert.equal(await store.createInvitation(invitation(4, { accountId })), "gone");
      assert.equal(await store.restoreAccount(accountId), true);
      assert.equal(await store.restoreAccount(accountId), false);
      assert.equal((await store.activeKey(hashOf(1)))?.id, keyId);
      assert.equal(await store.activeKey(hashOf(2)), null, "it was revoked before");
      assert.equal((await send()).type, "accepted");
    });

    it("does not bring back a key that was revoked meanwhile", async (t) => {
      const store = await open(t);
      const { accountId, keyId } = await filledAccount(store);
      await store.deleteAccount(accountId, NOW_MS);
      assert.equal(await store.revokeKey(accountId, keyId, NOW_MS + 1), "revoked");
      await store.restoreAccount(accountId);
      assert.equal(await store.activeKey(hashOf(1)), null);
    });

    it("is refused while it has operators, and if there is none", async (t) => {
      const store = await open(t);
      await addUser(store, "sam@shop.example", { operator: true });
      assert.equal(await store.deleteAccount("acc_default", NOW_MS), "has_operators");
      assert.equal(await store.deleteAccount("acc_none", NOW_MS), "not_found");
      assert.equal(await store.restoreAccount("acc_default"), false);
    });

    it("keeps everything during the grace period, and its messages after it", async (t) => {
      const store = await open(t);
      const { accountId, userId, keyId } = await filledAccount(store);
      const message = newMessage({ accountId, keyId, createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 1) });
      await store.accept(message);
      await store.createInvitation(invitation(5, { accountId }));
      await store.deleteAccount(accountId, NOW_MS);
      const remove = (nowMs: number) =>
        store.removeDeletedAccounts({ nowMs, deletedBeforeMs: nowMs - GRACE_MS, limit: 10 });
      assert.deepEqual(await remove(NOW_MS + GRACE_MS), { emptied: [], isMore: false });
      assert.notEqual(await store.people.user(userId), null);
      assert.deepEqual(await remove(NOW_MS + GRACE_MS + 1), { emptied: [accountId], isMore: true });
      assert.deepEqual(await remove(NOW_MS + GRACE_MS + 1), { emptied: [], isMore: false });
      assert.equal(await store.people.user(userId), null);
      assert.deepEqual(await store.keys(accountId), []);
      assert.deepEqual(await store.domains(accountId), []);
      assert.deepEqual(await store.invitations(accountId, NOW_MS), []);
      assert.equal(await store.restoreAccount(accountId), false);
      assert.equal(await store.accountNamed("shop"), null);
      assert.equal((await store.accounts()).find(({ id }) => id === accountId)?.isEmptied, true);
      assert.notEqual(await store.createAccount("shop", NOW_MS), "exists", "the name is free again");
      assert.equal(
        (await store.report(message.id))?.recipients[0]?.result,
        "pending",
        "what was accepted is delivered",
      );
    });
  });
}
