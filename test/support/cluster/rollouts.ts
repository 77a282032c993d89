import { request } from "node:http";
import { join } from "node:path";
import { freePorts } from "../processes/ports.ts";
import type { ProcessGroup } from "../processes/process-group.ts";
import { until } from "../processes/until.ts";
import type { ClusterAddress } from "./address.ts";
import { buildTools } from "./build.ts";
import { rolloutsController } from "./components.ts";
import { runKubectl } from "./kubectl.ts";

/**
 * Installs the CRDs of Argo Rollouts and starts its controller in the group. Builds it on first
 * use.
 */
export async function startRollouts(address: ClusterAddress, group: ProcessGroup): Promise<void> {
  const binaries = await buildTools("rollouts");
  const crds = join(binaries.directory, "crds");
  const names = await runKubectl(["apply", "--server-side", "-k", crds, "-o", "name"], address);
  // Waits only for these. An earlier test might have left a CRD whose name wasn't accepted.
  await runKubectl(["wait", "--for=condition=Established", ...names.trim().split("\n")], address);
  const [metrics = 0, health = 0] = await freePorts(2);
  const controller = rolloutsController(address.directory, binaries, { metrics, health });
  await group.start(controller.name, controller.program, controller.args);
  await until("Argo Rollouts was not ready", () => isHealthy(health), group);
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(`http://127.0.0.1:${port}/healthz`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    probe.on("error", () => resolve(false));
    probe.end();
  });
}
