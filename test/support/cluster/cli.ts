import { parseArgs } from "node:util";
import { UserError, userError } from "../../../src/model/problems/errors.ts";
import { runningProcesses } from "../processes/processes.ts";
import { type DetachedCluster, down, find, up } from "./detached.ts";
import { usualKubernetes } from "./kubernetes-versions.ts";

const usage = `A real Kubernetes control plane on this machine, for tests and for trying things out.

  npm run cluster -- up              start it, unless it runs already (3 nodes, no containers)
  npm run cluster -- up --rollouts   with Argo Rollouts
  npm run cluster -- status          what runs
  npm run cluster -- kubeconfig      print the path of its kubeconfig
  npm run cluster -- down            stop it and remove its data

QVS_KUBERNETES selects another version than ${usualKubernetes}, such as 1.32 or 1.37. Each version has its
own control plane, so several can run side by side.
`;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<number> {
  const { command, rollouts } = parse(args);
  switch (command) {
    case "up":
      return printUse(await up({ rollouts }));
    case "down":
      return printStopped((await down()).length);
    case "status":
      return printStatus(await find());
    case "kubeconfig":
      return printKubeconfig(await find());
    default:
      process.stderr.write(usage);
      return command === "help" ? 0 : 1;
  }
}

function parse(args: readonly string[]): { readonly command: string; readonly rollouts: boolean } {
  try {
    const options = { rollouts: { type: "boolean", default: false } } as const;
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { command: positionals.join(" "), rollouts: values.rollouts };
  } catch (error) {
    throw userError("invalid-input", error instanceof Error ? error.message : String(error), usage);
  }
}

function printUse({ address, processes }: DetachedCluster): number {
  process.stdout.write(`The control plane runs at ${address.server} (${processes.length} programs).

  export KUBECONFIG=${address.kubeconfig}
  alias kubectl=${address.kubectl}

Writes are recorded in ${address.auditLog}
Stop it with: npm run cluster -- down
`);
  return 0;
}

function printStopped(count: number): number {
  process.stdout.write(count === 0 ? "Nothing was running.\n" : `Stopped ${count} programs.\n`);
  return 0;
}

async function printStatus(cluster: DetachedCluster | undefined): Promise<number> {
  const { address, processes } = required(cluster);
  const alive = await runningProcesses(processes, address.directory);
  const lines = processes.map((one) => {
    const state = alive.includes(one) ? `runs as process ${one.pid}` : "has ended";
    return `  ${one.name} ${state}, log: ${address.directory}/${one.name}.log\n`;
  });
  process.stdout.write(`${address.server}\n${lines.join("")}`);
  return alive.length === processes.length ? 0 : 1;
}

function printKubeconfig(cluster: DetachedCluster | undefined): number {
  process.stdout.write(`${required(cluster).address.kubeconfig}\n`);
  return 0;
}

function required(cluster: DetachedCluster | undefined): DetachedCluster {
  if (cluster !== undefined) return cluster;
  throw userError(
    "invalid-input",
    "No control plane was started",
    "Start one with: npm run cluster -- up",
  );
}
