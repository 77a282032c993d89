import { existsSync, statSync } from "node:fs";
import { mask, maskWhole } from "../io/github/log.ts";
import { secretsIn } from "../io/kubernetes/kubeconfig/secrets-in.ts";
import type { ConnectOptions } from "../io/kubernetes/kubeconfig.ts";
import { failed, ok, type Result } from "../model/problem.ts";

/**
 * The input kubeconfig: YAML or JSON, the same in Base64, or a path to a file. Whatever is no such path is a secret, even where
 * it is no kubeconfig, and is masked before anything else can print it.
 */
export function readKubeconfigInput(input: string): Result<ConnectOptions["kubeconfig"]> {
  if (input === "") return ok(undefined);
  if (isPath(input)) return ok({ path: input });
  maskWhole(input);
  const content = [input, decode(input)].find((text) => secretsIn(text) !== undefined);
  if (content !== undefined) {
    maskWhole(content);
    for (const secret of secretsIn(content) ?? []) mask(secret);
    return ok({ content });
  }
  mask(input);
  // Reading it again will tell the line that is wrong.
  return input.includes("\n") ? ok({ content: input }) : neither;
}

/** Linux has no longer paths. */
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
    where: [],
    what: "the input kubeconfig is neither a kubeconfig nor a path to one",
    fix: "Give the content that `kubectl config view --raw --flatten` prints, from a secret, or the path of a file that exists",
  },
]);
