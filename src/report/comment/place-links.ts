import { isInRepository, type Position } from "../../model/problems/problem.ts";
import { code, link } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { Review } from "../review/review.ts";

/**
 * Renders a place in a file. If the repository has the file, it is a link to the previewed commit.
 */
export type ShowPlace = (position: Pick<Position, "file" | "line">, text?: Markdown) => Markdown;

type LinkTarget = Pick<Review, "repositoryUrl" | "headCommit">;

export function placeRenderer(repository: LinkTarget): ShowPlace {
  const blobUrl = blobUrlBuilder(repository);
  return ({ file, line }, text = code(`${file}:${line}`)) => {
    const address = blobUrl({ file, line });
    return address === undefined ? text : link(text, address);
  };
}

/** Returns the URL of a line. Undefined if the repository doesn't have the file. */
export function blobUrlBuilder({ repositoryUrl, headCommit }: LinkTarget) {
  return ({ file, line }: Pick<Position, "file" | "line">): string | undefined => {
    if (repositoryUrl === undefined || !hasLines(file)) return undefined;
    const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
    return `${repositoryUrl}/blob/${encodeURIComponent(headCommit)}/${path}#L${line}`;
  };
}

/**
 * Reports whether this repository has the lines of a file.
 * Module files are in other repositories, templates of packed charts are in no file of their own,
 * and `..` would leave this repository.
 */
function hasLines(file: string): boolean {
  const isElsewhere = !isInRepository(file) || file.includes(".tgz/");
  return (
    file !== "" && !isElsewhere && file.split("/").every((step) => !["", ".", ".."].includes(step))
  );
}
