/** Email addresses as somebody sees them who knows the address, and as nobody can learn it. */

const HIDDEN = "***";
/** Characters at the beginning of the local part, and of the domain. */
const LOCAL_SHOWN = 1;
const DOMAIN_SHOWN = 2;

/** Returns `ann@gmail.com` as `a***@gm***.com`: never a whole local part, nor a whole domain. */
export function maskedAddress(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf(".");
  const [name, ending] = dot > 0 && !domain.endsWith("]") ? [domain.slice(0, dot), domain.slice(dot)] : [domain, ""];
  return `${masked(email.slice(0, at), LOCAL_SHOWN)}@${masked(name, DOMAIN_SHOWN)}${ending}`;
}

/** Shows at most half of a text. */
function masked(text: string, shown: number): string {
  const characters = [...text];
  return characters.slice(0, Math.min(shown, Math.floor(characters.length / 2))).join("") + HIDDEN;
}
