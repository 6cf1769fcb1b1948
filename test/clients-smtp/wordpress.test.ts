/**
 * Debian's WordPress with the plugin of docs/SENDING.md: a password reset that a visitor asks for arrives and works, and one
 * that cannot be sent shows an error.
 */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientDirectory, missingClients } from "../support/debian-clients.ts";
import { startWordPress, type WordPress } from "../support/debian-wordpress.ts";
import { partOf } from "../support/mime.ts";
import {
  accepted,
  arrived,
  RECIPIENT,
  SUBMITTER,
  type SubmissionSite,
  startSubmissionSite,
} from "../support/submission-site.ts";
import { conforms, filesFor, type Submission, UNKNOWN_KEY } from "./scenario.ts";
import { settingsOf } from "./settings.ts";

const skip = missingClients(["languages"]);

const TITLE = "Läden & Co ☂";
const SUBJECT = `[${TITLE}] Password Reset`;
const PROGRAM = "wordpress.php";

test("WordPress", { timeout: 120_000, skip }, async (t) => {
  const site = await startSubmissionSite(t);
  const directory = clientDirectory(t, filesFor(site));
  copyFileSync(fileURLToPath(new URL(`programs/${PROGRAM}`, import.meta.url)), join(directory.path, PROGRAM));
  // Its processes end with this test, before the directory is removed.
  await t.test("with the plugin of the document", async (t) => {
    const settingsWith = (key: string): string[] => settingsOf("WordPress", { port: site.port, key });
    const [plugin = "", settings = ""] = settingsWith(site.world.key);
    const wordPress = await startWordPress(t, directory, { title: TITLE, email: RECIPIENT, plugin, settings });
    const useKey = (key: string): void => wordPress.configure(settingsWith(key)[1] ?? "");

    await t.test("sends the link that a visitor needs for a new password", () => sendsTheLink(site, wordPress));
    await t.test("shows an error if the key is not valid", async () => {
      useKey(UNKNOWN_KEY);
      const before = await accepted(site, SUBJECT);
      const answer = await askForReset(wordPress);
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /The email could not be sent/);
      assert.deepEqual(await accepted(site, SUBJECT), before);
    });
    await conforms(t, site, {
      name: "wp_mail()",
      ways: ["starttls"],
      send({ key, sender, subject }: Submission) {
        useKey(key);
        return directory.run(["php", PROGRAM], { env: { SENDER: sender, RECIPIENT, SUBJECT: subject } });
      },
    });
  });
});

async function sendsTheLink(site: SubmissionSite, wordPress: WordPress): Promise<void> {
  const answer = await askForReset(wordPress);
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/wp-login.php?checkemail=confirm"]);
  const [id = assert.fail("not accepted"), ...others] = await accepted(site, SUBJECT);
  assert.deepEqual(others, []);
  const { entry, content } = await arrived(site, id);
  assert.deepEqual([entry.subject, entry.mail_from, entry.rcpt_to], [SUBJECT, SUBMITTER, [RECIPIENT]]);
  const text = partOf(content).content.toString();
  assert.ok(text.includes(`Site Name: ${TITLE}\r\n`), text);
  const [link = assert.fail(text)] = /http:\S+action=rp\S+/.exec(text) ?? [];
  await resetsThePassword(wordPress, link);
}

const askForReset = ({ url }: WordPress): Promise<Response> =>
  post(`${url}/wp-login.php?action=lostpassword`, { user_login: "admin" });

function post(url: string, form: Record<string, string>, cookie = ""): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(form), headers: { cookie }, redirect: "manual" });
}

/** Follows the link as a browser does, sets a password, and signs in with it. */
async function resetsThePassword({ url }: WordPress, link: string): Promise<void> {
  const password = "the second password, für immer";
  const opened = await fetch(link, { redirect: "manual" });
  const cookie = opened.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const form = await fetch(new URL(opened.headers.get("location") ?? "", url), { headers: { cookie } });
  const page = await form.text();
  const [, key = assert.fail(page)] = /name="rp_key" value="([^"]+)"/.exec(page) ?? [];
  const fields = { pass1: password, pass2: password, rp_key: key };
  const changed = await post(`${url}/wp-login.php?action=resetpass`, fields, cookie);
  assert.match(await changed.text(), /Your password has been reset/);
  const signIn = (pwd: string): Promise<Response> => post(`${url}/wp-login.php`, { log: "admin", pwd });
  assert.match((await signIn(password)).headers.getSetCookie().join("\n"), /^wordpress_logged_in_/m);
  assert.doesNotMatch((await signIn("the first password")).headers.getSetCookie().join("\n"), /^wordpress_logged_in_/m);
}
