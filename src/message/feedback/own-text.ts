/** Separates what a server says in the text of a bounce from the message that it returns. */

/** What follows is the returned message. */
const RETURNED = [
  /^[- *=_>]{0,80}Below (?:this line|is a copy)/im,
  /^[- *=_>]{0,80}(?:This is|Here is|Included is|Following is|Attached is|Beginning of) (?:a |the )?(?:copy|returned|original|message)/im,
  /^[- *=_>]{0,80}(?:The |Possibly truncated |Start of )?(?:body of |headers? of |text of |copy of )?(?:the |your )?(?:original|returned) (?:e-?mail )?(?:message|mail|text)(?: headers?)?(?: follows?)?[ \t]{0,20}(?:[-:*=.]|$)/im,
  /^[-*=_>][- *=_>]{1,80}(?:The |Your )?(?:undelivered|undeliverable|failed|unsent|rejected|non-?delivered) (?:e-?mail )?(?:message|mail)/im,
  /^(?:The )?(?:undelivered|undeliverable|failed|rejected|message returned) (?:e-?mail )?(?:message|mail)? ?(?:text )?follows/im,
  /^[- *=_>]{0,80}Unsent message/im,
  /^[- *=_>]{0,80}Message headers? follows?/im,
  /^[- *=_>]{0,80}(?:Ursprüngliche (?:Nachricht|Nachrichtenkopfzeilen)|Ausgangsnachricht|En-têtes? de messages? d'origine|Message (?:d'origine|original)|Encabezados? (?:del mensaje|de mensaje)s? original|Cabeçalhos? (?:da|de) mensage(?:m|ns)? original|Intestazioni originali|Messaggio originale|Oorspronkelijke berichtkoppen|Исходн\S{1,10} (?:сообщение|заголовки))/im,
  /^(?:Return-Path|Received|X-Received|DKIM-Signature):/m,
];

/** What a text says, without the returned message. */
export function ownText(text: string): string {
  const ends = RETURNED.map((pattern) => pattern.exec(text)?.index ?? text.length);
  const own = text.slice(0, Math.min(...ends));
  // Some servers return the message first.
  return own.trim() === "" ? text : own;
}
