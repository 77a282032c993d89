import { publication } from "../src/model/publication.ts";
import { calling } from "./callers.ts";

/**
 * Returns the text of a tracked file with another place of publication, `OWNER/REPO` or
 * `OWNER/REPO@REF`. Binary files and files that the build writes stay as they are.
 */
export function renamed(path: string, text: string, place: string): string {
  const [repository = "", ref] = place.split("@");
  if (!/^[\w.-]+\/[\w.-]+(?:@[\w./-]+)?$/.test(place))
    throw new Error(`${place} is no OWNER/REPO@REF`);
  if (text.includes("\0") || /^dist\/|package-lock\.json$/.test(path)) return text;
  const owned = withRepository(text, repository);
  if (ref === undefined) return owned;
  if (path === "src/model/publication.ts") return withAction(owned, place);
  if (/^workflows\//.test(path)) return calling(owned, place);
  return /^(?:README\.md|docs\/.*\.md)$/.test(path) ? withReference(owned, repository, ref) : owned;
}

function withRepository(text: string, repository: string): string {
  const owner = (name: string) => name.split("/")[0];
  return text
    .replaceAll(publication.repository, repository)
    .replaceAll(
      `@${owner(publication.repository)}/maintainers`,
      `@${owner(repository)}/maintainers`,
    );
}

function withAction(text: string, action: string): string {
  return text.replace(/action: (?:undefined|"[^"]*") }/, `action: "${action}" }`);
}

function withReference(text: string, repository: string, ref: string): string {
  return text
    .replaceAll(/OWNER\/REPO([\w./-]*)@FULL_COMMIT/g, (_, path) => `${repository}${path}@${ref}`)
    .replaceAll(
      "github.com/OWNER/REPO, revision: FULL_COMMIT",
      `github.com/${repository}, revision: ${ref}`,
    );
}

/**
 * Returns the reason why a release of `tag` in `repository` would have pages that name another
 * place. A release before 1.0.0 moves the tag `v0`, and never `v1`.
 */
export function wrongPublication(
  action: string | undefined,
  repository: string,
  tag: string,
): string | undefined {
  const expected = `${repository}@${tag.split(".")[0]}`;
  return action === expected
    ? undefined
    : `src/model/publication.ts names ${action ?? "no release"}. Run: node scripts/name-publication.ts ${expected}`;
}
