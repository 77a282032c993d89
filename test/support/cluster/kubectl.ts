import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { kubeconfigPath } from "./components.ts";
import type { User } from "./users.ts";

export interface KubectlOptions {
  readonly kubectl: string;
  readonly directory: string;
  readonly user?: User;
  /** The standard input, for `-f -`. */
  readonly input?: string;
}

/** The default is 30 s, which can be too short on a busy machine. */
const patience = "--timeout=600s";

/**
 * Flags that disable client-side schemas. Downloading and parsing them takes `apply` four times as
 * long as everything else, and changes nothing here.
 */
const unread = ["--validate=ignore", "--openapi-patch=false"];

/**
 * Runs kubectl as a user of the control plane and returns its standard output. Rejects with its
 * messages.
 */
export async function runKubectl(
  args: readonly string[],
  options: KubectlOptions,
): Promise<string> {
  const { kubectl, directory, user = "kubectl", input = "" } = options;
  const whole = [`--kubeconfig=${kubeconfigPath(directory, user)}`, ...args, ...also(args)];
  const child = spawn(kubectl, whole, {
    env: { ...process.env, ...undisturbed(directory) },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // kubectl can end without reading its input. Its exit code shows the reason, not the broken pipe.
  child.stdin.on("error", () => undefined).end(input);
  const [output, messages, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code === 0) return output;
  throw new Error(`kubectl ${args.join(" ")} ended with ${code}:\n${messages}${output}`);
}

function also(args: readonly string[]): readonly string[] {
  if (args.includes("wait") && !args.join().includes("--timeout")) return [patience];
  return args.includes("apply") ? unread : [];
}

/**
 * Returns an environment that separates kubectl from the user's preferences and discovery cache.
 * kubectl ends before garbage collection is worthwhile.
 */
function undisturbed(directory: string): Readonly<Record<string, string>> {
  const cache = join(directory, "kubectl-cache");
  return { KUBECTL_KUBERC: "false", KUBECACHEDIR: cache, GOGC: "400" };
}
