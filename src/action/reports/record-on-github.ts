import type { DeployedOutcome, DeployOutcome } from "../../deploying/deploy-outcome.ts";
import type { Announce } from "../../deploying/with-lock.ts";
import {
  type DeploymentStatus,
  type GitHubDeployments,
  type ListedDeployment,
  openDeployments,
} from "../../io/github/deployments.ts";
import { isMissingPermission } from "../../io/github/explain-refusal.ts";
import { containerImages, podSpecOf } from "../../model/cluster/pods.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Release } from "../../model/deployments/release.ts";
import { isObject, type JsonObject, textAt } from "../../model/json.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { ActionContext, GitHubAccess } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { applicationUrl } from "./count-outputs.ts";

/**
 * Deploys and records it on GitHub, as a GitHub deployment of the environment with statuses
 * (docs/integrate/github-deployments.md).
 */
export interface GitHubRecorder {
  /** False if an input or a missing token disables the records. */
  readonly isOn: boolean;
  recordRun(
    deployment: Deployment,
    deploy: (announce: Announce | undefined) => Promise<DeployOutcome>,
  ): Promise<DeployOutcome>;
  /** Marks the GitHub deployments of a deleted deployment as inactive. */
  deleted(deployment: Deployment): void;
  /** Resolves after the last record. A deployment never waits for GitHub's answers. */
  flush(): Promise<void>;
}

export function recordOnGitHub(
  inputs: Pick<Inputs, "githubDeployments" | "environmentUrl" | "token">,
  context: Pick<ActionContext, keyof GitHubAccess | "repository" | "commit" | "runUrl">,
): GitHubRecorder {
  const client = inputs.githubDeployments
    ? openOptionalClient(recordOutput, context, inputs)
    : undefined;
  if (client === undefined) {
    const flush = async () => undefined;
    const recordRun: GitHubRecorder["recordRun"] = (_, deploy) => deploy(undefined);
    return { isOn: false, recordRun, deleted: () => undefined, flush };
  }
  const { commit, runUrl } = context;
  const { environmentUrl } = inputs;
  return createRecorder(openDeployments(client, context.repository), {
    commit,
    runUrl,
    environmentUrl,
  });
}

const recordOutput = {
  doing: "record the deployments on GitHub",
  permissions: "deployments: write",
  unless: "github-deployments: false",
};

export function createRecorder(
  github: GitHubDeployments,
  { commit: ref, runUrl: logUrl, environmentUrl: fixedUrl }: RunFacts,
): GitHubRecorder {
  const pending: Promise<void>[] = [];
  const send = createQueue();
  return {
    isOn: true,
    flush: async () => void (await Promise.all(pending)),
    deleted: (deployment) => {
      const environment = deployment.environment ?? deployment.name;
      const end = () => endPrevious(github, environment, deployment, undefined, "Deleted");
      pending.push(send(deployment.name, end));
    },
    recordRun: async (deployment, deploy) => {
      const environment = deployment.environment ?? deployment.name;
      let started: Promise<number | undefined> = Promise.resolve(undefined);
      let environmentUrl: string | undefined;
      const begin = async (release: Release, plan: Plan) => {
        let id: number | undefined;
        const description = describe(release);
        const { environmentOf } = deployment;
        environmentUrl = environmentOf?.url ?? fixedUrl ?? applicationUrl(plan);
        await send(deployment.name, async () => {
          const payload = deploymentPayload(deployment, release, plan);
          id = await github.create({
            ref: environmentOf?.recorded.head ?? ref,
            environment,
            task: taskOf(deployment),
            description,
            payload,
            isTransient: environmentOf !== undefined,
          });
          await github.setStatus(id, { state: "in_progress", description, logUrl });
        });
        return id;
      };
      const end = async (status: Pick<DeploymentStatus, "state" | "description">) => {
        // A later `begun` is another GitHub deployment.
        const id = await started;
        if (id === undefined) return;
        await send(deployment.name, async () => {
          await github.setStatus(id, { ...status, logUrl, environmentUrl });
          if (status.state === "success") await endPrevious(github, environment, deployment, id);
        });
      };
      try {
        const outcome = await deploy((release, plan) => {
          started = begin(release, plan);
        });
        pending.push(end(outcomeStatus(outcome)));
        const back = rollbackAfterFailure(outcome);
        if (back !== undefined) {
          started = begin(back.release, back.plan);
          pending.push(end(outcomeStatus(back)));
        }
        return outcome;
      } catch (error) {
        pending.push(
          end({ state: "error", description: "Stopped by an error: see the log of the run" }),
        );
        throw error;
      }
    },
  };
}

interface RunFacts extends Pick<ActionContext, "commit" | "runUrl"> {
  readonly environmentUrl: string | undefined;
}

/**
 * Returns a function that runs updates one at a time. After a permission error it skips the rest,
 * because one warning is enough.
 */
function createQueue(): (name: string, work: () => Promise<void>) => Promise<void> {
  let isAllowed = true;
  let last = Promise.resolve();
  const attempt = async (work: () => Promise<void>) => {
    if (!isAllowed) return;
    try {
      await work();
    } catch (error) {
      if (isMissingPermission(error)) isAllowed = false;
      throw error;
    }
  };
  return (name, work) => {
    const doing = `record the deployment ${name} on GitHub`;
    last = last.then(() => bestEffortGitHub(doing, () => attempt(work), recordOutput.permissions));
    return last;
  };
}

function describe({ revision, rollbackOf }: Release): string {
  return rollbackOf === undefined
    ? `Release ${revision}`
    : `Release ${revision} (rollback to release ${rollbackOf})`;
}

function outcomeStatus(outcome: DeployOutcome): Pick<DeploymentStatus, "state" | "description"> {
  if (outcome.type === "superseded") return { state: "inactive", description: "Superseded" };
  const { release, result, superseded } = outcome;
  const what = describe(release);
  if (superseded !== undefined) {
    return { state: "inactive", description: `${what} was superseded by a newer run` };
  }
  if (result.succeeded) return { state: "success", description: what };
  const how = endingText(result);
  return { state: "failure", description: `${what} ${how}${currentReleaseText(outcome)}` };
}

function endingText({ stopped }: DeployedOutcome["result"]): string {
  if (stopped === undefined) return "failed";
  return stopped === "cancelled" ? "was canceled" : `was stopped: ${stopped}`;
}

/**
 * Returns the release of a rollback after a failure. Like any rollback, it is a GitHub deployment
 * of its own.
 */
function rollbackAfterFailure(outcome: DeployOutcome): DeployedOutcome | undefined {
  if (outcome.type === "superseded" || outcome.wentBack?.type !== "went back") return undefined;
  return outcome.wentBack.outcome.isNewRelease ? outcome.wentBack.outcome : undefined;
}

/** Describes the current release, for readers of a failed GitHub deployment. */
function currentReleaseText({ wentBack }: DeployedOutcome): string {
  if (wentBack?.type !== "went back") return "";
  const { release, result } = wentBack.outcome;
  const now = describe(release).replace(/^R/, "r");
  return result.succeeded
    ? `; ${now} is current now`
    : `; the rollback to release ${wentBack.to} failed too`;
}

/**
 * Returns the payload. The next run uses it to find the GitHub deployments of the same qvs
 * deployment.
 */
function deploymentPayload(
  { name, namespace }: Deployment,
  release: Release,
  plan: Plan,
): JsonObject {
  const images = plan.changes.flatMap(({ desired }) => {
    const spec = podSpecOf(desired)?.spec;
    return spec === undefined ? [] : containerImages(spec);
  });
  return {
    qvs: name,
    namespace,
    release: release.revision,
    ...(release.rollbackOf === undefined ? {} : { rollbackOf: release.rollbackOf }),
    planDigest: plan.digest,
    images: [...new Set(images)].toSorted().slice(0, maxImages),
  };
}

const maxImages = 50;

/** Returns the task of the GitHub deployments of a deployment, by which GitHub lists them. */
function taskOf({ name }: Deployment): string {
  return `deploy:${name}`;
}

/**
 * Marks the previous active GitHub deployments of the deployment as inactive. It stops at the first
 * inactive one, because older ones are inactive too.
 */
async function endPrevious(
  github: GitHubDeployments,
  environment: string,
  deployment: Deployment,
  current: number | undefined,
  description = "Another release is current",
): Promise<void> {
  const all = await github.list(environment, taskOf(deployment));
  const previous = all.filter(
    (each) => (current === undefined || each.id < current) && isOf(deployment, each),
  );
  for (const { id } of previous) {
    const state = await github.stateOf(id);
    if (state === "inactive") return;
    if (state !== "success" && state !== "in_progress") continue;
    await github.setStatus(id, { state: "inactive", description, logUrl: undefined });
  }
}

/** Reports whether a GitHub deployment is one of this qvs deployment. */
function isOf({ name }: Deployment, { payload }: ListedDeployment): boolean {
  return isObject(payload) && textAt(payload, "qvs") === name;
}
