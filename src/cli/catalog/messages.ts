/** Declarations of the commands that send and show messages. */
import { RESULTS } from "../../message/result/outcome.ts";
import { type Command, STDIN } from "../command.ts";

export const messageCommands: Command[] = [
  {
    usage: "send",
    input: ({ options: { text, html } }) => (text === STDIN || html === STDIN ? STDIN : null),
    summary: "send a message of the account, for a first test",
    details: `The message is accepted as one of the API is, and the running service delivers it. The sender needs a verified domain.
With --wait, the command exits with 1 unless the message is delivered to all recipients by then.`,
    options: {
      from: { type: "string", usage: "--from ADDRESS", summary: "a@b or Name <a@b>, at a verified domain" },
      to: { type: "string", usage: "--to ADDRESS,…", summary: "one recipient or several", isList: true },
      subject: { type: "string", usage: "--subject TEXT", summary: "the subject" },
      text: { type: "string", usage: "[--text TEXT]", summary: "the content as text; - reads standard input" },
      html: { type: "string", usage: "[--html HTML]", summary: "the content as HTML; - reads standard input" },
      wait: { type: "string", usage: "[--wait SECONDS]", summary: "wait for the results, and print them" },
    },
    examples: [
      'send --from hello@example.com --to ann@example.org --subject "First test" --text "It works." --wait 30',
      'send --from "Shop <hello@example.com>" --to ann@example.org,bob@example.net --subject News --html - < news.html',
    ],
    load: async () => (await import("../send.ts")).sendMessage,
  },
  {
    usage: "messages list",
    summary: "the newest messages, narrowed by filters",
    details: `With --follow it prints the same messages, the oldest first, and then each message that is accepted or whose results change,
until Ctrl-C. With --json, each is then a JSON document on a separate line.`,
    options: {
      to: { type: "string", usage: "[--to ADDRESS]", summary: "a recipient: an address, @ and a domain, or any part" },
      result: {
        type: "string",
        usage: "[--result RESULT]",
        summary: "with a recipient of this result",
        values: RESULTS,
      },
      tag: { type: "string", usage: "[--tag TAG]", summary: "with this tag" },
      subject: { type: "string", usage: "[--subject TEXT]", summary: "with this in the subject" },
      since: {
        type: "string",
        usage: "[--since TIME]",
        summary: "accepted since a time such as 2026-03-01T10:00:00Z, or in the last 2h",
      },
      limit: { type: "string", usage: "[--limit NUMBER]", summary: "at most 1000; 50 unless given" },
      follow: { type: "boolean", usage: "[--follow]", summary: "go on with what is accepted or changes from now on" },
    },
    examples: [
      "messages list --result failed --since 24h",
      "messages list --to @example.org --limit 20 --json",
      "messages list --tag invoice --follow",
    ],
    load: async () => (await import("../message-list.ts")).listMessages,
  },
  {
    usage: "messages show ID",
    summary: "the result of each recipient, and the history of its attempts",
    examples: ["messages show msg_0fVn3k8Qx2"],
    load: async () => (await import("../messages.ts")).showMessage,
  },
];
