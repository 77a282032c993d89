import { join } from "node:path";
import { type RunningCluster, startCluster } from "../../test/support/cluster/start.ts";
import {
  type ActionStep,
  actionProgram,
  pullRequestEvent,
  pushEvent,
  runActionStep,
} from "../action-step.ts";
import { inTurn } from "../in-turn.ts";
import { load } from "../scale/compare.ts";
import { countRequests } from "../scale/count-requests.ts";
import type { Section } from "../section.ts";
import type { Cost } from "../timed.ts";
import { type PushedRepository, writePushedRepository } from "./repository.ts";

/**
 * Measures the Action on very many deployments in a live cluster: the first push, and pull requests
 * that change all, some or one of them. Each round has its own Namespaces.
 */
export async function comparePushes(deployments: number, rounds: number): Promise<Section> {
  const before = load();
  const costs = await onOwnCluster(deployments * rounds, async (cluster) => {
    let round = 0;
    let fleet: PushedRepository;
    const preview = (changed: number) => () => previewChange(cluster, fleet, changed);
    return inTurn(
      rounds,
      {
        prepare: async () => {
          const directory = join(cluster.directory, "repository");
          fleet = writePushedRepository(directory, `fleet-${++round}`, deployments);
          return { wallMs: 0, cpuMs: 0 };
        },
        push: () => pushAll(cluster, fleet),
        all: preview(deployments),
        some: preview(Math.ceil(deployments * 0.3)),
        one: preview(1),
      },
      false,
    );
  });
  return {
    title: `Pushing ${deployments.toLocaleString("en")} deployments`,
    command: `npm run bench -- push ${deployments}`,
    rounds,
    versions: ["Kubernetes v1.36.4"],
    notes: [
      "The Action's process (`dist/index.js`) with a control plane on the same machine. Each deployment creates its own Namespace with a Deployment of one simulated Pod, a Service and two ConfigMaps, by the same adapter.",
      "The first push deploys all of them. Each pull request changes a param, which changes both ConfigMaps and the Deployment, and gets a comment with the comparison with the cluster.",
      "Requests are those of the last round, from the audit log, and their number for each deployment.",
      `The load of the machine was ${before} before and ${load()} after.`,
    ],
    rows: [
      { subject: "first push", costs: costs.push },
      { subject: "pull request, all changed", costs: costs.all },
      { subject: "pull request, 30 % changed", costs: costs.some },
      { subject: "pull request, one changed", costs: costs.one },
    ],
  };
}

/** The number of simulated Pods that fit on a node, with space for the Pods of a rollout. */
const podsOfNode = 200;

async function onOwnCluster<T>(
  pods: number,
  work: (cluster: RunningCluster) => Promise<T>,
): Promise<T> {
  const policy = join(import.meta.dirname, "../scale/audit-policy.yaml");
  const nodes = Math.max(3, Math.ceil(pods / podsOfNode));
  const cluster = await startCluster({ auditLog: { policy }, nodes });
  try {
    return await work(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Measures the push that deploys all deployments for the first time. */
function pushAll(cluster: RunningCluster, fleet: PushedRepository): Promise<Cost> {
  fleet.checkOut(fleet.first);
  const event = pushEvent(fleet.empty, fleet.first);
  return measure(cluster, fleet, { event, mode: "deploy" }, fleet.count);
}

/** Measures the preview of a pull request that changes so many deployments. */
function previewChange(
  cluster: RunningCluster,
  fleet: PushedRepository,
  changed: number,
): Promise<Cost> {
  const event = pullRequestEvent(fleet.first, fleet.change(changed));
  return measure(cluster, fleet, { event, mode: "diff" }, changed);
}

async function measure(
  { auditLog, kubeconfig }: RunningCluster,
  { directory }: PushedRepository,
  step: Pick<ActionStep, "event" | "mode">,
  deployments: number,
): Promise<Cost> {
  const { result, requests, count } = await countRequests(auditLog, () =>
    runActionStep({ program: actionProgram, directory, kubeconfig, ...step }),
  );
  const each = (count / deployments).toFixed(1);
  return { ...result.cost, requests: `${each} each: ${requests}` };
}
