import { code, escapeText, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { InvalidCommand } from "./parse-command.ts";

/** The comments with which qvs answers commands. They quote user input only through encoders. */

export const helpReply = md`**Commands**

- \`/qvs plan\` previews this pull request again.
- \`/qvs rollback DEPLOYMENT [REVISION]\` applies an earlier release again. \`REVISION\` is a number or \`previous\` (default).
- \`/qvs help\` shows this list.

Users who can push to this repository can use them.`;

export function invalidReply(what: InvalidCommand): Markdown {
  return md`**${faultText(what)}**

${helpReply}`;
}

function faultText(what: InvalidCommand): Markdown {
  switch (what.fault) {
    case "unknown":
      return what.suggestion === undefined
        ? md`There is no command ${code(what.word)}.`
        : md`There is no command ${code(what.word)}. Did you mean ${code(what.suggestion)}?`;
    case "too many words":
      return md`Unexpected word ${code(what.word)}.`;
    case "no deployment":
      return md`\`/qvs rollback\` needs the name of a deployment.`;
    case "invalid revision":
      return md`${code(what.word)} isn't a release. Write its number or \`previous\`.`;
  }
}

export function unknownDeploymentReply(
  name: string,
  suggestion: string | undefined,
  listed: Markdown,
): Markdown {
  const meant = suggestion === undefined ? md`` : md` Did you mean ${code(suggestion)}?`;
  return md`**There is no deployment ${code(name)} on the default branch.**${meant}

Deployments: ${listed}`;
}

export function rollbackReply(start: {
  readonly deployment: string;
  readonly revision: string;
  readonly author: string;
  readonly environment: string | undefined;
  readonly url: Markdown;
}): Markdown {
  const { deployment, revision, author, environment, url } = start;
  const isPrevious = revision === "previous";
  const to = isPrevious ? md`the previous release` : md`release ${code(revision)}`;
  const unless = isPrevious
    ? md` It changes nothing if the current release is a rollback, or newer than the comment.`
    : md``;
  const approval =
    environment === undefined
      ? md``
      : md` It runs in the environment ${code(environment)}, whose protection rules apply.`;
  return md`**Rollback of ${code(deployment)} to ${to} started**, as ${code(author)} requested: ${url}.${unless}${approval}`;
}

export function noRunReply(workflow: string, commit: string): Markdown {
  return md`**There is no preview to repeat**: no run of ${code(workflow)} exists for commit ${code(commit.slice(0, 12))}.

Push a commit, or close and reopen the pull request. If the workflow has another name, set the input \`plan-workflow\` of command.yml.`;
}

export function runningReply(url: Markdown): Markdown {
  return md`The preview of this commit is already running: ${url}.`;
}

export function closedReply(number: number): Markdown {
  return md`Pull request #${number} is closed, so qvs doesn't preview it.`;
}

export function failedReply(what: string, url: Markdown): Markdown {
  return md`**${escapeText(what)}.** ${url} shows the reason.`;
}
