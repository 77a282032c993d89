import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";
import { BaseRepositories, configMap } from "../../support/servers/base-repositories.ts";
import { deploymentsFile } from "../../support/shop/shop-world.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

interface Attempt {
  /** The base in the base commit, and that in the pull request. */
  readonly from: string;
  readonly to: string;
  readonly event?: "pull_request" | "merge_group";
  readonly head?: string;
  readonly isPublic?: boolean;
  /** True if an earlier run on this machine has cached the bases. */
  readonly isCached?: boolean;
  /** The place of the runner's credentials. Default: the input of the Action. */
  readonly credentials?: "input" | "settings of git";
}

const password = "right-password";

/** Previews a change of a base in repositories that need a password, which the runner has. */
async function preview(attempt: Attempt) {
  const { from, to, event = "pull_request", head = "acme/shop", isPublic = false } = attempt;
  const place = await BaseRepositories.start(compiler, isPublic ? undefined : password);
  const token = { QVS_MODULES_TOKEN: password, QVS_MODULES_HOST: place.server.host };
  for (const name of ["web", "secret"]) {
    place.create(name, {
      "kustomization.yaml": "resources: [map.yaml]\n",
      "map.yaml": configMap(name, `content-of-${name}`),
    });
  }
  const commit = async (name: string, prefix: string) => {
    place.overlay(`namePrefix: ${prefix}-\nresources: ['https://HOST/acme/${name}?ref=v1']\n`);
    expect(await place.run(["lock"], token)).toMatch(/^0\n/);
    return place.app.commit(deploymentsFile({ name: "app", namespace: "app", params: undefined }));
  };
  const base = await commit(from, "a");
  const headSha = await commit(to, "b");
  const pull = {
    number: 7,
    base: { sha: base, repo: { full_name: "acme/shop" } },
    head: { sha: headSha, repo: { full_name: head } },
  };
  const refs = { head_ref: "refs/heads/gh-readonly-queue/main/a", base_ref: "refs/heads/main" };
  const github = await startFakeGitHub();
  const step = stepEnvironment(
    event === "pull_request"
      ? { pull_request: pull }
      : { merge_group: { base_sha: base, head_sha: headSha, ...refs } },
    {
      ...environment,
      ...place.server.trusted,
      ...(attempt.credentials === "settings of git" && settingsOfGit(place.server.host)),
      QVS_CACHE: attempt.isCached === true ? place.cache : temporaryDirectory(),
      GITHUB_EVENT_NAME: event,
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_WORKSPACE: place.app.directory,
      GITHUB_API_URL: github.apiUrl,
    },
  );
  vi.stubEnv("INPUT_TOKEN", "token");
  if (attempt.credentials !== "settings of git") {
    vi.stubEnv("INPUT_MODULES-TOKEN", password);
    vi.stubEnv("INPUT_MODULES-HOST", place.server.host);
  }
  const before = place.server.paths.length;
  const { log } = await asStep(() => runAction(step.env, compiler));
  vi.unstubAllEnvs();
  await github.close();
  const comments = github.state.comments.map(({ body }) => body);
  const shown = [...comments, step.summary(), step.outputs(), log].join("\n");
  const requests = place.server.paths.slice(before).map((path, index) => ({
    path,
    isLoggedIn: place.server.authorizations[before + index] !== "",
  }));
  const logins = requests.filter(({ isLoggedIn }) => isLoggedIn).map(({ path }) => path);
  return { shown: place.shown(shown), logins, requests: requests.length };
}

function settingsOfGit(host: string) {
  const file = join(temporaryDirectory(), "config");
  const header = `Authorization: Basic ${btoa(`user:${password}`)}`;
  writeFileSync(file, `[http "https://${host}/"]\n\textraHeader = ${header}\n`);
  return { GIT_CONFIG_GLOBAL: file };
}

test("a preview uses credentials for a base of the base commit", async () => {
  const { shown, logins } = await preview({ from: "web", to: "web" });
  expect(shown).toContain("content-of-web");
  expect(logins).not.toEqual([]);
});

test.each<Omit<Attempt, "from" | "to">>([
  { event: "pull_request" },
  { event: "merge_group" },
  { event: "pull_request", isCached: true },
  { event: "pull_request", credentials: "settings of git" },
])("a preview uses no credentials for another base: %j", async (attempt) => {
  const { shown, logins, requests } = await preview({ from: "web", to: "secret", ...attempt });
  expect(shown).not.toContain("content-of-secret");
  expect(shown).toContain("needs credentials, which this preview doesn't use");
  expect(shown).toContain("A pull request could otherwise read any private repository");
  expect(logins.filter((path) => path.includes("secret"))).toEqual([]);
  expect(requests).toBeGreaterThan(0);
});

test("a preview of a fork uses no credentials for a base", async () => {
  const { shown, logins } = await preview({ from: "web", to: "web", head: "a/fork" });
  expect(shown).not.toContain("content-of-web");
  expect(logins).toEqual([]);
});

test("a preview reads a new public base without credentials", async () => {
  const { shown, logins } = await preview({ from: "web", to: "secret", isPublic: true });
  expect(shown).toContain("content-of-secret");
  expect(logins.filter((path) => path.includes("secret"))).toEqual([]);
});
