import { readFileSync } from "node:fs";

/**
 * Stands in for `@kubernetes/client-node/dist/config.js` in dist. The OpenID Connect login of that package uses this one function of it;
 * the rest would bring SOCKS, which asks for packages that it does not come with, and every API of Kubernetes. Should a new version of
 * the login use more of it, the build fails because it is not here.
 */
export function bufferFromFileOrString(file?: string, data?: string): Buffer | null {
  if (file) return readFileSync(file);
  return data ? Buffer.from(data, "base64") : null;
}
