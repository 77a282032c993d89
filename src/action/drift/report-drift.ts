import { toProblem } from "../../apply/summarize-run.ts";
import { defaultCorrection, drift } from "../../commands/drift.ts";
import { reconcile } from "../../commands/reconcile.ts";
import { deploymentLevels } from "../../config/deployment-levels.ts";
import { describeCorrection } from "../../deploying/describe-outcome.ts";
import { annotate } from "../../io/github/annotations.ts";
import { openIssues } from "../../io/github/issues.ts";
import { logLines } from "../../io/github/log.ts";
import { writeOutputs, writeSummary } from "../../io/github/step-outputs.ts";
import { isSameText } from "../../io/github/stored-text.ts";
import type { DeployRequest } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { describeAllForGitHub } from "../../model/problems/problem-text.ts";
import type { Issue, Issues } from "../../ports/github.ts";
import type { World } from "../../ports/world.ts";
import { cutLines, encodeHtmlComment, md } from "../../redaction/markdown.ts";
import type { IssueTitle, Markdown } from "../../redaction/shown.ts";
import { type DriftFound, renderDrifts, renderIssue } from "../../report/drift/drift-markdown.ts";
import { driftSentence } from "../../report/drift/drift-text.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { isOwnText } from "../comments/own-comments.ts";
import { type ActionContext, hasCluster } from "../context.ts";
import { bestEffortGitHub, openOptionalClient } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { driftNotification } from "../notifications/create-notifications.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";

/**
 * Reports the drift of each deployment in the summary and in one issue each. Corrects it if the
 * input says so.
 */
export async function reportDrift(inputs: Inputs, context: ActionContext): Promise<void> {
  if (!hasCluster(context, inputs)) throw noCluster();
  const { world } = context;
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const chosen = deploymentLevels(
    inputs.choose(listed.value).map(inputs.adjusted),
    listed.value,
  ).flat();
  const request = correctionRequest(inputs);
  const seen = await drift(world, chosen, request);
  const found: DriftFound[] = [];
  for (const [index, deployment] of chosen.entries()) {
    const one = seen[index];
    if (one === undefined) continue;
    const mayCorrect = inputs.reconcile && one.status === "drifted";
    found.push(mayCorrect ? await correct(world, deployment, inputs) : { drift: one });
  }
  const notifications = () =>
    chosen.flatMap((deployment, index) => {
      const one = found[index];
      return one === undefined ? [] : [driftNotification(deployment, one, context.commit)];
    });
  await Promise.all([
    sendNotifications(notifications, inputs, context),
    syncIssues(chosen, found, inputs, context),
  ]);
  reportFindings(found, inputs, context);
}

/**
 * Corrects the drift of one deployment. Returns the errors of a failed correction, so that the
 * others are still corrected.
 */
async function correct(world: World, deployment: Deployment, inputs: Inputs): Promise<DriftFound> {
  const request = correctionRequest(inputs);
  const { limits } = inputs.request;
  try {
    const done = await reconcile(world, deployment, { ...request, limits });
    if (done.type === "clean") return { drift: { ...done.drift, status: "clean", objects: [] } };
    if (done.type === "superseded") return { drift: done.drift, refused: [done.why] };
    const { result } = done.outcome;
    const corrected = describeCorrection(done.outcome);
    if (result.succeeded) return { drift: done.drift, corrected };
    return { drift: done.drift, refused: result.failures.map(toProblem) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [again] = await drift(world, [deployment], request);
    if (again === undefined) throw error;
    return { drift: { ...again, blockers: [] }, refused: error.problems };
  }
}

function correctionRequest({ request }: Inputs): DeployRequest {
  const { policy, allowOutsideNamespace, allowIrreversible, overrideFreeze } = request;
  const { allowDelete } = policy;
  return {
    ...defaultCorrection,
    ...{ allowOutsideNamespace, allowIrreversible, overrideFreeze },
    policy: { ...defaultCorrection.policy, allowDelete },
  };
}

/**
 * Updates the issues. It skips deployments with an unknown status, because their last report might
 * still be right.
 */
async function syncIssues(
  chosen: readonly Deployment[],
  found: readonly DriftFound[],
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  if (!inputs.issue) return;
  const output = {
    doing: "update the drift issues",
    permissions: "issues: write",
    unless: "issue: false",
  };
  const client = openOptionalClient(output, context, inputs);
  if (client === undefined) return;
  const issues = openIssues(client, context.repository);
  for (const [index, { name }] of chosen.entries()) {
    const one = found[index];
    if (one === undefined || one.drift.status === "unknown") continue;
    const keep = async () => {
      const key = JSON.stringify([name, inputs.commentKey ?? ""]);
      await syncIssue(issues, { key, ...renderIssue(one) });
    };
    await bestEffortGitHub(`update the drift issue of ${name}`, keep, output.permissions);
  }
}

function reportFindings(
  found: readonly DriftFound[],
  inputs: Inputs,
  context: ActionContext,
): void {
  if (inputs.summary) writeSummary(renderDrifts(found), context);
  const isLeft = ({ drift, corrected }: DriftFound) =>
    drift.status === "drifted" && corrected === undefined;
  for (const { drift, corrected } of found) logLines(corrected ?? driftSentence(drift));
  const unknown = found.filter(({ drift }) => drift.status === "unknown");
  const left = found.filter(isLeft).map(({ drift }) => ({
    where: [],
    what: driftSentence(drift),
    fix: `Run this to see the differences: qvs drift -d ${drift.deployment} -n ${drift.namespace}`,
  }));
  const problems = found.flatMap(({ drift, refused = [] }) => [
    ...(drift.status === "unknown" ? drift.blockers : []),
    ...refused,
  ]);
  if (problems.length > 0) logLines(describeAllForGitHub(problems));
  annotate(left, "warning", "QVS");
  annotate(problems, "error", "QVS");
  const isKnown = left.length > 0 || unknown.length === 0;
  writeOutputs({ drifted: isKnown ? left.length > 0 : "" }, context);
  if (problems.length > 0) process.exitCode = 1;
}

function noCluster(): UserError {
  return userError(
    "invalid-input",
    "Mode drift needs access to a cluster",
    "Set the input kubeconfig or server",
  );
}

/** The content of a deployment's issue. */
export interface WantedIssue {
  /** Identifies the issue. It is unique for each deployment of a repository. */
  readonly key: string;
  readonly title: IssueTitle;
  readonly text: Markdown;
  /** False if there is no drift; then no issue is opened. */
  readonly isOpen: boolean;
}

/**
 * The longest text of an issue. GitHub rejects more than 65,536 characters; the margin allows for
 * its different count.
 */
const maxCharacters = 60_000;

/**
 * Keeps one issue for a deployment, found by its marker and author.
 * It checks the author because any user can copy the marker. It edits the issue in place only if
 * the text differs, closes it when no drift is left, and reopens it later. An issue that a user
 * closed as "not planned" stays closed until its text changes. Returns the issue's address, or
 * undefined if there is none.
 */
export async function syncIssue(issues: Issues, wanted: WantedIssue): Promise<string | undefined> {
  const body = issueBody(wanted);
  const [oldest, ...duplicates] = await listOwnIssues(issues, await issues.open(), wanted);
  for (const { number } of duplicates) await issues.update(number, body, "closed");
  if (oldest !== undefined) {
    if (wanted.isOpen && isSameText(oldest.body, body)) return oldest.url;
    return (await issues.update(oldest.number, body, wanted.isOpen ? "open" : "closed")).url;
  }
  if (!wanted.isOpen) return undefined;
  const last = (await listOwnIssues(issues, await issues.closed(), wanted)).at(-1);
  if (last === undefined) return (await issues.create(wanted.title, body)).url;
  if (last.isNotPlanned && isSameText(last.body, body)) return last.url;
  return (await issues.update(last.number, body, "open")).url;
}

/** Returns the qvs issues with the wanted key, oldest first. */
async function listOwnIssues(
  issues: Issues,
  all: readonly Issue[],
  wanted: WantedIssue,
): Promise<readonly Issue[]> {
  const author = await issues.author();
  const marker = issueMarker(wanted);
  return all
    .filter((issue) => isOwnText(issue, author, marker))
    .toSorted((a, b) => a.number - b.number);
}

function issueBody(wanted: WantedIssue): Markdown {
  const { kept, missing } = cutLines(wanted.text, (text) => text.length, maxCharacters);
  const end = missing === 0 ? md`` : md`\n\n… and more in the summary of the run`;
  return md`${issueMarker(wanted)}\n${kept}${end}\n`;
}

function issueMarker({ key }: WantedIssue): Markdown {
  return md`<!-- qvs-action:drift v1 ${encodeHtmlComment(key)} -->`;
}
