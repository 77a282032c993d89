import { type SpawnOptions, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ExecAuth } from "@kubernetes/client-node/dist/exec_auth.js";
import { UserError } from "../../../model/problems/errors.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import type { Environment } from "../../environment.ts";
import type { Credentials } from "../transport/connection.ts";
import type { KubeconfigCluster, KubeconfigExec, KubeconfigUser } from "./read-kubeconfig.ts";

/** Milliseconds. Without a limit, a plugin that waits for user input would never return. */
const timeoutMs = 60_000;

/**
 * Runs a client-go credential plugin
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/, section
 * `#client-go-credential-plugins`).
 */
export function askExecPlugin(
  login: Login,
  exec: KubeconfigExec,
  certificate: () => Promise<Credential>,
): CredentialSource {
  // Keeps the plugin's answer until its expirationTimestamp.
  const plugin = new ExecAuth();
  const declared = Object.fromEntries(exec.env.map(({ name, value }) => [name, value]));
  const env = { ...login.env, ...declared, KUBERNETES_EXEC_INFO: execInfo(login, exec) };
  const options = { cwd: login.directory, env };
  // The library reads the output of a plugin without a limit, and uses the environment of this
  // process.
  Object.assign(plugin, {
    execFn: (command: string, args: readonly string[]) => spawnBounded(command, args, options),
  });
  const user = { name: login.context, exec };
  return async () => {
    const answer: { headers: Record<string, string>; cert?: string; key?: string } = {
      headers: {},
    };
    try {
      await withTimeout(plugin.applyAuthentication(user, answer));
    } catch (error) {
      throw explain(error, exec, login);
    }
    const own = await certificate();
    const { headers, cert = own.cert, key = own.key } = answer;
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

/**
 * The maximum output of a plugin, in characters. A credential with its certificates has a few
 * kilobytes.
 */
const maxOutput = 4 << 20;

class TooMuchOutput extends Error {}

/** Runs a plugin. Kills it if it prints more than `maxOutput`, or doesn't end in time. */
function spawnBounded(command: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(command, args, { ...options, timeout: 2 * timeoutMs, killSignal: "SIGKILL" });
  let length = 0;
  const count = (chunk: string | Buffer) => {
    length += chunk.length;
    if (length <= maxOutput || child.killed) return;
    child.kill("SIGKILL");
    // The processes that the plugin started can survive. qvs stops reading their output.
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.emit("error", new TooMuchOutput());
  };
  child.stdout?.on("data", count);
  child.stderr?.on("data", count);
  return child;
}

class PluginTimeout extends Error {}

async function withTimeout(work: Promise<void>): Promise<void> {
  const enough = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: enough.signal }).then(
    () => Promise.reject(new PluginTimeout()),
    () => undefined,
  );
  try {
    await Promise.race([work, timeout]);
  } finally {
    enough.abort();
  }
}

/**
 * Converts the error of a plugin. The message contains only its stderr: its stdout is the
 * credential, and parsers quote it.
 */
function explain(error: unknown, exec: KubeconfigExec, { context, sent }: Login): UserError {
  const failed = (fault: string, problem: Pick<Problem, "fix" | "otherwise" | "facts">) =>
    new UserError([
      {
        code: "credential-plugin-failed",
        where: [],
        what: `Context "${context}": the credential plugin "${exec.command}" ${fault}`,
        ...problem,
      },
    ]);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return failed("isn't installed", installation(exec));
  if (code !== undefined) {
    const facts = [{ label: "error", value: code }];
    return failed("can't be run", { facts, fix: "Make the plugin executable" });
  }
  // The arguments are left out, because they can contain a client secret.
  const fix = "Run the plugin manually with the arguments in the kubeconfig to see the error";
  if (error instanceof TooMuchOutput)
    return failed(`printed more than ${maxOutput >> 20} MiB`, { fix });
  if (error instanceof PluginTimeout)
    return failed(`didn't answer within ${timeoutMs / 1000} s`, { fix });
  if (error instanceof SyntaxError || error instanceof TypeError)
    return failed("printed no valid ExecCredential", { fix });
  const { message } = error as Error;
  const output = withoutTokens(sent?.hide(message) ?? message);
  return failed("failed", { facts: [{ label: "output", value: output }], fix });
}

function installation({ command, installHint }: KubeconfigExec): Pick<Problem, "fix"> {
  const hint = installHint?.trim().replace(/\.$/, "");
  const install = `Install ${command} on the machine that runs qvs`;
  return { fix: hint || `${install}, or use a kubeconfig with a token` };
}

/** Returns the end of a plugin's stderr, without anything long enough to be a token. */
function withoutTokens(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const end = lines
    .slice(-3)
    .join("; ")
    .replace(/[\w+/=.~-]{40,}/g, "…");
  return end === "" ? "(none)" : end.slice(-500);
}

/** The context, user and cluster of a login, for plugins and messages. */
export interface Login {
  readonly context: string;
  /** Undefined for a context without a user: anonymous. */
  readonly user: KubeconfigUser | undefined;
  readonly cluster: KubeconfigCluster;
  readonly env: Environment;
  /** The directory in which a plugin runs; undefined for the directory of this process. */
  readonly directory?: string | undefined;
  /** The credentials so far. A plugin can quote them when it fails. */
  readonly sent?: SentSecrets | undefined;
}

export type Credential = Omit<Credentials, "generation">;

/** Returns the current credential. The credential of a plugin is kept until it expires. */
export type CredentialSource = () => Promise<Credential>;
