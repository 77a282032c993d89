import {
  createEnvironment,
  environmentRequest,
} from "../../commands/environments/create-environment.ts";
import {
  deleteEnvironment,
  type EnvironmentList,
} from "../../commands/environments/delete-environment.ts";
import { stateUnknown } from "../../commands/environments/sweep-environments.ts";
import type { DeploymentOutcome } from "../../commands/several/deploy-changed.ts";
import { attempt } from "../../commands/several/run-in-order.ts";
import {
  environmentDeployment,
  type PreviewingDeployment,
  previewingDeployments,
} from "../../config/preview/environment-deployment.ts";
import { readEnvironment } from "../../deploying/queries/read-environments.ts";
import { annotate } from "../../io/github/annotations.ts";
import { dependabotLogin } from "../../io/github/event.ts";
import { logLines } from "../../io/github/log.ts";
import {
  type EventFacts,
  type PullRequestFacts,
  readCurrentFacts,
  readEventFacts,
} from "../../io/github/pull-request-facts.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import {
  environmentName,
  type PreviewTemplate,
} from "../../model/deployments/preview-environment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { openCommitSource } from "../../sources/commit-source.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import type { ActionContext } from "../context.ts";
import { askGitHub } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type GitHubRecorder, recordOnGitHub } from "../reports/record-on-github.ts";
import { environmentOwner, readPermission } from "./environment-owner.ts";
import { recordDeletions, reportEnvironments } from "./report-environments.ts";

/**
 * Creates, updates or deletes the environments of a pull request.
 * The list at the tip of the base branch decides which ones exist. The checked-out commit provides
 * only the content of configs, adapters and params.
 */
export async function runEnvironments(inputs: Inputs, context: ActionContext): Promise<void> {
  const facts = readEventFacts(context.env);
  const refused = refusePullRequest(facts);
  if (refused?.type === "never") return skip(facts, refused.because);
  const entries = await readBaseEntries(facts, inputs, context);
  const owner = environmentOwner(context, inputs, facts.repositoryId);
  const recorder = recordOnGitHub(inputs, context);
  const run: EnvironmentsRun = { inputs, context, entries, owner, recorder, facts };
  const outcomes: DeploymentOutcome[] = [];
  for (const entry of previewingDeployments(entries)) {
    const decided = decideEnvironment(facts, entry.preview, allowedBranches(run));
    if (decided.type === "wanted") outcomes.push(await createOne(run, entry));
    else {
      skip(facts, `${decided.because} (${entry.name})`);
      outcomes.push(...(await deleteOne(run, entry)));
    }
  }
  recordDeletions(outcomes, recorder);
  await recorder.flush();
  await reportEnvironments(facts, outcomes, owner, inputs, context);
}

function baseUnknown(branch: string): UserError {
  return userError(
    "commit-not-found",
    `The checkout doesn't have the branch ${branch}, whose list decides about environments`,
    "Set fetch-depth: 0 for actions/checkout",
  );
}

function skip({ number }: PullRequestFacts, because: string): void {
  logLines(`Pull request #${number} gets no environment: ${because}.`);
}

interface EnvironmentsRun {
  readonly inputs: Inputs;
  readonly context: ActionContext;
  readonly entries: readonly Deployment[];
  readonly owner: EnvironmentList;
  readonly recorder: GitHubRecorder;
  readonly facts: EventFacts;
}

/**
 * Reads the entries at the tip of the base branch, never those of the pull request. The event has
 * the commit of its base at some earlier time.
 */
async function readBaseEntries(
  { baseBranch }: PullRequestFacts,
  inputs: Inputs,
  { world }: ActionContext,
): Promise<readonly Deployment[]> {
  const tip = await world.repository?.tipAtOrigin(baseBranch);
  if (tip === undefined) throw baseUnknown(baseBranch);
  const { tree } = await openCommitSource(world, tip);
  const listed = await listDeployments(tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  return listed.value.map(inputs.adjusted);
}

/** Returns the branches that qvs deploys: the default branch, and the one of the input. */
function allowedBranches({ inputs, facts }: EnvironmentsRun): readonly string[] {
  return [facts.defaultBranch, inputs.branch].filter(
    (name): name is string => name !== undefined && name !== "",
  );
}

async function createOne(
  run: EnvironmentsRun,
  entry: PreviewingDeployment,
): Promise<DeploymentOutcome> {
  const { inputs, context, entries, owner, recorder, facts } = run;
  const { number, head } = facts;
  const deployment = environmentDeployment(entry, entries, { ...owner, number, head });
  const request = environmentRequest(inputs.request);
  const work = () =>
    recorder.recordRun(deployment, (announce) =>
      createEnvironment(context.world, deployment, inputs.inline, request, {
        guard: () => creationGuard(run, entry),
        ...(announce === undefined ? {} : { announce }),
      }),
    );
  const done = await attempt(deployment, work, context.world);
  return done.type === "done" ? { ...done, outcome: done.outcome } : done;
}

/** Returns the reason not to deploy, from the facts that GitHub has now. */
async function creationGuard(
  run: EnvironmentsRun,
  entry: PreviewingDeployment,
): Promise<Problem | undefined> {
  const reply = await askFacts(run);
  const name = environmentName(entry.name, run.facts.number);
  if (!reply.ok)
    throw new UserError([
      stateUnknown(`qvs didn't deploy "${name}"`, run.facts.number, reply.refusal),
    ]);
  const { value: now } = reply;
  const { number } = now;
  const decided = decideEnvironment(now, entry.preview, allowedBranches(run));
  if (decided.type !== "wanted")
    return superseded(
      `"${name}" isn't needed any more`,
      `Pull request #${number}: ${decided.because}`,
    );
  return now.head === run.facts.head
    ? undefined
    : superseded(
        `This run of "${name}" is late`,
        `Pull request #${number} has a newer commit, whose run deploys it`,
      );
}

function superseded(what: string, why: string): Problem {
  const fix = "Nothing to do: this run changed nothing";
  return { code: "run-superseded", where: [], what, why, fix };
}

/** Asks GitHub for the facts now. */
function askFacts({ facts, inputs, context }: EnvironmentsRun) {
  return askGitHub(readPermission, context, inputs, (client) =>
    readCurrentFacts(client, context.repository, facts.number),
  );
}

async function deleteOne(
  run: EnvironmentsRun,
  entry: PreviewingDeployment,
): Promise<readonly DeploymentOutcome[]> {
  const { context, entries, owner, inputs, facts } = run;
  const { number } = facts;
  const {
    name,
    namespace,
    context: place,
  } = environmentDeployment(entry, entries, {
    ...owner,
    number,
  });
  const at = { namespace, context: place };
  const { environments, unreadable } = await readEnvironment(context.world, at, name);
  annotate(unreadable, "warning", "QVS");
  const [found] = environments;
  if (found === undefined) return [];
  const { deployment } = found;
  const work = () =>
    deleteEnvironment(context.world, found, owner, inputs.request, () => deletionGuard(run, entry));
  const done = await attempt(deployment, work, context.world);
  if (done.type !== "done") return [done];
  const { outcome } = done;
  if (outcome.type === "nothing left") return [{ type: "nothing left", deployment }];
  return [{ type: "done", deployment, outcome, deletes: true }];
}

/**
 * Returns the reason to keep an environment. The event can be old: the pull request might be open
 * again. Without an answer of GitHub, only a later sweep deletes it.
 */
async function deletionGuard(
  run: EnvironmentsRun,
  entry: PreviewingDeployment,
): Promise<Problem | undefined> {
  const reply = await askFacts(run);
  const name = environmentName(entry.name, run.facts.number);
  if (!reply.ok) return stateUnknown(`qvs keeps "${name}"`, run.facts.number, reply.refusal);
  const { value: now } = reply;
  return decideEnvironment(now, entry.preview, allowedBranches(run)).type === "wanted"
    ? superseded(`"${name}" is still needed`, `Pull request #${now.number} is open again`)
    : undefined;
}

/** The decision about the environment of a pull request. The reason completes a sentence. */
type EnvironmentDecision =
  | { readonly type: "wanted" }
  /** An environment that exists is deleted. */
  | { readonly type: "unwanted"; readonly because: string }
  /** The pull request can never have an environment. */
  | { readonly type: "never"; readonly because: string };

/** Decides for a whole pull request; undefined if the entries decide. */
function refusePullRequest(facts: PullRequestFacts): EnvironmentDecision | undefined {
  if (!facts.isSameRepository)
    return { type: "never", because: "pull requests from forks get no environment" };
  if (facts.author === dependabotLogin)
    return { type: "never", because: "pull requests of Dependabot get no environment" };
  return undefined;
}

/**
 * Decides whether a pull request has an environment of an entry.
 * Only branches that qvs deploys decide about environments. Anyone who can push could otherwise
 * create a branch with another list, and open a pull request into it.
 */
export function decideEnvironment(
  facts: PullRequestFacts,
  { when, label }: Pick<PreviewTemplate, "when" | "label">,
  branches: readonly string[],
): EnvironmentDecision {
  const refused = refusePullRequest(facts);
  if (refused !== undefined) return refused;
  if (!facts.isOpen) return { type: "unwanted", because: "it is closed" };
  if (!branches.includes(facts.baseBranch))
    return { type: "unwanted", because: `its base branch ${facts.baseBranch} isn't deployed` };
  if (when === "label" && !facts.labels.includes(label))
    return { type: "unwanted", because: `it has no label ${label}` };
  return { type: "wanted" };
}
