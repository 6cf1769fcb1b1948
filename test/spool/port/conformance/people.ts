/** Users, sessions and second factors. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SESSIONS_MAX, type Session } from "../../../../src/spool/port/people.ts";
import { HOUR_MS } from "../../../support/messages.ts";

import { NOW_MS, newUserParts, type OpenStore, type Store } from "./store-suite.ts";

export function peopleConformance(name: string, open: OpenStore): void {
  describe(`${name}: people`, () => {
    const newUser = async (store: Store, email = "Ann@shop.example") => {
      const created = await store.createUser({ ...newUserParts, email });
      assert.ok(typeof created !== "string");
      return created.id;
    };
    const sessionOf = (userId: string, byte: number, seenAtMs = NOW_MS): Session => ({
      hash: Buffer.alloc(32, byte),
      userId,
      accountId: "acc_default",
      createdAtMs: NOW_MS,
      seenAtMs,
      agent: "Browser",
      ip: "192.0.2.1",
      providerSid: null,
      providerAuthAtMs: null,
    });

    it("finds a user case-insensitively, and no session of a removed one", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      assert.equal((await store.people.userNamed("aNN@SHOP.example"))?.id, id);
      assert.equal(await store.people.userNamed("ben@shop.example"), null);
      await store.people.startSession(sessionOf(id, 1));
      assert.equal((await store.people.session(Buffer.alloc(32, 1)))?.user.email, "Ann@shop.example");
      assert.equal(await store.people.removeUser(id), true);
      assert.equal(await store.people.session(Buffer.alloc(32, 1)), null);
      assert.equal(await store.people.removeUser(id), false);
    });

    it("ignores the case of ASCII letters alone, whatever the language of the database", async (t) => {
      const store = await open(t);
      const emails = ["Adam@shop.example", "zoe@shop.example", "Ünal@shop.example", "ünal@shop.example"];
      for (const email of emails.toReversed()) await newUser(store, email);
      assert.equal((await store.people.userNamed("ÜNAL@Shop.example"))?.email, "Ünal@shop.example");
      assert.equal((await store.people.userNamed("üNAL@shop.example"))?.email, "ünal@shop.example");
      assert.deepEqual(
        (await store.people.users(null)).map(({ email }) => email),
        emails,
      );
    });

    it("shows in a session the account that it has switched to", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      const other = await store.createAccount("other", NOW_MS);
      assert.ok(other !== "exists");
      await store.people.startSession(sessionOf(id, 1));
      const found = await store.people.session(Buffer.alloc(32, 1));
      assert.deepEqual([found?.session, found?.user.id], [sessionOf(id, 1), id]);
      await store.people.switchAccount(Buffer.alloc(32, 1), other.id);
      assert.equal((await store.people.session(Buffer.alloc(32, 1)))?.session.accountId, other.id);
    });

    it("ends sessions one by one, all but one, and those that are too old", async (t) => {
      const store = await open(t);
      const [ann, ben] = [await newUser(store), await newUser(store, "ben@shop.example")];
      for (let byte = 1; byte <= 4; byte += 1) await store.people.startSession(sessionOf(ann, byte, NOW_MS + byte));
      await store.people.startSession(sessionOf(ben, 9));
      const left = async () => (await store.people.sessions(ann)).map(({ hash }) => hash[0]);
      assert.deepEqual(await left(), [4, 3, 2, 1]);
      assert.equal(await store.people.endSession(ben, Buffer.alloc(32, 1)), false);
      assert.equal(await store.people.endSession(ann, Buffer.alloc(32, 1)), true);
      assert.deepEqual(await left(), [4, 3, 2]);
      const times = { nowMs: NOW_MS + HOUR_MS, idleSinceMs: NOW_MS + 4, begunSinceMs: NOW_MS };
      await store.people.touchSession(Buffer.alloc(32, 2), times);
      assert.deepEqual(await left(), [2, 4]);
      assert.equal(await store.people.session(Buffer.alloc(32, 9)), null);
      assert.equal(await store.people.endSessions(ann, Buffer.alloc(32, 4)), 1);
      assert.deepEqual(await left(), [4]);
    });

    it("keeps a user's newest sessions, including the one just started", async (t) => {
      const store = await open(t);
      const [ann, ben] = [await newUser(store), await newUser(store, "ben@shop.example")];
      const begun = (byte: number, createdAtMs: number) => ({ ...sessionOf(ann, byte), createdAtMs });
      await store.people.startSession(sessionOf(ben, 200));
      for (let byte = 1; byte <= SESSIONS_MAX; byte += 1) await store.people.startSession(begun(byte, NOW_MS + byte));
      assert.equal((await store.people.sessions(ann)).length, SESSIONS_MAX);
      // A clock that was put back makes the newest one look like the oldest.
      await store.people.startSession(begun(201, NOW_MS));
      const left = (await store.people.sessions(ann)).map(({ hash }) => hash[0] ?? 0).sort((a, b) => a - b);
      assert.deepEqual(left, [...Array.from({ length: SESSIONS_MAX - 1 }, (_, i) => i + 2), 201]);
      assert.equal((await store.people.sessions(ben)).length, 1);
    });

    it("spends a time step once and never an older one, and a recovery code once", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      const recoveryHashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      await store.people.setTotp(id, { sealed: Buffer.from("sealed"), recoveryHashes });
      assert.equal((await store.people.user(id))?.sealedTotp?.toString(), "sealed");
      const atOnce = async (spend: () => Promise<boolean>) => (await Promise.all([spend(), spend(), spend()])).sort();
      assert.deepEqual(await atOnce(() => store.people.spendTotpStep(id, 10)), [false, false, true]);
      assert.equal(await store.people.spendTotpStep(id, 9), false);
      assert.equal(await store.people.spendTotpStep(id, 11), true);
      // Set back by so much as no code reaches, the clock shuts nobody out until its former time.
      assert.equal(await store.people.spendTotpStep(id, 1000), true);
      assert.equal(await store.people.spendTotpStep(id, 998), false);
      assert.equal(await store.people.spendTotpStep(id, 12), true);
      assert.equal(await store.people.spendTotpStep(id, 12), false);
      const spendCode = () => store.people.spendRecoveryCode(id, Buffer.alloc(32, 1));
      assert.deepEqual(await atOnce(spendCode), [false, false, true]);
      assert.equal(await store.people.recoveryCodesLeft(id), 1);
      await store.people.setTotp(id, null);
      assert.equal(await store.people.recoveryCodesLeft(id), 0);
      assert.equal((await store.people.user(id))?.sealedTotp, null);
    });

    it("has the secret and the codes of one of several settings at once, and none for a removed user", async (t) => {
      const store = await open(t);
      const id = await newUser(store);
      const set = (i: number) => {
        return store.people.setTotp(id, { sealed: Buffer.from([i]), recoveryHashes: [Buffer.alloc(32, i)] });
      };
      await Promise.all([1, 2, 3].map(set));
      const last = (await store.people.user(id))?.sealedTotp?.[0] ?? 0;
      assert.equal(await store.people.recoveryCodesLeft(id), 1);
      assert.equal(await store.people.spendRecoveryCode(id, Buffer.alloc(32, last)), true);
      await store.people.removeUser(id);
      await set(4);
      assert.equal(await store.people.recoveryCodesLeft(id), 0);
    });
  });
}
