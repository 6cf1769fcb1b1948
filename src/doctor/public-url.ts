/** Whether PUBLIC_URL leads to this service from other hosts: links in messages and invitations begin with it. */
import { isLoopbackUrl } from "../lib/loopback-name.ts";
import type { DoctorInput, Finding } from "./finding.ts";

export async function checkPublicUrl({ config: { publicUrl } }: DoctorInput): Promise<Finding> {
  const check = "public_url";
  if (!isLoopbackUrl(publicUrl)) return { check, state: "ok", detail: `Links begin with ${publicUrl}.` };
  const detail = `PUBLIC_URL is ${publicUrl}, so links to Postrider work only on this server, also those of invitations and password resets. A live message with "unsubscribe": true is rejected. Set PUBLIC_URL to the address at which browsers and recipients reach this server, such as https://mail.example.com. See docs/OPERATIONS.md#the-public-address.`;
  return { check, state: "warning", detail };
}
