/** Whether a text can hardly be anything but a secret, whatever it is called. */
export function readsLikeSecretValue(text: string): boolean {
  return shapes.some((shape) => shape.test(text));
}

/** A private key, an address with a password, a connection string, a signed token, and what well-known services give out. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:[^\s/@$]{1,200}@/i,
  /\b(?:password|passwd|pwd|accountkey|sharedaccesskey)\s{0,9}=\s{0,9}[^\s;$]/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|sk_live_\w{10,}|AGE-SECRET-KEY-1\w{20,})/,
  /\bhooks\.slack\.com\/services\/\w/i,
];
