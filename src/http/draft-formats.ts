/** The formats of request bodies that contain messages, by name: a name can be posted to a thread, its parser cannot. */
import { parseResendBatch, parseResendMessage } from "../compat/resend/parse-messages.ts";
import { type DraftOptions, type DraftResult, type DraftsResult, parseDraft } from "../message/compose/draft.ts";
import { parseBatch } from "../message/compose/draft-batch.ts";

type Parse = (body: Buffer, options: DraftOptions) => DraftsResult;

const ofOne =
  (parse: (body: Buffer, options: DraftOptions) => DraftResult): Parse =>
  (body, options) => {
    const result = parse(body, options);
    return result.type === "invalid" ? result : { type: "parsed", drafts: [result] };
  };

const PARSERS = {
  postrider: ofOne(parseDraft),
  postrider_batch: parseBatch,
  resend: ofOne(parseResendMessage),
  resend_batch: parseResendBatch,
} satisfies Record<string, Parse>;

export type DraftFormat = keyof typeof PARSERS;

/** Parses a body. A format of one message returns one draft. */
export const parseDrafts = (format: DraftFormat, body: Buffer, options: DraftOptions): DraftsResult =>
  PARSERS[format](body, options);
