/** The contents of the benchmark's messages, without sender and recipients, as a send request and as a built message. */
import { parseDraft } from "../../src/message/compose/draft.ts";
import { ADDRESSES, BODY_BYTES } from "../sides/side.ts";

export interface Content {
  name: string;
  /** Fields of the send request. */
  fields: {
    subject: string;
    text?: string;
    html?: string;
    attachments?: { filename: string; content: string }[];
  };
}

const SUBJECT = "Your order is on its way";
const LINE = "The quick brown fox jumps over the lazy dog, 0123456789 times or so.\n";

/** Returns lines of at least that many bytes together. */
export const linesOf = (bytes: number): string => LINE.repeat(Math.ceil(bytes / LINE.length));

export const textContent = (name: string, bytes: number): Content => ({
  name,
  fields: { subject: SUBJECT, text: linesOf(bytes) },
});

/** The content of most figures. */
export const SMALL = textContent("text 4 KB", BODY_BYTES);

export function fileContent(name: string, file: Buffer): Content {
  const attachments = [{ filename: "invoice.pdf", content: file.toString("base64") }];
  return { name, fields: { subject: SUBJECT, text: "Your invoice is attached.\n", attachments } };
}

/** A shop's order confirmation: an HTML table and its plain text, each of about that many bytes. */
export function orderContent(name: string, bytes: number): Content {
  const rows: string[] = [];
  for (let size = 0; size < bytes; ) {
    const row = htmlRow(rows.length + 1);
    rows.push(row);
    size += Buffer.byteLength(row);
  }
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 1) lines.push(textLine(lines.length + 1));
  return { name, fields: { subject: SUBJECT, text: lines.join(""), html: page(rows.join("")) } };
}

const htmlRow = (item: number): string => `          <tr class="item" id="item-${item}">
            <td style="padding: 8px 12px; font-family: 'Helvetica Neue', Arial, sans-serif;" width="64">
              <img src="https://static.shop.example/products/${item}.png?size=64" alt="Product ${item}" width="64">
            </td>
            <td style="padding: 8px 12px; color: #333333;" align="left">
              <a href="https://shop.example/products/${item}?ref=order&amp;lang=en">Jar no. ${item}</a>&nbsp;&ndash; 250&nbsp;g,
              a mild apricot preserve from a small kitchen in the hills${item % 10 === 0 ? ", with café crème" : ""}.
            </td>
            <td style="padding: 8px 12px;" align="right">${item % 5 === 0 ? "€" : "&euro;"}${item}.90</td>
          </tr>
`;

const page = (rows: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Your order</title>
  </head>
  <body style="margin: 0; background-color: #f6f6f6;">
    <h1 class="title">Thank you for your order!</h1>
    <table role="presentation" cellpadding="0" cellspacing="0" border="0" width="600">
      <tbody>
${rows}      </tbody>
    </table>
  </body>
</html>
`;

/** Short enough to need no encoding, as in most texts. */
const textLine = (item: number): string =>
  item % 6 === 0 ? "\n" : `Jar no. ${item} left our kitchen today and will be with you in a few days.\n`;

/** Returns the JSON text of a send request from the end of its recipients. */
export const afterRecipients = ({ fields }: Content): string => `],${JSON.stringify(fields).slice(1)}`;

/** Returns the message that the service builds for one recipient, unsigned. */
export function built({ name, fields }: Content): Buffer {
  const { sender, recipientDomain, senderDomain } = ADDRESSES;
  const request = { from: `Shop <${sender}>`, to: [`u1@${recipientDomain}`], ...fields };
  const identity = { token: `1.bench.${senderDomain}`, dateMs: Date.now(), boundary: "bench0123456789" };
  const result = parseDraft(Buffer.from(JSON.stringify(request)), { ...identity, recipientsMax: 1 });
  if (result.type === "invalid") throw new Error(`${name} is not a valid request: ${result.error.code}`);
  return result.draft.content().bytes;
}
