import type { Reporter, TestModule } from "vitest/node";
import type { AttackClass } from "./attack.ts";

/**
 * Prints the number of tried hostile inputs per class at the end of a run:
 * `--reporter=./test/attacks/count-inputs.ts`.
 */
// biome-ignore lint/style/noDefaultExport: vitest wants reporters as default exports
export default class CountInputs implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<AttackClass, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) {
        const { attack } = test.meta();
        if (attack === undefined) continue;
        counts.set(attack.class, (counts.get(attack.class) ?? 0) + attack.inputs);
      }
    }
    if (counts.size > 0) process.stdout.write(asTable(counts));
  }
}

function asTable(counts: ReadonlyMap<AttackClass, number>): string {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [...rows, ["in all", all] as const].map(
    ([name, count]) => `  ${name.padEnd(20)}${String(count).padStart(5)}`,
  );
  return `\nHostile inputs that were held off:\n${lines.join("\n")}\n`;
}
