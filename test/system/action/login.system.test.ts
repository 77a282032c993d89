import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  actionPath,
  runAct,
  type WorkflowResult,
  type WorkflowRun,
} from "../../support/action/act.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { pullRequestEvent, pushEvent, repository } from "../../support/shop/events.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests the input `login` of the reusable workflows. No secret has a kubeconfig: a composite
 * action of the calling repository logs in. The tests build on each other.
 */
const cluster = useCluster();
const uploads = mkdtempSync(join(tmpdir(), "uploads-"));

let github: FakeGitHub;
let namespace: string;
let shop: ShopRepository;
/** The head commit of main. */
let main: string;

beforeAll(async () => {
  [github, namespace] = await Promise.all([startFakeGitHub(), cluster.namespace("login")]);
  shop = createShopRepository(namespace);
  shop.commitFiles({
    [loginAction]: loginText("trusted"),
    ".github/workflows/login-deploy.yml": caller("push", "deploy", "login: .github/actions/login"),
    ".github/workflows/login-plan.yml": caller(
      "pull_request",
      "plan",
      "login: ./.github/actions/login/",
    ),
    ".github/workflows/login-drift.yml": caller(
      "schedule",
      "drift",
      "login: .github/actions/login",
    ),
    ".github/workflows/login-rollback.yml": caller(
      "workflow_dispatch",
      "rollback",
      'login: .github/actions/login, deployment: shop, revision: "1", environment: production',
    ),
    ".github/workflows/login-local.yml": caller("push", "deploy", "login: .github/actions/local"),
    ".github/actions/local/action.yml": localLogin,
    ".github/workflows/login-missing.yml": caller(
      "push",
      "deploy",
      "login: .github/actions/missing",
    ),
  });
});

afterAll(async () => {
  shop.remove();
  rmSync(uploads, { recursive: true, force: true });
  await github.close();
  expect(github.violations).toEqual([]);
});

test("a push logs in before it deploys", async () => {
  main = shop.commitParams({ version: "1", greeting: "hello" });
  const { succeeded, log } = await run("push", "login-deploy.yml", pushEvent("0".repeat(40), main));
  expect(succeeded, log).toBe(true);
  expect(log).toContain("trusted login: access deploy, environment none");
  expect(await image()).toBe("shop:1");
});

test("a missing login action ends the run before it changes anything, and names the directory", async () => {
  const before = main;
  main = shop.commitParams({ version: "2", greeting: "hello" });
  const failed = await run("push", "login-missing.yml", pushEvent(before, main));
  expect(failed.succeeded, failed.log).toBe(false);
  expect(failed.log).toContain("no action .github/actions/missing in commit");
  expect(await image()).toBe("shop:1");
  const { succeeded, log } = await run("push", "login-deploy.yml", pushEvent(before, main));
  expect(succeeded, log).toBe(true);
  expect(await image()).toBe("shop:2");
});

test("a login that uses an action of the workspace is rejected, because a pull request can change it", async () => {
  const failed = await run("push", "login-local.yml", pushEvent("0".repeat(40), main));
  expect(failed.succeeded, failed.log).toBe(false);
  expect(failed.log).toContain("contains a link or a local action");
  expect(failed.log).not.toContain("login: access");
});

test("a push without changes doesn't log in to deploy", async () => {
  const { succeeded, log } = await run("push", "login-deploy.yml", pushEvent(main, main));
  expect(succeeded, log).toBe(true);
  expect(log).toContain("trusted login: access preview, environment none");
  expect(log).not.toContain("login: access deploy");
});

test("a preview runs the login of the base commit, not that of the pull request", async () => {
  shop.branch("feature");
  shop.commitFiles({
    [loginAction]: loginText("hostile"),
    ".qvs-login/action.yml": loginText("hostile"),
  });
  const head = shop.commitParams({ version: "3", greeting: "hello" });
  const { succeeded, log } = await run(
    "pull_request",
    "login-plan.yml",
    pullRequestEvent({ number: 7, base: main, head }),
  );
  expect(succeeded, log).toBe(true);
  expect(log).toContain("trusted login: access preview, environment none");
  expect(log).not.toContain("hostile login:");
  const [comment] = github.state.comments.filter(({ issue }) => issue === 7);
  expect(comment?.body).toContain("`image: shop:2 → shop:3`");
});

test("a pull request from a fork doesn't log in", async () => {
  const head = shop.commitParams({ version: "4", greeting: "hello" });
  const event = pullRequestEvent({ number: 7, from: "stranger/shop", base: main, head });
  const { log } = await run("pull_request", "login-plan.yml", event);
  expect(log).not.toContain("login: access");
  expect(log).toContain("pull requests from forks get no credentials");
});

test("a rollback and a comparison log in with the access that they need", async () => {
  shop.checkout("main");
  const event = { inputs: {}, repository, ref: "refs/heads/main" };
  const rolledBack = await run("workflow_dispatch", "login-rollback.yml", event);
  expect(rolledBack.succeeded, rolledBack.log).toBe(true);
  expect(rolledBack.log).toContain("trusted login: access deploy, environment production");
  expect(await image()).toBe("shop:1");
  const compared = await run("schedule", "login-drift.yml", { schedule: "17 5 * * *", repository });
  expect(compared.succeeded, compared.log).toBe(true);
  expect(compared.log).toContain("trusted login: access preview, environment none");
});

const loginAction = ".github/actions/login/action.yml";

const localLogin = `
name: login
description: Logs in by an action of the workspace.
runs:
  using: composite
  steps:
    - uses: "./.github/actions/login"
`;

/** A composite action that sets KUBECONFIG, as the login actions of the clouds do. */
function loginText(name: string): string {
  return `
name: login
description: Logs in to the cluster.
inputs:
  environment: {description: The environment.}
  access: {description: preview or deploy.}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        ACCESS: \${{ inputs.access }}
        ENVIRONMENT: \${{ inputs.environment }}
      run: |
        echo "${name} login: access $ACCESS, environment \${ENVIRONMENT:-none}"
        echo "KUBECONFIG=$KUBECONFIG_OF_THE_CLOUD" >> "$GITHUB_ENV"
`;
}

function caller(event: string, workflow: string, inputs: string): string {
  return `
on: ${event}
jobs:
  ${workflow}:
    uses: ${actionPath(`.github/workflows/${workflow}.yml`)}
    with: {${inputs}}
`;
}

function run(
  eventName: WorkflowRun["eventName"],
  workflow: string,
  event: object,
): Promise<WorkflowResult> {
  return runAct({
    repository: shop.folder,
    workflow: `.github/workflows/${workflow}`,
    eventName,
    event,
    env: { GITHUB_API_URL: github.apiUrl, KUBECONFIG_OF_THE_CLOUD: cluster.kubeconfig },
    uploads,
    secrets: {},
  });
}

function image(): Promise<string> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  return cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", path);
}
