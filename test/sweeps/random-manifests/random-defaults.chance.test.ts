import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nothingCompared } from "../../accuracy/compare.ts";
import { runPredicted } from "../../accuracy/run-predicted.ts";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { type RunningCluster, startCluster } from "../../support/cluster/start.ts";
import { clusterAt } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { fc } from "../../support/fast-check.ts";
import { randomChoice } from "../../support/random-choice.ts";

/**
 * Creates, changes and deletes default classes, by the deployment or by others, and objects that
 * use them. Compares the preview with the result. Default classes affect all tests, so this test
 * has its own control plane and runs in sequence. `QVS_RANDOM=SEED:COUNT[:NUMBER]`.
 */
const { seed, count, only } = randomChoice(30);
const compiler = startCompiler();
let running: RunningCluster;

beforeAll(async () => {
  running = await startCluster({ nodes: 1, auditLog: false });
});
afterAll(async () => {
  await compiler.close();
  await running.stop();
});

const classes = {
  StorageClass: {
    group: "storage.k8s.io",
    body: "provisioner: example.com/none\nvolumeBindingMode: WaitForFirstConsumer",
    isDefault: (is: boolean) =>
      `annotations: {storageclass.kubernetes.io/is-default-class: "${is}"}`,
  },
  IngressClass: {
    group: "networking.k8s.io",
    body: "spec: {controller: example.com/none}",
    isDefault: (is: boolean) =>
      `annotations: {ingressclass.kubernetes.io/is-default-class: "${is}"}`,
  },
  PriorityClass: { group: "scheduling.k8s.io", body: "value: 1000", isDefault: undefined },
} as const;

type Kind = keyof typeof classes;
const kinds = Object.keys(classes) as readonly Kind[];
const names = ["a", "b"] as const;

/** The state of a class, and its owner. */
type State = (typeof states)[number];
const states = ["absent", "others", "others by default", "own", "own by default"] as const;

const users = {
  PersistentVolumeClaim: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, annotations: {vs.axis-dev.io/replace: "true"}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`,
  Ingress: `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}`,
  Deployment: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}`,
  StatefulSet: `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
  volumeClaimTemplates:
    - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
  Pod: `
apiVersion: v1
kind: Pod
metadata: {name: one, annotations: {vs.axis-dev.io/replace: "true"}}
spec: {containers: [{name: one, image: "one:1"}]}`,
} as const;

type User = keyof typeof users;
const userKinds = Object.keys(users) as readonly User[];

/** One step: the state of each class, and the existing users of classes. */
interface Time {
  readonly classes: readonly State[];
  readonly users: readonly boolean[];
  /** True if the class is in appSetup instead of app. */
  readonly isEarly: boolean;
  readonly label: string;
}

const time: fc.Arbitrary<Time> = fc.record({
  classes: fc.array(fc.constantFrom("absent" as const, ...states), { minLength: 6, maxLength: 6 }),
  users: fc.array(fc.boolean(), { minLength: userKinds.length, maxLength: userKinds.length }),
  isEarly: fc.boolean(),
  label: fc.constantFrom("one", "two"),
});

const cases = fc
  .sample(fc.tuple(time, time), { seed, numRuns: count })
  .map(([before, after], index) => ({ before, after, number: index + 1 }))
  .filter(({ number }) => only === undefined || number === only);

describe("previews of default classes are right", () => {
  test.for(cases)(
    `${seed}:${count}:$number`,
    async ({ before, after, number }, { onTestFinished }) => {
      const cluster = clusterAt(running);
      const accuracy = nothingCompared();
      const shop = await manifestsIn(cluster, undefined, {
        onFinished: onTestFinished,
        run: (directory, args, env = {}) => runPredicted(directory, args, compiler, env, accuracy),
      });
      const deploy = () =>
        shop.qvs("deploy", "--timeout=10s", "--quiet", "--allow-delete=PersistentVolumeClaim");
      try {
        for (const now of [before, after]) {
          await applyOfOthers(now, (yaml) => cluster.kubectlOutput(["apply", "-f", "-"], yaml));
          shop.declare(declared(now));
          const { code, stdout, stderr } = await deploy();
          const failed = stderr.split("\n").filter((line) => line.includes(" failed: "));
          if (
            code !== 0 &&
            failed.some((line) => !/not (ready|deleted) after|: not ready/.test(line))
          )
            throw new Error(`${stdout}${stderr}`);
          if (code !== 0) break;
        }
      } finally {
        console.log(`${number}: ${[before, after].map(told).join("; then ")}`);
        await cluster.kubectl("delete", "namespace", shop.namespace);
        await cluster.kubectl("delete", kinds.join(","), ...names, "--ignore-not-found");
      }
      expect(accuracy.wrong).toEqual([]);
    },
  );
});

function eachClass({ classes: drawn }: Time): readonly (readonly [Kind, string, State])[] {
  return kinds.flatMap((kind, at) =>
    names.map((name, index) => [kind, name, stateOf(kind, drawn, at * 2 + index)] as const),
  );
}

/**
 * Returns the state of a class. If one deployment has two default PriorityClasses, a finding
 * reports that the second one fails.
 */
function stateOf(kind: Kind, drawn: readonly State[], at: number): State {
  const [former, state] = [drawn[at - 1], drawn[at] ?? "absent"];
  const isSecond = at % names.length > 0 && former === "own by default" && state === former;
  return kind === "PriorityClass" && isSecond ? "own" : state;
}

async function applyOfOthers(now: Time, apply: (yaml: string) => Promise<string>): Promise<void> {
  const theirs = eachClass(now).filter(([, , state]) => state.startsWith("others"));
  const yaml = theirs.map(([kind, name, state]) => manifestOf(kind, name, state));
  if (yaml.length > 0) await apply(yaml.join("\n---\n"));
}

function declared(now: Time): { readonly appSetup: string; readonly app: string } {
  const own = eachClass(now)
    .filter(([, , state]) => state.startsWith("own"))
    .map(([kind, name, state]) => manifestOf(kind, name, state));
  const using = userKinds
    .filter((_, index) => now.users[index])
    .map((kind) => users[kind].replace("metadata: {", `metadata: {labels: {is: ${now.label}}, `));
  const base = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: base}`;
  const [appSetup, app] = now.isEarly ? [own, using] : [[], [...own, ...using]];
  return { appSetup: appSetup.join("\n---\n"), app: [base, ...app].join("\n---\n") };
}

function manifestOf(kind: Kind, name: string, state: State): string {
  const { group, body, isDefault } = classes[kind];
  const is = state.endsWith("default");
  const annotations = isDefault === undefined ? "" : `, ${isDefault(is)}`;
  const more = isDefault === undefined ? `\nglobalDefault: ${is}` : "";
  const head = `apiVersion: ${group}/v1\nkind: ${kind}\nmetadata: {name: ${name}${annotations}}`;
  return `${head}\n${body}${more}`;
}

function told(now: Time): string {
  const drawn = eachClass(now)
    .filter(([, , state]) => state !== "absent")
    .map(([kind, name, state]) => `${kind}/${name} ${state}`);
  const using = userKinds.filter((_, index) => now.users[index]);
  return `${drawn.join(", ")}; ${using.join(", ")}${now.isEarly ? " early" : ""} ${now.label}`;
}
