import { execFileSync } from "node:child_process";
import { afterAll, expect, test, vi } from "vitest";
import { runAction } from "../../src/action/run.ts";
import { startCompiler } from "../../src/world/start-compiler.ts";
import { environment } from "../io/git/git-fixture.ts";
import { useCluster } from "../support/cluster.ts";
import { useFakeGitHub } from "../support/fake-github/use.ts";
import { createShopRepository, type ShopRepository } from "../support/shop-repository.ts";
import { asStep, stepEnvironment } from "../support/step.ts";

/** The life of the issue about drift: the Action on a schedule, a real control plane and a fake GitHub. */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const github = useFakeGitHub();
const repository = { full_name: "acme/shop", default_branch: "main" };

test("one issue tells of drift, is kept current, closed, and opened again", async ({
  onTestFinished,
}) => {
  const namespace = await cluster.namespace("drift");
  const shop = createShopRepository(namespace);
  onTestFinished(() => shop.remove());
  const main = shop.commitParams({ version: "1", greeting: "hello" });
  github().state.branches.set("main", ["0".repeat(40), main]);
  const { issues } = github().state;
  const kubectl = (...args: readonly string[]) => cluster.kubectl("-n", namespace, ...args);
  const greet = (greeting: string) => {
    const data = JSON.stringify({ data: { greeting } });
    return kubectl("patch", "configmap", "settings", "--field-manager=kubectl-edit", "-p", data);
  };
  const look = async (inputs: Readonly<Record<string, string>> = {}) => {
    const before = github().requests.length;
    const result = await run(shop, "schedule", { repository }, main, inputs);
    const asked = github().requests.slice(before);
    const written = asked.filter((each) => /^(POST|PATCH|DELETE) .repos/.test(each));
    return { ...result, written: written.map((each) => each.split(" ")[0]) };
  };

  const ref = "refs/heads/main";
  const event = { before: "0".repeat(40), after: main, ref, repository };
  const first = await run(shop, "push", event, main, { "approved-plan": "off" });
  expect(first.exitCode, first.log).toBeUndefined();

  const clean = await look();
  expect(clean.exitCode, clean.log).toBeUndefined();
  expect(clean.outputs).toContain("false");
  expect(clean.written).toEqual([]);

  await greet("<img> @acme/all `x` | ::error::no \u202e");
  const found = await look();
  expect(found.exitCode, found.log).toBeUndefined();
  expect(found.written).toEqual(["POST"]);
  const [issue] = issues;
  expect(issue?.title).toBe("Drift: shop");
  const text = issue?.body
    .replaceAll(namespace, "demo")
    .replaceAll(/since [\dT:Z-]+/g, "since TIME");
  expect(text).toMatchSnapshot();
  expect(found.summary).toContain("kubectl-edit");

  expect((await look()).written).toEqual([]);
  issues.push({ ...forged(issue?.body ?? ""), number: 1, author: "mallory" });
  issues.push({
    ...forged(issue?.body ?? ""),
    number: 2,
    author: issue?.author ?? "",
    isPull: true,
  });
  await kubectl("delete", "deployment", "web");
  expect((await look()).written).toEqual(["PATCH"]);
  expect(issue?.body).toContain("1 changed, 1 missing");

  const refused = await run(shop, "pull_request", {}, main, { mode: "drift" });
  expect(refused.exitCode).toBe(1);

  const corrected = await look({ reconcile: "true" });
  expect(corrected.exitCode, corrected.log).toBeUndefined();
  expect(corrected.written).toEqual(["PATCH"]);
  expect(issue).toMatchObject({ state: "closed", reason: "completed" });
  expect(issue?.body).toContain("It was put right: shop release 1 corrected: 1 created, 1 updated");
  expect((await look()).written).toEqual([]);

  await greet("again");
  await look();
  expect(issue).toMatchObject({ state: "open", reason: "reopened" });
  expect(issues).toHaveLength(3);
  expect(issues.slice(1).map(({ state }) => state)).toEqual(["open", "open"]);
});

function forged(body: string) {
  return { title: "Drift: shop", body, state: "open", reason: null } as const;
}

async function run(
  { folder }: ShopRepository,
  name: string,
  event: object,
  commit: string,
  inputs: Readonly<Record<string, string>> = {},
) {
  const step = stepEnvironment(event, {
    ...environment,
    GITHUB_EVENT_NAME: name,
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: commit,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: folder,
    GITHUB_API_URL: github().apiUrl,
  });
  execFileSync("git", ["checkout", "--quiet", "--detach", commit], { cwd: folder });
  const given = { token: "token", kubeconfig: cluster.kubeconfigFor("admin"), ...inputs };
  for (const [input, value] of Object.entries(given))
    vi.stubEnv(`INPUT_${input.toUpperCase()}`, value);
  const result = await asStep(() => runAction(step.env, compiler));
  vi.unstubAllEnvs();
  return { ...result, summary: step.summary(), outputs: step.outputs() };
}
