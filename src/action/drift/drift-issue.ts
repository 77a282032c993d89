import type { Issue, Issues } from "../../ports/github.ts";
import { inHtmlComment, md } from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import type { IssueTitle, Markdown } from "../../redaction/shown.ts";
import { isOurs, isSameText } from "../comments/marked-text.ts";

/** What the issue of a deployment has to say. */
export interface WantedIssue {
  /** Which one: no two deployments of a repository have the same. */
  readonly key: string;
  readonly title: IssueTitle;
  readonly text: Markdown;
  /** false: there is nothing to do; no issue is opened then. */
  readonly isOpen: boolean;
}

/** GitHub refuses bodies of more than 65,536 characters; the rest is room for what it counts differently. */
const mostCharacters = 60_000;

/**
 * Keeps one issue for a deployment: found by its marker and author, since anybody can write our marker into an issue; edited in place, not
 * at all where it says the same, closed when there is nothing left, and opened again. One that a person has closed as "not planned" stays
 * closed for as long as it says the same. Returns its address, or undefined where there is none.
 */
export async function keepIssue(issues: Issues, wanted: WantedIssue): Promise<string | undefined> {
  const body = bodyOf(wanted);
  const [oldest, ...duplicates] = await own(issues, await issues.open(), wanted);
  for (const { number } of duplicates) await issues.update(number, body, "closed");
  if (oldest !== undefined) {
    if (wanted.isOpen && isSameText(oldest.body, body)) return oldest.url;
    return (await issues.update(oldest.number, body, wanted.isOpen ? "open" : "closed")).url;
  }
  if (!wanted.isOpen) return undefined;
  const last = (await own(issues, await issues.closed(), wanted)).at(-1);
  if (last === undefined) return (await issues.create(wanted.title, body)).url;
  if (last.isNotPlanned && isSameText(last.body, body)) return last.url;
  return (await issues.update(last.number, body, "open")).url;
}

/** Oldest first. */
async function own(
  issues: Issues,
  all: readonly Issue[],
  wanted: WantedIssue,
): Promise<readonly Issue[]> {
  const author = await issues.author();
  const marker = markerOf(wanted);
  return all
    .filter((issue) => isOurs(issue, author, marker))
    .toSorted((a, b) => a.number - b.number);
}

function bodyOf(wanted: WantedIssue): Markdown {
  const { kept, missing } = cutLines(wanted.text, (text) => text.length, mostCharacters);
  const end = missing === 0 ? md`` : md`\n\n… and more, which the summary of the run shows`;
  return md`${markerOf(wanted)}\n${kept}${end}\n`;
}

function markerOf({ key }: WantedIssue): Markdown {
  return md`<!-- qvs-action:drift v1 ${inHtmlComment(key)} -->`;
}
