import { getInput, getMultilineInput, setSecret } from "@actions/core";
import { InvalidArgumentError } from "commander";
import { minimatch } from "minimatch";
import { defaultLimits } from "../apply/run.ts";
import { parseCount, parseDuration, parseProtectedKinds } from "../cli/options.ts";
import type { DeployOptions } from "../commands/under-lock.ts";
import { UserError } from "../errors.ts";
import type { ConnectOptions } from "../io/kubernetes/kubeconfig.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problem.ts";
import { readKubeconfigInput } from "./kubeconfig-input.ts";

/** The inputs of action.yml, checked. */
export interface Inputs {
  readonly mode: "auto" | "diff" | "deploy" | "rollback";
  readonly comment: "always" | "changes" | "never";
  readonly summary: boolean;
  readonly revision: string;
  /** A branch whose pushes are deployed besides those to the default branch; empty for none. */
  readonly branch: string;
  readonly token: string;
  /** For modules that are private repositories; empty for none. */
  readonly modulesToken: string;
  /** The only host that it is sent to; empty for that of the GitHub that runs us. */
  readonly modulesHost: string;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  readonly inline: readonly string[];
  readonly options: DeployOptions;
  /** Whether `config` and `deployment` choose it. */
  isChosen(deployment: Deployment): boolean;
  /** What the inputs say instead of its entry in deployments.yaml. */
  adjusted(deployment: Deployment): Deployment;
}

/** Reads all inputs; whatever is wrong with any of them comes in one UserError. */
export function readInputs(): Inputs {
  const problems: Problem[] = [];
  const checked = <T>(name: string, read: (text: string) => T): T | undefined => {
    try {
      return read(getInput(name));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      problems.push({
        where: [],
        what: `input ${name} is "${getInput(name)}"`,
        fix: error.message,
      });
      return undefined;
    }
  };
  const kubeconfig = readKubeconfigInput(getInput("kubeconfig"));
  if (!kubeconfig.ok) problems.push(...kubeconfig.problems);
  const mode = checked("mode", oneOf(["auto", "diff", "deploy", "rollback"]));
  const comment = checked("comment", oneOf(["changes", "always", "never"]));
  const summary = checked("summary", trueOrFalse);
  const conflicts = checked("conflicts", oneOf(["fail", "force"]));
  const adopt = checked("adopt", (text) => text !== "" && trueOrFalse(text));
  const timeoutMs = checked("timeout", (text) => (text === "" ? undefined : parseDuration(text)));
  const concurrency = checked("concurrency", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  const allowDelete = checked("allow-delete", parseProtectedKinds);
  const keepRevisions = checked("keep-revisions", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  const keepReleases = checked("keep-releases", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  if (problems.length > 0 || !kubeconfig.ok) throw new UserError(problems);
  return {
    mode: mode ?? "auto",
    comment: comment ?? "changes",
    summary: summary ?? true,
    revision: getInput("revision"),
    branch: getInput("branch"),
    token: getInput("token"),
    modulesToken: readSecret("modules-token"),
    modulesHost: getInput("modules-host"),
    kubeconfig: kubeconfig.value,
    inline: getMultilineInput("param"),
    options: {
      limits: {
        timeoutMs: timeoutMs ?? defaultLimits.timeoutMs,
        concurrency: concurrency ?? defaultLimits.concurrency,
      },
      policy: {
        allowDelete: allowDelete ?? [],
        conflicts: {
          force: conflicts === "force",
          takeover: getMultilineInput("takeover"),
        },
        keepRevisions,
      },
      waitForLock: true,
      expected: expectedPlan(getInput("expect-digest")),
      adopt: adopt ?? false,
      keepReleases,
    },
    isChosen: choice(getMultilineInput("config"), getMultilineInput("deployment")),
    adjusted: (deployment) => ({
      ...deployment,
      params: [...deployment.params, ...getMultilineInput("params")],
      context: getInput("context") || deployment.context,
      namespace: getInput("namespace") || deployment.namespace,
    }),
  };
}

function expectedPlan(digest: string): DeployOptions["expected"] {
  return digest === "" ? undefined : { digest, operations: undefined };
}

/** Masked in the log, also as git sends it. */
function readSecret(name: string): string {
  const secret = getInput(name);
  if (secret === "") return "";
  setSecret(secret);
  setSecret(Buffer.from(`x-access-token:${secret}`).toString("base64"));
  return secret;
}

function oneOf<const T extends string>(allowed: readonly [T, ...T[]]): (text: string) => T {
  return (text) => {
    const found = text === "" ? allowed[0] : allowed.find((each) => each === text);
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${allowed.join(", ")}`);
    return found;
  };
}

/** YAML's other words for them would be texts here, and "no" must not come to mean yes. */
function trueOrFalse(text: string): boolean {
  if (text !== "" && text !== "true" && text !== "false") {
    throw new InvalidArgumentError("Use true or false");
  }
  return text !== "false";
}

function choice(globs: readonly string[], names: readonly string[]): Inputs["isChosen"] {
  return ({ name, config }) =>
    (names.length === 0 || names.includes(name)) &&
    (globs.length === 0 || globs.some((glob) => minimatch(config, glob, { dot: true })));
}
