import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { workVariable } from "./place.ts";

/** Returns true in the namespaces of a real node. */
export function isOnNode(): boolean {
  return process.env[workVariable] !== undefined;
}

/** Runs a script in the namespaces of a real node (`enter.ts`). Returns its exit code. */
export async function runOnNode(script: string, argv: readonly string[]): Promise<number> {
  const enter = join(import.meta.dirname, "enter.ts");
  const child = spawn(process.execPath, [enter, process.execPath, script, ...argv], {
    stdio: "inherit",
  });
  process.on("SIGINT", () => undefined);
  const [code] = await once(child, "exit");
  return code ?? 1;
}
