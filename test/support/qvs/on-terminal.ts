import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { qvsProgram } from "./qvs-program.ts";
import { compileCache } from "./run-qvs.ts";

/** A run of qvs on its own terminal. As on a screen, stdout and stderr are mixed. */
export interface QvsOnTerminal {
  readonly child: ReturnType<typeof spawn>;
  readonly result: Promise<{ readonly code: number; readonly screen: string }>;
  /**
   * Resolves when the screen contains `text`. Rejects with the whole screen if qvs ends before
   * that.
   */
  shows(text: string): Promise<void>;
  type(keys: string): void;
}

export const enter = "\r";
export const controlC = "\u0003";

/** Starts qvs with `script` of util-linux, which Linux distributions include. */
export function startOnTerminal(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): QvsOnTerminal {
  const words = [process.execPath, qvsProgram, ...args].map((word) => `'${word}'`);
  const child = spawn(
    "script",
    ["-qefc", `stty cols 100 rows 40; ${words.join(" ")}`, "/dev/null"],
    {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        HOME: join(tmpdir(), "nobody-lives-here"),
        USER: "dev",
        TERM: "xterm",
        SHELL: "/bin/sh",
        NO_COLOR: "1",
        NODE_COMPILE_CACHE: compileCache,
        ...env,
      },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let screen = "";
  child.stdout.on("data", (chunk) => (screen += chunk));
  const result = new Promise<{ code: number; screen: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, screen }));
  });
  return {
    child,
    result,
    type: (keys) => void child.stdin.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (screen.includes(text)) resolve();
        };
        look();
        child.stdout.on("data", look);
        result.then(
          (end) => reject(new Error(`It never showed "${text}":\n${end.screen}`)),
          reject,
        );
      }),
  };
}
