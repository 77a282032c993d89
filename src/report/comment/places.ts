import type { Position } from "../../model/problem.ts";
import { code, link } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { CommentInput } from "./comment-input.ts";

/** How a place in a file is shown: as a link to it at the commit that is previewed, where the repository has it. */
export type ShowPlace = (position: Pick<Position, "file" | "line">, text?: Markdown) => Markdown;

export function placesAt({
  repositoryUrl,
  headCommit,
}: Pick<CommentInput, "repositoryUrl" | "headCommit">): ShowPlace {
  return ({ file, line }, text = code(`${file}:${line}`)) => {
    if (repositoryUrl === undefined || !isInRepository(file)) return text;
    const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
    return link(text, `${repositoryUrl}/blob/${encodeURIComponent(headCommit)}/${path}#L${line}`);
  };
}

/** Files of modules are those of other repositories, and `..` would lead out of this one. */
function isInRepository(file: string): boolean {
  const isModule = /@[^/]*\//.test(file);
  return (
    file !== "" && !isModule && file.split("/").every((step) => !["", ".", ".."].includes(step))
  );
}
