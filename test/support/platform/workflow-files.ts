import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes a bare repository reject references as GitHub does for a token without the permission
 * `workflows`: a file in .github/workflows must have the same path and content on a branch.
 * Source: the scope `workflow` in docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps.
 */
export function rejectWorkflowFiles(repository: string): void {
  writeFileSync(join(repository, "hooks/update"), hook, { mode: 0o755 });
}

const hook = `#!/bin/sh
for branch in $(git for-each-ref --format="%(refname)" refs/heads); do
  [ "$(git rev-parse "$branch:.github/workflows")" = "$(git rev-parse "$3:.github/workflows")" ] && exit 0
done
echo "refusing to allow a GitHub App to create or update workflow without workflows permission" >&2
exit 1
`;
