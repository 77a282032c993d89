import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { qvsProgram } from "./qvs-program.ts";
import { compileCache } from "./run-qvs.ts";

/** qvs on a terminal of its own. What it prints to stdout and stderr comes together, as on a screen. */
export interface QvsOnTerminal {
  readonly child: ReturnType<typeof spawn>;
  readonly result: Promise<{ readonly code: number; readonly screen: string }>;
  /** Resolves as soon as the screen has `text`; rejects with all of it when qvs ends without having shown it. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
}

export const enter = "\r";
export const controlC = "\u0003";

/** With `script` of util-linux, which every Linux with a shell for people has. */
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
