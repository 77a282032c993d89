import { isList, isObject, type Json } from "../model/json.ts";

const words: ReadonlySet<string> = new Set([
  ...["password", "passwords", "passwd", "passphrase", "pwd", "pw", "pass", "pin", "otp"],
  ...["secret", "secrets", "token", "tokens", "credential", "credentials", "cred", "creds"],
  ...["key", "keys", "apikey", "auth"],
]);

/** Words that are so telling that they count within others too: `dbpassword`, `MYSECRETS`. */
const telling = /passw|passphrase|secret|token|credential|apikey/i;

/** Whether a parameter or field of this name is likely to hold a secret: by whole words, so that `keyboard` does not. */
export function looksSecret(name: string): boolean {
  return telling.test(name) || wordsOf(name).some((word) => words.has(word));
}

/** Whether a name leaves no doubt: it is a secret itself, and not where to find one. */
export function namesSecret(name: string): boolean {
  return telling.test(name) && !/(names?|refs?|ids?|arns?|length|enabled|ttl)$/i.test(name);
}

/** The same for a name and the names of everything within its value. */
export function holdsSecret(name: string, value: Json | undefined): boolean {
  if (looksSecret(name)) return true;
  if (isList(value)) return value.some((item) => holdsSecret("", item));
  return isObject(value) && Object.entries(value).some(([key, item]) => holdsSecret(key, item));
}

/** `dbPassword`, `db-password`, `DB_PASSWORD` and `APIKey` as words in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}
