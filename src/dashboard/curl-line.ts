/**
 * A command that sends a first mail, to be pasted into a shell: everything in it that somebody else chose is quoted.
 */

export interface FirstMail {
  /** Of the service, without a final slash. */
  url: string;
  key: string;
  /** A bound domain. */
  sender: string;
  to: string;
}

export function curlLine({ url, key, sender, to }: FirstMail): string {
  const body = JSON.stringify({ from: `hello@${sender}`, to, subject: "Hello from Postrider", text: "It works." });
  return [
    `curl ${quoted(`${url}/api/sending/send`)}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(body)}`,
  ].join(" \\\n  ");
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
