/** Tools that send a message, cancel it, or try it again. */
import { sendRequestSchema } from "../message/send-request/send-request-schema.ts";
import { ServiceError } from "./service-client.ts";
import {
  type Data,
  listIn,
  listText,
  MESSAGE_ID,
  neededBy,
  operationNamed,
  requestOf,
  type Tool,
  toolOf,
} from "./tool.ts";

/** Characters of each of the two forms of the content. */
const CONTENT_LENGTH_MAX = 500_000;
const RECIPIENTS_MAX = 50;

const { attachments: _, ...SENT } = sendRequestSchema.properties;
const few = <T extends object>(schema: T) => ({ ...schema, maxItems: RECIPIENTS_MAX });
const long = <T extends object>(schema: T) => ({ ...schema, maxLength: CONTENT_LENGTH_MAX });

/** The management interface cancels any message of the account, the sending interface one that the key has sent. */
async function cancel(input: Data, request: Parameters<Tool["run"]>[0]["request"]): Promise<Data> {
  try {
    return (await request(requestOf("cancelRecipients", input))).body;
  } catch (error) {
    const mayManage = !(error instanceof ServiceError && error.code === "permission_denied");
    if (mayManage || input.recipient !== undefined) throw error;
    return (await request({ method: "POST", path: "/api/sending/messages/{id}/cancel", params: { id: input.id } }))
      .body;
  }
}

const stateText = ({ id, recipients }: Data): string =>
  listText(
    String(id),
    listIn(recipients).map(({ email, result, reason }) => `${email}: ${result}${reason ? ` (${reason})` : ""}`),
  );

const FIELDS_OF_CANCEL = operationNamed("cancelRecipients").body?.properties as Tool["fields"];

export const SENDING_TOOLS: readonly Tool[] = [
  {
    name: "send_message",
    title: "Send a message",
    description:
      "Accepts a message for delivery, from a verified domain. With the same `idempotency_key` and the same fields, a second call within 24 hours sends nothing and has the same result: repeat a call whose result is not known with the same key. Look up the message for the results of its recipients. At least one of `html` and `text` is required.",
    needs: "`send`",
    writes: true,
    destructive: true,
    fields: {
      idempotency_key: {
        type: "string",
        pattern: "^[!-~]{1,256}$",
        description:
          "A text of your choice that names this message, of 1 to 256 printable ASCII characters without spaces. Use another one for each message, and the same one for each try.",
      },
      ...SENT,
      to: few(SENT.to),
      cc: few(SENT.cc),
      bcc: few(SENT.bcc),
      html: long(SENT.html),
      text: long(SENT.text),
    },
    required: ["idempotency_key", ...sendRequestSchema.required],
    async run({ input, request }) {
      const { idempotency_key: key, ...body } = input;
      const { body: accepted, headers } = await request({
        method: "POST",
        path: "/api/sending/send",
        headers: { "Idempotency-Key": key },
        body,
      });
      const replayed = headers.get("Idempotency-Replayed") === "true";
      const text = replayed ? "was accepted by an earlier call. Nothing more is sent." : "is accepted.";
      return { data: { ...accepted, replayed }, text: `${accepted.id} ${text}` };
    },
  },
  {
    name: "cancel_message",
    title: "Cancel a message",
    description:
      "Cancels the delivery to a message's pending recipients, or to one of them: they fail with the reason `cancelled`.",
    needs: `${neededBy("cancelRecipients")}; or, for a whole message that the key has sent, \`send\` and \`read\``,
    writes: true,
    destructive: true,
    fields: { id: MESSAGE_ID, ...FIELDS_OF_CANCEL },
    required: ["id"],
    async run({ input, request }) {
      const data = await cancel(input, request);
      return { data, text: stateText(data) };
    },
  },
  toolOf({
    operation: "retryRecipients",
    name: "retry_message",
    title: "Send a message again",
    description:
      "Tries a message's pending and failed recipients now, or one of them. An unknown recipient may get the message twice, so it is tried only if `results` has `unknown`.",
    writes: true,
    destructive: true,
    params: { id: MESSAGE_ID },
    text: stateText,
  }),
];
