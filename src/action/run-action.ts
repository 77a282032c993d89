import { getInput } from "@actions/core";
import { moduleToken } from "../io/git/modules/token.ts";
import { annotate } from "../io/github/annotations.ts";
import { createSilenceBudget } from "../io/github/bounded-fetch.ts";
import { newestAtGitHub, relationAtGitHub } from "../io/github/branch.ts";
import { type GitHubEvent, readEvent } from "../io/github/event.ts";
import { createIdTokenIssuer } from "../io/github/id-token-issuer.ts";
import { hideInLog, logLines, mask } from "../io/github/log.ts";
import { interruptible } from "../io/terminal/interrupt.ts";
import { isCancellation, UserError } from "../model/problems/errors.ts";
import { describeAllForGitHub } from "../model/problems/problem-text.ts";
import type { Compiler } from "../ports/cue.ts";
import { type SentSecrets, sentSecrets } from "../redaction/sent-secrets.ts";
import { alreadyWrittenText } from "../report/outcome-report.ts";
import { openWorld } from "../world/open-world.ts";
import { type ActionTask, chooseTask } from "./choose-task.ts";
import { answerCommand } from "./commands/answer-command.ts";
import { commentForWorkflowRun } from "./comments/comment-for-workflow-run.ts";
import { commentOnPlans } from "./comments/comment-on-plans.ts";
import { type ActionContext, openGitHubClient, type RunContext } from "./context.ts";
import { deployEvent } from "./deploy-event.ts";
import { reportDrift } from "./drift/report-drift.ts";
import { runEnvironments } from "./environments/run-environments.ts";
import { sweepPullRequests } from "./environments/sweep.ts";
import type { Inputs } from "./inputs/inputs.ts";
import { kubeconfigWarnings } from "./inputs/kubeconfig-input.ts";
import { readInputs } from "./inputs/read-inputs.ts";
import { receiverFor, receiverSecrets, webhookWarnings } from "./inputs/webhook-input.ts";
import { listChanged } from "./list-changed.ts";
import { failedRunNotification } from "./notifications/create-notifications.ts";
import { sendNotifications } from "./notifications/send-notifications.ts";
import { planPullRequest } from "./plan-pull-request.ts";
import { previewLogins } from "./pull-requests/preview-logins.ts";
import { requireMerged } from "./pull-requests/require-merged.ts";
import { reportResults } from "./reports/report-results.ts";
import { rollBack } from "./roll-back.ts";

/**
 * Reads the inputs and the event, runs the task and writes the outputs. A user error fails the step
 * without a stack trace. Returns true if the run was canceled.
 */
export async function runAction(
  env: NodeJS.ProcessEnv,
  compiler: Compiler,
  sent: SentSecrets = sentSecrets(mask),
): Promise<boolean> {
  const interrupt = interruptible(process);
  let hasChanged = () => false;
  const showAgain = hideInLog(process, sent);
  try {
    const given = readInputs();
    annotate(kubeconfigWarnings(getInput("kubeconfig")), "warning", "QVS");
    openWebhook(env, sent);
    const event = readEvent(env);
    const inputs = { ...given, webhook: receiverFor(event, given.webhook) };
    const task = chooseTask(event, inputs);
    // The task needs no checkout, and must not read it.
    if (task.mode === "comment")
      await comment(task.event, inputs, createRunContext(env, sent, interrupt.signal));
    else {
      const context = await openContext(
        createRunContext(env, sent, interrupt.signal),
        inputs,
        compiler,
        event,
      );
      hasChanged = context.world.hasChanged;
      try {
        await dispatch(event, task, inputs, context);
      } catch (error) {
        const failed = { ...context, mode: task.mode, event, inputs };
        await sendNotifications(() => failedRunNotification(error, failed), inputs, context);
        throw error;
      } finally {
        context.world.close();
      }
    }
  } catch (error) {
    reportRunError(error, interrupt.signal, hasChanged());
  } finally {
    interrupt.stop();
    showAgain();
  }
  return interrupt.signal.aborted;
}

/**
 * Hides the address and the key of the webhook in the output, and from the programs that qvs
 * starts. Warns about an address that qvs can't use.
 */
function openWebhook(env: NodeJS.ProcessEnv, sent: SentSecrets): void {
  const address = getInput("webhook-url");
  for (const secret of receiverSecrets(address, getInput("webhook-secret"))) sent.add(secret);
  annotate(webhookWarnings(address), "warning", "QVS");
  for (const name of ["WEBHOOK-URL", "WEBHOOK-SECRET"])
    Reflect.deleteProperty(env, `INPUT_${name}`);
}

type CommentTask = ActionTask & { readonly mode: "comment" };

async function dispatch(
  event: GitHubEvent,
  task: Exclude<ActionTask, CommentTask>,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  switch (task.mode) {
    case "nothing":
      return logLines(task.because);
    case "command":
      return answerCommand(task.event, inputs, context);
    case "environment":
      return runEnvironments(inputs, context);
    case "sweep":
      await requireMerged(task.branch, inputs, context);
      return sweepPullRequests(inputs, context);
    case "diff":
      return planPullRequest(task.event, inputs, context);
    case "list":
      return listChanged(task.event, inputs, context);
    case "report":
      return reportResults(event, inputs, context);
    case "deploy":
      await requireMerged(task.branch, inputs, context);
      return deployEvent(event, inputs, context);
    case "rollback":
      await requireMerged(task.branch, inputs, context);
      return rollBack(inputs, context);
    case "drift":
      await requireMerged(task.branch, inputs, context);
      return reportDrift(inputs, context);
  }
}

function comment(event: CommentTask["event"], inputs: Inputs, context: RunContext): Promise<void> {
  return event.type === "workflow_run"
    ? commentForWorkflowRun(event, inputs, context)
    : commentOnPlans(event, inputs, context);
}

function createRunContext(
  env: NodeJS.ProcessEnv,
  sent: SentSecrets,
  signal: AbortSignal,
): RunContext {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY = "", GITHUB_RUN_ID, GITHUB_SHA } = env;
  const runUrl =
    GITHUB_RUN_ID === undefined
      ? undefined
      : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  const [owner = "", repo = ""] = GITHUB_REPOSITORY.split("/");
  const commit = GITHUB_SHA ?? "";
  const silence = createSilenceBudget();
  return { env, sent, runUrl, repository: { owner, repo }, commit, signal, silence };
}

async function openContext(
  run: RunContext,
  inputs: Inputs,
  compiler: Compiler,
  event: GitHubEvent,
): Promise<ActionContext> {
  const { env, sent, repository, runUrl } = run;
  const client = openGitHubClient(run, inputs);
  const world = await openWorld({
    directory: env.GITHUB_WORKSPACE ?? process.cwd(),
    // Everyone can see the preview of a pull request, so it must only contain committed files.
    read: "commit",
    env,
    streams: process,
    compiler,
    kubeconfig: inputs.kubeconfig,
    idTokens: inputs.server && { ...inputs.server, issue: createIdTokenIssuer(env, { sent }) },
    modulesToken: moduleToken(inputs.modulesToken, inputs.modulesHost, env),
    logins: previewLogins(event),
    sent,
    signal: run.signal,
    repositoryName: repository.repo || undefined,
    origin: { commit: env.GITHUB_SHA, actor: env.GITHUB_ACTOR, run: runUrl },
    folder: inputs.folder,
    relationAtHost:
      client && ((commit, other) => relationAtGitHub(client, repository, commit, other)),
    newestAtHost: client && ((branch) => newestAtGitHub(client, repository, branch)),
    quiet: false,
  });
  return { ...run, world };
}

/** Fails the step for a user error or a cancellation. Rethrows any other error as a bug. */
export function reportRunError(error: unknown, signal: AbortSignal, hasChanged: boolean): void {
  if (isCancellation(error, signal))
    logLines(`The run was canceled. ${hasChanged ? alreadyWrittenText : "Nothing was changed"}.`);
  else if (!(error instanceof UserError)) throw error;
  else {
    logLines(describeAllForGitHub(error.problems));
    annotate(error.problems, "error", "QVS");
  }
  process.exitCode = 1;
}
