/** A text without the credentials that addresses and headers can carry. */
export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, "$1")
    .replace(/(authorization:\s*)\S.*/gi, "$1***")
    .replace(/([?&](?:access_token|token|password|private_token)=)[^&\s'"]*/gi, "$1***");
}
