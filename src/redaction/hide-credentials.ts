import { isLikelySecretValue } from "./sensitive-name.ts";

/**
 * Replaces the words of a message that look like credentials by `(hidden)`: addresses with a
 * password, tokens of well-known services, the credentials of a header, and private keys. No run
 * knows all secrets that a server or a program can quote.
 */
export function hideCredentials(message: string): string {
  return message
    .replaceAll(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY.*/gs, "(hidden)")
    .replaceAll(/\b(bearer|basic)[ \t]{1,9}(?=[\w+/=.~-]{0,200}\d)[\w+/=.~-]{8,}/gi, "$1 (hidden)")
    .replaceAll(/\S{8,}/g, (word) =>
      !word.includes("(hidden)") && isLikelySecretValue(word) ? "(hidden)" : word,
    );
}

/** Removes the credentials that URLs and headers can contain. */
export function removeCredentials(text: string): string {
  return text
    .replace(/:\/\/[^\s/@]*@/g, "://")
    .replace(/(authorization:\s*)\S.*/gi, "$1***")
    .replace(/([?&](?:access_token|token|password|private_token)=)[^&\s'"]*/gi, "$1***");
}
