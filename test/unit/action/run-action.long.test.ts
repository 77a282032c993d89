import { readFileSync } from "node:fs";
import { afterAll, expect, test, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import { renderOutcomes } from "../../../src/report/comment/outcome-comment.ts";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { environment, type GitFixture } from "../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const github = useFakeGitHub();

interface Run {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly action?: string;
  readonly from?: { readonly full_name: string } | null;
  readonly actor?: string;
  /** The event, if it isn't that of a pull request. */
  readonly event?: { readonly name: string; readonly payload: object };
}

/** Runs the Action without a cluster, on a pull request whose branch is checked out. */
async function planned(git: GitFixture, base: string, run: Run = {}) {
  const { inputs = {}, action = "synchronize", actor = "octocat" } = run;
  const repo = { full_name: "acme/shop" };
  const head = {
    sha: git.git("rev-parse", "HEAD"),
    repo: run.from === undefined ? repo : run.from,
  };
  const state = action === "closed" ? "closed" : "open";
  const payload = { action, pull_request: { number: 7, state, base: { sha: base, repo }, head } };
  const event = run.event ?? { name: "pull_request", payload };
  const step = stepEnvironment(event.payload, {
    ...environment,
    PATH: environment.PATH ?? "",
    GITHUB_EVENT_NAME: event.name,
    GITHUB_ACTOR: actor,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: git.directory,
    GITHUB_API_URL: github().apiUrl,
  });
  vi.stubEnv("INPUT_TOKEN", "token");
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, compiler));
  const comments = github().state.comments.map(({ body }) => body);
  const outputs = step.outputs();
  return { ...result, comments, summary: step.summary(), outputs, values: valuesIn(outputs) };
}

/** Returns the outputs by name. Each value is between lines with its own delimiter. */
function valuesIn(outputs: string): Readonly<Record<string, string>> {
  const written = outputs.matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n?^\2$/gm);
  return Object.fromEntries(Array.from(written, ([, name, , value]) => [name, value]));
}

function changedShop(): { git: GitFixture; base: string } {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  return { git, base };
}

test("a preview writes a comment, a summary and outputs", async () => {
  const { git, base } = changedShop();
  const { exitCode, comments, summary, outputs, values } = await planned(git, base);
  expect(exitCode).toBeUndefined();
  expect(comments).toHaveLength(1);
  expect(summary.trim()).toBe(comments[0]?.trim());
  expect(outputs).toContain("has-deletions");
  expect(outputs).toContain("comment-url");
  const page = readFileSync(values["preview-html"] ?? "", "utf8");
  expect(page).toContain("Preview of shop");
  expect(page).toContain('data-action="update"');
});

test("without a cluster, a preview checks the manifests against another version", async () => {
  const { git, base } = changedShop();
  const manifest = { apiVersion: "networking.k8s.io/v1beta1", kind: "Ingress" };
  git.commit({
    "k8s/ingress.json": JSON.stringify({ ...manifest, metadata: { name: "web" }, spec: {} }),
    ".valuestream/qvs.yaml": "designPatterns: [{manifests: ../k8s}]",
    "params.yaml": "{}",
  });
  const inputs = { "AGAINST-VERSION": "1.37" };
  const { comments, values } = await planned(git, base, { inputs });
  const comment = comments[0]?.replaceAll("\\", "");
  expect(comment).toContain("**Affects** `this change`");
  expect(comment).toContain("Declare apiVersion: networking.k8s.io/v1");
  expect(comment).toContain("this server: unknown, not compared): 1 finding in this change");
  const page = readFileSync(values["preview-html"] ?? "", "utf8");
  expect(page).toContain("1 finding in this change");
  const plan = JSON.parse(readFileSync(values["plan-path"] ?? "", "utf8"));
  expect(plan.deployments).toMatchObject([
    { againstVersion: { version: "1.37", findings: 1 }, findings: [{ code: "removed-api" }] },
  ]);
});

test("a restarted preview of an older commit keeps the comment of the newer one", async () => {
  const { git, base } = changedShop();
  const open = { number: 7, branch: "feature", from: "acme/shop" };
  github().state.openPulls.push({ ...open, head: "5e1f".repeat(10) });
  const { exitCode, comments, log } = await planned(git, base);
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(log).toContain(
    "Pull request #7 has a newer commit. The run of that commit writes the comment.",
  );
});

test("a comment that GitHub rejects is a warning, and the rest is written", async () => {
  const { git, base } = changedShop();
  github().failNext(403, 9);
  const { exitCode, comments, summary, outputs, log } = await planned(git, base);
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(log).toContain(
    "::warning title=QVS::qvs can't write the comment%0Aerror: GitHub answered 403",
  );
  expect(log).toContain("permissions: pull-requests: write");
  expect(summary).toContain("`shop`");
  expect(outputs).toContain("has-deletions");
});

test.each([
  ["replicas", "Input param: a line isn't in the form NAME=VALUE"],
  ["replicas=many", "on GitHub, set param: replicas=… under with"],
  ["replicsa=2", "on GitHub, set param: replicsa=… under with"],
])("a wrong input param is reported by its name: %s", async (PARAM, annotation) => {
  const { git, base } = changedShop();
  const { exitCode, log } = await planned(git, base, { inputs: { PARAM, COMMENT: "never" } });
  expect(exitCode).toBe(1);
  expect(log).toContain(annotation);
  // The value might be a secret.
  expect(log).not.toContain("many");
  expect(log.split("::error")[1]).toContain(annotation);
});

test("an empty token writes no comment and no check, and prints a warning with a fix", async () => {
  const { git, base } = changedShop();
  const inputs = { TOKEN: "", CHECK: "qvs" };
  const { exitCode, comments, log } = await planned(git, base, { inputs });
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  const permissionFix = (permission: string) =>
    `Remove the input token to use the job's own, and give the job \`permissions: ${permission}\``;
  const comment = `qvs can't write the comment\n  why: The input token is empty\n  help: ${permissionFix("pull-requests: write")}\n  help: or set \`comment: never\``;
  expect(log).toContain(comment);
  expect(log).toContain("::warning title=QVS::qvs can't write the comment%0Awhy: The input token");
  expect(log).toContain(
    "::warning title=QVS::qvs can't write the check run%0Awhy: The input token is empty",
  );
  expect(log).toContain(permissionFix("checks: write"));
  const never = await planned(git, base, { inputs: { TOKEN: "", CHECK: "", COMMENT: "never" } });
  const fork = {
    inputs: { TOKEN: "", CHECK: "", COMMENT: "changes" },
    from: { full_name: "stranger/shop" },
  };
  for (const quiet of [never, await planned(git, base, fork)])
    expect(quiet.log).not.toContain("the input token is empty");
});

test("an unreadable list of deployments fails the step and replaces the old comment", async () => {
  const { git, base } = changedShop();
  await planned(git, base);
  git.commit({ ".valuestream/deployments.yaml": "deployments: [" });
  const { exitCode, comments, summary, log, values } = await planned(git, base);
  expect(exitCode).toBe(1);
  expect(values).not.toHaveProperty("deployments");
  expect(values).not.toHaveProperty("matrix");
  expect(comments).toHaveLength(1);
  expect(comments[0]).toContain("This pull request can't be previewed");
  expect(summary).toContain("This pull request can't be previewed");
  expect(log).toContain("::error title=QVS,file=.valuestream/deployments.yaml,line=1");
});

test.each(["deploy", "rollback"])("mode %s is rejected on a pull request", async (mode) => {
  const { git, base } = changedShop();
  const { exitCode, log } = await planned(git, base, { inputs: { MODE: mode, REVISION: "1" } });
  expect(exitCode).toBe(1);
  expect(log).toContain(`Mode ${mode} can't run on the event pull_request`);
  expect(github().requests).toEqual([]);
});

test("without a cluster, the outputs count the changes of the commits", async () => {
  const { git, base } = changedShop();
  const { values } = await planned(git, base);
  expect(values).toMatchObject({
    changed: "true",
    "to-create": "0",
    "to-update": "1",
    "to-replace": "0",
    "to-delete": "0",
    "has-deletions": "false",
  });
});

test("a deployment that doesn't compile is never reported as unchanged", async () => {
  const { git, base } = changedShop();
  git.commit({ "params.yaml": "replicas: many\n" });
  const { exitCode, values } = await planned(git, base);
  expect(exitCode).toBe(1);
  expect(values).not.toHaveProperty("changed");
});

test("several deployments share the annotations that GitHub shows, and the log has every problem", async () => {
  const { git, base } = changedShop();
  const names = ["a", "b", "c"];
  const numbers = [1, 2, 3, 4, 5];
  const patterns = numbers.map((number) => ({
    pattern: "shop.example/adapters/web",
    params: { image: `$(params.none${number})` },
  }));
  const config = JSON.stringify({
    modules: [{ name: "shop.example/adapters", local: { path: "../adapters" } }],
    designPatterns: patterns,
  });
  const listed = names.map((name) => ({ name, config: `../${name}/qvs.yaml`, params: [] }));
  const files = Object.fromEntries(names.map((name) => [`${name}/qvs.yaml`, config]));
  git.commit({ ...deploymentsFile(...listed), ...files });
  const { log } = await planned(git, base, { inputs: { SUMMARY: "false" } });
  const lines = log.split("\n");
  const errors = lines.filter((line) => line.startsWith("::error"));
  expect(errors).toHaveLength(10);
  for (const name of names) {
    expect(errors.join("\n")).toContain(`title=QVS%3A ${name},`);
    const places = lines.filter((line) => line.startsWith(`  --> ${name}/qvs.yaml:`));
    expect(places).toHaveLength(numbers.length);
  }
  expect(errors.at(-1)).toMatch(/The log of this step shows \d+ more\./);
});

test("a closed pull request isn't planned, and its comment stays", async () => {
  const { git, base } = changedShop();
  const { exitCode, log, summary, outputs } = await planned(git, base, { action: "closed" });
  expect(exitCode).toBeUndefined();
  expect(log).toContain("Pull request #7 is closed. qvs makes no preview");
  expect([summary, outputs]).toEqual(["", ""]);
  expect(github().requests).toEqual([]);
});

test.each(["labeled", "edited"])("%s triggers a plan", async (action) => {
  const { git, base } = changedShop();
  expect((await planned(git, base, { action })).comments).toHaveLength(1);
});

test("a plan after the merge keeps the outcome", async () => {
  const { git, base } = changedShop();
  const outcome = renderOutcomes([], "abc", undefined);
  github().state.add(7, "github-actions[bot]", `${commentMarker}\n${outcome}\n\nplan`);
  const { comments, values } = await planned(git, base);
  expect(comments).toHaveLength(1);
  expect(comments[0]?.startsWith(`${commentMarker}\n${outcome}\n\n`)).toBe(true);
  expect(comments[0]).toContain("`shop`");
  expect(values["comment-url"]).toMatch(/^https:/);
});

test("a comment that is deleted before its update is created again", async () => {
  const { git, base } = changedShop();
  github().state.add(7, "github-actions[bot]", `${commentMarker}\nplan`);
  github().failNext(404, 1, { method: "PATCH", message: "Not Found" });
  const { comments, log } = await planned(git, base);
  expect(log).not.toContain("::warning");
  expect(comments).toHaveLength(2);
  expect(comments[1]).toContain("`shop`");
});

test("a pull request of Dependabot gets a comment", async () => {
  const { git, base } = changedShop();
  expect((await planned(git, base, { actor: "dependabot[bot]" })).comments).toHaveLength(1);
});

test("without Dependabot's write permission, the summary is enough", async () => {
  const { git, base } = changedShop();
  github().failNext(403, 9, { message: "Resource not accessible by integration" });
  const { exitCode, comments, log, summary } = await planned(git, base, {
    actor: "dependabot[bot]",
  });
  expect(exitCode).toBeUndefined();
  expect(comments).toEqual([]);
  expect(log).toContain("Dependabot's token isn't allowed to write comments");
  expect(log).not.toContain("::warning");
  expect(summary).toContain("`shop`");
});

test.each([
  { from: null, actor: "octocat" },
  { from: { full_name: "stranger/shop" }, actor: "dependabot[bot]" },
])("nothing is written for a fork: $from, $actor", async (who) => {
  const { git, base } = changedShop();
  const { summary } = await planned(git, base, who);
  expect(github().requests).toEqual([]);
  expect(summary).toContain("pull requests from forks get no credentials");
});

test.each([
  ["DEPLOYMENT", "shopp", 'Did you mean "shop"?', "choose one of these: shop"],
  ["CONFIG", "nowhere/*.yaml", "matches no config of a deployment", ".valuestream/qvs.yaml"],
])("an input %s that matches nothing fails the preview", async (input, value, what, fix) => {
  const { git, base } = changedShop();
  const { exitCode, log, comments } = await planned(git, base, { inputs: { [input]: value } });
  expect(exitCode).toBe(1);
  expect(log).toContain(what);
  expect(log).toContain(fix);
  expect(comments[0]).toContain("This pull request can't be previewed");
});

test("a deployment that the pull request removes can be chosen by its name", async () => {
  const { git, base } = changedShop();
  git.commit(deploymentsFile({ name: "other", namespace: "shop" }));
  const { exitCode, comments } = await planned(git, base, { inputs: { DEPLOYMENT: "shop" } });
  expect(exitCode).toBeUndefined();
  expect(comments[0]).toContain('Removed deployment "shop" leaves its objects');
});

test.each([
  ["params.yaml", "version: 2.0.0\nreplicas: 2\n", undefined],
  ["params.yaml", "replicas: many\n", 1],
])("a merge queue gets the verdict without a comment", async (file, text, code) => {
  const { git, base } = changedShop();
  git.commit({ [file]: text });
  const head_sha = git.git("rev-parse", "HEAD");
  const event = { name: "merge_group", payload: { merge_group: { base_sha: base, head_sha } } };
  const { exitCode, summary } = await planned(git, base, { event });
  expect(exitCode).toBe(code);
  expect(summary).toContain("`shop`");
  expect(github().requests).toEqual([]);
});

test("a problem is annotated at the place that the pull request changes", async () => {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  // The line of the config is unchanged, but the adapter no longer allows its value.
  const adapter = shopFiles["adapters/web/main.cue"];
  git.commit({ "adapters/web/main.cue": adapter.replace(`"small" |`, `"medium" |`) });
  const { exitCode, log } = await planned(git, base);
  expect(exitCode).toBe(1);
  expect(log).toContain("file=adapters/web/main.cue,line=");
});
