import { writeFileSync, appendFileSync } from "node:fs";
import { afterAll, test } from "vitest";
import { startCompiler } from "../../src/world.ts";
import { temporaryRepository } from "../support/temporary-repository.ts";
import { runHere } from "./run-here.ts";
import { shopFiles } from "./shop-files.ts";
const config = ".valuestream/qvs.yaml";
const adapter = "adapters/web/main.cue";
const deployments = ".valuestream/deployments.yaml";
const listed = `deployments:
  - {name: shop-staging, config: qvs.yaml}
  - {name: shop-production, config: qvs.yaml}
`;
const kubeconfig = `current-context: staging
contexts: [{name: staging, context: {cluster: staging, user: dev}}]
clusters: [{name: staging, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: dev, user: {token: t0ken}}]
`;
const compile = ["compile", "--params", "params.yaml"];
const deploy = ["deploy", "--params", "params.yaml"];
const faults: any[] = [

  {
    name: "a parameter that is missing because its name is misspelt",
    edits: [[config, "appName: shop", "appNmae: shop"]],
  },
  {
    name: "a parameter that is missing",
    edits: [[config, "      appName: shop\n", ""]],
  },
  {
    name: "a part of a parameter that is missing",
    edits: [[config, "size: small", "size: small\n      secret: {version: \"3\"}"]],
  },
  {
    name: "a value of the wrong type",
    edits: [[config, "$(params.replicas)", "many"]],
  },
  {
    name: "a value outside of its bounds",
    edits: [[config, "$(params.replicas)", "20"]],
  },
  {
    name: "a value that is none of the choices",
    edits: [[config, "size: small", "size: tiny"]],
  },
  {
    name: "a wrong value deep inside of a parameter",
    edits: [[config, "size: small", "size: small\n      secret: {key: 7}"]],
  },
  {
    name: "a value in a params file that has not the declared type",
    edits: [["params.yaml", "replicas: 2", "replicas: two"]],
  },
  {
    name: "a pattern that the module does not have",
    edits: [[config, "adapters/web\n", "adapters/wep\n"]],
  },
  {
    name: "a package that the folder does not have",
    edits: [[config, "adapters/web\n", "adapters/web:frontend\n"]],
  },
  {
    name: "a pattern of a module that is not listed",
    edits: [[config, "pattern: shop.example/", "pattern: shop.exmaple/"]],
  },
  {
    name: "a local module that is not there",
    edits: [[config, "../adapters}", "../adaptors}"]],
  },
  {
    name: "a mistake in the syntax of CUE",
    edits: [[adapter, "\"apps/v1\"", "\"apps/v1"]],
  },
  {
    name: "a name that CUE does not know",
    edits: [[adapter, "name: parameters.appName", "name: params.appName"]],
  },
  {
    name: "a parameter that the adapter reads without declaring it",
    edits: [[adapter, "name: parameters.appName", "name: parameters.appNmae"]],
  },
  {
    name: "an import that leads nowhere",
    edits: [[adapter, "package web\n", "package web\n\nimport \"shop.example/adapters/types\"\n\n#T: types.Any\n"]],
  },
  {
    name: "a field that the adapter leaves open",
    edits: [[adapter, "image: parameters.image", "image: string"]],
  },
  {
    name: "a resource without a name",
    edits: [[adapter, "metadata: name: parameters.appName\n", ""]],
  },
  {
    name: "two adapters that do not agree",
    edits: [[config, "size: small", "size: small\n  - pattern: shop.example/adapters/scaled\n    params: {replicas: 5}"]],
  },
  {
    name: "objects that wait for each other",
    edits: [[config, "size: small", "size: small\n  - pattern: shop.example/adapters/circle"]],
  },
  {
    name: "a parameter that is not declared",
    edits: [[config, "$(params.version)", "$(params.verison)"]],
  },
  {
    name: "a parameter without a value",
    edits: [["params.yaml", "version: 1.0.0\n", ""]],
  },
  {
    name: "a misspelt key of the config",
    edits: [[config, "designPatterns:", "designPattern:"]],
  },
  {
    name: "YAML that cannot be read",
    edits: [[config, "    params:\n", "   params:\n"]],
  },
  {
    name: "several mistakes in the config, all at once",
    edits: [
      [config, "type: int", "type: integer"],
      [config, "    params:", "    parms:"],
      [config, "local: {path: ../adapters}", "local: {path: ../../adapters}"],
    ],
  },
  {
    name: "several mistakes in the values, all at once",
    edits: [
      [config, "$(params.version)", "$(params.verison)"],
      ["params.yaml", "replicas: 2", "replicas: two"],
    ],
    args: [...compile, "--param", "relpicas=3"],
  },
  {
    name: "several mistakes in the use of adapters, all at once",
    edits: [
      [config, "      appName: shop\n", ""],
      [config, "$(params.replicas)", "many"],
      [config, "size: small", "size: small\n  - pattern: shop.example/adapters/scalde\n    params: {replicas: 5}"],
    ],
  },
  {
    name: "an inline param that is none",
    args: [...compile, "--param", "replicas"],
  },
  {
    name: "a config that does not exist",
    args: ["compile", "--config", "services/qvs.yaml"],
  },
  {
    name: "a params file that does not exist",
    args: ["compile", "--params", "staging.yaml"],
  },
  {
    name: "a config outside of the repository",
    args: ["compile", "--config", "../qvs.yaml"],
  },
  {
    name: "a deployment that is not listed",
    files: {[deployments]: listed},
    args: [...compile, "--deployment", "shop-stagin"],
  },
  {
    name: "more than one deployment, and none is named",
    files: {[deployments]: listed},
  },
  {
    name: "a base that is in no repository",
    args: ["diff", "--base", "main"],
  },
  {
    name: "no kubeconfig",
    args: deploy,
  },
  {
    name: "a kubeconfig that does not exist",
    args: [...deploy, "--kubeconfig", "nowhere.yaml"],
  },
  {
    name: "a context that the kubeconfig does not have",
    files: { "kubeconfig.yaml": kubeconfig },
    args: [...deploy, "--kubeconfig", "kubeconfig.yaml", "--context", "stagin"],
  },
  {
    name: "a cluster that does not answer, when deploying",
    files: { "kubeconfig.yaml": kubeconfig },
    args: [...deploy, "--kubeconfig", "kubeconfig.yaml"],
  },
  {
    name: "a cluster that does not answer, when comparing",
    files: { "kubeconfig.yaml": kubeconfig },
    args: ["diff", "--params", "params.yaml", "--kubeconfig", "kubeconfig.yaml"],
  },
  {
    name: "a flag that does not exist",
    args: ["compile", "--formt", "json"],
  },
  {
    name: "a command that does not exist",
    args: ["deplyo"],
  },
  {
    name: "a timeout without a unit",
    args: ["deploy", "--timeout", "90"],
  },
  {
    name: "a rollback that does not say where to",
    args: ["rollback"],
  },

];
const compiler = startCompiler();
afterAll(() => compiler.close());
writeFileSync("/tmp/e2e-bin/out.txt", "");
test.each(faults)("$name", async ({ name, files = {}, edits = [], args = compile, env }) => {
  const repository = temporaryRepository({ ...shopFiles, ...files });
  for (const [file, from, to] of edits) repository.change(file, from, to);
  const { code, stdout, stderr } = await runHere(repository.directory, args, compiler, env);
  appendFileSync("/tmp/e2e-bin/out.txt", `######## ${name}   [${code}] ${stdout === "" ? "" : "STDOUT"}\n${stderr.replaceAll(repository.directory, "DIR")}`);
});
