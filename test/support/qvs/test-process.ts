import { EventEmitter } from "node:events";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { Writable } from "node:stream";

/** A shell within this process, and the output of the command so far. */
export interface TestShell {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: CollectedStream;
  readonly stderr: CollectedStream;
  cwd(): string;
  chdir(directory: string): void;
}

interface CollectedStream extends Writable {
  text(): string;
}

/** Opens a shell with its own directory. With `columns`, its output is a terminal of this width. */
export function openShell(
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  columns?: number,
): TestShell {
  let current = directory;
  return {
    argv: ["node", "qvs", ...args],
    env,
    stdout: collectedStream(columns),
    stderr: collectedStream(columns),
    cwd: () => current,
    chdir: (to) => {
      const folder = resolve(current, to);
      readdirSync(folder);
      current = folder;
    },
  };
}

function collectedStream(columns: number | undefined): CollectedStream {
  let text = "";
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  return Object.assign(stream, terminal, { text: () => text });
}

/** Returns a process with the streams of a shell. No signal reaches it, and it can't exit early. */
export function processOf(shell: TestShell): NodeJS.Process {
  const members = { ...shell, exitCode: undefined, exit };
  return Object.assign(new EventEmitter(), members) as unknown as NodeJS.Process;
}

function exit(): never {
  throw new Error("a command in a test must return its exit code");
}
