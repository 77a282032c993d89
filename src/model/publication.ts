/**
 * Where this program is published: the only place that decides between "from a clone" and "released".
 * `qvs init`, its workflows and a test of README and docs follow. A release sets `action`, such as
 * `qvs-action/qvs-action@v1`, once that tag and the npm package exist.
 */
export const publication: { readonly action: string | undefined } = { action: undefined };

/** Stands for a repository that contains this program, and a commit of it, until there is a release. */
export const actionPlaceholder = "OWNER/REPO@FULL_COMMIT";

/** Returns the address of the published schemas; undefined: there is none yet. */
export function schemaAddress(): string | undefined {
  const [repository, ref] = publication.action?.split("@") ?? [];
  return ref === undefined
    ? undefined
    : `https://raw.githubusercontent.com/${repository}/${ref}/schema`;
}
