import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import {
  environmentShopFiles,
  manifestsFile,
  numberPlaceholder,
} from "../../support/environments/environment-shop.ts";
import { type OpenPull, repositoryId } from "../../support/fake-github/open-pulls.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";

/**
 * Tests the environments of pull requests with the Action, a real control plane and a fake GitHub.
 */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github } = action;

const ours = { id: repositoryId, full_name: "acme/shop" };
const repository = { ...ours, default_branch: "main" };
const fork = { id: 7, full_name: "acme/shop" };
const runEnvironment: Readonly<Record<string, string>> = {
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_RUN_ID: "7",
  GITHUB_REPOSITORY_ID: `${repositoryId}`,
};

const listFile = ".valuestream/deployments.yaml";

interface Event {
  readonly action?: string;
  /** The changes of the action `edited`. */
  readonly changes?: object;
  readonly labels?: readonly string[];
  /** The repository of the branch. Default: the shop itself. */
  readonly from?: object | null;
  readonly author?: string;
  /** The state when the event happened. Default: the state now. */
  readonly state?: "open";
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Opens a pull request. An entry `api` has environments with `api`, in other namespaces. */
async function pullRequest(preview: object = {}, api?: object) {
  const namespace = await cluster.namespace("shop");
  const prefix = `env-${randomBytes(4).toString("hex")}`;
  const git = new GitFixture();
  const template = { namespace: `${prefix}-${numberPlaceholder}`, ...preview };
  const files = environmentShopFiles(namespace, template);
  const { deployments } = JSON.parse(files[listFile] ?? "");
  if (api !== undefined) {
    const of = { ...template, namespace: `api-${template.namespace}`, ...api };
    deployments.push({ ...deployments[0], name: "api", preview: of });
  }
  const base = git.commit({ ...files, [listFile]: JSON.stringify({ deployments }) });
  git.git("remote", "add", "origin", "https://github.com/acme/shop.git");
  git.git("update-ref", "refs/remotes/origin/main", base);
  git.git("checkout", "--quiet", "-b", "feature");
  github().state.branches.set("main", [base]);
  const number = 100 + github().state.openPulls.length;
  const stored: OpenPull & { state: "open" | "closed" } = {
    ...{ number, branch: "feature", from: "acme/shop", head: base, state: "open" },
  };
  github().state.openPulls.push(stored);
  let env = runEnvironment;
  const run = (event: Event = {}) => {
    const { labels = [], from = ours, author = "dev" } = event;
    github().state.labels.set(number, [...labels]);
    const side = (sha: string, ref: string, repo: object | null) => ({ sha, ref, repo });
    return action.act({
      ...{ folder: git.directory, name: "pull_request", commit: stored.head, env },
      event: {
        action: event.action ?? "synchronize",
        changes: event.changes,
        pull_request: {
          ...{ number, state: event.state ?? stored.state, user: { login: author } },
          labels: labels.map((name) => ({ name })),
          base: side(base, "main", repository),
          head: side(stored.head, "feature", from),
        },
        repository,
      },
      inputs: {
        mode: "environment",
        token: "token",
        "github-deployments": "true",
        ...event.inputs,
      },
    });
  };
  return {
    number,
    stored,
    namespace,
    place: `${prefix}-${number}`,
    run,
    /** Adds a commit to the branch of the pull request. */
    push(files: Readonly<Record<string, string>>) {
      git.git("checkout", "--quiet", "feature");
      stored.head = git.commit(files);
      return stored.head;
    },
    /** Adds a commit to main, of which the event of the pull request knows nothing. */
    pushMain(files: Readonly<Record<string, string>>) {
      git.git("checkout", "--quiet", "main");
      git.git("update-ref", "refs/remotes/origin/main", git.commit(files));
      git.git("checkout", "--quiet", "feature");
    },
    /** Gives the repository another name. It keeps its id. */
    rename(name: string) {
      env = { ...env, GITHUB_REPOSITORY: name };
      git.git("remote", "set-url", "origin", `https://github.com/${name}.git`);
    },
    sweep: () =>
      action.act({
        ...{ folder: git.directory, name: "schedule", commit: base, env },
        event: { schedule: "0 * * * *", repository },
        inputs: { mode: "environment", token: "token", "github-deployments": "true" },
      }),
    comments: () =>
      github()
        .state.comments.filter(({ issue }) => issue === number)
        .map(({ body }) => body),
  };
}

async function exists(name: string): Promise<boolean> {
  return (await cluster.kubectl("get", "ns", name, "--ignore-not-found", "-o", "name")) !== "";
}

async function records(namespace: string): Promise<string> {
  return cluster.kubectl("get", "secrets,leases", "-n", namespace, "-o", "name");
}

test("a labeled pull request gets an environment, a new commit updates it, and closing deletes it", async () => {
  const shop = await pullRequest({ url: `https://${numberPlaceholder}.shop.example` });
  const unlabeled = await shop.run({ action: "opened" });
  expect(unlabeled.exitCode, unlabeled.log).toBeUndefined();
  expect(unlabeled.log).toContain("it has no label preview");
  expect(await exists(shop.place)).toBe(false);
  expect(shop.comments()).toEqual([]);

  shop.push({ "params.json": manifestsFile("").replace("hello", "one") });
  const labels = ["preview"];
  const created = await shop.run({ action: "labeled", labels });
  expect(created.exitCode, created.log).toBeUndefined();
  const greeting = [
    "get",
    "configmap",
    "greeting",
    "-n",
    shop.place,
    "-o",
    "jsonpath={.data.text}",
  ];
  expect(await cluster.kubectl(...greeting)).toBe("one");
  expect(shop.comments()).toHaveLength(1);
  expect(shop.comments()[0]).toContain(`\`shop-pr-${shop.number}\` ✅ ready`);
  expect(shop.comments()[0]).toContain(`(https://${shop.number}.shop.example/)`);

  shop.push({ "params.json": manifestsFile("").replace("hello", "two") });
  const updated = await shop.run({ labels });
  expect(updated.exitCode, updated.log).toBeUndefined();
  expect(await cluster.kubectl(...greeting)).toBe("two");

  shop.stored.state = "closed";
  const closed = await shop.run({ action: "closed", labels });
  expect(closed.exitCode, closed.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(false);
  expect(await records(shop.namespace)).toBe("");
  expect(shop.comments()).toHaveLength(1);
  expect(shop.comments()[0]).toContain(`\`shop-pr-${shop.number}\` deleted`);
  const ofShop = github().state.deployments.filter(
    ({ environment }) => environment === `shop-pr-${shop.number}`,
  );
  expect(ofShop).toHaveLength(2);
  expect(ofShop[0]).toMatchObject({ transient_environment: true });
  expect(ofShop.map(({ statuses }) => statuses.at(-1)?.state)).toEqual(["inactive", "inactive"]);
});

test("removing the label deletes the environment", async () => {
  const shop = await pullRequest();
  const created = await shop.run({ action: "labeled", labels: ["preview"] });
  expect(created.exitCode, created.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(true);
  const removed = await shop.run({ action: "unlabeled" });
  expect(removed.exitCode, removed.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(false);
});

test("an edited title deploys nothing", async () => {
  const shop = await pullRequest({ when: "always" });
  const edited = await shop.run({ action: "edited", changes: { title: { from: "x" } } });
  expect(edited.exitCode, edited.log).toBeUndefined();
  expect(edited.log).toContain(`Only texts of pull request #${shop.number} changed`);
  expect(await exists(shop.place)).toBe(false);
  const moved = await shop.run({ action: "edited", changes: { base: { ref: { from: "x" } } } });
  expect(moved.exitCode, moved.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(true);
});

test("forks, deleted forks and Dependabot get none, which one line reports", async () => {
  const shop = await pullRequest({ when: "always" });
  for (const from of [fork, null]) {
    const skipped = await shop.run({ action: "opened", from });
    expect(skipped.exitCode, skipped.log).toBeUndefined();
    expect(skipped.log).toBe(
      `Pull request #${shop.number} gets no environment: pull requests from forks get no environment.\n`,
    );
  }
  const skipped = await shop.run({ action: "opened", author: "dependabot[bot]" });
  expect(skipped.log).toContain("pull requests of Dependabot get no environment");
  expect(await exists(shop.place)).toBe(false);
  expect(await records(shop.namespace)).toBe("");
});

test("only the base branch decides about the environment", async () => {
  const shop = await pullRequest({ when: "always" });
  const other = `other-${randomBytes(4).toString("hex")}-${numberPlaceholder}`;
  const forged = { namespace: other, when: "always", labels: { team: "mine" }, ttl: "720h" };
  shop.push(environmentShopFiles("default", forged));
  const created = await shop.run({ action: "opened" });
  expect(created.exitCode, created.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(true);
  expect(await exists(other.replace(numberPlaceholder, `${shop.number}`))).toBe(false);
  const labels = await cluster.kubectl(
    "get",
    "ns",
    shop.place,
    "-o",
    "jsonpath={.metadata.labels}",
  );
  expect(labels).not.toContain("team");
});

test("the tip of the base branch decides, also for an older pull request", async () => {
  const pull = await pullRequest({ when: "always" });
  pull.pushMain(environmentShopFiles(pull.namespace, { namespace: `x-${numberPlaceholder}` }));
  const run = await pull.run();
  expect(run.log).toContain(`Pull request #${pull.number} gets no environment`);
  expect(await exists(pull.place)).toBe(false);
});

test("a run that can't ask GitHub about the pull request creates nothing", async () => {
  const pull = await pullRequest({ when: "always" });
  const name = `shop-pr-${pull.number}`;
  const run = await pull.run({ inputs: { token: "" } });
  expect(run.exitCode).toBe(1);
  expect(run.log).toContain(`error[environment-state-unknown]: qvs didn't deploy "${name}"`);
  expect(run.log).toContain("is unknown. The input token is empty");
  expect(await exists(pull.place)).toBe(false);

  github().failNext(403, 1, { part: `/pulls/${pull.number}` });
  const denied = await pull.run();
  expect(denied.exitCode).toBe(1);
  expect(denied.log).toContain(`error[environment-state-unknown]: qvs didn't deploy "${name}"`);
  expect(denied.log).toContain("is unknown. The token isn't allowed to do this");
  expect(denied.log).toContain("pull-requests: read");
  expect(await exists(pull.place)).toBe(false);
});

test("a renamed repository updates and deletes its environments", async () => {
  const pull = await pullRequest({ when: "always" });
  const created = await pull.run({ action: "opened" });
  expect(created.exitCode, created.log).toBeUndefined();
  const sibling = await pullRequest({ when: "always" });
  const second = await sibling.run({ action: "opened" });
  expect(second.exitCode, second.log).toBeUndefined();

  for (const each of [pull, sibling]) each.rename("acme/store");
  pull.push({ "params.json": manifestsFile("").replace("hello", "renamed") });
  const updated = await pull.run();
  expect(updated.exitCode, updated.log).toBeUndefined();
  const text = ["get", "configmap", "greeting", "-n", pull.place, "-o", "jsonpath={.data.text}"];
  expect(await cluster.kubectl(...text)).toBe("renamed");

  pull.stored.state = "closed";
  const closed = await pull.run({ action: "closed" });
  expect(closed.exitCode, closed.log).toBeUndefined();
  expect(await exists(pull.place)).toBe(false);
  sibling.stored.state = "closed";
  const swept = await sibling.sweep();
  expect(swept.exitCode, swept.log).toBeUndefined();
  expect(await exists(sibling.place)).toBe(false);
});

test("a late run of a closed pull request or an old commit doesn't create the environment", async () => {
  const shop = await pullRequest({ when: "always" });
  shop.stored.state = "closed";
  const event = { action: "opened" };
  const stale = await shop.run({ ...event, state: "open" });
  expect(stale.exitCode, stale.log).toBeUndefined();
  expect(stale.log).toContain("isn't needed any more");

  shop.stored.state = "open";
  const answers = github().state.openPulls.find(({ number }) => number === shop.number);
  const before = shop.stored.head;
  const late = shop.run(event);
  if (answers !== undefined) answers.head = "f".repeat(40);
  const done = await late;
  expect(done.exitCode, done.log).toBeUndefined();
  expect(done.log).toContain("has a newer commit");
  expect(await exists(shop.place)).toBe(false);
  expect(await records(shop.namespace)).toBe("");
  shop.stored.head = before;
});

test("a late run for a closed pull request keeps the environment of one that is open again", async () => {
  const shop = await pullRequest({ when: "always" });
  const created = await shop.run({ action: "opened" });
  expect(created.exitCode, created.log).toBeUndefined();
  const late = await shop.run({ action: "closed" });
  expect(late.exitCode, late.log).toBeUndefined();
  expect(late.log).toContain("is open again");
  expect(await exists(shop.place)).toBe(true);
});

test("a scheduled sweep deletes the environments of closed pull requests only", async () => {
  const shop = await pullRequest({ when: "always" });
  const created = await shop.run({ action: "opened" });
  expect(created.exitCode, created.log).toBeUndefined();
  const nothing = await shop.sweep();
  expect(nothing.exitCode, nothing.log).toBeUndefined();
  expect(nothing.log).toContain("No environment has to be deleted.");

  shop.stored.state = "closed";
  const swept = await shop.sweep();
  expect(swept.exitCode, swept.log).toBeUndefined();
  expect(await exists(shop.place)).toBe(false);
  expect(await records(shop.namespace)).toBe("");
  expect(shop.comments()[0]).toContain("deleted");
});

test("a sweep keeps the running environment of a pull request in its comment", async () => {
  const url = `https://${numberPlaceholder}.shop.example`;
  const shop = await pullRequest({ url }, { label: "api" });
  const created = await shop.run({ action: "labeled", labels: ["preview", "api"] });
  expect(created.exitCode, created.log).toBeUndefined();
  const api = `api-${shop.place}`;
  await cluster.kubectl("create", "configmap", "theirs", "-n", api);
  const unlabeled = await shop.run({ action: "unlabeled", labels: ["preview"] });
  expect(unlabeled.exitCode, unlabeled.log).toBeUndefined();
  expect(shop.comments()[0]).toContain(`\`api-pr-${shop.number}\` ⚠️ not deleted`);
  const name = `api-pr-${shop.number}`;
  const states = () =>
    github()
      .state.deployments.filter(({ environment }) => environment === name)
      .map(({ statuses }) => statuses.at(-1)?.state);
  expect(states()).toEqual(["success"]);
  expect(unlabeled.log).toContain(`The GitHub deployment of "${name}" keeps its state`);

  await cluster.kubectl("delete", "configmap", "theirs", "-n", api);
  const swept = await shop.sweep();
  expect(swept.exitCode, swept.log).toBeUndefined();
  expect(states()).toEqual(["inactive"]);
  expect(await exists(api)).toBe(false);
  expect(await exists(shop.place)).toBe(true);
  expect(shop.comments()).toHaveLength(1);
  expect(shop.comments()[0]).toContain(`\`api-pr-${shop.number}\` deleted`);
  expect(shop.comments()[0]).toContain(`\`shop-pr-${shop.number}\` ✅ ready`);
  expect(shop.comments()[0]).toContain(`(https://${shop.number}.shop.example/)`);
});
