/**
 * The place where qvs is published. Only this constant decides between "from a clone" and
 * "released". `qvs init`, its workflows and a test of README and docs read it. A release sets
 * `action`, such as `qvs-action/qvs-action@v1`, once that tag and the npm package exist.
 */
export const publication: { readonly action: string | undefined } = { action: undefined };

/**
 * A placeholder for a repository that contains qvs, and a commit of it, until the first release.
 */
export const actionPlaceholder = "OWNER/REPO@FULL_COMMIT";

/** Returns the address of the published schemas; undefined before the first release. */
export function schemaAddress(): string | undefined {
  const [repository, ref] = publication.action?.split("@") ?? [];
  return ref === undefined
    ? undefined
    : `https://raw.githubusercontent.com/${repository}/${ref}/schema`;
}
