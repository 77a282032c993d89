import { interruptible } from "../cli/interrupt.ts";
import { moduleToken } from "../io/git/module-token.ts";
import { type GitHubEvent, readEvent } from "../io/github/event.ts";
import type { Compiler } from "../ports.ts";
import { openWorld } from "../world.ts";
import type { ActionContext } from "./context.ts";
import { deployEvent } from "./deploy.ts";
import { endWith } from "./end-with.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { taskFor } from "./mode.ts";
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
    endWith(error, interrupt.signal);
  } finally {
    interrupt.stop();
  }
}

async function dispatch(event: GitHubEvent, inputs: Inputs, context: ActionContext): Promise<void> {
  const task = taskFor(event, inputs);
  switch (task.mode) {
    case "diff":
      return planPullRequest(task.event, inputs, context);
    case "deploy":
      return deployEvent(event, inputs, context);
    case "rollback":
      return rollBack(inputs, context);
  }
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
    // What a pull request makes us read is shown to everybody, so it must come with the pull request.
    read: "commit",
    env,
    compiler,
    kubeconfig: inputs.kubeconfig,
    modulesToken: moduleToken(inputs.modulesToken, inputs.modulesHost, env),
    signal,
    repositoryName: repo || undefined,
    origin: { commit: GITHUB_SHA, actor: GITHUB_ACTOR, run: runUrl },
    quiet: false,
  });
  return { world, env, runUrl, repository: { owner, repo }, commit: GITHUB_SHA ?? "" };
}
