import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ClusterAddress } from "./address.ts";
import { authenticationPath, kubeconfigPath } from "./components.ts";
import { type Tokens, tokenFile } from "./users.ts";

/**
 * Writes the credentials that the API server needs: the tokens of users, and a key that signs
 * tokens of ServiceAccounts.
 */
export async function writeServerCredentials(directory: string, tokens: Tokens): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // The only encoding that the API server accepts both for signing and for verification.
  const key = privateKey.export({ type: "sec1", format: "pem" });
  await writeFile(join(directory, "service-accounts.pem"), key, { mode: 0o600 });
  await writeFile(join(directory, "tokens.csv"), tokenFile(tokens), { mode: 0o600 });
  await writeFile(authenticationPath(directory), authenticationConfiguration([]));
}

/**
 * Returns the content of the API server's `--authentication-config` with these entries of `jwt`.
 */
export function authenticationConfiguration(jwt: readonly object[]): string {
  return stringify({
    apiVersion: "apiserver.config.k8s.io/v1beta1",
    kind: "AuthenticationConfiguration",
    jwt,
  });
}

/**
 * Writes a kubeconfig for each user. The API server must already run, because it creates the
 * certificate.
 */
export async function writeKubeconfigs(address: ClusterAddress, tokens: Tokens): Promise<void> {
  const certificate = join(address.directory, "certificates", "apiserver.crt");
  const authority = await readFile(certificate, "base64");
  for (const [user, token] of tokens) {
    const content = kubeconfig(address.server, authority, token);
    await writeFile(kubeconfigPath(address.directory, user), content, { mode: 0o600 });
  }
}

/** Returns a kubeconfig that refers to no other file, so it can be copied. */
function kubeconfig(server: string, authority: string, token: string): string {
  const cluster = { server, "certificate-authority-data": authority };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "qvs",
    clusters: [{ name: "qvs", cluster }],
    users: [{ name: "qvs", user: { token } }],
    contexts: [{ name: "qvs", context: { cluster: "qvs", user: "qvs" } }],
  });
}
