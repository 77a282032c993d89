import { expect, test } from "vitest";
import {
  type PullRequestOptions,
  previewPullRequest,
} from "../../../../src/action/pull-requests/preview-pull-request.ts";
import { defaultRequest } from "../../../../src/model/deployments/deploy-request.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import type { CommentInput } from "../../../../src/report/comment/comment-input.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { GitFixture } from "../../../support/git/git-fixture.ts";
import { cautious } from "../../../support/policy.ts";
import { hasSomethingToSay, renderComment } from "../../../support/report/rendered.ts";
import { shopFiles } from "../../../support/shop/shop-files.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../../support/shop/shop-world.ts";

const openShop = useWorlds();
const version = (text: string) => ({ "params.yaml": `version: ${text}\nreplicas: 2\n` });
const web = { name: "web", namespace: "shop" };

const listFile = ".valuestream/deployments.yaml";

function listOf(entry: object): string {
  return deploymentsFile(entry)[listFile] ?? "";
}

async function preview(
  git: GitFixture,
  base: string,
  changes: Partial<PullRequestOptions> = {},
  cluster: Cluster = fakeCluster(),
): Promise<CommentInput> {
  const world = await openShop(git.directory, cluster);
  return previewPullRequest(
    world,
    {
      base,
      headSha: git.git("rev-parse", "feature"),
      inline: [],
      request: { ...defaultRequest, policy: cautious },
      withoutCluster: { because: "this test has none" },
      choose: (deployments) => deployments,
      adjusted: (each) => each,
      runUrl: undefined,
      ...changes,
    },
    (report) => report,
  );
}

/** Creates `main` with one deployment, and checks out `feature`. */
function branched(...entries: readonly object[]): { git: GitFixture; base: string } {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile(...entries));
  git.git("checkout", "--quiet", "-b", "feature");
  return { git, base };
}

/** Commits a change on `main` after the branch was created. */
function commitOnMain(git: GitFixture, files: Readonly<Record<string, string>>): string {
  git.git("checkout", "--quiet", "main");
  const commit = git.commit(files);
  git.git("checkout", "--quiet", "feature");
  return commit;
}

function names(input: CommentInput): readonly string[] {
  return input.deployments.map(({ deployment }) => deployment.name);
}

test("changes on the target branch aren't shown as changes of the pull request", async () => {
  const { git, base } = branched(web);
  git.commit({ "README.md": "The shop." });
  const tip = commitOnMain(git, version("2.0.0"));
  expect(names(await preview(git, tip))).toEqual([]);
  git.git("checkout", "--quiet", "--detach", "main");
  git.git("merge", "--quiet", "--no-ff", "--message=Merge", "feature");
  // The event has an older base commit than the one that GitHub merged with.
  expect(names(await preview(git, base))).toEqual([]);
});

test("a pull request that changes no deployment asks no cluster", async () => {
  const { git, base } = branched(web);
  git.commit({ "README.md": "The shop." });
  const unavailable = new Proxy(fakeCluster(), {
    get: (_, name) => () => {
      throw new Error(`the cluster was asked: ${String(name)}`);
    },
  });
  const input = await preview(git, base, { withoutCluster: undefined }, unavailable);
  expect(input.previewProblems).toBeUndefined();
  expect(names(input)).toEqual([]);
});

test("a branch with merged changes of the target branch is compared with them", async () => {
  const { git, base } = branched(web);
  git.commit({ "README.md": "The shop." });
  const tip = commitOnMain(git, version("2.0.0"));
  git.git("merge", "--quiet", "--no-ff", "--message=Merge", "main");
  expect(names(await preview(git, tip))).toEqual([]);
  expect(names(await preview(git, base))).toEqual(["web"]);
});

test("a removed deployment keeps its objects, and the comment shows it", async () => {
  const { git, base } = branched(web, { ...web, name: "docs", context: "staging" });
  git.commit(deploymentsFile(web));
  const input = await preview(git, base);
  expect(names(input)).toEqual(["docs"]);
  expect(hasSomethingToSay(input)).toBe(true);
  const comment = renderComment(input);
  expect(comment).toContain("## ⚠️ Needs review: `docs` leaves objects in the cluster");
  expect(comment).toContain(
    'Removed deployment "docs" leaves its objects in namespace shop of context staging',
  );
  expect(comment).toContain("**Objects** `Deployment shop`");
  expect(comment).toContain("> [!WARNING]\n> **");
});

test("a deployment that moved to another list is shown as moved", async () => {
  const { git, base } = branched(web, { ...web, name: "docs" });
  const elsewhere = { [`docs/${listFile}`]: listOf({ ...web, name: "docs" }) };
  git.commit({ ...deploymentsFile(web), ...elsewhere });
  const comment = renderComment(await preview(git, base));
  expect(comment).toContain(`Deployment "docs" is now listed in docs/${listFile}`);
  expect(comment).toContain("qvs treats it as moved, not as removed");
  expect(comment).not.toContain("is removed");
  expect(comment).not.toContain("`docs` is deleted");
});

test("a deployment that isn't chosen isn't reported as removed", async () => {
  const { git, base } = branched(web, { ...web, name: "docs" });
  git.commit(deploymentsFile(web));
  const choose: PullRequestOptions["choose"] = (all) => all.filter(({ name }) => name === "web");
  expect(names(await preview(git, base, { choose }))).toEqual([]);
});

test.each([
  [{ namespace: "store" }, "namespace store"],
  [{ context: "blue" }, "namespace shop of context blue"],
])("a deployment that moves leaves its objects behind: %o", async (moved, words) => {
  const { git, base } = branched(web);
  git.commit(deploymentsFile({ ...web, ...moved }));
  const comment = renderComment(await preview(git, base));
  expect(comment).toContain('Deployment "web" leaves its objects in namespace shop**');
  expect(comment).toContain(`**Moves to** \`${words}\``);
});

test("an unreadable list of deployments replaces an older preview", async () => {
  const { git, base } = branched(web);
  git.commit({ ".valuestream/deployments.yaml": "deployments: [" });
  const input = await preview(git, base);
  expect(hasSomethingToSay(input)).toBe(true);
  const comment = renderComment(input);
  expect(comment).toContain("## 🛑 This pull request can't be previewed");
  expect(comment).toContain("`.valuestream/deployments.yaml:1:");
});

test("a base commit that is missing in the clone replaces an older preview", async () => {
  const { git } = branched(web);
  git.commit(version("2.0.0"));
  const comment = renderComment(await preview(git, "0123456789".repeat(4)));
  expect(comment).toContain("can't be previewed");
  expect(comment).toContain("isn't in this clone");
});

/** Returns the reason why qvs didn't connect to the cluster, if it didn't. */
async function avoided(
  before: readonly object[],
  after: object,
  changes: Partial<PullRequestOptions> = {},
): Promise<string | undefined> {
  const { git, base } = branched(...before);
  git.commit({ ...version("2.0.0"), ...deploymentsFile(after) });
  const input = await preview(git, base, { withoutCluster: undefined, ...changes });
  const report = input.deployments.find(({ deployment }) => deployment.name === "web");
  if (report === undefined) throw new Error("web was not previewed");
  return report.clusterState.compared ? undefined : report.clusterState.because;
}

test("qvs connects only to clusters that the target branch deploys to", async () => {
  const staging = { ...web, context: "staging" };
  expect(await avoided([staging], staging)).toBeUndefined();
  expect(await avoided([web], web)).toBeUndefined();
  expect(await avoided([web], staging)).toContain('uses the context "staging" yet');
  expect(await avoided([staging], web)).toContain("has no context, and no deployment on the");
  expect(await avoided([staging, { ...web, name: "docs" }], web)).toBeUndefined();
});

test("a context from the inputs is the workflow's decision at both commits", async () => {
  const adjusted: PullRequestOptions["adjusted"] = (each) => ({ ...each, context: "given" });
  expect(await avoided([web], { ...web, context: "mine" }, { adjusted })).toBeUndefined();
});

test("the first pull request of a repository doesn't decide which cluster qvs connects to", async () => {
  const git = new GitFixture();
  const base = git.commit({ "README.md": "Nothing yet." });
  git.git("checkout", "--quiet", "-b", "feature");
  git.commit({ ...shopFiles, ...deploymentsFile(web) });
  const input = await preview(git, base, { withoutCluster: undefined });
  expect(input.deployments[0]?.clusterState).toMatchObject({
    compared: false,
    because: expect.stringContaining("no deployments yet"),
  });
});

test("the comment names the file of an object of a kustomization, and its patches", async () => {
  const git = shopUnderGit();
  const base = git.commit({
    ...deploymentsFile(web),
    ".valuestream/qvs.yaml":
      "params: [{name: version, type: string}, {name: replicas, type: int}]\ndesignPatterns: [{kustomize: ../overlay}]\n",
    "overlay/kustomization.yaml":
      "resources: [../base]\npatches:\n  - path: <b>`x`.yaml\n  - path: size.yaml\n",
    "overlay/<b>`x`.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: map}\ndata: {a: a}\n",
    "overlay/size.yaml":
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: map}\ndata: {size: b}\n",
    "base/kustomization.yaml": "resources: [all.yaml]\n",
    "base/all.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: map\n",
  });
  git.git("checkout", "--quiet", "-b", "feature");
  git.commit({
    "overlay/size.yaml":
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: map}\ndata:\n  size: c\n",
  });
  expect(renderComment(await preview(git, base))).toContain(
    "from `base/all.yaml:1`, used by `kustomize: ../overlay` (line 2)<br>patched at ``overlay/<b>`x`.yaml:4``, `overlay/size.yaml:5`<br>changed at `overlay/size.yaml:5`\n",
  );
});

test("the comment shows that the base commit doesn't compile, and why", async () => {
  const git = shopUnderGit();
  const base = git.commit({
    ...deploymentsFile(web),
    "params.yaml": "version: [1]\nreplicas: 2\n",
  });
  git.git("checkout", "--quiet", "-b", "feature");
  git.commit(version("1.0.0"));
  const input = await preview(git, base);
  expect(input.deployments[0]?.problems).toEqual([]);
  const comment = renderComment(input);
  expect(comment).toContain("The base commit doesn't compile");
  expect(comment).toContain('Parameter "version"');
  expect(comment).toContain("params.yaml:1");
});

test("the comment names the line of the values file that decides a field of a chart", async () => {
  const git = shopUnderGit();
  const chart =
    "designPatterns: [{helm: {chart: ../chart, release: web, values: [../values.yaml]}}]\n";
  const base = git.commit({
    ...deploymentsFile(web),
    ".valuestream/qvs.yaml": `params: [{name: version, type: string}, {name: replicas, type: int}]\n${chart}`,
    "values.yaml": "size: 1\ncolor: red\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/templates/map.yaml":
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: map}\ndata: {color: {{ .Values.color }}}\n",
  });
  git.git("checkout", "--quiet", "-b", "feature");
  git.commit({ "values.yaml": "size: 2\ncolor: blue\n" });
  expect(renderComment(await preview(git, base))).toContain(
    "from `templates/map.yaml:1`, used by `helm: ../chart` (line 2)<br>changed at `values.yaml:2`, `chart/templates/map.yaml:1`\n",
  );
});
