import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { ActionContext } from "../../../src/action/context.ts";
import { sentSecrets } from "../../../src/redaction/sent-secrets.ts";

/** The result of a step of a job. */
export interface StepResult {
  /** Undefined if the step didn't report a failure. */
  readonly exitCode: number | string | null | undefined;
  readonly log: string;
}

/** Runs `work` like a step of a job, and undoes its changes to the process. */
export async function asStep(work: () => Promise<unknown>): Promise<StepResult> {
  const before = process.exitCode;
  let log = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    log += text;
    return true;
  });
  process.exitCode = undefined;
  try {
    await work();
    return { exitCode: process.exitCode, log };
  } finally {
    write.mockRestore();
    process.exitCode = before;
  }
}

/** Creates the files that a runner provides to a step, in addition to `env`. */
export function stepEnvironment(event: object, env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "step-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  writeFileSync(path("event.json"), JSON.stringify(event));
  for (const name of ["summary.md", "output.txt"]) writeFileSync(path(name), "");
  vi.stubEnv("GITHUB_OUTPUT", path("output.txt"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    env: {
      GITHUB_EVENT_PATH: path("event.json"),
      GITHUB_STEP_SUMMARY: path("summary.md"),
      RUNNER_TEMP: folder,
      ...env,
    },
    summary: () => readFileSync(path("summary.md"), "utf8"),
    outputs: () => readFileSync(path("output.txt"), "utf8"),
  };
}

/**
 * Returns the context of a run of acme/shop. It has only the environment of a step, and no other
 * parts.
 */
export function contextOf({ env }: ReturnType<typeof stepEnvironment>): ActionContext {
  const world = { signal: new AbortController().signal, hasChanged: () => false };
  return {
    world: { ...world, forParallelRuns: () => world },
    env,
    sent: sentSecrets(),
    runUrl: undefined,
    repository: { owner: "acme", repo: "shop" },
    commit: "c0ffee",
  } as unknown as ActionContext;
}
