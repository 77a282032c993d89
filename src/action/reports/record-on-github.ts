import {
  type DeploymentStatus,
  deploymentsOf,
  type GitHubDeployments,
  type ListedDeployment,
} from "../../io/github/deployments.ts";
import { isMissingPermission } from "../../io/github/refusal.ts";
import { urlAnnotation } from "../../model/annotations.ts";
import { containerImages, podSpecOf } from "../../model/cluster/pods.ts";
import type { Deployment } from "../../model/deployment.ts";
import { isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import type { Plan } from "../../model/plan.ts";
import type { Release } from "../../model/release.ts";
import type { DeployedOutcome, DeployOutcome } from "../../runs/deploy-outcome.ts";
import { bestEffortGitHub, clientToWrite } from "../best-effort-github.ts";
import type { ActionContext, ToAskGitHub } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";

type Announce = (release: Release, plan: Plan) => void;

/**
 * Deploys and records it on GitHub, as a GitHub deployment of the environment with statuses
 * (docs/integrate/github-deployments.md).
 */
export interface OnGitHub {
  around(
    deployment: Deployment,
    deploy: (announce: Announce | undefined) => Promise<DeployOutcome>,
  ): Promise<DeployOutcome>;
  /** Marks the GitHub deployments of a deleted deployment as inactive. */
  deleted(deployment: Deployment): void;
  /** Resolves after the last record. A deployment never waits for GitHub's answers. */
  told(): Promise<void>;
}

export function recordOnGitHub(
  inputs: Pick<Inputs, "githubDeployments" | "environmentUrl" | "token">,
  context: Pick<ActionContext, keyof ToAskGitHub | "repository" | "commit" | "runUrl">,
): OnGitHub {
  const client = inputs.githubDeployments ? clientToWrite(toRecord, context, inputs) : undefined;
  if (client === undefined) {
    const told = async () => undefined;
    return { around: (_, deploy) => deploy(undefined), deleted: () => undefined, told };
  }
  const { commit, runUrl } = context;
  const { environmentUrl } = inputs;
  return recordThrough(deploymentsOf(client, context.repository), {
    commit,
    runUrl,
    environmentUrl,
  });
}

const toRecord = {
  doing: "record the deployments on GitHub",
  permissions: "deployments: write",
  unless: "github-deployments: false",
};

export function recordThrough(
  github: GitHubDeployments,
  { commit: ref, runUrl: logUrl, environmentUrl: fixedUrl }: RunFacts,
): OnGitHub {
  const telling: Promise<void>[] = [];
  const tell = oneByOne();
  return {
    told: async () => void (await Promise.all(telling)),
    deleted: (deployment) => {
      const environment = deployment.environment ?? deployment.name;
      const end = () => endFormer(github, environment, deployment, undefined, "Deleted");
      telling.push(tell(deployment.name, end));
    },
    around: async (deployment, deploy) => {
      const environment = deployment.environment ?? deployment.name;
      let begun: Promise<number | undefined> = Promise.resolve(undefined);
      let environmentUrl: string | undefined;
      const begin = async (release: Release, plan: Plan) => {
        let id: number | undefined;
        const description = describe(release);
        environmentUrl = fixedUrl ?? urlIn(plan);
        await tell(deployment.name, async () => {
          const payload = payloadOf(deployment, release, plan);
          id = await github.create({ ref, environment, description, payload });
          await github.setStatus(id, { state: "in_progress", description, logUrl });
        });
        return id;
      };
      const end = async (status: Pick<DeploymentStatus, "state" | "description">) => {
        // A later `begun` is another GitHub deployment.
        const id = await begun;
        if (id === undefined) return;
        await tell(deployment.name, async () => {
          await github.setStatus(id, { ...status, logUrl, environmentUrl });
          if (status.state === "success") await endFormer(github, environment, deployment, id);
        });
      };
      try {
        const outcome = await deploy((release, plan) => {
          begun = begin(release, plan);
        });
        telling.push(end(statusOf(outcome)));
        const back = releaseAfterFailure(outcome);
        if (back !== undefined) {
          begun = begin(back.release, back.plan);
          telling.push(end(statusOf(back)));
        }
        return outcome;
      } catch (error) {
        telling.push(
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
function oneByOne(): (name: string, work: () => Promise<void>) => Promise<void> {
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
    last = last.then(() => bestEffortGitHub(doing, () => attempt(work), toRecord.permissions));
    return last;
  };
}

function describe({ revision, rollbackOf }: Release): string {
  return rollbackOf === undefined
    ? `Release ${revision}`
    : `Release ${revision} (rollback to release ${rollbackOf})`;
}

function statusOf(outcome: DeployOutcome): Pick<DeploymentStatus, "state" | "description"> {
  if (outcome.type === "superseded") return { state: "inactive", description: "Superseded" };
  const { release, result, superseded } = outcome;
  const what = describe(release);
  if (superseded !== undefined) {
    return { state: "inactive", description: `${what} was superseded by a newer run` };
  }
  if (result.succeeded) return { state: "success", description: what };
  const how = howEnded(result);
  return { state: "failure", description: `${what} ${how}${whatRunsAfter(outcome)}` };
}

function howEnded({ stopped }: DeployedOutcome["result"]): string {
  if (stopped === undefined) return "failed";
  return stopped === "cancelled" ? "was canceled" : `was stopped: ${stopped}`;
}

/**
 * Returns the release of a rollback after a failure. Like any rollback, it is a GitHub deployment
 * of its own.
 */
function releaseAfterFailure(outcome: DeployOutcome): DeployedOutcome | undefined {
  if (outcome.type === "superseded" || outcome.wentBack?.type !== "went back") return undefined;
  return outcome.wentBack.outcome.isNewRelease ? outcome.wentBack.outcome : undefined;
}

/** Describes the current release, for readers of a failed GitHub deployment. */
function whatRunsAfter({ wentBack }: DeployedOutcome): string {
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
function payloadOf({ name, namespace }: Deployment, release: Release, plan: Plan): JsonObject {
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
    images: [...new Set(images)].toSorted().slice(0, mostImages),
  };
}

const mostImages = 50;

/** Returns the application's address from the annotation of an object. */
function urlIn({ changes }: Plan): string | undefined {
  const found = changes.map(({ desired }) =>
    textAt(desired, "metadata", "annotations", urlAnnotation),
  );
  return found.find((url) => url !== undefined && /^https?:\/\/[^\s]+$/.test(url));
}

/**
 * Marks the previous active GitHub deployments of the deployment as inactive. It stops at the first
 * inactive one, because older ones are inactive too.
 */
async function endFormer(
  github: GitHubDeployments,
  environment: string,
  { name }: Deployment,
  current: number | undefined,
  description = "Another release is current",
): Promise<void> {
  const all = await github.list(environment);
  const former = all.filter(
    (each) => (current === undefined || each.id < current) && qvsNameOf(each) === name,
  );
  for (const { id } of former) {
    const state = await github.stateOf(id);
    if (state === "inactive") return;
    if (state !== "success" && state !== "in_progress") continue;
    await github.setStatus(id, { state: "inactive", description, logUrl: undefined });
  }
}

/**
 * Returns the qvs deployment in a payload. GitHub returns a payload as it was sent, or as a string.
 */
function qvsNameOf({ payload }: ListedDeployment): string | undefined {
  if (typeof payload !== "string")
    return isObject(payload as Json) ? textAt(payload as Json, "qvs") : undefined;
  try {
    return textAt(JSON.parse(payload) as Json, "qvs");
  } catch {
    return undefined;
  }
}
