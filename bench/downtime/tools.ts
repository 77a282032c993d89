import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildTools } from "../../test/support/cluster/build.ts";
import { kubeconfigPath } from "../../test/support/cluster/components.ts";
import type { RunningCluster } from "../../test/support/cluster/start.ts";
import { webManifests } from "../../test/support/node/web-manifests.ts";
import { qvs } from "../qvs.ts";
import type { Version } from "./application.ts";

/** The place of one deployment by one tool. */
interface Place {
  readonly namespace: string;
  /** The files of the deployment. */
  readonly directory: string;
}

/** A tool with the flags of its documentation for a deployment that waits. */
export interface Tool {
  readonly name: string;
  /** Returns true if the tool reports success. */
  deploy(place: Place, version: Version): Promise<boolean>;
  /** Deploys a bad version, and returns to the last one in the way of the tool. */
  deployOrReturn(place: Place, version: Version): Promise<void>;
}

/** The time until a tool gives up. */
const timeout = "30s";

/** Builds kapp and Helm, which needs the network. */
export async function buildComparedTools(): Promise<void> {
  await buildTools("kapp");
  await buildTools("helm");
}

export async function comparedTools(cluster: RunningCluster): Promise<readonly Tool[]> {
  const kapp = (await buildTools("kapp")).path("kapp");
  const helm = (await buildTools("helm")).path("helm");
  const KUBECONFIG = kubeconfigPath(cluster.directory, "admin");
  const run = async (place: Place, program: string, ...args: readonly string[]) => {
    const env = { ...process.env, KUBECONFIG, HOME: place.directory };
    const child = spawn(program, args, { cwd: place.directory, env, stdio: "ignore" });
    const [code] = await once(child, "exit");
    return code === 0;
  };
  return [
    kubectlTool(cluster.kubectl, run),
    kappTool(kapp, run),
    helmTool(helm, run),
    qvsTool(run),
  ];
}

type Run = (place: Place, program: string, ...args: readonly string[]) => Promise<boolean>;

function kubectlTool(kubectl: string, run: Run): Tool {
  const rollout = (place: Place, ...args: readonly string[]) =>
    run(place, kubectl, "rollout", ...args, "deployment/web", "-n", place.namespace);
  const deploy = async (place: Place, version: Version) => {
    const file = writeManifests(place, version);
    if (!(await run(place, kubectl, "apply", "-n", place.namespace, "-f", file))) return false;
    return rollout(place, "status", `--timeout=${timeout}`);
  };
  return {
    name: "kubectl apply",
    deploy,
    async deployOrReturn(place, version) {
      if (!(await deploy(place, version))) await rollout(place, "undo");
      await rollout(place, "status", `--timeout=${timeout}`);
    },
  };
}

/** kapp has no rollback, so the last manifests are deployed again. */
function kappTool(kapp: string, run: Run): Tool {
  const deploy = (place: Place, version: Version) => {
    const flags = ["--app", "web", "--namespace", place.namespace, "--wait-timeout", timeout];
    return run(place, kapp, "deploy", ...flags, "--file", writeManifests(place, version), "--yes");
  };
  return {
    name: "kapp deploy",
    deploy,
    async deployOrReturn(place, version) {
      if (!(await deploy(place, version))) await deploy(place, { ...version, environment: {} });
    },
  };
}

function helmTool(helm: string, run: Run): Tool {
  const upgrade = (place: Place, version: Version, ...more: readonly string[]) => {
    const chart = join(place.directory, "chart");
    const content = { apiVersion: "v2", name: "web", version: "0.1.0" };
    write(join(chart, "Chart.yaml"), JSON.stringify(content));
    writeManifests({ ...place, directory: join(chart, "templates") }, version);
    const flags = ["--install", "--namespace", place.namespace, "--wait", "--timeout", timeout];
    return run(place, helm, "upgrade", "web", chart, ...flags, ...more);
  };
  return {
    name: "helm upgrade",
    deploy: upgrade,
    deployOrReturn: async (place, version) =>
      void (await upgrade(place, version, "--rollback-on-failure")),
  };
}

function qvsTool(run: Run): Tool {
  const deploy = (place: Place, version: Version, ...more: readonly string[]) => {
    write(
      join(place.directory, ".valuestream/qvs.yaml"),
      JSON.stringify({
        modules: [{ name: "bench.example/adapters", local: { path: "../adapters" } }],
        designPatterns: [{ pattern: "bench.example/adapters/web", params: {} }],
      }),
    );
    const language = 'module: "bench.example/adapters"\nlanguage: version: "v0.12.0"\n';
    write(join(place.directory, "adapters/cue.mod/module.cue"), language);
    const pattern = { name: "web", parameters: {}, resources: { app: webManifests(version) } };
    const adapter = `package web\n\nDesignPattern: ${JSON.stringify(pattern)}\n`;
    write(join(place.directory, "adapters/web/main.cue"), adapter);
    const flags = ["--namespace", place.namespace, "--timeout", timeout];
    const { program, args } = qvs(place.directory, "deploy", ...flags, ...more);
    return run(place, program, ...args);
  };
  return {
    name: "qvs deploy",
    deploy,
    deployOrReturn: async (place, version) =>
      void (await deploy(place, version, "--on-failure", "rollback")),
  };
}

/** Writes the manifests as a YAML file, and returns its path. */
function writeManifests({ directory }: Pick<Place, "directory">, version: Version): string {
  const path = join(directory, "manifests.yaml");
  const documents = Object.values(webManifests(version)).map((one) => JSON.stringify(one, null, 2));
  write(path, documents.join("\n---\n"));
  return path;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
