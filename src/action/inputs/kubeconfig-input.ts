import { existsSync, statSync } from "node:fs";
import { mask, maskWhole } from "../../io/github/log.ts";
import type { ConnectOptions } from "../../io/kubernetes/kubeconfig/connect.ts";
import { findSecrets } from "../../io/kubernetes/kubeconfig/secrets.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";

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

/**
 * Returns a warning for a kubeconfig in lines, which is a secret of several lines. The runner masks
 * each line of such a secret wherever it occurs, so `kind: Config` turns `kind: ConfigMap` into
 * `***Map` (`InitializeSecretMasker` in src/Runner.Worker/Worker.cs of actions/runner 2.336.0).
 * Lines of Base64 occur nowhere else.
 */
export function kubeconfigWarnings(input: string): readonly Problem[] {
  const isInLines = /[\r\n]/.test(input.trim());
  return isInLines && findSecrets(input) !== undefined ? [inLines] : [];
}

const inLines: Problem = {
  code: "kubeconfig-in-lines",
  where: [],
  what: "Input kubeconfig: GitHub masks each line of a secret, such as `kind: Config`, in all texts",
  fix: "Store it in Base64 on one line: base64 < KUBECONFIG | tr -d '\\n' | gh secret set KUBECONFIG",
};

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
