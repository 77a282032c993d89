import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { buildTools } from "../cluster/build.ts";

/** One event of a repository, and the workflow that it starts. */
export interface WorkflowRun {
  /** A Git repository with a remote on github.com. Its checked-out commit is the event's commit. */
  readonly repository: string;
  /** The path of the workflow in the repository. */
  readonly workflow: string;
  readonly eventName:
    | "issue_comment"
    | "merge_group"
    | "pull_request"
    | "push"
    | "schedule"
    | "workflow_dispatch"
    | "workflow_run";
  /** The payload of the webhook. */
  readonly event: object;
  readonly env: Readonly<Record<string, string>>;
  /** The directory for uploaded artifacts. */
  readonly uploads: string;
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * A directory with a kubeconfig for each environment, by its name: the secret of that
   * environment.
   */
  readonly environments?: string | undefined;
}

export interface WorkflowResult {
  readonly succeeded: boolean;
  /** The output of the run, for messages about failed expectations. */
  readonly log: string;
}

const root = join(import.meta.dirname, "../../..");

/** The repository and the ref by which callers name the staged action: a private copy of another owner. */
export const actionUnderTest = "acme-platform/deploy@v0";

/** Returns the reference of a path in the repository of the action. */
export function actionPath(path: string): string {
  return actionUnderTest.replace("@", `/${path}@`);
}

/**
 * Runs a workflow as GitHub would, on this host and without containers.
 * It runs the caller, its reusable workflow and the built action from this working tree. `act`
 * doesn't support concurrency, environments, permissions or `uses: $/PATH`. Therefore the
 * workflows name the staged repository and the paths of the environments' secrets as text.
 */
export async function runAct(run: WorkflowRun): Promise<WorkflowResult> {
  const { path } = await buildTools("act");
  const folder = await mkdtemp(join(tmpdir(), "act-"));
  try {
    return await execute(path("act"), await argumentsFor(run, folder), run, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function argumentsFor(run: WorkflowRun, folder: string): Promise<readonly string[]> {
  const files = { event: join(folder, "event.json"), secrets: join(folder, "secrets.yaml") };
  await writeFile(files.event, JSON.stringify(run.event));
  await writeFile(files.secrets, JSON.stringify({ GITHUB_TOKEN: "token", ...run.secrets }));
  const action = await stageAction(join(folder, "action"), run.environments);
  const env = { ...run.env, FAKE_UPLOADS: run.uploads };
  return [
    run.eventName,
    ...["--workflows", run.workflow],
    ...["--eventpath", files.event],
    ...["--secret-file", files.secrets],
    ...["--platform", "ubuntu-latest=-self-hosted"],
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...["--local-repository", `${actionUnderTest}=${action}`],
    ...(await standIn("checkout")),
    ...(await standIn("upload-artifact")),
    ...(await standIn("download-artifact")),
    "--use-new-action-cache",
    "--action-offline-mode",
    "--no-cache-server",
  ];
}

/** Copies only the files that act reads. From the working tree, act would pack all files. */
async function stageAction(folder: string, environments?: string): Promise<string> {
  const workflows = join(folder, ".github/workflows");
  await mkdir(workflows, { recursive: true });
  for (const part of ["run", "dist"])
    await cp(join(root, part), join(folder, part), { recursive: true });
  for (const file of await readdir(join(root, ".github/workflows"))) {
    const text = await readFile(join(root, ".github/workflows", file), "utf8");
    const known = withoutNews(text);
    await writeFile(
      join(workflows, file),
      environments === undefined ? known : withEnvironments(known, environments),
    );
  }
  return folder;
}

/**
 * Removes keys that act doesn't know. It rejects a workflow with an unknown key and reads an
 * unknown property as empty.
 */
function withoutNews(workflow: string): string {
  return workflow
    .replaceAll(/^ *(?:queue: max|deployment: (?:false|\$\{\{ !).*)\n/gm, "")
    .replaceAll(/uses: \$\/(\S+)/g, (_, path) => `uses: ${actionPath(path)}`);
}

/** Inserts the secrets of environments, which override the passed secret of the same name. */
function withEnvironments(workflow: string, folder: string): string {
  const job = /(environment:(?:\n {6}name:)? \$\{\{ (.+?) \}\}[\s\S]*?)(?=\n {2}\S|$(?![\s\S]))/g;
  return workflow.replaceAll(job, (text, _: string, name: string) =>
    text.replaceAll(
      /(kubeconfig: )\$\{\{ secrets\.kubeconfig \}\}/g,
      `$1\${{ (${name}) != '' && format('${folder}/{0}', ${name}) || secrets.kubeconfig }}`,
    ),
  );
}

const standIns = {
  checkout: "fake-checkout",
  "upload-artifact": "fake-upload",
  "download-artifact": "fake-download",
} as const;

/** Returns the arguments that replace the pinned commit of an action with a stand-in. */
async function standIn(name: keyof typeof standIns): Promise<readonly string[]> {
  const workflow =
    (await readFile(join(root, ".github/workflows/deploy.yml"), "utf8")) +
    (await readFile(join(root, ".github/workflows/plan.yml"), "utf8"));
  const [reference] = new RegExp(`actions/${name}@[0-9a-f]{40}`).exec(workflow) ?? [];
  if (reference === undefined) throw new Error(`no workflow pins actions/${name} by commit.`);
  return ["--local-repository", `${reference}=${join(import.meta.dirname, standIns[name])}`];
}

async function execute(
  act: string,
  args: readonly string[],
  { repository }: WorkflowRun,
  folder: string,
): Promise<WorkflowResult> {
  // The action runs with this Node 24, because it is first in PATH. A separate HOME keeps act from
  // using the user's settings and caches.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: folder, XDG_CACHE_HOME: join(folder, "cache") };
  const options = { cwd: repository, env, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await promisify(execFile)(act, args, options);
    return { succeeded: true, log: stdout + stderr };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { succeeded: false, log: `${stdout}${stderr}${error}` };
  }
}
