import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";
import { startHttpsServer } from "../../support/servers/https-server.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";
import { deploymentsFile } from "../../support/shop/shop-world.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const token = "ghs_hunter2hunter2hunter2";
const sent = Buffer.from(`x-access-token:${token}`).toString("base64");

/**
 * Runs the Action's preview of a shop whose adapters are in a private repository, without a
 * cluster.
 */
async function preview(inputs: (host: string) => Readonly<Record<string, string>>) {
  const adapters = new GitFixture();
  for (const [path, text] of Object.entries(shopFiles)) {
    if (path.startsWith("adapters/")) adapters.write(path.slice("adapters/".length), text);
  }
  adapters.commit();
  adapters.git("tag", "v1");
  const root = join(adapters.directory, "..");
  const server = await startHttpsServer({ root, password: token });
  const repo = `${server.host}/${adapters.directory.split("/").at(-1)}`;
  const app = new GitFixture();
  const config = shopFiles[".valuestream/qvs.yaml"];
  const remote = `remote: {repo: "${repo}", revision: v1}`;
  const base = app.commit({
    ".valuestream/qvs.yaml": config.replace(/local: .*/, remote),
    "params.yaml": shopFiles["params.yaml"],
    ...deploymentsFile({ name: "shop", namespace: "shop" }),
  });
  app.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  const github = await startFakeGitHub();
  const event = {
    pull_request: {
      number: 7,
      base: { sha: base, repo: { full_name: "acme/shop" } },
      head: { sha: app.git("rev-parse", "HEAD"), repo: { full_name: "acme/shop" } },
    },
  };
  const step = stepEnvironment(event, {
    ...environment,
    ...server.trusted,
    QVS_CACHE: temporaryDirectory(),
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: app.directory,
    GITHUB_API_URL: github.apiUrl,
  });
  vi.stubEnv("INPUT_TOKEN", "token");
  for (const [name, value] of Object.entries(inputs(server.host))) {
    vi.stubEnv(`INPUT_${name}`, value);
  }
  const { exitCode, log } = await asStep(() => runAction(step.env, compiler));
  await github.close();
  const comments = github.state.comments.map(({ body }) => body);
  const shown = [...comments, step.summary(), step.outputs(), withoutMasks(log)].join("\n");
  return { exitCode, comments, log, shown, authorizations: server.authorizations };
}

/**
 * Returns the log without the lines that make the runner mask text. The runner doesn't show them.
 */
function withoutMasks(log: string): string {
  return log.replaceAll(/^::add-mask::.*$/gm, "");
}

test("the input modules-token gives access to a private repository of adapters and is shown nowhere", async () => {
  const { exitCode, comments, log, shown } = await preview((host) => ({
    "MODULES-TOKEN": token,
    "MODULES-HOST": host,
  }));
  expect(exitCode).toBeUndefined();
  expect(comments[0]).toContain("registry.example/shop:2.0.0");
  expect(log).toContain(`::add-mask::${token}\n`);
  expect(log).toContain(`::add-mask::${sent}\n`);
  expect(shown).not.toContain(token);
  expect(shown).not.toContain(sent);
});

test("a wrong token is reported without the token", async () => {
  const { exitCode, shown } = await preview((host) => ({
    "MODULES-TOKEN": "ghs_wrong",
    "MODULES-HOST": host,
  }));
  expect(exitCode).toBe(1);
  expect(shown).toContain("access was denied");
  expect(shown).toContain("modules-token");
  expect(shown).not.toContain("ghs_wrong");
});

test("the default host of the token is the GitHub that runs the workflow, and no other host gets it", async () => {
  const { exitCode, authorizations } = await preview(() => ({ "MODULES-TOKEN": token }));
  expect(exitCode).toBe(1);
  expect(new Set(authorizations)).toEqual(new Set([""]));
});

test("a token for an invalid host is rejected", async () => {
  const { exitCode, log } = await preview(() => ({
    "MODULES-TOKEN": token,
    "MODULES-HOST": "https://github.com/acme",
  }));
  expect(exitCode).toBe(1);
  expect(log).toContain("The token for modules has no valid host");
});
