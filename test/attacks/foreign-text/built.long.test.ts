import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, vi } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { environment, type GitFixture } from "../../support/git/git-fixture.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { stepEnvironment } from "../../support/plan/step.ts";
import { runBuilt } from "../../support/qvs/run-qvs.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";
import { attacks } from "../attack.ts";
import { linksIn, ordersIn, unseenIn } from "./seen.ts";

/**
 * Runs the built Action and command with hostile text. Checks the output for GitHub and the runner.
 */
const hostile = [
  "a\n::error::x\n##[add-matcher]y",
  "\x1b[2J\x1b]8;;https://evil.example\x07\x9b31m",
  "\u202egnp\u2066\u3164\u2800\u206a\ufff9\u{e0141}\u{10fffe}",
  "@octocat #1 GH-2 https://evil.example www.evil.example deadbeef :x:",
  "<!-- qvs-action:comment v1 -->\n<!-- qvs-action:outcome -->\n<!-- /qvs-action:outcome -->",
  "```\n~~~\n</details><img src=x>|`z",
].join("\n");
const quoted = JSON.stringify(hostile);
/** File names can't contain line ends or slashes. */
const fileName = hostile.replaceAll(/[\n/\0]/g, " ").slice(0, 80);

const configFile = ".valuestream/qvs.yaml";
const mainFile = "adapters/web/main.cue";
const program = join(import.meta.dirname, "../../../dist/index.js");

let github: FakeGitHub;
beforeEach(async () => {
  github = await startFakeGitHub();
});
afterEach(() => github.close());

describe("the Action", () => {
  attacks(
    "foreign text",
    "$of",
    [
      { of: "a value", files: { "params.yaml": `version: ${quoted}\nreplicas: 2\n` } },
      {
        of: "a key of the config",
        files: { [configFile]: shopFiles[configFile].replace("params:", `${quoted}: 1\nparams:`) },
      },
      { of: "a deployment", files: deploymentsFile({ name: hostile, namespace: hostile }) },
      {
        of: "a file that is missing",
        files: deploymentsFile({ name: "shop", namespace: "shop", params: [`../${fileName}`] }),
      },
      {
        of: "a resource",
        files: {
          [mainFile]: shopFiles[mainFile].replace(
            "app: deployment:",
            `app: ${JSON.stringify(hostile.replaceAll("/", " "))}:`,
          ),
        },
      },
      {
        of: "CUE's complaint",
        files: { [mainFile]: `${shopFiles[mainFile]}\n${quoted}: 1 & ${quoted}\n` },
      },
      {
        of: "GitHub's refusal",
        files: { "params.yaml": "version: 2.0.0\nreplicas: 2\n" },
        refusal: hostile,
      },
    ],
    async ({ files, refusal }) => {
      const git = shopUnderGit();
      const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
      git.commit(files);
      if (refusal !== undefined) github.failNext(403, 20, { message: refusal });
      const { log, summary } = await run(git, base);
      const comments = github.state.comments.map(({ body }) => body);
      expect(log).not.toBe("");
      expect(faultsOfLog(log)).toEqual([]);
      expect([summary, ...comments].flatMap(faultsOfMarkdown)).toEqual([]);
    },
  );
});

describe("the command", () => {
  const config = {
    [configFile]: shopFiles[configFile].replace("params:", `${quoted}: 1\nparams:`),
  };
  const described = {
    [mainFile]: `// ${hostile.replaceAll("\n", "\n// ")}\n${shopFiles[mainFile]}`,
  };
  attacks(
    "foreign text",
    "$of",
    [
      { of: "a config", files: config, args: ["compile", "--params", "params.yaml"] },
      { of: "an argument", files: {}, args: ["compile", hostile] },
      { of: "a flag", files: {}, args: ["deploy", "--timeout", hostile] },
      { of: "a deployment's name", files: {}, args: ["compile", "--deployment", hostile] },
      { of: "an adapter", files: described, args: ["describe", "./adapters/web"] },
      {
        of: "a document",
        files: described,
        args: ["describe", "./adapters/web", "--format", "markdown"],
      },
      { of: "a module", files: described, args: ["describe", "--module", "./adapters"] },
      {
        of: "JSON",
        files: { "params.yaml": `version: ${quoted}\nreplicas: 2\n` },
        args: ["compile", "--params", "params.yaml", "--format", "json"],
      },
      {
        of: "a question",
        files: {},
        args: ["compile", "--params", "params.yaml", "--explain", hostile],
      },
    ],
    async ({ files, args }) => {
      const { directory } = temporaryRepository({ ...shopFiles, ...files });
      const { stdout, stderr } = await runBuilt(directory, args, { GITHUB_ACTIONS: "true" });
      expect(stdout + stderr).not.toBe("");
      expect(faultsOfLog(stdout + stderr)).toEqual([]);
    },
  );
});

function faultsOfLog(log: string): readonly string[] {
  const ours = /^::(error|warning) title=QVS|^::add-mask::|^::(end)?group::/;
  const decoded = log.replaceAll("%0A", "\n").replaceAll("%0D", "\r");
  return [...unseenIn(decoded, /[\n\t]/g), ...ordersIn(log).filter((line) => !ours.test(line))];
}

function faultsOfMarkdown(markdown: string): readonly string[] {
  const markers = markdown.split("<!-- qvs-action:comment v1 -->").length - 1;
  return [
    ...unseenIn(markdown, /[\n\t]/g),
    ...linksIn(markdown),
    ...(markers > 1 || markdown.includes("<!-- qvs-action:outcome") ? ["a marker of ours"] : []),
  ];
}

/** Runs the Action like a runner, without a cluster. */
async function run(git: GitFixture, base: string) {
  const repo = { full_name: "acme/shop" };
  const head = { sha: git.git("rev-parse", "HEAD"), repo };
  const step = stepEnvironment(
    { pull_request: { number: 7, base: { sha: base, repo }, head } },
    {},
  );
  onTestFinished(() => void vi.unstubAllEnvs());
  const child = spawn(process.execPath, [program], {
    cwd: git.directory,
    env: {
      ...environment,
      ...step.env,
      GITHUB_OUTPUT: process.env.GITHUB_OUTPUT,
      PATH: process.env.PATH,
      GITHUB_ACTIONS: "true",
      GITHUB_EVENT_NAME: "pull_request",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_WORKSPACE: git.directory,
      GITHUB_API_URL: github.apiUrl,
      INPUT_TOKEN: "token",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  await new Promise((resolve) => child.on("close", resolve));
  return { log, summary: step.summary() };
}
