/** A fact that only a repository on github.com can show, after the step that prepares it. */
export interface Verification {
  readonly fact: string;
  /** The step of a maintainer in the scratch repository. */
  readonly prepare: string;
  /** The path that `gh api` reads, below the scratch repository. */
  readonly path: string;
  /** Returns true if the answer shows the fact. */
  readonly holds: (answer: unknown) => boolean;
}

/** Returns a verification whose answer has the documented type of GitHub's API. */
function reading<T>(facts: Omit<Verification, "holds">, holds: (answer: T) => boolean) {
  return { ...facts, holds: (answer: unknown) => holds(answer as T) };
}

interface Runs {
  readonly workflow_runs: readonly { readonly conclusion: string | null }[];
}
interface Artifacts {
  readonly artifacts: readonly { readonly workflow_run: { readonly id: number } }[];
}
interface Environments {
  readonly environments: readonly { readonly protection_rules: readonly object[] }[];
}
type Comments = readonly { readonly body: string }[];
type Issues = readonly { readonly title: string }[];

export interface Scratch {
  /** The repository, such as `acme/scratch`. */
  readonly repository: string;
  readonly pullRequest: string;
  /** A qvs deployment with the input `github-deployments`. */
  readonly deployment: string;
}

export type Result = "passed" | "failed" | "not checked";

export function verifications({ pullRequest, deployment }: Scratch): readonly Verification[] {
  const runs = (workflow: string) => `actions/workflows/${workflow}/runs?per_page=20`;
  return [
    reading<Runs>(
      {
        fact: "a reusable workflow calls the Action at its own commit",
        prepare: "Keep the Action in a private repository, share it, and open a pull request.",
        path: runs("plan.yml"),
      },
      ({ workflow_runs: all }) => all.some(succeeded),
    ),
    reading<Comments>(
      {
        fact: "a pull request has one comment",
        prepare: "Push a second commit to the pull request, and restart its first run.",
        path: `issues/${pullRequest}/comments?per_page=100`,
      },
      (all) => all.filter(({ body }) => body.startsWith("<!-- qvs")).length === 1,
    ),
    reading<Artifacts>(
      {
        fact: "a restarted run replaces its page",
        prepare: "Restart the last run of plan.yml.",
        path: "actions/artifacts?name=qvs-preview.html",
      },
      ({ artifacts: all }) => {
        const ids = all.map(({ workflow_run: run }) => run.id);
        return ids.length > 0 && new Set(ids).size === ids.length;
      },
    ),
    reading<Runs>(
      {
        fact: "pushes are deployed one after the other, and none is canceled",
        prepare: "Push three commits to main in one minute.",
        path: `${runs("deploy.yml")}&event=push`,
      },
      ({ workflow_runs: all }) => all.length >= 3 && all.every(succeeded),
    ),
    reading<readonly object[]>(
      {
        fact: "one release per deployment is active",
        prepare: "Deploy two releases with github-deployments: true.",
        path: `deployments?task=deploy:${encodeURIComponent(deployment)}`,
      },
      (all) => all.length >= 2,
    ),
    reading<Environments>(
      {
        fact: "environments have protection rules",
        prepare: "Add a reviewer to the environment that deploys.",
        path: "environments",
      },
      ({ environments: all }) => all.some(({ protection_rules: rules }) => rules.length > 0),
    ),
    reading<Issues>(
      {
        fact: "drift has an issue and no GitHub deployment",
        prepare: "Change an object manually, and start drift.yml.",
        path: "issues?state=all&per_page=100",
      },
      (all) => all.some(({ title }) => title.startsWith("Drift: ")),
    ),
  ];
}

function succeeded({ conclusion }: Runs["workflow_runs"][number]): boolean {
  return conclusion === "success";
}

/** Asks GitHub for each fact. `ask` returns undefined if GitHub doesn't answer. */
export function verify(
  scratch: Scratch,
  ask: (path: string) => unknown,
): readonly { readonly verification: Verification; readonly result: Result }[] {
  return verifications(scratch).map((verification) => {
    const answer = ask(`repos/${scratch.repository}/${verification.path}`);
    if (answer === undefined) return { verification, result: "not checked" };
    return { verification, result: verification.holds(answer) ? "passed" : "failed" };
  });
}
