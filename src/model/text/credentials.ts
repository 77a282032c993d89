/** Removes the credentials that URLs and headers can contain. */
export function removeCredentials(text: string): string {
  return text
    .replace(/:\/\/[^\s/@]*@/g, "://")
    .replace(/(authorization:\s*)\S.*/gi, "$1***")
    .replace(/([?&](?:access_token|token|password|private_token)=)[^&\s'"]*/gi, "$1***");
}
