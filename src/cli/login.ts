/** `login` and `logout`: which service the command line works with, from now on. */
import { type LocalImplementation, Refusal, UsageError } from "./command.ts";

const KEY_BYTES_MAX = 1000;

export const login: LocalImplementation = {
  async runHere({ remote, readLine, check, keep }, { options }) {
    const url = typeof options.url === "string" ? options.url : remote?.url;
    if (url === undefined) throw new UsageError("login needs --url, the service's base URL");
    const given = typeof options.key === "string" ? options.key : remote?.key;
    const key = given ?? (await readLine("API key: ", KEY_BYTES_MAX)).trim();
    if (key === "") throw new Refusal("no API key was given: type it, or send it to standard input");
    const { account, quota } = await check({ url, key });
    const path = keep({ url, key });
    const limit = quota.daily === null ? "" : ` of ${quota.daily}`;
    const text = `Logged in at ${url}, account ${account} (${quota.recipients_today}${limit} recipients today). The key is in ${path}; logout removes it.`;
    return { json: { url, account, file: path }, text };
  },
};

export const logout: LocalImplementation = {
  async runHere({ forget }) {
    const isRemoved = forget();
    return { json: { removed: isRemoved }, text: isRemoved ? "Logged out." : "There was no login." };
  },
};
