import { existsSync, statSync } from "node:fs";
import { getInput, getMultilineInput, setSecret } from "@actions/core";
import { InvalidArgumentError } from "commander";
import { defaultLimits } from "../apply/run.ts";
import {
  parseCount,
  parseDuration,
  parseFailOn,
  parseNamespace,
  parseProtectedKinds,
} from "../inputs/parse.ts";
import { mask, maskWhole } from "../io/github/log.ts";
import type { IdTokenServer } from "../io/kubernetes/kubeconfig/id-token.ts";
import { secretsIn } from "../io/kubernetes/kubeconfig/secrets-in.ts";
import type { ConnectOptions } from "../io/kubernetes/kubeconfig.ts";
import type { ApprovalPolicy } from "../model/approval.ts";
import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { defaultFailOn, type FailOn } from "../model/problems/fail-on.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { expectDigest } from "../report/plans/expected-plan.ts";
import type { DeployOptions } from "../runs/with-lock.ts";
import { type ChooseDeployments, chooseBy } from "./choose-deployments.ts";
import { readServerInput } from "./server-input.ts";

const modes = ["auto", "list", "diff", "comment", "deploy", "rollback", "report", "drift"] as const;

/** The inputs of action.yml, checked. */
export interface Inputs {
  readonly mode: (typeof modes)[number];
  readonly comment: "always" | "changes" | "never";
  /** Name of the artifact that the workflow makes of the page; undefined for none. */
  readonly previewArtifact: string | undefined;
  /** Which of our comments on a pull request is meant; undefined for the one without a key. */
  readonly commentKey: string | undefined;
  /** Whether each workflow keeps a comment of its own, since the input comment-key does not say which one is meant. */
  readonly commentPerWorkflow: boolean;
  readonly summary: boolean;
  /** For drift: whether it is put right, and whether there is one issue for each deployment. */
  readonly reconcile: boolean;
  readonly issue: boolean;
  /** For comment, the folder with what jobs have planned; empty for none. */
  readonly plans: string;
  /** The input deployment. */
  readonly names: readonly string[];
  /** What of a preview makes the check red besides what could not be deployed. */
  readonly failOn: readonly FailOn[];
  readonly revision: string;
  /** Folder with the result.json files of other jobs, and the deployments that should have one. */
  readonly results: string;
  readonly expected: readonly string[];
  /** Where in the repository the deployments are listed; undefined for its root. */
  readonly folder: string | undefined;
  /** A branch whose pushes are deployed besides those to the default branch; empty for none. */
  readonly branch: string;
  readonly token: string;
  /** For modules that are private repositories; empty for none. */
  readonly modulesToken: string;
  /** The only host that it is sent to; empty for that of the GitHub that runs us. */
  readonly modulesHost: string;
  /** Name of the check run that a preview writes; empty for none. */
  readonly check: string;
  /** Whether each deployment becomes one of GitHub's Deployments, too. */
  readonly githubDeployments: boolean;
  /** Where the environment can be seen; undefined for what an object says. */
  readonly environmentUrl: string | undefined;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  /** Instead of a kubeconfig: what is logged in to by the ID tokens of the job. */
  readonly server: Omit<IdTokenServer, "issue"> | undefined;
  readonly inline: readonly string[];
  readonly options: DeployOptions;
  /** What is done with a plan that merging has not approved. */
  readonly approvedPlan: ApprovalPolicy | "off";
  /** What another job has found to be approved; empty to look for it. */
  readonly approvals: string;
  /** Those that `config` and `deployment` choose. Throws a UserError for what chooses none of `known`, which may be more. */
  choose: ChooseDeployments;
  /** The deployment with what the inputs replace of its entry in deployments.yaml. */
  adjusted(deployment: Deployment): Deployment;
}

/** Reads all inputs; all errors in them are reported in one UserError. */
export function readInputs(): Inputs {
  const problems: Problem[] = [];
  const checked = <T>(name: string, read: (text: string) => T): T | undefined => {
    try {
      return read(getInput(name));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      problems.push({
        code: "invalid-input",
        where: [],
        what: `input ${name} is "${getInput(name)}"`,
        fix: error.message,
      });
      return undefined;
    }
  };
  const kubeconfig = readKubeconfigInput(getInput("kubeconfig"));
  if (!kubeconfig.ok) problems.push(...kubeconfig.problems);
  const server = readServerInput({
    server: getInput("server"),
    certificateAuthority: getInput("certificate-authority"),
    audience: getInput("oidc-audience"),
    context: getInput("context"),
    kubeconfig: getInput("kubeconfig"),
  });
  if (!server.ok) problems.push(...server.problems);
  const mode = checked("mode", oneOf(modes));
  const comment = checked("comment", oneOf(["changes", "always", "never"]));
  const summary = checked("summary", trueOrFalse);
  const reconcile = checked("reconcile", (text) => text !== "" && trueOrFalse(text));
  const issue = checked("issue", trueOrFalse);
  const conflicts = checked("conflicts", oneOf(["fail", "force"]));
  const failOn = checked("fail-on", (text) => (text === "" ? defaultFailOn : parseFailOn(text)));
  const approvedPlan = checked("approved-plan", oneOf(["warn", "require", "off"]));
  const adopt = checked("adopt", (text) => text !== "" && trueOrFalse(text));
  const allowOutsideNamespace = checked(
    "allow-outside-namespace",
    (text) => text !== "" && trueOrFalse(text),
  );
  const allowIrreversible = checked(
    "allow-irreversible",
    (text) => text !== "" && trueOrFalse(text),
  );
  const onFailure = checked("on-failure", (text) =>
    text === "" ? undefined : oneOf(["keep", "rollback"])(text),
  );
  const timeoutMs = checked("timeout", (text) => (text === "" ? undefined : parseDuration(text)));
  const concurrency = checked("concurrency", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  const allowOlder = checked("allow-older", (text) => text !== "" && trueOrFalse(text));
  const githubDeployments = checked(
    "github-deployments",
    (text) => text !== "" && trueOrFalse(text),
  );
  const environmentUrl = checked("environment-url", webAddress);
  const allowFailed = checked("allow-failed", (text) => text !== "" && trueOrFalse(text));
  const allowDelete = checked("allow-delete", parseProtectedKinds);
  const keepRevisions = checked("keep-revisions", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  const keepReleases = checked("keep-releases", (text) =>
    text === "" ? undefined : parseCount(text),
  );
  const expected = checked("expected", parseNames);
  const names = checked("deployment", (text) =>
    text.trimStart().startsWith("[") ? parseNames(text) : getMultilineInput("deployment"),
  );
  const commentKey = checked("comment-key", parseKey);
  const folder = checked("working-directory", parseFolder);
  const namespace = checked("namespace", (text) => (text === "" ? "" : parseNamespace(text)));
  const inFolder = (path: string) => (folder === undefined ? path : `${folder}/${path}`);
  if (problems.length > 0 || !kubeconfig.ok || !server.ok) throw new UserError(problems);
  return {
    mode: mode ?? "auto",
    comment: comment ?? "changes",
    previewArtifact: getInput("preview-artifact") || undefined,
    commentKey: commentKey || folder,
    commentPerWorkflow: !commentKey,
    summary: summary ?? true,
    reconcile: reconcile ?? false,
    issue: issue ?? true,
    plans: getInput("plans"),
    names: names ?? [],
    failOn: failOn ?? defaultFailOn,
    revision: getInput("revision"),
    results: getInput("results"),
    expected: expected ?? [],
    folder,
    branch: getInput("branch"),
    token: getInput("token"),
    modulesToken: readSecret("modules-token"),
    modulesHost: getInput("modules-host"),
    check: getInput("check"),
    githubDeployments: githubDeployments ?? false,
    environmentUrl,
    kubeconfig: kubeconfig.value,
    server: server.value,
    inline: getMultilineInput("param"),
    approvedPlan: approvedPlan ?? "warn",
    approvals: getInput("approvals"),
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
      allowOutsideNamespace: allowOutsideNamespace ?? false,
      allowIrreversible: allowIrreversible ?? false,
      allowFailed: allowFailed ?? false,
      whenOlder: whenOlder(allowOlder ?? false),
      keepReleases,
      onFailure,
      overrideFreeze: getInput("override-freeze") || undefined,
    },
    choose: chooseBy({
      globs: getMultilineInput("config").map(inFolder),
      names: names ?? [],
    }),
    adjusted: (deployment) => ({
      ...deployment,
      params: [...deployment.params, ...getMultilineInput("params").map(inFolder)],
      context: getInput("context") || deployment.context,
      namespace: namespace || deployment.namespace,
    }),
  };
}

/** A run that somebody has started again is a person's wish; any other one that finds a newer commit was late. */
function whenOlder(isAllowed: boolean): DeployOptions["whenOlder"] {
  if (isAllowed) return "allow";
  return Number(process.env.GITHUB_RUN_ATTEMPT ?? 1) > 1 ? "refuse" : "supersede";
}

/** The output `deployments`, a JSON list. */
function parseNames(text: string): readonly string[] {
  if (text === "") return [];
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {}
  throw new InvalidArgumentError("Give what the output deployments holds, a JSON list of names");
}

/** Long enough for any folder; it takes its place in a comment that may be full. */
const longestKey = 100;

function parseKey(text: string): string {
  if (text.length <= longestKey && !/[\r\n]/.test(text)) return text;
  throw new InvalidArgumentError(`Use at most ${longestKey} characters on one line`);
}

/** A folder of the repository, without "." and "/" around it. */
function parseFolder(text: string): string | undefined {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  if (text.startsWith("/") || names.includes(".."))
    throw new InvalidArgumentError("Give a folder of the repository, relative to its root");
  return names.length === 0 ? undefined : names.join("/");
}

function expectedPlan(digest: string): DeployOptions["expected"] {
  return digest === "" ? undefined : expectDigest(digest);
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

function webAddress(text: string): string | undefined {
  if (text === "") return undefined;
  if (!/^https?:\/\/\S+$/.test(text))
    throw new InvalidArgumentError("Use a URL that begins with https://");
  return text;
}

/** YAML's other words for them would be text here, and "no" must not mean yes. */
function trueOrFalse(text: string): boolean {
  if (text !== "" && text !== "true" && text !== "false") {
    throw new InvalidArgumentError("Use true or false");
  }
  return text !== "false";
}

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
