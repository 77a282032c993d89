import pLimit from "p-limit";
import { annotate } from "../../io/github/annotations.ts";
import { logLines } from "../../io/github/log.ts";
import { postEvent } from "../../io/http/post-event.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { describeProblem } from "../../model/problems/problem-text.ts";
import { cdEvent } from "../../report/notifications/cd-event.ts";
import type { Notification, NotifiedRun } from "../../report/notifications/notification.ts";
import type { ActionContext } from "../context.ts";
import { abortLater } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";

/** The time in milliseconds for all notifications of a step, with all attempts. */
const timeLimit = 10_000;

/** The number of simultaneous requests to the receiver. */
const parallel = 4;

/**
 * Sends notifications to the receiver in the input webhook-url. Without one, it doesn't create
 * them. A failure is a warning and doesn't change the outcome of the step.
 */
export async function sendNotifications(
  create: () => readonly Notification[],
  { webhook }: Pick<Inputs, "webhook">,
  context: ActionContext,
): Promise<void> {
  if (webhook === undefined) return;
  const all = create();
  if (all.length === 0) return;
  const { env, sent } = context;
  const run = notifiedRun(context);
  const limit = AbortSignal.timeout(timeLimit);
  const signal = AbortSignal.any([limit, abortLater(context.signal)]);
  const slot = pLimit(parallel);
  const post = (each: Notification) =>
    slot(() => postEvent(webhook, sent.hide(cdEvent(each, run)), { env, signal }));
  const failures = (await Promise.all(all.map(post))).filter((why) => why !== undefined);
  const [first] = failures;
  if (first !== undefined) warn(failures.length, all.length, first);
}

function notifiedRun({ env, repository, runUrl, world }: ActionContext): NotifiedRun {
  return {
    server: env.GITHUB_SERVER_URL ?? "https://github.com",
    repository: `${repository.owner}/${repository.repo}`,
    id: env.GITHUB_RUN_ID ?? "0",
    attempt: env.GITHUB_RUN_ATTEMPT ?? "1",
    url: runUrl,
    at: world.clock.now().toISOString(),
  };
}

function warn(failed: number, all: number, why: string): void {
  const warning: Problem = {
    code: "webhook-failed",
    where: [],
    what: `The webhook didn't accept ${failed} of ${all} notifications`,
    facts: [{ label: "error", value: why }],
    fix: "Check the receiver and the secret with its address; the result of the run stays the same",
  };
  logLines(describeProblem(warning, "warning"));
  annotate([warning], "warning", "QVS");
}
