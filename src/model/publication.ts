/**
 * The place where qvs is published. Only this constant decides between "from a clone" and
 * "released". `qvs init`, its workflows, the schemas, the site and a test of the pages read it.
 * `node scripts/name-publication.ts OWNER/REPO@REF` writes it, and everything that names the place.
 */
export const publication: {
  /** The repository, such as `acme/qvs-action`. */
  readonly repository: string;
  /**
   * The Action, such as `acme/qvs-action@v0`. Undefined until that tag and the npm package exist.
   */
  readonly action: string | undefined;
} = { repository: "qvs-action/qvs-action", action: undefined };

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
