import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { qvsProgram } from "../../support/qvs/qvs-program.ts";
import { compileCache } from "../../support/qvs/run-qvs.ts";
import { withoutHeartbeats } from "../../support/qvs/without-heartbeats.ts";

/**
 * A bash in its own directory, as for a reader of a page: `qvs` and, with a cluster, `kubectl` are
 * on its PATH.
 */
export interface PageShell {
  write(path: string, text: string): void;
  run(command: string): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly code: number;
  readonly lines: readonly string[];
}

/** The kubeconfig and kubectl for a page's commands. */
export interface ShellCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
}

const root = join(import.meta.dirname, "../../..");
/** A separator that no command prints. */
const mark = "\u001e";

export function openShell(from: string | undefined, cluster: ShellCluster | undefined): PageShell {
  const parent = mkdtempSync(join(tmpdir(), "page-"));
  const directory = join(parent, "shop");
  mkdirSync(directory);
  if (from !== undefined) cpSync(join(root, from), directory, { recursive: true });
  writePrograms(join(parent, "bin"), cluster);
  const bash = spawn("bash", ["--noprofile", "--norc"], {
    cwd: directory,
    env: environment(parent, cluster),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => bash.on("close", () => resolve()));
  let printed = "";
  let look = () => {};
  bash.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
    look();
  });
  return {
    write(path, text) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    },
    run(command) {
      printed = "";
      bash.stdin.write(`{ ${command}\n} </dev/null 2>&1; printf '${mark}%s${mark}' $?\n`);
      return new Promise((resolve, reject) => {
        void ended.then(() => reject(new Error(`The shell ended with: ${command}`)));
        look = () => {
          const [output = "", code, end] = printed.split(mark);
          if (end !== undefined) resolve({ code: Number(code), lines: linesOf(output) });
        };
      });
    },
    async close() {
      bash.stdin.end();
      await ended;
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function writePrograms(bin: string, cluster: ShellCluster | undefined): void {
  mkdirSync(bin);
  const program = (name: string, ...command: readonly string[]) => {
    const words = command.map((word) => `'${word}'`).join(" ");
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("qvs", process.execPath, qvsProgram);
  if (cluster !== undefined) program("kubectl", cluster.kubectl);
}

/**
 * Returns an environment without settings of the current user: no home, no kubeconfig, no git
 * configuration.
 */
function environment(parent: string, cluster: ShellCluster | undefined): NodeJS.ProcessEnv {
  return {
    PATH: [join(parent, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: parent,
    USER: "dev",
    LANG: "C.UTF-8",
    KUBECONFIG: cluster?.kubeconfig ?? join(parent, "no-kubeconfig"),
    KUBECTL_KUBERC: "false",
    NODE_COMPILE_CACHE: compileCache,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "init.defaultBranch",
    GIT_CONFIG_VALUE_0: "main",
    GIT_AUTHOR_NAME: "Dev",
    GIT_AUTHOR_EMAIL: "dev@example.com",
    GIT_COMMITTER_NAME: "Dev",
    GIT_COMMITTER_EMAIL: "dev@example.com",
  };
}

function linesOf(output: string): readonly string[] {
  const lines = withoutHeartbeats(output)
    .split("\n")
    .map((line) => line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
