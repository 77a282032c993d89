import { isSameText } from "../../io/github/stored-text.ts";
import type { PullRequest } from "../../ports/github.ts";
import { code, encodeHtmlComment, escapeText, link, md } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { isOwnText } from "../comments/own-comments.ts";

/** The state of one environment, for the comment. */
export interface ShownEnvironment {
  /** The name of its deployment. */
  readonly name: string;
  readonly state: "ready" | "failed" | "blocked" | "deleted" | "kept";
  /** Sentences without a period; none if the state says everything. */
  readonly details?: readonly string[] | undefined;
  readonly url?: string | undefined;
}

type State = ShownEnvironment["state"];

/** The words for the states. They are for the heading and the lines. */
const words: Readonly<Record<State, Markdown>> = {
  failed: md`failed`,
  blocked: md`blocked`,
  kept: md`not deleted`,
  ready: md`ready`,
  deleted: md`deleted`,
};

const icons: Readonly<Record<State, Markdown>> = {
  failed: md`🛑 `,
  blocked: md`🛑 `,
  kept: md`⚠️ `,
  ready: md`✅ `,
  deleted: md``,
};

/** The states, the one that needs attention most first. */
const byUrgency: readonly State[] = ["failed", "blocked", "kept", "ready", "deleted"];

/** Renders the comment about the environments of a pull request. */
export function renderEnvironments(
  environments: readonly ShownEnvironment[],
  {
    commit,
    runUrl,
  }: { readonly commit?: string | undefined; readonly runUrl?: string | undefined },
): Markdown {
  const lines = environments.flatMap(environmentLines);
  const facts = [
    ...(commit === undefined ? [] : [md`Commit ${code(commit.slice(0, 12))}`]),
    ...(runUrl === undefined ? [] : [link(md`run`, runUrl)]),
  ];
  const footer = facts.length === 0 ? [] : [md``, md`<sub>${joined(facts, " · ")}</sub>`];
  return joined([md`## ${verdict(environments)}`, md``, ...lines, ...footer], "\n");
}

/** Returns the heading. It is all that a notification shows. */
function verdict(environments: readonly ShownEnvironment[]): Markdown {
  const byState = Map.groupBy(environments, ({ state }) => state);
  const states = byUrgency.filter((state) => byState.has(state));
  const [worst = "deleted"] = states;
  const [first, ...others] = environments;
  if (first !== undefined && others.length === 0)
    return md`${icons[worst]}Preview environment ${words[worst]}: ${code(first.name)}`;
  const counts = states.map(
    (state) => md`${escapeText(`${byState.get(state)?.length ?? 0}`)} ${words[state]}`,
  );
  return md`${icons[worst]}Preview environments: ${joined(counts, ", ")}`;
}

function environmentLines({
  name,
  state,
  details = [],
  url,
}: ShownEnvironment): readonly Markdown[] {
  const address = url === undefined ? md`` : md`: ${link(escapeText(url), url)}`;
  const own = md`- ${code(name)} ${icons[state]}${words[state]}${address}`;
  return [own, ...details.map((detail) => md`  - ${escapeText(detail)}`)];
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
