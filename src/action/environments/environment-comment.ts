import type { PullRequest } from "../../ports/github.ts";
import { code, encodeHtmlComment, escapeText, link, md } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { isOwnText, isSameText } from "../comments/marked-text.ts";

/** The state of one environment, for the comment. */
export interface ShownEnvironment {
  /** The name of its deployment. */
  readonly name: string;
  readonly state: "ready" | "failed" | "blocked" | "deleted" | "kept";
  /** A sentence without a period; undefined if the state says everything. */
  readonly detail?: string | undefined;
  readonly url?: string | undefined;
}

const words = {
  ready: md`✅ ready`,
  failed: md`🛑 failed`,
  blocked: md`🛑 not created`,
  deleted: md`deleted`,
  kept: md`⚠️ not deleted`,
} as const;

/** Renders the comment about the environments of a pull request. */
export function renderEnvironments(
  environments: readonly ShownEnvironment[],
  {
    commit,
    runUrl,
  }: { readonly commit?: string | undefined; readonly runUrl?: string | undefined },
): Markdown {
  const lines = environments.map(environmentLine);
  const facts = [
    ...(commit === undefined ? [] : [md`commit ${code(commit.slice(0, 12))}`]),
    ...(runUrl === undefined ? [] : [link(md`run`, runUrl)]),
  ];
  const footer = facts.length === 0 ? [] : [md``, md`<sub>${joined(facts, " · ")}</sub>`];
  return joined([md`### Preview environment`, md``, ...lines, ...footer], "\n");
}

function environmentLine({ name, state, detail, url }: ShownEnvironment): Markdown {
  const address = url === undefined ? md`` : md`: ${link(escapeText(url), url)}`;
  const why = detail === undefined ? md`` : md` (${escapeText(detail)})`;
  return md`- ${code(name)} ${words[state]}${address}${why}`;
}

/** The deployment list and the text of a comment. */
interface EnvironmentComment {
  /** The path of the list. Two lists of a repository have one comment each. */
  readonly list: string;
  readonly text: Markdown;
  /** False to only update an existing comment. */
  readonly create: boolean;
}

/**
 * Keeps one comment about environments on a pull request, in addition to the one of previews.
 * It finds the comment by its marker and its author. Returns its address, or undefined without one.
 */
export async function syncEnvironmentComment(
  pullRequest: PullRequest,
  { list, text, create }: EnvironmentComment,
): Promise<string | undefined> {
  const marker = md`<!-- qvs-action:environments v1 ${encodeHtmlComment(list)} -->`;
  const body = joined([marker, text], "\n");
  const [author, comments] = await Promise.all([pullRequest.author(), pullRequest.comments()]);
  const own = comments.find((comment) => isOwnText(comment, author, marker));
  if (own === undefined) return create ? (await pullRequest.createComment(body)).url : undefined;
  if (!isSameText(own.body, body)) await pullRequest.updateComment(own.id, body);
  return own.url;
}
