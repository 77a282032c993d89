import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `application`: ten objects each; `workload`: one Deployment each. */
export type Pattern = "application" | "workload";

/**
 * Writes a git repository whose config uses one of the adapters in `adapters/` `count` times, each
 * time with a different name. The param `value` goes to every tenth application: another value
 * changes one object in a hundred with `application`. Another `mark` changes all of them.
 */
export function writeRepository(directory: string, pattern: Pattern, count: number): void {
  const uses = Array.from({ length: count }, (_, number) => ({
    pattern: `${modulePath}/${pattern}`,
    params: {
      name: `app-${number}`,
      value: number % 10 === 0 ? "$(params.value)" : "first",
      namespace: "$(params.namespace)",
      ...(pattern === "application" ? { mark: "$(params.mark)" } : {}),
    },
  }));
  const config = {
    params: ["value", "mark", "namespace"].map((name) => ({ name, type: "string" })),
    modules: [{ name: modulePath, local: { path: "../adapters" } }],
    designPatterns: uses,
  };
  cpSync(join(import.meta.dirname, "adapters"), join(directory, "adapters"), { recursive: true });
  mkdirSync(join(directory, ".valuestream"), { recursive: true });
  writeFileSync(join(directory, ".valuestream/qvs.yaml"), JSON.stringify(config, null, 2));
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
}

const modulePath = "bench.example/adapters";
