import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import { pushPayload } from "../../support/action/action-run.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment } from "../../support/git/git-fixture.ts";
import { actionProgram } from "../../support/qvs/qvs-program.ts";
import { type RunningQvs, startQvs } from "../../support/qvs/run-qvs.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Runs the Action as a process that deploys a merged pull request, while GitHub has faults or a
 * user cancels the run. The deployment, its record and the step's result never depend on GitHub.
 */
const cluster = useCluster();
const pull = 7;

/** These tests run concurrently, because most of them wait. */
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanups) await cleanUp();
});

interface Setting {
  readonly github: FakeGitHub;
  readonly shop: ShopRepository;
  readonly namespace: string;
  readonly before: string;
  readonly merged: string;
}

/** Creates a merged pull request with a comment. */
async function setting(behaviour?: string): Promise<Setting> {
  const [github, namespace] = await Promise.all([startFakeGitHub(), cluster.namespace("chaos")]);
  const shop = createShopRepository(namespace);
  if (behaviour !== undefined) behave(shop, behaviour);
  const before = shop.commitParams({ version: "1", greeting: "hello" });
  const merged = shop.commitParams({ version: "2", greeting: "hello" });
  github.state.branches.set("main", [before, merged]);
  github.state.pulls.push({ number: pull, mergeCommit: merged });
  github.state.add(pull, "github-actions[bot]", `${commentMarker}\nplan`);
  cleanups.push(shop.remove, github.close);
  return { github, shop, namespace, before, merged };
}

/** Sets the behavior that kwok simulates for its Pods. */
function behave({ folder }: ShopRepository, behaviour: string): void {
  const adapter = join(folder, "adapters/web/main.cue");
  const text = readFileSync(adapter, "utf8");
  const annotated = `metadata: {labels: app: "web", annotations: "test.qvs/behaviour": "${behaviour}"}`;
  writeFileSync(adapter, text.replace(/metadata: \{?labels: app: "web".*/, annotated));
}

interface Started extends RunningQvs {
  summary(): string;
}

function start(
  { github, shop, before }: Setting,
  after: string,
  { apiUrl = github.apiUrl, ...more }: Readonly<Record<string, string>> = {},
): Started {
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  shop.checkout(after);
  const file = (name: string, text = "") => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const summary = file("summary.md");
  const env = {
    ...environment,
    GITHUB_EVENT_NAME: "push",
    GITHUB_EVENT_PATH: file("event.json", JSON.stringify(pushPayload(before, after))),
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: after,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_RUN_ID: "12",
    GITHUB_WORKSPACE: shop.folder,
    GITHUB_API_URL: apiUrl,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: file("output.txt"),
    RUNNER_TEMP: folder,
    INPUT_TOKEN: "token",
    INPUT_KUBECONFIG: cluster.kubeconfigFor("admin"),
    "INPUT_APPROVED-PLAN": "off",
    ...more,
  };
  const running = startQvs(shop.folder, [], env, actionProgram);
  return { ...running, summary: () => readFileSync(summary, "utf8") };
}

async function image(namespace: string): Promise<string> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  return cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", path);
}

/** Returns the states of the releases, oldest first. */
async function records(namespace: string): Promise<string> {
  const path = "jsonpath={.items[*].metadata.labels.vs\\.axis-dev\\.io/status}";
  const of = ["--field-selector", "type=vs.axis-dev.io/release.v1", "--sort-by=.metadata.name"];
  return cluster.kubectl("get", "secrets", "-n", namespace, ...of, "-o", path);
}

interface Trouble {
  readonly what: string;
  readonly before: (github: FakeGitHub) => void;
  readonly apiUrl?: string;
  /** True if the comment must be up to date at the end. */
  readonly told: boolean;
  readonly says: string;
}

const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes.";

const troubles: readonly Trouble[] = [
  {
    what: "gateways with short failures",
    before: (github) => {
      github.failNext(502, 1, { part: "/git/ref" });
      github.failNext(502, 1, { method: "PATCH" });
    },
    told: true,
    says: "Deployed shop as release 1",
  },
  {
    what: "a rate limit that asks for a second",
    before: (github) =>
      github.failNext(429, 1, {
        part: "/comments",
        headers: { "retry-after": "1" },
        message: "API rate limit exceeded",
      }),
    told: true,
    says: "Deployed shop as release 1",
  },
  {
    what: "a secondary rate limit that asks for a second",
    before: (github) =>
      github.failNext(403, 1, {
        method: "PATCH",
        headers: { "retry-after": "1" },
        message: secondary,
      }),
    told: true,
    says: "tries again in 1 s",
  },
  {
    what: "a secondary rate limit that asks for an hour",
    before: (github) =>
      github.failNext(403, 9, {
        method: "PATCH",
        headers: { "retry-after": "3600" },
        message: secondary,
      }),
    told: false,
    says: "a secondary rate limit",
  },
  {
    what: "the primary rate limit",
    before: (github) =>
      github.failNext(403, 99, {
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2000000000" },
        message: "API rate limit exceeded for installation ID 42.",
      }),
    told: false,
    says: "the primary rate limit",
  },
  {
    what: "a token that expires during the deployment",
    before: (github) => {
      github.failNext(401, 9, { part: "/pulls", message: "Bad credentials" });
      github.failNext(401, 9, { part: "/issues", message: "Bad credentials" });
    },
    told: false,
    says: "The token is invalid, expired or revoked",
  },
  {
    what: "an unreachable GitHub",
    before: () => {},
    apiUrl: "http://127.0.0.1:1",
    told: false,
    says: "GitHub's API can't be reached",
  },
];

describe.concurrent("GitHub fails", () => {
  test.for(troubles)(
    "$what: the deployment succeeds and is recorded, and the step succeeds",
    async (trouble) => {
      const at = await setting();
      trouble.before(at.github);
      const { apiUrl = at.github.apiUrl, told, says } = trouble;
      const running = start(at, at.merged, { apiUrl });
      const { code, stdout } = await running.result;
      expect(code, stdout).toBe(0);
      expect(await image(at.namespace)).toBe("shop:2");
      expect(await records(at.namespace)).toBe("succeeded");
      expect(running.summary()).toContain("✅ Deployed shop as release 1");
      const [comment] = at.github.state.comments;
      expect(comment?.body.includes("✅ Deployed shop as release 1"), stdout).toBe(told);
      expect(stdout.includes("::warning"), stdout).toBe(!told);
      expect(stdout).toContain(says);
      expect(at.github.violations).toEqual([]);
    },
  );

  test("nothing is deployed if an approved plan is required and GitHub doesn't return it", async () => {
    const at = await setting();
    const apiUrl = "http://127.0.0.1:1";
    const running = start(at, at.merged, { apiUrl, "INPUT_APPROVED-PLAN": "require" });
    const { code, stdout } = await running.result;
    expect(code, stdout).toBe(1);
    expect(stdout).not.toContain("A bug in qvs");
    expect(await records(at.namespace)).toBe("");
  });

  test("a failed deployment fails the step, whatever GitHub does", async () => {
    const at = await setting("image-pull-back-off");
    at.github.failNext(401, 99, { message: "Bad credentials" });
    const running = start(at, at.merged, { INPUT_TIMEOUT: "20s" });
    const { code, stdout } = await running.result;
    expect(code, stdout).toBe(1);
    expect(await records(at.namespace)).toBe("failed");
    expect(running.summary()).toContain("🛑 Failed to deploy shop");
  });
});

/**
 * The exit code after a second signal that arrives when the work is done and no handler is left.
 */
const bySigterm = 143;

/** Cancels the run like GitHub, without its pauses. */
function cancel({ child }: RunningQvs): void {
  child.kill("SIGINT");
  child.kill("SIGTERM");
}

describe.concurrent("a user cancels the run", () => {
  test("before any change: qvs reports it, and nothing was changed", async () => {
    const at = await setting();
    at.github.keepSilentAt("/git/ref");
    const running = start(at, at.merged);
    await until(() => at.github.requests.some((request) => request.includes("/git/ref")));
    cancel(running);
    const { code, stdout } = await running.result;
    expect([1, bySigterm], stdout).toContain(code);
    expect(stdout).toContain("The run was canceled. Nothing was changed.");
    expect(await records(at.namespace)).toBe("");
  });

  test("during the wait for readiness: the changes are recorded, and the restarted job completes", async () => {
    const at = await setting("never-ready");
    const running = start(at, at.merged);
    await running.says(`Deployment ${at.namespace}/web: waiting`);
    cancel(running);
    const { code, stdout } = await running.result;
    expect([1, bySigterm], stdout).toContain(code);
    expect(await records(at.namespace)).toBe("failed");
    expect(running.summary()).toContain("The run was canceled. Nothing was deleted after that.");

    at.shop.checkout("main");
    behave(at.shop, "none");
    const mended = at.shop.commitParams({ version: "2", greeting: "hello again" });
    at.github.state.branches.set("main", [at.before, at.merged, mended]);
    const again = start(at, mended, { GITHUB_RUN_ATTEMPT: "2" });
    const second = await again.result;
    expect(second.code, second.stdout).toBe(0);
    expect(await records(at.namespace)).toBe("failed succeeded");
    // The restarted failed job of an older push doesn't overwrite newer objects.
    const older = start(at, at.merged, { GITHUB_RUN_ATTEMPT: "2" });
    const late = await older.result;
    expect(late.code, late.stdout).toBe(1);
    expect(await records(at.namespace)).toBe("failed succeeded");
  });

  test("during the report to GitHub: the deployment is recorded, even if the runner ends the step", async () => {
    const at = await setting();
    at.github.keepSilentAt("/pulls");
    const running = start(at, at.merged);
    await until(() => at.github.requests.some((request) => request.endsWith("/pulls")));
    cancel(running);
    running.child.kill("SIGKILL");
    await running.result;
    expect(await records(at.namespace)).toBe("succeeded");
    expect(running.summary()).toContain("✅ Deployed shop as release 1");
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}
