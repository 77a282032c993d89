import { readFile } from "node:fs/promises";
import { UserError, userError } from "../../../model/problems/errors.ts";
import { isPermissionError } from "../../../model/problems/file-problems.ts";
import type { Connection, Credentials } from "../transport/connection.ts";
import {
  askExecPlugin,
  type Credential,
  type CredentialSource,
  type Login,
} from "./exec-plugin.ts";
import type { KubeconfigUser } from "./read-kubeconfig.ts";

/**
 * Returns the credentials of a kubeconfig user. A plugin runs once for all requests that wait for
 * it.
 */
export function openCredentials(
  login: Login,
): Pick<Connection, "credentials" | "renewedCredentials"> {
  let generation = 0;
  let source = credentialSource(login);
  let pending: Promise<Credentials> | undefined;
  const ask = async () => {
    const current = generation;
    return { generation: current, ...(await source()) };
  };
  const credentials = () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const renewedCredentials = (stale: Credentials) => {
    if (stale.generation === generation) {
      generation += 1;
      source = credentialSource(login);
      pending = undefined;
    }
    return credentials();
  };
  return { credentials, renewedCredentials };
}

/** Returns the source of the credential, in kubectl's order of preference. */
function credentialSource(login: Login): CredentialSource {
  const { user, context } = login;
  if (user === undefined) return async () => anonymous;
  const withHeader = async (authorization: string) => ({
    ...(await clientCertificate(user, context)),
    headers: { Authorization: authorization },
  });
  const { token, tokenFile, username, password } = user;
  if (tokenFile) return async () => withHeader(`Bearer ${await readToken(tokenFile, context)}`);
  if (token) return () => withHeader(`Bearer ${token}`);
  if (username) return () => withHeader(basic(username, password ?? ""));
  const certificate = () => clientCertificate(user, context);
  if (user.exec) return askExecPlugin(login, user.exec, certificate);
  if (user["auth-provider"]) return askAuthProvider(context, user["auth-provider"], certificate);
  return certificate;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

const anonymous: Credential = { headers: {}, cert: undefined, key: undefined };

async function clientCertificate(user: KubeconfigUser, context: string): Promise<Credential> {
  const cert = await dataOrFile(user, "client-certificate", context);
  const key = await dataOrFile(user, "client-key", context);
  return { ...anonymous, cert, key };
}

async function dataOrFile(
  user: KubeconfigUser,
  field: "client-certificate" | "client-key",
  context: string,
): Promise<Buffer | undefined> {
  const data = user[`${field}-data`];
  if (data) return Buffer.from(data, "base64");
  const path = user[field];
  return path ? readCredentialFile(path, field, context) : undefined;
}

/** Reads the file for every request, because its writer replaces it before the token expires. */
async function readToken(path: string, context: string): Promise<string> {
  return (await readCredentialFile(path, "tokenFile", context)).toString("utf8").trim();
}

async function readCredentialFile(path: string, field: string, context: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UserError([
      {
        code: "invalid-kubeconfig",
        where: [],
        what: `Context "${context}": the ${field} of the user can't be read`,
        facts: [
          { label: "file", value: path },
          { label: "error", value: code },
        ],
        fix: isPermissionError(code)
          ? "Make the file readable"
          : `Correct \`${field}\` in the kubeconfig`,
      },
    ]);
  }
}

type AuthProvider = NonNullable<KubeconfigUser["auth-provider"]>;

/**
 * Supports OpenID Connect, the provider that kubectl has built in. kubectl lacks the vendors'
 * providers too (since 1.26).
 */
function askAuthProvider(
  context: string,
  provider: AuthProvider,
  certificate: () => Promise<Credential>,
): CredentialSource {
  if (provider.name !== "oidc") {
    throw userError(
      "invalid-kubeconfig",
      `Context "${context}": Kubernetes no longer supports the auth-provider "${provider.name}"`,
      "Write the kubeconfig again with the cloud's command line, which now uses an exec plugin",
    );
  }
  // The library writes renewed tokens into its argument, so it gets a copy of the config.
  const user = { name: "oidc", authProvider: { name: "oidc", config: { ...provider.config } } };
  return async () => {
    const { OpenIDConnectAuth } = await import("@kubernetes/client-node/dist/oidc_auth.js");
    const options = { headers: {} };
    try {
      await new OpenIDConnectAuth().applyAuthentication(user, options);
    } catch {
      throw userError(
        "invalid-credentials",
        `Context "${context}": the OpenID Connect token can't be refreshed`,
        "Log in again, so that the kubeconfig has a valid refresh-token",
      );
    }
    return { ...(await certificate()), headers: options.headers };
  };
}
