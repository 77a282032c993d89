/**
 * Returns true if a runner reads `uses` from the workspace, where files of a pull request are.
 * `$/PATH` is resolved to the repository and commit of the workflow file, and downloaded like
 * `OWNER/REPO/PATH@REF`.
 * Source: `ResolveSelfRepositoryReferences` in src/Runner.Worker/ActionManager.cs of
 * actions/runner 2.336.0.
 */
export function isInCheckout(uses: string): boolean {
  return uses.startsWith("./");
}
