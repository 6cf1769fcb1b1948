/** The dashboard with many messages: the time and the compressed size of each page, one request at a time. */
import { get } from "node:http";
import { cheapHash } from "../../test/support/cheap-hash.ts";
import { OPERATOR } from "../../test/support/dashboard/installation.ts";
import { cookieOf, postForm } from "../../test/support/dashboard/sign-in.ts";
import { openStore } from "../sides/open-store.ts";
import { startPostrider } from "../sides/postrider.ts";
import type { Account } from "../sides/postrider-account.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import type { Scenario } from "./figure.ts";
import { fullSpool } from "./full-spool.ts";

const MESSAGES = 100_000;
const WAITING_SHARE = 10;
const TIME_MS_MAX = 200;
const SIZE_KB_MAX = 15;
/** Requests of each page in a round; the first one fills caches, and counts too. */
const REQUESTS = 5;

/** Paths below /dashboard. */
const PAGES = [
  "?range=24h",
  "?range=30d",
  "?range=30d&all=1",
  "/messages",
  "/messages?result=pending",
  `/messages?q=@${ADDRESSES.recipientDomain}`,
  "/messages?q=no-such-word",
  "/domains",
  `/domains/${ADDRESSES.senderDomain}`,
  `/domains/${ADDRESSES.senderDomain}/reports`,
  "/suppressed",
  "/requests",
  "/keys",
  "/webhooks",
  "/operator/queue",
  "/operator/receivers",
  "/operator/host",
  "/api",
  "/start",
];

interface Answer {
  ms: number;
  bytes: number;
  html: Buffer;
}

export const pages: Scenario = {
  figures: ["pages"],
  async measure(bench) {
    const messages = Math.min(MESSAGES, bench.options.spoolMessages);
    const waiting = messages / WAITING_SHARE;
    const account = await fullSpool(bench, "pages", { finished: messages - waiting, waiting });
    await addOperator(account);
    const service = await startPostrider({ account });
    const cookie = cookieOf(await postForm(`${service.url}/dashboard/sign-in`, OPERATOR));
    const list = await ask(`${service.url}/dashboard/messages`, cookie, "identity");
    const [message] = /\/messages\/msg_[\w-]+/.exec(list.html.toString()) ?? [];
    if (message === undefined) throw new Error("the list has no message");
    await bench.quiet();
    for (const page of [...PAGES, message]) {
      const answers: Answer[] = [];
      for (let count = 0; count < REQUESTS * bench.options.rounds; count++) {
        answers.push(await ask(`${service.url}/dashboard${page}`, cookie));
      }
      const name = page === message ? "a message" : page;
      const shared = { figure: "pages", subject: `${OURS}, ${messages} messages: ${name}` };
      const [times, sizes] = [answers.map(({ ms }) => ms), answers.map(({ bytes }) => bytes / 1000)];
      bench.report.add({ ...shared, unit: "ms", values: times, goal: { atMost: TIME_MS_MAX } });
      bench.report.add({ ...shared, unit: "KB compressed", values: sizes, goal: { atMost: SIZE_KB_MAX } });
    }
    await service.stop();
  },
};

/** With --dir, the spool of an earlier run has one. */
async function addOperator(account: Account): Promise<void> {
  const store = await openStore(account, "client");
  const { email, password } = OPERATOR;
  const user = { email, accountId: account.accountId, passwordHash: cheapHash(password), operator: true };
  await store.createUser({ ...user, createdAtMs: Date.now(), usersMax: 10 });
  await store.close();
}

/** Sends one request. The time is until the last byte. */
function ask(url: string, cookie: string, encoding = "gzip"): Promise<Answer> {
  const startMs = performance.now();
  const headers = { Cookie: cookie, Accept: "text/html", "Accept-Encoding": encoding };
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, async (response) => {
      const parts = await response.toArray();
      const html = Buffer.concat(parts);
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      else resolve({ ms: performance.now() - startMs, bytes: html.length, html });
    }).on("error", reject);
  });
}
