/**
 * Single fields out of a received message's header, as a person reads them (RFC 5322 unfolding, RFC 2047 words).
 * Forgiving: a field that cannot be decoded is shown as it came.
 */

/** The first field's value, unfolded and decoded; null when there is none. */
export function headerField(content: Buffer, name: string): string | null {
  const end = content.indexOf("\r\n\r\n");
  const header = content.subarray(0, end === -1 ? content.length : end).toString("utf8");
  const unfolded = header.replace(/\r\n(?=[ \t])/g, "").split("\r\n");
  const field = unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return field === undefined ? null : decodeWords(field.slice(name.length + 1).trim());
}

function decodeWords(text: string): string {
  const word = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
  // Space between two encoded words is not part of the text.
  return text.replace(/(\?=)\s+(?==\?)/g, "$1").replace(word, (whole, charset: string, form: string, data: string) => {
    const bytes = form.toLowerCase() === "b" ? Buffer.from(data, "base64") : quotedBytes(data);
    try {
      return new TextDecoder(charset).decode(bytes);
    } catch {
      return whole;
    }
  });
}

function quotedBytes(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
