import { execFileSync } from "node:child_process";
import { afterAll, onTestFinished, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import type { TestCluster } from "../cluster/use-cluster.ts";
import { startCompiler } from "../cue/native.ts";
import { useFakeGitHub } from "../fake-github/use.ts";
import { environment } from "../git/git-fixture.ts";
import { asStep, stepEnvironment } from "../plan/step.ts";
import { createShopRepository, type ShopRepository } from "./shop-repository.ts";

type Texts = Readonly<Record<string, string>>;

/** One run of the Action: the event, and the checked-out commit. */
interface ActionRun {
  readonly folder: string;
  readonly name: string;
  readonly event: object;
  readonly commit: string;
  readonly inputs?: Texts | undefined;
  /** Further variables that the runner sets. */
  readonly env?: Texts;
}

const repository = { full_name: "acme/shop", default_branch: "main" };
const ref = "refs/heads/main";

/**
 * Runs the Action in this process, with the shop's repository, a fake GitHub and a control plane.
 * A test file calls it at its top.
 */
export function useShopAction(cluster: TestCluster) {
  const github = useFakeGitHub();
  const compiler = startCompiler();
  afterAll(() => compiler.close());

  async function act({ folder, name, event, commit, inputs = {}, env = {} }: ActionRun) {
    const step = stepEnvironment(event, {
      ...environment,
      GITHUB_EVENT_NAME: name,
      ...(["pull_request", "merge_group"].includes(name) ? {} : { GITHUB_REF: ref }),
      GITHUB_SHA: commit,
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_WORKSPACE: folder,
      GITHUB_API_URL: github().apiUrl,
    });
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
    git("checkout", "--quiet", "--detach", commit);
    // Sets the branch of the clone to the commit of this run like actions/checkout, even if the
    // branch has moved.
    if (name === "push") git("update-ref", "refs/remotes/origin/main", commit);
    const given = Object.entries({ kubeconfig: cluster.kubeconfigFor("admin"), ...inputs });
    const asInputs = given.map(([input, value]) => [`INPUT_${input.toUpperCase()}`, value]);
    const variables: Texts = { ...Object.fromEntries(asInputs), ...env };
    for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
    const all = { ...step.env, ...env };
    const result = await asStep(() => runAction(all, compiler));
    vi.unstubAllEnvs();
    return { ...result, summary: step.summary(), outputs: step.outputs() };
  }

  return {
    github,
    act,
    /** Creates a repository that is removed with the test. */
    shopIn(namespace: string): ShopRepository {
      const shop = createShopRepository(namespace);
      onTestFinished(() => shop.remove());
      return shop;
    },
    /**
     * Adds commits to main on GitHub and runs the Action for them. `tip` is the head of main during
     * the run.
     */
    push(
      { folder }: ShopRepository,
      before: string,
      after: string,
      inputs: Texts = {},
      tip = after,
    ) {
      github().state.branches.set("main", [before, after, tip]);
      const event = { before, after, ref, repository };
      return act({ folder, name: "push", event, commit: after, inputs: withToken(inputs) });
    },
    /** Runs the Action for an opened or updated pull request. */
    preview({ folder }: ShopRepository, number: number, base: string, head: string) {
      const side = (sha: string) => ({ sha, ref: "x", repo: repository });
      const pull_request = { number, base: side(base), head: side(head) };
      const event = { pull_request, repository };
      return act({ folder, name: "pull_request", event, commit: head, inputs: withToken({}) });
    },
    /** Merges the branch, also on GitHub. Returns the ID of the merge commit. */
    merge(shop: ShopRepository, number: number, head: string, branch: string): string {
      const mergeCommit = shop.merge(branch);
      github().state.pulls.push({ number, mergeCommit, commits: [head], head });
      return mergeCommit;
    },
    /** Returns the version of the image in the cluster. */
    version(namespace: string): Promise<string> {
      const path = "jsonpath={.spec.template.spec.containers[0].image}";
      return cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", path);
    },
  };
}

function withToken(inputs: Texts): Texts {
  return { token: "token", ...inputs };
}

/** One more object for the shop's adapter. */
export const extraAdapter = `package web

DesignPattern: resources: app: extra: {
	provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap", metadata: name: "extra"
}
`;
