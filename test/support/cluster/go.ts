import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { userError } from "../../../src/model/problems/errors.ts";

const oldestMinor = 26;
const fix = `Install Go 1.${oldestMinor} or newer from https://go.dev/dl/ and put its bin folder into PATH`;

/**
 * Throws a UserError unless `go` in PATH can build the module in `directory`. It runs `go` in that
 * directory, because with GOTOOLCHAIN=auto Go reports the version that it would switch to.
 */
export async function requireGo(directory: string): Promise<void> {
  const version = await goVersion(directory);
  const minor = Number(/go1\.(\d+)/.exec(version)?.[1] ?? 0);
  if (minor >= oldestMinor) return;
  throw userError(
    "invalid-input",
    `The control plane is built from source, and this Go is too old for it: ${version}`,
    fix,
  );
}

async function goVersion(directory: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("go", ["version"], { cwd: directory });
    return stdout.trim();
  } catch (error) {
    if (isMissing(error)) {
      throw userError(
        "invalid-input",
        "The control plane is built from source, and no `go` is in PATH",
        fix,
      );
    }
    // Without permission to fetch toolchains, an older Go rejects the go.mod and shows both
    // versions.
    return error instanceof Error
      ? (error.message.split("\n").at(1) ?? error.message)
      : String(error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * Runs `go` and returns its standard output. `hear` receives each line of its messages and returns
 * true if it has shown the line itself. Other lines are written to stderr. Throws a UserError if
 * `go` fails.
 */
export async function runGo(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  hear: (line: string) => boolean = () => false,
): Promise<string> {
  const go = spawn("go", args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface({ input: go.stderr }).on("line", (line) => {
    if (!hear(line)) process.stderr.write(`${line}\n`);
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    go.on("error", reject);
    go.on("close", resolve);
  });
  const [output, code] = await Promise.all([text(go.stdout), exited]);
  if (code === 0) return output;
  throw userError(
    "invalid-input",
    `\`go ${args[0]}\` failed in ${directory} with exit code ${code}; its messages are above`,
    "If a module could not be fetched, check GOPROXY and the network; otherwise report this",
  );
}
