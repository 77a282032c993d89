/** A live value that the attacker isn't allowed to read. */
interface Target {
  readonly name: string;
  /** The resource that contains the value, and a reference to it. */
  readonly holder: string;
  readonly reference: string;
  /** The declaration of that resource in a pull request. */
  readonly declared: string;
}

/**
 * The cluster has a Secret and a ConfigMap of others. The deployment has a Secret with a token that
 * the API server added, and a ConfigMap with a copy of a Secret's value.
 */
const targets: readonly Target[] = [
  {
    name: "a Secret of others",
    holder: "vault",
    reference: "$(ref.vault.data.password)",
    declared: "app/vault: {apiVersion: v1, kind: Secret, metadata: {name: vault}}",
  },
  {
    name: "a token that the API server added to the deployment's Secret",
    holder: "session",
    reference: "$(ref.session.data.token)",
    declared: "app/session: {apiVersion: v1, kind: Secret, metadata: {name: session}}",
  },
  {
    name: "a Secret's value that an earlier release put into the deployment's ConfigMap",
    holder: "settings",
    reference: "$(ref.settings.data.url)",
    declared:
      "app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {kept: by-us}}",
  },
  {
    name: "a ConfigMap of others",
    holder: "theirs",
    reference: "$(ref.theirs.data.password)",
    declared: "app/theirs: {apiVersion: v1, kind: ConfigMap, metadata: {name: theirs}}",
  },
];

/** A question about the value: does it match a pattern, or is it equal to a guess? */
interface Question {
  readonly pattern: string;
  readonly guess: string;
}

/** A kind of pull request whose preview could depend on the answer. `manifestsFrom` parses it. */
export interface Way {
  readonly name: string;
  readonly ask: (question: Question) => string;
}

/** Ways that reveal one bit with any pattern. */
export const byBits: readonly Way[] = targets.flatMap((target) => [
  ofDefault(target, "pattern", ({ pattern }) => `pattern: '${pattern}'`),
  ofDefault(target, "CEL", ({ pattern }) => {
    const rule = `self.matches('${pattern}')`;
    return `maxLength: 200, x-kubernetes-validations: [{rule: "${rule}", message: no}]`;
  }),
]);

/** Ways that reveal whether a guess is right, or another fact about the value. */
export const byGuesses: readonly Way[] = [
  ...targets.flatMap((target) => [
    ofDefault(target, "enum", ({ guess }) => `enum: ["${guess}"]`),
    ofDefault(target, "length", ({ guess }) => `maxLength: ${guess.charCodeAt(7) % 12}`),
    ofDefault(target, "format", () => "format: date"),
    of(target, "text", ({ guess }) =>
      asking("v1", "ConfigMap", `data: {it: "$VALUE", guess: "${guess}", wide: "<${guess}>"}`),
    ),
    of(target, "label", () => asking("v1", "ConfigMap", "", 'labels: {it: "a$VALUE"}')),
    of(target, "selector", ({ guess }) =>
      asking(
        "apps/v1",
        "Deployment",
        `spec: {selector: {matchLabels: {app: "$VALUE"}}, template: {metadata: {labels: {app: "${guess}"}}, spec: {containers: [{name: a, image: a}]}}}`,
      ),
    ),
    of(
      target,
      "order",
      ({ guess }) =>
        `${asking("v1", "Pod", 'spec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: "$VALUE"}}]}]}')}app/guessed: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${guess}"}}\n`,
    ),
    of(target, "CIDR", () =>
      asking(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        'spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: "$VALUE"}}]}]}',
      ),
    ),
    of(target, "quantity", () =>
      asking("v1", "ResourceQuota", 'spec: {hard: {requests.memory: "$VALUE"}}'),
    ),
    of(target, "type of a Secret", () =>
      asking(
        "v1",
        "Secret",
        'type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: "$VALUE"}',
      ),
    ),
  ]),
  way("a Secret of others: its value guessed", ({ guess }) =>
    secret("vault", `password: ${guess}`),
  ),
  way("a Secret of others: recreated with its live value", () =>
    secret(
      "vault",
      "password: aaaa",
      `${ignoring("data")}, vs.axis-dev.io/replace: "true"`,
      "type: kubernetes.io/dockerconfigjson",
    ),
  ),
  way("the deployment's Secret: the API server's token guessed", ({ guess }) =>
    secret("session", `token: ${guess}`),
  ),
  way("the deployment's Secret: the API server's token sent again", ({ guess }) =>
    secret("session", `token: ${guess}`, ignoring("data.token")),
  ),
  way(
    "the deployment's ConfigMap: guesses next to an undeclared value",
    ({ guess }) =>
      `app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {guess: "${guess}", wide: "<${guess}>"}}\n`,
  ),
];

function way(name: string, ask: Way["ask"]): Way {
  return { name, ask };
}

function of(target: Target, name: string, ask: Way["ask"]): Way {
  const { holder, reference, declared } = target;
  return way(`${target.name}: ${name}`, (question) => {
    const text = ask(question).replaceAll("$VALUE", () => reference);
    return `${declared}\n${text.replaceAll("$HOLDER", holder)}`;
  });
}

/**
 * Returns a CustomResourceDefinition that is valid only if its default, which is the value, matches
 * its schema.
 */
function ofDefault(target: Target, name: string, schema: (question: Question) => string): Way {
  return of(
    target,
    name,
    (question) => `
app/asking:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: askings.oracle.example}
  spec:
    group: oracle.example
    scope: Namespaced
    names: {plural: askings, singular: asking, kind: Asking, listKind: AskingList}
    versions:
      - name: v1
        served: true
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties: {spec: {type: object, properties: {it: {type: string, default: "$VALUE", ${schema(question)}}}}}
  dependsOn: [$HOLDER]
`,
  );
}

function asking(apiVersion: string, kind: string, fields: string, metadata = ""): string {
  const more = fields === "" ? "" : `, ${fields}`;
  return `app/asking: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: asking, ${metadata}}${more}, dependsOn: [$HOLDER]}\n`;
}

function secret(name: string, data: string, annotations = "", more = "immutable: false"): string {
  return `app/${name}: {apiVersion: v1, kind: Secret, metadata: {name: ${name}, annotations: {${annotations}}}, data: {${data}}, ${more}}\n`;
}

function ignoring(path: string): string {
  return `vs.axis-dev.io/ignore-changes: ${path}`;
}
