import { getInput, setSecret } from "@actions/core";
import {
  parseCount,
  parseDigest,
  parseDuration,
  parseFailOn,
  parseKubernetesVersion,
  parseNamespace,
  parseProtectedKinds,
} from "../../inputs/parse.ts";
import { builtinVersions } from "../../io/builtin-kinds/read.ts";
import { type DeployRequest, defaultLimits } from "../../model/deployments/deploy-request.ts";
import { UserError } from "../../model/problems/errors.ts";
import { defaultFailOn } from "../../model/problems/fail-on.ts";
import { expectDigest } from "../../report/plans/parse-expected-plan.ts";
import { createChooser } from "./choose-deployments.ts";
import { type Inputs, modes } from "./inputs.ts";
import { readKubeconfigInput } from "./kubeconfig-input.ts";
import {
  type InputChecks,
  inputChecks,
  parseChoice,
  parseFolder,
  parseKey,
  parseLabelPrefix,
  parseNames,
  parseWorkflowFile,
  readInputLines,
  webAddress,
} from "./parse-inputs.ts";
import { readServerInput } from "./server-input.ts";
import { readWebhookInput } from "./webhook-input.ts";

/** Reads all inputs. Throws one UserError with all their errors. */
export function readInputs(): Inputs {
  const checks = inputChecks();
  const { checked, isSet, required } = checks;
  const folder = checked("working-directory", undefined, parseFolder);
  const commentKey = checked("comment-key", "", parseKey);
  const inputs: Inputs = {
    mode: checked("mode", "auto", parseChoice(modes)),
    comment: checked("comment", "changes", parseChoice(["changes", "always", "never"])),
    previewArtifact: getInput("preview-artifact") || undefined,
    commentKey: commentKey || folder,
    commentPerWorkflow: commentKey === "",
    summary: isSet("summary", true),
    reconcile: isSet("reconcile"),
    issue: isSet("issue", true),
    plans: getInput("plans"),
    failOn: checked("fail-on", defaultFailOn, parseFailOn),
    againstVersion: checked("against-version", undefined, (text) =>
      parseKubernetesVersion(text, builtinVersions),
    ),
    revision: getInput("revision"),
    dryRun: checks.isSet("dry-run"),
    results: getInput("results"),
    expected: checked("expected", [], parseNames),
    folder,
    planWorkflow: checked("plan-workflow", "plan.yml", parseWorkflowFile),
    rollbackWorkflow: checked("rollback-workflow", "rollback.yml", parseWorkflowFile),
    branch: getInput("branch"),
    token: getInput("token"),
    modulesToken: readSecret("modules-token"),
    modulesHost: getInput("modules-host"),
    check: getInput("check"),
    labels: checked("labels", "", parseLabelPrefix),
    webhook: readWebhookInput(getInput("webhook-url"), getInput("webhook-secret")),
    githubDeployments: isSet("github-deployments"),
    environmentUrl: checked("environment-url", undefined, webAddress),
    kubeconfig: required(readKubeconfigInput(getInput("kubeconfig"))),
    server: required(readServerInput(serverInputs())),
    inline: checks.assignments("param"),
    approvedPlan: checked("approved-plan", "warn", parseChoice(["warn", "require", "off"])),
    approvals: getInput("approvals"),
    request: deployRequest(checks),
    ...readDeployments(checks, folder),
  };
  if (checks.problems.length > 0) throw new UserError(checks.problems);
  return inputs;
}

function serverInputs() {
  return {
    server: getInput("server"),
    certificateAuthority: getInput("certificate-authority"),
    audience: getInput("oidc-audience"),
    context: getInput("context"),
    kubeconfig: getInput("kubeconfig"),
  };
}

function deployRequest({ checked, isSet }: InputChecks): DeployRequest {
  const digest = checked("expect-digest", "", parseDigest);
  return {
    limits: {
      timeoutMs: checked("timeout", defaultLimits.timeoutMs, parseDuration),
      noProgressMs: checked("no-progress-timeout", undefined, parseDuration),
      concurrency: checked("concurrency", defaultLimits.concurrency, parseCount),
    },
    policy: {
      allowDelete: checked("allow-delete", [], parseProtectedKinds),
      conflicts: {
        force: checked("conflicts", "fail", parseChoice(["fail", "force"])) === "force",
        takeover: readInputLines("takeover"),
      },
      keepRevisions: checked("keep-revisions", undefined, parseCount),
    },
    waitForLock: true,
    onlyStage: undefined,
    expected: digest === "" ? undefined : expectDigest(digest),
    adopt: isSet("adopt"),
    allowOutsideNamespace: isSet("allow-outside-namespace"),
    allowIrreversible: isSet("allow-irreversible"),
    allowFailed: isSet("allow-failed"),
    runsHooks: true,
    whenOlder: whenOlder(isSet("allow-older")),
    keepReleases: checked("keep-releases", undefined, parseCount),
    onFailure: checked("on-failure", "keep", parseChoice(["keep", "rollback"])),
    overrideFreeze: getInput("override-freeze") || undefined,
  };
}

/**
 * Returns the policy for a commit that is older than the current release. A user who restarts a run
 * wants its commit, so qvs reports an error. Any other run with an older commit is late and yields.
 */
function whenOlder(isAllowed: boolean): DeployRequest["whenOlder"] {
  if (isAllowed) return "allow";
  return Number(process.env.GITHUB_RUN_ATTEMPT ?? 1) > 1 ? "refuse" : "supersede";
}

/**
 * Reads which deployments are chosen, and the inputs that replace fields of their entries. Globs
 * and parameter files are relative to the directory of the list.
 */
function readDeployments(
  { checked }: InputChecks,
  folder: string | undefined,
): Pick<Inputs, "names" | "choose" | "adjusted"> {
  const names = checked("deployment", [], (text) =>
    text.trimStart().startsWith("[") ? parseNames(text) : readInputLines("deployment"),
  );
  const namespace = checked("namespace", "", parseNamespace);
  const inFolder = (path: string) => (folder === undefined ? path : `${folder}/${path}`);
  return {
    names,
    choose: createChooser({
      globs: readInputLines("config").map(inFolder),
      names: getInput("deployment") === "" ? undefined : names,
    }),
    adjusted: (deployment) => ({
      ...deployment,
      params: [...deployment.params, ...readInputLines("params").map(inFolder)],
      context: getInput("context") || deployment.context,
      namespace: namespace || deployment.namespace,
    }),
  };
}

/** Reads a secret and masks it in the log, also in the encoding that git sends. */
function readSecret(name: string): string {
  const secret = getInput(name);
  if (secret === "") return "";
  setSecret(secret);
  setSecret(Buffer.from(`x-access-token:${secret}`).toString("base64"));
  return secret;
}
