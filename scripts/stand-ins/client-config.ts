import { readFileSync } from "node:fs";

/**
 * Replaces `@kubernetes/client-node/dist/config.js` in dist. The OpenID Connect login of that
 * package uses only this function of the file. The rest would add SOCKS, which requires packages
 * that aren't installed, and every API of Kubernetes. If a new version of the login uses more of
 * the file, the build fails because of a missing export.
 */
export function bufferFromFileOrString(file?: string, data?: string): Buffer | null {
  if (file) return readFileSync(file);
  return data ? Buffer.from(data, "base64") : null;
}
