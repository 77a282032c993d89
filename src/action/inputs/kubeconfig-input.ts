import { existsSync, statSync } from "node:fs";
import { mask, maskWhole } from "../../io/github/log.ts";
import { secretsIn } from "../../io/kubernetes/kubeconfig/secrets-in.ts";
import type { ConnectOptions } from "../../io/kubernetes/kubeconfig.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";

/**
 * The input kubeconfig: YAML or JSON, the same in Base64, a path to a file, or `in-cluster`. Everything that is not such a path is a
 * secret, even if it is not a kubeconfig, and is masked before anything can print it.
 */
export function readKubeconfigInput(input: string): Result<ConnectOptions["kubeconfig"]> {
  if (input === "") return ok(undefined);
  // Before files: a pull request can bring one of that name.
  if (input === "in-cluster") return ok(input);
  if (isPath(input)) return ok({ path: input });
  maskWhole(input);
  const content = [input, decode(input)].find((text) => secretsIn(text) !== undefined);
  if (content !== undefined) {
    maskWhole(content);
    for (const secret of secretsIn(content) ?? []) mask(secret);
    return ok({ content });
  }
  mask(input);
  // Reading it again will report the wrong line.
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
    what: "the input kubeconfig is neither a kubeconfig nor a path to one",
    fix: "Give the content that `kubectl config view --raw --flatten` prints, from a secret, or the path of a file that exists",
  },
]);
