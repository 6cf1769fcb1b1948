/** Listing, inviting and removing users; deleting and restoring an account, and its quota. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { hashLinkToken } from "../../src/security/link-token.ts";
import { GRACE_MS } from "../../src/spool/port/accounts.ts";
import { INVITATION_MS } from "../../src/spool/port/invitations.ts";
import { openSpool } from "../support/damaged-spool.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

async function installation(t: TestContext) {
  const dir = tempDir(t);
  const env = { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs`, QUOTA_DAILY: "100" };
  const cli = (args: string[], terminal = {}) => runCli(args, env, "a long enough password\n", terminal);
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli([...args, "--json"]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  await cli(["accounts", "create", "blue"]);
  await done("users", "create", "ann@shop.example", "--password-stdin", "--operator");
  await done("users", "create", "bob@blue.example", "--password-stdin", "--account", "blue");
  return { cli, done, env };
}

it("lists the users of all accounts, or of the one that is named", async (t) => {
  const { cli, done } = await installation(t);
  const users = await done("users", "list");
  assert.deepEqual(
    users.map((user: Record<string, unknown>) => [user.email, user.account, user.operator, user.second_factor]),
    [
      ["ann@shop.example", "default", true, false],
      ["bob@blue.example", "blue", false, false],
    ],
  );
  const { stdout } = await cli(["users", "list", "--account", "blue"]);
  assert.match(stdout, /^EMAIL +ACCOUNT +ROLE +OPERATOR .*\nbob@blue\.example +blue +owner +no +off +\S+Z\n$/);
});

it("removes a user, and warns of the last operator", async (t) => {
  const { cli, done } = await installation(t);
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return "no";
  };
  const kept = await cli(["users", "remove", "ann@shop.example"], { ask });
  assert.deepEqual([kept.code, kept.stderr], [1, "postrider: cancelled: nothing was changed\n"]);
  assert.match(questions.join(), /^Remove the user ann@shop\.example\? .* No operator is left then\. \[y\/N\] $/);
  assert.equal((await done("users", "remove", "BOB@blue.example")).removed, true);
  assert.equal((await done("users", "list")).length, 1);
  const again = await cli(["users", "remove", "bob@blue.example"]);
  assert.deepEqual([again.code, again.stderr], [1, "postrider: there is no user bob@blue.example\n"]);
});

it("shows a user of several accounts in each, and removes it from one that is named", async (t) => {
  const { cli, done, env } = await installation(t);
  const invited = await done("users", "invite", "bob@blue.example", "--role", "viewer");
  const spool = await openSpool(env.DATA_DIR);
  const bob = await spool.people.userNamed("bob@blue.example");
  const hash = hashLinkToken(invited.link.split("/").at(-1));
  const joined = await spool.joinByInvitation({ hash, userId: bob?.id ?? "", nowMs: Date.now() });
  await spool.close();
  assert.equal(joined, "joined");
  const ofBob = async (...args: string[]) => {
    const users = await done("users", "list", ...args);
    return users.find(({ email }: { email: string }) => email === "bob@blue.example");
  };
  const memberships = [
    { account: "blue", role: "owner", by_group: false },
    { account: "default", role: "viewer", by_group: false },
  ];
  const fieldsOf = ({ account, role, memberships }: Record<string, unknown>) => ({ account, role, memberships });
  assert.deepEqual(fieldsOf(await ofBob()), { account: "blue", role: "owner", memberships });
  assert.deepEqual(fieldsOf(await ofBob("--account", "default")), { account: "default", role: "viewer", memberships });
  assert.match((await cli(["users", "list"])).stdout, /bob@\S+ +blue +owner .*\nbob@\S+ +default +viewer /);
  const removed = await done("users", "remove", "bob@blue.example", "--account", "default");
  assert.deepEqual([removed.account, removed.removed], ["default", true]);
  assert.deepEqual((await ofBob()).memberships, memberships.slice(0, 1));
  const { code, stderr } = await cli(["users", "remove", "bob@blue.example", "--account", "default"]);
  assert.deepEqual([code, stderr], [1, "postrider: bob@blue.example is no user of the account default\n"]);
});

it("sets the quota of an account", async (t) => {
  const { cli, done } = await installation(t);
  const quota = (name: string, n: string) => done("accounts", "set-quota", name, n);
  assert.deepEqual(await quota("blue", "5000"), {
    account: "blue",
    quota_daily: 5000,
    effective_quota_daily: 5000,
  });
  assert.equal((await quota("blue", "0")).effective_quota_daily, 0);
  assert.deepEqual(await quota("blue", "default"), {
    account: "blue",
    quota_daily: null,
    effective_quota_daily: 100,
  });
  const { stdout } = await cli(["accounts", "set-quota", "default", "1"]);
  assert.equal(stdout, "The account default has 1 recipient a day.\n");
  assert.equal((await cli(["accounts", "set-quota", "red", "1"])).code, 1);
  for (const n of ["-1", "1.5", "many"]) {
    assert.equal((await cli(["accounts", "set-quota", "--", "blue", n])).code, 2, n);
  }
});

it("invites a user by a link, which is printed and can be used for 7 days", async (t) => {
  const { cli, done, env } = await installation(t);
  const beforeMs = Date.now();
  const { link, valid_until, ...invited } = await done("users", "invite", "Eve@blue.example", "--account", "blue");
  assert.deepEqual(invited, { email: "Eve@blue.example", account: "blue", role: "owner", sent_from: null });
  const atMs = Date.parse(valid_until) - INVITATION_MS;
  assert.ok(atMs >= beforeMs && atMs <= Date.now());
  const [, token = ""] = /^http:\/\/localhost:8080\/dashboard\/invitation\/(\S+)$/.exec(link) ?? [];
  const store = await openSpool(env.DATA_DIR);
  t.after(() => store.close());
  const invitation = await store.invitationOf(hashLinkToken(token), Date.now());
  assert.deepEqual(
    [invitation?.email, invitation?.role, invitation?.invitedBy],
    ["Eve@blue.example", "owner", "command line"],
  );

  const viewer = await cli(["users", "invite", "eve@blue.example", "--account", "blue", "--role", "viewer"]);
  assert.equal(viewer.code, 0, viewer.stderr);
  assert.match(
    viewer.stdout,
    /^eve@blue\.example is invited to the account blue as viewer, by this link:\n\nhttp:\/\/\S+\n\nIt can be used once, until \S+Z, and is not shown again\. No message was sent, .*\nThe link works only on this server, because PUBLIC_URL is http:\/\/localhost:8080\. Set PUBLIC_URL/s,
  );
  assert.equal(await store.invitationOf(hashLinkToken(token), Date.now()), null, "the former link has ended");
  for (const [args, code, words] of [
    [["nobody"], 1, /nobody is not an email address/],
    [["BOB@blue.example", "--account", "blue"], 1, /the account blue already has a user with this email address/],
    [["dan@blue.example", "--role", "boss"], 2, /--role 'boss' is not known/],
    [["dan@blue.example", "--account", "red"], 1, /there is no account red/],
  ] as const) {
    const refused = await cli(["users", "invite", ...args]);
    assert.deepEqual([refused.code, refused.stdout], [code, ""], args.join(" "));
    assert.match(refused.stderr, words);
  }
  const full = await runCli(["users", "invite", "dan@blue.example", "--account", "blue"], { ...env, USERS_MAX: "2" });
  assert.match(
    full.stderr,
    /^postrider: the account blue has reached its limit of 2 users \(USERS_MAX\), open invitations/,
  );
});

it("deletes an account once its name is typed, and restores it", async (t) => {
  const { cli, done } = await installation(t);
  const questions: string[] = [];
  const terminal = (answer: string) => ({
    ask: async (question: string) => {
      questions.push(question);
      return answer;
    },
  });
  const remove = (terminalOf = {}) => cli(["accounts", "delete", "blue"], terminalOf);
  assert.deepEqual(await remove(terminal("y")), {
    code: 1,
    stdout: "",
    stderr: "postrider: cancelled: nothing was changed\n",
  });
  assert.match(questions.join(), /^Delete the account blue\? .* Until \S+Z it can be restored; .* type blue: $/);
  assert.match(
    (await remove()).stderr,
    /^postrider: Delete the account blue\? .* Nothing was changed: without a terminal, confirm it with --yes/,
  );
  const deleted = await remove(terminal("blue"));
  assert.deepEqual([deleted.code, deleted.stderr], [0, ""]);
  const [, until = ""] = /^Account blue deleted: .* until (\S+Z): accounts restore blue\n$/.exec(deleted.stdout) ?? [];
  const listed = await done("accounts", "list");
  const blue = listed.find(({ name }: { name: string }) => name === "blue");
  assert.equal(blue.restorable_until, until);
  assert.equal(Date.parse(until) - Date.parse(blue.deleted_at), GRACE_MS);
  assert.match((await cli(["accounts", "list"])).stdout, new RegExp(`blue .* deleted, can be restored until ${until}`));
  assert.match((await remove()).stderr, new RegExp(`is already deleted, and can be restored until ${until}`));
  const invited = await cli(["users", "invite", "dan@blue.example", "--account", "blue"]);
  assert.equal(invited.stderr, "postrider: the account blue is deleted: accounts restore blue\n");

  const restored = await cli(["accounts", "restore", "blue"]);
  assert.equal(restored.stdout, "Account blue restored: its API keys are valid again.\n");
  assert.match((await cli(["accounts", "restore", "blue"])).stderr, /the account blue is not deleted/);
  assert.match(
    (await cli(["accounts", "delete", "default", "--yes"])).stderr,
    /default cannot be deleted: the service/,
  );
  assert.match((await cli(["accounts", "restore", "red"])).stderr, /there is no account red/);
  await done("users", "create", "op@blue.example", "--password-stdin", "--operator", "--account", "blue");
  assert.match((await cli(["accounts", "delete", "blue", "--yes"])).stderr, /has users who are operators: remove them/);
});
