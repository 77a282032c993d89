import { interruptible } from "../cli/interrupt.ts";
import { UserError, userError } from "../errors.ts";
import { annotate } from "../io/github/annotations.ts";
import { type GitHubEvent, readEvent } from "../io/github/event.ts";
import { logLines } from "../io/github/log.ts";
import type { Compiler } from "../ports.ts";
import { openWorld } from "../world.ts";
import type { ActionContext } from "./context.ts";
import { deployEvent } from "./deploy.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { planPullRequest } from "./plan.ts";
import { rollBack } from "./rollback.ts";

/** Inputs and event → one command → outputs. A user's mistake fails the step without a stack trace. */
export async function runAction(env: NodeJS.ProcessEnv, compiler: Compiler): Promise<void> {
  const interrupt = interruptible(process);
  try {
    const inputs = readInputs();
    const context = await openContext(env, inputs, compiler, interrupt.signal);
    try {
      await dispatch(readEvent(env), inputs, context);
    } finally {
      context.world.close();
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    logLines(error.message);
    annotate(error.problems, "error", "QVS");
    process.exitCode = 1;
  } finally {
    interrupt.stop();
  }
}

async function dispatch(event: GitHubEvent, inputs: Inputs, context: ActionContext): Promise<void> {
  const mode: Mode = inputs.mode === "auto" ? modeOf(event, inputs) : inputs.mode;
  switch (mode) {
    case "diff":
      if (event.type !== "pull_request") throw unsupported("diff", "pull_request");
      return planPullRequest(event, inputs, context);
    case "deploy":
      return deployEvent(event, inputs, context);
    case "rollback":
      return rollBack(inputs, context);
  }
}

type Mode = Exclude<Inputs["mode"], "auto">;

function modeOf(event: GitHubEvent, { revision }: Inputs): Mode {
  switch (event.type) {
    case "pull_request":
      return "diff";
    case "push":
      if (event.ref === `refs/heads/${event.defaultBranch}`) return "deploy";
      throw userError(
        `${event.ref} is not the default branch, ${event.defaultBranch}, and only that is deployed by itself`,
        "Limit the workflow to that branch, or set `mode: deploy` to deploy this one as well",
      );
    case "workflow_dispatch":
      return revision === "" ? "deploy" : "rollback";
    case "other":
      throw userError(
        `there is nothing to do on the event ${event.name}`,
        "Run this on pull_request, push or workflow_dispatch, or set the input mode",
      );
  }
}

function unsupported(mode: string, events: string): UserError {
  return userError(`mode ${mode} works on ${events} only`, `Run the workflow on ${events}`);
}

async function openContext(
  env: NodeJS.ProcessEnv,
  inputs: Inputs,
  compiler: Compiler,
  signal: AbortSignal,
): Promise<ActionContext> {
  const {
    GITHUB_SERVER_URL,
    GITHUB_REPOSITORY = "",
    GITHUB_RUN_ID,
    GITHUB_SHA,
    GITHUB_ACTOR,
  } = env;
  const runUrl =
    GITHUB_RUN_ID === undefined
      ? undefined
      : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  const [owner = "", repo = ""] = GITHUB_REPOSITORY.split("/");
  const world = await openWorld({
    directory: env.GITHUB_WORKSPACE ?? process.cwd(),
    env,
    compiler,
    kubeconfig: inputs.kubeconfig,
    signal,
    repositoryName: repo || undefined,
    origin: { commit: GITHUB_SHA, actor: GITHUB_ACTOR, run: runUrl },
    quiet: false,
  });
  return { world, env, runUrl, repository: { owner, repo }, commit: GITHUB_SHA ?? "" };
}
