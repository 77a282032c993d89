import { setTimeout as sleep } from "node:timers/promises";
import { ExecAuth } from "@kubernetes/client-node/dist/exec_auth.js";
import { type UserError, userError } from "../../../errors.ts";
import type { Credential, CredentialSource, Login } from "./login.ts";
import type { KubeconfigExec } from "./schema.ts";

/** Milliseconds; a plugin that waits for a person would otherwise wait for ever. */
const patience = 60_000;

/** Runs a client-go credential plugin (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins). */
export function askExecPlugin(
  login: Login,
  exec: KubeconfigExec,
  certificate: () => Promise<Credential>,
): CredentialSource {
  // Keeps the plugin's answer until its expirationTimestamp.
  const plugin = new ExecAuth();
  const env = [...exec.env, { name: "KUBERNETES_EXEC_INFO", value: execInfo(login, exec) }];
  const user = { name: login.context, exec: { ...exec, env } };
  return async () => {
    const options: { headers: Record<string, string>; cert?: string; key?: string } = {
      headers: {},
    };
    try {
      await withinPatience(plugin.applyAuthentication(user, options));
    } catch (error) {
      throw explain(error, exec, login.context);
    }
    const own = await certificate();
    const { headers, cert = own.cert, key = own.key } = options;
    return { headers, cert, key };
  };
}

function execInfo(login: Login, exec: KubeconfigExec): string {
  const { extensions, ...fields } = login.cluster;
  const config = extensions.find((entry) => entry.name === "client.authentication.k8s.io/exec");
  const cluster = exec.provideClusterInfo ? { ...fields, config: config?.extension } : undefined;
  return JSON.stringify({
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, cluster },
  });
}

class OutOfPatience extends Error {}

async function withinPatience(work: Promise<void>): Promise<void> {
  const enough = new AbortController();
  const timeout = sleep(patience, undefined, { signal: enough.signal }).then(
    () => Promise.reject(new OutOfPatience()),
    () => undefined,
  );
  try {
    await Promise.race([work, timeout]);
  } finally {
    enough.abort();
  }
}

/** Only what the plugin wrote to stderr is passed on: its stdout is the credential, and parsers quote that. */
function explain(error: unknown, exec: KubeconfigExec, context: string): UserError {
  const plugin = `The credential plugin "${exec.command}" of context "${context}"`;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") {
    const hint = exec.installHint?.trim().replace(/\.$/, "");
    return userError(
      `${plugin} is not installed`,
      hint || `Install ${exec.command} before this step, or use a kubeconfig with a token`,
    );
  }
  if (code !== undefined) {
    return userError(`${plugin} cannot be run (${code})`, "Make it executable");
  }
  // Its arguments are left out: they may hold a client secret.
  const byHand = "Run it by hand, as the kubeconfig does, to see why";
  if (error instanceof OutOfPatience) {
    return userError(`${plugin} did not answer within ${patience / 1000} s`, byHand);
  }
  if (error instanceof SyntaxError || error instanceof TypeError) {
    return userError(`${plugin} printed something that is not an ExecCredential`, byHand);
  }
  return userError(`${plugin} failed: ${withoutTokens((error as Error).message)}`, byHand);
}

/** The last words of a plugin; anything long enough to be a token is cut out. */
function withoutTokens(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const end = lines
    .slice(-3)
    .join("; ")
    .replace(/[\w+/=.~-]{40,}/g, "…");
  return end === "" ? "it said nothing" : end.slice(-500);
}
