/** Tools about the account of the key: usage, domains and their checks, suppressed addresses. */
import type { Schema } from "../http/response/schema.ts";
import { ServiceError } from "./service-client.ts";
import { type Data, listIn, listText, neededBy, requestOf, type Tool, toolOf } from "./tool.ts";

const DOMAIN: Readonly<Record<string, Schema>> = {
  name: { type: "string", minLength: 1, maxLength: 253, description: "The domain, such as `example.com`." },
};
const EMAIL: Readonly<Record<string, Schema>> = {
  email: { type: "string", minLength: 1, maxLength: 320, description: "The address." },
};

const verifiedText = ({ domain, verified }: Data): string => `${domain}: ${verified ? "verified" : "not verified"}`;

/** `checks` of a list has states, `checks` of a domain has objects. */
const domainLine = (entry: Data): string => {
  const states = Object.entries((entry.checks ?? {}) as Data).map(
    ([name, check]) => `${name} ${check?.state ?? check}`,
  );
  return `${verifiedText(entry)}; ${states.join(", ")}`;
};

const domainText = (entry: Data): string =>
  listText(
    verifiedText(entry),
    Object.entries((entry.checks ?? {}) as Data).map(([name, { state, detail }]) => `${name}: ${state}. ${detail}`),
  );

export const ACCOUNT_TOOLS: readonly Tool[] = [
  toolOf({
    operation: "getUsage",
    name: "get_usage",
    title: "Get the usage",
    description: "What the key's account has used of its daily quota, and of its other limits.",
    text: ({ account, quota = {} }) =>
      `${account}: recipients today: ${quota.recipients_today}, daily limit: ${quota.daily ?? "none"}`,
  }),
  toolOf({
    operation: "listDomains",
    name: "list_domains",
    title: "List domains",
    description: "The account's sender domains, with the state of each check of their DNS records.",
    text: ({ data, next }) => listText(next ? `More follow, with after ${next}.` : "", listIn(data).map(domainLine)),
  }),
  toolOf({
    operation: "getDomain",
    name: "get_domain",
    title: "Get a domain",
    description: "A sender domain: what its last checks found and what to change, and the DNS records to publish.",
    params: DOMAIN,
    text: domainText,
  }),
  {
    name: "test_suppression",
    title: "Test whether an address is suppressed",
    description: "Whether messages of the account to an address are not attempted, and why.",
    needs: neededBy("getSuppression"),
    fields: EMAIL,
    required: ["email"],
    async run({ input, request }) {
      const found = await request(requestOf("getSuppression", input)).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === "not_found") return null;
        throw error;
      });
      if (found === null)
        return { data: { email: input.email, suppressed: false }, text: `${input.email} is not suppressed.` };
      const { email, cause, since, until } = found.body;
      const end = until === null ? "" : ` until ${until}`;
      return {
        data: { ...found.body, suppressed: true },
        text: `${email} is suppressed since ${since}${end}: ${cause}.`,
      };
    },
  },
  toolOf({
    operation: "verifyDomain",
    name: "verify_domain",
    title: "Verify a domain",
    description: "Checks a domain's DNS records now and stores the result. It takes a few seconds.",
    writes: true,
    params: DOMAIN,
    text: domainText,
  }),
  toolOf({
    operation: "addSuppressions",
    name: "add_suppressions",
    title: "Suppress addresses",
    description: "From now on, messages of the account to these addresses are not attempted.",
    writes: true,
    text: ({ added, changed, already, invalid }) =>
      `${added} added, ${changed} changed, ${already} suppressed already, ${invalid} invalid.`,
  }),
  toolOf({
    operation: "removeSuppression",
    name: "remove_suppression",
    title: "Lift a suppression",
    description:
      "Messages to the address are attempted again, and its refusals are deleted. Of somebody who has complained or unsubscribed, only at their own wish.",
    writes: true,
    destructive: true,
    params: EMAIL,
    text: (_, { email }) => `${email} is not suppressed any more.`,
  }),
];
