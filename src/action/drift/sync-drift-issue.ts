import type { Issue, Issues } from "../../ports/github.ts";
import { encodeHtmlComment, md } from "../../redaction/markdown.ts";
import { cutLines } from "../../redaction/own-markdown.ts";
import type { IssueTitle, Markdown } from "../../redaction/shown.ts";
import { isOwnText, isSameText } from "../comments/marked-text.ts";

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
