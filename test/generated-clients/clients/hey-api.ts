/** The client that @hey-api/openapi-ts generates. */
import { createClient } from "./generated/hey-api/client/index.js";
import { listMessages, lookUpMessage, send } from "./generated/hey-api/sdk.gen.js";
import { type Found, given, type Service } from "./scenario.js";

export async function runScenario({ url, key, from, to }: Service): Promise<Found> {
  const client = createClient({ baseUrl: url, auth: key });
  const body = { from, to: [to], subject: "By hey-api", html: "<p>Hello</p>", expires_in: "1h" };
  const sent = await send({ client, body });
  const { id } = given(sent.data, "send");
  const waited = await lookUpMessage({ client, path: { id }, query: { wait: 60 } });
  const [recipient] = given(waited.data, "lookup with wait").recipients;
  const { result, reason } = given(recipient, "recipients");
  const looked = await lookUpMessage({ client, path: { id } });
  const { subject } = given(looked.data, "lookup");
  const list = await listMessages({ client, query: { recipient: to, limit: 100 } });
  const listed = given(list.data, "list").messages.map((message) => message.id);
  const refused = await send({ client, body: { ...body, from: "a@elsewhere.example" } });
  return { id, result, reason, subject, listed, code: given(refused.error, "refused send").code };
}
