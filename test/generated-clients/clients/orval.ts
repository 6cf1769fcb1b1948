/** The fetch client that orval generates. */
import { listMessages, lookUpMessage, send } from "./generated/orval/client.js";
import { type Found, given, type Service } from "./scenario.js";

export async function runScenario({ key, from, to }: Service): Promise<Found> {
  const options = { headers: { Authorization: `Bearer ${key}` } };
  const body = { from, to, cc: [], subject: "By orval", text: "Hello", metadata: { order: "1" } };
  const sent = await send(body, options);
  if (sent.status !== 202) throw new Error(`send: ${sent.status}`);
  const { id } = sent.data;
  const waited = await lookUpMessage(id, { wait: 60 }, options);
  if (waited.status !== 200) throw new Error(`lookup with wait: ${waited.status}`);
  const { result, reason } = given(waited.data.recipients[0], "recipients");
  const looked = await lookUpMessage(id, {}, options);
  if (looked.status !== 200) throw new Error(`lookup: ${looked.status}`);
  const list = await listMessages({ recipient: to, limit: 100 }, options);
  if (list.status !== 200) throw new Error(`list: ${list.status}`);
  const listed = list.data.messages.map((message) => message.id);
  const refused = await send({ ...body, from: "a@elsewhere.example" }, options);
  if (refused.status !== 403) throw new Error(`refused send: ${refused.status}`);
  return { id, result, reason, subject: looked.data.subject, listed, code: given(refused.data.code, "refused send") };
}
