/** What Python's email package reads of messages, in one process for all of them. */
import { spawnSync } from "node:child_process";

export interface PythonMessage {
  subject: string | null;
  /** Display name and address of each mailbox in From and To. */
  mailboxes: [name: string, address: string][];
  /** Of each part that has one, in order, those of attached messages too. */
  filenames: string[];
}

const SCRIPT = `
import sys, json, base64, email, email.policy
def read(raw):
    message = email.message_from_bytes(base64.b64decode(raw), policy=email.policy.default)
    boxes = [[a.display_name, a.addr_spec] for h in ('from', 'to') if message[h] is not None for a in message[h].addresses]
    names = [p.get_filename() for p in message.walk()]
    return {'subject': message['subject'], 'mailboxes': boxes, 'filenames': [n for n in names if n is not None]}
json.dump([read(raw) for raw in json.load(sys.stdin)], sys.stdout)
`;

export function readWithPython(messages: readonly Buffer[]): PythonMessage[] {
  const input = JSON.stringify(messages.map((message) => message.toString("base64")));
  const { stdout, stderr, status } = spawnSync("python3", ["-c", SCRIPT], { input, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  return JSON.parse(stdout.toString());
}
