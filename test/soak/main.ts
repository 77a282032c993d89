import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { currentOrigin } from "../../bench/origin.ts";
import { isOnNode, runOnNode } from "../support/node/run-on-node.ts";
import { setup } from "../support/temporary-folder.ts";
import { soak } from "./soak.ts";
import { reportOf, rowsOf } from "./table.ts";
import { flawsOf } from "./verdict.ts";

const usage = `Deploys to a real node for a while, kills programs, and judges the state.

  npm run soak -- --minutes <n>

  --minutes <n>   the duration (default 20)
  --seed <n>      the seed of the random steps (default: a new one)
  --simulated     use simulated nodes, without requests; needs no root
  --date <date>   the date to record with the results (default: today)
  --write         put the results into test/soak/RESULTS.md
`;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const options = parse(argv);
  if (options === undefined) return 1;
  const { minutes, seed, simulated, date, write } = options;
  if (!simulated && !isOnNode()) return runOnNode(import.meta.filename, argv);
  const began = Date.now();
  const report = (line: string) => {
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    process.stderr.write(`[${seconds} s] ${line}\n`);
  };
  report(`Seed ${seed}`);
  const removeFiles = setup();
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      report(`${signal}: the soak ends after this step`);
      ending.abort();
    });
  }
  const { signal } = ending;
  const result = await soak({ minutes, seed, simulated, signal, report }).finally(removeFiles);
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
  const flaws = flawsOf(result);
  for (const flaw of flaws) process.stdout.write(`✖ ${flaw}\n`);
  if (write) {
    const file = join(import.meta.dirname, "RESULTS.md");
    writeFileSync(file, reportOf(result, currentOrigin(date)));
  }
  return flaws.length === 0 ? 0 : 1;
}

function parse(argv: readonly string[]) {
  const options = {
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    simulated: { type: "boolean", default: false },
    date: { type: "string" },
    write: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
    if (minutes > 0 && Number.isSafeInteger(seed)) return { ...values, minutes, seed };
  } catch {
    // An unknown flag.
  }
  process.stderr.write(usage);
  return undefined;
}
