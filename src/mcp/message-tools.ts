/** Tools that read messages: look up, search, history, and why a recipient has not got its message. */
import { LIST_QUERY } from "../http/list-messages.ts";
import type { Schema } from "../http/response/schema.ts";
import { explanationOf } from "./explanation.ts";
import { type Data, listIn, listText, MESSAGE_ID, type Tool, type ToolCall } from "./tool.ts";

const RECIPIENT: Schema = {
  type: "string",
  maxLength: 320,
  description: "The address of one recipient; all of the message if absent.",
};

const READ = "`read`";
const WHOSE =
  "A key without `send` reads the messages of all keys of its account; any other key, those that it has sent.";

async function lookUp({ input, request }: ToolCall): Promise<Data> {
  const { body } = await request({
    method: "GET",
    path: "/api/sending/messages/{id}",
    params: { id: input.id },
    query: { wait: input.wait },
  });
  const recipients = listIn(body.recipients);
  if (input.recipient === undefined) return body;
  const wanted = String(input.recipient).toLowerCase();
  return { ...body, recipients: recipients.filter(({ email }) => addressIn(email) === wanted) };
}

/** Recipients are as they were written in the request. */
const addressIn = (email: unknown): string =>
  (/<([^<>]*)>\s*$/.exec(String(email))?.[1] ?? String(email)).toLowerCase();

const resultLine = ({ email, result, reason, attempts, next_attempt_at: next }: Data): string =>
  `${email}: ${result}${reason ? ` (${reason})` : ""}, attempts: ${attempts}${next ? `, next ${next}` : ""}`;

const subjectText = ({ id, subject, from }: Data): string => `${id} “${subject}” from ${from}`;

const explainedLine = (each: Data): string =>
  [
    `${each.email}: ${each.result}.`,
    each.explanation,
    each.last_reply ? `Last reply: ${each.last_reply.code} ${each.last_reply.message}` : "",
    each.what_to_do ? `What to do: ${each.what_to_do}` : "",
  ]
    .filter((part) => part)
    .join(" ");

export const MESSAGE_TOOLS: readonly Tool[] = [
  {
    name: "look_up_message",
    title: "Look up a message",
    description: `The result of each recipient of a message, with the history of its attempts and what each means. ${WHOSE}`,
    needs: READ,
    fields: {
      id: MESSAGE_ID,
      recipient: RECIPIENT,
      wait: {
        type: "integer",
        minimum: 0,
        maximum: 30,
        description: "Seconds to wait until no recipient is pending; 0 if absent.",
      },
    },
    required: ["id"],
    async run(call) {
      const data = await lookUp(call);
      return { data, text: listText(subjectText(data), listIn(data.recipients).map(resultLine)) };
    },
  },
  {
    name: "search_messages",
    title: "Search messages",
    description: `Messages that the key may read, the newest first. ${WHOSE} The next page: the same filters, and \`next_cursor\` as \`cursor\`.`,
    needs: READ,
    fields: LIST_QUERY,
    async run({ input, request }) {
      const { body: data } = await request({ method: "GET", path: "/api/sending/messages", query: input });
      const lines = listIn(data.messages).map(
        (each) => `${each.created_at} ${subjectText(each)}: ${countsText(each.results)}`,
      );
      return { data, text: listText(`Messages: ${lines.length}${data.next_cursor ? ", and more follow" : ""}`, lines) };
    },
  },
  {
    name: "explain_message",
    title: "Explain why a message was not delivered",
    description:
      "Of each recipient that has not got the message, or whose message came back: the reason, the category, what happened in a sentence, the last reply of their server, and what to do.",
    needs: READ,
    fields: { id: MESSAGE_ID, recipient: RECIPIENT },
    required: ["id"],
    async run(call) {
      const message = await lookUp(call);
      const recipients = listIn(message.recipients);
      const explanations = recipients.map(explanationOf).filter((each) => each !== null);
      const { id, subject, from } = message;
      const delivered = recipients.length - explanations.length;
      const heading = `${subjectText(message)}: not delivered or came back: ${explanations.length}, delivered: ${delivered}`;
      return {
        data: { id, subject, from, delivered, explanations },
        text: listText(heading, explanations.map(explainedLine)),
      };
    },
  },
  {
    name: "message_history",
    title: "List what happened to a message",
    description: "The events of a message of all its recipients in the order of time, the newest last.",
    needs: READ,
    fields: {
      id: MESSAGE_ID,
      recipient: RECIPIENT,
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        default: 50,
        description: "The newest events that are listed.",
      },
    },
    required: ["id"],
    async run(call) {
      const message = await lookUp(call);
      const all = listIn(message.recipients).flatMap(({ email, events }) =>
        listIn(events).map((event): Data => ({ recipient: email, ...event })),
      );
      const events = all.toSorted((a, b) => String(a.at).localeCompare(String(b.at))).slice(-(call.input.limit ?? 50));
      const lines = events.map(
        ({ at, recipient, type, reason }) => `${at} ${recipient}: ${type}${reason ? ` (${reason})` : ""}`,
      );
      const data = { id: message.id, events, total: all.length };
      return { data, text: listText(`${subjectText(message)}: ${events.length} of ${all.length} events`, lines) };
    },
  },
];

const countsText = (results: unknown): string =>
  Object.entries((results ?? {}) as Data)
    .filter(([, count]) => count !== 0)
    .map(([result, count]) => `${count} ${result}`)
    .join(", ");
