import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ClusterAddress } from "./address.ts";
import { authenticationPath, kubeconfigPath } from "./components.ts";
import { type Tokens, tokenFile } from "./users.ts";

/** What the apiserver needs to know who is who: the users' tokens, and a key to sign those of service accounts. */
export async function writeServerCredentials(directory: string, tokens: Tokens): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // The one encoding that the apiserver takes both as its signing key and, for the public half, to check with.
  const key = privateKey.export({ type: "sec1", format: "pem" });
  await writeFile(join(directory, "service-accounts.pem"), key, { mode: 0o600 });
  await writeFile(join(directory, "tokens.csv"), tokenFile(tokens), { mode: 0o600 });
  await writeFile(authenticationPath(directory), authenticationConfiguration([]));
}

/** The text of the API server's `--authentication-config`, with these entries of `jwt`. */
export function authenticationConfiguration(jwt: readonly object[]): string {
  return stringify({
    apiVersion: "apiserver.config.k8s.io/v1beta1",
    kind: "AuthenticationConfiguration",
    jwt,
  });
}

/** A kubeconfig for each user. The apiserver must run: it has made the certificate that they trust. */
export async function writeKubeconfigs(address: ClusterAddress, tokens: Tokens): Promise<void> {
  const certificate = join(address.directory, "certificates", "apiserver.crt");
  const authority = await readFile(certificate, "base64");
  for (const [user, token] of tokens) {
    const content = kubeconfig(address.server, authority, token);
    await writeFile(kubeconfigPath(address.directory, user), content, { mode: 0o600 });
  }
}

/** It needs no other file, so it may be copied anywhere. */
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
