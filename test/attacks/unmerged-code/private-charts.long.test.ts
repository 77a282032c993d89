import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { packedChart } from "../../support/packed-chart.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";
import { ChartRegistry, digestOf } from "../../support/servers/chart-registry.ts";
import { deploymentsFile } from "../../support/shop/shop-world.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const charts = new Map(["web", "secret"].map((name) => [name, chart(name)]));

function chart(name: string): Buffer {
  return packedChart(name, {
    "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    "templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {text: "content-of-${name} {{ .Values.size }}"}
`,
  });
}

type Kind = "oci" | "repository";

/** Returns the config and the lockfile of an application that consists of one chart. */
function application(host: string, kind: Kind, name: string, size: number) {
  const address = kind === "oci" ? `oci://${host}/${name}` : name;
  const repository = kind === "oci" ? undefined : `http://${host}`;
  const entry = { chart: address, ...(repository && { repo: repository }), version: "1.0.0" };
  const helm = { ...entry, release: "app", set: { size } };
  const digest = digestOf(charts.get(name) ?? Buffer.alloc(0));
  const locked = { chart: address, ...(repository && { repository }), version: "1.0.0", digest };
  return {
    ".valuestream/qvs.yaml": JSON.stringify({ designPatterns: [{ helm }] }),
    ".valuestream/qvs.lock": JSON.stringify({ version: "1", modules: [], charts: [locked] }),
    ...deploymentsFile({ name: "app", namespace: "app", params: undefined }),
  };
}

interface Attempt {
  readonly kind: Kind;
  /** The chart in the base commit, and that in the pull request. */
  readonly from: string;
  readonly to: string;
  readonly event?: "pull_request" | "merge_group";
  readonly head?: string;
  readonly isPublic?: boolean;
  /** True if an earlier run on this machine has cached the charts. */
  readonly isCached?: boolean;
}

/** Previews a change of a chart in a registry that needs a login, which the runner has. */
async function preview(attempt: Attempt) {
  const { kind, from, to, event = "pull_request", head = "acme/shop" } = attempt;
  const registry = await new ChartRegistry().start();
  for (const [name, content] of charts) registry.push(name, "1.0.0", content);
  if (attempt.isPublic !== true)
    registry.login = { text: "user:password", scheme: kind === "oci" ? "Bearer" : "Basic" };
  const home = temporaryDirectory();
  const auths = { [registry.host]: { auth: btoa("user:password") } };
  writeFileSync(join(home, "config.json"), JSON.stringify({ auths }));
  const cache = temporaryDirectory();
  const app = new GitFixture();
  const run = async (base: string, name: typeof event, repository: string) => {
    const github = await startFakeGitHub();
    const headSha = app.git("rev-parse", "HEAD");
    const refs = { head_ref: "refs/heads/gh-readonly-queue/main/a", base_ref: "refs/heads/main" };
    const pull = {
      number: 7,
      base: { sha: base, repo: { full_name: "acme/shop" } },
      head: { sha: headSha, repo: { full_name: repository } },
    };
    const step = stepEnvironment(
      name === "pull_request"
        ? { pull_request: pull }
        : { merge_group: { base_sha: base, head_sha: headSha, ...refs } },
      {
        ...environment,
        QVS_CACHE: attempt.isCached === true ? cache : temporaryDirectory(),
        QVS_INSECURE_REGISTRIES: registry.host,
        DOCKER_CONFIG: home,
        GITHUB_EVENT_NAME: name,
        GITHUB_REPOSITORY: "acme/shop",
        GITHUB_WORKSPACE: app.directory,
        GITHUB_API_URL: github.apiUrl,
      },
    );
    vi.stubEnv("INPUT_TOKEN", "token");
    const { log } = await asStep(() => runAction(step.env, compiler));
    await github.close();
    const comments = github.state.comments.map(({ body }) => body);
    return [...comments, step.summary(), step.outputs(), log].join("\n");
  };
  if (attempt.isCached === true) {
    const merged = app.commit(application(registry.host, kind, to, 1));
    app.commit(application(registry.host, kind, to, 2));
    expect(await run(merged, "pull_request", "acme/shop")).toContain(`content-of-${to}`);
  }
  const base = app.commit(application(registry.host, kind, from, 3));
  app.commit(application(registry.host, kind, to, 4));
  registry.seen.splice(0);
  const shown = await run(base, event, head);
  const logins = registry.seen.filter(({ authorization }) => authorization !== undefined);
  return { shown, logins: logins.map(({ path }) => path) };
}

const kinds = ["oci", "repository"] as const;

test.each(kinds)("a preview uses the login for a chart of the base commit: %s", async (kind) => {
  const { shown } = await preview({ kind, from: "web", to: "web" });
  expect(shown).toContain("content-of-web 4");
});

test.each([
  ...kinds.map((kind) => [kind, "pull_request", false] as const),
  ["oci", "merge_group", false] as const,
  ["oci", "pull_request", true] as const,
])(
  "a preview uses no login for another chart: %s, %s, cached: %s",
  async (kind, event, isCached) => {
    const { shown, logins } = await preview({ kind, from: "web", to: "secret", event, isCached });
    expect(shown).not.toContain("content-of-secret");
    expect(shown).toContain("needs a login, which this preview doesn't use");
    expect(shown).toContain("A pull request could otherwise read any private chart");
    expect(logins.filter((path) => path.includes("secret"))).toEqual([]);
  },
);

test("a preview of a fork uses no login", async () => {
  const { shown, logins } = await preview({ kind: "oci", from: "web", to: "web", head: "a/fork" });
  expect(shown).not.toContain("content-of-web");
  expect(logins).toEqual([]);
});

test("a preview reads a new public chart of a host with a login", async () => {
  const { shown } = await preview({ kind: "oci", from: "web", to: "secret", isPublic: true });
  expect(shown).toContain("content-of-secret 4");
});
