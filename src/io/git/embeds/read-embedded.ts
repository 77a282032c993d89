import type { EmbeddedFiles } from "../../../ports/cue.ts";
import { embedLimit, readLimit } from "../../cue/root-files.ts";
import type { TreeEntry } from "../list-tree.ts";
import type { CommitListing, ObjectRepository } from "../repository.ts";
import { findEmbedded } from "./find-embedded.ts";

/** Reads only those files of a commit that the CUE files of a directory embed. */
export async function readEmbedded(
  repository: Pick<ObjectRepository, "readSmall">,
  commit: string,
  folder: string,
  texts: ReadonlyMap<string, string>,
  listing: CommitListing,
): Promise<EmbeddedFiles> {
  const found = findEmbedded(folder, texts, listing);
  const entries = [...found.values()].filter((entry) => entry !== "outside");
  // One file can have several names, through links.
  const distinct = new Map(entries.map((entry): [string, TreeEntry] => [entry.path, entry]));
  const limits = { largest: embedLimit, most: readLimit };
  const contents = await repository.readSmall(commit, [...distinct.values()], limits);
  const embedded = [...found].map(
    ([path, entry]): [string, Uint8Array | "outside" | "too large"] => {
      if (entry === "outside") return [path, entry];
      const content = contents.get(entry.path);
      // A copy, because a worker would receive the whole buffer that the content is a part of.
      return [path, content === undefined ? "too large" : Uint8Array.from(content)];
    },
  );
  return new Map(embedded);
}
