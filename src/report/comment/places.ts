import type { Position } from "../../model/problems/problem.ts";
import { code, link } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { Review } from "../review/review.ts";

/** How a place in a file is shown: as a link to it at the commit that is previewed, where the repository has it. */
export type ShowPlace = (position: Pick<Position, "file" | "line">, text?: Markdown) => Markdown;

type Repository = Pick<Review, "repositoryUrl" | "headCommit">;

export function placesAt(repository: Repository): ShowPlace {
  const addressOf = addressesAt(repository);
  return ({ file, line }, text = code(`${file}:${line}`)) => {
    const address = addressOf({ file, line });
    return address === undefined ? text : link(text, address);
  };
}

/** Where people read a line; undefined where the repository does not have its file. */
export function addressesAt({ repositoryUrl, headCommit }: Repository) {
  return ({ file, line }: Pick<Position, "file" | "line">): string | undefined => {
    if (repositoryUrl === undefined || !isInRepository(file)) return undefined;
    const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
    return `${repositoryUrl}/blob/${encodeURIComponent(headCommit)}/${path}#L${line}`;
  };
}

/** Files of modules are those of other repositories, and `..` would lead out of this one. */
function isInRepository(file: string): boolean {
  const isModule = /@[^/@]*\//.test(file);
  return (
    file !== "" && !isModule && file.split("/").every((step) => !["", ".", ".."].includes(step))
  );
}
