import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../..");

export interface StartedAction {
  readonly workspace: string;
  readonly eventName: string;
  /** The payload of the webhook. */
  readonly event: object;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The directory of the checked-out action. Default: this working tree. */
  readonly action?: string;
}

export interface ActionResult {
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
}

/**
 * Runs the built Action like a runner: Node.js runs dist/index.js in the workspace, with only the
 * runner's variables.
 */
export async function startAction(started: StartedAction): Promise<ActionResult> {
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  writeFileSync(path("event.json"), JSON.stringify(started.event));
  for (const name of ["summary.md", "output.txt"]) writeFileSync(path(name), "");
  const inputs = Object.entries(started.inputs ?? {}).map(
    ([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const,
  );
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: started.eventName,
    GITHUB_EVENT_PATH: path("event.json"),
    GITHUB_OUTPUT: path("output.txt"),
    GITHUB_STEP_SUMMARY: path("summary.md"),
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: started.workspace,
    ...Object.fromEntries(inputs),
    ...started.env,
  };
  const program = join(started.action ?? root, "dist/index.js");
  const { code, log } = await run(program, started.workspace, env);
  return { code, log, summary: readFileSync(path("summary.md"), "utf8") };
}

function run(
  program: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ActionResult, "code" | "log">> {
  const child = spawn(process.execPath, [program], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      log += chunk;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, log }));
  });
}

/** Puts the Action below the workspace, where a workflow can check it out: the worst place for it. */
export function checkOutAction(workspace: string): string {
  const folder = join(workspace, ".qvs-action");
  cpSync(join(root, "action.yml"), join(folder, "action.yml"));
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  return folder;
}
