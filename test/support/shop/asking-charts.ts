import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import { apiNames, type ServedApis } from "../../../src/model/cluster/api/served-apis.ts";
import type {
  CapabilitySource,
  ClusterCapabilities,
} from "../../../src/sources/charts/capabilities.ts";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import { resultText } from "../../unit/config/result-text.ts";
import { GitFixture } from "../git/git-fixture.ts";
import { plainDeployment } from "./plain-deployment.ts";
import { useWorlds } from "./shop-world.ts";

const shop = plainDeployment({ namespace: "staging" });

/** Returns a template of a ConfigMap whose name contains the answers. */
export function asking(...questions: readonly string[]): string {
  const answers = questions.map((each) => `{{ ${each} }}`).join("-");
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "is-${answers}"}\n`;
}

export const has = (name: string) => `.Capabilities.APIVersions.Has "${name}"`;

export const thing = { group: "a.example", version: "v1", kind: "Thing", plural: "things" };

export function definition({ group, kind, plural }: typeof thing): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec: {group: ${group}, scope: Namespaced, names: {kind: ${kind}, plural: ${plural}}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
`;
}

export interface Server {
  readonly apis?: ApiResult<ServedApis>;
  readonly version?: ClusterCapabilities["version"];
  readonly late?: ApiResult<boolean>;
  readonly own?: readonly string[];
}

/** Returns a cluster that serves only `thing`, if `apis` isn't given. */
export function server({ apis, version, late, own = [] }: Server = {}): CapabilitySource {
  const kinds = [thing];
  return {
    read: async () => ({
      server: "https://cluster.example",
      version: version ?? { ok: true, value: { major: 1, minor: 35, full: "v1.35.2-gke.1" } },
      apis: apis ?? { ok: true, value: { kinds, names: apiNames(kinds), unreadable: [] } },
    }),
    servesApi: async () => late ?? { ok: true, value: false },
    deletes: async (names) => new Set(own.filter((name) => names.has(name))),
  };
}

export const noApis: Server = {
  apis: { ok: true, value: { kinds: [], names: [], unreadable: [] } },
};

/** The parts of a repository that a test changes. */
export interface Repository {
  readonly files?: Readonly<Record<string, string>>;
  /** The end of the chart's entry. */
  readonly entry?: string;
  /** The rest of the config. */
  readonly more?: string;
  readonly kubernetes?: string;
}

/**
 * Returns a function that lists the objects of a chart, the answers for the digest, and the
 * problems. A test file calls it at its top.
 */
export function useAskingCharts() {
  const openShop = useWorlds();
  return async (
    template: string,
    cluster: CapabilitySource | undefined,
    { files = {}, entry = "", more = "", kubernetes }: Repository = {},
  ): Promise<string> => {
    const git = new GitFixture();
    git.commit({
      "qvs.yaml": `designPatterns:\n  - helm: {chart: chart, release: web${entry}}\n${more}`,
      "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
      "chart/templates/a.yaml": template,
      ...files,
    });
    const { source } = await openShop(git.directory);
    const parts = kubernetes === undefined ? {} : { kubernetes };
    const compiled = await compileDeployment(source, shop, [], "deploy", parts, cluster);
    return resultText(compiled, ({ compilation, capabilities, unanswered }) =>
      [
        ...compilation.resources.map(({ id }) => id),
        ...capabilities.map(({ question, answer }) => `${question}: ${answer}`),
        ...unanswered.map(({ what }) => `unanswered: ${what}`),
        ...compilation.warnings.flatMap(({ what, facts = [] }) => [
          what,
          ...facts.map(({ label, value }) => `${label}: ${value}`),
        ]),
      ].join("\n"),
    );
  };
}
