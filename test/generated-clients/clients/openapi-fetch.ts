/** The types of openapi-typescript with openapi-fetch. */
import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-typescript/schema.js";
import { type Found, given, type Service } from "./scenario.js";

export async function runScenario({ url, key, from, to }: Service): Promise<Found> {
  const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
  const body = { from, to, subject: "By openapi-fetch", text: "Hello", expires_in: 3600 };
  const sent = await client.POST("/api/sending/send", { body });
  const { id } = given(sent.data, "send");
  const params = { path: { id }, query: { wait: 60 } };
  const waited = await client.GET("/api/sending/messages/{id}", { params });
  const [recipient] = given(waited.data, "lookup with wait").recipients;
  const { result, reason } = given(recipient, "recipients");
  const looked = await client.GET("/api/sending/messages/{id}", { params: { path: { id } } });
  const { subject } = given(looked.data, "lookup");
  const list = await client.GET("/api/sending/messages", { params: { query: { recipient: to, limit: 100 } } });
  const listed = given(list.data, "list").messages.map((message) => message.id);
  const refused = await client.POST("/api/sending/send", { body: { ...body, from: "a@elsewhere.example" } });
  return { id, result, reason, subject, listed, code: given(refused.error, "refused send").code };
}
