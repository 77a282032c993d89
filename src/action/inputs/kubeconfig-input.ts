import { existsSync, statSync } from "node:fs";
import { mask, maskWhole } from "../../io/github/log.ts";
import type { ConnectOptions } from "../../io/kubernetes/kubeconfig/connect.ts";
import { findSecrets } from "../../io/kubernetes/kubeconfig/find-secrets.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";

/**
 * Reads the input kubeconfig: YAML or JSON, either in Base64, a path to a file, or `in-cluster`.
 * Every value except a path and `in-cluster` is masked before anything can print it, even if it
 * isn't a valid kubeconfig.
 */
export function readKubeconfigInput(input: string): Result<ConnectOptions["kubeconfig"]> {
  if (input === "") return ok(undefined);
  // Checked before files, because a pull request can add a file with this name.
  if (input === "in-cluster") return ok(input);
  if (isPath(input)) return ok({ path: input });
  maskWhole(input);
  const content = [input, decode(input)].find((text) => findSecrets(text) !== undefined);
  if (content !== undefined) {
    maskWhole(content);
    for (const secret of findSecrets(content) ?? []) mask(secret);
    return ok({ content });
  }
  mask(input);
  // The content is parsed again later, which reports the line of the error.
  return input.includes("\n") ? ok({ content: input }) : neither;
}

/** The longest path on Linux. */
const longestPath = 4096;

function isPath(input: string): boolean {
  if (input.length > longestPath || /[{\n\0]/.test(input)) return false;
  return existsSync(input) && statSync(input).isFile();
}

function decode(input: string): string {
  return Buffer.from(input, "base64").toString("utf8");
}

const neither = failed<ConnectOptions["kubeconfig"]>([
  {
    code: "invalid-kubeconfig",
    where: [],
    what: "Input kubeconfig: the value isn't a kubeconfig or an existing file",
    fix: "Pass a secret with the output of `kubectl config view --raw --flatten`",
    otherwise: ["pass the path of an existing file"],
  },
]);
