import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `application`: ten objects each; `workload`: one Deployment each. */
export type Pattern = "application" | "workload";

/**
 * A git repository whose config composes `count` times one of the adapters in `adapters/`, each time with another name. Its
 * param `value` goes to each tenth of them: another value changes one object in a hundred of those of `application`. Another
 * `mark` changes them all.
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
