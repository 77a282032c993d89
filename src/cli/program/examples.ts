import type { Command } from "commander";
import { fieldOf } from "../../model/json.ts";

/** A command line, and its effect as a sentence without a period. */
interface Example {
  readonly line: string;
  readonly effect: string;
}

/** The two examples of each command, for its help and its page in docs/reference/cli. */
export const examples: Readonly<Record<string, readonly [Example, Example]>> = {
  init: [
    { line: "qvs init", effect: "Ask a few questions and write a first deployment" },
    { line: "qvs init --from k8s/ --name shop", effect: "Start from existing manifests" },
  ],
  compile: [
    { line: "qvs compile -d shop-staging", effect: "Print the manifests" },
    { line: "qvs compile --all --check", effect: "Check the manifests of all deployments" },
  ],
  describe: [
    { line: "qvs describe ./adapters/web", effect: "Show the parameters of an adapter" },
    { line: "qvs describe --module", effect: "List the adapters of this module" },
  ],
  diff: [
    { line: "qvs diff -d shop-staging", effect: "Preview a deployment" },
    {
      line: "qvs diff -d shop-staging --format json > plan.json",
      effect: "Write the plan to a file",
    },
  ],
  deploy: [
    { line: "qvs deploy -d shop-staging", effect: "Deploy" },
    {
      line: "qvs deploy -d shop-staging --expect-plan plan.json",
      effect: "Deploy only the plan in a file",
    },
  ],
  rollback: [
    { line: "qvs rollback -d shop-staging", effect: "List the releases to choose from" },
    { line: "qvs rollback -d shop-staging --to previous", effect: "Restore the previous release" },
  ],
  drift: [
    { line: "qvs drift -d shop-staging", effect: "Compare one deployment with its release" },
    { line: "qvs drift --all-namespaces --format json", effect: "Compare all deployments" },
  ],
  reconcile: [
    { line: "qvs reconcile -d shop-staging", effect: "Correct one deployment once" },
    {
      line: "qvs reconcile --watch --namespaces shop,tools",
      effect: "Correct all deployments of two namespaces continuously",
    },
  ],
  delete: [
    { line: "qvs delete -d shop-staging --dry-run", effect: "Show the deletion" },
    {
      line: "qvs delete -d shop-staging --allow-delete PersistentVolumeClaim",
      effect: "Delete the deployment with its PersistentVolumeClaims",
    },
  ],
  environments: [
    { line: "qvs environments list", effect: "List the preview environments" },
    {
      line: "qvs environments create -d shop --number 3",
      effect: "Deploy the working tree as the environment of pull request 3",
    },
  ],
  "environments list": [
    { line: "qvs environments list", effect: "List the preview environments" },
    { line: "qvs environments list --format json", effect: "List them as JSON" },
  ],
  "environments create": [
    {
      line: "qvs environments create -d shop --number 3",
      effect: "Create the environment of pull request 3, or deploy it again",
    },
    {
      line: "qvs environments create --number 3 --repository acme/shop",
      effect: "Name the repository of a clone without the remote origin",
    },
  ],
  "environments delete": [
    {
      line: "qvs environments delete -d shop --number 3",
      effect: "Delete the environment of pull request 3",
    },
    {
      line: "qvs environments delete -d shop --number 3 --no-wait-for-lock",
      effect: "Fail if another run deploys it now",
    },
  ],
  "environments sweep": [
    {
      line: "qvs environments sweep --open 1,2,3",
      effect: "Delete expired environments, and those of other pull requests",
    },
    {
      line: "qvs environments sweep --open none",
      effect: "Delete all environments of this repository",
    },
  ],
  releases: [
    { line: "qvs releases -d shop-staging", effect: "List the releases" },
    { line: "qvs releases -d shop-staging --format json", effect: "List them as JSON" },
  ],
  "releases show": [
    { line: "qvs releases show 4 -d shop-staging", effect: "Show release 4" },
    { line: "qvs releases show 4 --manifests", effect: "Print its manifests" },
  ],
  "releases diff": [
    {
      line: "qvs releases diff 4 -d shop-staging",
      effect: "Compare release 4 with the current one",
    },
    { line: "qvs releases diff 4 6", effect: "Compare two releases" },
  ],
  why: [
    {
      line: "qvs why shop-staging deploy/web spec.replicas",
      effect: "Show who set the replicas, where, and since which release",
    },
    {
      line: "qvs why shop-staging deploy/web 'spec.template.spec.containers[name=\"web\"].image'",
      effect: "Explain a field in a list",
    },
  ],
  status: [
    { line: "qvs status -d shop-staging", effect: "Show the state of each object" },
    { line: "qvs status -d shop-staging --watch --timeout 5m", effect: "Wait until all are ready" },
  ],
  health: [
    { line: "qvs health deploy/web", effect: "Show whether a Deployment is ready" },
    {
      line: "qvs health -f objects.json --format json",
      effect: "Judge objects in a file, without a cluster",
    },
  ],
  get: [
    { line: "qvs get deployments -A", effect: "List all deployments of the cluster" },
    { line: "qvs get owners deploy/web -n shop", effect: "Show who owns the fields of an object" },
  ],
  "get deployments": [
    { line: "qvs get deployments -n shop", effect: "List the deployments of a namespace" },
    { line: "qvs get deployments -A --unhealthy", effect: "List deployments that aren't healthy" },
  ],
  "get types": [
    { line: "qvs get types -n shop", effect: "List the kinds in a namespace" },
    { line: "qvs get types -A --format json", effect: "List the kinds of the cluster as JSON" },
  ],
  "get instances": [
    { line: "qvs get instances deploy -n shop", effect: "List all objects of the kind Deployment" },
    { line: "qvs get instances -A -l team=shop", effect: "List the objects with a label" },
  ],
  "get owners": [
    { line: "qvs get owners deploy/web -n shop", effect: "Show the owners of its fields" },
    { line: "qvs get owners deploy/web -n shop --fields", effect: "Show each field" },
  ],
  changed: [
    { line: "qvs changed --base origin/main", effect: "List the changed deployments" },
    { line: "qvs changed --all --format json", effect: "List all deployments as JSON" },
  ],
  graph: [
    { line: "qvs graph -d shop-staging", effect: "Print a Mermaid diagram" },
    { line: "qvs graph -d shop-staging --format svg > graph.svg", effect: "Write an image" },
  ],
  lock: [
    { line: "qvs lock", effect: "Write the lockfiles" },
    { line: "qvs lock --check", effect: "Check that they are up to date" },
  ],
  outdated: [
    { line: "qvs outdated", effect: "List newer versions" },
    { line: "qvs outdated --format json", effect: "List them as JSON" },
  ],
  rbac: [
    { line: "qvs rbac -d shop-staging > deploy.yaml", effect: "Write the roles for qvs deploy" },
    {
      line: "qvs rbac preview -d shop-staging --subject group:developers",
      effect: "Print the roles for previews by a group",
    },
  ],
  schema: [
    {
      line: "qvs schema config -o .valuestream/qvs.schema.json",
      effect: "Write a schema of qvs.yaml with the parameters of its adapters",
    },
    { line: "qvs schema deployments", effect: "Print the schema of deployments.yaml" },
  ],
  completion: [
    { line: 'eval "$(qvs completion bash)"', effect: "Enable completion in this bash" },
    {
      line: "qvs completion fish > ~/.config/fish/completions/qvs.fish",
      effect: "Enable completion in fish",
    },
  ],
};

/** Adds the examples of a command to its help. */
export function addExamples(command: Command, name: string): void {
  const found = fieldOf(examples, name);
  if (found === undefined) throw new Error(`qvs ${name} has no examples`);
  const lines = found.map(({ line, effect }) => `  ${line}\n      ${effect}`);
  command.addHelpText("after", ["", "Examples:", ...lines].join("\n"));
}
