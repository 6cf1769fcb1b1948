/** The form of an account's name. */

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const isAccountName = (text: string): boolean => NAME.test(text);
