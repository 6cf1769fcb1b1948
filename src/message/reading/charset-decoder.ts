/** Decoders of character sets by the names that messages use. */

/** Falls back to Latin-1 for an unknown name: it has a character for every byte. */
export function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder("latin1");
  }
}
