/** Users who sign in by the identity provider. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { INVITATION_MS, type NewInvitation } from "../../../../src/spool/port/invitations.ts";
import type { Role } from "../../../../src/spool/port/memberships.ts";
import type { User } from "../../../../src/spool/port/people.ts";
import type { ProviderEntry, ProviderSignIn } from "../../../../src/spool/port/provider-sign-ins.ts";
import { NOW_MS, newUserParts, type OpenStore, type Store } from "./store-suite.ts";

const signIn = (subject: string, parts: Partial<ProviderSignIn> = {}): ProviderSignIn => ({
  issuer: "https://id.example",
  subject,
  email: `${subject}@shop.example`,
  grants: [],
  passwordHash: "none",
  nowMs: NOW_MS,
  usersMax: 3,
  ...parts,
});

async function addAccount(store: Store, name: string): Promise<string> {
  const account = await store.createAccount(name, NOW_MS);
  assert.ok(account !== "exists");
  return account.id;
}

async function addUser(store: Store, email: string, accountId = "acc_default"): Promise<string> {
  const made = await store.createUser({ ...newUserParts, email, accountId });
  assert.ok(typeof made !== "string");
  return made.id;
}

const invitation = (byte: number, parts: Partial<NewInvitation>): NewInvitation => ({
  id: `inv_${byte}`,
  hash: Buffer.alloc(32, byte),
  accountId: "acc_default",
  email: "bob@shop.example",
  role: "developer",
  invitedBy: "ann@shop.example",
  createdAtMs: NOW_MS,
  usersMax: 10,
  ...parts,
});

/** The user's accounts and roles after an entry, and what has changed. */
function outcome(entry: ProviderEntry) {
  if (entry.type === "refused") return entry.reason;
  return [...namesOf(entry.user), ...entry.changes.map(({ type }) => type)];
}

const namesOf = (user: User | null): string[] =>
  user?.memberships.flatMap(({ accountId, role }) => [accountId, role]) ?? [];

async function begin(store: Store, userId: string, byte: number, providerSid: string | null): Promise<void> {
  const times = { createdAtMs: NOW_MS, seenAtMs: NOW_MS };
  const session = { hash: Buffer.alloc(32, byte), userId, accountId: "acc_default", agent: "", ip: "", ...times };
  await store.people.startSession({ ...session, providerSid, providerAuthAtMs: providerSid === null ? null : NOW_MS });
}

export function providerSignInsConformance(name: string, open: OpenStore): void {
  personsConformance(name, open);
  groupsConformance(name, open);
  signOutConformance(name, open);
}

function personsConformance(name: string, open: OpenStore): void {
  describe(`${name}: persons of the identity provider`, () => {
    it("are users by their email address once, and by their subject from then on", async (t) => {
      const store = await open(t);
      const ann = await addUser(store, "Ann@shop.example");
      const enter = (subject: string, parts: Partial<ProviderSignIn> = {}) =>
        store.enterByProvider(signIn(subject, parts));
      const first = await enter("ann");
      assert.deepEqual(outcome(first), ["acc_default", "owner", "linked"]);
      assert.equal(first.type === "entered" ? first.user.id : "", ann);
      const later = await enter("ann", { email: "other@shop.example" });
      assert.equal(later.type === "entered" ? later.user.id : "", ann);
      assert.deepEqual(outcome(later), ["acc_default", "owner"]);
      const other = await enter("someone", { email: "ann@shop.example" });
      assert.deepEqual(other.type === "refused" ? [other.reason, other.user?.id, other.changes] : other, [
        "other_person",
        ann,
        [],
      ]);
      assert.deepEqual(outcome(await enter("someone", { email: "ann@shop.example", issuer: "https://new.example" })), [
        "acc_default",
        "owner",
        "linked",
      ]);
      assert.equal(outcome(await enter("nobody")), "unknown");
      await store.people.removeUser(ann);
      assert.equal(outcome(await enter("ann")), "unknown");
    });

    it("accept the newest open invitation to an account that is not deleted", async (t) => {
      const store = await open(t);
      const [shop, gone] = [await addAccount(store, "shop"), await addAccount(store, "gone")];
      const old = NOW_MS - INVITATION_MS;
      const invitations = [
        invitation(1, { createdAtMs: old, role: "owner" }),
        invitation(2, { accountId: shop, createdAtMs: NOW_MS - 10, email: "Bob@shop.example" }),
        invitation(3, { accountId: gone, createdAtMs: NOW_MS - 5 }),
      ];
      for (const each of invitations) assert.equal(await store.createInvitation(each), "created");
      await store.deleteAccount(gone, NOW_MS);
      // With a place of its own, however many users there may be.
      const entry = await store.enterByProvider(signIn("bob", { usersMax: 0 }));
      assert.deepEqual(outcome(entry), [shop, "developer", "invited"]);
      const bob = await store.people.userNamed("bob@shop.example");
      assert.deepEqual([bob?.email, bob?.passwordHash, bob?.operator], ["Bob@shop.example", "none", false]);
      assert.deepEqual(await store.invitations(shop, NOW_MS), []);
      assert.equal(await store.enterByProvider(signIn("cleo", { email: "cleo@x.example" })).then(outcome), "unknown");
    });

    it("create one user in several sign-ins at the same time", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const grants = ["acc_default", shop].map((accountId) => ({ accountId, role: "viewer" as const }));
      const calls = Array.from({ length: 4 }, (_, i) =>
        store.enterByProvider(signIn("bob", { grants: i % 2 === 0 ? grants : grants.toReversed() })),
      );
      const types = (await Promise.all(calls)).flatMap(({ changes }) => changes.map(({ type }) => type));
      assert.equal(types.filter((type) => type === "created").length, 1);
      assert.equal(types.filter((type) => type === "joined").length, 1);
      for (const id of ["acc_default", shop]) assert.equal((await store.people.users(id)).length, 1);
    });
  });
}

function groupsConformance(name: string, open: OpenStore): void {
  describe(`${name}: groups of the identity provider`, () => {
    it("give account and role at each sign-in, and without any the sessions end", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const enter = (accountId: string | null, role: Role = "viewer") =>
        store.enterByProvider(signIn("cleo", { grants: accountId === null ? [] : [{ accountId, role }] }));
      const first = await enter("acc_default");
      assert.deepEqual(outcome(first), ["acc_default", "viewer", "created"]);
      const id = first.type === "entered" ? first.user.id : "";
      const now = async () => namesOf(await store.people.user(id));
      await begin(store, id, 1, "s1");
      assert.deepEqual(outcome(await enter("acc_default", "owner")), ["acc_default", "owner", "role_changed"]);
      assert.deepEqual(await now(), ["acc_default", "owner"]);
      assert.equal((await store.people.sessions(id)).length, 1);
      assert.deepEqual(outcome(await enter(shop)), [shop, "viewer", "joined", "left"]);
      const sessions = await store.people.sessions(id);
      assert.deepEqual([await now(), sessions.map(({ accountId }) => accountId)], [[shop, "viewer"], [shop]]);
      await begin(store, id, 2, null);
      const without = await enter(null);
      assert.deepEqual(without.type === "refused" ? [without.reason, without.user?.id] : without, ["no_group", id]);
      assert.deepEqual(await store.people.sessions(id), []);
      assert.deepEqual(outcome(await enter(shop)), [shop, "viewer"]);
    });

    it("give every account of several groups, and take those alone that they have given", async (t) => {
      const store = await open(t);
      const [shop, other, invited] = [
        await addAccount(store, "shop"),
        await addAccount(store, "other"),
        await addAccount(store, "invited"),
      ];
      const enter = (roles: Record<string, Role>) => {
        const grants = Object.entries(roles).map(([accountId, role]) => ({ accountId, role }));
        return store.enterByProvider(signIn("cleo", { grants }));
      };
      const first = await enter({ [shop]: "owner", [other]: "viewer" });
      assert.deepEqual(outcome(first), [shop, "owner", other, "viewer", "created", "joined"]);
      const id = first.type === "entered" ? first.user.id : "";
      const mail = "cleo@shop.example";
      await store.createInvitation(invitation(1, { accountId: invited, email: mail }));
      assert.equal(
        await store.joinByInvitation({ hash: Buffer.alloc(32, 1), userId: id, nowMs: NOW_MS + 1 }),
        "joined",
      );
      await store.createInvitation(invitation(2, { accountId: shop, email: "dan@shop.example", invitedBy: mail }));
      // A role of a group where an invitation has given another one.
      const now = [other, "developer", invited, "developer"];
      const entry = await enter({ [other]: "developer", [invited]: "owner" });
      assert.deepEqual(outcome(entry), [...now, "role_changed", "left"]);
      assert.deepEqual(await store.invitations(shop, NOW_MS), [], "a former owner's");
      assert.deepEqual(outcome(await enter({})), [invited, "developer", "left"]);
      assert.deepEqual(await store.people.users(other), []);
      assert.deepEqual(
        (await store.people.user(id))?.memberships.map(({ byGroup, joinedAtMs }) => [byGroup, joinedAtMs]),
        [[false, NOW_MS + 1]],
      );
    });

    it("keep one account of a user whom no group gives any, until one does again", async (t) => {
      const store = await open(t);
      const [shop, other] = [await addAccount(store, "shop"), await addAccount(store, "other")];
      const grants = [shop, other].map((accountId) => ({ accountId, role: "viewer" as const }));
      const enter = (given: typeof grants) => store.enterByProvider(signIn("cleo", { grants: given }));
      const first = await enter(grants);
      const none = await enter([]);
      assert.deepEqual(
        none.changes.map((change) => [change.type, "accountId" in change ? change.accountId : ""]),
        [["left", other]],
      );
      const again = await enter(grants.slice(1));
      assert.deepEqual(outcome(again), [other, "viewer", "joined", "left"]);
      assert.equal(again.type === "entered" && first.type === "entered" && again.user.id === first.user.id, true);
    });

    it("have the places of invitations that have ended", async (t) => {
      const store = await open(t);
      await store.createInvitation(invitation(1, {}));
      const enter = (subject: string, nowMs: number) =>
        store.enterByProvider(
          signIn(subject, { grants: [{ accountId: "acc_default", role: "viewer" }], usersMax: 1, nowMs }),
        );
      assert.equal(outcome(await enter("cleo", NOW_MS + INVITATION_MS - 1)), "too_many_users");
      assert.deepEqual(outcome(await enter("cleo", NOW_MS + INVITATION_MS)), ["acc_default", "viewer", "created"]);
    });

    it("give the only accounts of a user who is linked, but those without another owner", async (t) => {
      const store = await open(t);
      const [shop, evil, own] = [
        await addAccount(store, "shop"),
        await addAccount(store, "evil"),
        await addAccount(store, "own"),
      ];
      await addUser(store, "mallory@shop.example", evil);
      const take = async (byte: number, parts: Partial<NewInvitation>) => {
        assert.equal(await store.createInvitation(invitation(byte, parts)), "created");
        const use = { hash: Buffer.alloc(32, byte), passwordHash: "of mallory", nowMs: NOW_MS };
        assert.ok(typeof (await store.acceptInvitation(use)) !== "string");
      };
      await take(1, { accountId: evil, role: "owner", email: "cleo@shop.example" });
      await take(2, { accountId: evil, email: "dan@shop.example" });
      await take(3, { accountId: evil, email: "eve@shop.example" });
      await addUser(store, "fay@shop.example", own);
      const grants = [{ accountId: shop, role: "viewer" as const }];
      const enter = (subject: string, parts: Partial<ProviderSignIn> = {}) =>
        store.enterByProvider(signIn(subject, { grants, usersMax: 10, ...parts })).then(outcome);
      assert.deepEqual(await enter("cleo"), [shop, "viewer", "linked", "joined", "left"]);
      assert.deepEqual(await enter("dan", { usersMax: 1 }), [evil, "developer", "linked"], "no place in the account");
      assert.deepEqual(await enter("eve", { grants: [] }), [evil, "developer", "linked"], "no group gives one");
      assert.deepEqual(await enter("eve"), [evil, "developer", shop, "viewer", "joined"], "a later sign-in");
      assert.deepEqual(await enter("fay"), [own, "owner", shop, "viewer", "linked", "joined"], "the last owner");
    });

    it("leave a viewer's membership without effect, and no invitation or owner", async (t) => {
      const store = await open(t);
      const shop = await addAccount(store, "shop");
      const boss = await addUser(store, "boss@shop.example", shop);
      const enter = (role: Role | null) =>
        store.enterByProvider(signIn("cleo", { grants: role === null ? [] : [{ accountId: shop, role }] }));
      await enter("owner");
      const sent = invitation(1, { accountId: shop, invitedBy: "cleo@shop.example" });
      assert.equal(await store.createInvitation(sent), "created");
      const without = await enter(null);
      assert.deepEqual(without.changes, [{ type: "role_changed", accountId: shop, before: "owner", after: "viewer" }]);
      assert.deepEqual(await store.invitations(shop, NOW_MS), []);
      const demotion = { accountId: shop, userId: boss, role: "viewer" as const, keepOwner: true };
      assert.equal(await store.people.changeMember(demotion), "last_owner");
      assert.deepEqual((await enter(null)).changes, []);
      assert.deepEqual(outcome(await enter("owner")), [shop, "owner", "role_changed"]);
    });

    it("change no membership that was there before and no operator, and take no place that is not there", async (t) => {
      const store = await open(t);
      const [shop, full] = [await addAccount(store, "shop"), await addAccount(store, "full")];
      await addUser(store, "ann@shop.example");
      await store.createUser({ ...newUserParts, email: "op@shop.example", operator: true });
      const enter = (subject: string, ...accounts: string[]) => {
        const grants = accounts.map((accountId) => ({ accountId, role: "viewer" as const }));
        return store.enterByProvider(signIn(subject, { grants, usersMax: 1 }));
      };
      const ann = await enter("ann", "acc_default", shop);
      assert.deepEqual(outcome(ann), ["acc_default", "owner", shop, "viewer", "linked", "joined"]);
      assert.deepEqual(outcome(await enter("op", full)), ["acc_default", "owner", "linked"]);
      await addUser(store, "dan@shop.example", full);
      assert.equal(outcome(await enter("bob", full)), "too_many_users");
      const further = await enter("ann", shop, full);
      assert.deepEqual(further.type === "entered" ? further.withoutPlace : further, [
        { accountId: full, fault: "too_many_users" },
      ]);
      await store.deleteAccount(shop, NOW_MS);
      assert.equal(outcome(await enter("bob", shop)), "account_deleted");
      assert.deepEqual(
        outcome(await enter("ann", shop)),
        ["acc_default", "owner", shop, "viewer"],
        "in the grace period",
      );
      assert.equal((await store.people.users(null)).length, 3);
    });
  });
}

function signOutConformance(name: string, open: OpenStore): void {
  it(`${name}: a sign-out at the identity provider ends what began there, of that session or that person`, async (t) => {
    const store = await open(t);
    const [ann, bob] = [await addUser(store, "ann@shop.example"), await addUser(store, "bob@shop.example")];
    for (const subject of ["ann", "bob"]) await store.enterByProvider(signIn(subject));
    await begin(store, ann, 1, "s1");
    await begin(store, ann, 2, "s2");
    await begin(store, ann, 3, "s3");
    await begin(store, ann, 4, null);
    await begin(store, bob, 5, "s5");
    const left = async () =>
      [...(await store.people.sessions(ann)), ...(await store.people.sessions(bob))].map(({ hash }) => hash[0]).sort();
    const end = (subject: string | null, sid: string | null, issuer = "https://id.example") =>
      store.endProviderSessions({ issuer, subject, sid });
    assert.deepEqual(await end("ann", "s1", "https://other.example"), []);
    assert.deepEqual(await end("bob", "s1"), []);
    const ended = await end("ann", "s1");
    assert.deepEqual(
      [ended.map(({ user, sessions }) => [user.id, sessions]), await left()],
      [[[ann, 1]], [2, 3, 4, 5]],
    );
    assert.equal((await end(null, "s2")).length, 1);
    assert.deepEqual(await left(), [3, 4, 5]);
    assert.equal((await end("ann", null)).length, 1);
    assert.deepEqual(await left(), [4, 5]);
  });
}
