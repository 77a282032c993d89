import { parseArgs } from "node:util";
import { UserError, userError } from "../src/model/problems/errors.ts";
import { isOnNode } from "../test/support/node/run-on-node.ts";
import { measureAll } from "./all.ts";
import { compareCompiling } from "./compile.ts";
import { compareDeploying } from "./deploy.ts";
import { compareDowntime, enterNode } from "./downtime/compare.ts";
import { downtimeText, downtimeTitle } from "./downtime/table.ts";
import { compareFleet } from "./fleet/compare.ts";
import { compareGetting } from "./get/compare.ts";
import {
  acceptCurrentCommit,
  acceptedCommit,
  compareWithCommit,
  maxRatio,
  slowerRows,
} from "./guard.ts";
import { measureHealth } from "./health.ts";
import { compareMany } from "./many/compare.ts";
import { compareMaps } from "./maps/compare.ts";
import { currentOrigin } from "./origin.ts";
import { comparePushes } from "./push/compare.ts";
import { compareRendering } from "./render/compare.ts";
import { writeSection } from "./results.ts";
import { compareScale, scales } from "./scale/compare.ts";
import { compareDiffing } from "./scale/diff.ts";
import { compareDrift } from "./scale/drift.ts";
import { type Section, toMarkdown } from "./section.ts";
import { compareSlow } from "./slow/compare.ts";
import { compareStorm } from "./storm/compare.ts";
import { compareTracing } from "./trace.ts";
import { compareUndo } from "./undo.ts";

const usage = `Compares qvs with common tools, on this machine, in one run.

  npm run bench -- all                every benchmark of bench/RESULTS.md, which it replaces, in about 50 minutes;
                                      nothing else may run on the machine

  npm run bench -- compile            engine start, and compiling against the native \`cue export\`
  npm run bench -- many               200 configs at once against as many runs of \`cue export\`
  npm run bench -- render             charts and overlays against \`helm template\` and \`kustomize build\`
  npm run bench -- deploy             300 ConfigMaps against \`kubectl apply --server-side\`

  npm run bench -- scale <1000|5000|rollouts>
                                      that many objects, or 300 Deployments, against kubectl and kapp

  npm run bench -- diff <objects>     that many objects against \`kubectl diff --server-side\` and \`kapp deploy --diff-run\`
  npm run bench -- drift <objects>    drift of that many objects and its correction, against \`kubectl diff --server-side\`
  npm run bench -- slow <objects>     deploying and previewing them 30 and 80 ms away, against kubectl and kapp
  npm run bench -- maps <objects>     that many ConfigMaps: compiling, previewing and deploying, with memory
  npm run bench -- fleet <deployments>
                                      a preview of up to that many deployments by the Action, without a cluster
  npm run bench -- push <deployments> the first push of that many deployments by the Action, and previews of pull
                                      requests that change all, 30 % and one of them, with memory and requests

  npm run bench -- get <deployments>  the state of up to that many deployments, against listing their records by kubectl
  npm run bench -- health             the states of 5000 objects by health rules
  npm run bench -- trace              traces of all fields, against compiling alone

  npm run bench -- undo               previews with and without the prediction of the rollback

  npm run bench -- guard [<commit>]   the built program against that of a commit (default: the accepted one,
                                      bench/accepted.json), by CPU time; ends with 1 if a command needs more
                                      than 1.08 times as much
  npm run bench -- guard --accept <reason>
                                      accept the CPU times of the current commit from now on

  npm run bench -- downtime           requests that a deployment loses on a real node, against kubectl, kapp and Helm;
                                      Linux and root

  npm run bench -- storm <objects>    the controller, while each object changes twenty times and while nothing happens

  --minutes <n>   the duration of the measurement after the storm (default 10)
  --rounds <n>    how often each of them runs, in turn (default: compile 15, render 11, many 3, deploy 7,
                  trace and health 5, the others 1)
  --date <date>   the date to record with the results (default: today)
  --write         put the results into bench/RESULTS.md
`;

/** Benchmarks that take a number of objects, a multiple of ten. */
const withCount = {
  diff: compareDiffing,
  drift: compareDrift,
  slow: compareSlow,
  maps: compareMaps,
  get: compareGetting,
  push: comparePushes,
  fleet: (most: number, rounds: number) => compareFleet(rounds, most),
} as const;

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parse(argv);
  const subject = positionals.join(" ");
  if (subject === "guard" && values.accept !== undefined) {
    acceptCurrentCommit(values.accept);
    return;
  }
  if (subject === "all") return reportMissing(measureAll());
  if (subject === "downtime") return measureDowntime(argv, Number(values.rounds ?? 1), values);
  const section = await run(subject, Number(values.rounds ?? 0), Number(values.minutes));
  const text = toMarkdown(section, currentOrigin(values.date));
  process.stdout.write(text);
  if (values.write) writeSection(section.title, text);
  if (positionals[0] === "guard") reportSlower(section);
}

/** Measures downtime in the namespaces of a real node, which it enters first. */
async function measureDowntime(
  argv: readonly string[],
  rounds: number,
  { date, write }: { readonly date?: string | undefined; readonly write: boolean },
): Promise<void> {
  if (!isOnNode()) {
    process.exitCode = await enterNode(argv);
    return;
  }
  const text = downtimeText(await compareDowntime(rounds), rounds, currentOrigin(date));
  process.stdout.write(text);
  if (write) writeSection(downtimeTitle, text);
}

function reportMissing(failed: readonly string[]): void {
  if (failed.length === 0) return;
  process.stderr.write(`Without results, because they failed: ${failed.join("; ")}\n`);
  process.exitCode = 1;
}

function reportSlower(section: Section): void {
  const slower = slowerRows(section);
  if (slower.length === 0) return;
  process.stderr.write(
    `Above ${maxRatio} of the CPU time of the other commit: ${slower.join("; ")}\n` +
      'To accept this, commit, and run: npm run bench -- guard --accept "REASON"\n',
  );
  process.exitCode = 1;
}

function parse(argv: readonly string[]) {
  const options = {
    rounds: { type: "string" },
    minutes: { type: "string", default: "10" },
    date: { type: "string" },
    accept: { type: "string" },
    write: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw userError("invalid-input", error instanceof Error ? error.message : String(error), usage);
  }
}

async function run(subject: string, rounds: number, minutes: number): Promise<Section> {
  switch (subject) {
    case "compile":
      return compareCompiling(rounds || 15);
    case "render":
      return compareRendering(rounds || 11);
    case "many":
      return compareMany(rounds || 3);
    case "deploy":
      return compareDeploying(rounds || 7);
    case "trace":
      return compareTracing(rounds || 5);
    case "health":
      return measureHealth(rounds || 5);
    case "undo":
      return compareUndo(rounds || 5);
    default: {
      const guard = /^guard(?: (\S+))?$/.exec(subject);
      if (guard !== null) return compareWithCommit(rounds || 5, guard[1] ?? acceptedCommit());
      const storm = /^storm ([1-9]\d*0)$/.exec(subject)?.[1];
      if (storm !== undefined) return compareStorm(Number(storm), minutes);
      for (const [name, compare] of Object.entries(withCount)) {
        const count = new RegExp(`^${name} ([1-9]\\d*0)$`).exec(subject)?.[1];
        if (count !== undefined) return compare(Number(count), rounds || 1);
      }
      for (const scale of scales) {
        if (subject === `scale ${scale}`) return compareScale(scale, rounds || 1);
      }
      throw userError("invalid-input", `there is no benchmark "${subject}"`, usage);
    }
  }
}
