import { stringify } from "yaml";
import { schemaAddress } from "../model/publication.ts";
import { starterAdapter } from "./starter-adapter.ts";

/** The user's description of an application that is deployed to staging and then to production. */
export interface StarterApplication {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly port: number;
}

/** The text of each file, by its path from the root of the repository. */
export type RepositoryFiles = ReadonlyMap<string, string>;

/**
 * Returns the files of a repository with its own adapter and a deployment for each of two
 * environments.
 */
export function starterFiles({
  name,
  namespace,
  image,
  port,
}: StarterApplication): RepositoryFiles {
  const environments = [
    { environment: "staging", namespace: `${namespace}-staging`, replicas: 1, after: "" },
    { environment: "production", namespace, replicas: 2, after: `${name}-staging` },
  ];
  return new Map([
    [".valuestream/qvs.yaml", withSchema("qvs", starterConfig(name, port))],
    [
      ".valuestream/deployments.yaml",
      withSchema(
        "deployments",
        deploymentsYaml(
          environments.map((each) => ({
            name: `${name}-${each.environment}`,
            params: `params/${each.environment}.yaml`,
            ...each,
          })),
        ),
      ),
    ],
    ...environments.map(
      (each) =>
        [
          `.valuestream/params/${each.environment}.yaml`,
          withSchema(
            "params",
            `namespace: ${yamlText(each.namespace)}\nimage: ${JSON.stringify(image)}\nreplicas: ${each.replicas}\n`,
          ),
        ] as const,
    ),
    ...moduleFiles(name, starterAdapter),
  ]);
}

/** Returns the files of a repository whose adapter has the manifests of a running application. */
export function adoptionFiles(name: string, namespace: string, adapter: string): RepositoryFiles {
  return new Map([
    [".valuestream/qvs.yaml", withSchema("qvs", adoptionConfig(name))],
    [
      ".valuestream/deployments.yaml",
      withSchema("deployments", deploymentsYaml([{ name, namespace }])),
    ],
    ...moduleFiles(name, adapter),
  ]);
}

/** An entry of a config that names a file or a directory, relative to the config. */
export interface FileEntry {
  readonly form: "manifests" | "kustomize" | "helm";
  readonly path: string;
}

/** Returns the files of a repository that deploys manifests from the files that contain them. */
export function keepingFiles(
  name: string,
  namespace: string,
  entries: readonly FileEntry[],
): RepositoryFiles {
  return new Map([
    [".valuestream/qvs.yaml", withSchema("qvs", keepingConfig(name, entries))],
    [
      ".valuestream/deployments.yaml",
      withSchema("deployments", deploymentsYaml([{ name, namespace }])),
    ],
  ]);
}

/** Lists the paths of the files, which are the same for every application. */
export function starterPaths(): readonly string[] {
  return [...starterFiles({ name: "", namespace: "", image: "", port: 0 }).keys()];
}

export function adoptionPaths(): readonly string[] {
  return [...adoptionFiles("", "", "").keys()];
}

/**
 * Adds the address of the schema by which editors check the file.
 * A path would need a copy in each repository, and copies become outdated. Editors fetch the
 * address once and keep the schema. Without a network, they report a missing schema and otherwise
 * work as before. Until there is a release, `qvs schema` writes the schemas.
 */
function withSchema(kind: "qvs" | "deployments" | "params", text: string): string {
  const address = schemaAddress();
  if (address === undefined) return text;
  return `# yaml-language-server: $schema=${address}/${kind}.schema.json\n${text}`;
}

function moduleFiles(name: string, adapter: string): readonly (readonly [string, string])[] {
  return [
    [
      "adapters/cue.mod/module.cue",
      `module: "${name}.example/adapters"\nlanguage: version: "v0.12.0"\n`,
    ],
    ["adapters/app/app.cue", adapter],
  ];
}

function starterConfig(name: string, port: number): string {
  return `# The adapters (CUE packages) to deploy, with their params. \`qvs describe ${name}.example/adapters/app\` lists the params.
params: # values come from the params files in deployments.yaml, or from --param NAME=VALUE
  - {name: namespace, type: string}
  - {name: image, type: string}
  - {name: replicas, type: int}

modules:
  - name: ${name}.example/adapters
    local: {path: ../adapters} # a directory of this repository

designPatterns:
  - pattern: ${name}.example/adapters/app
    params:
      name: ${yamlText(name)}
      namespace: $(params.namespace)
      image: $(params.image)
      port: ${port}
      replicas: $(params.replicas)
      settings:
        GREETING: hello
`;
}

function adoptionConfig(name: string): string {
  return `# The adapters (CUE packages) to deploy, with their params. \`qvs describe ${name}.example/adapters/app\` lists the params.
modules:
  - name: ${name}.example/adapters
    local: {path: ../adapters} # a directory of this repository

designPatterns:
  - pattern: ${name}.example/adapters/app
    params: {} # without params, the objects stay as \`qvs init --from\` read them
`;
}

function keepingConfig(name: string, kept: readonly FileEntry[]): string {
  const entries = kept.map(({ form, path }) =>
    form === "helm"
      ? `  - helm:\n      chart: ${yamlText(path)}\n      release: ${yamlText(name)}`
      : `  - ${form}: ${yamlText(path)}`,
  );
  return `# The manifests to deploy. In them, $(params.NAME) takes the value of a parameter that is declared here.
designPatterns:
${entries.join("\n")}
`;
}

interface DeploymentText {
  readonly name: string;
  readonly namespace: string;
  readonly params?: string;
  readonly environment?: string;
  readonly after?: string;
}

function deploymentsYaml(deployments: readonly DeploymentText[]): string {
  const entries = deployments.map(({ name, namespace, params, environment, after }) =>
    [
      `  - name: ${yamlText(name)}`,
      "    config: qvs.yaml",
      ...(params ? [`    params: [${params}]`] : []),
      ...(environment
        ? [`    environment: ${environment} # deploy.yml deploys it in this GitHub environment`]
        : []),
      `    namespace: ${yamlText(namespace)}`,
      ...(after ? [`    dependsOn: [${after}]`] : []),
    ].join("\n"),
  );
  return `# The deployments. Paths are relative to this file.\ndeployments:\n${entries.join("\n")}\n`;
}

/** Returns a name on one line, with quotes if YAML would read another type: `123`, `true`. */
function yamlText(name: string): string {
  return stringify(name, { lineWidth: 0 }).trimEnd();
}
