import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
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
 * Creates the API server's certificate with a key on an elliptic curve. Each test process opens its
 * own connections, and signatures with the RSA key that the API server would create took 7 % of its
 * CPU time. Without openssl, the API server creates the certificate.
 */
export async function writeServerCertificate(directory: string): Promise<void> {
  const folder = join(directory, "certificates");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names =
    "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc";
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-keyout", join(folder, "apiserver.key"), "-out", join(folder, "apiserver.crt")];
  const about = ["-days", "365", "-subj", "/CN=127.0.0.1", "-addext", names];
  try {
    await promisify(execFile)("openssl", ["req", "-x509", ...key, ...about, ...files]);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
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
