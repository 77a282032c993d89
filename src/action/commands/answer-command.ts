import type { GitHubClient } from "../../io/github/client.ts";
import {
  canWrite,
  newestPreviewRun,
  type Reaction,
  react,
  startAgain,
  startWorkflow,
} from "../../io/github/comment-commands.ts";
import type { CommentEvent } from "../../io/github/event.ts";
import { answerText, isAbort, mightBeDone } from "../../io/github/explain-refusal.ts";
import { logLines } from "../../io/github/log.ts";
import { openPullRequest } from "../../io/github/pull-request.ts";
import { writeOutputs } from "../../io/github/step-outputs.ts";
import { currentPull } from "../../io/github/workflow-run.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { closest } from "../../model/text/suggest.ts";
import { code, link, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { type ActionContext, openGitHubClient, readRepositoryUrl } from "../context.ts";
import { bestEffortGitHub, emptyToken, explainGitHubErrors } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { requireMerged } from "../pull-requests/require-merged.ts";
import { type CommentCommand, parseCommand } from "./parse-command.ts";
import {
  closedReply,
  failedReply,
  helpReply,
  invalidReply,
  noRunReply,
  rollbackReply,
  runningReply,
  unknownDeploymentReply,
} from "./replies.ts";

/** The permissions of a job that answers commands. */
const permissions = "actions: write, contents: read, pull-requests: write";

/**
 * Answers a command in a comment on a pull request, for users who can push to the repository.
 * It only starts workflows: a preview runs again with its own commit and rights, and a rollback
 * runs in its own workflow with its own approvals. This job needs no credentials for a cluster, and
 * runs and reads nothing from the pull request.
 */
export async function answerCommand(
  event: CommentEvent,
  inputs: Inputs,
  context: ActionContext,
): Promise<void> {
  const command = event.isPullRequest && event.isNew ? parseCommand(event.body) : undefined;
  if (command === undefined) return logLines("The comment has no command for qvs.");
  const client = openGitHubClient(context, inputs);
  if (client === undefined) {
    const { why, fix } = emptyToken(permissions);
    throw userError("invalid-input", why, fix);
  }
  const run: CommandRun = { client, event, inputs, context };
  if (!(await isAllowed(run))) {
    const why = event.isByApp ? "is an app" : "can't push to this repository";
    logLines(`${event.author} ${why}, so qvs ignores the command.`);
    return answer(run, { reaction: "-1" });
  }
  writeOutputs({ command: command.type }, context);
  await bestEffortGitHub("react to the comment", () => react(...target(run), "eyes"));
  try {
    await answer(run, await execute(command, run));
  } catch (error) {
    if (error instanceof UserError) await answer(run, failure(error, context));
    throw error;
  }
}

interface CommandRun {
  readonly client: GitHubClient;
  readonly event: CommentEvent;
  readonly inputs: Inputs;
  readonly context: ActionContext;
}

/** The answer to a command: a reaction, and a comment where a reaction isn't sufficient. */
interface CommandAnswer {
  readonly reaction: Reaction;
  readonly comment?: Markdown;
}

async function isAllowed({ client, event, context }: CommandRun): Promise<boolean> {
  if (event.isByApp) return false;
  return explainGitHubErrors("read the permission of the author", permissions, () =>
    canWrite(client, context.repository, event.author),
  );
}

function target({ client, event, context: { repository } }: CommandRun) {
  return [client, repository, event.commentId] as const;
}

/** Shows an answer. A failed reaction or comment doesn't change the outcome. */
async function answer(run: CommandRun, { reaction, comment }: CommandAnswer): Promise<void> {
  const { client, event, context } = run;
  await bestEffortGitHub("react to the comment", () => react(...target(run), reaction));
  if (comment === undefined) return;
  const { number, commentId: after } = event;
  await bestEffortGitHub("answer the comment", async () => {
    await openPullRequest(client, context.repository, number, { after }).createComment(comment);
  });
}

function failure({ problems }: UserError, { runUrl }: ActionContext): CommandAnswer {
  const what = problems[0]?.what ?? "The command failed";
  const url = runUrl === undefined ? md`The log of the run` : link(md`The run`, runUrl);
  return { reaction: "confused", comment: failedReply(what, url) };
}

function execute(command: CommentCommand, run: CommandRun): Promise<CommandAnswer> {
  switch (command.type) {
    case "help":
      return Promise.resolve({ reaction: "rocket", comment: helpReply });
    case "invalid":
      return Promise.resolve({ reaction: "confused", comment: invalidReply(command.what) });
    case "plan":
      return repeatPreview(run);
    case "rollback":
      return startRollback(command, run);
  }
}

/** Repeats the newest preview of the pull request's current commit. */
async function repeatPreview(run: CommandRun): Promise<CommandAnswer> {
  const { client, event, inputs, context } = run;
  const { repository } = context;
  const workflow = inputs.planWorkflow;
  return explainGitHubErrors("start the preview again", permissions, async () => {
    const { isOpen, ...pull } = await currentPull(client, repository, event.number);
    if (!isOpen) return { reaction: "confused", comment: closedReply(event.number) };
    const readNewest = () => newestPreviewRun(client, repository, workflow, pull);
    const newest = await readNewest();
    if (newest === undefined)
      return { reaction: "confused", comment: noRunReply(workflow, pull.head) };
    const { id, url, isCompleted } = newest;
    if (!isCompleted) return { reaction: "rocket", comment: runningReply(link(md`its run`, url)) };
    await startAgain(client, repository, id, readNewest);
    return { reaction: "rocket" };
  });
}

/**
 * Starts the rollback workflow on the default branch, for a deployment that this branch lists. Its
 * entry names the environment.
 */
async function startRollback(
  { deployment: name, revision }: CommentCommand & { readonly type: "rollback" },
  { client, event, inputs, context }: CommandRun,
): Promise<CommandAnswer> {
  await requireMerged(event.defaultBranch, inputs, context);
  const { world, repository, env } = context;
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const deployment = listed.value.find((each) => each.name === name);
  if (deployment === undefined)
    return { reaction: "confused", comment: unknownReply(name, listed.value) };
  const { environment } = deployment;
  const workflow = inputs.rollbackWorkflow;
  const values = {
    deployment: name,
    // Other runs can end before this one starts. The time shows which release the author meant.
    revision: revision === "previous" ? `previous@${event.createdAt}` : revision,
    ...(environment === undefined ? {} : { environment }),
  };
  await explainGitHubErrors(`start the workflow ${workflow}`, permissions, () =>
    startWorkflow(client, repository, workflow, event.defaultBranch, values).catch(
      (error: unknown) => {
        throw mightBeDone(error) && !isAbort(error) ? unconfirmedStart(workflow, error) : error;
      },
    ),
  );
  const runs = `${readRepositoryUrl(env)}/actions/workflows/${workflow}`;
  const url = link(md`its runs`, runs);
  const { author } = event;
  return {
    reaction: "rocket",
    comment: rollbackReply({ deployment: name, revision, author, environment, url }),
  };
}

/** Returns the error for a workflow that GitHub might have started without confirming it. */
function unconfirmedStart(workflow: string, error: unknown): UserError {
  const answer = answerText(error);
  return new UserError([
    {
      code: "github-api-error",
      where: [],
      what: `GitHub didn't confirm that it started the workflow ${workflow}`,
      facts: answer === undefined ? [] : [{ label: "error", value: answer }],
      fix: `Look at the runs of ${workflow}, and write the command again if none started`,
    },
  ]);
}

/** The most deployments that a reply lists. */
const maxListed = 20;

function unknownReply(name: string, deployments: readonly Deployment[]): Markdown {
  const names = deployments.map((each) => each.name);
  const shown = names.slice(0, maxListed).map(code);
  const more = names.length - shown.length;
  const [first = md`none`, ...others] = shown;
  const list = others.reduce((all, each) => md`${all}, ${each}`, first);
  return unknownDeploymentReply(
    name,
    closest(name, names),
    more > 0 ? md`${list} and ${more} more` : list,
  );
}
